/* SPDX-License-Identifier: MIT */
/*
 * Random events on a card and its screens. Each frame completes once, scanned-out buffers stay in
 * place, commits do not block, and the final state is as requested without pending timers.
 */

#include "backend/lease.h"
#include "rig.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define N_SEEDS 50
#define N_STEPS 150
#define N_FENCES 4

static const char *const connectors[] = {"DP-1", "DP-2", "HDMI-A-1"};
#define N_CONNECTORS ((uint32_t)(sizeof(connectors) / sizeof(connectors[0])))

/* Small, since the CPU fills each frame. */
static const struct fake_screen screens[] = {
	{.maker = "CWY",
		.name = "One",
		.serial = 1,
		.modes = {{64, 48, 60}, {32, 32, 60}},
		.min_hz = 50,
		.max_hz = 70,
		.max_clock = 100,
		.vrr = true},
	{.maker = "CWY", .name = "Two", .serial = 2, .modes = {{48, 32, 60}, {64, 64, 60}}},
};

struct scenario {
	struct fake_card *card;
	struct rig *rig;
	uint32_t random;
	bool unreliable; /* the card refuses commits, loses flips and needs blocking modesets */
	bool away;
	int accepted[RIG_OUTPUTS_MAX]; /* accepted frames */
	int fences[N_FENCES]; /* -1: none */
	struct drm_lease *lease;
	int lease_fd;
	int64_t vblank;
};

/* Returns a number below `n`. */
static uint32_t draw(struct scenario *scenario, uint32_t n)
{
	scenario->random ^= scenario->random << 13;
	scenario->random ^= scenario->random >> 17;
	scenario->random ^= scenario->random << 5;
	return scenario->random % n;
}

/* Returns the output of a random connector, or NULL. */
static struct rig_output *draw_output(struct scenario *scenario)
{
	return rig_find(scenario->rig, connectors[draw(scenario, N_CONNECTORS)]);
}

static void plug(struct scenario *scenario)
{
	const char *connector = connectors[draw(scenario, N_CONNECTORS)];
	uint32_t which = draw(scenario, 4);
	if (scenario->rig->n_outputs + (int)N_CONNECTORS < RIG_OUTPUTS_MAX) {
		fake_card_plug(scenario->card, connector, which < 2 ? &screens[which] : NULL);
	}
}

static void change(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	struct output_state state;
	output_state_init(&state);
	if (!output) {
		return;
	}
	switch (draw(scenario, 5)) {
	case 0: state.fields = OUTPUT_ENABLED; break;
	case 1:
		state.fields = OUTPUT_ADAPTIVE_SYNC;
		state.adaptive_sync = draw(scenario, 2);
		break;
	case 2: state.fields = OUTPUT_GAMMA; break;
	default:
		state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
		state.enabled = true;
		state.mode = output->output->modes[draw(scenario, 2)];
		break;
	}
	if (output_test(output->output, &state) || draw(scenario, 2)) {
		output_commit(output->output, &state);
	}
}

static void signal_fence(struct scenario *scenario, uint32_t i)
{
	if (scenario->fences[i] >= 0) {
		fake_fence_signal(scenario->fences[i], draw(scenario, 4) ? 1 : -EIO);
		close(scenario->fences[i]);
		scenario->fences[i] = -1;
	}
}

static void show(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	if (!output || !output->output->enabled || output->output->asleep) {
		return;
	}
	uint32_t i = draw(scenario, 4 * N_FENCES);
	int fence = -1;
	if (i < N_FENCES) {
		signal_fence(scenario, i);
		fence = scenario->fences[i] = fake_fence_create();
	}
	if (rig_show(scenario->rig, output, 1, fence)) {
		scenario->accepted[output - scenario->rig->outputs]++;
	}
}

static void set_away(struct scenario *scenario, bool away)
{
	scenario->away = away;
	fake_seat_set_active(!away);
}

static void lend(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	drm_lease_destroy(scenario->lease);
	scenario->lease = NULL;
	if (scenario->lease_fd >= 0) {
		close(scenario->lease_fd);
		scenario->lease_fd = -1;
	}
	if (output && draw(scenario, 2)) {
		scenario->lease = drm_lease_create(&output->output, 1, &scenario->lease_fd);
		scenario->lease_fd = scenario->lease ? scenario->lease_fd : -1;
	}
}

static void do_vblank(struct scenario *scenario)
{
	fake_card_vblank(scenario->card, scenario->vblank += 1000);
}

static void choose_behavior(struct scenario *scenario)
{
	static const int errors[] = {EBUSY, EINVAL, ENOMEM, EACCES};
	fake_card_set_flips(
		scenario->card, draw(scenario, 2) ? FAKE_FLIPS_HELD : FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(scenario->card, draw(scenario, FAKE_MODESETS_SHARED + 1));
	if (scenario->unreliable && draw(scenario, 2)) {
		fake_card_fail(scenario->card, errors[draw(scenario, 4)],
			1 + (int)draw(scenario, 3), draw(scenario, 2));
	}
	if (scenario->unreliable && draw(scenario, 4) == 0) {
		fake_card_set_flips(scenario->card, FAKE_FLIPS_LOST);
	}
	if (scenario->unreliable && draw(scenario, 4) == 0) {
		fake_card_set_modesets(scenario->card, FAKE_MODESETS_BLOCKING);
	}
}

static void step(struct scenario *scenario)
{
	switch (draw(scenario, 16)) {
	case 0:
	case 1: plug(scenario); break;
	case 2:
	case 3: change(scenario); break;
	case 4:
	case 5:
	case 6: show(scenario); break;
	case 7:
	case 8: do_vblank(scenario); break;
	case 9: fake_card_finish_modesets(scenario->card); break;
	case 10: set_away(scenario, !scenario->away && draw(scenario, 2)); break;
	case 11: choose_behavior(scenario); break;
	case 12: signal_fence(scenario, draw(scenario, N_FENCES)); break;
	case 13:
		fake_card_break_link(scenario->card, connectors[draw(scenario, N_CONNECTORS)]);
		break;
	case 14: lend(scenario); break;
	default:
		clock_advance(scenario->rig->clock, scenario->unreliable && draw(scenario, 8) == 0
							    ? INT64_C(13000000000)
							    : 10000000);
		break;
	}
	if (draw(scenario, 3)) {
		rig_wait_for_tasks(scenario->rig);
	}
}

/* Checks that each output has at most one pending frame, and destroyed outputs none. */
static void check(const struct scenario *scenario)
{
	const struct fake_counts counts = fake_card_counts(scenario->card);
	for (int i = 0; i < scenario->rig->n_outputs; i++) {
		const struct rig_output *output = &scenario->rig->outputs[i];
		int under_way = scenario->accepted[i] - output->n_presents;
		assert_in_range(under_way, 0, output->output && !output->output->asleep ? 1 : 0);
	}
	if (!scenario->unreliable) {
		assert_int_equal(counts.removed_while_shown, 0);
		assert_int_equal(counts.blocking, 0);
	}
}

static int count_active(struct fake_card *card)
{
	int n = 0;
	for (int i = 0; i < 4; i++) {
		char name[16];
		snprintf(name, sizeof(name), "crtc-%d", i);
		n += fake_get(card, name, "ACTIVE") != 0;
	}
	return n;
}

/* Completes all pending work on a card that accepts everything. */
static void complete_pending(struct scenario *scenario)
{
	for (int i = 0; i == 0 || clock_advance_to_next(scenario->rig->clock); i++) {
		assert_in_range(i, 0, 1000);
		rig_wait_for_tasks(scenario->rig);
		do_vblank(scenario);
		fake_card_finish_modesets(scenario->card);
		rig_wait_for_tasks(scenario->rig);
	}
	check(scenario);
}

static void finish_reliably(struct scenario *scenario)
{
	fake_card_set_flips(scenario->card, FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(scenario->card, FAKE_MODESETS_AT_ONCE);
	fake_card_fail(scenario->card, EINVAL, 0, false);
	for (uint32_t i = 0; i < N_FENCES; i++) {
		signal_fence(scenario, i);
	}
	set_away(scenario, false);
	drm_lease_destroy(scenario->lease);
	complete_pending(scenario);
	for (uint32_t i = 0; i < N_CONNECTORS; i++) {
		fake_card_plug(scenario->card, connectors[i], i == 0 ? &screens[0] : NULL);
	}
	complete_pending(scenario);
	struct rig_output *output = rig_find(scenario->rig, connectors[0]);
	assert_non_null(output);
	assert_true(rig_enable(output));
	complete_pending(scenario);
	assert_int_equal(count_active(scenario->card), 1);
	assert_int_not_equal(rig_show(scenario->rig, output, 0x123456, -1), 0);
	rig_dispatch(scenario->rig);
	assert_true(output->present.presented);
	assert_int_equal(fake_plane_pixel(scenario->card,
				 fake_primary_of(scenario->card, connectors[0]), 10, 10),
		0x123456);
	assert_false(clock_advance_to_next(scenario->rig->clock));
	const struct gpu *gpu = output->output->gpu;
	fake_card_plug(scenario->card, connectors[0], NULL);
	rig_dispatch(scenario->rig);
	assert_int_equal(count_active(scenario->card), 0);
	assert_int_equal(drm_backend_clone_fd(scenario->rig->backend, gpu), -ENODEV);
	assert_false(clock_advance_to_next(scenario->rig->clock));
}

static void run(uint32_t seed, bool unreliable)
{
	struct scenario scenario = {
		.card = fake_card_create("amdgpu"),
		.random = seed * UINT32_C(2654435761),
		.unreliable = unreliable,
		.fences = {-1, -1, -1, -1},
		.lease_fd = -1,
	};
	fake_card_plug(scenario.card, connectors[0], &screens[0]);
	scenario.rig = rig_create();
	for (int i = 0; i < N_STEPS; i++) {
		step(&scenario);
		check(&scenario);
	}
	finish_reliably(&scenario);
	if (scenario.lease_fd >= 0) {
		close(scenario.lease_fd);
	}
	rig_destroy(scenario.rig);
}

static void reliable_card_never_blocks(void **state)
{
	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		run(seed, false);
	}
}

static void unreliable_card_recovers(void **state)
{
	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		run(seed, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reliable_card_never_blocks),
		cmocka_unit_test(unreliable_card_recovers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
