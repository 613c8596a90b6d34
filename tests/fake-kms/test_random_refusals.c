/* SPDX-License-Identifier: MIT */
/*
 * Random refusals of modes, by connector, size, bandwidth and for single requests, while screens,
 * power, settings of clients and the session change. After a hotplug event, no output lacks a mode
 * that the card accepts; when the refusals have ended, all outputs reach their state within the
 * longest pause.
 */

#include "refusals.h"
#include "util/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define N_SEEDS 40
#define N_STEPS 50
#define N_OUTPUTS 3
/* Time for the tries that an event starts: reductions of other outputs take 100 ms each. */
#define REACTION SECOND
#define LONGEST_PAUSE (31 * SECOND)

static const char *const connectors[] = {"DP-1", "DP-2", "HDMI-A-1", NULL};

struct scenario {
	struct world *world;
	struct fake_card *card;
	uint32_t random;
	bool away;
	/** Rules of the card. */
	bool refused[N_OUTPUTS];
	int widest[N_OUTPUTS]; /* pixels */
	int clock; /* kHz, of all connectors; 0: unlimited */
	int n_fail, error; /* single requests, and their errno */
	bool fail_tests; /* test-only requests among them */
	/** State that outputs must reach, besides their power; settings outlive hotplug. */
	bool plugged[N_OUTPUTS];
	bool disabled[N_OUTPUTS]; /* by a client */
	int width[N_OUTPUTS]; /* of a client's mode; 0: none */
};

/* Returns a number below `n`. */
static int draw(struct scenario *scenario, int n)
{
	scenario->random ^= scenario->random << 13;
	scenario->random ^= scenario->random >> 17;
	scenario->random ^= scenario->random << 5;
	return (int)(scenario->random % (uint32_t)n);
}

static int find(const char *connector)
{
	int i = 0;
	while (strcmp(connectors[i], connector) != 0) {
		i++;
	}
	return i;
}

/* Applies the lasting rules to the modes. */
static bool is_refused(const struct scenario *scenario, const struct fake_head *heads, int n)
{
	int clock = 0;
	for (int i = 0; i < n; i++) {
		int output = find(heads[i].connector);
		if (scenario->refused[output] || heads[i].width > scenario->widest[output]) {
			return true;
		}
		clock += heads[i].clock;
	}
	return scenario->clock && clock > scenario->clock;
}

static int judge(void *data, const struct fake_head *heads, int n)
{
	struct scenario *scenario = data;
	if (is_refused(scenario, heads, n)) {
		return EINVAL;
	}
	if (scenario->n_fail == 0 || (heads[0].test && !scenario->fail_tests)) {
		return 0;
	}
	scenario->n_fail--;
	return scenario->error;
}

static struct server_output *entry_of(struct scenario *scenario, int i)
{
	return scenario->plugged[i] ? find_entry(scenario->world, connectors[i]) : NULL;
}

static int clock_of(int width, int height)
{
	return (width + 160) * (height + 45) * 60 / 1000;
}

static void pass(struct scenario *scenario, int64_t ns)
{
	struct fixture *fixture = scenario->world->fixture;
	fixture_pump(fixture);
	for (int64_t step = SECOND / 4; ns > 0; ns -= step) {
		clock_advance(fixture->clock, step < ns ? step : ns);
		fixture_pump(fixture);
		fake_card_vblank(scenario->card, clock_now(fixture->clock));
		fixture_pump(fixture);
	}
}

static void end_refusals(struct scenario *scenario)
{
	for (int i = 0; i < N_OUTPUTS; i++) {
		scenario->refused[i] = false;
		scenario->widest[i] = INT32_MAX;
	}
	scenario->clock = scenario->n_fail = 0;
}

/* Changes a rule. Running modes stay, as those of a driver do. */
static void change_rules(struct scenario *scenario)
{
	static const int widths[] = {300, 320, 480, 640};
	static const int errors[] = {EINVAL, ENOSPC, ENOMEM};
	int i = draw(scenario, N_OUTPUTS);
	switch (draw(scenario, 6)) {
	case 0: end_refusals(scenario); break;
	case 1: scenario->refused[i] = !scenario->refused[i]; break;
	case 2: scenario->widest[i] = widths[draw(scenario, 4)]; break;
	case 3:
		scenario->clock = draw(scenario, 2) ? clock_of(640, 480) * draw(scenario, 4) : 0;
		break;
	default:
		scenario->error = errors[draw(scenario, 3)];
		scenario->n_fail = draw(scenario, 12);
		scenario->fail_tests = draw(scenario, 2);
		break;
	}
}

static void plug(struct scenario *scenario, int i)
{
	scenario->plugged[i] = !scenario->plugged[i] || draw(scenario, 2);
	if (!scenario->plugged[i] || !scenario->away) {
		fake_card_plug(scenario->card, connectors[i],
			scenario->plugged[i] ? &refusals_screens[i] : NULL);
	}
	pass(scenario, SECOND / 10);
}

static void set_power(struct scenario *scenario, int i)
{
	struct server_output *entry = entry_of(scenario, i);
	if (entry && entry->scene_output) {
		server_output_set_power(entry, draw(scenario, 2));
	}
}

/* Changes some outputs together, as a client of wlr-output-management does. */
static void configure(struct scenario *scenario)
{
	static const int sizes[][2] = {{640, 480}, {480, 360}, {320, 240}};
	struct server_output_change changes[N_OUTPUTS];
	int outputs[N_OUTPUTS], n = 0;
	for (int i = 0; i < N_OUTPUTS; i++) {
		struct server_output *entry = entry_of(scenario, i);
		if (!entry || draw(scenario, 2)) {
			continue;
		}
		struct config_output *config = &changes[n].config;
		const int *size = sizes[draw(scenario, 3)];
		changes[n].output = entry;
		server_output_config(entry, config);
		config->enabled = draw(scenario, 4);
		config->has_mode = true;
		config->width = size[0];
		config->height = size[1];
		outputs[n++] = i;
	}
	if (!server_outputs_apply(changes, (size_t)n)) {
		return;
	}
	for (int i = 0; i < n; i++) {
		scenario->disabled[outputs[i]] = !changes[i].config.enabled;
		scenario->width[outputs[i]] = changes[i].config.width;
	}
}

static void set_away(struct scenario *scenario, bool away)
{
	scenario->away = away;
	fake_seat_set_active(!away);
}

static void step(struct scenario *scenario)
{
	switch (draw(scenario, 12)) {
	case 0:
	case 1:
	case 2: change_rules(scenario); break;
	case 3:
		if (!scenario->away) {
			plug(scenario, draw(scenario, N_OUTPUTS));
		}
		break;
	case 4:
	case 5: set_power(scenario, draw(scenario, N_OUTPUTS)); break;
	case 6:
		if (!scenario->away) {
			configure(scenario);
		}
		break;
	case 7: set_away(scenario, !scenario->away && draw(scenario, 2)); break;
	case 8: fake_card_send_hotplug(scenario->card, connectors[0]); break;
	case 9: pass(scenario, draw(scenario, 20) * SECOND); break;
	default: pass(scenario, draw(scenario, 1000) * (SECOND / 1000)); break;
	}
}

static int wanted_width(const struct scenario *scenario, int i)
{
	return scenario->width[i] ? scenario->width[i] : refusals_screens[i].modes[0].width;
}

/* Returns whether the rules allow the mode beside the modes of the other connectors. */
static bool is_allowed(struct scenario *scenario, int output, int width, int height)
{
	struct fake_head heads[N_OUTPUTS];
	int n = 0;
	for (int i = 0; i < N_OUTPUTS; i++) {
		int other = width_of(scenario->card, connectors[i]);
		heads[n] = (struct fake_head){
			.connector = connectors[i],
			.width = i == output ? width : other,
			.clock = i == output ? clock_of(width, height)
					     : clock_of(other, other * 3 / 4),
		};
		n += heads[n].width > 0;
	}
	return !is_refused(scenario, heads, n);
}

/* Checks that the rules refuse all modes that are better than the output's. */
static void check_output(struct scenario *scenario, int i)
{
	const struct server_output *entry = entry_of(scenario, i);
	int width = width_of(scenario->card, connectors[i]);
	if (!entry) {
		return;
	}
	if (scenario->disabled[i]) {
		assert_int_equal(width, 0);
		return;
	}
	assert_false(entry->power_refused && !entry->dark);
	if (entry->dark && !entry->power_refused) {
		assert_int_equal(width, 0);
		return;
	}
	for (int j = 0; j < 3; j++) {
		int mode = refusals_screens[i].modes[j].width;
		int height = refusals_screens[i].modes[j].height;
		bool better = width == 0 || mode == wanted_width(scenario, i) ||
			      (scenario->width[i] == 0 && mode > width);
		if (better && mode != width && is_allowed(scenario, i, mode, height)) {
			fail_msg("%s has the width %d, and %d is allowed", connectors[i], width,
				mode);
		}
	}
}

static void check_after_event(struct scenario *scenario)
{
	set_away(scenario, false);
	scenario->n_fail = 0;
	pass(scenario, REACTION);
	fake_card_send_hotplug(scenario->card, connectors[draw(scenario, N_OUTPUTS)]);
	pass(scenario, REACTION);
	for (int i = 0; i < N_OUTPUTS; i++) {
		check_output(scenario, i);
	}
}

/* The tries go on for ten minutes after an event. */
static void check_after_refusals(struct scenario *scenario)
{
	pass(scenario, draw(scenario, 100) * SECOND);
	end_refusals(scenario);
	pass(scenario, LONGEST_PAUSE);
	for (int i = 0; i < N_OUTPUTS; i++) {
		const struct server_output *entry = entry_of(scenario, i);
		check_output(scenario, i);
		if (entry) {
			assert_false(entry->retry_timer.armed || entry->room_timer.armed);
			assert_false(entry->power_refused || (entry->lowered && !entry->dark));
		}
	}
}

static void run(struct world *world, uint32_t seed)
{
	struct scenario scenario = {
		.world = world,
		.card = fake_card_create("amdgpu"),
		.random = seed * UINT32_C(2654435761),
	};
	end_refusals(&scenario);
	fake_card_set_mode_judge(scenario.card, judge, &scenario);
	for (int i = 0; i < N_OUTPUTS; i++) {
		scenario.plugged[i] = i == 0 || draw(&scenario, 2);
		fake_card_plug(scenario.card, connectors[i],
			scenario.plugged[i] ? &refusals_screens[i] : NULL);
		scenario.refused[i] = draw(&scenario, 4) == 0;
	}
	begin(world, "");
	fake_card_set_flips(scenario.card, FAKE_FLIPS_HELD);
	for (int i = 0; i < N_STEPS; i++) {
		step(&scenario);
		if (draw(&scenario, 10) == 0) {
			check_after_event(&scenario);
		}
	}
	check_after_event(&scenario);
	check_after_refusals(&scenario);
	assert_int_equal(fake_card_counts(scenario.card).removed_while_shown, 0);
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	fake_reset_all();
}

static void outputs_reach_their_modes_when_refusals_end(void **state)
{
	const char *first = getenv("SEED");
	for (uint32_t i = 0; i < N_SEEDS; i++) {
		run(*state, i + (first ? (uint32_t)strtoul(first, NULL, 10) : 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			outputs_reach_their_modes_when_refusals_end, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
