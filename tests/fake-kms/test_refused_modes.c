/* SPDX-License-Identifier: MIT */
/*
 * Modes that the card refuses for a while: the output is off or has a lower mode, and is tried
 * again in growing pauses and on events.
 */

#include "backend/drm.h"
#include "config_text.h"
#include "refusals.h"
#include "scene/output.h"
#include "util/clock.h"
#include <errno.h>

static const char *const one[] = {"DP-1", NULL};

static struct refusals *begin_dark(struct world *world, const char *config)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->connector = "DP-1";
	begin(world, config);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_null(find_entry(world, "DP-1")->scene_output);
	return refusals;
}

/* Starts with 320x240, since the card refuses the other modes. */
static struct refusals *begin_low(struct world *world, const char *config)
{
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	refusals->widest = 320;
	begin(world, config);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	return refusals;
}

static void output_refused_at_start_is_enabled_when_card_accepts_it(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	refusals_wait(refusals, 5 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	refusals_end(refusals);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_true(refusals_presented(refusals, "DP-1") > 0);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

static void check_pauses(const struct refusals *refusals, int first)
{
	static const int pauses[] = {1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
		30, 30, 30, 30, 30, 30, 30};
	int n = (int)(sizeof(pauses) / sizeof(pauses[0]));
	assert_int_equal(refusals->n_times, first + n + 1);
	for (int i = 0; i < n; i++) {
		const int64_t *time = &refusals->times[first + i];
		assert_int_equal(time[1] - time[0], pauses[i] * SECOND);
	}
}

static void pauses_between_tries_grow_and_end_after_ten_minutes(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	/* The first probe of all connectors counts as a hotplug event. */
	refusals_wait(refusals, 2 * SECOND);
	refusals_hotplug(refusals, "DP-1");
	int first = refusals->n_times - 1;
	refusals_wait(refusals, 610 * SECOND);
	check_pauses(refusals, first);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
	refusals_end(refusals);
	refusals_wait(refusals, 200 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void lower_mode_stays_without_flicker_until_the_best_is_accepted(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	uint64_t modesets = refusals_modesets(refusals);
	uint64_t presented = refusals_presented(refusals, "DP-1");
	int tries = refusals->n_times;
	for (int i = 1; i <= 40; i++) {
		scene_output_damage_all(find_entry(world, "DP-1")->scene_output);
		refusals_wait(refusals, SECOND);
		assert_int_equal(refusals_presented(refusals, "DP-1"), presented + (uint64_t)i);
	}
	assert_true(refusals->n_times >= tries + 5);
	assert_int_equal(refusals_modesets(refusals), modesets);
	refusals_end(refusals);
	refusals_wait(refusals, 40 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	assert_int_equal(refusals_modesets(refusals), modesets + 1);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

/* The best mode stays refused. */
static void lower_mode_gives_way_to_a_better_one(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	refusals->widest = 480;
	refusals_wait(refusals, 5 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 480);
	uint64_t modesets = refusals_modesets(refusals);
	refusals_wait(refusals, 50 * SECOND);
	assert_int_equal(refusals_modesets(refusals), modesets);
	refusals_end(refusals);
	refusals_wait(refusals, 60 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void hotplug_event_starts_a_try_at_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	refusals_wait(refusals, 100 * SECOND);
	refusals_end(refusals);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	/* An event of another connector counts, too: it may free bandwidth. */
	refusals->connector = "DP-2";
	fake_card_plug(refusals->card, "DP-2", &refusals_screens[1]);
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-2"), 0);
	refusals_end(refusals);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(width_of(refusals->card, "DP-2"), 640);
}

/* Returns the width of the mode that the output has after the return to the session. */
static int leave_and_return(struct refusals *refusals, int64_t away)
{
	fake_seat_set_active(false);
	refusals_wait(refusals, away);
	fake_seat_set_active(true);
	refusals_wait(refusals, SECOND / 10);
	return width_of(refusals->card, "DP-1");
}

static void inactive_session_pauses_tries(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	refusals_wait(refusals, 3 * SECOND);
	fake_seat_set_active(false);
	refusals_wait(refusals, 20 * SECOND);
	int tries = refusals->n_times;
	refusals_wait(refusals, 200 * SECOND);
	assert_int_equal(refusals->n_times, tries);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
	fake_seat_set_active(true);
	refusals_wait(refusals, 3 * SECOND);
	assert_true(refusals->n_times >= tries + 2);
	refusals_end(refusals);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* The card refuses some requests after a resume, and accepts later ones. */
static void output_refused_after_a_resume_returns(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, 3 * SECOND);
	for (int n = 1; n <= 16; n++) {
		fake_card_fail(refusals->card, EINVAL, n, true);
		leave_and_return(refusals, SECOND);
		refusals_wait(refusals, 15 * SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 640);
		assert_non_null(find_entry(world, "DP-1")->frame);
	}
}

/*
 * Waits without an end of the probe, which fixture_pump() awaits. Returns whether the mode stays.
 */
static bool stays_during_a_probe(struct world *world, int64_t ns)
{
	struct server *server = world->fixture->server;
	const struct output *output = find_output(world, "DP-1");
	const int width = output->mode.width;
	bool stays = true;
	for (int64_t step = SECOND / 4; ns > 0; ns -= step) {
		clock_advance(world->fixture->clock, step);
		for (int i = 0; i < 5; i++) {
			wl_event_loop_dispatch(server->loop, 0);
		}
		stays = stays && output->mode.width == width;
	}
	return stays && drm_backend_is_probing(server->backend);
}

/* Tests are impossible while the probe holds the kernel's locks. */
static void tries_wait_for_the_end_of_a_probe(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	refusals_wait(refusals, 2 * SECOND);
	uint64_t modesets = refusals_modesets(refusals);
	fake_card_set_probe(refusals->card, FAKE_PROBE_HELD);
	fake_card_send_hotplug(refusals->card, "DP-1");
	bool stays = stays_during_a_probe(world, 100 * SECOND);
	fake_card_set_probe(refusals->card, 1);
	assert_true(stays);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(refusals_modesets(refusals), modesets);
	refusals_end(refusals);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* The backend accepts a mode without a test while a probe holds the locks. */
static void mode_refused_after_a_probe_is_tried_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals =
		refusals_create(world, "amdgpu", (const char *const[]){"DP-1", NULL});
	begin(world, "[output DP-1]\nmode = 480x360\n");
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 480);
	fake_card_set_probe(refusals->card, FAKE_PROBE_HELD);
	fake_card_send_hotplug(refusals->card, "DP-1");
	const bool held = stays_during_a_probe(world, SECOND / 10);
	config_text_write(world->path, "");
	char *error = NULL;
	const bool reloaded = server_reload(world->fixture->server, &error);
	refusals->widest = 480;
	fake_card_set_probe(refusals->card, 1);
	assert_true(held && reloaded);
	refusals_wait(refusals, 2 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 480);
	refusals_end(refusals);
	refusals_wait(refusals, 31 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* Configurations */

static void configured_mode_is_tried_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "[output DP-1]\nmode = 480x360\n");
	refusals_wait(refusals, 10 * SECOND);
	refusals_end(refusals);
	refusals_wait(refusals, 10 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 480);
	assert_false(find_entry(world, "DP-1")->lowered);
}

static void disabled_output_is_not_tried_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	reload(world, "[output DP-1]\nenabled = no\n");
	refusals_end(refusals);
	refusals_wait(refusals, 100 * SECOND);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_false(find_entry(world, "DP-1")->retry_timer.armed);
}

static void refused_disabling_is_tried_again(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, 2 * SECOND);
	fake_card_fail(refusals->card, EINVAL, 1000, true);
	reload(world, "[output DP-1]\nenabled = no\n");
	refusals_wait(refusals, 5 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
	refusals_end(refusals);
	refusals_wait(refusals, 4 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
}

static void client_hears_of_a_refusal_at_once(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	uint64_t modesets = refusals_modesets(refusals);
	assert_false(refusals_configure(refusals, "DP-1", 480, 360));
	assert_int_equal(refusals_modesets(refusals), modesets);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	/* The output still returns to its own mode, not to that of the client. */
	refusals_end(refusals);
	refusals_wait(refusals, 10 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* The test passes, and the commit of the client's mode does not. */
static void rollback_of_a_client_keeps_the_tries(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	refusals->widest = 480;
	fake_card_fail(refusals->card, EINVAL, 4, false);
	assert_false(refusals_configure(refusals, "DP-1", 480, 360));
	refusals_end(refusals);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

static void lower_mode_of_a_client_stays(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "");
	assert_true(refusals_configure(refusals, "DP-1", 320, 240));
	refusals_end(refusals);
	refusals_hotplug(refusals, "DP-1");
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 320);
	assert_true(refusals_configure(refusals, "DP-1", 480, 360));
	assert_int_equal(leave_and_return(refusals, SECOND), 480);
}

static void output_that_a_client_disabled_can_be_enabled_after_a_refusal(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "amdgpu", one);
	begin(world, "");
	refusals_wait(refusals, SECOND);
	assert_true(refusals_configure(refusals, "DP-1", 0, 0));
	refusals->connector = "DP-1";
	assert_false(refusals_configure(refusals, "DP-1", 640, 480));
	refusals_end(refusals);
	refusals_wait(refusals, 100 * SECOND);
	refusals_hotplug(refusals, "DP-1");
	assert_int_equal(width_of(refusals->card, "DP-1"), 0);
	assert_true(refusals_configure(refusals, "DP-1", 640, 480));
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* A client that moves the output names no mode. */
static void configured_mode_survives_other_changes_of_a_client(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_low(world, "[output DP-1]\nmode = 480x360\n");
	struct server_output_change change = {.output = find_entry(world, "DP-1")};
	server_output_config(change.output, &change.config);
	change.config.has_position = true;
	change.config.x = 100;
	assert_true(server_outputs_apply(&change, 1));
	refusals_end(refusals);
	refusals_wait(refusals, 70 * SECOND);
	assert_int_equal(width_of(refusals->card, "DP-1"), 480);
	assert_int_equal(find_entry(world, "DP-1")->scene_output->x, 100);
}

/* Ends of outputs */

static void removed_card_ends_tries(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	assert_true(find_entry(world, "DP-1")->retry_timer.armed);
	fake_card_remove(refusals->card);
	fixture_pump(world->fixture);
	assert_true(wl_list_empty(&world->fixture->server->outputs));
	int tries = refusals->n_times;
	clock_advance(world->fixture->clock, 100 * SECOND);
	fixture_pump(world->fixture);
	assert_int_equal(refusals->n_times, tries);
}

static void unplugged_screen_ends_tries(void **state)
{
	struct world *world = *state;
	struct refusals *refusals = begin_dark(world, "");
	fake_card_plug(refusals->card, "DP-1", NULL);
	refusals_wait(refusals, SECOND);
	int tries = refusals->n_times;
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(refusals->n_times, tries);
	refusals_end(refusals);
	fake_card_plug(refusals->card, "DP-1", &refusals_screens[0]);
	refusals_wait(refusals, SECOND / 10);
	assert_int_equal(width_of(refusals->card, "DP-1"), 640);
}

/* Without a range of rates, for which other modes would be computed. */
#define FIXED(...)                                                                                 \
	{                                                                                          \
		.maker = "CWY", .name = "Fixed", .serial = 9, .modes = {__VA_ARGS__},              \
	}

/* The card keeps a running mode, and refuses all that the screen lists by now. */
static void vanished_mode_stays_while_the_card_refuses_others(void **state)
{
	static const struct fake_screen before = FIXED({640, 480, 60}, {320, 240, 60}),
					after = FIXED({480, 360, 60}, {320, 240, 60});
	static const char *const configs[] = {"", "[output DP-1]\nmode = 640x480\n"};
	for (size_t i = 0; i < 2; i++) {
		struct world *world = *state;
		struct refusals *refusals = refusals_create(world, "amdgpu", one);
		fake_card_plug(refusals->card, "DP-1", &before);
		begin(world, configs[i]);
		refusals_wait(refusals, SECOND);
		assert_int_equal(width_of(refusals->card, "DP-1"), 640);
		refusals->connector = "DP-1";
		fake_card_plug(refusals->card, "DP-1", &after);
		for (int j = 0; j < 20; j++) {
			refusals_wait(refusals, SECOND);
			assert_int_equal(width_of(refusals->card, "DP-1"), 640);
			assert_non_null(find_entry(world, "DP-1")->scene_output);
		}
		refusals_end(refusals);
		refusals_wait(refusals, 40 * SECOND);
		/* With the setting, it is a custom mode. */
		assert_int_equal(width_of(refusals->card, "DP-1"), 640);
		assert_false(find_entry(world, "DP-1")->retry_timer.armed);
		fixture_destroy(world->fixture);
		world->fixture = NULL;
		fake_reset_all();
	}
}

static void window_of_a_host_is_followed_once_the_card_accepts_its_size(void **state)
{
	static const char *const connectors[] = {"Virtual-1", NULL};
	static const struct fake_screen larger = FIXED({640, 480, 60}, {320, 240, 60}),
					smaller = FIXED({320, 240, 60}, {640, 480, 60});
	struct world *world = *state;
	struct refusals *refusals = refusals_create(world, "virtio_gpu", connectors);
	fake_card_plug(refusals->card, "Virtual-1", &smaller);
	begin(world, "");
	refusals_wait(refusals, SECOND);
	assert_int_equal(width_of(refusals->card, "Virtual-1"), 320);
	refusals->widest = 400;
	fake_card_plug(refusals->card, "Virtual-1", &larger);
	refusals_wait(refusals, 5 * SECOND);
	assert_int_equal(width_of(refusals->card, "Virtual-1"), 320);
	refusals_end(refusals);
	refusals_wait(refusals, 40 * SECOND);
	assert_int_equal(width_of(refusals->card, "Virtual-1"), 640);
	assert_int_equal(scene_output_box(find_entry(world, "Virtual-1")->scene_output).width, 640);
	assert_false(find_entry(world, "Virtual-1")->retry_timer.armed);
	/* A request that the next one replaces is forgotten. */
	refusals->widest = 400;
	fake_card_plug(refusals->card, "Virtual-1", &smaller);
	fake_card_plug(refusals->card, "Virtual-1", &larger);
	fake_card_plug(refusals->card, "Virtual-1", &smaller);
	refusals_wait(refusals, 40 * SECOND);
	assert_int_equal(width_of(refusals->card, "Virtual-1"), 320);
	refusals_end(refusals);
	refusals_wait(refusals, 100 * SECOND);
	assert_int_equal(width_of(refusals->card, "Virtual-1"), 320);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_refused_at_start_is_enabled_when_card_accepts_it),
		TEST(pauses_between_tries_grow_and_end_after_ten_minutes),
		TEST(lower_mode_stays_without_flicker_until_the_best_is_accepted),
		TEST(lower_mode_gives_way_to_a_better_one),
		TEST(hotplug_event_starts_a_try_at_once),
		TEST(inactive_session_pauses_tries),
		TEST(output_refused_after_a_resume_returns),
		TEST(tries_wait_for_the_end_of_a_probe),
		cmocka_unit_test_setup_teardown(
			mode_refused_after_a_probe_is_tried_again, set_up, tear_down),
		TEST(configured_mode_is_tried_again),
		TEST(disabled_output_is_not_tried_again),
		TEST(refused_disabling_is_tried_again),
		TEST(client_hears_of_a_refusal_at_once),
		TEST(rollback_of_a_client_keeps_the_tries),
		TEST(lower_mode_of_a_client_stays),
		TEST(output_that_a_client_disabled_can_be_enabled_after_a_refusal),
		TEST(configured_mode_survives_other_changes_of_a_client),
		TEST(removed_card_ends_tries),
		TEST(unplugged_screen_ends_tries),
		TEST(vanished_mode_stays_while_the_card_refuses_others),
		TEST(window_of_a_host_is_followed_once_the_card_accepts_its_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
