/* SPDX-License-Identifier: MIT */
/*
 * Clients that repeat the present state of outputs beside their changes: a mode that the card has
 * lowered, and an output that is dark although settings enable it, are no wishes.
 */

#include "frame/output.h"
#include "output_client.h"
#include "refusals.h"
#include "scene/output.h"
#include "server/outputs.h"
#include <stdlib.h>

static const char *const one[] = {"DP-1", NULL};
static const char *const two[] = {"DP-1", "DP-2", NULL};
static const char *const panel_and_screen[] = {"eDP-1", "DP-4", NULL};
static const char *const window[] = {"Virtual-1", NULL};

static const struct client_wish scale = {.name = "DP-1", .scale = 2};
static const struct client_wish turn = {
	.name = "DP-1", .transform = WL_OUTPUT_TRANSFORM_90, .has_position = true, .x = 5, .y = 5};
static const struct client_wish *const changes[] = {NULL, &scale, &turn};
#define N_CHANGES (int)(sizeof(changes) / sizeof(changes[0]))

static void end(struct world *world, struct output_client *client)
{
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	fake_reset_all();
	free(client);
}

static void apply(
	struct refusals *refusals, struct output_client *client, const struct client_wish *wish)
{
	assert_int_equal(output_client_apply(client, wish), CLIENT_SUCCEEDED);
	refusals_wait(refusals, SECOND / 10);
}

/* Starts a compositor and connects a client when its outputs have settled. */
static struct output_client *start(
	struct world *world, struct refusals *refusals, const char *config, bool repeats)
{
	begin(world, config);
	refusals_wait(refusals, SECOND);
	struct output_client *client = output_client_create(world);
	client->repeats = repeats;
	return client;
}

static void check_dark(struct world *world, const char *config, const struct client_wish *wish,
	bool repeats, bool away)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	refusals->connector = "DP-2";
	struct output_client *client = start(world, refusals, config, repeats);
	assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	assert_int_equal(output_client_find(client, "DP-2")->enabled, 0);
	apply(refusals, client, wish);
	if (away) {
		fake_seat_set_active(false);
		apply(refusals, client, wish);
		fake_seat_set_active(true);
	}
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	refusals_end(refusals);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(width_of(refusals->card, "DP-2"), *config ? 480 : 640);
	assert_int_equal(output_client_find(client, "DP-2")->enabled, 1);
	end(world, client);
}

static void refused_output_returns_although_clients_repeat_that_it_is_off(void **state)
{
	static const char *const configs[] = {"", "[output DP-2]\nmode = 480x360\nscale = 1.25\n"};
	for (int i = 0; i < 8 * N_CHANGES; i++) {
		check_dark(*state, configs[i & 1], changes[i >> 3], i >> 1 & 1, i >> 2 & 1);
	}
}

/* The client disables a lit output, which the card then refuses: that was a wish. */
static void output_disabled_before_the_refusal_stays_off(void **state)
{
	static const struct client_wish off = {.name = "DP-2", .disables = true};
	for (int i = 0; i < 2 * N_CHANGES; i++) {
		struct world *world = *state;
		struct refusals *refusals = refusals_create(world, "amdgpu", two);
		struct output_client *client = start(world, refusals, "", i & 1);
		apply(refusals, client, &off);
		refusals->connector = "DP-2";
		apply(refusals, client, changes[i >> 1]);
		refusals_end(refusals);
		refusals_hotplug(refusals, "DP-2");
		refusals_wait(refusals, 70 * SECOND);
		assert_int_equal(width_of(refusals->card, "DP-2"), 0);
		end(world, client);
	}
}

static void panel_under_the_lid_returns_although_clients_repeat_that_it_is_off(void **state)
{
	for (int i = 0; i < 4 * N_CHANGES; i++) {
		struct world *world = *state;
		struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
		struct refusals *refusals = refusals_create(world, "i915", panel_and_screen);
		begin(world, "");
		fake_input_throw(lid, FAKE_LID, true);
		refusals_wait(refusals, SECOND);
		struct output_client *client = output_client_create(world);
		client->repeats = i & 1;
		assert_int_equal(output_client_find(client, "eDP-1")->enabled, 0);
		fake_seat_set_active(!(i & 2));
		struct client_wish wish = changes[i >> 2] ? *changes[i >> 2] : scale;
		wish.name = "DP-4";
		apply(refusals, client, changes[i >> 2] ? &wish : NULL);
		fake_seat_set_active(true);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "eDP-1"), 0);
		fake_input_throw(lid, FAKE_LID, false);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "eDP-1"), 640);
		end(world, client);
	}
}

/* The panel is lit until the session returns. */
static void panel_that_will_be_covered_returns_although_clients_repeat_that_it_is_off(void **state)
{
	static const struct client_wish off = {.name = "DP-4", .disables = true};
	static const struct client_wish on = {.name = "DP-4"};
	for (int i = 0; i < 2; i++) {
		struct world *world = *state;
		struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
		struct refusals *refusals = refusals_create(world, "i915", panel_and_screen);
		begin(world, "");
		fake_input_throw(lid, FAKE_LID, true);
		refusals_wait(refusals, SECOND);
		struct output_client *client = output_client_create(world);
		client->repeats = i;
		apply(refusals, client, &off);
		assert_int_equal(width_of(refusals->card, "eDP-1"), 640);
		fake_seat_set_active(false);
		apply(refusals, client, &on);
		assert_int_equal(output_client_find(client, "eDP-1")->enabled, 0);
		apply(refusals, client, &on);
		fake_seat_set_active(true);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "eDP-1"), 0);
		fake_input_throw(lid, FAKE_LID, false);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "eDP-1"), 640);
		end(world, client);
	}
}

static void check_lowered(struct world *world, const char *config, const struct client_wish *wish,
	bool repeats, int width)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	refusals->widest = 320;
	struct output_client *client = start(world, refusals, config, repeats);
	assert_int_equal(output_client_find(client, "DP-1")->current->width, 320);
	apply(refusals, client, wish);
	apply(refusals, client, wish);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	refusals_end(refusals);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), width);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
	end(world, client);
}

static void lowered_mode_rises_although_clients_repeat_it(void **state)
{
	for (int i = 0; i < 2 * N_CHANGES; i++) {
		check_lowered(*state, "", changes[i >> 1], i & 1, 640);
		check_lowered(
			*state, "[output DP-1]\nmode = 480x360\n", changes[i >> 1], i & 1, 480);
	}
}

/* As kanshi does for a profile of this mode. */
static void lowered_mode_that_a_client_names_alone_stays(void **state)
{
	static const struct client_wish low = {.name = "DP-1", .width = 320};
	check_lowered(*state, "", &low, false, 320);
	check_lowered(*state, "[output DP-1]\nmode = 480x360\n", &low, false, 320);
}

static void mode_of_an_earlier_request_returns_although_clients_repeat_a_lower_one(void **state)
{
	static const struct client_wish middle = {.name = "DP-1", .width = 480};
	for (int i = 0; i < 2 * N_CHANGES; i++) {
		struct world *world = *state;
		struct refusals *refusals = refusals_create(world, "amdgpu", one);
		struct output_client *client = start(world, refusals, "", i & 1);
		apply(refusals, client, &middle);
		fake_card_plug(refusals->card, "DP-1", NULL);
		refusals_wait(refusals, SECOND);
		refusals->widest = 320;
		fake_card_plug(refusals->card, "DP-1", &refusals_screens[0]);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 320);
		apply(refusals, client, changes[i >> 1]);
		refusals_end(refusals);
		refusals_wait(refusals, 70 * SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 480);
		end(world, client);
	}
}

/* The row of outputs has neither gaps nor overlaps when the higher modes return. */
static void repeated_positions_follow_the_row(void **state)
{
	static const struct client_wish small = {.name = "DP-2", .scale = 2};
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	refusals->widest = 320;
	struct output_client *client = start(world, refusals, "", true);
	apply(refusals, client, &small);
	assert_int_equal(find_entry(world, "DP-2")->scene_output->x, 320);
	refusals_end(refusals);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(find_entry(world, "DP-2")->scene_output->x, 640);
	apply(refusals, client, &scale);
	assert_int_equal(find_entry(world, "DP-2")->scene_output->x, 320);
	/* A position that changes makes the others the client's, too. */
	apply(refusals, client, &turn);
	assert_int_equal(find_entry(world, "DP-1")->scene_output->x, 5);
	assert_int_equal(find_entry(world, "DP-2")->scene_output->x, 320);
	fake_card_plug(refusals->card, "DP-1", NULL);
	refusals_wait(refusals, SECOND);
	assert_int_equal(find_entry(world, "DP-2")->scene_output->x, 320);
	end(world, client);
}

/* On the host of a nested session, the preferred scale of the window may change. */
static void repeated_scale_and_transform_stay_automatic(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	struct output_client *client = start(world, refusals, "", true);
	apply(refusals, client, &turn);
	assert_true(find_entry(world, "DP-1")->screen->client_config.has_transform);
	for (int i = 0; i < 2; i++) {
		const struct config_output *config =
			server_output_find_config(find_entry(world, two[i]));
		assert_false(config->has_scale);
		assert_int_equal(config->has_transform, i == 0);
	}
	end(world, client);
}

/* The client names all properties: among them, the lowered mode that the output had last. */
static void mode_of_a_disabled_output_is_no_repetition(void **state)
{
	static const struct client_wish off = {.name = "DP-1", .disables = true};
	static const struct client_wish on = {.name = "DP-1",
		.width = 320,
		.scale = 1,
		.transform = WL_OUTPUT_TRANSFORM_90,
		.has_position = true};
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	refusals->widest = 320;
	begin(world, "");
	refusals_wait(refusals, SECOND);
	struct output_client *client = output_client_create(world);
	apply(refusals, client, &off);
	refusals_end(refusals);
	apply(refusals, client, &on);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	end(world, client);
}

/* "auto" is sent as disabled while no window wants a variable rate. */
static void repeated_adaptive_sync_stays_automatic(void **state)
{
	static const struct client_wish off = {.name = "DP-2", .adaptive_sync = -1};
	for (int i = 0; i < 2; i++) {
		struct world *world = *state;
		struct refusals *refusals = refusals_create(world, "amdgpu", two);
		struct output_client *client = start(world, refusals, "", i);
		apply(refusals, client, &scale);
		const struct server_output *entry = find_entry(world, "DP-2");
		assert_int_equal(entry->frame->display.variable, FRAME_VARIABLE_AUTO);
		client->repeats = false;
		apply(refusals, client, &off);
		assert_int_equal(entry->frame->display.variable, FRAME_VARIABLE_OFF);
		end(world, client);
	}
}

static void window_of_a_host_is_followed_although_clients_repeat_its_size(void **state)
{
	static const struct client_wish large = {.name = "Virtual-1", .scale = 1.5};
	static const struct fake_screen smaller = {.modes = {{320, 240, 60}, {640, 480, 60}}};
	for (int i = 0; i < 2; i++) {
		struct world *world = *state;
		struct refusals *refusals = refusals_create(world, "virtio_gpu", window);
		struct output_client *client = start(world, refusals, "", i);
		apply(refusals, client, NULL);
		apply(refusals, client, &large);
		assert_int_equal(width_of(refusals->card, "Virtual-1"), 640);
		fake_card_plug(refusals->card, "Virtual-1", &smaller);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "Virtual-1"), 320);
		end(world, client);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_output_returns_although_clients_repeat_that_it_is_off),
		TEST(output_disabled_before_the_refusal_stays_off),
		TEST(panel_under_the_lid_returns_although_clients_repeat_that_it_is_off),
		TEST(panel_that_will_be_covered_returns_although_clients_repeat_that_it_is_off),
		TEST(lowered_mode_rises_although_clients_repeat_it),
		TEST(lowered_mode_that_a_client_names_alone_stays),
		TEST(mode_of_an_earlier_request_returns_although_clients_repeat_a_lower_one),
		TEST(repeated_positions_follow_the_row),
		TEST(repeated_scale_and_transform_stay_automatic),
		TEST(mode_of_a_disabled_output_is_no_repetition),
		TEST(repeated_adaptive_sync_stays_automatic),
		TEST(window_of_a_host_is_followed_although_clients_repeat_its_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
