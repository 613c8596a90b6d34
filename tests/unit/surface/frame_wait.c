/* SPDX-License-Identifier: MIT */
/* Waits for frames: their end, their place behind the client's callbacks, and their removal. */

#include "harness/surface.h"

#include "surface/frame_wait.h"

struct waiter {
	struct frame_wait wait;
	struct test_counts *counts; /* of the client's callbacks */
	struct surface_state *next; /* to wait for again; NULL: none */
	int n_ended, n_done_before; /* callbacks of the client that came first */
};

static void handle_ended(struct frame_wait *wait)
{
	struct waiter *waiter = wl_container_of(wait, waiter, wait);
	assert_false(frame_wait_is_active(wait));
	waiter->n_ended++;
	waiter->n_done_before = waiter->counts->done;
	if (waiter->next) {
		frame_wait_begin(wait, waiter->next);
	}
}

struct rig {
	struct surface *surface;
	struct test_counts counts;
	struct waiter waiter;
};

static void rig_init(struct rig *rig)
{
	*rig = (struct rig){.surface = surface_create(NULL, NULL)};
	rig->waiter.counts = &rig->counts;
	frame_wait_init(&rig->waiter.wait, handle_ended);
}

static void rig_finish(struct rig *rig)
{
	frame_wait_finish(&rig->waiter.wait);
	surface_destroy(rig->surface);
}

static void wait_ends_after_the_callbacks_of_the_client(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	assert_false(frame_wait_is_active(&rig.waiter.wait));
	request_frame(rig.surface, &rig.counts);
	request_frame(rig.surface, &rig.counts);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	assert_true(frame_wait_is_active(&rig.waiter.wait));
	surface_commit(rig.surface);
	assert_int_equal(rig.waiter.n_ended, 0);
	surface_send_frame_done(rig.surface, 1);
	assert_int_equal(rig.waiter.n_ended, 1);
	assert_int_equal(rig.waiter.n_done_before, 2);
	assert_false(frame_wait_is_active(&rig.waiter.wait));
	surface_send_frame_done(rig.surface, 2);
	assert_int_equal(rig.waiter.n_ended, 1);
	rig_finish(&rig);
}

static void update_of_a_wait_has_frame_callbacks(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	assert_true(rig.surface->pending.fields & SURFACE_FRAME);
	surface_commit(rig.surface);
	assert_false(wl_list_empty(&rig.surface->current.frame_callbacks));
	rig_finish(&rig);
}

/* The later update may be presented later. */
static void active_wait_keeps_its_update(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	surface_commit(rig.surface);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	assert_true(wl_list_empty(&rig.surface->pending.frame_callbacks));
	assert_false(rig.surface->pending.fields & SURFACE_FRAME);
	surface_send_frame_done(rig.surface, 1);
	assert_int_equal(rig.waiter.n_ended, 1);
	rig_finish(&rig);
}

static void ended_wait_may_begin_again(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	rig.waiter.next = &rig.surface->pending;
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	for (int i = 1; i < 4; i++) {
		surface_commit(rig.surface);
		surface_send_frame_done(rig.surface, (uint32_t)i);
		assert_int_equal(rig.waiter.n_ended, i);
		assert_true(frame_wait_is_active(&rig.waiter.wait));
	}
	rig_finish(&rig);
}

static void wait_ends_without_a_call_with_its_surface(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	surface_commit(rig.surface);
	surface_destroy(rig.surface);
	assert_int_equal(rig.waiter.n_ended, 0);
	assert_false(frame_wait_is_active(&rig.waiter.wait));
	rig.surface = surface_create(NULL, NULL);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	surface_commit(rig.surface);
	surface_send_frame_done(rig.surface, 1);
	assert_int_equal(rig.waiter.n_ended, 1);
	rig_finish(&rig);
}

static void finished_wait_is_not_called(void **unused)
{
	struct rig rig;
	rig_init(&rig);
	request_frame(rig.surface, &rig.counts);
	frame_wait_begin(&rig.waiter.wait, &rig.surface->pending);
	request_frame(rig.surface, &rig.counts);
	surface_commit(rig.surface);
	frame_wait_finish(&rig.waiter.wait);
	assert_false(frame_wait_is_active(&rig.waiter.wait));
	surface_send_frame_done(rig.surface, 1);
	assert_int_equal(rig.waiter.n_ended, 0);
	assert_int_equal(rig.counts.done, 2);
	rig_finish(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wait_ends_after_the_callbacks_of_the_client),
		cmocka_unit_test(update_of_a_wait_has_frame_callbacks),
		cmocka_unit_test(active_wait_keeps_its_update),
		cmocka_unit_test(ended_wait_may_begin_again),
		cmocka_unit_test(wait_ends_without_a_call_with_its_surface),
		cmocka_unit_test(finished_wait_is_not_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
