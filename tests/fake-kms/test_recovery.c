/* SPDX-License-Identifier: MIT */
/* Recovery of the DRM backend from commits that the card never completes. */

#include "backend/drm/drm.h"
#include "two_outputs.h"
#include "util/clock.h"
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void lose_flip(struct world *world, struct rig_output *output, uint32_t pixel)
{
	fake_card_set_flips(world->card, FAKE_FLIPS_LOST);
	assert_int_not_equal(rig_show(world->rig, output, pixel, -1), 0);
	fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
}

static bool show(struct world *world, struct rig_output *output, uint32_t pixel)
{
	int n = output->n_presents;
	bool done = rig_show(world->rig, output, pixel, -1) != 0;
	rig_dispatch(world->rig);
	return done && output->n_presents == n + 1 && output->present.presented;
}

/* The other output presents frames while the card makes the recovery wait. */
static void lost_flip_is_replaced_after_a_second(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_wait(world->card, 600);
	lose_flip(world, first, 3);
	assert_true(show(world, second, 4));
	uint64_t before = fake_card_counts(world->card).modesets;
	int needed = first->n_needed + 1, presents = first->n_presents;
	clock_advance(world->rig->clock, SECOND - 1000);
	assert_int_equal(first->n_presents, presents);
	clock_advance(world->rig->clock, 2000);
	assert_int_equal(first->n_presents, presents + 1);
	assert_false(first->present.presented);
	/* A frame is kept until the output is enabled again. */
	uint32_t number = rig_show(world->rig, first, 5, -1);
	assert_int_not_equal(number, 0);
	for (uint32_t i = 0; i < 5; i++) {
		assert_true(show(world, second, 10 + i));
	}
	assert_int_equal(first->n_presents, presents + 1);
	rig_wait(world->rig, &first->n_needed, needed);
	assert_int_equal(fake_card_counts(world->card).modesets, before + 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 5);
	assert_int_equal(second->n_needed, 0);
	/* No timer is left without pending commits. */
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* A card that has completed the flip, without an event, needs no blocking commit. */
static void lost_event_needs_no_blocking_commit(void **state)
{
	struct world *world = *state;
	lose_flip(world, world->first, 3);
	fake_card_forget_flips(world->card);
	clock_advance(world->rig->clock, SECOND);
	rig_dispatch(world->rig);
	assert_int_equal(blocking_commits(world), 0);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_true(show(world, world->first, 4));
}

/* A GPU under load delays the flip: the frame counts as lost only after its fence. */
static void flip_behind_a_fence_is_not_lost(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	int fence = fake_fence_create(), presents = first->n_presents;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
	for (int i = 0; i < 5; i++) {
		clock_advance(world->rig->clock, SECOND);
		rig_dispatch(world->rig);
	}
	assert_int_equal(first->n_presents, presents);
	fake_fence_signal(fence, 1);
	fake_card_vblank(world->card, 1000);
	rig_dispatch(world->rig);
	assert_int_equal(first->n_presents, presents + 1);
	assert_true(first->present.presented);
	close(fence);
}

/* A driver that loses each flip is not switched off and on each second. */
static void lost_flips_in_succession_are_replaced_less_often(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	static const int seconds[] = {1, 2, 4, 8, 12, 12};
	for (int i = 0; i < 6; i++) {
		int needed = first->n_needed, presents = first->n_presents;
		lose_flip(world, first, 3);
		clock_advance(world->rig->clock, seconds[i] * SECOND - 1000);
		assert_int_equal(first->n_presents, presents);
		clock_advance(world->rig->clock, 2000);
		assert_int_equal(first->n_presents, presents + 1);
		rig_wait(world->rig, &first->n_needed, needed + 1);
	}
	assert_true(show(world, first, 4));
	lose_flip(world, first, 3);
	clock_advance(world->rig->clock, SECOND);
	assert_false(first->present.presented);
}

static void output_unplugged_during_recovery(void **state)
{
	struct world *world = *state;
	fake_card_set_wait(world->card, 50);
	lose_flip(world, world->first, 3);
	clock_advance(world->rig->clock, SECOND);
	fake_card_plug(world->card, "DP-1", NULL);
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	usleep(100000);
	rig_dispatch(world->rig);
	assert_true(show(world, world->second, 4));
}

/* A modeset may train a link several times: its timeout is longer. */
static void stuck_modeset_is_replaced(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	clock_advance(world->rig->clock, 11 * SECOND);
	assert_int_equal(blocking_commits(world), 0);
	int needed = first->n_needed;
	clock_advance(world->rig->clock, SECOND);
	rig_wait(world->rig, &first->n_needed, needed + 1);
	assert_int_equal(blocking_commits(world), 1);
	finish_modesets(world, 1);
	assert_false(first->present.presented);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_true(show(world, first, 4));
	/* Commits without an event are covered too. */
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_dispatch(world->rig);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	clock_advance(world->rig->clock, 11 * SECOND);
	assert_int_equal(width_of(world, "DP-1"), 0);
	clock_advance(world->rig->clock, 2 * SECOND);
	assert_int_equal(width_of(world, "DP-1"), 2560);
	assert_int_equal(blocking_commits(world), 2);
}

/* The event of the frame that the watchdog dropped is in the pipe during the next modeset. */
static void late_flip_event_of_dropped_frame_is_ignored(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	int n = first->n_presents, needed = first->n_needed;
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	clock_advance(world->rig->clock, 2 * SECOND);
	assert_int_equal(first->n_presents, n + 1);
	assert_false(first->present.presented);
	uint32_t number = rig_show(world->rig, first, 4, -1);
	assert_int_not_equal(number, 0);
	fake_card_finish_modesets(world->card);
	clock_advance(world->rig->clock, SECOND / 50);
	rig_wait(world->rig, &first->n_needed, needed + 1);
	assert_int_equal(first->n_presents, n + 1);
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, n + 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 4);
}

/* The process was stopped, or a blocking call took long: the event is there, but not read. */
static void flip_that_a_stopped_loop_has_not_read_is_not_lost(void **state)
{
	struct world *world = *state;
	struct rig_output *first = world->first;
	uint64_t modesets = fake_card_counts(world->card).modesets;
	int presents = first->n_presents;
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	struct drm_output *output = drm_output_from_base(first->output);
	drm_recovery_handle_watchdog(&output->watchdog, output->watchdog.when + SECOND);
	assert_int_equal(first->n_presents, presents);
	rig_dispatch(world->rig);
	assert_int_equal(first->n_presents, presents + 1);
	assert_true(first->present.presented);
	assert_int_equal(fake_card_counts(world->card).modesets, modesets);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(lost_flip_is_replaced_after_a_second),
		TEST(lost_event_needs_no_blocking_commit),
		TEST(flip_behind_a_fence_is_not_lost),
		TEST(flip_that_a_stopped_loop_has_not_read_is_not_lost),
		TEST(lost_flips_in_succession_are_replaced_less_often),
		TEST(output_unplugged_during_recovery),
		TEST(stuck_modeset_is_replaced),
		TEST(late_flip_event_of_dropped_frame_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
