/* SPDX-License-Identifier: MIT */
/* Compositor on cards with more screens than CRTCs. */

#include "backend/drm/drm.h"
#include "refusals.h"
#include "scene/output.h"
#include "server/outputs.h"
#include "util/clock.h"
#include "util/task.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const docked[] = {"eDP-5", "DP-8", "DP-9", "DP-10"};
#define N_DOCKED 4

/* A laptop with three CRTCs, and a dock with three screens. */
static struct fake_card *dock(struct world *world, const char *config)
{
	struct fake_card *card = fake_card_create("i915-dock");
	for (int i = 0; i < N_DOCKED; i++) {
		fake_card_plug(card, docked[i], &refusals_screens[i % 3]);
	}
	begin(world, config);
	show(world, card, 3);
	return card;
}

/* Returns the connectors that are lit, as bits. */
static unsigned lit(struct fake_card *card)
{
	unsigned bits = 0;
	for (int i = 0; i < N_DOCKED; i++) {
		bits |= (unsigned)(width_of(card, docked[i]) > 0) << i;
	}
	return bits;
}

static void set_power(struct world *world, struct fake_card *card, int i, bool on)
{
	server_output_set_power(find_entry(world, docked[i]), on);
	show(world, card, 3);
}

/* pop-os/pop#2632 */
static void disabled_panel_leaves_its_crtc_to_the_dock(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "[output eDP-5]\nenabled = no\n");
	assert_int_equal(lit(card), 0xe);
	assert_int_equal(wl_list_length(&world->fixture->server->outputs), N_DOCKED);
}

/* One modeset for those that fit, and no modeset for the fourth. */
static void fourth_screen_is_listed_and_says_why_it_is_dark(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	assert_int_equal(lit(card), 0x7);
	assert_int_equal(fake_card_counts(card).modesets, 1);
	const struct server_output *last = find_entry(world, "DP-10");
	assert_non_null(strstr(last->lacks, "no free CRTC"));
	assert_false(last->retry_timer.armed);
	reload(world, "[output eDP-5]\nenabled = no\n");
	show(world, card, 3);
	assert_int_equal(lit(card), 0xe);
	assert_null(last->lacks);
	assert_true(frame_output_stats(last->frame)->presented > 0);
	reload(world, "");
	show(world, card, 3);
	assert_int_equal(lit(card), 0xe);
	fake_card_plug(card, "DP-9", NULL);
	show(world, card, 3);
	assert_int_equal(lit(card), 0xb);
}

static void screen_that_is_powered_off_leaves_its_crtc(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	set_power(world, card, 1, false);
	assert_int_equal(lit(card), 0xd);
	set_power(world, card, 1, true);
	assert_int_equal(lit(card), 0xd);
	assert_true(find_entry(world, "DP-8")->dark);
	fake_card_plug(card, "eDP-5", NULL);
	show(world, card, 3);
	assert_int_equal(lit(card), 0xe);
}

/* An idle timer powers all screens off: none may take the free CRTCs. */
static void idle_session_stays_dark(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	for (int i = 0; i < N_DOCKED - 1; i++) {
		server_output_set_power(find_entry(world, docked[i]), false);
	}
	show(world, card, 3);
	assert_int_equal(lit(card), 0);
	for (int i = 0; i < N_DOCKED - 1; i++) {
		server_output_set_power(find_entry(world, docked[i]), true);
	}
	show(world, card, 3);
	assert_int_equal(lit(card), 0x7);
	for (int i = 0; i < N_DOCKED - 1; i++) {
		server_output_set_power(find_entry(world, docked[i]), false);
	}
	show(world, card, 3);
	set_power(world, card, 0, true);
	assert_int_equal(lit(card), 0x9);
}

/* wlroots#1394: eDP moves, and shows frames on its new planes. */
static void frames_go_on_after_a_move(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("rockchip");
	fake_card_plug(card, "HDMI-A-5", &refusals_screens[0]);
	fake_card_plug(card, "eDP-3", &refusals_screens[1]);
	begin(world, "");
	show(world, card, 3);
	fake_card_plug(card, "DSI-1", &refusals_screens[2]);
	show(world, card, 3);
	assert_int_equal(width_of(card, "DSI-1"), 0);
	fake_card_plug(card, "HDMI-A-5", NULL);
	show(world, card, 4);
	assert_true(width_of(card, "DSI-1") > 0);
	assert_string_equal(fake_crtc_of(card, "eDP-3"), "crtc-0");
	assert_string_equal(fake_primary_of(card, "eDP-3"), "plane-0");
	assert_true(frame_output_stats(find_entry(world, "eDP-3")->frame)->presented > 0);
	assert_true(frame_output_stats(find_entry(world, "DSI-1")->frame)->presented > 0);
	uint32_t pixel = fake_plane_pixel(card, fake_primary_of(card, "eDP-3"), 10, 10);
	assert_int_equal(fake_plane_pixel(card, fake_primary_of(card, "DSI-1"), 10, 10), pixel);
	assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
}

static void wait_for_recovery(struct world *world, const struct output *output)
{
	const struct drm_card *card = drm_output_from_base((struct output *)output)->card;
	for (int i = 0; tasks_n_pending(card->backend->tasks) > 0; i++) {
		assert_in_range(i, 0, 10000);
		usleep(1000);
		fixture_pump(world->fixture);
	}
}

/*
 * DSI can have eDP's CRTC only. During the recovery of either other output, one of them is disabled
 * in any way: DSI cannot be tested then.
 */
static void screen_that_waits_for_a_recovery_is_lit_after_it(void **state)
{
	static const char *const connectors[] = {"HDMI-A-5", "eDP-3"};
	for (int i = 0; i < 2 * 2 * 2; i++) {
		struct world *world = *state;
		struct fake_card *card = fake_card_create("rockchip");
		const char *lost = connectors[i % 2], *disabled = connectors[i / 2 % 2];
		for (int j = 0; j < 2; j++) {
			fake_card_plug(card, connectors[j], &refusals_screens[j]);
		}
		begin(world, "");
		show(world, card, 3);
		fake_card_plug(card, "DSI-1", &refusals_screens[2]);
		show(world, card, 3);
		assert_int_equal(width_of(card, "DSI-1"), 0);
		fake_card_set_wait(card, 200);
		scene_output_damage_all(find_entry(world, lost)->scene_output);
		for (int j = 0; j < 12; j++) {
			clock_advance(world->fixture->clock, SECOND / 10);
			fixture_pump(world->fixture);
		}
		assert_true(drm_card_is_recovering(
			drm_output_from_base(find_output(world, lost))->card));
		if (i / 4) {
			server_output_set_power(find_entry(world, disabled), false);
		} else {
			char text[64];
			snprintf(text, sizeof(text), "[output %s]\nenabled = no\n", disabled);
			reload(world, text);
		}
		clock_advance(world->fixture->clock, SECOND);
		fixture_pump(world->fixture);
		assert_int_equal(width_of(card, "DSI-1"), 0);
		wait_for_recovery(world, find_output(world, lost));
		show(world, card, 30);
		assert_int_equal(width_of(card, disabled), 0);
		assert_true(width_of(card, connectors[1 - i / 2 % 2]) > 0);
		assert_true(width_of(card, "DSI-1") > 0);
		fixture_destroy(world->fixture);
		world->fixture = NULL;
		fake_reset_all();
	}
}

/* Changes the scale of one output, and repeats the state of all others, as wlr-randr does. */
static void set_scale_as_client(struct world *world, struct fake_card *card, int changed)
{
	struct server_output_change changes[N_DOCKED];
	for (int i = 0; i < N_DOCKED; i++) {
		changes[i].output = find_entry(world, docked[i]);
		server_output_config(changes[i].output, &changes[i].config);
	}
	changes[changed].config.has_scale = true;
	changes[changed].config.scale = 2;
	assert_true(server_outputs_apply(changes, N_DOCKED));
	show(world, card, 3);
	assert_true(changes[changed].output->scene_output->scale == 2);
}

static void clients_do_not_disable_a_screen_that_lacks_a_crtc(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	set_scale_as_client(world, card, 1);
	assert_int_equal(lit(card), 0x7);
	fake_card_plug(card, "DP-9", NULL);
	show(world, card, 3);
	assert_int_equal(lit(card), 0xb);
}

static void clients_do_not_disable_a_panel_under_the_lid(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	struct server *server = world->fixture->server;
	server->lid_closed = true;
	server_outputs_cover(server);
	show(world, card, 3);
	assert_int_equal(lit(card), 0xe);
	set_scale_as_client(world, card, 1);
	fake_card_plug(card, "DP-10", NULL);
	server->lid_closed = false;
	server_outputs_cover(server);
	show(world, card, 3);
	assert_int_equal(lit(card), 0x7);
}

/* The client names the output alone: the user wants that. */
static void clients_disable_lit_screens(void **state)
{
	struct world *world = *state;
	struct fake_card *card = dock(world, "");
	struct server_output_change change = {.output = find_entry(world, "DP-8")};
	server_output_config(change.output, &change.config);
	change.config.enabled = false;
	assert_true(server_outputs_apply(&change, 1));
	show(world, card, 3);
	assert_int_equal(lit(card), 0xd);
	fake_card_plug(card, "DP-9", NULL);
	show(world, card, 3);
	assert_int_equal(lit(card), 0x9);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(disabled_panel_leaves_its_crtc_to_the_dock),
		TEST(fourth_screen_is_listed_and_says_why_it_is_dark),
		TEST(screen_that_is_powered_off_leaves_its_crtc),
		TEST(idle_session_stays_dark),
		TEST(frames_go_on_after_a_move),
		TEST(screen_that_waits_for_a_recovery_is_lit_after_it),
		TEST(clients_do_not_disable_a_screen_that_lacks_a_crtc),
		TEST(clients_do_not_disable_a_panel_under_the_lid),
		TEST(clients_disable_lit_screens),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
