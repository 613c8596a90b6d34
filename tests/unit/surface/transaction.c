/* SPDX-License-Identifier: MIT */
/* Content updates: pending state, queued updates with blockers, current state. */

#include "harness/surface.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Replace the real functions to count allocations. */
void *__wrap_xcalloc(size_t n, size_t size);
void *__real_xcalloc(size_t n, size_t size);
void *__wrap_xrealloc(void *old, size_t n, size_t size);
void *__real_xrealloc(void *old, size_t n, size_t size);

static int n_allocations;

void *__wrap_xcalloc(size_t n, size_t size)
{
	n_allocations++;
	return __real_xcalloc(n, size);
}

void *__wrap_xrealloc(void *old, size_t n, size_t size)
{
	n_allocations++;
	return __real_xrealloc(old, n, size);
}

static void commit_applies_the_pending_state(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	attach(surface, scenario->a);
	assert_null(surface->current.buffer);
	assert_true(derive_and_commit(surface));
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_true(surface_has_content(surface));
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(surface->n_commits, 1);
	assert_int_equal(scenario->watch.n_applied, 1);
	assert_int_equal(scenario->watch.n_ready, 1);
	assert_int_equal(scenario->watch.fields, SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE);
	assert_region(&scenario->watch.damage, 0, 0, 10, 10);
	/* Fields and damage are valid only while the signal is emitted. */
	assert_int_equal(surface->current.fields, 0);
	assert_false(pixman_region32_not_empty(&surface->current.buffer_damage));
	assert_null(surface->pending.buffer);
	assert_int_equal(surface->pending.fields, 0);

	/* An empty commit is an update too. */
	assert_true(derive_and_commit(surface));
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_int_equal(scenario->watch.fields, 0);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->a->n_released, 0);

	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_int_equal(scenario->a->n_released, 1);
}

static void commits_do_not_allocate(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	for (int i = 0; i < 1000; i++) {
		if (i == 3) {
			n_allocations = 0;
		}
		attach(surface, i % 2 ? scenario->a : scenario->b);
		derive_and_commit(surface);
	}
	assert_int_equal(n_allocations, 0);
	assert_int_equal(scenario->watch.n_applied, 1000);
}

/* An update that unmaps the surface is invisible, and the next request may assign another role. */
static void unmapping_update_passes_barriers(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	surface_set_in_scene(surface, true);
	attach(surface, scenario->a);
	surface->pending.fields |= SURFACE_SET_BARRIER;
	derive_and_commit(surface);
	attach(surface, scenario->b);
	surface->pending.fields |= SURFACE_WAIT_BARRIER;
	derive_and_commit(surface);
	assert_int_equal(scenario->watch.n_applied, 1);
	attach(surface, NULL);
	derive_and_commit(surface);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_null(surface->current.buffer);
	assert_int_equal(surface->n_queued, 0);
	surface_set_in_scene(surface, false);
	wl_event_loop_dispatch(scenario->loop, 0);
}

static bool refuse(struct surface *surface)
{
	return false;
}

static void count_applied(struct surface *surface)
{
	(*(int *)surface->role_data)++;
}

static void role_is_permanent_and_may_refuse_commits(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	static const struct surface_role counting = {.name = "counting", .applied = count_applied};
	static const struct surface_role refusing = {.name = "refusing", .commit = refuse};
	int n = 0;
	assert_true(surface_set_role(surface, &counting, &n));
	assert_false(surface_set_role(surface, &counting, &n));
	assert_false(surface_set_role(surface, &refusing, &n));
	derive_and_commit(surface);
	assert_int_equal(n, 1);
	surface_clear_role_data(surface);
	derive_and_commit(surface);
	assert_int_equal(n, 1);
	assert_false(surface_set_role(surface, &refusing, &n));
	assert_true(surface_set_role(surface, &counting, &n));
	derive_and_commit(surface);
	assert_int_equal(n, 2);
	surface_clear_role_data(surface);

	struct surface *other = surface_create(scenario->loop, NULL);
	assert_true(surface_set_role(other, &refusing, &n));
	attach(other, scenario->a);
	assert_false(derive_and_commit(other));
	assert_null(other->current.buffer);
	assert_int_equal(other->n_commits, 0);
	surface_destroy(other);
}

static void blocker_delays_only_its_surface(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface *other = surface_create(scenario->loop, NULL);
	struct test_gate gate;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	gate_init(&gate, surface);

	attach(surface, scenario->b);
	derive_and_commit(surface);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->a->n_released, 0);
	assert_int_equal(surface->n_queued, 1);
	assert_int_equal(scenario->watch.n_ready, 1);

	attach(other, scenario->b);
	derive_and_commit(other);
	assert_ptr_equal(other->current.buffer, &scenario->b->base);

	/* Later updates without a blocker wait, too. */
	gate.closed = false;
	surface->pending.scale = 2;
	surface->pending.fields = SURFACE_SCALE;
	derive_and_commit(surface);
	assert_int_equal(surface->current.scale, 1);
	assert_int_equal(surface->n_queued, 2);

	gate_pass(&gate);
	assert_int_equal(surface->n_queued, 0);
	assert_int_equal(scenario->watch.n_applied, 3);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	assert_int_equal(surface->current.scale, 2);
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(scenario->a->n_released, 1);
	gate_finish(&gate);
	surface_destroy(other);
}

/* Updates apply in the order of commits, even if blockers are cleared in another order. */
static void updates_apply_in_order(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	gate_init(&gate, surface);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	attach(surface, scenario->b);
	derive_and_commit(surface);
	struct test_blocker *second = wl_container_of(gate.blockers.prev, second, link);
	blocker_clear(&second->base);
	assert_int_equal(scenario->watch.n_applied, 0);
	gate_pass(&gate);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_ptr_equal(surface->current.buffer, &scenario->b->base);
	gate_finish(&gate);
}

static void queue_is_bounded(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	struct test_gate gate;
	gate_init(&gate, surface);
	gate.fields = SURFACE_BUFFER;
	for (int i = 0; i < 100000; i++) {
		if (i == 1000) {
			n_allocations = 0;
		}
		attach(surface, i % 2 ? scenario->a : scenario->b);
		if (i < 5) {
			request_frame(surface, &counts);
		}
		derive_and_commit(surface);
		assert_true(surface->n_queued <= UPDATE_QUEUE_MAX);
		/* Blockers of replaced buffers are removed. */
		assert_true(gate.n_blockers <= UPDATE_QUEUE_MAX);
	}
	assert_int_equal(surface->n_queued, UPDATE_QUEUE_MAX);
	assert_int_equal(n_allocations, 99000); /* the blockers themselves */
	while (gate.n_blockers > 0) {
		gate_pass(&gate);
	}
	assert_int_equal(surface->n_queued, 0);
	assert_ptr_equal(surface->current.buffer, &scenario->a->base);
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX);
	/* Each callback is sent exactly once. */
	surface_send_frame_done(surface, 77);
	assert_int_equal(counts.done, 5);
	assert_int_equal(counts.last_ms, 77);
	assert_true(wl_list_empty(&surface->current.frame_callbacks));
	gate_finish(&gate);
}

/* Blockers that do not belong to a buffer (fifo, target times) move to the merged update. */
static void lasting_blockers_move_when_merged(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	gate_init(&gate, surface);
	for (int i = 0; i < UPDATE_QUEUE_MAX + 3; i++) {
		attach(surface, scenario->a);
		derive_and_commit(surface);
	}
	assert_int_equal(gate.n_blockers, UPDATE_QUEUE_MAX + 3);
	for (int i = 0; i < UPDATE_QUEUE_MAX + 2; i++) {
		assert_true(surface->n_queued > 0);
		gate_pass(&gate);
	}
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX - 1);
	gate_pass(&gate);
	assert_int_equal(scenario->watch.n_applied, UPDATE_QUEUE_MAX);
	gate_finish(&gate);
}

/*
 * An update without content applies at once, with all updates before it and despite their blockers.
 */
static void hiding_update_clears_the_queue(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	struct test_gate gate;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	gate_init(&gate, surface);
	for (int i = 0; i < 3; i++) {
		gate.fields = i == 1 ? SURFACE_BUFFER : 0;
		attach(surface, scenario->b);
		request_frame(surface, &counts);
		request_feedback(surface, &counts);
		derive_and_commit(surface);
	}
	gate.closed = false;
	assert_int_equal(surface->n_queued, 3);
	attach(surface, NULL);
	derive_and_commit(surface);
	assert_int_equal(surface->n_queued, 0);
	assert_int_equal(gate.n_blockers, 0);
	assert_int_equal(scenario->watch.n_applied, 2);
	assert_false(surface_has_content(surface));
	assert_false(surface_has_buffer(surface));
	assert_int_equal(scenario->a->n_released, 1);
	assert_int_equal(scenario->b->n_released, 1);
	assert_int_equal(counts.discarded, 3);
	surface_send_frame_done(surface, 1);
	assert_int_equal(counts.done, 3);
	gate_finish(&gate);
}

/* An update with a target time waits even if it removes the content. */
static void timed_update_waits_even_if_it_hides(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_gate gate;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	gate_init(&gate, surface);
	attach(surface, NULL);
	surface->pending.fields |= SURFACE_NOT_BEFORE;
	derive_and_commit(surface);
	/* Later updates are not merged into it. */
	gate.closed = false;
	derive_and_commit(surface);
	struct update *update = wl_container_of(surface->queue.next, update, link);
	update_absorb(update);
	assert_int_equal(surface->n_queued, 2);
	gate_pass(&gate);
	assert_int_equal(surface->n_queued, 0);
	assert_false(surface_has_content(surface));
	assert_int_equal(scenario->watch.n_applied, 3);
	gate_finish(&gate);
}

static void surface_is_destroyed_with_its_queue(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	struct test_gate gate;
	gate_init(&gate, surface);
	attach(surface, scenario->a);
	request_frame(surface, &counts);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	request_frame(surface, &counts);
	attach(surface, scenario->b);
	watch_finish(&scenario->watch);
	gate_finish(&gate);
	surface_destroy(surface);
	scenario->surface = NULL;
	assert_int_equal(gate.n_blockers, 0);
	assert_int_equal(counts.dropped, 2);
	assert_int_equal(counts.discarded, 1);
	assert_int_equal(scenario->a->base.n_locks, 0);
	assert_int_equal(scenario->b->base.n_locks, 0);
}

static void superseded_content_discards_its_feedback(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct test_counts counts = {0};
	attach(surface, scenario->a);
	request_feedback(surface, &counts);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 0);
	attach(surface, scenario->b);
	request_feedback(surface, &counts);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 2);
	assert_int_equal(counts.presented, 0);

	/* Feedback that a frame has taken is unaffected by later commits. */
	struct wl_list taken;
	wl_list_init(&taken);
	wl_list_insert_list(&taken, &surface->current.feedbacks);
	wl_list_init(&surface->current.feedbacks);
	derive_and_commit(surface);
	assert_int_equal(counts.discarded, 2);
	struct presentation_feedback *feedback = wl_container_of(taken.next, feedback, link);
	feedback->presented(feedback, NULL, NULL);
	assert_int_equal(counts.presented, 1);
}

static void early_release_keeps_the_content(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	attach(surface, scenario->a);
	derive_and_commit(surface);
	surface_release_buffer(surface);
	assert_int_equal(scenario->a->n_released, 1);
	assert_null(surface->current.buffer);
	assert_true(surface_has_content(surface));
	derive_and_commit(surface);
	assert_true(surface_has_content(surface));
	assert_int_equal(surface->current.width, 10);
	assert_int_equal(surface->current.buffer_width, 10);

	/* A NULL buffer removes the content although the buffer was released already. */
	attach(surface, NULL);
	derive_and_commit(surface);
	assert_false(surface_has_content(surface));
	assert_int_equal(scenario->a->n_released, 1);
}

/* Delays the update once, as starting a copy does. */
struct late {
	struct test_blocker blocker;
	struct test_gate gate;
	struct wl_listener ready;
	int n;
};

static void leave_blocker(struct blocker *blocker)
{
}

static void handle_ready_once(struct wl_listener *listener, void *data)
{
	static const struct blocker_impl impl = {.destroy = leave_blocker};
	struct late *late = wl_container_of(listener, late, ready);
	if (late->n++ == 0) {
		blocker_init(&late->blocker.base, &impl, data, SURFACE_BUFFER);
	}
}

static void ready_listener_may_block_the_update(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct late late = {.ready.notify = handle_ready_once};
	wl_signal_add(&surface->events.ready, &late.ready);
	attach(surface, scenario->a);
	derive_and_commit(surface);
	assert_int_equal(late.n, 1);
	assert_int_equal(scenario->watch.n_applied, 0);
	blocker_clear(&late.blocker.base);
	assert_int_equal(late.n, 2);
	assert_int_equal(scenario->watch.n_applied, 1);
	wl_list_remove(&late.ready.link);
}

static void opaque_and_input_regions_are_clipped(void **state)
{
	struct scenario *scenario = *state;
	struct surface *surface = scenario->surface;
	struct surface_state *pending = &surface->pending;
	pixman_region32_t region;
	pixman_region32_init(&region);
	surface_opaque_region(surface, &region);
	assert_false(pixman_region32_not_empty(&region));
	assert_false(surface_accepts_input(surface, (struct coord_surface){1, 1}));

	attach(surface, scenario->a);
	pixman_region32_union_rect(&pending->opaque, &pending->opaque, -5, 2, 100, 3);
	pending->fields |= SURFACE_OPAQUE;
	derive_and_commit(surface);
	surface_opaque_region(surface, &region);
	assert_region(&region, 0, 2, 10, 3);
	assert_true(surface_accepts_input(surface, (struct coord_surface){9.99, 0}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){10, 0}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){-0.01, 0}));

	pixman_region32_fini(&pending->input);
	pixman_region32_init_rect(&pending->input, 4, 4, 2, 2);
	pending->alpha = 0.5f;
	pending->fields |= SURFACE_INPUT | SURFACE_ALPHA;
	derive_and_commit(surface);
	surface_opaque_region(surface, &region);
	assert_false(pixman_region32_not_empty(&region));
	assert_true(surface_accepts_input(surface, (struct coord_surface){5.99, 4}));
	assert_false(surface_accepts_input(surface, (struct coord_surface){3.99, 4}));
	pixman_region32_fini(&region);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, scenario_set_up, scenario_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(commit_applies_the_pending_state),
		TEST(commits_do_not_allocate),
		TEST(unmapping_update_passes_barriers),
		TEST(role_is_permanent_and_may_refuse_commits),
		TEST(blocker_delays_only_its_surface),
		TEST(updates_apply_in_order),
		TEST(queue_is_bounded),
		TEST(lasting_blockers_move_when_merged),
		TEST(hiding_update_clears_the_queue),
		TEST(timed_update_waits_even_if_it_hides),
		TEST(surface_is_destroyed_with_its_queue),
		TEST(superseded_content_discards_its_feedback),
		TEST(early_release_keeps_the_content),
		TEST(ready_listener_may_block_the_update),
		TEST(opaque_and_input_regions_are_clipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
