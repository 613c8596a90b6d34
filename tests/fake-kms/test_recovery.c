/* SPDX-License-Identifier: MIT */
/* Recovery of the DRM backend from commits that the card never completes. */

#include "backend/drm/drm.h"
#include "buffer/buffer.h"
#include "two_outputs.h"
#include "util/clock.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static void lose_flip(struct two_outputs *world, struct rig_output *output, uint32_t pixel)
{
	fake_card_set_flips(world->card, FAKE_FLIPS_LOST);
	assert_int_not_equal(rig_show(world->rig, output, pixel, -1), 0);
	fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
}

static uint64_t stalls(struct two_outputs *world)
{
	return fake_card_counts(world->card).stalls;
}

static bool show(struct two_outputs *world, struct rig_output *output, uint32_t pixel)
{
	int n = output->n_presents;
	bool done = rig_show(world->rig, output, pixel, -1) != 0;
	rig_dispatch(world->rig);
	return done && output->n_presents == n + 1 && output->present.presented;
}

/*
 * The other output presents frames while the card makes the recovery wait: not on amdgpu, where the
 * commit holds the locks of all CRTCs.
 */
static void lost_flip_is_replaced_after_a_second(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_wait(world->card, 2000);
	lose_flip(world, first, 3);
	assert_true(show(world, second, 4));
	uint64_t before = fake_card_counts(world->card).modesets;
	int needed = first->n_needed + 1, presents = first->n_presents;
	clock_advance(world->rig->clock, SECOND - 1000);
	assert_int_equal(first->n_presents, presents);
	clock_advance(world->rig->clock, 2000);
	assert_int_equal(first->n_presents, presents + 1);
	assert_false(first->present.presented);
	/* A frame is kept until the output is enabled again. */
	uint32_t number = rig_show(world->rig, first, 5, -1);
	assert_int_not_equal(number, 0);
	for (uint32_t i = 0; i < 5; i++) {
		assert_true(show(world, second, 10 + i));
	}
	assert_int_equal(first->n_presents, presents + 1);
	rig_wait(world->rig, &first->n_needed, needed);
	assert_int_equal(fake_card_counts(world->card).modesets, before + 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-4"), 5);
	assert_int_equal(second->n_needed, 0);
	assert_int_equal(stalls(world), 0);
	/* No timer is left without pending commits. */
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* Starts a recovery of the first output, whose commit waits in the kernel. */
static void start_recovery(struct two_outputs *world)
{
	fake_card_set_wait(world->card, 300);
	lose_flip(world, world->first, 3);
	clock_advance(world->rig->clock, SECOND);
	usleep(20000); /* the thread has taken the locks, or takes them later: both must do */
}

static void finish_recovery(struct two_outputs *world)
{
	rig_wait_for_tasks(world->rig);
	assert_int_equal(stalls(world), 0);
	assert_true(world->first->output->enabled);
	assert_true(show(world, world->first, 6));
}

static void frames_of_a_card_with_one_lock_wait_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *second = world->second;
	int presents = second->n_presents;
	start_recovery(world);
	uint32_t number = rig_show(world->rig, second, 5, -1);
	assert_int_not_equal(number, 0);
	rig_dispatch(world->rig);
	assert_int_equal(second->n_presents, presents);
	struct output_state next;
	output_state_init(&next);
	output_state_add_plane(&next, output_primary_plane(second->output))->buffer =
		rig_buffer(world->rig, second->output, second->output->mode.width,
			second->output->mode.height, DRM_FORMAT_XRGB8888, 1);
	assert_false(output_test(second->output, &next));
	assert_true(second->output->refusal_may_pass);
	buffer_drop(next.planes[0].state.buffer);
	finish_recovery(world);
	assert_int_equal(second->n_presents, presents + 1);
	assert_int_equal(second->present.commit, number);
	assert_true(second->present.presented);
}

static bool power(struct rig_output *output, bool on)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	state.enabled = on;
	return output_test(output->output, &state) && output_commit(output->output, &state) != 0;
}

static void modesets_wait_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	const char *name = world->second->output->name;
	start_recovery(world);
	assert_true(set_mode(world->second, 2));
	assert_true(power(world->second, false));
	assert_true(power(world->second, true));
	rig_dispatch(world->rig);
	finish_recovery(world);
	assert_int_equal(width_of(world, name), 1920);
	assert_true(show(world, world->second, 7));
	start_recovery(world);
	assert_true(power(world->second, false));
	finish_recovery(world);
	assert_int_equal(width_of(world, name), 0);
}

static void outputs_set_together_wait_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	struct output_state state_of[2];
	struct output_change changes[2];
	struct rig_output *outputs[] = {world->first, world->second};
	for (int i = 0; i < 2; i++) {
		output_state_init(&state_of[i]);
		state_of[i].fields = OUTPUT_MODE;
		state_of[i].mode = outputs[i]->output->modes[2];
		changes[i] = (struct output_change){outputs[i]->output, &state_of[i]};
	}
	start_recovery(world);
	assert_true(outputs_test(changes, 2) && outputs_commit(changes, 2));
	finish_recovery(world);
	assert_int_equal(width_of(world, world->first->output->name), 1024);
	assert_int_equal(width_of(world, world->second->output->name), 1920);
}

static void gamma_waits_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	size_t size = 0, n = world->second->output->gamma_size;
	uint16_t *ramps = calloc(3 * n, sizeof(*ramps));
	struct output_state gamma;
	output_state_init(&gamma);
	gamma.fields = OUTPUT_GAMMA;
	gamma.gamma = ramps;
	start_recovery(world);
	assert_int_not_equal(output_commit(world->second->output, &gamma), 0);
	free(ramps);
	finish_recovery(world);
	assert_true(show(world, world->second, 7));
	fake_get_blob(world->card, fake_crtc_of(world->card, world->second->output->name),
		"GAMMA_LUT", &size);
	assert_int_equal(size, n * sizeof(struct drm_color_lut));
}

/* The output's recovery is forgotten, but its commit still waits in the kernel. */
static void return_of_the_session_waits_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	start_recovery(world);
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	assert_true(world->first->output->asleep);
	fake_seat_set_active(true);
	wl_event_loop_dispatch(world->rig->loop, 0);
	assert_int_equal(stalls(world), 0);
	finish_recovery(world);
	assert_int_equal(width_of(world, world->second->output->name), 2560);
	assert_true(show(world, world->second, 7));
}

static void hotplug_waits_for_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	const char *name = strcmp(world->first->output->name, "DP-1") == 0 ? "DP-3" : "eDP-1";
	start_recovery(world);
	fake_card_plug(world->card, name, &fake_screen_plain);
	rig_dispatch(world->rig);
	finish_recovery(world);
	clock_advance(world->rig->clock, SECOND / 50);
	rig_dispatch(world->rig);
	struct rig_output *third = rig_find(world->rig, name);
	assert_non_null(third);
	assert_true(rig_enable(third));
	assert_int_equal(stalls(world), 0);
}

/* The second recovery would wait for the locks of the first one. */
static void two_outputs_recover(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_wait(world->card, 100);
	lose_flip(world, world->second, 3);
	start_recovery(world);
	finish_recovery(world);
	assert_true(show(world, world->second, 7));
	assert_int_equal(width_of(world, world->second->output->name), 2560);
}

/* The kernel may have references to the frame buffer that a flip of the other output replaced. */
static void buffers_are_freed_during_a_recovery(void **state)
{
	struct two_outputs *world = *state;
	assert_true(show(world, world->second, 6));
	int framebuffers = fake_card_counts(world->card).framebuffers;
	start_recovery(world);
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(show(world, world->second, i));
	}
	assert_int_equal(stalls(world), 0);
	assert_in_range(fake_card_counts(world->card).framebuffers, 1, framebuffers + 2);
	finish_recovery(world);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
}

static void kernel_without_closefb_frees_buffers(void **state)
{
	struct two_outputs *world = *state;
	fake_card_refuse_closefb(world->card);
	int framebuffers = fake_card_counts(world->card).framebuffers;
	for (uint32_t i = 0; i < 4; i++) {
		assert_true(show(world, world->first, i));
	}
	assert_in_range(fake_card_counts(world->card).framebuffers, 1, framebuffers);
}

static void card_closed_during_a_recovery_blocks_nothing(void **state)
{
	struct two_outputs *world = *state;
	start_recovery(world);
	fake_card_remove(world->card);
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(stalls(world), 0);
	usleep(350000);
	rig_dispatch(world->rig);
}

/* A card that has completed the flip, without an event, needs no blocking commit: not on amdgpu. */
static void lost_event_needs_no_blocking_commit(void **state)
{
	struct two_outputs *world = *state;
	lose_flip(world, world->first, 3);
	fake_card_forget_flips(world->card);
	clock_advance(world->rig->clock, SECOND);
	rig_dispatch(world->rig);
	assert_int_equal(blocking_commits(world), 0);
	assert_int_equal(width_of(world, "DP-4"), 1920);
	assert_true(show(world, world->first, 4));
}

/* A GPU under load delays the flip: the frame counts as lost only after its fence. */
static void flip_behind_a_fence_is_not_lost(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	int fence = fake_fence_create(), presents = first->n_presents;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
	for (int i = 0; i < 5; i++) {
		clock_advance(world->rig->clock, SECOND);
		rig_dispatch(world->rig);
	}
	assert_int_equal(first->n_presents, presents);
	fake_fence_signal(fence, 1);
	fake_card_vblank(world->card, 1000);
	rig_dispatch(world->rig);
	assert_int_equal(first->n_presents, presents + 1);
	assert_true(first->present.presented);
	close(fence);
}

/* A GPU that hangs: its fence never signals, and the output must not stay frozen. */
static void flip_behind_a_fence_that_never_signals_is_lost(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	for (int i = 0; i < 2; i++) {
		int fence = fake_fence_create(), presents = first->n_presents,
		    needed = first->n_needed;
		fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
		assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
		fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
		clock_advance(world->rig->clock, 11 * SECOND);
		assert_int_equal(first->n_presents, presents);
		clock_advance(world->rig->clock, 2 * SECOND);
		assert_int_equal(first->n_presents, presents + 1);
		assert_false(first->present.presented);
		rig_wait(world->rig, &first->n_needed, needed + 1);
		assert_int_equal(stalls(world), 0);
		assert_true(show(world, first, 4));
		close(fence);
	}
}

/*
 * The fence signals just before the watchdog looks: the flip follows, at any time before the next
 * look. One that never comes is lost.
 */
static void flip_just_after_its_fence_is_not_lost(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	const uint64_t modesets = fake_card_counts(world->card).modesets;
	for (int i = 0; i < 2 * 2 * 6; i++) {
		const bool fails = i % 2, late = i / 2 % 2;
		const int seconds = 1 + i / 4, presents = first->n_presents;
		int fence = fake_fence_create();
		fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
		assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
		clock_advance(world->rig->clock, seconds * SECOND - 1000);
		fake_fence_signal(fence, fails ? -EIO : 1);
		clock_advance(world->rig->clock, late ? SECOND - 1000 : 2000);
		rig_dispatch(world->rig);
		assert_int_equal(first->n_presents, presents);
		fake_card_vblank(world->card, 1000);
		rig_dispatch(world->rig);
		assert_int_equal(first->n_presents, presents + 1);
		assert_true(first->present.presented);
		close(fence);
	}
	assert_int_equal(fake_card_counts(world->card).modesets, modesets);
	int fence = fake_fence_create(), needed = first->n_needed;
	assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
	clock_advance(world->rig->clock, SECOND - 1000);
	fake_fence_signal(fence, 1);
	clock_advance(world->rig->clock, SECOND + 1000);
	assert_false(first->present.presented);
	rig_wait(world->rig, &first->n_needed, needed + 1);
	close(fence);
}

/* A driver that loses each flip is not switched off and on each second. */
static void lost_flips_in_succession_are_replaced_less_often(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	static const int seconds[] = {1, 2, 4, 8, 12, 12};
	for (int i = 0; i < 6; i++) {
		int needed = first->n_needed, presents = first->n_presents;
		lose_flip(world, first, 3);
		clock_advance(world->rig->clock, seconds[i] * SECOND - 1000);
		assert_int_equal(first->n_presents, presents);
		clock_advance(world->rig->clock, 2000);
		assert_int_equal(first->n_presents, presents + 1);
		rig_wait(world->rig, &first->n_needed, needed + 1);
	}
	assert_true(show(world, first, 4));
	lose_flip(world, first, 3);
	clock_advance(world->rig->clock, SECOND);
	assert_false(first->present.presented);
}

static void output_unplugged_during_recovery(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_wait(world->card, 50);
	lose_flip(world, world->first, 3);
	clock_advance(world->rig->clock, SECOND);
	fake_card_plug(world->card, "DP-1", NULL);
	rig_dispatch(world->rig);
	rig_wait_for_tasks(world->rig);
	clock_advance(world->rig->clock, SECOND / 50);
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-1"));
	assert_int_equal(stalls(world), 0);
	assert_true(show(world, world->second, 4));
}

/* A modeset may train a link several times: its timeout is longer. */
static void stuck_modeset_is_replaced(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	clock_advance(world->rig->clock, 11 * SECOND);
	assert_int_equal(blocking_commits(world), 0);
	int needed = first->n_needed;
	clock_advance(world->rig->clock, SECOND);
	rig_wait(world->rig, &first->n_needed, needed + 1);
	assert_int_equal(blocking_commits(world), 1);
	finish_modesets(world, 1);
	assert_false(first->present.presented);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_true(show(world, first, 4));
	/* Commits without an event are covered too. */
	fake_card_plug(world->card, "DP-1", &fake_screen_gaming);
	rig_dispatch(world->rig);
	struct rig_output *third = rig_find(world->rig, "DP-1");
	assert_true(set_mode(third, 0));
	clock_advance(world->rig->clock, 11 * SECOND);
	assert_int_equal(width_of(world, "DP-1"), 0);
	clock_advance(world->rig->clock, 2 * SECOND);
	assert_int_equal(width_of(world, "DP-1"), 2560);
	assert_int_equal(blocking_commits(world), 2);
}

/* The event of the frame that the watchdog dropped is in the pipe during the next modeset. */
static void late_flip_event_of_dropped_frame_is_ignored(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	int n = first->n_presents, needed = first->n_needed;
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	clock_advance(world->rig->clock, 2 * SECOND);
	assert_int_equal(first->n_presents, n + 1);
	assert_false(first->present.presented);
	uint32_t number = rig_show(world->rig, first, 4, -1);
	assert_int_not_equal(number, 0);
	fake_card_finish_modesets(world->card);
	clock_advance(world->rig->clock, SECOND / 50);
	rig_wait(world->rig, &first->n_needed, needed + 1);
	assert_int_equal(first->n_presents, n + 1);
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, n + 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 4);
}

/* The process was stopped, or a blocking call took long: the event is there, but not read. */
static void flip_that_a_stopped_loop_has_not_read_is_not_lost(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	uint64_t modesets = fake_card_counts(world->card).modesets;
	int presents = first->n_presents;
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	struct drm_output *output = drm_output_from_base(first->output);
	drm_recovery_handle_watchdog(&output->watchdog, output->watchdog.when + SECOND);
	assert_int_equal(first->n_presents, presents);
	rig_dispatch(world->rig);
	assert_int_equal(first->n_presents, presents + 1);
	assert_true(first->present.presented);
	assert_int_equal(fake_card_counts(world->card).modesets, modesets);
}

/* The probe has the lock of all connectors, which a commit that switches one off needs. */
static void recovery_during_a_probe_blocks_nothing(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_probe(world->card, FAKE_PROBE_HELD);
	world->rig->holds_probes = true;
	fake_card_send_hotplug(world->card, world->second->output->name);
	rig_dispatch(world->rig);
	lose_flip(world, world->first, 3);
	clock_advance(world->rig->clock, SECOND);
	assert_int_equal(stalls(world), 0);
	assert_true(drm_backend_is_probing(world->rig->backend));
	end_probe(world);
	rig_wait_for_tasks(world->rig);
	assert_int_equal(stalls(world), 0);
	assert_true(show(world, world->first, 6));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define BOTH(name) TEST(name), cmocka_unit_test_setup_teardown(name, set_up_intel, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lost_flip_is_replaced_after_a_second, set_up_intel, tear_down),
		TEST(frames_of_a_card_with_one_lock_wait_for_a_recovery),
		BOTH(modesets_wait_for_a_recovery),
		BOTH(outputs_set_together_wait_for_a_recovery),
		BOTH(gamma_waits_for_a_recovery),
		BOTH(return_of_the_session_waits_for_a_recovery),
		BOTH(hotplug_waits_for_a_recovery),
		BOTH(two_outputs_recover),
		BOTH(recovery_during_a_probe_blocks_nothing),
		cmocka_unit_test_setup_teardown(
			buffers_are_freed_during_a_recovery, set_up_intel, tear_down),
		TEST(kernel_without_closefb_frees_buffers),
		TEST(card_closed_during_a_recovery_blocks_nothing),
		cmocka_unit_test_setup_teardown(
			lost_event_needs_no_blocking_commit, set_up_intel, tear_down),
		TEST(flip_behind_a_fence_is_not_lost),
		TEST(flip_behind_a_fence_that_never_signals_is_lost),
		TEST(flip_just_after_its_fence_is_not_lost),
		TEST(flip_that_a_stopped_loop_has_not_read_is_not_lost),
		TEST(lost_flips_in_succession_are_replaced_less_often),
		TEST(output_unplugged_during_recovery),
		TEST(stuck_modeset_is_replaced),
		TEST(late_flip_event_of_dropped_frame_is_ignored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
