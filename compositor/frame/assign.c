/* Planes: which of what an output shows is scanned out instead of composed. */

#include "frame/assign.h"
#include "buffer/buffer.h"
#include <assert.h>

static const struct plane *find_primary(const struct assign_request *request)
{
	for (int i = 0; i < request->n_planes; i++) {
		if (request->planes[i]->type == PLANE_PRIMARY) {
			return request->planes[i];
		}
	}
	return NULL;
}

static bool fills_output(const struct assign_request *request, const struct box *dst)
{
	return dst->x == 0 && dst->y == 0 && dst->width == request->width &&
	       dst->height == request->height;
}

static bool takes_format(const struct plane *plane, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	uint64_t modifier = dmabuf ? dmabuf->modifier : DRM_FORMAT_MOD_LINEAR;
	return format_set_has(&plane->formats, buffer->format, modifier);
}

/* Why the candidate cannot be the whole picture, or REASON_BEST if nothing speaks against it. */
static enum route_reason judge(
	const struct assign_request *request, const struct assign_candidate *candidate)
{
	const struct buffer *buffer = candidate->buffer;
	if (!request->scanout_allowed) {
		return request->refused;
	}
	if (!request->complete || request->n_candidates != 1) {
		return REASON_NOT_ALONE;
	}
	if (!fills_output(request, &candidate->dst)) {
		return REASON_NOT_FULL;
	}
	if (!candidate->opaque || candidate->alpha < 1) {
		return REASON_TRANSLUCENT;
	}
	if (candidate->foreign) {
		return REASON_FOREIGN;
	}
	if (candidate->transform != WL_OUTPUT_TRANSFORM_NORMAL || candidate->src.x != 0 ||
		candidate->src.y != 0 || candidate->src.width != buffer->width ||
		candidate->src.height != buffer->height || buffer->width != request->width ||
		buffer->height != request->height) {
		return REASON_TRANSFORM;
	}
	return REASON_BEST;
}

bool assign_planes(struct assign_request *request)
{
	const struct plane *primary = find_primary(request);
	for (int i = 0; i < request->n_candidates; i++) {
		struct assign_candidate *candidate = &request->candidates[i];
		candidate->plane = NULL;
		if (!candidate->buffer) {
			candidate->reason = REASON_BEST;
			continue;
		}
		candidate->reason = judge(request, candidate);
	}
	if (request->n_candidates != 1 || !request->candidates[0].buffer ||
		request->candidates[0].reason != REASON_BEST) {
		return false;
	}

	struct assign_candidate *only = &request->candidates[0];
	if (!primary || !takes_format(primary, only->buffer)) {
		only->reason = only->system_memory ? REASON_SYSTEM_MEMORY : REASON_PLANE_FORMAT;
		return false;
	}
	output_state_init(&request->state);
	struct plane_state *plane = output_state_add_plane(&request->state, primary);
	plane->buffer = only->buffer;
	plane->src = only->src;
	plane->dst = only->dst;
	if (!request->test(request->data, &request->state)) {
		only->reason = only->system_memory ? REASON_SYSTEM_MEMORY : REASON_REFUSED;
		return false;
	}
	only->plane = primary;
	return true;
}
