/* The frame loop of an output: its redraw states, from damage to light. */

#include "frame/frame.h"
#include "frame/assign.h"
#include "frame/compose.h"
#include "frame/content.h"
#include "frame/present.h"
#include "util/fd.h"
#include "util/log.h"
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

/* Damage by age: a buffer that was shown n frames ago lacks the damage of n - 1 frames and this one. */
static void buffer_damage(struct frame_output *frame, int age, pixman_region32_t *out)
{
	if (age == 0 || age - 1 > frame->n_history) {
		pixman_region32_fini(out);
		pixman_region32_init_rect(out, 0, 0, (unsigned)frame->output->mode.width,
			(unsigned)frame->output->mode.height);
		return;
	}
	pixman_region32_copy(out, &frame->scene_output->damage);
	for (int i = 0; i < age - 1; i++) {
		pixman_region32_union(out, out, &frame->history[i]);
	}
}

static void push_history(struct frame_output *frame)
{
	pixman_region32_t last = frame->history[FRAME_HISTORY - 1];
	for (int i = FRAME_HISTORY - 1; i > 0; i--) {
		frame->history[i] = frame->history[i - 1];
	}
	frame->history[0] = last;
	pixman_region32_copy(&frame->history[0], &frame->scene_output->damage);
	if (frame->n_history < FRAME_HISTORY) {
		frame->n_history++;
	}
}

static void forget_history(struct frame_output *frame)
{
	frame->n_history = 0;
}

/* The format that both the plane and the renderer take, deepest common ground: 8 bits without alpha. */
static bool pick_format(struct frame_output *frame, struct format_modifiers *out)
{
	static const uint32_t formats[] = {
		DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888, DRM_FORMAT_XBGR8888};
	const struct plane *primary = output_primary_plane(frame->output);
	struct format_set common = {0};
	format_set_intersect(&common, &primary->formats, &frame->device->renderer->target_formats);
	bool found = false;
	for (size_t i = 0; !found && i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct format_modifiers *entry = format_set_get(&common, formats[i]);
		if (entry) {
			*out = (struct format_modifiers){.format = entry->format,
				.n_modifiers = entry->n_modifiers,
				.modifiers = xcalloc(entry->n_modifiers, sizeof(uint64_t))};
			for (size_t m = 0; m < entry->n_modifiers; m++) {
				out->modifiers[m] = entry->modifiers[m];
			}
			found = true;
		}
	}
	format_set_finish(&common);
	return found;
}

/* The output may have found out that it cannot show what the buffers are of. */
static void drop_stale_swapchain(struct frame_output *frame)
{
	const struct plane *primary = output_primary_plane(frame->output);
	const struct format_modifiers *format = frame->swapchain ? &frame->swapchain->format : NULL;
	for (size_t i = 0; format && i < format->n_modifiers; i++) {
		if (!format_set_has(&primary->formats, format->format, format->modifiers[i])) {
			swapchain_destroy(frame->swapchain);
			frame->swapchain = NULL;
			forget_history(frame);
			return;
		}
	}
}

/* Is what such buffers would be accepted? A card may list a layout and yet lack bandwidth for it. */
static bool is_accepted(struct frame_output *frame, struct swapchain *swapchain)
{
	int age;
	struct buffer *buffer = swapchain_acquire(swapchain, &age);
	if (!buffer) {
		return false;
	}
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane =
		output_state_add_plane(&state, output_primary_plane(frame->output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	bool accepted = output_test(frame->output, &state);
	buffer_unlock(buffer);
	return accepted;
}

/*
 * Layouts in the order in which they are tried: any that both sides know, then linear, then what the
 * driver takes by itself. False: there is no such step.
 */
static bool narrow(const struct format_modifiers *all, int step, struct format_modifiers *out)
{
	static const uint64_t narrower[] = {DRM_FORMAT_MOD_LINEAR, DRM_FORMAT_MOD_INVALID};
	*out = *all;
	if (step == 0) {
		return true;
	}
	for (size_t i = 0; all->n_modifiers > 1 && i < all->n_modifiers; i++) {
		if (all->modifiers[i] == narrower[step - 1]) {
			out->modifiers = &all->modifiers[i];
			out->n_modifiers = 1;
			return true;
		}
	}
	return false;
}

static struct swapchain *create_swapchain(
	struct frame_output *frame, const struct format_modifiers *all)
{
	const struct output_mode *mode = &frame->output->mode;
	for (int step = 0; step < 3; step++) {
		struct format_modifiers format;
		if (!narrow(all, step, &format)) {
			continue;
		}
		struct swapchain *swapchain = swapchain_create(
			frame->device->allocator, mode->width, mode->height, &format);
		if (swapchain && is_accepted(frame, swapchain)) {
			return swapchain;
		}
		swapchain_destroy(swapchain);
		log_debug(LOG_FRAME, "%s: buffers refused (step %d)", frame->output->name, step);
	}
	return NULL;
}

static bool ensure_swapchain(struct frame_output *frame)
{
	const struct output_mode *mode = &frame->output->mode;
	struct swapchain *swapchain = frame->swapchain;
	if (swapchain && swapchain->width == mode->width && swapchain->height == mode->height) {
		return true;
	}
	swapchain_destroy(swapchain);
	frame->swapchain = NULL;
	forget_history(frame);
	struct format_modifiers format;
	if (!pick_format(frame, &format)) {
		log_error("%s: no format that both output and renderer take", frame->output->name);
		return false;
	}
	frame->swapchain = create_swapchain(frame, &format);
	free(format.modifiers);
	return frame->swapchain != NULL;
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

static bool commit(struct frame_output *frame, const struct output_state *state)
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
	push_history(frame);
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
	if (!ensure_swapchain(frame)) {
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
	buffer_damage(frame, age, &damage);
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
		done = commit(frame, &state);
		if (done) {
			swapchain_submitted(frame->swapchain, buffer);
			frame->scanned = NULL;
		}
	}
	fd_close(&fence);
	buffer_unlock(buffer);
	return done;
}

static bool test_state(void *data, const struct output_state *state)
{
	struct frame_output *frame = data;
	return output_test(frame->output, state);
}

/* The one thing that shows, if it can be scanned out as it is. */
static bool scan_out(struct frame_output *frame)
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
	if (!commit(frame, &request.state)) {
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
	if (scan_out(frame) || compose(frame)) {
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
	drop_stale_swapchain(frame);
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
	forget_history(frame);
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
	return route_finish(&facts, frame && frame->scanned == surface,
		frame ? frame->refused : REASON_DISABLED);
}
