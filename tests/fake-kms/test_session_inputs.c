/* SPDX-License-Identifier: MIT */
/*
 * Switches and roles of input devices: the lid at the start and across terminals, and send-events
 * for one role of a device.
 */

#include "backend/input.h"
#include "seat/seat.h"
#include "server_common.h"
#include "shell/shell.h"
#include <libinput.h>
#include <linux/input-event-codes.h>

static const struct fake_screen panel = {
	.maker = "CWY", .name = "Panel", .serial = 1, .modes = {{320, 240, 60}}};
static const struct fake_screen screen = {
	.maker = "CWY", .name = "Desk", .serial = 2, .modes = {{640, 480, 60}}};

static struct fake_card *begin_docked(struct world *world, const char *config)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &panel);
	fake_card_plug(card, "DP-4", &screen);
	begin(world, config);
	show(world, card, 3);
	return card;
}

static void switch_terminals(struct world *world, struct fake_card *card)
{
	fake_seat_set_active(false);
	show(world, card, 2);
	fake_seat_set_active(true);
	show(world, card, 5);
}

static int number(struct world *world)
{
	return shell_workspace(world->fixture->server->shell)->number;
}

static void throw_lid(
	struct world *world, struct fake_card *card, struct libinput_device *lid, bool closed)
{
	fake_input_throw(lid, FAKE_LID, closed);
	show(world, card, 3);
}

static void lid_that_is_closed_at_the_start_covers_the_panel(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	fake_input_throw(lid, FAKE_LID, true);
	struct fake_card *card = begin_docked(world, "[switches]\nlid-closed = workspace 5\n");
	assert_true(world->fixture->server->lid_closed);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	assert_int_equal(width_of(card, "DP-4"), 640);
	/* The panel is never lit, and the action, which may suspend the machine, does not run. */
	assert_int_equal(fake_card_counts(card).modesets, 1);
	assert_int_equal(number(world), 1);
	throw_lid(world, card, lid, false);
	assert_int_equal(width_of(card, "eDP-1"), 320);
	throw_lid(world, card, lid, true);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	assert_int_equal(number(world), 5);
}

static void session_that_starts_in_tablet_mode_runs_its_action(void **state)
{
	struct world *world = *state;
	struct libinput_device *tablet = fake_input_add("Hinge", FAKE_TABLET_MODE);
	fake_input_throw(tablet, FAKE_TABLET_MODE, true);
	struct fake_card *card = begin_docked(world, "[switches]\ntablet-mode-on = workspace 3\n");
	assert_int_equal(number(world), 3);
	shell_run_action(world->fixture->server->shell, "workspace", "1");
	switch_terminals(world, card);
	assert_int_equal(number(world), 1);
}

/* Whether libinput reports the state after its return depends on the kind of the switch. */
static void closed_lid_stays_closed_while_another_terminal_is_shown(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	struct fake_card *card = begin_docked(world, "[switches]\nlid-closed = workspace 5\n");
	for (int reliable = 1; reliable >= 0; reliable--) {
		throw_lid(world, card, lid, true);
		assert_int_equal(number(world), 5);
		shell_run_action(world->fixture->server->shell, "workspace", "1");
		const uint64_t modesets = fake_card_counts(card).modesets;
		switch_terminals(world, card);
		switch_terminals(world, card);
		assert_int_equal(width_of(card, "eDP-1"), 0);
		assert_int_equal(number(world), 1);
		assert_true(fake_card_counts(card).modesets <= modesets + 2);
		throw_lid(world, card, lid, false);
		assert_int_equal(width_of(card, "eDP-1"), 320);
		fake_input_distrust(lid);
	}
}

static void lid_moved_on_another_terminal_counts_on_return(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	struct fake_card *card = begin_docked(
		world, "[switches]\nlid-closed = workspace 5\nlid-opened = workspace 6\n");
	for (int reliable = 1; reliable >= 0; reliable--) {
		fake_seat_set_active(false);
		show(world, card, 1);
		throw_lid(world, card, lid, true);
		assert_int_not_equal(number(world), 5);
		fake_seat_set_active(true);
		show(world, card, 5);
		assert_int_equal(width_of(card, "eDP-1"), 0);
		assert_int_equal(number(world), 5);
		fake_seat_set_active(false);
		show(world, card, 1);
		throw_lid(world, card, lid, false);
		fake_seat_set_active(true);
		show(world, card, 5);
		assert_int_equal(width_of(card, "eDP-1"), 320);
		assert_int_equal(number(world), 6);
		fake_input_distrust(lid);
	}
}

/* The firmware of some machines reports a closed lid until the lid moves for the first time. */
static void state_that_libinput_distrusts_has_no_effect_on_return(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	fake_input_throw(lid, FAKE_LID, true);
	fake_input_distrust(lid);
	struct fake_card *card = begin_docked(world, "");
	assert_int_equal(width_of(card, "eDP-1"), 320);
	switch_terminals(world, card);
	assert_int_equal(width_of(card, "eDP-1"), 320);
	assert_false(world->fixture->server->lid_closed);
}

static void lid_that_is_removed_counts_as_open(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	struct fake_card *card = begin_docked(world, "");
	throw_lid(world, card, lid, true);
	fake_seat_set_active(false);
	show(world, card, 2);
	reload(world, "[input type:switch]\nsend-events = enabled\n");
	fake_input_remove(lid);
	assert_true(world->fixture->server->lid_closed);
	fake_seat_set_active(true);
	show(world, card, 5);
	assert_false(world->fixture->server->lid_closed);
	assert_int_equal(width_of(card, "eDP-1"), 320);
}

static double pointer_x(struct world *world)
{
	return world->fixture->server->seat->pointer.at.x;
}

static uint32_t modifiers(struct world *world)
{
	return seat_modifiers(world->fixture->server->seat);
}

/* Uses both roles of the device. Returns bits: 1: the key arrived, 2: the motion did. */
static int use(struct world *world, struct libinput_device *device)
{
	const double before = pointer_x(world);
	int result = 0;
	fake_input_key(device, KEY_LEFTSHIFT, true);
	fixture_pump(world->fixture);
	result |= modifiers(world) ? 1 : 0;
	fake_input_key(device, KEY_LEFTSHIFT, false);
	fake_input_move(device, before > 100 ? -5 : 5, 0);
	fixture_pump(world->fixture);
	assert_int_equal(modifiers(world), 0);
	return result | (pointer_x(world) != before ? 2 : 0);
}

static void roles_of_a_device_are_disabled_one_by_one(void **state)
{
	struct world *world = *state;
	struct libinput_device *both = fake_input_add("Keys And Mouse", FAKE_KEYBOARD | FAKE_MOUSE);
	struct fake_card *card = begin_docked(world, "");
	assert_int_equal(use(world, both), 3);
	reload(world, "[input type:pointer]\nsend-events = disabled\n");
	assert_int_equal(use(world, both), 1);
	reload(world, "[input type:keyboard]\nsend-events = disabled\n");
	assert_int_equal(use(world, both), 2);
	reload(world, "[input *]\nsend-events = disabled\n");
	assert_int_equal(use(world, both), 0);
	assert_int_equal(fake_input_mode(both), LIBINPUT_CONFIG_SEND_EVENTS_DISABLED);
	reload(world, "[input type:pointer]\nsend-events = disabled\n");
	switch_terminals(world, card);
	assert_int_equal(use(world, both), 1);
	reload(world, "");
	assert_int_equal(use(world, both), 3);
}

static void role_is_disabled_beside_a_mouse(void **state)
{
	struct world *world = *state;
	struct libinput_device *both = fake_input_add("Keys And Mouse", FAKE_KEYBOARD | FAKE_MOUSE);
	begin_docked(world, "[input Keys*]\nsend-events = enabled\n"
			    "[input type:pointer]\nsend-events = without-mouse\n");
	assert_int_equal(use(world, both), 3);
	struct libinput_device *mouse = fake_input_add("Mouse", FAKE_MOUSE);
	fixture_pump(world->fixture);
	assert_int_equal(use(world, both), 1);
	fake_input_remove(mouse);
	fixture_pump(world->fixture);
	assert_int_equal(use(world, both), 3);
}

/* The switch, which has no buttons, is configured last. */
static void roles_without_buttons_do_not_decide_about_them(void **state)
{
	struct world *world = *state;
	struct libinput_device *both =
		fake_input_add("Mouse And Hinge", FAKE_MOUSE | FAKE_TABLET_MODE);
	begin_docked(world, "[input type:pointer]\nleft-handed = yes\n");
	assert_true(fake_input_is_left_handed(both));
}

/* Keys that are down when their role is disabled are released. */
static void disabled_role_releases_its_keys(void **state)
{
	struct world *world = *state;
	struct libinput_device *both = fake_input_add("Keys And Mouse", FAKE_KEYBOARD | FAKE_MOUSE);
	begin_docked(world, "");
	fake_input_key(both, KEY_LEFTSHIFT, true);
	fixture_pump(world->fixture);
	assert_int_not_equal(modifiers(world), 0);
	reload(world, "[input type:keyboard]\nsend-events = disabled\n");
	fake_input_key(both, KEY_LEFTSHIFT, false);
	fixture_pump(world->fixture);
	assert_int_equal(modifiers(world), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lid_that_is_closed_at_the_start_covers_the_panel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			session_that_starts_in_tablet_mode_runs_its_action, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			closed_lid_stays_closed_while_another_terminal_is_shown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lid_moved_on_another_terminal_counts_on_return, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			state_that_libinput_distrusts_has_no_effect_on_return, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			lid_that_is_removed_counts_as_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			roles_of_a_device_are_disabled_one_by_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(role_is_disabled_beside_a_mouse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			roles_without_buttons_do_not_decide_about_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(disabled_role_releases_its_keys, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
