/* SPDX-License-Identifier: MIT */
/* Planes of KMS commits: their properties in a request, checked against those of the card. */

#include "commit_planes.h"
#include <math.h>

void drm_request_add_resets(
	drmModeAtomicReq *request, uint32_t object, const struct drm_resets *resets)
{
	for (int i = 0; i < resets->n; i++) {
		drm_request_set(request, object, &resets->list[i], resets->list[i].value);
	}
}

const struct plane_state *drm_commit_find_plane(
	const struct output_state *state, const struct plane *plane)
{
	for (int i = 0; state->fields & OUTPUT_PLANES && i < state->n_planes; i++) {
		if (state->planes[i].plane == plane && state->planes[i].state.buffer) {
			return &state->planes[i].state;
		}
	}
	return NULL;
}

/* Maps a transform to DRM_MODE_ROTATE_*, which turns counter-clockwise after reflection. */
static uint32_t rotation_of(enum wl_output_transform transform)
{
	uint32_t rotation = DRM_MODE_ROTATE_0 << (transform & 3);
	return transform & WL_OUTPUT_TRANSFORM_FLIPPED ? rotation | DRM_MODE_REFLECT_X : rotation;
}

static void plane_off(drmModeAtomicReq *request, const struct drm_plane *plane)
{
	drm_request_set(request, plane->id, &plane->properties[PLANE_FB_ID], 0);
	drm_request_set(request, plane->id, &plane->properties[PLANE_CRTC_ID], 0);
}

static void plane_box(drmModeAtomicReq *request, const struct drm_plane *plane,
	const struct fbox *src, const struct box *dst)
{
	const struct drm_property *properties = plane->properties;
	const double fixed = 65536;
	drm_request_set(
		request, plane->id, &properties[PLANE_SRC_X], (uint64_t)llround(src->x * fixed));
	drm_request_set(
		request, plane->id, &properties[PLANE_SRC_Y], (uint64_t)llround(src->y * fixed));
	drm_request_set(request, plane->id, &properties[PLANE_SRC_W],
		(uint64_t)llround(src->width * fixed));
	drm_request_set(request, plane->id, &properties[PLANE_SRC_H],
		(uint64_t)llround(src->height * fixed));
	drm_request_set(request, plane->id, &properties[PLANE_CRTC_X], (uint64_t)dst->x);
	drm_request_set(request, plane->id, &properties[PLANE_CRTC_Y], (uint64_t)dst->y);
	drm_request_set(request, plane->id, &properties[PLANE_CRTC_W], (uint64_t)dst->width);
	drm_request_set(request, plane->id, &properties[PLANE_CRTC_H], (uint64_t)dst->height);
}

static struct color_coding coding_of(const struct plane_state *state)
{
	return color_coding_resolve(state->coding, state->buffer->width, state->buffer->height);
}

static bool is_yuv(const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return format && format->yuv;
}

/*
 * Returns false for a YUV buffer on a plane without a property for its encoding or range: the
 * driver would then choose.
 */
static bool knows_coding(const struct drm_plane *plane, const struct plane_state *state)
{
	struct color_coding coding = coding_of(state);
	return !is_yuv(state->buffer) ||
	       (plane->encodings[coding.matrix] >= 0 && plane->ranges[coding.range] >= 0);
}

/* Sets encoding and range for YUV. Another DRM master may have left different values. */
static void plane_coding(const struct drm_card *card, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state)
{
	struct color_coding coding = coding_of(state);
	int64_t encoding = plane->encodings[coding.matrix], range = plane->ranges[coding.range];
	if (is_yuv(state->buffer)) {
		drm_request_set(request, plane->id, &plane->properties[PLANE_COLOR_ENCODING],
			(uint64_t)encoding);
		drm_request_set(
			request, plane->id, &plane->properties[PLANE_COLOR_RANGE], (uint64_t)range);
	} else if (drm_card_has_quirk(card, DRM_QUIRK_RGB_RANGE) &&
		   plane->ranges[COLOR_RANGE_FULL] >= 0) {
		drm_request_set(request, plane->id, &plane->properties[PLANE_COLOR_RANGE],
			(uint64_t)plane->ranges[COLOR_RANGE_FULL]);
	}
}

static bool is_whole(double value)
{
	return (llround(value * 65536) & 0xffff) == 0;
}

/*
 * Rejects boxes with fractions of pixels: the kernel lets drivers round them (drm_plane.h on
 * SRC_X), and nvidia-drm truncates them (plane_req_config_update()), so that the content would
 * shift when it moves to or from a plane.
 */
static bool has_whole_source(const struct plane_state *state)
{
	const struct fbox *src = &state->src;
	return src->x >= 0 && src->y >= 0 && is_whole(src->x) && is_whole(src->y) &&
	       is_whole(src->width) && is_whole(src->height);
}

/* Checks the state against the plane's properties: transforms and alpha need one. */
static bool possible(const struct drm_plane *plane, const struct plane_state *state)
{
	uint32_t rotation = rotation_of(state->transform);
	return (plane->rotations & rotation) == rotation &&
	       (state->alpha >= 1 || plane->properties[PLANE_ALPHA].id) &&
	       has_whole_source(state) && knows_coding(plane, state);
}

/* Returns a blob of the buffer's damage, for devices that copy frames; 0: the whole buffer. */
static uint32_t make_damage(
	const struct drm_plane *plane, const struct plane_state *state, struct drm_card *card)
{
	bool direct = state->src.x == 0 && state->src.y == 0 && state->dst.x == 0 &&
		      state->dst.y == 0 && state->src.width == state->dst.width &&
		      state->src.height == state->dst.height &&
		      state->transform == WL_OUTPUT_TRANSFORM_NORMAL;
	uint32_t blob = 0;
	int n;
	if (!state->damage || !direct || !plane->properties[PLANE_FB_DAMAGE_CLIPS].id) {
		return 0;
	}
	/* struct drm_mode_rect has the layout of pixman_box32_t. */
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)state->damage, &n);
	_Static_assert(
		sizeof(*boxes) == sizeof(struct drm_mode_rect), "both are four 32-bit edges");
	/* No list means full damage, and an empty list is refused: use a single pixel. */
	const pixman_box32_t least = {0, 0, 1, 1};
	boxes = n > 0 ? boxes : &least;
	n = n > 0 ? n : 1;
	drmModeCreatePropertyBlob(card->fd, boxes, (size_t)n * sizeof(*boxes), &blob);
	return blob;
}

void drm_commit_add_fence(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state)
{
	if (state->acquire_fence >= 0 && drm_plane_takes_fence(commit->output->card, plane)) {
		drm_request_set(request, plane->id, &plane->properties[PLANE_IN_FENCE_FD],
			(uint64_t)state->acquire_fence);
	}
}

static bool plane_on(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state, uint32_t damage)
{
	const struct drm_property *properties = plane->properties;
	uint32_t framebuffer =
		drm_framebuffer_get(commit->output->card, state->buffer, state->opaque);
	if (!framebuffer || !possible(plane, state)) {
		return false;
	}
	drm_request_set(request, plane->id, &properties[PLANE_FB_ID], framebuffer);
	drm_request_set(request, plane->id, &properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &state->src, &state->dst);
	drm_request_set(
		request, plane->id, &properties[PLANE_ROTATION], rotation_of(state->transform));
	drm_request_set(request, plane->id, &properties[PLANE_ALPHA],
		(uint64_t)lrintf(state->alpha * 0xffff));
	if (plane->zpos_mutable) {
		drm_request_set(request, plane->id, &properties[PLANE_ZPOS], (uint64_t)state->zpos);
	}
	drm_request_set(request, plane->id, &properties[PLANE_BLEND_MODE],
		properties[PLANE_BLEND_MODE].value);
	plane_coding(commit->output->card, request, plane, state);
	drm_request_set(
		request, plane->id, &properties[PLANE_HOTSPOT_X], (uint64_t)state->hotspot_x);
	drm_request_set(
		request, plane->id, &properties[PLANE_HOTSPOT_Y], (uint64_t)state->hotspot_y);
	drm_request_set(request, plane->id, &properties[PLANE_FB_DAMAGE_CLIPS], damage);
	drm_commit_add_fence(commit, request, plane, state);
	return true;
}

/*
 * Shows black until the first frame: some devices refuse an enabled CRTC without a primary plane.
 */
static void plane_blank(
	const struct drm_commit *commit, drmModeAtomicReq *request, const struct drm_plane *plane)
{
	const struct drm_blank *blank =
		commit->blank.framebuffer ? &commit->blank : &commit->output->blank;
	struct fbox src = {0, 0, blank->width, blank->height};
	struct box dst = {0, 0, blank->width, blank->height};
	drm_request_set(request, plane->id, &plane->properties[PLANE_FB_ID], blank->framebuffer);
	drm_request_set(
		request, plane->id, &plane->properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &src, &dst);
	drm_request_set(request, plane->id, &plane->properties[PLANE_ROTATION], DRM_MODE_ROTATE_0);
	drm_request_set(request, plane->id, &plane->properties[PLANE_ALPHA], 0xffff);
}

bool drm_commit_add_planes(
	const struct drm_commit *commit, drmModeAtomicReq *request, uint32_t *damages)
{
	struct output *base = &commit->output->base;
	bool wanted = commit->state->fields & OUTPUT_PLANES;
	for (int i = 0; i < base->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(base->planes[i]);
		const struct plane_state *state =
			drm_commit_find_plane(commit->state, &plane->base);
		if (commit->modeset) {
			drm_request_add_resets(request, plane->id, &plane->resets);
		}
		if (commit->enabled && state) {
			uint32_t damage = commit->modeset || !damages
						  ? 0
						  : make_damage(plane, state, commit->output->card);
			if (damages) {
				damages[i] = damage;
			}
			if (!plane_on(commit, request, plane, state, damage)) {
				return false;
			}
		} else if (commit->enabled && commit->modeset &&
			   plane->base.type == PLANE_PRIMARY) {
			plane_blank(commit, request, plane);
		} else if (commit->modeset ||
			   (wanted && (plane->set.buffer || plane->base.type == PLANE_PRIMARY))) {
			/*
			 * Planes that are already off stay out of the request: the kernel finishes
			 * such a plane a little later than the flip event, and would refuse the
			 * next flip.
			 */
			plane_off(request, plane);
		}
	}
	return true;
}

bool drm_commit_names_fence(const struct drm_commit *commit)
{
	for (int i = 0; i < commit->output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(commit->output->base.planes[i]);
		const struct plane_state *state =
			drm_commit_find_plane(commit->state, &plane->base);
		if (state && state->acquire_fence >= 0 &&
			drm_plane_takes_fence(commit->output->card, plane)) {
			return true;
		}
	}
	return false;
}

static bool same_look(const struct plane_state *a, const struct plane_state *b)
{
	return fbox_equal(&a->src, &b->src) && box_equal(&a->dst, &b->dst) &&
	       a->transform == b->transform && a->alpha == b->alpha && a->zpos == b->zpos &&
	       color_coding_equal(a->coding, b->coding);
}

bool drm_commit_changes_buffer_only(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	bool only = !commit->modeset && !((commit->state->fields | output->stale) & DRM_WITH_FRAME);
	for (int i = 0; only && i < output->base.n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(output->base.planes[i]);
		const struct plane_state *state =
			drm_commit_find_plane(commit->state, &plane->base);
		bool primary = plane->base.type == PLANE_PRIMARY;
		const struct buffer *buffer = state ? state->buffer : NULL;
		only = primary ? state && plane->set.buffer && same_look(state, &plane->set) &&
					 !is_yuv(buffer) /* needs its encoding, too */
			       : buffer == plane->set.buffer &&
					 (!state || same_look(state, &plane->set));
	}
	return only;
}
