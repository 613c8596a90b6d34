/* SPDX-License-Identifier: MIT */
/* Outputs beside one whose modes the card refuses: they keep running, and free bandwidth for it. */

#include "refusals.h"
#include "scene/output.h"
#include "util/clock.h"
#include <string.h>

static const char *const two[] = {"DP-1", "DP-2", NULL};
static const char *const three[] = {"DP-1", "DP-2", "DP-3", NULL};

/* Pixel clocks of the modes, kHz: those of fake_mode_fill(). */
static int clock_of(struct world *world, const char *name, int i)
{
	const struct output *output = find_output(world, name);
	return (int)((int64_t)(output->modes[i].width + 160) * (output->modes[i].height + 45) *
		     output->modes[i].refresh / 1000000);
}

static void refused_output_leaves_others_running(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", three);
	refusals->connector = "DP-2";
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	assert_int_equal(width_of(refusals->card, "DP-3"), 640);
	uint64_t modesets = refusals_modesets(refusals);
	uint64_t first = refusals_presented(refusals, "DP-1");
	for (uint64_t i = 1; i <= 130; i++) {
		scene_output_damage_all(find_entry(world, "DP-1")->scene_output);
		refusals_wait(refusals, SECOND);
		assert_true(refusals_presented(refusals, "DP-1") >= first + i);
	}
	assert_true(refusals->n_times >= 7);
	assert_int_equal(refusals_modesets(refusals), modesets);
	refusals_end(refusals);
	refusals_wait(refusals, 61 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
	assert_int_equal(refusals_modesets(refusals), modesets + 1);
}

static void session_returns_without_the_refused_output_only(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", three);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	fake_seat_set_active(false);
	refusals_wait(refusals, SECOND);
	/* Another session has disabled the outputs. */
	for (int i = 0; three[i]; i++) {
		const char *crtc = fake_crtc_of(refusals->card, three[i]);
		fake_set(refusals->card, three[i], "CRTC_ID", 0);
		fake_set(refusals->card, crtc, "ACTIVE", 0);
		fake_set(refusals->card, crtc, "MODE_ID", 0);
	}
	refusals->connector = "DP-2";
	fake_seat_set_active(true);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	assert_int_equal(width_of(refusals->card, "DP-3"), 640);
	refusals_end(refusals);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

/* Starts with the second output in its lowest mode, since the first one has the bandwidth. */
static struct refusals *begin_with_dock(struct world *world)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", two);
	begin(world, "");
	fake_card_plug(refusals->card, "DP-2", NULL);
	refusals_wait(refusals, 2 * SECOND);
	fake_card_set_clock(
		refusals->card, clock_of(world, "DP-1", 0) + clock_of(world, "DP-1", 2) + 1000);
	fake_card_plug(refusals->card, "DP-2", &refusals_screens[1]);
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(width_of(refusals->card, "DP-2"), 320);
	return refusals;
}

static void output_powered_off_frees_bandwidth_at_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_with_dock(world);
	server_output_set_power(find_entry(world, "DP-1"), false);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
	/* Now the first one lacks it. */
	server_output_set_power(find_entry(world, "DP-1"), true);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
	refusals_end(refusals);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void lower_mode_frees_bandwidth_at_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_with_dock(world);
	assert_true(refusals_configure(refusals, "DP-1", 320, 240));
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

static void unplugged_output_frees_bandwidth_at_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_with_dock(world);
	fake_card_plug(refusals->card, "DP-1", NULL);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

/* A reload raises one output and lowers another: possible in one commit only. */
static void others_change_together_beside_a_refused_output(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", three);
	refusals->connector = "DP-3";
	begin(world, "[output DP-2]\nmode = 320x240\n");
	refusals_wait(refusals, 2 * SECOND);
	fake_card_set_clock(
		refusals->card, clock_of(world, "DP-1", 0) + clock_of(world, "DP-1", 2) + 1000);
	uint64_t modesets = refusals_modesets(refusals);
	reload(world, "[output DP-1]\nmode = 320x240\n[output DP-2]\nmode = 640x480\n");
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
	assert_int_equal(refusals_modesets(refusals), modesets + 1);
}

/* The client's change of three outputs fails as a whole. */
static void refused_change_of_several_outputs_changes_none(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", three);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	refusals->connector = "DP-2";
	uint64_t modesets = refusals_modesets(refusals);
	struct server_output_change changes[3];
	for (int i = 0; i < 3; i++) {
		changes[i].output = find_entry(world, three[i]);
		server_output_config(changes[i].output, &changes[i].config);
		changes[i].config.has_mode = true;
		changes[i].config.width = 480;
		changes[i].config.height = 360;
	}
	assert_false(server_outputs_apply(changes, 3));
	refusals_wait(refusals, 100 * SECOND);
	refusals_end(refusals);
	refusals_wait(refusals, 100 * SECOND);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(width_of(refusals->card, three[i]), 640);
	}
	assert_int_equal(refusals_modesets(refusals), modesets);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(refused_output_leaves_others_running),
		TEST(session_returns_without_the_refused_output_only),
		TEST(output_powered_off_frees_bandwidth_at_once),
		TEST(lower_mode_frees_bandwidth_at_once),
		TEST(unplugged_output_frees_bandwidth_at_once),
		TEST(others_change_together_beside_a_refused_output),
		TEST(refused_change_of_several_outputs_changes_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
