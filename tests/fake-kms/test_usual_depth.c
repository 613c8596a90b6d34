/* SPDX-License-Identifier: MIT */
/*
 * "max bpc" of connectors whose screens change: a screen without a setting has the value of the
 * driver, whatever depth the former screen had.
 */

#include "refusals.h"
#include "scene/output.h"
#include <string.h>

static const char *const none[] = {NULL};

#define DEEP(number, title)                                                                        \
	{                                                                                          \
		.maker = "CWY", .name = title, .serial = number,                                   \
		.modes = {{640, 480, 60}, {320, 240, 60}}, .deep = true,                           \
	}

static const struct fake_screen deep = DEEP(1, "Deep"), other = DEEP(2, "Other");
static const struct fake_screen nameless = {.modes = {{640, 480, 60}}};

#define SETTINGS "[output *Deep*]\nbit-depth = 10\n"

static uint64_t depth_of(const struct refusals *refusals)
{
	return fake_get(refusals->card, "DP-1", "max bpc");
}

static void plug(struct refusals *refusals, const struct fake_screen *screen)
{
	fake_card_plug(refusals->card, "DP-1", screen);
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), screen ? 640 : 0);
}

enum change { AT_ONCE, BY_ABSENCE, ON_ANOTHER_TERMINAL, IN_THE_DARK, N_WAYS };

static void change_to(struct refusals *refusals, const struct fake_screen *screen, enum change way)
{
	switch (way) {
	case BY_ABSENCE: plug(refusals, NULL); break;
	case ON_ANOTHER_TERMINAL: fake_seat_set_active(false); break;
	case IN_THE_DARK:
		server_output_set_power(find_entry(refusals->world, "DP-1"), false);
		refusals_wait(refusals, SECOND);
		break;
	default: break;
	}
	fake_card_plug(refusals->card, "DP-1", screen);
	refusals_wait(refusals, SECOND);
	fake_seat_set_active(true);
	refusals_wait(refusals, SECOND);
	if (way == IN_THE_DARK) {
		server_output_set_power(find_entry(refusals->world, "DP-1"), true);
	}
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void end(struct world *world)
{
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	fake_reset_all();
}

/* The driver's value, or that of the program that had the terminal before, is `usual`. */
static struct refusals *begin_usual(struct world *world, const struct fake_screen *first, int usual)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", none);
	fake_set(refusals->card, "DP-1", "max bpc", (uint64_t)usual);
	fake_card_plug(refusals->card, "DP-1", first);
	begin(world, SETTINGS);
	refusals_wait(refusals, SECOND);
	return refusals;
}

static void screen_without_a_setting_inherits_no_depth(void **state)
{
	static const struct fake_screen *const others[] = {&other, &nameless};
	for (int i = 0; i < N_WAYS * 4; i++) {
		const struct fake_screen *next = others[i & 1];
		const int usual = i & 2 ? 12 : 8;
		struct refusals *refusals = begin_usual(*state, &deep, usual);
		assert_int_equal(depth_of(refusals), 10);
		for (int round = 0; round < 2; round++) {
			change_to(refusals, next, (enum change)(i >> 2));
			assert_int_equal(depth_of(refusals), usual);
			change_to(refusals, &deep, (enum change)(i >> 2));
			assert_int_equal(depth_of(refusals), 10);
		}
		end(*state);
	}
}

static void screen_with_a_setting_leaves_the_usual_depth_to_the_next_ones(void **state)
{
	for (int i = 0; i < N_WAYS; i++) {
		struct refusals *refusals = begin_usual(*state, &other, 12);
		assert_int_equal(depth_of(refusals), 12);
		change_to(refusals, &deep, (enum change)i);
		assert_int_equal(depth_of(refusals), 10);
		change_to(refusals, &nameless, (enum change)i);
		assert_int_equal(depth_of(refusals), 12);
		reload(*state, "[output DP-1]\nbit-depth = 10\n");
		refusals_wait(refusals, SECOND);
		assert_int_equal(depth_of(refusals), 10);
		change_to(refusals, &other, (enum change)i);
		reload(*state, "");
		refusals_wait(refusals, SECOND);
		assert_int_equal(depth_of(refusals), 12);
		end(*state);
	}
}

/* The card is closed while it has no screens. */
static void closed_card_remembers_the_usual_depth(void **state)
{
	struct refusals *refusals = begin_usual(*state, &deep, 12);
	plug(refusals, NULL);
	plug(refusals, &other);
	assert_int_equal(depth_of(refusals), 12);
	end(*state);
}

/* A dock gives the connector's ID to another one, whose driver has set its own value. */
static void new_connector_with_a_known_id_has_its_own_value(void **state)
{
	for (int together = 0; together < 2; together++) {
		struct refusals *refusals = begin_usual(*state, &deep, 8);
		fake_card_plug(refusals->card, "HDMI-A-1", &other);
		refusals_wait(refusals, SECOND);
		for (int usual = 12; usual <= 14; usual += 2) {
			plug(refusals, NULL);
			fake_card_remove_connector(refusals->card, "DP-1");
			refusals_wait(refusals, SECOND);
			fake_card_restore_connector(refusals->card, "DP-1");
			if (!together) {
				refusals_wait(refusals, SECOND);
			}
			fake_set(refusals->card, "DP-1", "max bpc", (uint64_t)usual);
			plug(refusals, &other);
			assert_int_equal(depth_of(refusals), usual);
			plug(refusals, &deep);
			assert_int_equal(depth_of(refusals), 10);
			plug(refusals, &nameless);
			assert_int_equal(depth_of(refusals), usual);
		}
		end(*state);
	}
}

/* Events of other connectors, and those of a connector that stays, forget nothing. */
static void removed_connectors_leave_others_their_values(void **state)
{
	struct refusals *refusals = begin_usual(*state, &deep, 12);
	fake_card_plug(refusals->card, "DP-2", &other);
	refusals_wait(refusals, SECOND);
	fake_card_plug(refusals->card, "DP-2", NULL);
	refusals_wait(refusals, SECOND);
	fake_card_remove_connector(refusals->card, "DP-2");
	refusals_wait(refusals, SECOND);
	refusals_hotplug(refusals, "DP-1");
	change_to(refusals, &other, AT_ONCE);
	assert_int_equal(depth_of(refusals), 12);
	end(*state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(screen_without_a_setting_inherits_no_depth),
		TEST(screen_with_a_setting_leaves_the_usual_depth_to_the_next_ones),
		TEST(closed_card_remembers_the_usual_depth),
		TEST(new_connector_with_a_known_id_has_its_own_value),
		TEST(removed_connectors_leave_others_their_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
