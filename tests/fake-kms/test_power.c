/* SPDX-License-Identifier: MIT */
/* Power of outputs that the card refuses to change for a while. */

#include "refusals.h"
#include "scene/output.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "wlr-output-power-management-unstable-v1-client-protocol.h"
#include <errno.h>

#define OFF ZWLR_OUTPUT_POWER_V1_MODE_OFF
#define ON ZWLR_OUTPUT_POWER_V1_MODE_ON
/* Requests, more than a test makes. */
#define MANY 1000000

static const char *const one[] = {"DP-1", NULL};
static const char *const two[] = {"DP-1", "DP-2", NULL};

struct power {
	struct refusals *refusals;
	struct zwlr_output_power_v1 *proxy;
	uint32_t mode;
	int n_modes, n_failed;
};

static void handle_mode(void *data, struct zwlr_output_power_v1 *proxy, uint32_t mode)
{
	struct power *power = data;
	power->mode = mode;
	power->n_modes++;
}

static void handle_failed(void *data, struct zwlr_output_power_v1 *proxy)
{
	((struct power *)data)->n_failed++;
}

static const struct zwlr_output_power_v1_listener listener = {
	.mode = handle_mode,
	.failed = handle_failed,
};

static void hold(struct world *world, struct power *power)
{
	*power = (struct power){.refusals = refusals_create(world, "amdgpu", one)};
	begin(world, "");
	refusals_wait(power->refusals, 2 * SECOND);
	struct peer *peer = peer_create(world->fixture);
	power->proxy = zwlr_output_power_manager_v1_get_output_power(
		peer_bind(peer, &zwlr_output_power_manager_v1_interface, 0),
		peer_bind(peer, &wl_output_interface, 0));
	zwlr_output_power_v1_add_listener(power->proxy, &listener, power);
	fixture_pump(world->fixture);
	assert_int_equal(power->mode, ON);
}

static void ask(struct power *power, uint32_t mode)
{
	zwlr_output_power_v1_set_mode(power->proxy, mode);
	refusals_wait(power->refusals, SECOND / 10);
}

static bool is_lit(const struct power *power)
{
	return width_of(power->refusals->card, "DP-1") > 0;
}

static void refused_power_on_is_tried_again(void **state)
{
	struct power power;
	hold(*state, &power);
	ask(&power, OFF);
	assert_int_equal(power.mode, OFF);
	power.refusals->connector = "DP-1";
	ask(&power, ON);
	refusals_wait(power.refusals, 20 * SECOND);
	assert_false(is_lit(&power));
	/* The client waits for the mode event. */
	assert_int_equal(power.n_failed, 0);
	assert_int_equal(power.mode, OFF);
	refusals_end(power.refusals);
	refusals_wait(power.refusals, 20 * SECOND);
	assert_int_equal(width_of(power.refusals->card, "DP-1"), 640);
	assert_int_equal(power.mode, ON);
	assert_int_equal(power.n_modes, 3);
	assert_true(refusals_presented(power.refusals, "DP-1") > 0);
	assert_false(find_entry(*state, "DP-1")->retry_timer.armed);
}

static void power_on_in_a_lower_mode_returns_to_the_full_mode(void **state)
{
	struct power power;
	hold(*state, &power);
	ask(&power, OFF);
	power.refusals->widest = 320;
	ask(&power, ON);
	assert_int_equal(power.mode, ON);
	assert_int_equal(width_of(power.refusals->card, "DP-1"), 320);
	refusals_end(power.refusals);
	refusals_wait(power.refusals, 2 * SECOND);
	assert_int_equal(width_of(power.refusals->card, "DP-1"), 640);
}

static void refused_power_off_is_tried_again(void **state)
{
	struct power power;
	hold(*state, &power);
	fake_card_fail(power.refusals->card, EINVAL, MANY, true);
	ask(&power, OFF);
	refusals_wait(power.refusals, 4 * SECOND);
	assert_true(is_lit(&power));
	assert_int_equal(power.n_failed, 0);
	assert_int_equal(power.mode, ON);
	refusals_end(power.refusals);
	refusals_wait(power.refusals, 8 * SECOND);
	assert_false(is_lit(&power));
	assert_int_equal(power.mode, OFF);
}

static void later_request_replaces_a_refused_one(void **state)
{
	struct power power;
	hold(*state, &power);
	ask(&power, OFF);
	power.refusals->connector = "DP-1";
	ask(&power, ON);
	refusals_wait(power.refusals, 3 * SECOND);
	ask(&power, OFF);
	refusals_end(power.refusals);
	refusals_hotplug(power.refusals, "DP-1");
	refusals_wait(power.refusals, 100 * SECOND);
	assert_false(is_lit(&power));
	assert_false(find_entry(*state, "DP-1")->retry_timer.armed);
	ask(&power, ON);
	assert_true(is_lit(&power));

	fake_card_fail(power.refusals->card, EINVAL, MANY, true);
	ask(&power, OFF);
	ask(&power, ON);
	refusals_end(power.refusals);
	refusals_wait(power.refusals, 100 * SECOND);
	assert_true(is_lit(&power));
	assert_int_equal(power.n_failed, 0);
	assert_int_equal(power.mode, ON);
}

/* Repeated requests start a try at once. */
static void repeated_request_is_tried_at_once(void **state)
{
	struct power power;
	hold(*state, &power);
	ask(&power, OFF);
	power.refusals->connector = "DP-1";
	ask(&power, ON);
	refusals_wait(power.refusals, 200 * SECOND);
	refusals_end(power.refusals);
	ask(&power, ON);
	assert_true(is_lit(&power));
}

static void power_request_of_an_inactive_session_applies_on_return(void **state)
{
	struct power power;
	hold(*state, &power);
	for (int on = 0; on < 2; on++) {
		fake_seat_set_active(false);
		refusals_wait(power.refusals, SECOND);
		/* The card is not asked: its refusal would be logged, and lower the mode. */
		refusals_collect_log(power.refusals);
		ask(&power, on ? ON : OFF);
		refusals_wait(power.refusals, 100 * SECOND);
		assert_int_equal(refusals_count_log(power.refusals, "DP-1"), 0);
		assert_false(find_entry(*state, "DP-1")->retry_timer.armed);
		assert_false(find_entry(*state, "DP-1")->lowered);
		fake_seat_set_active(true);
		refusals_wait(power.refusals, 2 * SECOND);
		assert_int_equal(is_lit(&power), on);
		assert_int_equal(power.mode, on ? ON : OFF);
	}
	assert_int_equal(power.n_failed, 0);
}

/* The card refuses to set the last mode again, which it has kept. */
static void refused_return_leaves_no_unwanted_output_lit(void **state)
{
	struct world *world = *state;
	struct power power;
	hold(world, &power);
	for (int disables = 0; disables < 2; disables++) {
		fake_seat_set_active(false);
		refusals_wait(power.refusals, SECOND);
		if (disables) {
			reload(world, "[output DP-1]\nenabled = no\n");
		} else {
			ask(&power, OFF);
		}
		assert_true(is_lit(&power));
		fake_card_fail(power.refusals->card, ENOMEM, 1, false);
		fake_seat_set_active(true);
		refusals_wait(power.refusals, 2 * SECOND);
		assert_false(is_lit(&power));
		assert_false(find_entry(world, "DP-1")->retry_timer.armed);
		if (!disables) {
			assert_int_equal(power.mode, OFF);
			ask(&power, ON);
			assert_true(is_lit(&power));
		}
	}
}

static void dark_output_is_not_lit_by_tries_for_its_mode(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->widest = 320;
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	server_output_set_power(find_entry(world, "DP-1"), false);
	refusals_end(refusals);
	refusals_hotplug(refusals, "DP-1");
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	server_output_set_power(find_entry(world, "DP-1"), true);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* The action powers the other screens off and on while one of them is refused. */
static void action_works_beside_a_refused_output(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	struct shell *shell = world->fixture->server->shell;
	assert_true(shell_run_action(shell, "dpms", "off"));
	refusals->connector = "DP-1";
	for (int i = 0; i < 2; i++) {
		assert_true(shell_run_action(shell, "dpms", "on"));
		refusals_wait(refusals, 2 * SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 0);
		assert_int_equal(width_of(refusals->card, "DP-2"), 640);
		assert_true(shell_run_action(shell, "dpms", "off"));
		refusals_wait(refusals, 2 * SECOND);
		assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	}
	assert_true(shell_run_action(shell, "dpms", "on"));
	refusals_end(refusals);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_power_on_is_tried_again),
		TEST(power_on_in_a_lower_mode_returns_to_the_full_mode),
		TEST(refused_power_off_is_tried_again),
		TEST(later_request_replaces_a_refused_one),
		TEST(repeated_request_is_tried_at_once),
		TEST(power_request_of_an_inactive_session_applies_on_return),
		TEST(refused_return_leaves_no_unwanted_output_lit),
		TEST(dark_output_is_not_lit_by_tries_for_its_mode),
		TEST(action_works_beside_a_refused_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
