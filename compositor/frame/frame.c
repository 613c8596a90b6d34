/* The frame loop of an output: its redraw states, from damage to light. */

#include "frame/frame.h"
#include "frame/compose.h"
#include "frame/content.h"
#include "frame/internal.h"
#include "frame/present.h"
#include "util/fd.h"
#include "util/region.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

static void destroy_addon(struct addon *addon)
{
	addon_finish(addon);
}

static const struct addon_impl addon_impl = {.name = "frame_output", .destroy = destroy_addon};

struct frame_output *frame_output_find(const struct scene_output *scene_output)
{
	struct addon *addon = addon_find(&scene_output->output->addons, scene_output, &addon_impl);
	struct frame_output *frame;
	return addon ? wl_container_of(addon, frame, addon) : NULL;
}

void frame_device_init(struct frame_device *device, struct gpu *gpu, struct renderer *renderer,
	struct allocator *allocator)
{
	*device = (struct frame_device){.gpu = gpu, .renderer = renderer, .allocator = allocator};
	wl_list_init(&device->contents);
	wl_list_init(&device->images);
	wl_list_init(&device->peers);
}

void frame_device_join(struct frame_device *device, struct frame_device *first)
{
	wl_list_insert(&first->peers, &device->peers);
}

void frame_device_finish(struct frame_device *device)
{
	content_drop_all(device);
	wl_list_remove(&device->peers);
	wl_list_init(&device->peers);
}

/* Of an output that does not say, as most have it. */
static int64_t period(const struct frame_output *frame)
{
	return frame->refresh ? frame->refresh : 16666667;
}

static int64_t start_time(const struct frame_output *frame)
{
	int64_t now = clock_now(frame->clock);
	return frame->output->host_paced
		       ? now
		       : frame_start_time(&frame->budget, now, frame->last_present, frame->refresh);
}

void frame_output_schedule(struct frame_output *frame)
{
	if (frame->frozen || !frame->output->enabled || frame->output->asleep) {
		return;
	}
	switch (frame->state) {
	case FRAME_QUEUED: return;
	case FRAME_FLIPPING: frame->again = true; return;
	case FRAME_IDLE:
	case FRAME_ESTIMATED:
		frame->state = FRAME_QUEUED;
		timer_arm(&frame->timer, start_time(frame));
		return;
	}
}

/* Who follows what changes must hear of frames that were scanned out, too. */
static void tell_drawn(struct frame_output *frame, const struct output_state *state)
{
	struct frame_drawn drawn = {.frame = frame, .damage = &frame->scene_output->damage};
	for (int i = 0; i < state->n_planes; i++) {
		if (state->planes[i].plane->type == PLANE_PRIMARY) {
			drawn.buffer = state->planes[i].state.buffer;
		}
	}
	signal_emit(&frame->events.drawn, &drawn);
}

bool frame_output_submit(struct frame_output *frame, const struct output_state *state)
{
	frame->commit = output_commit(frame->output, state);
	if (frame->commit == 0) {
		frame->stats.missed++;
		return false;
	}
	struct scene_output *scene_output = frame->scene_output;
	frame->stats.frames++;
	frame->stats.pixels_damaged += (uint64_t)region_area(&scene_output->damage);
	tell_drawn(frame, state);
	frame_target_push(frame);
	pixman_region32_clear(&scene_output->damage);
	frame->state = FRAME_FLIPPING;
	return true;
}

/* By what is on the output, not by who waits for it: a client that draws once asks for nothing. */
static void count_shown(struct frame_output *frame)
{
	const struct scene_output *scene_output = frame->scene_output;
	for (int i = 0; i < scene_output->n_entries; i++) {
		struct scene_node *node = scene_output->entries[i].node;
		if (!node || node->type != SCENE_SURFACE) {
			continue;
		}
		struct scene_surface *content = scene_surface_from_node(node);
		if (content->unshown && content->primary_output == scene_output->index) {
			content->unshown = false;
			content->surface->n_shown++;
		}
	}
}

/* Draws into the next buffer and commits it; false: nothing was shown, the damage is still due. */
static bool compose(struct frame_output *frame)
{
	struct scene_output *scene_output = frame->scene_output;
	if (!frame_target_ensure(frame)) {
		return false;
	}
	int age;
	struct buffer *buffer = swapchain_acquire(frame->swapchain, &age);
	if (!buffer) {
		frame->stats.missed++;
		return false;
	}

	pixman_region32_t damage;
	pixman_region32_init(&damage);
	frame_target_damage(frame, age, &damage);
	struct compose_list list = {
		.entries = scene_output->entries,
		.n_entries = scene_output->n_entries,
		.uncovered = &scene_output->uncovered,
		.background = scene_output->scene->background,
	};
	int fence = -1;
	bool done = compose_draw(frame->device, &list, buffer, &damage, &fence);
	pixman_region32_fini(&damage);

	if (done) {
		struct output_state state;
		output_state_init(&state);
		struct plane_state *plane =
			output_state_add_plane(&state, output_primary_plane(frame->output));
		plane->buffer = buffer;
		plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
		plane->dst = (struct box){0, 0, buffer->width, buffer->height};
		plane->damage = &scene_output->damage;
		plane->acquire_fence = fence;
		done = frame_output_submit(frame, &state);
		if (done) {
			swapchain_submitted(frame->swapchain, buffer);
			frame->scanned = NULL;
		}
	}
	fd_close(&fence);
	buffer_unlock(buffer);
	return done;
}

/* Callbacks are due but nothing changed: they go at the next vblank, without a frame. */
static void wait_or_rest(struct frame_output *frame)
{
	if (!present_is_waited_for(frame)) {
		frame->state = FRAME_IDLE;
		return;
	}
	frame->state = FRAME_ESTIMATED;
	timer_arm(&frame->timer,
		frame_next_vblank(clock_now(frame->clock), frame->last_present, period(frame)));
}

/* Whoever heard of the update may have changed the scene again, before this frame was under way. */
static void schedule_rest(struct frame_output *frame)
{
	if (frame->scene_output->dirty) {
		frame_output_schedule(frame);
	}
}

static void start(struct frame_output *frame)
{
	struct scene_output *scene_output = frame->scene_output;
	int64_t began = clock_now(frame->clock);

	scene_update(scene_output->scene);
	if (!pixman_region32_not_empty(&scene_output->damage)) {
		wait_or_rest(frame);
		schedule_rest(frame);
		return;
	}
	if (frame_scan_out(frame) || compose(frame)) {
		count_shown(frame);
		present_take(frame);
		frame_budget_add(&frame->budget, clock_now(frame->clock) - began);
		schedule_rest(frame);
		return;
	}
	if (frame->state == FRAME_QUEUED) {
		/* No buffer is free, or the device refused: the damage is kept, try a period later. */
		timer_arm(&frame->timer, clock_now(frame->clock) + period(frame));
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct frame_output *frame = wl_container_of(timer, frame, timer);
	switch (frame->state) {
	case FRAME_QUEUED:
		if (frame->output->asleep || !frame->output->enabled) {
			frame->state = FRAME_IDLE;
		} else {
			start(frame);
		}
		break;
	case FRAME_ESTIMATED:
		frame->state = FRAME_IDLE;
		frame->last_present = timer->when;
		present_callbacks(frame, timer->when);
		break;
	case FRAME_IDLE:
	case FRAME_FLIPPING: break;
	}
}

static void handle_present(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, present);
	const struct output_present *present = data;
	if (frame->state != FRAME_FLIPPING || present->commit != frame->commit) {
		return;
	}
	frame->state = FRAME_IDLE;
	if (present->presented) {
		frame->stats.presented++;
		frame->last_present = present->when;
		if (present->refresh) {
			frame->refresh = present->refresh;
		}
	}
	present_done(frame, present);
	signal_emit(&frame->events.presented, (void *)present);
	if (frame->again) {
		frame->again = false;
		frame_output_schedule(frame);
	}
}

static void handle_needs_frame(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, needs_frame);
	frame_output_schedule(frame);
}

static void handle_output_needs_frame(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, output_needs_frame);
	frame_target_check(frame);
	scene_output_damage_all(frame->scene_output);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct frame_output *frame = wl_container_of(listener, frame, destroy);
	frame_output_destroy(frame);
}

struct frame_output *frame_output_create(
	struct scene_output *scene_output, struct frame_device *device, struct clock *clock)
{
	struct frame_output *frame = xcalloc(1, sizeof(*frame));
	struct output *output = scene_output->output;
	frame->scene_output = scene_output;
	frame->output = output;
	frame->device = device;
	frame->clock = clock;
	frame->frozen = !device->renderer;
	frame->refused = REASON_DISABLED;
	frame->refresh = output->mode.refresh ? 1000000000000 / output->mode.refresh : 0;
	for (int i = 0; i < FRAME_HISTORY; i++) {
		pixman_region32_init(&frame->history[i]);
	}
	wl_list_init(&frame->feedbacks);
	wl_list_init(&frame->callbacks);
	timer_init(&frame->timer, clock, handle_timer);
	addon_init(&frame->addon, &output->addons, scene_output, &addon_impl);
	wl_signal_init(&frame->events.presented);
	wl_signal_init(&frame->events.drawn);
	wl_signal_init(&frame->events.destroy);

	frame->needs_frame.notify = handle_needs_frame;
	wl_signal_add(&scene_output->events.needs_frame, &frame->needs_frame);
	frame->destroy.notify = handle_destroy;
	wl_signal_add(&scene_output->events.destroy, &frame->destroy);
	frame->present.notify = handle_present;
	wl_signal_add(&output->events.present, &frame->present);
	frame->output_needs_frame.notify = handle_output_needs_frame;
	wl_signal_add(&output->events.needs_frame, &frame->output_needs_frame);
	frame_output_schedule(frame);
	return frame;
}

void frame_output_destroy(struct frame_output *frame)
{
	if (!frame) {
		return;
	}
	signal_emit(&frame->events.destroy, frame);
	assert(wl_list_empty(&frame->events.destroy.listener_list));
	assert(wl_list_empty(&frame->events.drawn.listener_list));
	assert(wl_list_empty(&frame->events.presented.listener_list));
	present_discard(frame);
	timer_finish(&frame->timer);
	addon_finish(&frame->addon);
	wl_list_remove(&frame->needs_frame.link);
	wl_list_remove(&frame->destroy.link);
	wl_list_remove(&frame->present.link);
	wl_list_remove(&frame->output_needs_frame.link);
	swapchain_destroy(frame->swapchain);
	for (int i = 0; i < FRAME_HISTORY; i++) {
		pixman_region32_fini(&frame->history[i]);
	}
	free(frame);
}

/* Calls back for the frame loops of a device. */
static void for_each_output(
	struct scene *scene, struct frame_device *device, void (*each)(struct frame_output *frame))
{
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		struct frame_output *frame =
			scene->outputs[i] ? frame_output_find(scene->outputs[i]) : NULL;
		if (frame && frame->device == device) {
			each(frame);
		}
	}
}

static void freeze(struct frame_output *frame)
{
	frame->frozen = true;
	if (frame->state == FRAME_QUEUED || frame->state == FRAME_ESTIMATED) {
		timer_disarm(&frame->timer);
		frame->state = FRAME_IDLE;
	}
	/* Its allocator goes with the device; what is being shown stays locked by the backend. */
	swapchain_destroy(frame->swapchain);
	frame->swapchain = NULL;
	frame_target_forget(frame);
}

static void thaw(struct frame_output *frame)
{
	frame->frozen = false;
	scene_output_damage_all(frame->scene_output);
}

void frame_device_lost(struct scene *scene, struct frame_device *device)
{
	for_each_output(scene, device, freeze);
	content_drop_all(device);
}

void frame_device_restored(struct scene *scene, struct frame_device *device)
{
	for_each_output(scene, device, thaw);
}
