/* SPDX-License-Identifier: MIT */
/* Modes of equal size and rate: interlaced ones, and ones with another blanking. */

#include "server/output.h"
#include "server/server.h"
#include "server_common.h"
#include <errno.h>
#include <stdio.h>
#include <xf86drmMode.h>

/* The television lists interlaced modes first; all three have 60 Hz exactly. */
static const struct fake_screen television = {
	.maker = "CWY",
	.name = "Television",
	.modes = {{1280, 720, 60}, {1920, 1080, 60, .interlaced = true},
		{1920, 1080, 60, .blank = 280}, {1920, 1080, 60, .blank = 160}},
};
enum { SMALL, INTERLACED, WIDE, REDUCED };

static struct fake_card *begin_with(
	struct world *world, const struct fake_screen *screen, const char *config)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "HDMI-A-1", screen);
	begin(world, config);
	show(world, card, 2);
	return card;
}

static drmModeModeInfo mode_of(struct fake_card *card)
{
	size_t size;
	const drmModeModeInfo *mode =
		fake_get_blob(card, fake_crtc_of(card, "HDMI-A-1"), "MODE_ID", &size);
	assert_non_null(mode);
	return *mode;
}

static bool is_interlaced(struct fake_card *card)
{
	return mode_of(card).flags & DRM_MODE_FLAG_INTERLACE;
}

/* Sets a mode of the list, as a client of wlr-output-management does. */
static bool choose(struct world *world, int i)
{
	struct server_output_change change = {.output = find_entry(world, "HDMI-A-1")};
	const struct output_mode *mode = &change.output->output->modes[i];
	server_output_config(change.output, &change.config);
	change.config.has_mode = true;
	change.config.width = mode->width;
	change.config.height = mode->height;
	change.config.refresh = mode->refresh;
	change.config.timing = mode->timing;
	return server_outputs_apply(&change, 1);
}

static void modes_of_equal_size_and_rate_are_all_selectable(void **state)
{
	struct world *world = *state;
	struct fake_card *card = begin_with(world, &television, "");
	const struct output *output = find_output(world, "HDMI-A-1");
	assert_int_equal(output->n_modes, 4);
	for (int i = INTERLACED; i <= REDUCED; i++) {
		assert_int_equal(output->modes[i].refresh, 60000);
	}
	static const int order[] = {WIDE, REDUCED, INTERLACED, WIDE, INTERLACED};
	for (int i = 0; i < 5; i++) {
		uint64_t modesets = fake_card_counts(card).modesets;
		assert_true(choose(world, order[i]));
		show(world, card, 2);
		assert_int_equal(fake_card_counts(card).modesets, modesets + 1);
		assert_int_equal(output->mode.timing, output->modes[order[i]].timing);
		assert_int_equal(is_interlaced(card), order[i] == INTERLACED);
		assert_int_equal(mode_of(card).htotal, order[i] == WIDE ? 2200 : 2080);
	}
	uint64_t modesets = fake_card_counts(card).modesets;
	assert_true(choose(world, INTERLACED));
	show(world, card, 2);
	assert_int_equal(fake_card_counts(card).modesets, modesets);
}

static void configured_mode_is_progressive_unless_interlaced_is_named(void **state)
{
	static const struct {
		const char *mode;
		int index;
	} rows[] = {{"1920x1080", WIDE}, {"1920x1080@60", WIDE}, {"1920x1080i", INTERLACED},
		{"1920x1080i@60", INTERLACED}, {"1280x720i", SMALL}};
	struct world *world = *state;
	struct fake_card *card = begin_with(world, &television, "");
	const struct output *output = find_output(world, "HDMI-A-1");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char config[128];
		snprintf(config, sizeof(config), "[output HDMI-A-1]\nmode = %s\n", rows[i].mode);
		reload(world, config);
		show(world, card, 2);
		assert_int_equal(output->mode.timing, output->modes[rows[i].index].timing);
	}
}

/* A screen that lists 1080 lines interlaced only at this rate: it is used, not a computed mode. */
static void interlaced_mode_of_the_configured_rate_is_used(void **state)
{
	static const struct fake_screen old = {
		.maker = "CWY",
		.name = "Old",
		.modes = {{1280, 720, 60}, {1920, 1080, 30}, {1920, 1080, 60, .interlaced = true}},
	};
	struct world *world = *state;
	struct fake_card *card =
		begin_with(world, &old, "[output HDMI-A-1]\nmode = 1920x1080@60\n");
	assert_true(is_interlaced(card));
	reload(world, "[output HDMI-A-1]\nmode = 1920x1080\n");
	show(world, card, 2);
	assert_int_equal(mode_of(card).vrefresh, 30);
}

static int refuse_fast_clocks(void *data, const struct fake_head *heads, int n)
{
	return heads[0].clock > 140000 ? EINVAL : 0;
}

/* The same size with reduced blanking, before smaller sizes. */
static void refused_timing_is_replaced_by_another_of_equal_size_and_rate(void **state)
{
	static const struct fake_screen monitor = {
		.maker = "CWY",
		.name = "Monitor",
		.modes = {{1920, 1080, 60, .blank = 280}, {1920, 1080, 60}, {1280, 720, 60}},
	};
	struct world *world = *state;
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "HDMI-A-1", &monitor);
	fake_card_set_mode_judge(card, refuse_fast_clocks, NULL);
	begin(world, "");
	show(world, card, 2);
	assert_int_equal(mode_of(card).hdisplay, 1920);
	assert_int_equal(mode_of(card).htotal, 2080);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(modes_of_equal_size_and_rate_are_all_selectable),
		TEST(configured_mode_is_progressive_unless_interlaced_is_named),
		TEST(interlaced_mode_of_the_configured_rate_is_used),
		TEST(refused_timing_is_replaced_by_another_of_equal_size_and_rate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
