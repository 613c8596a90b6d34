/* SPDX-License-Identifier: MIT */
/* Bit depths that the card refuses for a while: the output keeps its mode, and is tried again. */

#include "refusals.h"
#include "scene/output.h"
#include "util/clock.h"
#include <errno.h>

#define TEN "[output DP-1]\nbit-depth = 10\n"
/* Bits per second that suffice for the best mode of the screen with eight bits per channel only. */
#define NARROW UINT64_C(650000000)

static const char *const one[] = {"DP-1", NULL};

static const struct fake_screen deep = {
	.maker = "CWY",
	.name = "Deep",
	.serial = 1,
	.modes = {{640, 480, 60}, {480, 360, 60}, {320, 240, 60}},
	.min_hz = 50,
	.max_hz = 70,
	.max_clock = 100,
	.deep = true,
};

static struct refusals *begin_deep(struct world *world, uint64_t link, const char *config)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	fake_card_plug(refusals->card, "DP-1", &deep);
	fake_card_set_link(refusals->card, link);
	begin(world, config);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	return refusals;
}

static uint64_t depth_of(const struct refusals *refusals)
{
	return fake_get(refusals->card, "DP-1", "max bpc");
}

static void refused_depth_is_tried_again_without_flicker(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, NARROW, TEN);
	assert_int_equal(depth_of(refusals), 8);
	uint64_t modesets = refusals_modesets(refusals);
	refusals_wait(refusals, 40 * SECOND);
	assert_int_equal(refusals_modesets(refusals), modesets);
	fake_card_set_link(refusals->card, 0);
	refusals_wait(refusals, 40 * SECOND);
	assert_int_equal(depth_of(refusals), 10);
	assert_int_equal(refusals_modesets(refusals), modesets + 1);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

static void tries_of_a_depth_end_and_hotplug_events_start_them_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, NARROW, TEN);
	refusals_wait(refusals, 620 * SECOND);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
	fake_card_set_link(refusals->card, 0);
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(depth_of(refusals), 8);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(depth_of(refusals), 10);
}

/* The card refuses all requests for a while, and the output shows a picture. */
static void output_keeps_its_mode_while_its_depth_is_refused(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, 0, "");
	const struct scene_output *place = find_entry(world, "DP-1")->scene_output;
	uint64_t modesets = refusals_modesets(refusals);
	for (int n = 1; n <= 8; n++) {
		fake_card_fail(refusals->card, EINVAL, n, true);
		reload(world, TEN);
		assert_int_equal(width_of(refusals->card, "DP-1"), 640);
		assert_ptr_equal(find_entry(world, "DP-1")->scene_output, place);
		refusals_wait(refusals, 200 * SECOND);
		assert_int_equal(depth_of(refusals), 10);
		modesets++;
		assert_int_equal(refusals_modesets(refusals), modesets);
		reload(world, "");
		refusals_wait(refusals, SECOND);
		assert_int_equal(depth_of(refusals), 8);
		modesets++;
	}
}

static void other_depth_of_the_configuration_ends_the_tries(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, NARROW, TEN);
	reload(world, "[output DP-1]\nbit-depth = 8\n");
	fake_card_set_link(refusals->card, 0);
	refusals_hotplug(refusals, "DP-1");
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(depth_of(refusals), 8);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

/* The mode is set with eight bits when the power returns, and the depth follows. */
static void dark_output_is_not_lit_by_tries_of_its_depth(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, NARROW, TEN);
	server_output_set_power(find_entry(world, "DP-1"), false);
	refusals_hotplug(refusals, "DP-1");
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
	server_output_set_power(find_entry(world, "DP-1"), true);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(depth_of(refusals), 8);
	fake_card_set_link(refusals->card, 0);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(depth_of(refusals), 10);
}

static void disabled_output_is_not_tried_for_its_depth(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_deep(world, NARROW, TEN);
	assert_true(refusals_configure(refusals, "DP-1", 0, 0));
	fake_card_set_link(refusals->card, 0);
	refusals_hotplug(refusals, "DP-1");
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_depth_is_tried_again_without_flicker),
		TEST(tries_of_a_depth_end_and_hotplug_events_start_them_again),
		TEST(output_keeps_its_mode_while_its_depth_is_refused),
		TEST(other_depth_of_the_configuration_ends_the_tries),
		TEST(dark_output_is_not_lit_by_tries_of_its_depth),
		TEST(disabled_output_is_not_tried_for_its_depth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
