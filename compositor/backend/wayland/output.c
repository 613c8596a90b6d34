/* SPDX-License-Identifier: MIT */
/*
 * Outputs as windows of the host. The host reports presentation and requests the next frame; a
 * hidden window gets no frame events, and nothing is drawn.
 */

#include "util/event_source.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "wayland.h"
#include <assert.h>
#include <stdlib.h>

#define SIDE_MAX 32768
/** Timeout for presentation feedback after the frame event, ns. */
#define FEEDBACK_PATIENCE INT64_C(1000000000)
/** Time that a frame of the old size may delay one of the new size, ns. */
#define RESIZE_PATIENCE INT64_C(50000000)

static const struct output_impl output_impl;

static struct wayland_output *wayland_output_from_base(struct output *output)
{
	assert(output->impl == &output_impl);
	return wl_container_of(output, (struct wayland_output *)NULL, base);
}

bool output_is_wayland(const struct output *output)
{
	return output->impl == &output_impl;
}

static void stop_waiting(struct wayland_output *output)
{
	event_source_remove(&output->pending.fence);
	fd_close(&output->pending.fence_fd);
	if (output->pending.callback) {
		wl_callback_destroy(output->pending.callback);
		output->pending.callback = NULL;
	}
	if (output->pending.feedback) {
		wp_presentation_feedback_destroy(output->pending.feedback);
		output->pending.feedback = NULL;
	}
	timer_disarm(&output->timer);
}

/** Ends the frame in flight; pending.present has the result. */
static void end_frame(struct wayland_output *output)
{
	struct output_present present = output->pending.present;
	present.commit = output->pending.commit;
	stop_waiting(output);
	buffer_replace(&output->pending.buffer, NULL);
	output->pending.commit = 0;
	signal_emit(&output->base.events.present, &present);
}

static void drop(struct wayland_output *output)
{
	output->pending.present = (struct output_present){
		.when = clock_now(output->backend->clock),
	};
	end_frame(output);
}

/** Drops the frame and requests another: the host still shows an older one. */
static void drop_and_request(struct wayland_output *output)
{
	drop(output);
	signal_emit(&output->base.events.needs_frame, NULL);
}

/** Drops the frame in a later iteration of the event loop, where `present` may not be emitted. */
static void drop_soon(struct wayland_output *output)
{
	stop_waiting(output);
	output->pending.dropped = true;
	timer_arm(&output->timer, clock_now(output->backend->clock));
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct wayland_output *output = wl_container_of(timer, output, timer);
	if (output->pending.owed) {
		drop_and_request(output);
	} else if (output->pending.dropped || output->pending.callback) {
		drop(output);
	} else {
		log_debug(LOG_BACKEND, "%s: the host does not send presentation feedback",
			output->base.name);
		end_frame(output);
	}
}

/** Completes the frame after its frame event and its presentation feedback. */
static void end_if_complete(struct wayland_output *output)
{
	if (!output->pending.callback && !output->pending.feedback) {
		end_frame(output);
	} else if (!output->pending.callback) {
		timer_arm(&output->timer, clock_now(output->backend->clock) + FEEDBACK_PATIENCE);
	}
}

static void handle_frame_done(void *data, struct wl_callback *callback, uint32_t time)
{
	struct wayland_output *output = data;
	wl_callback_destroy(callback);
	output->pending.callback = NULL;
	if (output->pending.feedback || !output->backend->presentation) {
		output->pending.present.presented = true;
		output->pending.present.when = clock_now(output->backend->clock);
	}
	end_if_complete(output);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame_done};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *proxy)
{
}

/** Converts from the host's presentation clock, which may be another one. */
static int64_t to_monotonic(const struct wayland_backend *backend, int64_t when)
{
	struct timespec now;
	if (backend->presentation_clock == CLOCK_MONOTONIC) {
		return when;
	}
	int64_t ours = clock_now(backend->clock);
	if (clock_gettime(backend->presentation_clock, &now) != 0) {
		return ours;
	}
	return when + ours - (now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
}

static void end_feedback(struct wayland_output *output)
{
	wp_presentation_feedback_destroy(output->pending.feedback);
	output->pending.feedback = NULL;
}

static void handle_presented(void *data, struct wp_presentation_feedback *feedback, uint32_t sec_hi,
	uint32_t sec_lo, uint32_t nsec, uint32_t refresh, uint32_t seq_hi, uint32_t seq_lo,
	uint32_t flags)
{
	struct wayland_output *output = data;
	int64_t seconds = (int64_t)((uint64_t)sec_hi << 32 | sec_lo);
	end_feedback(output);
	output->pending.present = (struct output_present){
		.presented = true,
		.when = to_monotonic(output->backend, seconds * 1000000000 + nsec),
		.refresh = refresh,
		.sequence = (uint64_t)seq_hi << 32 | seq_lo,
		.flags = flags & (PRESENT_VSYNC | PRESENT_HW_CLOCK | PRESENT_HW_COMPLETION |
					 PRESENT_ZERO_COPY),
	};
	end_if_complete(output);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	struct wayland_output *output = data;
	end_feedback(output);
	output->pending.present = (struct output_present){
		.when = clock_now(output->backend->clock),
	};
	end_if_complete(output);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static void damage(struct wayland_output *output)
{
	struct wl_surface *surface = output->window.surface;
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(&output->pending.damage, &n);
	for (int i = 0; i < n; i++) {
		wl_surface_damage_buffer(surface, rects[i].x1, rects[i].y1,
			rects[i].x2 - rects[i].x1, rects[i].y2 - rects[i].y1);
	}
}

static void commit_surface(struct wayland_output *output, struct wayland_buffer *buffer)
{
	struct wl_surface *surface = output->window.surface;
	wayland_window_apply(output);
	wayland_buffer_attach(buffer);
	damage(output);
	output->pending.callback = wl_surface_frame(surface);
	wl_callback_add_listener(output->pending.callback, &frame_listener, output);
	struct wp_presentation *presentation = output->backend->presentation;
	if (presentation) {
		output->pending.feedback = wp_presentation_feedback(presentation, surface);
		wp_presentation_feedback_add_listener(
			output->pending.feedback, &feedback_listener, output);
	}
	wl_surface_commit(surface);
	output->pending.shown = true;
	wayland_flush(output->backend);
}

/** Returns false if the host cannot scale and the buffer has another size than the window. */
static bool fits(const struct wayland_output *output, const struct buffer *buffer)
{
	const struct wayland_window *window = &output->window;
	int32_t scale = (int32_t)(window->scale / SCALE_ONE);
	return window->viewport ||
	       (buffer->width == window->width * scale && buffer->height == window->height * scale);
}

/** Commits the frame if it is complete. Emits no `present`: drops are deferred. */
static void commit_if_ready(struct wayland_output *output)
{
	if (!output->pending.commit || output->pending.shown || output->pending.dropped ||
		output->pending.fence || !output->window.configured) {
		return;
	}
	struct wayland_buffer *buffer =
		output->pending.buffer ? wayland_buffer_get(output, output->pending.buffer) : NULL;
	if (buffer && buffer->params) {
		return;
	}
	if (!buffer || buffer->failed || !fits(output, output->pending.buffer)) {
		drop_soon(output);
		return;
	}
	commit_surface(output, buffer);
}

static int handle_fence(int fd, uint32_t mask, void *data)
{
	struct wayland_output *output = data;
	int status = fence_status(fd);
	if (status == 0 && !(mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP))) {
		return 0;
	}
	event_source_remove(&output->pending.fence);
	fd_close(&output->pending.fence_fd);
	if (status == 1) {
		commit_if_ready(output);
	} else {
		log_warn("%s: dropping a frame whose fence failed", output->base.name);
		drop_and_request(output);
	}
	return 0;
}

/* Removes a format and modifier that the host advertises and then refuses. */
static void remove_format(struct wayland_output *output, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	struct format_set kept = {0};
	const struct format_set *have = &output->primary.formats;
	for (size_t i = 0; i < have->n_formats; i++) {
		const struct format_modifiers *entry = &have->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			if (entry->format != dmabuf->format ||
				entry->modifiers[m] != dmabuf->modifier) {
				format_set_add(&kept, entry->format, entry->modifiers[m]);
			}
		}
	}
	char name[5];
	log_warn("%s: the host refuses a buffer of format %s, modifier 0x%llx, although it "
		 "advertises it",
		output->base.name, pixel_format_name(dmabuf->format, name),
		(unsigned long long)dmabuf->modifier);
	format_set_finish(&output->primary.formats);
	output->primary.formats = kept;
}

static void handle_imported(struct wayland_output *output, struct wayland_buffer *buffer)
{
	if (!output->pending.commit || output->pending.buffer != buffer->buffer) {
		return;
	}
	if (!buffer->failed) {
		commit_if_ready(output);
		return;
	}
	remove_format(output, buffer->buffer);
	drop_and_request(output);
}

static void set_preferred_scale(struct wayland_output *output)
{
	output->base.preferred_scale = output->scale * output->window.scale / SCALE_ONE;
}

static bool same_mode(const struct output_mode *a, const struct output_mode *b)
{
	return a->width == b->width && a->height == b->height && a->refresh == b->refresh;
}

static void announce(struct wayland_output *output)
{
	output->announced = true;
	set_preferred_scale(output);
	signal_emit(&output->backend->base.events.new_output, &output->base);
}

/** Shortens the wait after a resize: the host waits for its size, even if the window is hidden. */
static void limit_wait(struct wayland_output *output)
{
	if (output->pending.callback && !output->timer.armed) {
		timer_arm(&output->timer, clock_now(output->backend->clock) + RESIZE_PATIENCE);
	}
}

static void handle_configured(struct wayland_output *output)
{
	struct output_mode mode = wayland_window_mode(output);
	output->base.modes[0] = mode;
	if (!output->announced) {
		announce(output);
	} else if (output->base.enabled && !same_mode(&mode, &output->base.mode)) {
		struct output_state state;
		output_state_init(&state);
		state.fields = OUTPUT_MODE;
		state.mode = mode;
		signal_emit(&output->base.events.request_state, &state);
		limit_wait(output);
	}
	commit_if_ready(output);
	wayland_flush(output->backend);
}

static void handle_rescaled(struct wayland_output *output)
{
	if (!output->announced) {
		return;
	}
	set_preferred_scale(output);
	if (output->window.configured) {
		handle_configured(output);
	}
	signal_emit(&output->base.events.changed, NULL);
}

/** Returns true for a single buffer that covers the window, upright and opaque. */
static bool test_primary(struct wayland_output *output, const struct plane_state *plane,
	const struct output_mode *mode)
{
	struct buffer *buffer = plane->buffer;
	return buffer && plane->transform == WL_OUTPUT_TRANSFORM_NORMAL && plane->alpha >= 1 &&
	       plane->dst.x == 0 && plane->dst.y == 0 && plane->dst.width == mode->width &&
	       plane->dst.height == mode->height && plane->src.x == 0 && plane->src.y == 0 &&
	       plane->src.width == mode->width && plane->src.height == mode->height &&
	       buffer->width == mode->width && buffer->height == mode->height;
}

/** Checks everything but the import of the buffer, whose result arrives later. */
static bool possible(struct wayland_output *output, const struct output_state *state)
{
	const struct output_mode *mode =
		state->fields & OUTPUT_MODE ? &state->mode : &output->base.mode;
	if (output->backend->gone || mode->width > SIDE_MAX || mode->height > SIDE_MAX ||
		((state->fields & OUTPUT_ADAPTIVE_SYNC) && state->adaptive_sync) ||
		(state->fields & OUTPUT_TEARING)) {
		return false;
	}
	if (!(state->fields & OUTPUT_PLANES)) {
		return true;
	}
	return state->n_planes == 1 && test_primary(output, &state->planes[0].state, mode);
}

static bool test(struct output *base, const struct output_state *state)
{
	struct wayland_output *output = wayland_output_from_base(base);
	if (!possible(output, state)) {
		return false;
	}
	if (!(state->fields & OUTPUT_PLANES)) {
		return true;
	}
	/* If the import is pending, the test fails; a later one may succeed. */
	struct wayland_buffer *buffer = wayland_buffer_get(output, state->planes[0].state.buffer);
	wayland_flush(output->backend);
	return buffer && buffer->proxy;
}

static bool wait_for_fence(struct wayland_output *output, int fence)
{
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
	return true;
}

static void copy_damage(struct wayland_output *output, const struct plane_state *plane)
{
	pixman_region32_t *to = &output->pending.damage;
	if (plane->damage) {
		pixman_region32_copy(to, plane->damage);
	} else {
		pixman_region32_fini(to);
		pixman_region32_init_rect(
			to, 0, 0, (unsigned)plane->buffer->width, (unsigned)plane->buffer->height);
	}
}

/** Returns false if the host cannot import the buffer, or on failure to watch its fence. */
static bool start_frame(
	struct wayland_output *output, const struct output_state *state, uint32_t number)
{
	const struct plane_state *plane = &state->planes[0].state;
	struct wayland_buffer *buffer = wayland_buffer_get(output, plane->buffer);
	if (!buffer || buffer->failed) {
		return false;
	}
	int status = plane->acquire_fence >= 0 ? fence_status(plane->acquire_fence) : 1;
	if (status == 0 && !wait_for_fence(output, plane->acquire_fence)) {
		return false;
	}
	output->pending.commit = number;
	output->pending.shown = false;
	output->pending.dropped = false;
	output->pending.owed = false;
	output->pending.present = (struct output_present){0};
	buffer_replace(&output->pending.buffer, plane->buffer);
	copy_damage(output, plane);
	if (status < 0) {
		log_warn("%s: dropping a frame whose fence failed", output->base.name);
		output->pending.owed = true;
		drop_soon(output);
	}
	return true;
}

static bool commit(struct output *base, const struct output_state *state, uint32_t number)
{
	struct wayland_output *output = wayland_output_from_base(base);
	if (!possible(output, state) ||
		((state->fields & OUTPUT_PLANES) && output->pending.commit)) {
		return false;
	}
	if ((state->fields & OUTPUT_PLANES) && !start_frame(output, state, number)) {
		return false;
	}
	if ((state->fields & OUTPUT_MODE)) {
		wayland_window_follow(output, &state->mode);
	}
	bool enabled = state->fields & OUTPUT_ENABLED ? state->enabled : base->enabled;
	if (!enabled) {
		if (output->pending.commit) {
			drop_soon(output);
		}
		wayland_window_close(output);
	} else if (!output->window.surface) {
		wayland_window_open(output);
	}
	commit_if_ready(output);
	wayland_flush(output->backend);
	return true;
}

void wayland_output_destroy(struct wayland_output *output)
{
	if (output->pending.commit) {
		drop(output);
	}
	wayland_window_close(output);
	wl_list_remove(&output->link);
	output_finish(&output->base);
	struct wayland_buffer *buffer, *next;
	wl_list_for_each_safe (buffer, next, &output->buffers, link) {
		wayland_buffer_destroy(buffer);
	}
	timer_finish(&output->timer);
	pixman_region32_fini(&output->pending.damage);
	format_set_finish(&output->primary.formats);
	wayland_flush(output->backend);
	free(output);
}

static void destroy(struct output *base)
{
	wayland_output_destroy(wayland_output_from_base(base));
}

static const struct wayland_output_impl window_impl = {
	.configured = handle_configured,
	.rescaled = handle_rescaled,
	.closed = wayland_output_destroy,
	.imported = handle_imported,
};

static const struct output_impl output_impl = {
	.destroy = destroy,
	.test = test,
	.commit = commit,
};

static void init_plane(struct wayland_output *output)
{
	const struct wayland_backend *backend = output->backend;
	output->primary = (struct plane){.type = PLANE_PRIMARY};
	format_set_copy(&output->primary.formats,
		backend->gpu ? &backend->dmabuf_formats : &backend->shm_formats);
	output->base.planes[0] = &output->primary;
	output->base.n_planes = 1;
}

void wayland_add_output(struct backend *base, int32_t width, int32_t height, int32_t refresh,
	double scale, bool fit)
{
	struct wayland_backend *backend =
		wl_container_of(base, (struct wayland_backend *)NULL, base);
	struct wayland_output *output = xcalloc(1, sizeof(*output));
	char *name = xasprintf("WL-%d", ++backend->n_named);
	output_init(&output->base, &output_impl, name);
	free(name);
	output->impl = &window_impl;
	output->backend = backend;
	output->scale = scale;
	output->fit = fit;
	output->refresh = refresh;
	output->pending.fence_fd = -1;
	output->base.gpu = backend->gpu;
	output->base.make = xstrdup("Causeway");
	output->base.model = xstrdup("Window");
	output->base.description = xasprintf("Window %d on the host compositor", backend->n_named);
	output->base.custom_modes = true;
	output->base.host_paced = true;
	output->base.modes = xcalloc(1, sizeof(output->base.modes[0]));
	output->base.modes[0] = (struct output_mode){
		.width = width, .height = height, .refresh = refresh, .preferred = true};
	output->base.n_modes = 1;
	init_plane(output);
	wl_list_init(&output->buffers);
	pixman_region32_init(&output->pending.damage);
	timer_init(&output->timer, backend->clock, handle_timer);
	wl_list_insert(backend->outputs.prev, &output->link);
}
