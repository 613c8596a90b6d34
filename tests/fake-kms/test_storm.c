/*
 * Whatever happens to a card and its screens, in any order: each frame is answered once, nothing is taken away
 * that shows, nobody waits for the card, and in the end it does what it is told, and rests.
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

/* Small: each frame is filled by the CPU. */
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

struct storm {
	struct fake_card *card;
	struct rig *rig;
	uint32_t random;
	bool rough; /* the card refuses things, loses flips, and has to be waited for */
	bool away;
	int accepted[RIG_MAX_OUTPUTS]; /* frames */
	int fences[N_FENCES]; /* -1: none */
	struct drm_lease *lease;
	int lease_fd;
	int64_t vblank;
};

/* Below n. */
static uint32_t draw(struct storm *storm, uint32_t n)
{
	storm->random ^= storm->random << 13;
	storm->random ^= storm->random >> 17;
	storm->random ^= storm->random << 5;
	return storm->random % n;
}

/* NULL: none that lives was drawn. */
static struct rig_output *draw_output(struct storm *storm)
{
	return rig_find(storm->rig, connectors[draw(storm, N_CONNECTORS)]);
}

static void plug(struct storm *storm)
{
	const char *connector = connectors[draw(storm, N_CONNECTORS)];
	uint32_t which = draw(storm, 4);
	if (storm->rig->n_outputs + (int)N_CONNECTORS < RIG_MAX_OUTPUTS) {
		fake_card_plug(storm->card, connector, which < 2 ? &screens[which] : NULL);
	}
}

static void change(struct storm *storm)
{
	struct rig_output *output = draw_output(storm);
	struct output_state state;
	output_state_init(&state);
	if (!output) {
		return;
	}
	switch (draw(storm, 5)) {
	case 0: state.fields = OUTPUT_ENABLED; break;
	case 1:
		state.fields = OUTPUT_ADAPTIVE_SYNC;
		state.adaptive_sync = draw(storm, 2);
		break;
	case 2: state.fields = OUTPUT_GAMMA; break;
	default:
		state.fields = OUTPUT_ENABLED | OUTPUT_MODE;
		state.enabled = true;
		state.mode = output->output->modes[draw(storm, 2)];
		break;
	}
	if (output_test(output->output, &state) || draw(storm, 2)) {
		output_commit(output->output, &state);
	}
}

static void signal_fence(struct storm *storm, uint32_t i)
{
	if (storm->fences[i] >= 0) {
		fake_fence_signal(storm->fences[i], draw(storm, 4) ? 1 : -EIO);
		close(storm->fences[i]);
		storm->fences[i] = -1;
	}
}

static void show(struct storm *storm)
{
	struct rig_output *output = draw_output(storm);
	if (!output || !output->output->enabled || output->output->asleep) {
		return;
	}
	uint32_t i = draw(storm, 4 * N_FENCES);
	int fence = -1;
	if (i < N_FENCES) {
		signal_fence(storm, i);
		fence = storm->fences[i] = fake_fence_create();
	}
	if (rig_show(storm->rig, output, 1, fence)) {
		storm->accepted[output - storm->rig->outputs]++;
	}
}

static void set_away(struct storm *storm, bool away)
{
	storm->away = away;
	fake_seat_set_active(!away);
}

static void lend(struct storm *storm)
{
	struct rig_output *output = draw_output(storm);
	drm_lease_destroy(storm->lease);
	storm->lease = NULL;
	if (storm->lease_fd >= 0) {
		close(storm->lease_fd);
		storm->lease_fd = -1;
	}
	if (output && draw(storm, 2)) {
		storm->lease = drm_lease_create(&output->output, 1, &storm->lease_fd);
		storm->lease_fd = storm->lease ? storm->lease_fd : -1;
	}
}

static void do_vblank(struct storm *storm)
{
	fake_card_vblank(storm->card, storm->vblank += 1000);
}

static void set_ways(struct storm *storm)
{
	static const int errors[] = {EBUSY, EINVAL, ENOMEM, EACCES};
	fake_card_set_flips(storm->card, draw(storm, 2) ? FAKE_FLIPS_HELD : FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(storm->card, draw(storm, FAKE_MODESETS_SHARED + 1));
	if (storm->rough && draw(storm, 2)) {
		fake_card_fail(storm->card, errors[draw(storm, 4)], 1 + (int)draw(storm, 3),
			draw(storm, 2));
	}
	if (storm->rough && draw(storm, 4) == 0) {
		fake_card_set_flips(storm->card, FAKE_FLIPS_LOST);
	}
	if (storm->rough && draw(storm, 4) == 0) {
		fake_card_set_modesets(storm->card, FAKE_MODESETS_WAITED);
	}
}

static void step(struct storm *storm)
{
	switch (draw(storm, 16)) {
	case 0:
	case 1: plug(storm); break;
	case 2:
	case 3: change(storm); break;
	case 4:
	case 5:
	case 6: show(storm); break;
	case 7:
	case 8: do_vblank(storm); break;
	case 9: fake_card_finish_modesets(storm->card); break;
	case 10: set_away(storm, !storm->away && draw(storm, 2)); break;
	case 11: set_ways(storm); break;
	case 12: signal_fence(storm, draw(storm, N_FENCES)); break;
	case 13: fake_card_break_link(storm->card, connectors[draw(storm, N_CONNECTORS)]); break;
	case 14: lend(storm); break;
	default:
		clock_advance(storm->rig->clock,
			storm->rough && draw(storm, 8) == 0 ? INT64_C(13000000000) : 10000000);
		break;
	}
	if (draw(storm, 3)) {
		rig_turn(storm->rig);
	}
}

/* With no more frames under way than may be; and none of what is gone. */
static void check(const struct storm *storm)
{
	const struct fake_counts counts = fake_card_counts(storm->card);
	for (int i = 0; i < storm->rig->n_outputs; i++) {
		const struct rig_output *output = &storm->rig->outputs[i];
		int under_way = storm->accepted[i] - output->n_presents;
		assert_in_range(under_way, 0, output->output && !output->output->asleep ? 1 : 0);
	}
	if (!storm->rough) {
		assert_int_equal(counts.torn, 0);
		assert_int_equal(counts.waited, 0);
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

/* Until nothing is due any more: the card is quick and willing now. */
static void settle(struct storm *storm)
{
	for (int i = 0; i == 0 || clock_advance_to_next(storm->rig->clock); i++) {
		assert_in_range(i, 0, 1000);
		rig_turn(storm->rig);
		do_vblank(storm);
		fake_card_finish_modesets(storm->card);
		rig_turn(storm->rig);
	}
	check(storm);
}

static void calm_down(struct storm *storm)
{
	fake_card_set_flips(storm->card, FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(storm->card, FAKE_MODESETS_AT_ONCE);
	fake_card_fail(storm->card, EINVAL, 0, false);
	for (uint32_t i = 0; i < N_FENCES; i++) {
		signal_fence(storm, i);
	}
	set_away(storm, false);
	drm_lease_destroy(storm->lease);
	settle(storm);
	for (uint32_t i = 0; i < N_CONNECTORS; i++) {
		fake_card_plug(storm->card, connectors[i], i == 0 ? &screens[0] : NULL);
	}
	settle(storm);
	struct rig_output *output = rig_find(storm->rig, connectors[0]);
	assert_non_null(output);
	assert_true(rig_light(output));
	settle(storm);
	assert_int_equal(count_active(storm->card), 1);
	assert_int_not_equal(rig_show(storm->rig, output, 0x123456, -1), 0);
	rig_turn(storm->rig);
	assert_true(output->present.presented);
	assert_int_equal(
		fake_plane_pixel(storm->card, fake_primary_of(storm->card, connectors[0]), 10, 10),
		0x123456);
	assert_false(clock_advance_to_next(storm->rig->clock));
	const struct gpu *gpu = output->output->gpu;
	fake_card_plug(storm->card, connectors[0], NULL);
	rig_turn(storm->rig);
	assert_int_equal(count_active(storm->card), 0);
	assert_int_equal(drm_backend_clone_fd(storm->rig->backend, gpu), -ENODEV);
	assert_false(clock_advance_to_next(storm->rig->clock));
}

static void run(uint32_t seed, bool rough)
{
	struct storm storm = {
		.card = fake_card_create("amdgpu"),
		.random = seed * UINT32_C(2654435761),
		.rough = rough,
		.fences = {-1, -1, -1, -1},
		.lease_fd = -1,
	};
	fake_card_plug(storm.card, connectors[0], &screens[0]);
	storm.rig = rig_create();
	for (int i = 0; i < N_STEPS; i++) {
		step(&storm);
		check(&storm);
	}
	calm_down(&storm);
	if (storm.lease_fd >= 0) {
		close(storm.lease_fd);
	}
	rig_destroy(storm.rig);
}

static void test_fair(void **state)
{
	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		run(seed, false);
	}
}

static void test_rough(void **state)
{
	for (uint32_t seed = 1; seed <= N_SEEDS; seed++) {
		run(seed, true);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_rough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
