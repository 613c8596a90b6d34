/* SPDX-License-Identifier: MIT */
/*
 * Random refusals of modes, by connector, size, bandwidth and for single requests, on cards with
 * many and with few CRTCs, while screens, power, the lid, leases, settings of clients and the
 * session change. After a hotplug event, no output lacks a mode that the card accepts, and as many
 * are lit as the CRTCs allow; no step darkens another output; when the refusals have ended, all
 * outputs reach their state within the longest pause. SEEDS=FIRST,LAST plays other seeds.
 */

#include "audit.h"
#include "backend/drm/drm.h"
#include "backend/lease.h"
#include "refusal_oracle.h"
#include "scene/scene.h"
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
	{"virtio_gpu", {"Virtual-1"}, {0x1}, 1, true},
	{"i915-skylake", {"eDP-1", "DP-1", "HDMI-A-1", "DP-3"}, {0x7, 0x7, 0x7, 0x7}, 4},
	{"amdgpu-raven", {"eDP-1", "HDMI-A-1", "DP-1"}, {0xf, 0xf, 0xf}, 3},
	{"amdgpu-picasso", {"HDMI-A-1", "DP-1", "DP-2"}, {0xf, 0xf, 0xf}, 3},
	{"nvidia-pascal", {"DP-1", "HDMI-A-1", "DVI-D-1"}, {0xf, 0xf, 0xf}, 3},
	{"rockchip-rk3399", {"HDMI-A-1", "eDP-1", "DSI-1"}, {0x3, 0x3, 0x3}, 3},
	{"vc4-pi4", {"HDMI-A-1", "HDMI-A-2", "Composite-1"}, {0x8, 0x20, 0x10}, 3},
	{"virtio-heads", {"Virtual-1", "Virtual-2"}, {0x1, 0x2}, 2, true},
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
		.max_hz = 70, .max_clock = 100, .vrr = number < 4,                                 \
	}

/*
 * One of them is uncertain, without an EDID, and two are headsets. The second list has the same
 * without the first modes, as behind an adapter: see main().
 */
#define N_SCREENS 7
static struct fake_screen screens[2][N_SCREENS] = {{SCREEN(1, "One"), SCREEN(2, "Two"),
	SCREEN(3, "Three"), SCREEN(4, "Four"), {MODES, .unknown = true},
	{.maker = "CWY", .name = "Headset", .serial = 5, MODES, .non_desktop = true},
	{.maker = "CWY", .name = "Eye", .serial = 6, MODES, .non_desktop = true}}};
#define N_VANISHING 2
/* Windows of the host of a virtual machine. */
static const struct fake_screen windows[] = {
	{.modes = {{64, 48, 60}, {48, 36, 60}, {32, 24, 60}}},
	{.modes = {{48, 36, 60}, {64, 48, 60}, {32, 24, 60}}},
	{.modes = {{32, 24, 60}, {64, 48, 60}, {48, 36, 60}}},
};

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
	fake_card_refuse_property(scenario->card, "VRR_ENABLED", 0);
	fake_card_refuse_property(scenario->card, "content type", 0);
}

/* Changes a rule. Running modes stay, as those of a driver do. */
static void change_rules(struct scenario *scenario)
{
	static const int limits[] = {30, 32, 48, 64};
	static const int errors[] = {EINVAL, ENOSPC, ENOMEM};
	int i = scenario_draw(scenario, scenario->shape->n);
	switch (scenario_draw(scenario, 7)) {
	case 0: end_refusals(scenario); break;
	case 4:
		fake_card_refuse_property(scenario->card,
			scenario_draw(scenario, 2) ? "VRR_ENABLED" : "content type",
			scenario_draw(scenario, 2) ? errors[scenario_draw(scenario, 3)] : 0);
		break;
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

static void replug(struct scenario *scenario, int i, const struct fake_screen *screen)
{
	scenario->named |= 1u << i;
	const struct fake_screen *last = scenario->last[i];
	const bool same =
		screen && last && !scenario->shape->resized && (screen - last) % N_SCREENS == 0;
	scenario->plugged[i] = screen;
	/* The session may not see that the screen was away, or another one was there. */
	if (scenario->away) {
		scenario->changed_modes[i] = true;
	} else if (screen) {
		scenario->changed_modes[i] = same && (scenario->changed_modes[i] || screen != last);
	}
	scenario->last[i] = screen ? screen : last;
	fake_card_plug(scenario->card, scenario->shape->connectors[i], screen);
}

static const struct fake_screen *draw_screen(struct scenario *scenario)
{
	return scenario->shape->resized ? &windows[scenario_draw(scenario, 3)]
					: &screens[scenario_draw(scenario, 8) == 0]
						  [scenario_draw(scenario, N_SCREENS)];
}

/* Plugs in any screen, also one that another connector has, or unplugs it. */
static void plug(struct scenario *scenario, int i)
{
	replug(scenario, i, scenario_draw(scenario, 3) ? draw_screen(scenario) : NULL);
	pass(scenario, SECOND / 10);
}

/* The screen's modes vanish or return, or the host resizes its window: it stays lit. */
static void change_modes(struct scenario *scenario, int i)
{
	const struct fake_screen *screen = scenario->plugged[i];
	if (!screen) {
		return;
	}
	if (scenario->shape->resized) {
		screen = draw_screen(scenario);
	} else if (screen < screens[1]) {
		screen += N_SCREENS;
	} else {
		screen -= N_SCREENS;
	}
	scenario->plugged[i] = scenario->last[i] = screen;
	scenario->changed_modes[i] = true;
	fake_card_plug(scenario->card, scenario->shape->connectors[i], screen);
	pass(scenario, SECOND / 10);
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
		replug(scenario, i,
			!here                      ? NULL
			: scenario->shape->resized ? &windows[0]
						   : &screens[0][i]);
	}
	pass(scenario, SECOND / 10);
}

/* A screen that changes its connector, with one event for each. */
static void plug_elsewhere(struct scenario *scenario, int from, int to)
{
	const struct fake_screen *screen = scenario->plugged[from];
	replug(scenario, from, scenario->plugged[to]);
	replug(scenario, to, screen);
	pass(scenario, SECOND / 10);
}

static void close_lessee(struct scenario *scenario, int slot)
{
	if (scenario->lease_fds[slot] >= 0) {
		close(scenario->lease_fds[slot]);
		scenario->lease_fds[slot] = -1;
	}
}

static void end_lease(struct scenario *scenario, int slot)
{
	drm_lease_destroy(scenario->leases[slot]);
	scenario->leases[slot] = NULL;
	close_lessee(scenario, slot);
}

/* Lends one or two outputs: the card grants the lease if it has enough unused CRTCs. */
static void lend(struct scenario *scenario, int slot, unsigned wanted)
{
	struct output *outputs[OUTPUTS_MAX];
	size_t n = 0;
	bool ready = !scenario->away;
	end_lease(scenario, slot);
	pass(scenario, 0);
	const unsigned unused = scenario_find_unused_crtcs(scenario);
	for (int i = 0; i < scenario->shape->n; i++) {
		struct server_output *entry = scenario_entry(scenario, i);
		if (wanted >> i & 1 && (!entry || !entry->lendable || entry->output->leased)) {
			wanted &= ~(1u << i);
		} else if (wanted >> i & 1) {
			ready &= !entry->output->enabled && !entry->output->asleep &&
				 !drm_output_from_base(entry->output)->due;
			outputs[n++] = entry->output;
		}
	}
	if (n == 0) {
		return;
	}
	int *fd = &scenario->lease_fds[slot];
	struct drm_lease *lease = drm_lease_create(outputs, n, fd);
	*fd = lease ? *fd : -1;
	scenario->leases[slot] = lease;
	const bool expected = ready && scenario_fits(scenario->shape, wanted, unused);
	if (expected != (lease != NULL)) {
		fail_msg("a lease of %x with the CRTCs %x is %s", wanted, unused,
			lease ? "granted" : "refused");
	}
}

/* The program ends the lease, or the compositor does for it. */
static void change_leases(struct scenario *scenario)
{
	const int slot = scenario_draw(scenario, LEASES_MAX);
	switch (scenario_draw(scenario, 4)) {
	case 0: end_lease(scenario, slot); break;
	case 1: close_lessee(scenario, slot); break;
	default:
		lend(scenario, slot,
			1u << scenario_draw(scenario, scenario->shape->n) |
				1u << scenario_draw(scenario, scenario->shape->n));
		break;
	}
	pass(scenario, SECOND / 100);
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
	static const char *const rates[] = {"", "adaptive-sync = on\n", "adaptive-sync = off\n"};
	int n = snprintf(text, size, "%s", "");
	for (int i = 0; i < scenario->shape->n; i++) {
		if (!scenario->sections[i].exists) {
			continue;
		}
		n += snprintf(text + n, size - (size_t)n, "[output %s]\nenabled = %s\n%s%s",
			scenario->shape->connectors[i],
			scenario->sections[i].enabled ? "yes" : "no",
			scenario->sections[i].leased ? "lease = yes\n" : "",
			rates[scenario->sections[i].vrr]);
		if (scenario->sections[i].width) {
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
			scenario->sections[i].leased = scenario_draw(scenario, 4) == 0;
			scenario->sections[i].vrr = scenario_draw(scenario, 3);
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
		config->adaptive_sync = scenario_draw(scenario, 3) ? CONFIG_ADAPTIVE_SYNC_AUTO
								   : CONFIG_ADAPTIVE_SYNC_ON;
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
	const int n = scenario->shape->n, kind = scenario_draw(scenario, 22);
	if (course_is_loud()) {
		print_message("kind %d\n", kind);
	}
	switch (kind) {
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
	case 13:
	case 20: change_leases(scenario); break;
	case 14: drop_links(scenario); break;
	case 15: switch_machine(scenario); break;
	case 16: set_all_power(scenario); break;
	case 17: reload_some(scenario); break;
	case 19: change_modes(scenario, scenario_draw(scenario, n)); break;
	case 18: pass(scenario, scenario_draw(scenario, 20) * SECOND); break;
	case 21:
		if (scenario->game) {
			game_request(scenario->game, scenario_draw(scenario, 2),
				scenario_draw(scenario, 2));
			game_draw(scenario->game);
		}
		break;
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
	audit(scenario->world->fixture->server->backend);
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
	/* A variable rate that was refused for good is requested after an event. */
	fake_card_send_hotplug(scenario->card, scenario->shape->connectors[0]);
	pass(scenario, REACTION);
	for (int i = 0; scenario->game && i < 3; i++) {
		game_draw(scenario->game);
		pass(scenario, SECOND / 10);
	}
	for (int i = 0; i < scenario->shape->n; i++) {
		const struct server_output *entry = scenario_entry(scenario, i);
		if (entry && entry->scene_output) {
			scene_output_damage_all(entry->scene_output);
		}
	}
	pass(scenario, 2 * REACTION);
	for (int i = 0; i < scenario->shape->n; i++) {
		scenario_check_hints(scenario, i);
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
					.lease_fds = {-1, -1},
				},
			*scenario = &state;
	end_refusals(scenario);
	fake_card_set_mode_judge(state.card, judge, scenario);
	for (int i = 0; i < shape->n; i++) {
		replug(scenario, i,
			shape->resized                         ? &windows[0]
			: i == 0 || scenario_draw(scenario, 2) ? &screens[0][i]
							       : NULL);
		state.refused[i] = scenario_draw(scenario, 4) == 0;
	}
	begin(world, "");
	fake_card_set_flips(state.card, FAKE_FLIPS_HELD);
	struct game game;
	if (seed / N_SHAPES % 4 == 0) {
		game_init(&game, world->fixture);
		state.game = &game;
	}
	for (int i = 0; i < N_STEPS; i++) {
		check_step(scenario);
		if (scenario_draw(scenario, 10) == 0) {
			check_after_event(scenario);
		}
		if (i % (N_STEPS / 5) == N_STEPS / 10) {
			check_after_event(scenario);
			check_after_refusals(scenario);
		}
	}
	check_after_event(scenario);
	check_after_refusals(scenario);
	assert_int_equal(fake_card_counts(state.card).removed_while_shown, 0);
	for (int i = 0; i < LEASES_MAX; i++) {
		end_lease(scenario, i);
	}
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
	for (int i = 0; i < N_SCREENS; i++) {
		screens[1][i] = screens[0][i];
		for (int j = 0; j < FAKE_MODES_MAX; j++) {
			screens[1][i].modes[j] =
				screens[0][i].modes[(j + N_VANISHING) % FAKE_MODES_MAX];
			if (j + N_VANISHING >= FAKE_MODES_MAX) {
				screens[1][i].modes[j].width = 0;
			}
		}
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(
			outputs_reach_their_modes_when_refusals_end, course_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
