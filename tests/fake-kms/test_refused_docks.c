/* SPDX-License-Identifier: MIT */
/*
 * Refused outputs whose screen is moved, is replugged while the session is inactive, or replaces a
 * covered panel.
 */

#include "refusals.h"
#include "server/server.h"
#include "util/clock.h"
#include <errno.h>

static const char *const one[] = {"DP-1", NULL};
static const char *const two[] = {"DP-1", "DP-2", NULL};
static const char *const laptop[] = {"eDP-1", "DP-4", NULL};

static void set_screen(struct refusals *refusals, const char *connector, bool plugged)
{
	fake_card_plug(refusals->card, connector, plugged ? &refusals_screens[0] : NULL);
	refusals_wait(refusals, SECOND / 10);
}

static void screen_of_a_refused_connector_comes_on_elsewhere(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->connector = "DP-1";
	begin(world, "");
	refusals_wait(refusals, 10 * SECOND);
	set_screen(refusals, "DP-1", false);
	set_screen(refusals, "DP-3", true);
	assert_int_equal(width_of(refusals->card, "DP-3"), 640);
	int tries = refusals->n_times;
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(refusals->n_times, tries);
	set_screen(refusals, "DP-3", false);
	set_screen(refusals, "DP-1", true);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	refusals_end(refusals);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void screens_replugged_elsewhere_in_an_inactive_session_come_on(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	refusals->connector = "DP-2";
	fake_seat_set_active(false);
	set_screen(refusals, "DP-1", false);
	set_screen(refusals, "DP-3", true);
	/* Another session disables the outputs. */
	for (int i = 0; i < 2; i++) {
		fake_set(refusals->card, fake_crtc_of(refusals->card, two[i]), "ACTIVE", 0);
	}
	refusals_wait(refusals, 100 * SECOND);
	fake_seat_set_active(true);
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-3"), 640);
	refusals_end(refusals);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

/* The card refuses for a while to disable the CRTC of a screen that is gone. */
static void refused_cleanup_of_an_unplugged_screen_is_tried_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	for (int n = 1; n < 5; n++) {
		fake_card_fail(refusals->card, EINVAL, n, true);
		set_screen(refusals, "DP-2", false);
		set_screen(refusals, "DP-3", true);
		refusals_end(refusals);
		refusals_hotplug(refusals, "DP-1");
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 640);
		assert_int_equal(width_of(refusals->card, "DP-2"), 0);
		assert_int_equal(width_of(refusals->card, "DP-3"), 640);
		set_screen(refusals, "DP-3", false);
		set_screen(refusals, "DP-2", true);
		refusals_wait(refusals, SECOND);
	}
}

static void covered_panel_shows_while_the_other_screen_is_refused(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "i915", laptop);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	world->fixture->server->lid_closed = true;
	reload(world, "");
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "eDP-1"), 0);
	refusals->connector = "DP-4";
	fake_seat_set_active(false);
	refusals_wait(refusals, SECOND);
	fake_set(refusals->card, fake_crtc_of(refusals->card, "DP-4"), "ACTIVE", 0);
	fake_seat_set_active(true);
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-4"), 0);
	assert_int_equal(width_of(refusals->card, "eDP-1"), 640);
	refusals_end(refusals);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-4"), 640);
	assert_int_equal(width_of(refusals->card, "eDP-1"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(screen_of_a_refused_connector_comes_on_elsewhere),
		TEST(screens_replugged_elsewhere_in_an_inactive_session_come_on),
		TEST(refused_cleanup_of_an_unplugged_screen_is_tried_again),
		TEST(covered_panel_shows_while_the_other_screen_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
