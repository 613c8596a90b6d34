/* SPDX-License-Identifier: MIT */
/* Surfaces for tests: counting buffers, callbacks, feedback and blockers. */

#include "harness/surface.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdlib.h>

static void destroy_buffer(struct buffer *base)
{
	struct test_buffer *buffer = wl_container_of(base, buffer, base);
	wl_list_remove(&buffer->release.link);
	if (buffer->destroyed) {
		*buffer->destroyed = true;
	}
	buffer_finish(base);
	free(buffer);
}

static const struct buffer_impl buffer_impl = {.destroy = destroy_buffer};

static void handle_release(struct wl_listener *listener, void *data)
{
	struct test_buffer *buffer = wl_container_of(listener, buffer, release);
	buffer->n_released++;
}

struct test_buffer *test_buffer_create(int32_t width, int32_t height)
{
	struct test_buffer *buffer = xcalloc(1, sizeof(*buffer));
	buffer_init(&buffer->base, &buffer_impl, width, height, DRM_FORMAT_ARGB8888);
	buffer->release.notify = handle_release;
	wl_signal_add(&buffer->base.events.release, &buffer->release);
	return buffer;
}

void attach(struct surface *surface, struct test_buffer *buffer)
{
	struct surface_state *pending = &surface->pending;
	buffer_replace(&pending->buffer, buffer ? &buffer->base : NULL);
	pending->fields |= SURFACE_BUFFER;
	if (buffer) {
		damage_buffer(surface, 0, 0, buffer->base.width, buffer->base.height);
	}
}

void damage_buffer(struct surface *surface, int x, int y, int width, int height)
{
	struct surface_state *pending = &surface->pending;
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, x, y,
		(unsigned)width, (unsigned)height);
	pending->fields |= SURFACE_BUFFER_DAMAGE;
}

void assert_region(const pixman_region32_t *region, int x, int y, int width, int height)
{
	pixman_region32_t expected;
	pixman_region32_init_rect(&expected, x, y, (unsigned)width, (unsigned)height);
	assert_true(pixman_region32_equal(&expected, region));
	pixman_region32_fini(&expected);
}

struct counted_callback {
	struct frame_callback base;
	struct test_counts *counts;
};

static void frame_done(struct frame_callback *base, uint32_t ms)
{
	struct counted_callback *callback = wl_container_of(base, callback, base);
	callback->counts->done++;
	callback->counts->last_ms = ms;
	free(callback);
}

static void frame_dropped(struct frame_callback *base)
{
	struct counted_callback *callback = wl_container_of(base, callback, base);
	callback->counts->dropped++;
	free(callback);
}

void request_frame(struct surface *surface, struct test_counts *counts)
{
	struct counted_callback *callback = xcalloc(1, sizeof(*callback));
	callback->base.done = frame_done;
	callback->base.drop = frame_dropped;
	callback->counts = counts;
	wl_list_insert(surface->pending.frame_callbacks.prev, &callback->base.link);
	surface->pending.fields |= SURFACE_FRAME;
}

struct counted_feedback {
	struct presentation_feedback base;
	struct test_counts *counts;
};

static void presented(struct presentation_feedback *base, struct output *output,
	const struct output_present *present)
{
	struct counted_feedback *feedback = wl_container_of(base, feedback, base);
	feedback->counts->presented++;
	free(feedback);
}

static void discarded(struct presentation_feedback *base)
{
	struct counted_feedback *feedback = wl_container_of(base, feedback, base);
	feedback->counts->discarded++;
	free(feedback);
}

void request_feedback(struct surface *surface, struct test_counts *counts)
{
	struct counted_feedback *feedback = xcalloc(1, sizeof(*feedback));
	feedback->base.presented = presented;
	feedback->base.discarded = discarded;
	feedback->counts = counts;
	wl_list_insert(surface->pending.feedbacks.prev, &feedback->base.link);
	surface->pending.fields |= SURFACE_FEEDBACK;
}

static void destroy_blocker(struct blocker *base)
{
	struct test_blocker *blocker = wl_container_of(base, blocker, base);
	wl_list_remove(&blocker->link);
	blocker->gate->n_blockers--;
	free(blocker);
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

static void handle_commit(struct wl_listener *listener, void *data)
{
	struct test_gate *gate = wl_container_of(listener, gate, commit);
	if (!gate->closed) {
		return;
	}
	struct test_blocker *blocker = xcalloc(1, sizeof(*blocker));
	blocker->gate = gate;
	wl_list_insert(gate->blockers.prev, &blocker->link);
	gate->n_blockers++;
	blocker_init(&blocker->base, &blocker_impl, data, gate->fields);
}

void gate_init(struct test_gate *gate, struct surface *surface)
{
	*gate = (struct test_gate){.closed = true};
	wl_list_init(&gate->blockers);
	gate->commit.notify = handle_commit;
	wl_signal_add(&surface->events.commit, &gate->commit);
}

void gate_finish(struct test_gate *gate)
{
	wl_list_remove(&gate->commit.link);
}

void gate_pass(struct test_gate *gate)
{
	assert_false(wl_list_empty(&gate->blockers));
	struct test_blocker *blocker = wl_container_of(gate->blockers.next, blocker, link);
	blocker_clear(&blocker->base);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct test_watch *watch = wl_container_of(listener, watch, applied);
	watch->n_applied++;
	watch->fields = watch->surface->current.fields;
	pixman_region32_copy(&watch->damage, &watch->surface->current.buffer_damage);
	if (watch->on_applied) {
		watch->on_applied(watch);
	}
}

static void handle_ready(struct wl_listener *listener, void *data)
{
	struct test_watch *watch = wl_container_of(listener, watch, ready);
	watch->n_ready++;
}

static void handle_map(struct wl_listener *listener, void *data)
{
	struct test_watch *watch = wl_container_of(listener, watch, map);
	watch->n_map++;
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct test_watch *watch = wl_container_of(listener, watch, unmap);
	watch->n_unmap++;
}

void watch_init(struct test_watch *watch, struct surface *surface)
{
	*watch = (struct test_watch){.surface = surface};
	pixman_region32_init(&watch->damage);
	watch->applied.notify = handle_applied;
	wl_signal_add(&surface->events.applied, &watch->applied);
	watch->ready.notify = handle_ready;
	wl_signal_add(&surface->events.ready, &watch->ready);
	watch->map.notify = handle_map;
	wl_signal_add(&surface->events.map, &watch->map);
	watch->unmap.notify = handle_unmap;
	wl_signal_add(&surface->events.unmap, &watch->unmap);
}

void watch_finish(struct test_watch *watch)
{
	wl_list_remove(&watch->applied.link);
	wl_list_remove(&watch->ready.link);
	wl_list_remove(&watch->map.link);
	wl_list_remove(&watch->unmap.link);
	pixman_region32_fini(&watch->damage);
}

int scenario_set_up(void **state)
{
	struct scenario *scenario = xcalloc(1, sizeof(*scenario));
	scenario->loop = wl_event_loop_create();
	scenario->clock = clock_create_test(1000);
	scenario->surface = surface_create(scenario->loop, NULL);
	scenario->surface->clock = scenario->clock;
	watch_init(&scenario->watch, scenario->surface);
	scenario->a = test_buffer_create(10, 10);
	scenario->b = test_buffer_create(20, 20);
	*state = scenario;
	return 0;
}

int scenario_tear_down(void **state)
{
	struct scenario *scenario = *state;
	if (scenario->surface) {
		watch_finish(&scenario->watch);
		surface_destroy(scenario->surface);
	}
	buffer_drop(&scenario->a->base);
	buffer_drop(&scenario->b->base);
	clock_destroy(scenario->clock);
	wl_event_loop_destroy(scenario->loop);
	free(scenario);
	return 0;
}
