/* SPDX-License-Identifier: MIT */
/* Modesets interrupted by hotplug and session switches. */

#include "two_outputs.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

/* The other screen uses the connector as soon as the card is done. */
static void screen_replaced_during_modeset_is_enabled_after_it(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_dispatch(world->rig);
	assert_null(world->first->output);
	assert_int_equal(world->first->n_presents, 2);
	assert_false(world->first->present.presented);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	/* Switching off the old mode comes first; the kernel sends no event for it. */
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	clock_advance(world->rig->clock, INT64_C(10000000));
	assert_int_equal(width_of(world, "DP-1"), 2560);
	finish_modesets(world, 1);
	assert_int_not_equal(rig_show(world->rig, third, 4, -1), 0);
	rig_dispatch(world->rig);
	assert_true(third->present.presented);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The card keeps showing the first screen's mode until it is done. */
static void screen_replaced_and_unplugged_during_modeset_is_disabled(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_dispatch(world->rig);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	fake_card_plug(world->card, "DP-1", NULL);
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	/* The connector is probed once no modeset is due, so the new mode may be set before. */
	for (int i = 0; i < 6 && (rig_find(world->rig, "DP-1") || width_of(world, "DP-1")); i++) {
		fake_card_finish_modesets(world->card);
		clock_advance(world->rig->clock, INT64_C(10000000));
		rig_wait_for_tasks(world->rig);
	}
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(width_of(world, "DP-1"), 0);
	fake_card_finish_modesets(world->card);
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The card closes after its last output is disabled. */
static void unplugged_outputs_are_disabled_after_pending_flip(void **state)
{
	struct two_outputs *world = *state;
	const struct gpu *gpu = world->first->output->gpu;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_card_plug(world->card, "DP-1", NULL);
	fake_card_plug(world->card, "DP-2", NULL);
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(pixel_of(world, "DP-1"), 3);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(drm_backend_clone_fd(world->rig->backend, gpu), -ENODEV);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* One of the dock's screens shows a frame, the other one was switched off before. */
static void removed_dock_leaves_no_active_crtc(void **state)
{
	struct two_outputs *world = *state;
	assert_true(switch_off(world->second));
	rig_dispatch(world->rig);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	const char *crtc = fake_crtc_of(world->card, "DP-1");
	fake_card_plug(world->card, "DP-1", NULL);
	fake_card_remove_connector(world->card, "DP-2");
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_null(rig_find(world->rig, "DP-2"));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(fake_get(world->card, crtc, "ACTIVE"), 0);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The others keep presenting but cannot change their mode. */
static void stuck_flip_of_unplugged_output_delays_modesets_only(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *second = world->second;
	int fence = fake_fence_create();
	assert_int_not_equal(rig_show(world->rig, world->first, 3, fence), 0);
	fake_card_plug(world->card, "DP-1", NULL);
	rig_dispatch(world->rig);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
		rig_dispatch(world->rig);
		assert_int_equal(second->n_presents, 2 + i);
	}
	assert_true(set_mode(second, 1));
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	fake_fence_signal(fence, 1);
	fake_card_vblank(world->card, 1000);
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(width_of(world, "DP-2"), second->output->mode.width);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	close(fence);
}

/* Another session uses the card during the modeset. */
static void modeset_completes_across_session_switch(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	assert_false(world->first->present.presented);
	fake_set(world->card, fake_crtc_of(world->card, "DP-1"), "ACTIVE", 0);
	fake_set(world->card, fake_crtc_of(world->card, "DP-2"), "ACTIVE", 0);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	uint64_t commits = fake_card_counts(world->card).commits;
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	assert_int_not_equal(rig_show(world->rig, world->second, 5, -1), 0);
	finish_modesets(world, 1);
	/* Both in one commit. */
	assert_int_equal(fake_card_counts(world->card).commits, commits + 1);
	assert_int_equal(world->first->n_needed, 1);
	assert_int_equal(world->second->n_needed, 1);
	finish_modesets(world, 2);
	assert_int_equal(pixel_of(world, "DP-1"), 4);
	assert_int_equal(pixel_of(world, "DP-2"), 5);
	assert_true(world->first->present.presented && world->second->present.presented);
	/*
	 * The session leaves with a queued modeset, and the pending one completes while it is
	 * inactive.
	 */
	assert_true(set_mode(world->first, 0) && set_mode(world->first, 2));
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	finish_modesets(world, 1);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), world->first->output->modes[2].width);
	assert_int_equal(blocking_commits(world), 0);
}

/* Time in another session does not count towards the watchdog. */
static void busy_card_after_long_session_switch_is_not_blocked_on(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	assert_true(set_mode(world->first, 1) && set_mode(world->second, 1));
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	clock_advance(world->rig->clock, INT64_C(20000000000));
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	assert_int_equal(blocking_commits(world), 0);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-2"), world->second->output->mode.width);
	finish_modesets(world, 2);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The kernel keeps its modes during the absence: the refused outputs are lit until then. */
static void outputs_refused_at_the_return_are_disabled(void **state)
{
	struct two_outputs *world = *state;
	/* Refusals of both outputs together, then of the first one, and of the other one. */
	for (int n_refused = 2; n_refused < 4; n_refused++) {
		fake_seat_set_active(false);
		rig_dispatch(world->rig);
		assert_true(width_of(world, "DP-1") > 0 && width_of(world, "DP-2") > 0);
		fake_card_fail(world->card, ENOMEM, n_refused, false);
		fake_card_set_probe(world->card, FAKE_PROBE_HELD);
		world->rig->holds_probes = true;
		fake_seat_set_active(true);
		rig_dispatch(world->rig);
		const int first = width_of(world, "DP-1"), second = width_of(world, "DP-2");
		fake_card_set_probe(world->card, 0);
		world->rig->holds_probes = false;
		rig_dispatch(world->rig);
		assert_false(world->first->output->enabled);
		assert_int_equal(first, 0);
		assert_int_equal(world->second->output->enabled, n_refused == 2);
		assert_int_equal(second > 0, n_refused == 2);
		assert_false(clock_advance_to_next(world->rig->clock));
		assert_true(set_mode(world->first, 0) && set_mode(world->second, 0));
		rig_dispatch(world->rig);
	}
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
}

static void output_refused_at_the_return_is_disabled_when_the_card_is_free(void **state)
{
	struct two_outputs *world = *state;
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	fake_set(world->card, fake_crtc_of(world->card, "DP-2"), "ACTIVE", 0);
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	fake_card_fail(world->card, ENOMEM, 2, false);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	assert_false(world->first->output->enabled);
	assert_true(world->second->output->enabled);
	assert_true(width_of(world, "DP-1") > 0);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_true(width_of(world, "DP-2") > 0);
	fake_card_finish_modesets(world->card);
	rig_dispatch(world->rig);
	assert_int_equal(blocking_commits(world), 0);
	assert_false(clock_advance_to_next(world->rig->clock));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(screen_replaced_during_modeset_is_enabled_after_it),
		TEST(screen_replaced_and_unplugged_during_modeset_is_disabled),
		TEST(unplugged_outputs_are_disabled_after_pending_flip),
		TEST(removed_dock_leaves_no_active_crtc),
		TEST(stuck_flip_of_unplugged_output_delays_modesets_only),
		TEST(modeset_completes_across_session_switch),
		TEST(busy_card_after_long_session_switch_is_not_blocked_on),
		TEST(outputs_refused_at_the_return_are_disabled),
		TEST(output_refused_at_the_return_is_disabled_when_the_card_is_free),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
