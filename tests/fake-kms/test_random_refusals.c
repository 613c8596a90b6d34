/* SPDX-License-Identifier: MIT */
/*
 * Random refusals of modes, by connector, size, bandwidth and for single requests, on cards with
 * many and with few CRTCs, while screens, power, the lid, leases, settings of clients and the
 * session change. After a hotplug event, no output lacks a mode that the card accepts, and as many
 * are lit as the CRTCs allow; no step darkens another output; when the refusals have ended, all
 * outputs reach their state within the longest pause. SEEDS=FIRST,LAST plays other seeds.
 */

#include "backend/lease.h"
#include "refusal_oracle.h"
#include "server/outputs.h"
#include "shell/shell.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define N_SEEDS 2000
#define N_STEPS 500
/* Time for the tries that an event starts: reductions of other outputs take 100 ms each. */
#define REACTION SECOND
#define LONGEST_PAUSE (31 * SECOND)

/* Cards and their routes from connectors to CRTCs. */
static const struct shape shapes[] = {
	{"amdgpu", {"DP-1", "DP-2", "HDMI-A-1"}, {0xf, 0xf, 0xf}, 3},
	{"i915-dock", {"eDP-5", "DP-8", "DP-9", "DP-10"}, {0x7, 0x7, 0x7, 0x7}, 4},
	{"rockchip", {"HDMI-A-5", "eDP-3", "DSI-1"}, {0x3, 0x3, 0x2}, 3},
};
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Interlaced modes have the size and rate of others. */
#define MODES                                                                                      \
	.modes = {{64, 48, 60}, {64, 48, 60, .interlaced = true}, {48, 36, 60},                    \
		{32, 24, 60, .interlaced = true}, {32, 24, 60}}
/* Without interlaced ones: those that settings name. */
static const int widths[] = {64, 48, 32};
#define N_WIDTHS 3
#define SCREEN(number, title)                                                                      \
	{                                                                                          \
		.maker = "CWY", .name = title, .serial = number, MODES, .min_hz = 50,              \
		.max_hz = 70, .max_clock = 100,                                                    \
	}

/* One of them is uncertain, without an EDID, and one a headset. */
static const struct fake_screen screens[] = {SCREEN(1, "One"), SCREEN(2, "Two"), SCREEN(3, "Three"),
	SCREEN(4, "Four"), {MODES, .unknown = true},
	{.maker = "CWY", .name = "Headset", .serial = 5, MODES, .non_desktop = true}};
#define N_SCREENS ((int)(sizeof(screens) / sizeof(screens[0])))

static int judge(void *data, const struct fake_head *heads, int n)
{
	struct scenario *scenario = data;
	if (scenario_refuses(scenario, heads, n)) {
		return EINVAL;
	}
	if (scenario->n_fail == 0 || (heads[0].test && !scenario->fail_tests)) {
		return 0;
	}
	if (scenario->n_pass > 0) {
		scenario->n_pass--;
		return 0;
	}
	scenario->n_fail--;
	return scenario->error;
}

static void pass(struct scenario *scenario, int64_t ns)
{
	course_pass(scenario->world, scenario->card, ns);
}

static void end_refusals(struct scenario *scenario)
{
	for (int i = 0; i < scenario->shape->n; i++) {
		scenario->refused[i] = false;
		scenario->widest[i] = INT32_MAX;
	}
	scenario->clock = scenario->n_fail = 0;
}

/* Changes a rule. Running modes stay, as those of a driver do. */
static void change_rules(struct scenario *scenario)
{
	static const int limits[] = {30, 32, 48, 64};
	static const int errors[] = {EINVAL, ENOSPC, ENOMEM};
	int i = scenario_draw(scenario, scenario->shape->n);
	switch (scenario_draw(scenario, 6)) {
	case 0: end_refusals(scenario); break;
	case 1: scenario->refused[i] = !scenario->refused[i]; break;
	case 2: scenario->widest[i] = limits[scenario_draw(scenario, 4)]; break;
	case 3:
		scenario->clock = scenario_draw(scenario, 2)
					  ? scan_clock(&scans[0]) * scenario_draw(scenario, 4)
					  : 0;
		break;
	default:
		scenario->error = errors[scenario_draw(scenario, 3)];
		scenario->n_pass = scenario_draw(scenario, 2) ? scenario_draw(scenario, 6) : 0;
		scenario->n_fail = scenario_draw(scenario, 12);
		scenario->fail_tests = scenario_draw(scenario, 2);
		break;
	}
}

/* Plugs in any screen, also one that another connector has, or unplugs it. */
static void plug(struct scenario *scenario, int i)
{
	scenario->plugged[i] =
		scenario_draw(scenario, 3) ? &screens[scenario_draw(scenario, N_SCREENS)] : NULL;
	scenario->named |= 1u << i;
	fake_card_plug(scenario->card, scenario->shape->connectors[i], scenario->plugged[i]);
	pass(scenario, SECOND / 10);
}

static void replug(struct scenario *scenario, int i, const struct fake_screen *screen)
{
	scenario->named |= 1u << i;
	scenario->plugged[i] = screen;
	fake_card_plug(scenario->card, scenario->shape->connectors[i], screen);
}

/* Monitors that drop their link in standby, and return at once, later, or in an event of both. */
static void drop_links(struct scenario *scenario)
{
	const int64_t pauses[] = {0, SECOND / 100, SECOND, 10 * SECOND};
	const struct fake_screen *before[OUTPUTS_MAX];
	const unsigned dropped = (unsigned)scenario_draw(scenario, 1 << scenario->shape->n);
	const int64_t pause = pauses[scenario_draw(scenario, 4)];
	memcpy(before, scenario->plugged, sizeof(before));
	for (int i = 0; i < scenario->shape->n; i++) {
		if (dropped >> i & 1) {
			replug(scenario, i, NULL);
		}
	}
	if (pause > 0) {
		pass(scenario, pause);
	}
	for (int i = 0; i < scenario->shape->n; i++) {
		if (dropped >> i & 1) {
			replug(scenario, i, before[i]);
		}
	}
	pass(scenario, SECOND / 10);
}

/* A switch that moves all screens to another machine, or back. */
static void switch_machine(struct scenario *scenario)
{
	const bool here = scenario_draw(scenario, 2);
	for (int i = 0; i < scenario->shape->n; i++) {
		replug(scenario, i, here ? &screens[i] : NULL);
	}
	pass(scenario, SECOND / 10);
}

/* A screen that changes its connector, with one event for each. */
static void plug_elsewhere(struct scenario *scenario, int from, int to)
{
	const struct fake_screen *screen = scenario->plugged[from];
	scenario->plugged[from] = scenario->plugged[to];
	scenario->plugged[to] = screen;
	scenario->named |= 1u << from | 1u << to;
	fake_card_plug(scenario->card, scenario->shape->connectors[from], scenario->plugged[from]);
	fake_card_plug(scenario->card, scenario->shape->connectors[to], screen);
	pass(scenario, SECOND / 10);
}

static void end_lease(struct scenario *scenario)
{
	drm_lease_destroy(scenario->lease);
	scenario->lease = NULL;
	if (scenario->lease_fd >= 0) {
		close(scenario->lease_fd);
		scenario->lease_fd = -1;
	}
}

static void lend(struct scenario *scenario, int i)
{
	struct server_output *entry = scenario_entry(scenario, i);
	end_lease(scenario);
	if (entry && entry->lendable && !entry->output->leased) {
		scenario->lease = drm_lease_create(&entry->output, 1, &scenario->lease_fd);
		scenario->lease_fd = scenario->lease ? scenario->lease_fd : -1;
	}
}

static void set_lid(struct scenario *scenario, bool closed)
{
	scenario->world->fixture->server->lid_closed = closed;
	server_outputs_cover(scenario->world->fixture->server);
}

static void set_power(struct scenario *scenario, int i)
{
	struct server_output *entry = scenario_entry(scenario, i);
	if (entry && entry->scene_output) {
		scenario->named |= 1u << i;
		server_output_set_power(entry, scenario_draw(scenario, 2));
	}
}

static void set_all_power(struct scenario *scenario)
{
	scenario->named = UINT32_MAX;
	shell_run_action(scenario->world->fixture->server->shell, "dpms",
		scenario_draw(scenario, 3) ? "on" : "off");
}

static void write_config(const struct scenario *scenario, char *text, size_t size)
{
	int n = snprintf(text, size, "%s", "");
	for (int i = 0; i < scenario->shape->n; i++) {
		if (scenario->sections[i].exists) {
			n += snprintf(text + n, size - (size_t)n, "[output %s]\nenabled = %s\n",
				scenario->shape->connectors[i],
				scenario->sections[i].enabled ? "yes" : "no");
		}
		if (scenario->sections[i].exists && scenario->sections[i].width) {
			n += snprintf(text + n, size - (size_t)n, "mode = %dx%d\n",
				scenario->sections[i].width, scenario->sections[i].width * 3 / 4);
		}
	}
	assert_true((size_t)n < size);
}

static void reload_some(struct scenario *scenario)
{
	char text[1024];
	for (int i = 0; i < scenario->shape->n; i++) {
		if (scenario_draw(scenario, 3) == 0) {
			scenario->sections[i].exists = scenario_draw(scenario, 3);
			scenario->sections[i].enabled = scenario_draw(scenario, 4);
			scenario->sections[i].width =
				scenario_draw(scenario, 2)
					? widths[scenario_draw(scenario, N_WIDTHS)]
					: 0;
		}
	}
	scenario->named = UINT32_MAX;
	write_config(scenario, text, sizeof(text));
	reload(scenario->world, text);
}

/* Changes some outputs together, as a client of wlr-output-management does. */
static void configure(struct scenario *scenario)
{
	struct server_output_change changes[OUTPUTS_MAX];
	size_t n = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		struct server_output *entry = scenario_entry(scenario, i);
		if (!entry || entry->lendable || scenario_draw(scenario, 2)) {
			continue;
		}
		struct config_output *config = &changes[n].config;
		const int wide = widths[scenario_draw(scenario, N_WIDTHS)];
		changes[n].output = entry;
		server_output_config(entry, config);
		config->enabled = scenario_draw(scenario, 4);
		config->has_mode = true;
		config->width = wide;
		config->height = wide * 3 / 4;
		config->interlaced = false;
		n++;
		scenario->named |= 1u << i;
	}
	server_outputs_apply(changes, n);
}

static void set_away(struct scenario *scenario, bool away)
{
	scenario->away = away;
	fake_seat_set_active(!away);
	if (!away) { /* changes while it was away are seen now */
		scenario->named = UINT32_MAX;
		pass(scenario, SECOND / 10);
	}
}

static void step(struct scenario *scenario)
{
	int n = scenario->shape->n;
	switch (scenario_draw(scenario, 20)) {
	case 0:
	case 1:
	case 2: change_rules(scenario); break;
	case 3:
	case 4: plug(scenario, scenario_draw(scenario, n)); break;
	case 5:
		plug_elsewhere(scenario, scenario_draw(scenario, n), scenario_draw(scenario, n));
		break;
	case 6:
	case 7: set_power(scenario, scenario_draw(scenario, n)); break;
	case 8: configure(scenario); break;
	case 9:
	case 10: set_away(scenario, !scenario->away && scenario_draw(scenario, 2)); break;
	case 11: fake_card_send_hotplug(scenario->card, scenario->shape->connectors[0]); break;
	case 12: set_lid(scenario, scenario_draw(scenario, 2)); break;
	case 13: lend(scenario, scenario_draw(scenario, n)); break;
	case 14: drop_links(scenario); break;
	case 15: switch_machine(scenario); break;
	case 16: set_all_power(scenario); break;
	case 17: reload_some(scenario); break;
	case 18: pass(scenario, scenario_draw(scenario, 20) * SECOND); break;
	default: pass(scenario, scenario_draw(scenario, 1000) * (SECOND / 1000)); break;
	}
}

/* Panels under a closed lid make room for others, even if the card then refuses those. */
static unsigned find_yielding(struct scenario *scenario)
{
	const bool closed = scenario->world->fixture->server->lid_closed;
	unsigned panels = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		panels |= (unsigned)(closed && entry && entry->output->built_in) << i;
	}
	return panels;
}

/* Checks that a step darkens no output that it does not name and that the user still wants. */
static void check_step(struct scenario *scenario)
{
	bool was_away = scenario->away, failed = scenario->n_fail > 0;
	unsigned before = scenario_find_lit(scenario) & scenario_find_wanted(scenario) &
			  ~scenario_find_due(scenario);
	scenario->named = 0;
	step(scenario);
	pass(scenario, 0);
	if (was_away || scenario->away || failed || scenario->n_fail > 0) {
		return;
	}
	unsigned after = scenario_find_lit(scenario), wanted = scenario_find_wanted(scenario);
	before &= ~find_yielding(scenario);
	if (before & wanted & ~after & ~scenario->named) {
		fail_msg("outputs %x went dark, beside %x", before & wanted & ~after,
			scenario->named);
	}
}

static void check_after_event(struct scenario *scenario)
{
	set_away(scenario, false);
	scenario->n_fail = 0;
	pass(scenario, REACTION);
	fake_card_send_hotplug(scenario->card,
		scenario->shape->connectors[scenario_draw(scenario, scenario->shape->n)]);
	pass(scenario, REACTION);
	for (int i = 0; i < scenario->shape->n; i++) {
		scenario_check_output(scenario, i);
	}
}

/* The tries go on for ten minutes after an event. */
static void check_after_refusals(struct scenario *scenario)
{
	pass(scenario, scenario_draw(scenario, 100) * SECOND);
	end_refusals(scenario);
	pass(scenario, LONGEST_PAUSE);
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		scenario_check_output(scenario, i);
		if (entry && !entry->lacks) {
			assert_false(entry->retry_timer.armed || entry->room_timer.armed);
			assert_false(entry->power_refused || (entry->lowered && !entry->dark));
		}
	}
}

static uint64_t run(uint32_t seed)
{
	struct world *world;
	set_up((void **)&world);
	const struct shape *shape = &shapes[seed % N_SHAPES];
	struct scenario state =
				{
					.world = world,
					.shape = shape,
					.card = fake_card_create(shape->kind),
					.random = seed * UINT32_C(2654435761),
					.lease_fd = -1,
				},
			*scenario = &state;
	end_refusals(scenario);
	fake_card_set_mode_judge(state.card, judge, scenario);
	for (int i = 0; i < shape->n; i++) {
		state.plugged[i] = i == 0 || scenario_draw(scenario, 2) ? &screens[i] : NULL;
		fake_card_plug(state.card, shape->connectors[i], state.plugged[i]);
		state.refused[i] = scenario_draw(scenario, 4) == 0;
	}
	begin(world, "");
	fake_card_set_flips(state.card, FAKE_FLIPS_HELD);
	for (int i = 0; i < N_STEPS; i++) {
		check_step(scenario);
		if (scenario_draw(scenario, 10) == 0) {
			check_after_event(scenario);
		}
	}
	check_after_event(scenario);
	check_after_refusals(scenario);
	assert_int_equal(fake_card_counts(state.card).removed_while_shown, 0);
	end_lease(scenario);
	fixture_destroy(world->fixture);
	world->fixture = NULL;
	struct fake_counts left = fake_card_counts(state.card);
	assert_int_equal(left.framebuffers + left.blobs + left.files + left.buffers, 0);
	tear_down((void **)&world);
	return N_STEPS;
}

static void outputs_reach_their_modes_when_refusals_end(void **state)
{
	course_play("SEEDS", N_SEEDS, run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			outputs_reach_their_modes_when_refusals_end, course_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
