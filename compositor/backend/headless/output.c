/* SPDX-License-Identifier: MIT */
/* Headless outputs: scan-out of buffers at virtual vblanks. */

#include "headless.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "vblank.h"
#include <assert.h>
#include <stdlib.h>

#define SIDE_MAX 32768

static const struct output_impl output_impl;

static struct headless_output *headless_output_from_base(struct output *output)
{
	assert(output->impl == &output_impl);
	return wl_container_of(output, (struct headless_output *)NULL, base);
}

static bool takes_format(const struct plane *plane, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	return format_set_has(
		&plane->formats, buffer->format, dmabuf ? dmabuf->modifier : DRM_FORMAT_MOD_LINEAR);
}

/** Accepts the states of a basic primary plane: full size, unscaled, untransformed, opaque. */
static bool test_primary(struct headless_output *output, const struct plane_state *plane,
	const struct output_mode *mode)
{
	if (!plane->buffer) {
		return true;
	}
	return takes_format(&output->primary, plane->buffer) &&
	       plane->transform == WL_OUTPUT_TRANSFORM_NORMAL && plane->alpha >= 1 &&
	       plane->dst.x == 0 && plane->dst.y == 0 && plane->dst.width == mode->width &&
	       plane->dst.height == mode->height && plane->src.x == 0 && plane->src.y == 0 &&
	       plane->src.width == mode->width && plane->src.height == mode->height &&
	       plane->buffer->width >= mode->width && plane->buffer->height >= mode->height;
}

static bool test(struct output *base, const struct output_state *state)
{
	struct headless_output *output = headless_output_from_base(base);
	const struct output_mode *mode = state->fields & OUTPUT_MODE ? &state->mode : &base->mode;
	if ((state->fields & OUTPUT_MODE) && (mode->width > SIDE_MAX || mode->height > SIDE_MAX ||
						     mode->refresh > HEADLESS_REFRESH_MAX)) {
		return false;
	}
	if (state->fields & OUTPUT_PLANES) {
		for (int i = 0; i < state->n_planes; i++) {
			if (!test_primary(output, &state->planes[i].state, mode)) {
				return false;
			}
		}
	}
	return true;
}

static void stop_waiting(struct headless_output *output)
{
	event_source_remove(&output->pending.fence);
	fd_close(&output->pending.fence_fd);
}

/** Schedules the frame in flight for the next vblank, after its fence has signalled. */
static void schedule_frame(struct headless_output *output)
{
	int64_t now = clock_now(output->backend->clock);
	output->pending.sequence = vblank_after(output->start, output->refresh, now);
	if (output->pending.tearing || output->pending.dropped) {
		timer_arm(&output->timer, now);
	} else if (output->variable) {
		int64_t earliest = vblank_time(output->shown, output->refresh, 1);
		timer_arm(&output->timer, earliest > now ? earliest : now);
	} else {
		timer_arm(&output->timer,
			vblank_time(output->start, output->refresh, output->pending.sequence));
	}
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct headless_output *output = data;
	int status = fence_status(fd);
	if (status == 0 && !(mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP))) {
		return 0;
	}
	if (status != 1) {
		log_warn("%s: dropping a frame whose fence failed", output->base.name);
		output->pending.dropped = true;
	}
	stop_waiting(output);
	schedule_frame(output);
	return 0;
}

static void finish_frame(struct headless_output *output, bool presented, int64_t when)
{
	bool on_grid = !output->pending.tearing && !output->variable;
	struct output_present present = {
		.commit = output->pending.commit,
		.presented = presented,
		.when = when,
		.refresh = output->variable ? 0 : (uint32_t)vblank_time(0, output->refresh, 1),
		.sequence = presented && on_grid ? output->pending.sequence : 0,
		.flags = presented && !output->pending.tearing ? PRESENT_VSYNC : 0,
	};
	if (presented) {
		output->shown = when;
		buffer_replace(&output->front, output->pending.buffer);
	}
	stop_waiting(output);
	buffer_replace(&output->pending.buffer, NULL);
	output->pending.commit = 0;
	signal_emit(&output->base.events.present, &present);
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct headless_output *output = wl_container_of(timer, output, timer);
	if (output->pending.dropped) {
		finish_frame(output, false, now);
		signal_emit(&output->base.events.needs_frame, NULL);
	} else if (output->pending.tearing || output->variable) {
		finish_frame(output, true, timer->when);
	} else {
		/*
		 * Report the vblank's time, not the timer's: a real screen would have been on time.
		 */
		finish_frame(output, true,
			vblank_time(output->start, output->refresh, output->pending.sequence));
	}
}

/** Returns false on failure to watch the fence. */
static bool start_frame(
	struct headless_output *output, const struct output_state *state, uint32_t number)
{
	const struct plane_state *plane = state->n_planes > 0 ? &state->planes[0].state : NULL;
	int fence = plane ? plane->acquire_fence : -1;
	if (fence >= 0 && fence_status(fence) == 0) {
		output->pending.fence_fd = fd_dup(fence);
		if (output->pending.fence_fd < 0) {
			log_warn("%s: out of file descriptors", output->base.name);
			output->pending.fence_fd = -1;
			return false;
		}
		output->pending.fence = wl_event_loop_add_fd(output->backend->loop,
			output->pending.fence_fd, WL_EVENT_READABLE, handle_fence, output);
		if (!output->pending.fence) {
			fd_close(&output->pending.fence_fd);
			return false;
		}
	}
	output->pending.dropped = fence >= 0 && fence_status(fence) < 0;
	output->pending.commit = number;
	output->pending.tearing = state->fields & OUTPUT_TEARING;
	buffer_replace(&output->pending.buffer, plane ? plane->buffer : NULL);
	return true;
}

static void restart_grid(struct headless_output *output, int32_t refresh)
{
	output->start = output->base.vblank = clock_now(output->backend->clock);
	output->refresh = refresh;
}

static bool commit(struct output *base, const struct output_state *state, uint32_t number)
{
	struct headless_output *output = headless_output_from_base(base);
	if (!test(base, state) || ((state->fields & OUTPUT_PLANES) && output->pending.commit)) {
		return false;
	}
	if ((state->fields & OUTPUT_PLANES) && !start_frame(output, state, number)) {
		return false;
	}
	if (state->fields & OUTPUT_ADAPTIVE_SYNC) {
		output->variable = state->adaptive_sync;
	}
	bool enabled = state->fields & OUTPUT_ENABLED ? state->enabled : base->enabled;
	if (state->fields & OUTPUT_MODE) {
		restart_grid(output, state->mode.refresh);
		buffer_replace(&output->front, NULL);
	} else if (enabled && !base->enabled) {
		restart_grid(output, base->mode.refresh);
	}
	if (!enabled) {
		buffer_replace(&output->front, NULL);
		output->pending.dropped = true;
		stop_waiting(output);
	}
	if (output->pending.commit && !output->pending.fence) {
		schedule_frame(output);
	}
	return true;
}

void headless_output_destroy(struct headless_output *output)
{
	timer_disarm(&output->timer);
	if (output->pending.commit) {
		finish_frame(output, false, clock_now(output->backend->clock));
	}
	buffer_replace(&output->front, NULL);
	wl_list_remove(&output->link);
	output_finish(&output->base);
	timer_finish(&output->timer);
	format_set_finish(&output->primary.formats);
	free(output);
}

static void destroy(struct output *base)
{
	headless_output_destroy(headless_output_from_base(base));
}

static const struct output_impl output_impl = {
	.destroy = destroy,
	.test = test,
	.commit = commit,
};

/** Sets the formats that both renderers draw to and screenshots can read. */
static void init_plane(struct headless_output *output)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888,
		DRM_FORMAT_ARGB8888,
		DRM_FORMAT_XBGR8888,
		DRM_FORMAT_ABGR8888,
	};
	output->primary = (struct plane){.type = PLANE_PRIMARY};
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		format_set_add(&output->primary.formats, formats[i], DRM_FORMAT_MOD_LINEAR);
		format_set_add(&output->primary.formats, formats[i], DRM_FORMAT_MOD_INVALID);
	}
	output->base.planes[0] = &output->primary;
	output->base.n_planes = 1;
}

struct output *headless_add_output(
	struct backend *base, int32_t width, int32_t height, int32_t refresh)
{
	struct headless_backend *backend =
		wl_container_of(base, (struct headless_backend *)NULL, base);
	struct headless_output *output = xcalloc(1, sizeof(*output));
	char *name = xasprintf("HEADLESS-%d", ++backend->n_named);
	output_init(&output->base, &output_impl, name);
	free(name);
	output->backend = backend;
	output->pending.fence_fd = -1;
	output->base.make = xstrdup("Causeway");
	output->base.model = xstrdup("Headless");
	output->base.description = xasprintf("Headless output %d", backend->n_named);
	output->base.custom_modes = true;
	output->base.modes = xcalloc(1, sizeof(output->base.modes[0]));
	output->base.modes[0] = (struct output_mode){
		.width = width, .height = height, .refresh = refresh, .preferred = true};
	output->base.n_modes = 1;
	init_plane(output);
	restart_grid(output, refresh);
	timer_init(&output->timer, backend->clock, handle_timer);
	wl_list_insert(backend->outputs.prev, &output->link);
	if (backend->started) {
		signal_emit(&base->events.new_output, &output->base);
	}
	return &output->base;
}

void headless_remove_output(struct output *output)
{
	output_destroy(output);
}

struct buffer *headless_output_front(struct output *output)
{
	return headless_output_from_base(output)->front;
}
