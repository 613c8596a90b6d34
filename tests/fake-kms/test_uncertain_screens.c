/* SPDX-License-Identifier: MIT */
/* Connectors that cannot tell whether a screen is connected: drm_connector_status "unknown". */

#include "server/output.h"
#include "server/outputs.h"
#include "server/server.h"
#include "server_common.h"

/* The kernel lists fallback modes without an EDID: drm_add_modes_noedid(). */
static const struct fake_screen uncertain = {
	.modes = {{1024, 768, 60}, {800, 600, 60}},
	.unknown = true,
};

static struct fake_card *plug(const char *kind, const char *connector)
{
	struct fake_card *card = fake_card_create(kind);
	fake_card_plug(card, connector, &uncertain);
	return card;
}

static void reload_and_show(struct world *world, struct fake_card *card, const char *config)
{
	reload(world, config);
	show(world, card, 3);
}

/* RPi-Distro/repo#397: the session was black. */
static void only_screen_is_lit_without_certainty(void **state)
{
	struct world *world = *state;
	struct fake_card *card = plug("vc4", "HDMI-A-6");
	begin(world, "");
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 1024);
}

static void uncertain_screen_is_off_beside_a_certain_one(void **state)
{
	struct world *world = *state;
	struct fake_card *card = plug("vc4", "HDMI-A-6");
	begin(world, "");
	show(world, card, 3);
	fake_card_plug(card, "HDMI-A-7", &fake_screen_plain);
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 0);
	assert_int_equal(width_of(card, "HDMI-A-7"), 1920);
	assert_non_null(find_entry(world, "HDMI-A-6"));
	fake_card_plug(card, "HDMI-A-7", NULL);
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 1024);
}

/* The other card's screen counts, in any order of the cards; a headset does not. */
static void screens_of_all_cards_count(void **state)
{
	struct world *world = *state;
	struct fake_card *first = plug("vc4", "HDMI-A-6");
	struct fake_card *second = fake_card_create("amdgpu");
	fake_card_plug(second, "DP-1", &fake_screen_plain);
	fake_card_plug(second, "DP-2", &fake_screen_headset);
	begin(world, "");
	show(world, second, 3);
	assert_int_equal(width_of(first, "HDMI-A-6"), 0);
	assert_int_equal(fake_card_counts(first).modesets, 0);
	fake_card_plug(second, "DP-1", NULL);
	show(world, first, 3);
	assert_int_equal(width_of(first, "HDMI-A-6"), 1024);
}

static void configuration_lights_an_uncertain_screen(void **state)
{
	struct world *world = *state;
	struct fake_card *card = plug("vc4", "HDMI-A-6");
	fake_card_plug(card, "HDMI-A-7", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 0);
	reload_and_show(world, card, "[output HDMI-A-6]\nenabled = yes\n");
	assert_int_equal(width_of(card, "HDMI-A-6"), 1024);
	reload_and_show(world, card, "[output HDMI-A-6]\nscale = 2\n");
	assert_int_equal(width_of(card, "HDMI-A-6"), 0);
	reload_and_show(world, card, "[output HDMI-A-6]\nmode = 800x600\n");
	assert_int_equal(width_of(card, "HDMI-A-6"), 800);
	reload_and_show(world, card, "[output HDMI-A-6]\nmode = 800x600\nenabled = no\n");
	assert_int_equal(width_of(card, "HDMI-A-6"), 0);
}

/* Such as wlr-randr --on. */
static void client_lights_an_uncertain_screen(void **state)
{
	struct world *world = *state;
	struct fake_card *card = plug("vc4", "HDMI-A-6");
	fake_card_plug(card, "HDMI-A-7", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	struct server_output_change change = {.output = find_entry(world, "HDMI-A-6")};
	server_output_config(change.output, &change.config);
	change.config.enabled = true;
	assert_true(server_outputs_apply(&change, 1));
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 1024);
}

/* The driver finds out later, as after a load detection. */
static void screen_that_becomes_certain_stays_lit(void **state)
{
	struct world *world = *state;
	struct fake_screen certain = uncertain;
	certain.unknown = false;
	struct fake_card *card = plug("vc4", "HDMI-A-6");
	fake_card_plug(card, "HDMI-A-7", &fake_screen_plain);
	begin(world, "");
	show(world, card, 3);
	fake_card_plug(card, "HDMI-A-6", &certain);
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 1024);
	fake_card_plug(card, "HDMI-A-6", &uncertain);
	show(world, card, 3);
	assert_int_equal(width_of(card, "HDMI-A-6"), 0);
}

/* The client names it while another terminal is shown. */
static void uncertain_screen_covers_the_panel_under_the_lid(void **state)
{
	struct world *world = *state;
	struct fake_card *card = fake_card_create("i915");
	static const struct fake_screen inner = {
		.maker = "CWY", .name = "Panel", .serial = 1, .modes = {{320, 240, 60}}};
	static const struct fake_screen outer = {.modes = {{320, 240, 60}}, .unknown = true};
	fake_card_plug(card, "eDP-1", &inner);
	fake_card_plug(card, "DP-4", &outer);
	begin(world, "");
	world->fixture->server->lid_closed = true;
	server_outputs_cover(world->fixture->server);
	show(world, card, 3);
	assert_int_equal(width_of(card, "eDP-1"), 320);
	assert_int_equal(width_of(card, "DP-4"), 0);
	fake_seat_set_active(false);
	show(world, card, 2);
	struct server_output_change changes[2] = {
		{.output = find_entry(world, "eDP-1")}, {.output = find_entry(world, "DP-4")}};
	for (int i = 0; i < 2; i++) {
		server_output_config(changes[i].output, &changes[i].config);
		changes[i].config.enabled = changes[i].config.has_scale = true;
		changes[i].config.scale = 2;
	}
	assert_true(server_outputs_apply(changes, 2));
	fake_seat_set_active(true);
	show(world, card, 4);
	assert_int_equal(width_of(card, "DP-4"), 320);
	assert_int_equal(width_of(card, "eDP-1"), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(uncertain_screen_covers_the_panel_under_the_lid),
		TEST(only_screen_is_lit_without_certainty),
		TEST(uncertain_screen_is_off_beside_a_certain_one),
		TEST(screens_of_all_cards_count),
		TEST(configuration_lights_an_uncertain_screen),
		TEST(client_lights_an_uncertain_screen),
		TEST(screen_that_becomes_certain_stays_lit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
