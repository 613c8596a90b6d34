/* SPDX-License-Identifier: MIT */
/*
 * Public reports about programs that configure outputs (wlr-randr, kanshi, wdisplays) while screens
 * sleep, terminals change or docks come and go: the table in docs/testing.md names them.
 */

#include "output_client.h"
#include "scene/output.h"
#include "server/output.h"
#include <stdlib.h>

/* Small, since the CPU fills each frame. */
static const struct fake_screen panel = {
	.maker = "CWY",
	.name = "Panel",
	.serial = 1,
	.modes = {{64, 48, 60}, {32, 24, 60}},
};
static const struct fake_screen desk = {
	.maker = "CWY",
	.name = "Desk",
	.serial = 2,
	.modes = {{80, 60, 60}, {48, 36, 60}},
};

static const struct client_wish panel_off = {.name = "eDP-1", .disables = true};
static const struct client_wish panel_on = {.name = "eDP-1"};
static const struct client_wish desk_off = {.name = "DP-4", .disables = true};
static const struct client_wish desk_on = {.name = "DP-4"};
static const struct client_wish turned = {.name = "DP-4",
	.width = 48,
	.scale = 2,
	.transform = WL_OUTPUT_TRANSFORM_270,
	.has_position = true,
	.x = 200,
	.y = 10};

static struct fake_card *begin_docked(struct world *world, struct output_client **client)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &panel);
	fake_card_plug(card, "DP-4", &desk);
	begin(world, "");
	show(world, card, 3);
	*client = output_client_create(world);
	return card;
}

static void apply(struct world *world, struct fake_card *card, struct output_client *client,
	const struct client_wish *wish)
{
	assert_int_equal(output_client_apply(client, wish), CLIENT_SUCCEEDED);
	show(world, card, 3);
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

static void set_power(struct world *world, struct fake_card *card, bool on)
{
	server_output_set_power(find_entry(world, "eDP-1"), on);
	server_output_set_power(find_entry(world, "DP-4"), on);
	show(world, card, 3);
}

static void assert_turned(struct world *world, struct fake_card *card, struct output_client *client)
{
	const struct scene_output *place = find_entry(world, "DP-4")->scene_output;
	const struct client_head *head = output_client_find(client, "DP-4");
	assert_int_equal(width_of(card, "DP-4"), 48);
	assert_true(place->scale == 2 && head->scale == 2);
	assert_int_equal(place->transform, WL_OUTPUT_TRANSFORM_270);
	assert_int_equal(head->transform, WL_OUTPUT_TRANSFORM_270);
	assert_int_equal(place->x, 200);
	assert_int_equal(head->x, 200);
	assert_int_equal(place->y, 10);
}

static void disabled_output_stays_off_after_a_terminal_switch(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	apply(world, card, client, &desk_off);
	set_active(world, card, false);
	set_active(world, card, true);
	assert_int_equal(width_of(card, "DP-4"), 0);
	assert_int_equal(output_client_find(client, "DP-4")->enabled, 0);
	free(client);
}

static void panel_can_be_enabled_after_undocking_on_another_terminal(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	apply(world, card, client, &panel_off);
	struct client_head *head = output_client_find(client, "DP-4");
	set_active(world, card, false);
	plug(world, card, NULL);
	set_active(world, card, true);
	assert_true(head->finished);
	apply(world, card, client, &panel_on);
	assert_int_equal(width_of(card, "eDP-1"), 64);
	free(client);
}

static void screen_of_a_docked_profile_returns_without_the_client(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	apply(world, card, client, &turned);
	apply(world, card, client, &panel_off);
	plug(world, card, NULL);
	plug(world, card, &desk);
	assert_turned(world, card, client);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	free(client);
}

static void disabled_output_stays_off_under_later_requests(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	const struct client_wish scale = {.name = "DP-4", .scale = 1.5};
	for (int i = 0; i < 2; i++) {
		client->repeats = i;
		apply(world, card, client, &panel_off);
		apply(world, card, client, &scale);
		apply(world, card, client, NULL);
		assert_int_equal(width_of(card, "eDP-1"), 0);
		apply(world, card, client, &panel_on);
		assert_int_equal(width_of(card, "eDP-1"), 64);
	}
	free(client);
}

static void late_profile_is_cancelled_and_the_next_one_applied(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	const uint32_t serial = client->serial;
	plug(world, card, NULL);
	plug(world, card, &desk);
	const uint32_t latest = client->serial;
	assert_int_not_equal(latest, serial);
	client->serial = serial;
	assert_int_equal(output_client_apply(client, &panel_off), CLIENT_CANCELLED);
	assert_int_equal(width_of(card, "eDP-1"), 64);
	client->serial = latest;
	apply(world, card, client, &panel_off);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	assert_int_equal(width_of(card, "DP-4"), 80);
	free(client);
}

static void clients_see_screens_go(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	for (int off = 0; off < 2; off++) {
		struct client_head *head = output_client_find(client, "DP-4");
		const uint32_t serial = client->serial;
		set_power(world, card, !off);
		plug(world, card, NULL);
		assert_true(head->finished);
		assert_int_not_equal(client->serial, serial);
		plug(world, card, &desk);
		assert_int_equal(output_client_find(client, "DP-4")->enabled, 1);
	}
	free(client);
}

/* Screens that drop their link in standby return, and kanshi applies its profile then. */
static void profile_in_the_dark_does_not_light_the_screens(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	set_power(world, card, false);
	plug(world, card, NULL);
	plug(world, card, &desk);
	apply(world, card, client, &turned);
	assert_int_equal(width_of(card, "DP-4"), 0);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	set_power(world, card, true);
	assert_turned(world, card, client);
	assert_int_equal(width_of(card, "eDP-1"), 64);
	free(client);
}

static void settings_survive_sleep(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	apply(world, card, client, &turned);
	set_power(world, card, false);
	set_power(world, card, true);
	assert_turned(world, card, client);
	/* The system sleeps, and the screen is not there at first. */
	set_active(world, card, false);
	fake_card_plug(card, "DP-4", NULL);
	set_active(world, card, true);
	plug(world, card, &desk);
	assert_turned(world, card, client);
	free(client);
}

/* Members that a profile does not name: kanshi sets the named ones only. */
static void output_is_enabled_without_a_mode(void **state)
{
	struct world *world = *state;
	struct output_client *client;
	struct fake_card *card = begin_docked(world, &client);
	for (int away = 0; away < 2; away++) {
		apply(world, card, client, &desk_off);
		set_active(world, card, !away);
		apply(world, card, client, &desk_on);
		set_active(world, card, true);
		assert_int_equal(width_of(card, "DP-4"), 80);
		assert_int_equal(find_entry(world, "DP-4")->scene_output->x, 64);
	}
	free(client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(disabled_output_stays_off_after_a_terminal_switch),
		TEST(panel_can_be_enabled_after_undocking_on_another_terminal),
		TEST(screen_of_a_docked_profile_returns_without_the_client),
		TEST(disabled_output_stays_off_under_later_requests),
		TEST(late_profile_is_cancelled_and_the_next_one_applied),
		TEST(clients_see_screens_go),
		TEST(profile_in_the_dark_does_not_light_the_screens),
		TEST(settings_survive_sleep),
		TEST(output_is_enabled_without_a_mode),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
