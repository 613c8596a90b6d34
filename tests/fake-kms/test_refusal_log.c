/* SPDX-License-Identifier: MIT */
/* Log of refused modes: a line for each change, however often the card is asked. */

#include "refusals.h"
#include "util/clock.h"
#include <errno.h>

/* Requests, more than a test makes. */
#define MANY 1000000

static const char *const one[] = {"DP-1", NULL};

/* Returns the number of lines about the output in twelve minutes with a hotplug event in each. */
static int count_lines(struct refusals *refusals)
{
	refusals_collect_log(refusals);
	for (int i = 0; i < 12; i++) {
		refusals_wait(refusals, 60 * SECOND);
		refusals_hotplug(refusals, "DP-1");
	}
	refusals_wait(refusals, 620 * SECOND);
	return refusals_count_log(refusals, "DP-1");
}

static void output_that_stays_dark_is_logged_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->connector = "DP-1";
	begin(world, "");
	assert_int_equal(count_lines(refusals), 1);
}

static void lower_mode_is_logged_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->widest = 320;
	begin(world, "");
	assert_int_equal(count_lines(refusals), 1);
}

static void output_that_stays_on_is_logged_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	fake_card_fail(refusals->card, EINVAL, MANY, true);
	reload(world, "[output DP-1]\nenabled = no\n");
	assert_int_equal(count_lines(refusals), 1);
}

static void refused_power_is_logged_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	server_output_set_power(find_entry(world, "DP-1"), false);
	refusals_wait(refusals, SECOND);
	refusals->connector = "DP-1";
	server_output_set_power(find_entry(world, "DP-1"), true);
	assert_int_equal(count_lines(refusals), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_that_stays_dark_is_logged_once),
		TEST(lower_mode_is_logged_once),
		TEST(output_that_stays_on_is_logged_once),
		TEST(refused_power_is_logged_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
