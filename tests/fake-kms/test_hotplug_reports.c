/* SPDX-License-Identifier: MIT */
/*
 * Public reports about screens that leave and return while a frame or a modeset is in flight, while
 * they are powered off, or under a closed lid: the table in docs/testing.md names them.
 */

#include "output_client.h"
#include "refusals.h"
#include "scene/output.h"
#include "shell/shell.h"
#include "util/clock.h"
#include <stdlib.h>

static const char *const one[] = {"DP-1", NULL};
static const char *const two[] = {"DP-1", "DP-2", NULL};

static struct refusals *begin_with(
	struct world *world, const char *kind, const char *const *connectors)
{
	struct refusals *refusals = refusals_create(world, kind, connectors);
	begin(world, "");
	refusals_wait(refusals, SECOND);
	return refusals;
}

static void plug(struct refusals *refusals, const char *connector, const struct fake_screen *screen)
{
	fake_card_plug(refusals->card, connector, screen);
	fixture_pump(refusals->world->fixture);
}

static void end(struct world *world)
{
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	fake_reset_all();
}

static void set_power(struct refusals *refusals, const char *connector, bool on)
{
	server_output_set_power(find_entry(refusals->world, connector), on);
	fixture_pump(refusals->world->fixture);
}

/* Draws a frame and leaves its flip to the card. */
static void begin_frame(struct refusals *refusals, const char *connector)
{
	struct world *world = refusals->world;
	fake_card_set_flips(refusals->card, FAKE_FLIPS_HELD);
	scene_output_damage_all(find_entry(world, connector)->scene_output);
	clock_advance(world->fixture->clock, PERIOD);
	fixture_pump(world->fixture);
	assert_true(fake_card_has_flips(refusals->card));
}

/* The output shows new frames in its mode. */
static void assert_alive(struct refusals *refusals, const char *connector, int width)
{
	assert_int_equal(width_of(refusals->card, connector), width);
	const uint64_t presented = refusals_presented(refusals, connector);
	scene_output_damage_all(find_entry(refusals->world, connector)->scene_output);
	refusals_wait(refusals, SECOND);
	assert_true(refusals_presented(refusals, connector) > presented);
}

/* The button of the only screen: it leaves in the middle of a frame, which ends before or after. */
static void only_screen_returns_after_its_power_button(void **state)
{
	for (int i = 0; i < 6; i++) {
		struct refusals *refusals =
			begin_with(*state, i & 1 ? "nvidia-pascal" : "amdgpu", one);
		for (int round = 0; round < 3; round++) {
			begin_frame(refusals, "DP-1");
			plug(refusals, "DP-1", NULL);
			if (i >> 1 == 0) {
				refusals_wait(refusals, 300 * SECOND);
			} else if (i >> 1 == 1) {
				plug(refusals, "DP-1", NULL); /* a second event of the same kind */
			}
			plug(refusals, "DP-1", &refusals_screens[0]);
			refusals_wait(refusals, 2 * SECOND);
			assert_alive(refusals, "DP-1", 640);
		}
		end(*state);
	}
}

/* The button of one screen, and the unplugged cable, leave the others their frames. */
static void other_screen_goes_on_without_the_one_that_leaves(void **state)
{
	static const char *const kinds[] = {"amdgpu", "amdgpu-raven", "i915", "nvidia-pascal"};
	static const char *const pairs[][3] = {{"DP-1", "DP-2", NULL}, {"eDP-1", "HDMI-A-1", NULL},
		{"eDP-1", "DP-4", NULL}, {"DP-1", "HDMI-A-1", NULL}};
	for (int i = 0; i < 8; i++) {
		const char *const *pair = pairs[i >> 1];
		const char *leaves = pair[i & 1], *stays = pair[!(i & 1)];
		struct refusals *refusals = begin_with(*state, kinds[i >> 1], pair);
		begin_frame(refusals, stays);
		plug(refusals, leaves, NULL);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, leaves), 0);
		assert_alive(refusals, stays, 640);
		plug(refusals, leaves, &refusals_screens[i & 1]);
		refusals_wait(refusals, SECOND);
		assert_alive(refusals, leaves, 640);
		assert_alive(refusals, stays, 640);
		end(*state);
	}
}

/* A client powers the screen off, whose button is pressed then. */
static void screen_switched_off_in_the_dark_can_be_powered_on(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct refusals *refusals = begin_with(*state, "amdgpu", i & 1 ? two : one);
		set_power(refusals, "DP-1", false);
		refusals_wait(refusals, SECOND);
		plug(refusals, "DP-1", NULL);
		if (i & 2) {
			refusals_wait(refusals, 60 * SECOND);
		}
		plug(refusals, "DP-1", &refusals_screens[0]);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 0);
		set_power(refusals, "DP-1", true);
		refusals_wait(refusals, SECOND);
		assert_alive(refusals, "DP-1", 640);
		end(*state);
	}
}

/* Power goes off in the middle of a frame, in each cycle. */
static void power_off_during_a_frame_wedges_nothing(void **state)
{
	struct refusals *refusals = begin_with(*state, "amdgpu", two);
	for (int i = 0; i < 20; i++) {
		begin_frame(refusals, "DP-1");
		set_power(refusals, "DP-1", false);
		set_power(refusals, "DP-2", false);
		if (i & 1) {
			refusals_wait(refusals, 2 * SECOND);
			assert_int_equal(width_of(refusals->card, "DP-1"), 0);
		}
		set_power(refusals, "DP-1", true);
		set_power(refusals, "DP-2", true);
		refusals_wait(refusals, 2 * SECOND);
		assert_alive(refusals, "DP-1", 640);
		assert_alive(refusals, "DP-2", 640);
	}
}

/* As niri's outputs, off and on by a client, or by the lid. */
static void disabled_output_draws_after_it_was_enabled(void **state)
{
	static const struct client_wish off = {.name = "DP-1", .disables = true};
	static const struct client_wish on = {.name = "DP-1"};
	struct refusals *refusals = begin_with(*state, "amdgpu", two);
	struct output_client *client = output_client_create(*state);
	for (int i = 0; i < 10; i++) {
		client->repeats = i & 1;
		begin_frame(refusals, "DP-1");
		assert_int_equal(output_client_apply(client, &off), CLIENT_SUCCEEDED);
		if (i & 2) {
			refusals_wait(refusals, SECOND);
		}
		assert_int_equal(output_client_apply(client, &on), CLIENT_SUCCEEDED);
		refusals_wait(refusals, SECOND);
		assert_alive(refusals, "DP-1", 640);
		assert_alive(refusals, "DP-2", 640);
	}
	free(client);
}

/* A profile had disabled the panel; the dock leaves in the middle of its frame. */
static void panel_can_be_enabled_while_a_frame_of_the_dock_is_in_flight(void **state)
{
	static const char *const docked[] = {"eDP-1", "DP-4", NULL};
	static const struct client_wish off = {.name = "eDP-1", .disables = true};
	static const struct client_wish on = {.name = "eDP-1"};
	for (int lost = 0; lost < 2; lost++) {
		struct refusals *refusals = begin_with(*state, "i915", docked);
		struct output_client *client = output_client_create(*state);
		assert_int_equal(output_client_apply(client, &off), CLIENT_SUCCEEDED);
		refusals_wait(refusals, SECOND);
		begin_frame(refusals, "DP-4");
		if (lost) {
			fake_card_forget_flips(refusals->card);
		}
		plug(refusals, "DP-4", NULL);
		assert_int_equal(output_client_apply(client, &on), CLIENT_SUCCEEDED);
		refusals_wait(refusals, 2 * SECOND);
		assert_alive(refusals, "eDP-1", 640);
		plug(refusals, "DP-4", &refusals_screens[1]);
		refusals_wait(refusals, 2 * SECOND);
		assert_alive(refusals, "DP-4", 640);
		free(client);
		end(*state);
	}
}

/* Idle power-off behind a closed lid; the card refuses one screen once when all wake up. */
static void screen_refused_on_wake_is_lit_later(void **state)
{
	static const char *const docked[] = {"eDP-1", "DP-4", "HDMI-A-2", NULL};
	for (int i = 0; i < 2; i++) {
		struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
		struct refusals *refusals = begin_with(*state, "i915", docked);
		struct shell *shell = refusals->world->fixture->server->shell;
		fake_input_throw(lid, FAKE_LID, true);
		refusals_wait(refusals, SECOND);
		shell_run_action(shell, "dpms", "off");
		refusals_wait(refusals, SECOND);
		plug(refusals, "HDMI-A-2", NULL);
		if (i) {
			refusals_wait(refusals, 10 * SECOND);
		}
		plug(refusals, "HDMI-A-2", &refusals_screens[2]);
		refusals_wait(refusals, SECOND);
		fake_input_throw(lid, FAKE_LID, false);
		refusals->connector = "HDMI-A-2";
		shell_run_action(shell, "dpms", "on");
		refusals_wait(refusals, 5 * SECOND);
		assert_alive(refusals, "DP-4", 640);
		assert_alive(refusals, "eDP-1", 640);
		assert_int_equal(width_of(refusals->card, "HDMI-A-2"), 0);
		refusals_end(refusals);
		refusals_wait(refusals, 20 * SECOND);
		assert_alive(refusals, "HDMI-A-2", 640);
		end(*state);
	}
}

/* The link fails while its screen is dark, or as it wakes up, in the mode that it had. */
static void link_that_fails_in_the_dark_is_trained_on_wake(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct refusals *refusals =
			begin_with(*state, "i915", (const char *[]){"DP-4", NULL});
		set_power(refusals, "DP-4", false);
		refusals_wait(refusals, SECOND);
		if (i == 0) {
			fake_card_break_link(refusals->card, "DP-4");
			refusals_wait(refusals, SECOND);
		}
		set_power(refusals, "DP-4", true);
		if (i == 1) {
			fake_card_break_link(refusals->card, "DP-4");
		}
		refusals_wait(refusals, 2 * SECOND);
		assert_int_equal(fake_get(refusals->card, "DP-4", "link-status"), 0);
		assert_alive(refusals, "DP-4", 640);
		end(*state);
	}
}

/* Another port of the same dock: the former port's CRTC is free by then. */
static void screen_moves_to_another_port(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct refusals *refusals =
			begin_with(*state, i & 1 ? "nvidia-pascal" : "amdgpu", one);
		begin_frame(refusals, "DP-1");
		plug(refusals, "DP-1", NULL);
		if (i & 2) {
			refusals_wait(refusals, SECOND);
		}
		plug(refusals, "HDMI-A-1", &refusals_screens[0]);
		refusals_wait(refusals, 2 * SECOND);
		assert_alive(refusals, "HDMI-A-1", 640);
		assert_int_equal(width_of(refusals->card, "DP-1"), 0);
		plug(refusals, "DP-1", &refusals_screens[1]);
		refusals_wait(refusals, SECOND);
		assert_alive(refusals, "DP-1", 640);
		end(*state);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(only_screen_returns_after_its_power_button),
		TEST(other_screen_goes_on_without_the_one_that_leaves),
		TEST(screen_switched_off_in_the_dark_can_be_powered_on),
		TEST(power_off_during_a_frame_wedges_nothing),
		TEST(disabled_output_draws_after_it_was_enabled),
		TEST(panel_can_be_enabled_while_a_frame_of_the_dock_is_in_flight),
		TEST(screen_refused_on_wake_is_lit_later),
		TEST(link_that_fails_in_the_dark_is_trained_on_wake),
		TEST(screen_moves_to_another_port),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
