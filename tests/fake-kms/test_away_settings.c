/* SPDX-License-Identifier: MIT */
/*
 * Settings of clients and reloads while another terminal is shown, or while screens are powered
 * off: the return, or the light, shows the state that they would have left otherwise.
 */

#include "frame/output.h"
#include "output_client.h"
#include "scene/output.h"
#include "server/output.h"
#include "server/outputs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small, since the CPU fills each frame. */
static const struct fake_screen desk = {
	.maker = "CWY",
	.name = "Desk",
	.serial = 1,
	.modes = {{64, 48, 60}, {48, 36, 60}, {32, 24, 60}},
	.min_hz = 40,
	.max_hz = 60,
	.max_clock = 100,
	.vrr = true,
};
static const struct fake_screen side = {
	.maker = "CWY",
	.name = "Side",
	.serial = 2,
	.modes = {{64, 48, 60}, {32, 24, 60}},
};

static const char *const names[] = {"DP-1", "DP-2"};

/* State of the outputs that a user sees. */
struct sight {
	int enabled, width, x, y, transform, variable, vrr;
	double scale;
};

static void look(struct world *world, struct fake_card *card, struct sight sights[2])
{
	memset(sights, 0, 2 * sizeof(*sights));
	for (int i = 0; i < 2; i++) {
		const struct server_output *entry = find_entry(world, names[i]);
		sights[i].enabled = entry->scene_output != NULL;
		sights[i].width = width_of(card, names[i]);
		if (!entry->scene_output) {
			continue;
		}
		sights[i].x = entry->scene_output->x;
		sights[i].y = entry->scene_output->y;
		sights[i].transform = (int)entry->scene_output->transform;
		sights[i].scale = entry->scene_output->scale;
		sights[i].variable = entry->frame ? (int)entry->frame->display.variable : -1;
		sights[i].vrr = (int)fake_get(card, fake_crtc_of(card, names[i]), "VRR_ENABLED");
	}
}

static void print(const char *title, const struct sight sights[2])
{
	for (int i = 0; i < 2; i++) {
		const struct sight *one = &sights[i];
		print_message("  %s, %s: enabled %d, width %d, at %d,%d, transform %d, scale %g, "
			      "variable %d, VRR %d\n",
			title, names[i], one->enabled, one->width, one->x, one->y, one->transform,
			one->scale, one->variable, one->vrr);
	}
}

enum absence { PRESENT, AWAY, DARK };

/* A step of a user: a request of a client, or a reload. */
struct step {
	const char *text; /* the section of DP-1, and others; NULL: a request */
	struct client_wish wish;
};

static const struct step steps[] = {
	{.wish = {.name = "DP-1", .width = 48}},
	{.wish = {.name = "DP-1", .custom_width = 32}},
	{.wish = {.name = "DP-1", .scale = 2}},
	{.wish = {.name = "DP-1", .transform = WL_OUTPUT_TRANSFORM_90}},
	{.wish = {.name = "DP-1", .has_position = true, .x = 300, .y = 20}},
	{.wish = {.name = "DP-1", .adaptive_sync = 1}},
	{.wish = {.name = "DP-1", .adaptive_sync = -1}},
	{.wish = {.name = "DP-1", .disables = true}},
	{.wish = {.name = "DP-2", .width = 32}},
	{.wish = {.name = "DP-2", .has_position = true, .x = 0, .y = 100}},
	{.wish = {.name = "DP-2", .disables = true}},
	{.wish = {.name = "DP-2", .scale = 1.5}},
	{.text = ""},
	{.text = "[output DP-2]\nscale = 1.25\n"},
	{.text = "mode = 32x24\n"},
	{.text = "mode = 48x36\nscale = 1.5\nposition = 200,0\n"},
	{.text = "transform = flipped-90\n"},
	{.text = "enabled = no\n"},
	{.text = "adaptive-sync = on\n"},
};
#define N_STEPS (int)(sizeof(steps) / sizeof(steps[0]))
#define N_WISHES 12

static void take(struct world *world, struct output_client *client, const struct step *step)
{
	if (step->text) {
		char text[200];
		snprintf(text, sizeof(text), "[output DP-1]\n%s", step->text);
		reload(world, text);
		fixture_pump(world->fixture);
	} else {
		const enum client_answer answer = output_client_apply(client, &step->wish);
		if (answer != CLIENT_SUCCEEDED) {
			fail_msg("answer %d to step %d", (int)answer, (int)(step - steps));
		}
	}
}

static void set_power(struct world *world, bool on)
{
	for (int i = 0; i < 2; i++) {
		server_output_set_power(find_entry(world, names[i]), on);
	}
}

static void draw_all(struct world *world, struct fake_card *card)
{
	for (int i = 0; i < 2; i++) {
		struct scene_output *output = find_entry(world, names[i])->scene_output;
		if (output) {
			scene_output_damage_all(output);
		}
	}
	show(world, card, 2);
}

/* Takes the steps of the list in this state of the session. Sets the final sights. */
static void play(const char *first, const int *list, int n, enum absence absence, bool repeats,
	struct sight sights[2])
{
	struct world *world;
	set_up((void **)&world);
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &desk);
	fake_card_plug(card, "DP-2", &side);
	begin(world, first);
	show(world, card, 3);
	struct output_client *client = output_client_create(world);
	client->repeats = repeats;
	if (absence == AWAY) {
		fake_seat_set_active(false);
	} else if (absence == DARK) {
		set_power(world, false);
	}
	show(world, card, 2);
	for (int i = 0; i < n; i++) {
		take(world, client, &steps[list[i]]);
		show(world, card, 2);
	}
	fake_seat_set_active(true);
	set_power(world, true);
	show(world, card, 4);
	draw_all(world, card); /* frames set VRR */
	look(world, card, sights);
	tear_down((void **)&world);
	free(client);
}

static const char *const firsts[] = {
	"", "[output DP-1]\nmode = 48x36\nscale = 1.25\nposition = 10,10\n"};

/*
 * Compares the end of the steps with that of a lit session. Odd variants are of clients that repeat
 * all settings. Returns the number of differences.
 */
static int compare(const int *list, int n, enum absence absence, int variant)
{
	const bool repeats = variant & 1;
	const char *first = firsts[variant >> 1 & 1];
	struct sight expected[2], seen[2];
	play(first, list, n, PRESENT, repeats, expected);
	play(first, list, n, absence, repeats, seen);
	if (memcmp(expected, seen, sizeof(seen)) == 0) {
		return 0;
	}
	print_message("steps");
	for (int i = 0; i < n; i++) {
		print_message(" %d", list[i]);
	}
	print_message(", after '%s', the client repeats %s:\n", first, repeats ? "all" : "nothing");
	print("expected", expected);
	print("seen", seen);
	return 1;
}

static void compare_pairs(enum absence absence)
{
	int n_failed = 0;
	for (int i = 0; i < N_STEPS; i++) {
		for (int j = 0; j < N_STEPS; j++) {
			/* Each variant of each step, in both orders. */
			n_failed += compare((const int[]){i, j}, 2, absence, i + j);
			n_failed += compare((const int[]){i, j}, 2, absence, i + j + 3);
		}
	}
	assert_int_equal(n_failed, 0);
}

static void pairs_of_settings_while_away_are_as_those_of_a_lit_session(void **state)
{
	compare_pairs(AWAY);
}

static void pairs_of_settings_in_the_dark_are_as_those_of_a_lit_session(void **state)
{
	compare_pairs(DARK);
}

/* A reload between two requests: of another output, and of the one that they change. */
static void reloads_between_requests_while_away_are_as_those_of_a_lit_session(void **state)
{
	int n_failed = 0;
	for (int i = 0; i < N_WISHES; i++) {
		for (int j = 0; j < N_WISHES; j++) {
			for (int k = N_WISHES; k < N_STEPS; k += 1 + (i + j) % 3) {
				n_failed += compare((const int[]){i, k, j}, 3, AWAY, i + j + k);
			}
		}
	}
	assert_int_equal(n_failed, 0);
}

/* Values of their own, since the comparisons above prove no more than equality. */

static struct fake_card *begin_laptop(struct world *world, const char *config)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &desk);
	fake_card_plug(card, "DP-4", &side);
	begin(world, config);
	show(world, card, 3);
	return card;
}

static void leave(struct world *world, struct fake_card *card)
{
	fake_seat_set_active(false);
	show(world, card, 2);
}

static void come_back(struct world *world, struct fake_card *card)
{
	fake_seat_set_active(true);
	show(world, card, 4);
}

static void heads_describe_the_state_after_the_return(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_laptop(world, "");
	struct output_client *client = output_client_create(world);
	leave(world, card);
	const struct client_wish sizes = {.name = "eDP-1", .width = 32, .scale = 2};
	const struct client_wish turn = {.name = "DP-4", .transform = WL_OUTPUT_TRANSFORM_270};
	const struct client_wish custom = {.name = "DP-4", .custom_width = 40};
	assert_int_equal(output_client_apply(client, &sizes), CLIENT_SUCCEEDED);
	assert_int_equal(output_client_apply(client, &turn), CLIENT_SUCCEEDED);
	assert_int_equal(output_client_apply(client, &custom), CLIENT_SUCCEEDED);
	const struct client_head *panel = output_client_find(client, "eDP-1");
	const struct client_head *screen = output_client_find(client, "DP-4");
	assert_int_equal(panel->current->width, 32);
	assert_true(panel->scale == 2);
	assert_int_equal(screen->current->width, 40);
	assert_int_equal(screen->transform, WL_OUTPUT_TRANSFORM_270);
	assert_int_equal(screen->x, 16);
	/* The kernel has the previous state, and the scene, too. */
	assert_int_equal(width_of(card, "eDP-1"), 64);
	assert_int_equal(find_entry(world, "DP-4")->scene_output->x, 64);
	come_back(world, card);
	assert_int_equal(width_of(card, "eDP-1"), 32);
	assert_int_equal(width_of(card, "DP-4"), 40);
	assert_int_equal(find_entry(world, "DP-4")->scene_output->x, 16);
	assert_int_equal(screen->x, 16);
	free(client);
}

static void requests_while_away_keep_settings_loaded_there(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_laptop(world, "[output eDP-1]\nmode = 48x36\n");
	struct output_client *client = output_client_create(world);
	leave(world, card);
	reload(world, "[output DP-4]\nscale = 1.5\nposition = 300,0\nmode = 32x24\n");
	fixture_pump(world->fixture);
	for (int i = 0; i < 2; i++) {
		client->repeats = i;
		assert_int_equal(output_client_apply(client, NULL), CLIENT_SUCCEEDED);
	}
	come_back(world, card);
	const struct scene_output *screen = find_entry(world, "DP-4")->scene_output;
	assert_int_equal(screen->x, 300);
	assert_true(screen->scale == 1.5);
	assert_int_equal(width_of(card, "DP-4"), 32);
	assert_int_equal(width_of(card, "eDP-1"), 64); /* preferred, as the setting has gone */
	free(client);
}

/* As a docking script that runs by ssh, or as a timer. */
static void panel_replaces_screens_that_are_disabled_while_away(void **state)
{
	struct world *world = *state;
	struct libinput_device *lid = fake_input_add("Lid Switch", FAKE_LID);
	struct fake_card *card = begin_laptop(world, "");
	struct output_client *client = output_client_create(world);
	fake_input_throw(lid, FAKE_LID, true);
	show(world, card, 3);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	leave(world, card);
	const struct client_wish off = {.name = "DP-4", .disables = true};
	const struct client_wish on = {.name = "DP-4", .scale = 2};
	const struct client_wish scale = {.name = "eDP-1", .scale = 2};
	assert_int_equal(output_client_apply(client, &off), CLIENT_SUCCEEDED);
	assert_int_equal(output_client_find(client, "DP-4")->enabled, 0);
	assert_int_equal(output_client_find(client, "eDP-1")->enabled, 1);
	assert_int_equal(output_client_apply(client, &scale), CLIENT_SUCCEEDED);
	come_back(world, card);
	assert_int_equal(width_of(card, "eDP-1"), 64);
	assert_int_equal(width_of(card, "DP-4"), 0);
	assert_true(find_entry(world, "eDP-1")->scene_output->scale == 2);
	leave(world, card);
	assert_int_equal(output_client_apply(client, &on), CLIENT_SUCCEEDED);
	assert_int_equal(output_client_find(client, "eDP-1")->enabled, 0);
	come_back(world, card);
	assert_int_equal(width_of(card, "eDP-1"), 0);
	assert_int_equal(width_of(card, "DP-4"), 64);
	free(client);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_of_settings_while_away_are_as_those_of_a_lit_session),
		cmocka_unit_test(pairs_of_settings_in_the_dark_are_as_those_of_a_lit_session),
		cmocka_unit_test(reloads_between_requests_while_away_are_as_those_of_a_lit_session),
		TEST(heads_describe_the_state_after_the_return),
		TEST(requests_while_away_keep_settings_loaded_there),
		TEST(panel_replaces_screens_that_are_disabled_while_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
