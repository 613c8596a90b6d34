/* SPDX-License-Identifier: MIT */
/*
 * State of the session that outlives hotplug, lid and terminals: power, settings of clients, places
 *.
 */

#include "harness/peer.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "server/output.h"
#include "server/outputs.h"
#include "server_common.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/signal.h"
#include "xwayland/servers.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* Small, since the CPU fills each frame. */
static const struct fake_screen panel = {
	.maker = "CWY",
	.name = "Panel",
	.serial = 1,
	.modes = {{320, 240, 60}, {160, 120, 60}},
};
static const struct fake_screen screens[2] = {
	{.maker = "CWY", .name = "Desk", .serial = 2, .modes = {{640, 480, 60}, {320, 240, 60}}},
	{.maker = "CWY", .name = "Wall", .serial = 3, .modes = {{480, 360, 60}, {320, 240, 60}}},
};

static struct fake_card *begin_on_laptop(struct world *world, const char *config)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &panel);
	fake_card_plug(card, "DP-4", &screens[0]);
	fake_card_plug(card, "HDMI-A-2", &screens[1]);
	begin(world, config);
	show(world, card, 3);
	return card;
}

static void plug(struct world *world, struct fake_card *card, const char *connector,
	const struct fake_screen *screen)
{
	fake_card_plug(card, connector, screen);
	show(world, card, 4);
}

static void run_action(struct world *world, struct fake_card *card, const char *argument)
{
	shell_run_action(world->fixture->server->shell, "dpms", argument);
	show(world, card, 3);
}

static int left_of(struct world *world, const char *name)
{
	return find_entry(world, name)->scene_output->x;
}

static void assert_lit(struct fake_card *card, int first, int second, int third)
{
	assert_int_equal(width_of(card, "eDP-1"), first);
	assert_int_equal(width_of(card, "DP-4"), second);
	assert_int_equal(width_of(card, "HDMI-A-2"), third);
}

static void screen_that_drops_its_link_stays_dark(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	assert_lit(card, 320, 640, 480);
	run_action(world, card, "off");
	assert_lit(card, 0, 0, 0);
	const uint64_t modesets = fake_card_counts(card).modesets;
	plug(world, card, "DP-4", NULL);
	plug(world, card, "DP-4", &screens[0]);
	assert_lit(card, 0, 0, 0);
	/* Lighting it for a moment would make it drop the link again. */
	assert_int_equal(fake_card_counts(card).modesets, modesets);
	assert_int_equal(left_of(world, "DP-4"), 320);
	assert_int_equal(left_of(world, "HDMI-A-2"), 960);
	/* A new screen stays dark, too. */
	plug(world, card, "HDMI-A-2", NULL);
	plug(world, card, "HDMI-A-2", &screens[0]);
	assert_lit(card, 0, 0, 0);
	run_action(world, card, "on");
	assert_lit(card, 320, 640, 640);
}

static void power_off_can_be_repeated(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	run_action(world, card, "off");
	server_output_set_power(find_entry(world, "DP-4"), true); /* a client */
	show(world, card, 3);
	assert_lit(card, 0, 640, 0);
	run_action(world, card, "off");
	assert_lit(card, 0, 0, 0);
	clock_advance(world->fixture->clock, SECOND);
	run_action(world, card, "toggle");
	assert_lit(card, 320, 640, 480);
}

/* Toggles of one screen by a client. */
static void power_of_a_client_survives_hotplug(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	server_output_set_power(find_entry(world, "DP-4"), false);
	show(world, card, 3);
	plug(world, card, "DP-4", NULL);
	plug(world, card, "DP-4", &screens[0]);
	assert_lit(card, 320, 0, 480);
	server_output_set_power(find_entry(world, "DP-4"), true);
	show(world, card, 3);
	assert_lit(card, 320, 640, 480);
	/* The client powers all outputs on while this one is absent. */
	server_output_set_power(find_entry(world, "DP-4"), false);
	plug(world, card, "DP-4", NULL);
	server_output_set_power(find_entry(world, "HDMI-A-2"), true);
	plug(world, card, "DP-4", &screens[0]);
	assert_lit(card, 320, 640, 480);
}

/* Nobody could power on the only screen while it is absent. */
static void input_ends_the_power_off_of_an_absent_screen(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	struct libinput_device *mouse = fake_input_add("Mouse", FAKE_MOUSE);
	fake_card_plug(card, "DP-4", &screens[0]);
	begin(world, "");
	show(world, card, 3);
	server_output_set_power(find_entry(world, "DP-4"), false);
	show(world, card, 3);
	plug(world, card, "DP-4", NULL);
	plug(world, card, "DP-4", &screens[0]);
	assert_int_equal(width_of(card, "DP-4"), 0);
	plug(world, card, "DP-4", NULL);
	fake_input_move(mouse, 1, 1);
	plug(world, card, "DP-4", &screens[0]);
	assert_int_equal(width_of(card, "DP-4"), 640);
	/* So does the action, as by ssh. */
	server_output_set_power(find_entry(world, "DP-4"), false);
	plug(world, card, "DP-4", NULL);
	run_action(world, card, "on");
	plug(world, card, "DP-4", &screens[0]);
	assert_int_equal(width_of(card, "DP-4"), 640);
}

static void lid_does_not_change_the_power(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	struct fake_card *card = begin_on_laptop(world, "");
	run_action(world, card, "off");
	fake_input_throw(lid, FAKE_LID, true);
	show(world, card, 3);
	assert_null(find_entry(world, "eDP-1")->scene_output);
	fake_input_throw(lid, FAKE_LID, false);
	show(world, card, 3);
	assert_lit(card, 0, 0, 0);
	assert_int_equal(left_of(world, "eDP-1"), 0);
	assert_int_equal(left_of(world, "DP-4"), 320);
	/* Power on while the panel is covered. */
	fake_input_throw(lid, FAKE_LID, true);
	run_action(world, card, "on");
	assert_lit(card, 0, 640, 480);
	fake_input_throw(lid, FAKE_LID, false);
	show(world, card, 3);
	assert_lit(card, 320, 640, 480);
}

static void enabling_an_output_powers_it_on(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	server_output_set_power(find_entry(world, "DP-4"), false);
	reload(world, "[output DP-4]\nenabled = no\n");
	reload(world, "");
	show(world, card, 3);
	assert_lit(card, 320, 640, 480);
	/* But not while all are off. */
	reload(world, "[output DP-4]\nenabled = no\n");
	run_action(world, card, "off");
	reload(world, "");
	show(world, card, 3);
	assert_lit(card, 0, 0, 0);
}

static void power_requests_of_an_inactive_session_apply_on_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	run_action(world, card, "off");
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	run_action(world, card, "on");
	fake_seat_set_active(true);
	show(world, card, 3);
	assert_lit(card, 320, 640, 480);
	fake_seat_set_active(false);
	fixture_pump(world->fixture);
	run_action(world, card, "off");
	fake_card_plug(card, "DP-4", NULL);
	fake_card_plug(card, "DP-4", &screens[0]);
	fake_seat_set_active(true);
	show(world, card, 3);
	assert_lit(card, 0, 0, 0);
}

static void set_as_client(struct world *world, const char *name, int width, double scale)
{
	struct server_output_change change = {.output = find_entry(world, name)};
	server_output_config(change.output, &change.config);
	change.config.has_mode = change.config.has_scale = true;
	change.config.width = width;
	change.config.height = width * 3 / 4;
	change.config.scale = scale;
	assert_true(server_outputs_apply(&change, 1));
}

static void settings_of_clients_survive_hotplug(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	set_as_client(world, "DP-4", 320, 1.5);
	plug(world, card, "DP-4", NULL);
	assert_int_equal(left_of(world, "HDMI-A-2"), 320);
	/* Another screen on the connector has settings of its own. */
	plug(world, card, "DP-4", &panel);
	assert_int_equal(width_of(card, "DP-4"), 320);
	assert_true(find_entry(world, "DP-4")->scene_output->scale == 1);
	plug(world, card, "DP-4", &screens[0]);
	assert_int_equal(width_of(card, "DP-4"), 320);
	assert_true(find_entry(world, "DP-4")->scene_output->scale == 1.5);
	assert_int_equal(left_of(world, "HDMI-A-2"), 320 + 214);
	/* The screen on another connector, as behind a dock. */
	plug(world, card, "DP-4", NULL);
	plug(world, card, "HDMI-A-2", NULL);
	plug(world, card, "HDMI-A-2", &screens[0]);
	assert_true(find_entry(world, "HDMI-A-2")->scene_output->scale == 1.5);
	/* A reload that changes the section of an absent screen ends them. */
	plug(world, card, "HDMI-A-2", NULL);
	reload(world, "[output *Desk*]\nscale = 2\n");
	plug(world, card, "DP-4", &screens[0]);
	assert_int_equal(width_of(card, "DP-4"), 640);
	assert_true(find_entry(world, "DP-4")->scene_output->scale == 2);
}

static void settings_of_an_inactive_session_apply_on_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	fake_seat_set_active(false);
	show(world, card, 2);
	set_as_client(world, "DP-4", 320, 2);
	assert_int_equal(width_of(card, "DP-4"), 640);
	fake_seat_set_active(true);
	show(world, card, 4);
	assert_int_equal(width_of(card, "DP-4"), 320);
	assert_true(find_entry(world, "DP-4")->scene_output->scale == 2);
	assert_int_equal(left_of(world, "HDMI-A-2"), 480);
}

static void equal_screens_are_told_apart_by_their_connectors(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &screens[0]);
	fake_card_plug(card, "HDMI-A-2", &screens[0]);
	begin(world, "");
	show(world, card, 3);
	set_as_client(world, "HDMI-A-2", 320, 2);
	plug(world, card, "DP-4", NULL);
	plug(world, card, "HDMI-A-2", NULL);
	plug(world, card, "HDMI-A-2", &screens[0]);
	plug(world, card, "DP-4", &screens[0]);
	assert_true(find_entry(world, "HDMI-A-2")->scene_output->scale == 2);
	assert_true(find_entry(world, "DP-4")->scene_output->scale == 1);
	assert_int_equal(left_of(world, "DP-4"), 0);
}

/* Virtual machines request the size of the host's window. */
static void resized_host_keeps_the_configured_mode(void **state)
{
	struct world *world = *state;
	static const struct fake_screen small = {.modes = {{640, 480, 60}, {320, 240, 60}}};
	static const struct fake_screen large = {
		.modes = {{800, 600, 60}, {640, 480, 60}, {320, 240, 60}}};
	struct fake_card *card = fake_card_create("vmwgfx");
	fake_card_plug(card, "Virtual-2", &small);
	begin(world, "[output Virtual-2]\nmode = 320x240\n");
	show(world, card, 3);
	plug(world, card, "Virtual-2", &large);
	assert_int_equal(width_of(card, "Virtual-2"), 320);
	reload(world, "");
	show(world, card, 3);
	assert_int_equal(width_of(card, "Virtual-2"), 800);
	plug(world, card, "Virtual-2", &small);
	assert_int_equal(width_of(card, "Virtual-2"), 640);
	set_as_client(world, "Virtual-2", 320, 1);
	plug(world, card, "Virtual-2", &large);
	assert_int_equal(width_of(card, "Virtual-2"), 320);
}

static char runtime[40];

/* X servers need a folder for their cookies. */
static int set_up_runtime(void **state)
{
	strcpy(runtime, "/tmp/causeway-runtime-XXXXXX");
	setenv("XDG_RUNTIME_DIR", mkdtemp(runtime), 1);
	return set_up(state);
}

static int tear_down_runtime(void **state)
{
	tear_down(state);
	unsetenv("XDG_RUNTIME_DIR");
	return rmdir(runtime);
}

static void x_screen_keeps_its_scale_without_outputs(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &screens[0]);
	begin(world, "[output *]\nscale = 2\n");
	struct x_servers *servers = world->fixture->server->x_servers;
	if (!servers) {
		print_message("skip: this build has no X servers, or there is no Xwayland\n");
		skip();
	}
	const struct x_server *server = x_server_for_gpu(servers, NULL);
	assert_true(server->scale == 2);
	plug(world, card, "DP-4", NULL);
	assert_true(server->scale == 2);
	plug(world, card, "DP-4", &screens[0]);
	assert_true(server->scale == 2);
	reload(world, "");
	assert_true(server->scale == 1);
}

struct scales {
	struct wl_listener layout;
	const struct x_server *server;
	double least;
};

static void handle_layout(struct wl_listener *listener, void *data)
{
	struct scales *scales = wl_container_of(listener, scales, layout);
	scales->least = fmin(scales->least, scales->server->scale);
}

static void plug_while_away(
	struct world *world, struct fake_card *card, const struct fake_screen *both[2])
{
	fake_seat_set_active(false);
	show(world, card, 2);
	fake_card_plug(card, "DP-4", both[0]);
	fake_card_plug(card, "HDMI-A-2", both[1]);
	fake_seat_set_active(true);
	show(world, card, 4);
}

/* One probe finds that both have left: the one that leaves last has another scale. */
static void x_screen_ignores_scales_of_screens_that_leave(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &screens[0]);
	fake_card_plug(card, "HDMI-A-2", &screens[1]);
	begin(world, "[output DP-4]\nscale = 2\n");
	struct x_servers *servers = world->fixture->server->x_servers;
	if (!servers) {
		print_message("skip: this build has no X servers, or there is no Xwayland\n");
		skip();
	}
	struct scales scales = {.server = x_server_for_gpu(servers, NULL), .least = 2};
	signal_add(&world->fixture->server->scene->events.layout_changed, &scales.layout,
		handle_layout);
	plug_while_away(world, card, (const struct fake_screen *[2]){NULL, NULL});
	assert_true(scales.server->scale == 2);
	plug_while_away(world, card, (const struct fake_screen *[2]){&screens[0], &screens[1]});
	assert_true(scales.server->scale == 2 && scales.least == 2);
	plug(world, card, "DP-4", NULL);
	show(world, card, 310);
	assert_true(scales.server->scale == 1);
	wl_list_remove(&scales.layout.link);
}

/* Passes time in short steps. Returns the least X scale in it. */
static double watch_scale(
	struct world *world, struct fake_card *card, const struct x_server *server, double seconds)
{
	double least = server->scale;
	for (int i = 0; i < seconds * 60; i++) {
		show(world, card, 1);
		least = fmin(least, server->scale);
	}
	return least;
}

/*
 * A switch of keyboard, video and mouse, with one event for each screen, in each order. The last
 * screen to leave and the first to return may have the smaller scale.
 */
static void x_screen_ignores_scales_between_events_of_a_switch(void **state)
{
	static const char *const connectors[] = {"DP-4", "HDMI-A-2"};
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &screens[0]);
	fake_card_plug(card, "HDMI-A-2", &screens[1]);
	begin(world, "[output DP-4]\nscale = 2\n");
	struct x_servers *servers = world->fixture->server->x_servers;
	if (!servers) {
		print_message("skip: this build has no X servers, or there is no Xwayland\n");
		skip();
	}
	const struct x_server *server = x_server_for_gpu(servers, NULL);
	for (unsigned i = 0; i < 16; i++) {
		const double pause = i & 4 ? 2 : 0.1, away = i & 8 ? 60 : 1;
		const int leaves = i & 1, returns = i >> 1 & 1;
		fake_card_plug(card, connectors[leaves], NULL);
		assert_true(watch_scale(world, card, server, pause) == 2);
		fake_card_plug(card, connectors[!leaves], NULL);
		assert_true(watch_scale(world, card, server, away) == 2);
		fake_card_plug(card, connectors[returns], &screens[returns]);
		assert_true(watch_scale(world, card, server, pause) == 2);
		fake_card_plug(card, connectors[!returns], &screens[!returns]);
		assert_true(watch_scale(world, card, server, 10) == 2);
	}
	assert_false(clock_advance_to_next(world->fixture->clock));
	/* The screen that leaves alone stays away. */
	fake_card_plug(card, "DP-4", NULL);
	assert_true(watch_scale(world, card, server, 4) == 2);
	assert_true(watch_scale(world, card, server, 2) == 1);
	/* A larger scale applies soon, and those that the user sets at once. */
	fake_card_plug(card, "DP-4", &screens[0]);
	assert_true(watch_scale(world, card, server, 1.1) == 1);
	assert_true(server->scale == 2);
	reload(world, "[output DP-4]\nscale = 1\n[output HDMI-A-2]\nscale = 1.5\n");
	show(world, card, 2);
	assert_true(server->scale == 1.5);
	reload(world, "[output DP-4]\nscale = 1\n[output HDMI-A-2]\nscale = 1.75\n");
	show(world, card, 2);
	assert_true(server->scale == 1.75);
	reload(world, "[output DP-4]\nscale = 1\n[output HDMI-A-2]\nscale = 1.5\n");
	show(world, card, 2);
	reload(world, "[output HDMI-A-2]\nscale = 1.5\n[xwayland]\nscale = 1\n");
	assert_true(server->scale == 1);
	reload(world, "[output HDMI-A-2]\nscale = 1.5\n");
	assert_true(server->scale == 1.5);
	/* X servers may end before that. */
	fake_card_plug(card, "HDMI-A-2", NULL);
	show(world, card, 2);
	reload(world, "[xwayland]\nenable = no\n");
	show(world, card, 600);
	reload(world, "");
	servers = world->fixture->server->x_servers;
	assert_true(x_server_for_gpu(servers, NULL)->scale == 1);
}

/* The panel under the closed lid lights up until the other screen returns. */
static void x_screen_ignores_the_scale_of_a_panel_under_the_lid(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &panel);
	fake_card_plug(card, "DP-4", &screens[0]);
	begin(world, "[output eDP-1]\nscale = 2\n");
	struct x_servers *servers = world->fixture->server->x_servers;
	if (!servers) {
		print_message("skip: this build has no X servers, or there is no Xwayland\n");
		skip();
	}
	const struct x_server *server = x_server_for_gpu(servers, NULL);
	world->fixture->server->lid_closed = true;
	server_outputs_cover(world->fixture->server);
	watch_scale(world, card, server, 6);
	assert_true(server->scale == 1);
	for (int i = 0; i < 2; i++) {
		fake_card_plug(card, "DP-4", NULL);
		show(world, card, i == 0 ? 1 : 30);
		assert_true(server->scale == 1);
		fake_card_plug(card, "DP-4", &screens[0]);
		show(world, card, 400);
		assert_true(server->scale == 1);
	}
	fake_card_plug(card, "DP-4", NULL);
	watch_scale(world, card, server, 1.1);
	assert_true(server->scale == 2);
	/* Before the smaller scale counts, another screen has a larger one. */
	reload(world, "[output eDP-1]\nscale = 2\n[output HDMI-A-2]\nscale = 3\n");
	fake_card_plug(card, "DP-4", &screens[0]);
	show(world, card, 120);
	fake_card_plug(card, "HDMI-A-2", &screens[1]);
	assert_true(watch_scale(world, card, server, 0.9) == 2);
	assert_true(server->scale == 2);
	watch_scale(world, card, server, 0.2);
	assert_true(server->scale == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			screen_that_drops_its_link_stays_dark, set_up, tear_down),
		cmocka_unit_test_setup_teardown(power_off_can_be_repeated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			power_of_a_client_survives_hotplug, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			input_ends_the_power_off_of_an_absent_screen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lid_does_not_change_the_power, set_up, tear_down),
		cmocka_unit_test_setup_teardown(enabling_an_output_powers_it_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			power_requests_of_an_inactive_session_apply_on_return, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			settings_of_clients_survive_hotplug, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			settings_of_an_inactive_session_apply_on_return, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			equal_screens_are_told_apart_by_their_connectors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			resized_host_keeps_the_configured_mode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(x_screen_keeps_its_scale_without_outputs,
			set_up_runtime, tear_down_runtime),
		cmocka_unit_test_setup_teardown(x_screen_ignores_scales_of_screens_that_leave,
			set_up_runtime, tear_down_runtime),
		cmocka_unit_test_setup_teardown(x_screen_ignores_scales_between_events_of_a_switch,
			set_up_runtime, tear_down_runtime),
		cmocka_unit_test_setup_teardown(x_screen_ignores_the_scale_of_a_panel_under_the_lid,
			set_up_runtime, tear_down_runtime),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
