/* Direct scan-out: what an output shows straight from its clients' buffers, and which road that is. */

#include "frame/assign.h"
#include "frame/internal.h"

static bool test_state(void *data, const struct output_state *state)
{
	struct frame_output *frame = data;
	return output_test(frame->output, state);
}

/* The one thing that shows, if it can be scanned out as it is. */
bool frame_scan_out(struct frame_output *frame)
{
	struct scene_output *scene_output = frame->scene_output;
	frame->refused = frame->scanout_enabled ? REASON_NOT_ALONE : REASON_DISABLED;
	if (!frame->scanout_enabled || scene_output->n_entries != 1 ||
		!scene_output->entries[0].node ||
		scene_output->entries[0].node->type != SCENE_SURFACE) {
		return false;
	}
	const struct scene_entry *entry = &scene_output->entries[0];
	struct surface *surface = scene_surface_from_node(entry->node)->surface;
	struct buffer *buffer = surface->current.buffer;
	if (!buffer) {
		/* It was uploaded, which is what happens to shared memory. */
		frame->refused = REASON_SYSTEM_MEMORY;
		return false;
	}
	pixman_region32_t whole;
	pixman_region32_init_rect(&whole, entry->dst.x, entry->dst.y, (unsigned)entry->dst.width,
		(unsigned)entry->dst.height);
	struct assign_candidate candidate = {
		.buffer = buffer,
		.system_memory = !buffer_dmabuf(buffer),
		.foreign = buffer->home && buffer->home != frame->output->gpu,
		.src = entry->src,
		.dst = entry->dst,
		.transform = entry->transform,
		.alpha = entry->alpha,
		.opaque = pixman_region32_equal(&whole, (pixman_region32_t *)&entry->opaque),
	};
	pixman_region32_fini(&whole);
	struct assign_request request = {
		.width = frame->output->mode.width,
		.height = frame->output->mode.height,
		.planes = (const struct plane *const *)frame->output->planes,
		.n_planes = frame->output->n_planes,
		.candidates = &candidate,
		.n_candidates = 1,
		.complete = true,
		.scanout_allowed = true,
		.test = test_state,
		.data = frame,
	};
	if (!assign_planes(&request)) {
		frame->refused = candidate.reason;
		return false;
	}
	if (!frame_output_submit(frame, &request.state)) {
		frame->refused = REASON_REFUSED;
		return false;
	}
	if (frame->swapchain) {
		swapchain_submitted(frame->swapchain, NULL);
	}
	frame->stats.scanouts++;
	frame->scanned = surface;
	return true;
}

bool frame_scans_out(const struct frame_output *frame, const struct surface *surface)
{
	return frame->scanned == surface;
}

struct route_choice frame_route(const struct scene_output *output, const struct surface *surface)
{
	const struct frame_output *frame = frame_output_find(output);
	const struct scene_surface *content = scene_surface_find(surface);
	struct buffer *buffer = surface->current.buffer;
	float color[4];
	struct route_facts facts = {
		.visible = content && content->node.entry_index[output->index] >= 0,
		.has_content = surface_has_content(surface),
		.color = buffer && buffer_color(buffer, color),
		.dmabuf = buffer && buffer_dmabuf(buffer),
		.foreign = buffer && buffer->home && buffer->home != output->output->gpu,
		.cpu_renderer = frame && frame->device->renderer && frame->device->renderer->cpu,
	};
	return route_finish(&facts, frame && frame_scans_out(frame, surface),
		frame ? frame->refused : REASON_DISABLED);
}
