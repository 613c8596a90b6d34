/* SPDX-License-Identifier: MIT */
/*
 * Random refusals of modes, by connector, size, bandwidth and for single requests, on cards with
 * many and with few CRTCs, while screens, power, the lid, leases, settings of clients and the
 * session change. After a hotplug event, no output lacks a mode that the card accepts, and as many
 * are lit as the CRTCs allow; no step darkens another output; when the refusals have ended, all
 * outputs reach their state within the longest pause. SEED sets the first seed, SEEDS their number.
 */

#include "backend/drm/drm.h"
#include "backend/lease.h"
#include "refusals.h"
#include "server/outputs.h"
#include "util/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N_SEEDS 40
#define N_STEPS 50
#define OUTPUTS_MAX 4
#define N_MODES 3
/* Time for the tries that an event starts: reductions of other outputs take 100 ms each. */
#define REACTION SECOND
#define LONGEST_PAUSE (31 * SECOND)

/* Cards and their routes from connectors to CRTCs. */
static const struct shape {
	const char *kind;
	const char *connectors[OUTPUTS_MAX + 1];
	unsigned routes[OUTPUTS_MAX];
	int n;
} shapes[] = {
	{"amdgpu", {"DP-1", "DP-2", "HDMI-A-1"}, {0xf, 0xf, 0xf}, 3},
	{"i915-dock", {"eDP-5", "DP-8", "DP-9", "DP-10"}, {0x7, 0x7, 0x7, 0x7}, 4},
	{"rockchip", {"HDMI-A-5", "eDP-3", "DSI-1"}, {0x3, 0x3, 0x2}, 3},
};
#define N_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

#define MODES .modes = {{640, 480, 60}, {480, 360, 60}, {320, 240, 60}}
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

struct scenario {
	struct world *world;
	const struct shape *shape;
	struct fake_card *card;
	uint32_t random;
	bool away;
	struct drm_lease *lease;
	int lease_fd;
	/** Rules of the card. */
	bool refused[OUTPUTS_MAX];
	int widest[OUTPUTS_MAX]; /* pixels */
	int clock; /* kHz, of all connectors; 0: unlimited */
	int n_fail, error; /* single requests, and their errno */
	bool fail_tests; /* test-only requests among them */
	const struct fake_screen *plugged[OUTPUTS_MAX]; /* NULL: none */
	/** Outputs that the step changes itself. */
	unsigned named;
};

/* Returns a number below `n`. */
static int draw(struct scenario *scenario, int n)
{
	scenario->random ^= scenario->random << 13;
	scenario->random ^= scenario->random >> 17;
	scenario->random ^= scenario->random << 5;
	return (int)(scenario->random % (uint32_t)n);
}

static int find(const struct scenario *scenario, const char *connector)
{
	int i = 0;
	while (strcmp(scenario->shape->connectors[i], connector) != 0) {
		i++;
	}
	return i;
}

/* Applies the lasting rules to the modes. */
static bool is_refused(const struct scenario *scenario, const struct fake_head *heads, int n)
{
	int clock = 0;
	for (int i = 0; i < n; i++) {
		int output = find(scenario, heads[i].connector);
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
	return scenario->plugged[i] ? find_entry(scenario->world, scenario->shape->connectors[i])
				    : NULL;
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
	for (int i = 0; i < scenario->shape->n; i++) {
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
	int i = draw(scenario, scenario->shape->n);
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

/* Plugs in any screen, also one that another connector has, or unplugs it. */
static void plug(struct scenario *scenario, int i)
{
	scenario->plugged[i] = draw(scenario, 3) ? &screens[draw(scenario, N_SCREENS)] : NULL;
	scenario->named |= 1u << i;
	fake_card_plug(scenario->card, scenario->shape->connectors[i], scenario->plugged[i]);
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
	struct server_output *entry = entry_of(scenario, i);
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
	struct server_output *entry = entry_of(scenario, i);
	if (entry && entry->scene_output) {
		scenario->named |= 1u << i;
		server_output_set_power(entry, draw(scenario, 2));
	}
}

/* Changes some outputs together, as a client of wlr-output-management does. */
static void configure(struct scenario *scenario)
{
	static const int sizes[][2] = {{640, 480}, {480, 360}, {320, 240}};
	struct server_output_change changes[OUTPUTS_MAX];
	size_t n = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		struct server_output *entry = entry_of(scenario, i);
		if (!entry || entry->lendable || draw(scenario, 2)) {
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
		n++;
		scenario->named |= 1u << i;
	}
	server_outputs_apply(changes, n);
}

static void set_away(struct scenario *scenario, bool away)
{
	scenario->away = away;
	fake_seat_set_active(!away);
}

static void step(struct scenario *scenario)
{
	int n = scenario->shape->n;
	switch (draw(scenario, 15)) {
	case 0:
	case 1:
	case 2: change_rules(scenario); break;
	case 3:
	case 4:
		if (!scenario->away) {
			plug(scenario, draw(scenario, n));
		}
		break;
	case 5:
		if (!scenario->away) {
			plug_elsewhere(scenario, draw(scenario, n), draw(scenario, n));
		}
		break;
	case 6:
	case 7: set_power(scenario, draw(scenario, n)); break;
	case 8:
		if (!scenario->away) {
			configure(scenario);
		}
		break;
	case 9: set_away(scenario, !scenario->away && draw(scenario, 2)); break;
	case 10: fake_card_send_hotplug(scenario->card, scenario->shape->connectors[0]); break;
	case 11: set_lid(scenario, draw(scenario, 2)); break;
	case 12: lend(scenario, draw(scenario, n)); break;
	case 13: pass(scenario, draw(scenario, 20) * SECOND); break;
	default: pass(scenario, draw(scenario, 1000) * (SECOND / 1000)); break;
	}
}

static int width(struct scenario *scenario, int i)
{
	return width_of(scenario->card, scenario->shape->connectors[i]);
}

static unsigned find_lit(struct scenario *scenario)
{
	unsigned lit = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		lit |= (unsigned)(width(scenario, i) > 0) << i;
	}
	return lit;
}

/* Tries all assignments of the CRTCs. */
static bool fits(const struct shape *shape, unsigned outputs, unsigned crtcs)
{
	if (!outputs) {
		return true;
	}
	int i = __builtin_ctz(outputs);
	for (int crtc = 0; crtc < 4; crtc++) {
		unsigned bit = 1u << crtc;
		if (shape->routes[i] & crtcs & bit &&
			fits(shape, outputs & (outputs - 1), crtcs & ~bit)) {
			return true;
		}
	}
	return false;
}

/* Returns the CRTCs that no lessee has. */
static unsigned find_crtcs(struct scenario *scenario)
{
	unsigned crtcs = UINT32_MAX;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = entry_of(scenario, i);
		if (entry && entry->output->leased) {
			crtcs &= ~(1u << drm_output_from_base(entry->output)->crtc->index);
		}
	}
	return crtcs;
}

static bool has_certain_screen(const struct scenario *scenario)
{
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct fake_screen *screen = scenario->plugged[i];
		if (screen && !screen->unknown && !screen->non_desktop) {
			return true;
		}
	}
	return false;
}

/* Returns whether the lid covers the output: another one takes its place. */
static bool is_covered(struct scenario *scenario, int i)
{
	bool others = false;
	for (int j = 0; j < scenario->shape->n; j++) {
		const struct server_output *other = entry_of(scenario, j);
		others |= other && !other->output->built_in && other->scene_output;
	}
	return scenario->world->fixture->server->lid_closed &&
	       entry_of(scenario, i)->output->built_in && others;
}

/* Returns whether the user wants the output to be lit. */
static bool is_wanted(struct scenario *scenario, int i)
{
	const struct server_output *entry = entry_of(scenario, i);
	const struct config_output *client =
		entry && entry->screen->has_client_config ? &entry->screen->client_config : NULL;
	return entry && !scenario->plugged[i]->non_desktop && (!client || client->enabled) &&
	       (!entry->dark || entry->power_refused) && !is_covered(scenario, i) &&
	       !(scenario->plugged[i]->unknown && !client && has_certain_screen(scenario));
}

static unsigned find_wanted(struct scenario *scenario)
{
	unsigned wanted = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		wanted |= (unsigned)is_wanted(scenario, i) << i;
	}
	return wanted;
}

static int wanted_width(struct scenario *scenario, int i)
{
	const struct server_screen *screen = entry_of(scenario, i)->screen;
	bool has = screen->has_client_config && screen->client_config.has_mode;
	return has ? screen->client_config.width : screens[0].modes[0].width;
}

/* Returns whether the rules allow the mode beside the modes of the other connectors. */
static bool is_allowed(struct scenario *scenario, int output, int wide, int height)
{
	struct fake_head heads[OUTPUTS_MAX];
	int n = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		int other = width(scenario, i);
		heads[n] = (struct fake_head){
			.connector = scenario->shape->connectors[i],
			.width = i == output ? wide : other,
			.clock = i == output ? clock_of(wide, height)
					     : clock_of(other, other * 3 / 4),
		};
		n += heads[n].width > 0;
	}
	return !is_refused(scenario, heads, n);
}

/* Returns true if all outputs are powered off: no other one is lit instead. */
static bool is_idle(struct scenario *scenario)
{
	bool dark = false;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = entry_of(scenario, i);
		if (entry && entry->frame) {
			return false;
		}
		dark |= entry && entry->dark;
	}
	return dark;
}

/* Checks that the rules refuse all modes that are better than the output's. */
static void check_output(struct scenario *scenario, int i)
{
	const struct server_output *entry = entry_of(scenario, i);
	int now = width(scenario, i);
	if (!entry || !is_wanted(scenario, i)) {
		assert_int_equal(now, 0);
		return;
	}
	assert_false(entry->power_refused && !entry->dark);
	if (now == 0 && (is_idle(scenario) || !fits(scenario->shape, find_lit(scenario) | 1u << i,
						      find_crtcs(scenario)))) {
		return;
	}
	int wanted = wanted_width(scenario, i);
	for (int j = 0; j < N_MODES; j++) {
		int mode = screens[0].modes[j].width, height = screens[0].modes[j].height;
		bool better = now == 0 || mode == wanted ||
			      (wanted == screens[0].modes[0].width && mode > now);
		if (better && mode != now && is_allowed(scenario, i, mode, height)) {
			fail_msg("%s has the width %d, and %d is allowed",
				scenario->shape->connectors[i], now, mode);
		}
	}
}

/* Returns the outputs whose modeset waits for the card, such as after the session's return. */
static unsigned find_due(struct scenario *scenario)
{
	unsigned due = 0;
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = entry_of(scenario, i);
		due |= (unsigned)(entry && drm_output_from_base(entry->output)->due) << i;
	}
	return due;
}

/* Checks that a step darkens no output that it does not name and that the user still wants. */
static void check_step(struct scenario *scenario)
{
	bool was_away = scenario->away, failed = scenario->n_fail > 0;
	unsigned before = find_lit(scenario) & find_wanted(scenario) & ~find_due(scenario);
	scenario->named = 0;
	step(scenario);
	pass(scenario, 0);
	if (was_away || scenario->away || failed || scenario->n_fail > 0) {
		return;
	}
	unsigned after = find_lit(scenario), wanted = find_wanted(scenario);
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
	fake_card_send_hotplug(
		scenario->card, scenario->shape->connectors[draw(scenario, scenario->shape->n)]);
	pass(scenario, REACTION);
	for (int i = 0; i < scenario->shape->n; i++) {
		check_output(scenario, i);
	}
}

/* The tries go on for ten minutes after an event. */
static void check_after_refusals(struct scenario *scenario)
{
	pass(scenario, draw(scenario, 100) * SECOND);
	end_refusals(scenario);
	pass(scenario, LONGEST_PAUSE);
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = entry_of(scenario, i);
		check_output(scenario, i);
		if (entry && !entry->lacks) {
			assert_false(entry->retry_timer.armed || entry->room_timer.armed);
			assert_false(entry->power_refused || (entry->lowered && !entry->dark));
		}
	}
}

static void run(struct world *world, uint32_t seed)
{
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
		state.plugged[i] = i == 0 || draw(scenario, 2) ? &screens[i] : NULL;
		fake_card_plug(state.card, shape->connectors[i], state.plugged[i]);
		state.refused[i] = draw(scenario, 4) == 0;
	}
	begin(world, "");
	fake_card_set_flips(state.card, FAKE_FLIPS_HELD);
	for (int i = 0; i < N_STEPS; i++) {
		check_step(scenario);
		if (draw(scenario, 10) == 0) {
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
	fake_reset_all();
}

static void outputs_reach_their_modes_when_refusals_end(void **state)
{
	const char *first = getenv("SEED"), *n = getenv("SEEDS");
	for (uint32_t i = 0; i < (n ? (uint32_t)strtoul(n, NULL, 10) : N_SEEDS); i++) {
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
