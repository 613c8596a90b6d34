/* SPDX-License-Identifier: MIT */
/*
 * Screens that leave and return while they are disabled, powered off, or the session is inactive:
 * their names, settings and frames come back, and those that the user has disabled stay off.
 */

#include "frame/output.h"
#include "server/output.h"
#include "server_common.h"
#include "shell/shell.h"
#include <string.h>

/* Small, since the CPU fills each frame. */
static const struct fake_screen panel = {
	.maker = "CWY", .name = "Panel", .serial = 1, .modes = {{320, 240, 60}, {160, 120, 60}}};
static const struct fake_screen desk = {
	.maker = "CWY", .name = "Desk", .serial = 2, .modes = {{640, 480, 60}, {320, 240, 60}}};

static struct fake_card *begin_on_laptop(struct world *world, const char *config)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &panel);
	fake_card_plug(card, "DP-4", &desk);
	begin(world, config);
	show(world, card, 3);
	return card;
}

static void plug(struct world *world, struct fake_card *card, const struct fake_screen *screen)
{
	fake_card_plug(card, "DP-4", screen);
	show(world, card, 4);
}

static void set_active(struct world *world, struct fake_card *card, bool active)
{
	fake_seat_set_active(active);
	show(world, card, 4);
}

static void set_power(struct world *world, struct fake_card *card, const char *word)
{
	shell_run_action(world->fixture->server->shell, "dpms", word);
	show(world, card, 4);
}

static void enable_as_client(struct world *world, const char *name, bool enabled)
{
	struct server_output_change change = {.output = find_entry(world, name)};
	server_output_config(change.output, &change.config);
	change.config.enabled = enabled;
	assert_true(server_outputs_apply(&change, 1));
}

/* Checks that the output presents frames of its screen. */
static void assert_shown(struct world *world, struct fake_card *card, const char *name, int width)
{
	assert_int_equal(width_of(card, name), width);
	const struct scene_output *output = find_entry(world, name)->scene_output;
	const struct frame_output *frame = frame_output_find(output);
	const uint64_t presented = frame->stats.presented;
	scene_output_damage_all((struct scene_output *)output);
	show(world, card, 3);
	assert_true(frame->stats.presented > presented);
}

static void screen_unplugged_on_another_terminal_returns_with_its_name(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "[output *Desk*]\nscale = 2\n");
	for (int i = 0; i < 4; i++) {
		set_active(world, card, false);
		fake_card_plug(card, "DP-4", NULL);
		if (i & 1) { /* a quick return on the same terminal, too */
			fake_card_plug(card, "DP-4", &desk);
		}
		show(world, card, 2);
		set_active(world, card, true);
		if (!(i & 1)) {
			assert_int_equal(width_of(card, "DP-4"), 0);
			plug(world, card, &desk);
		}
		const struct output *output = find_output(world, "DP-4");
		assert_string_equal(output->model, "Desk");
		assert_non_null(output->serial);
		assert_true(find_entry(world, "DP-4")->scene_output->scale == 2);
		assert_shown(world, card, "DP-4", 640);
		assert_shown(world, card, "eDP-1", 320);
	}
}

static void configuration_applies_to_each_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world,
		"[output eDP-1]\nposition = 0,0\n"
		"[output DP-4]\nposition = -200,50\nmode = 320x240\ntransform = 90\nscale = 1.5\n");
	for (int i = 0; i < 3; i++) {
		const struct scene_output *output = find_entry(world, "DP-4")->scene_output;
		assert_int_equal(output->x, -200);
		assert_int_equal(output->y, 50);
		assert_true(output->scale == 1.5 && output->transform == WL_OUTPUT_TRANSFORM_90);
		assert_shown(world, card, "DP-4", 320);
		plug(world, card, NULL);
		assert_shown(world, card, "eDP-1", 320);
		plug(world, card, &desk);
	}
}

/* An unchanged section does not enable it either. */
static void disabled_screen_stays_off_on_reload_and_return(void **state)
{
	static const char config[] = "[output *]\nscale = 1\n";
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, config);
	enable_as_client(world, "DP-4", false);
	for (int i = 0; i < 2; i++) {
		reload(world, config);
		show(world, card, 4);
		assert_int_equal(width_of(card, "DP-4"), 0);
		plug(world, card, NULL);
		set_active(world, card, false);
		set_active(world, card, true);
		plug(world, card, &desk);
		assert_int_equal(width_of(card, "DP-4"), 0);
		assert_shown(world, card, "eDP-1", 320);
	}
	enable_as_client(world, "DP-4", true);
	assert_shown(world, card, "DP-4", 640);
}

/* The idle timer of a session powers outputs off before it suspends, and on after the resume. */
static void outputs_powered_off_before_a_suspend_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	for (int i = 0; i < 4; i++) {
		set_power(world, card, "off");
		set_active(world, card, false);
		if (i & 1) {
			fake_card_plug(card, "DP-4", NULL);
		}
		if (i & 2) {
			set_power(world, card, "on");
			set_active(world, card, true);
		} else {
			set_active(world, card, true);
			set_power(world, card, "on");
		}
		assert_shown(world, card, "eDP-1", 320);
		if (i & 1) {
			assert_int_equal(width_of(card, "DP-4"), 0);
			plug(world, card, &desk);
		}
		assert_shown(world, card, "DP-4", 640);
	}
}

/* A television behind a switch: the connector is there at the start, then has another identity. */
static void screen_that_changes_while_it_is_switched_on_is_shown(void **state)
{
	static const struct fake_screen other = {.maker = "TVX",
		.name = "Wall",
		.serial = 7,
		.modes = {{320, 240, 60}, {160, 120, 60}}};
	struct world *world = *state;
	struct fake_card *card = begin_on_laptop(world, "");
	for (int i = 0; i < 3; i++) {
		fake_card_plug(card, "DP-4", NULL);
		fake_card_plug(card, "DP-4", &other);
		show(world, card, 4);
		assert_shown(world, card, "DP-4", 320);
		plug(world, card, &desk);
		assert_shown(world, card, "DP-4", 640);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(screen_unplugged_on_another_terminal_returns_with_its_name),
		TEST(configuration_applies_to_each_return),
		TEST(disabled_screen_stays_off_on_reload_and_return),
		TEST(outputs_powered_off_before_a_suspend_return),
		TEST(screen_that_changes_while_it_is_switched_on_is_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
