/* SPDX-License-Identifier: MIT */
/* Non-blocking modesets of the DRM backend: ordering with page flips, and slow drivers. */

#include "buffer/buffer.h"
#include "two_outputs.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

/* The other output keeps presenting during the modeset. */
static void frame_during_modeset_is_presented_after_it(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	uint32_t number = rig_show(world->rig, first, 3, -1);
	assert_int_not_equal(number, 0);
	assert_int_equal(rig_show(world->rig, first, 4, -1), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_not_equal(rig_show(world->rig, second, 5, -1), 0);
		rig_dispatch(world->rig);
		assert_int_equal(second->n_presents, 2 + i);
	}
	assert_int_equal(first->n_presents, 1);
	assert_int_equal(pixel_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, 2);
	assert_int_equal(first->present.commit, number);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 3);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
	assert_int_equal(blocking_commits(world), 0);
	/* No timer is left without pending commits. */
	assert_false(clock_advance_to_next(world->rig->clock));
}

/* The fence signals before or after the modeset, with success or with an error. */
static void frame_after_modeset_waits_for_its_fence(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	for (int i = 0; i < 4; i++) {
		int fence = fake_fence_create(), status = i % 2 ? -EIO : 1;
		int n_presents = first->n_presents, n_needed = first->n_needed;
		bool first_of_both = i / 2;
		fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
		assert_true(set_mode(first, 1 - i % 2));
		assert_int_not_equal(rig_show(world->rig, first, 3, fence), 0);
		if (first_of_both) {
			fake_fence_signal(fence, status);
			rig_dispatch(world->rig);
		}
		finish_modesets(world, 1);
		if (!first_of_both) {
			assert_int_equal(first->n_presents, n_presents);
			fake_fence_signal(fence, status);
			rig_dispatch(world->rig);
		}
		assert_int_equal(first->n_presents, n_presents + 1);
		assert_int_equal(first->present.presented, status == 1);
		assert_int_equal(first->n_needed, n_needed + (status != 1));
		close(fence);
	}
}

/* The test-only commit happens at once. */
static void modeset_waits_for_pending_flip(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	fake_card_set_bandwidth(world->card, 1);
	assert_false(set_mode(first, 1));
	assert_int_equal(first->output->mode.width, 1920);
	fake_card_set_bandwidth(world->card, 0);
	assert_true(set_mode(first, 1));
	assert_int_equal(first->output->mode.width, 1280);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_true(first->present.presented);
	assert_int_equal(first->n_needed, 1);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(blocking_commits(world), 0);
}

static bool has_rate(struct two_outputs *world)
{
	return fake_get(world->card, fake_crtc_of(world->card, "DP-2"), "VRR_ENABLED");
}

/* Adaptive sync requests a frame and leaves the presented one in place. */
static void adaptive_sync_is_set_with_the_next_frame(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *second = world->second;
	uint64_t allowed = fake_card_counts(world->card).allowed;
	uint64_t commits = fake_card_counts(world->card).commits;
	assert_true(rig_set_rate(second, true));
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).commits, commits);
	assert_false(has_rate(world));
	assert_int_equal(second->n_needed, 1);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(has_rate(world));
	assert_true(rig_set_rate(second, false));
	assert_int_equal(second->n_needed, 2);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_vblank(world->card, 2000), 0);
	assert_int_equal(pixel_of(world, "DP-2"), 3);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_false(has_rate(world));
	/*
	 * The same holds for a frame queued behind a modeset and for a dropped frame; the last
	 * value applies.
	 */
	int fence = fake_fence_create();
	assert_int_equal(fake_card_vblank(world->card, 3000), 1);
	rig_dispatch(world->rig);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_int_equal(fake_card_counts(world->card).allowed, allowed);
	assert_true(set_mode(second, 1));
	assert_int_not_equal(rig_show(world->rig, second, 5, fence), 0);
	assert_true(rig_set_rate(second, true) && rig_set_rate(second, false) &&
		    rig_set_rate(second, true));
	assert_int_equal(second->n_needed, 5);
	finish_modesets(world, 1);
	fake_fence_signal(fence, -EIO);
	rig_dispatch(world->rig);
	assert_false(second->present.presented || has_rate(world));
	assert_int_not_equal(rig_show(world->rig, second, 6, -1), 0);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 4000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).allowed, allowed + 1);
	assert_int_equal(fake_card_counts(world->card).refused, 0);
	/* An unchanged mode causes no commit. */
	commits = fake_card_counts(world->card).commits;
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_ENABLED | OUTPUT_MODE;
	wish.enabled = true;
	wish.mode = second->output->mode;
	assert_int_not_equal(output_commit(second->output, &wish), 0);
	assert_int_equal(fake_card_counts(world->card).commits, commits);
	assert_false(clock_advance_to_next(world->rig->clock));
	close(fence);
}

/* One output changes its mode; the other gets adaptive sync with its next frame. */
static void adaptive_sync_of_one_output_with_modeset_of_another(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	struct output_state states[2];
	struct output_change changes[] = {
		{second->output, &states[0]},
		{first->output, &states[1]},
	};
	output_state_init(&states[0]);
	states[0].fields = OUTPUT_ADAPTIVE_SYNC;
	states[0].adaptive_sync = true;
	output_state_init(&states[1]);
	states[1].fields = OUTPUT_MODE;
	states[1].mode = first->output->modes[1];
	/* A refusal affects both. */
	fake_card_fail(world->card, 22, 1, true);
	assert_false(outputs_commit(changes, 2));
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_equal(first->n_needed + second->n_needed, 0);
	uint64_t commits = fake_card_counts(world->card).commits;
	/* The modeset does not wait for a flip of the other output. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(outputs_commit(changes, 2));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(world->card).commits, commits + 2);
	assert_int_equal(second->n_needed, 1);
	assert_false(has_rate(world));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_true(has_rate(world));
	assert_int_equal(fake_card_counts(world->card).refused, 1);
}

/* A frame of an outdated mode is dropped. */
static void last_queued_mode_applies(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, first, 3, -1), 0);
	assert_true(set_mode(first, 0));
	assert_true(switch_off(first));
	assert_true(set_mode(first, 2));
	finish_modesets(world, 1);
	assert_int_equal(first->n_presents, 2);
	assert_false(first->present.presented);
	assert_int_equal(width_of(world, "DP-1"), first->output->modes[2].width);
	assert_true(switch_off(first));
	assert_int_not_equal(width_of(world, "DP-1"), 0);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_true(set_mode(first, 0));
	assert_true(switch_off(first));
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(fake_card_finish_modesets(world->card), 0);
	assert_int_equal(blocking_commits(world), 0);
	/* Idle again: the next modeset starts at once. */
	assert_true(set_mode(first, 0));
	assert_int_equal(width_of(world, "DP-1"), 1920);
}

/* A color change without a frame removes no frame buffer of the current mode. */
static void color_change_keeps_frame_until_queued_modeset(void **state)
{
	struct two_outputs *world = *state;
	struct output_state colors;
	output_state_init(&colors);
	colors.fields = OUTPUT_GAMMA;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	assert_true(set_mode(world->first, 2));
	assert_int_not_equal(output_commit(world->first->output, &colors), 0);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	finish_modesets(world, 1);
	assert_int_equal(width_of(world, "DP-1"), 1024);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_counts(world->card).removed_while_shown, 0);
}

static void frames_wait_while_a_modeset_occupies_all_crtcs(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	assert_true(set_mode(first, 1));
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	rig_dispatch(world->rig);
	assert_int_equal(second->n_presents, 1);
	finish_modesets(world, 1);
	assert_int_equal(second->n_presents, 2);
	assert_true(second->present.presented);
	/* Frames of the other output delay a queued modeset by one flip at most. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_true(set_mode(first, 0));
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(second->n_presents, 3);
	assert_int_equal(width_of(world, "DP-1"), 1920);
	assert_int_not_equal(rig_show(world->rig, second, 5, -1), 0);
	assert_int_equal(fake_card_vblank(world->card, 2000), 0);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_vblank(world->card, 3000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(second->n_presents, 4);
	assert_int_equal(pixel_of(world, "DP-2"), 5);
	assert_int_equal(blocking_commits(world), 0);
}

/* Once with a modeset of the other output in flight, and once with another queued behind it. */
static void frame_held_for_a_modeset_of_another_output_tears(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	for (int i = 0; i < 4; i++) {
		struct output_state frame;
		const bool tears = i != 1, queued = i > 1;
		const int presents = second->n_presents;
		const uint64_t async = fake_card_counts(world->card).async;
		output_state_init(&frame);
		struct buffer *buffer = rig_buffer(world->rig, second->output, 2560, 1440,
			DRM_FORMAT_XRGB8888, 0x10u + (uint32_t)i);
		rig_fill_state(&frame, second->output, buffer);
		frame.fields |= tears ? OUTPUT_TEARING : 0;
		assert_true(set_mode(first, 1 - i % 2));
		assert_true(!queued || set_mode(first, 2));
		assert_int_not_equal(output_commit(second->output, &frame), 0);
		buffer_drop(buffer);
		rig_dispatch(world->rig);
		finish_modesets(world, 1);
		assert_int_equal(second->n_presents, presents + !queued);
		if (queued) {
			finish_modesets(world, 1);
		}
		assert_int_equal(second->n_presents, presents + 1);
		assert_true(second->present.presented);
		assert_int_equal(pixel_of(world, "DP-2"), 0x10 + i);
		assert_int_equal(fake_card_counts(world->card).async, async + tears);
		assert_int_equal(!(second->present.flags & PRESENT_VSYNC), tears);
	}
}

static void queued_modeset_goes_before_further_frames(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *first = world->first, *second = world->second;
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, second, 3, -1), 0);
	assert_true(set_mode(first, 1));
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	/* The flip event is still unread. */
	assert_int_equal(rig_show(world->rig, second, 4, -1), 0);
	assert_int_not_equal(rig_show(world->rig, first, 5, -1), 0);
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(first->n_presents, 1);
	finish_modesets(world, 1);
	assert_int_equal(fake_card_vblank(world->card, 2000), 1);
	rig_dispatch(world->rig);
	assert_true(first->present.presented);
	assert_int_equal(pixel_of(world, "DP-1"), 5);
}

/* The backend learns it from two refusals in a row. */
static void driver_without_nonblocking_modesets_gets_blocking_ones(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_modesets(world->card, FAKE_MODESETS_BLOCKING);
	uint64_t refused = fake_card_counts(world->card).refused;
	assert_true(set_mode(world->first, 1));
	assert_int_equal(blocking_commits(world), 1);
	assert_int_equal(fake_card_counts(world->card).refused, refused + 1);
	rig_dispatch(world->rig);
	assert_true(set_mode(world->first, 0));
	assert_int_equal(blocking_commits(world), 2);
	assert_int_equal(fake_card_counts(world->card).refused, refused + 2);
	rig_dispatch(world->rig);
	/* A blocking modeset waits for the pending flip's event first. */
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->second, 3, -1), 0);
	assert_true(set_mode(world->second, 1));
	assert_int_equal(blocking_commits(world), 2);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_int_equal(blocking_commits(world), 3);
	assert_true(world->second->present.presented);
}

/* Bandwidth or a link may have been missing for a moment. */
static void one_refusal_makes_no_later_modeset_blocking(void **state)
{
	struct two_outputs *world = *state;
	for (int i = 0; i < 3; i++) {
		fake_card_fail(world->card, EINVAL, 1, false);
		assert_true(set_mode(world->first, 1));
		assert_int_equal(blocking_commits(world), i + 1);
		rig_dispatch(world->rig);
		assert_true(set_mode(world->first, 0));
		assert_int_equal(blocking_commits(world), i + 1);
		rig_dispatch(world->rig);
	}
}

static void modesets_of_several_outputs_are_one_commit_after_all_flips(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *outputs[] = {world->first, world->second};
	struct output_state states[2];
	struct output_change changes[2];
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	for (int i = 0; i < 2; i++) {
		assert_int_not_equal(rig_show(world->rig, outputs[i], 3, -1), 0);
		output_state_init(&states[i]);
		states[i].fields = OUTPUT_MODE;
		states[i].mode = outputs[i]->output->modes[1];
		changes[i] = (struct output_change){outputs[i]->output, &states[i]};
	}
	uint64_t modesets = fake_card_counts(world->card).modesets;
	assert_true(outputs_test(changes, 2) && outputs_commit(changes, 2));
	assert_int_equal(fake_card_counts(world->card).modesets, modesets);
	assert_int_equal(fake_card_vblank(world->card, 1000), 2);
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).modesets, modesets + 1);
	assert_int_equal(width_of(world, "DP-1"), world->first->output->mode.width);
	assert_int_equal(width_of(world, "DP-2"), world->second->output->mode.width);
	finish_modesets(world, 2);
	assert_int_equal(blocking_commits(world), 0);
}

static void queued_modeset_refused_by_kernel_disables_output(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	assert_true(set_mode(world->first, 1));
	fake_card_fail(world->card, EINVAL, 2, false);
	assert_int_equal(fake_card_vblank(world->card, 1000), 1);
	rig_dispatch(world->rig);
	assert_false(world->first->output->enabled);
	assert_int_equal(world->first->n_needed, 1);
	assert_true(world->second->output->enabled);
	/* The previous mode is not kept. */
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(width_of(world, "DP-2"), 2560);
	assert_true(rig_enable(world->first));
	assert_int_equal(width_of(world, "DP-1"), 1920);
}

/* At the start, and after the session's return, from each mode to each other one. */
static void modes_before_the_first_frame_are_black_all_over(void **state)
{
	static const struct fake_screen screen = {
		.maker = "CWY",
		.name = "Sizes",
		.serial = 1,
		.modes = {{64, 48, 60}, {64, 32, 60}, {32, 48, 60}, {32, 32, 60}},
	};
	static const char *const kinds[][2] = {
		{"i915-haswell", "eDP-2"}, {"virtio_gpu", "Virtual-1"}, {"amdgpu", "DP-1"}};
	for (size_t i = 0; i < 3 * 2; i++) {
		const char *connector = kinds[i / 2][1];
		struct fake_card *card = fake_card_create(kinds[i / 2][0]);
		fake_card_plug(card, connector, &screen);
		struct rig *rig = rig_create();
		struct rig_output *output = rig_find(rig, connector);
		for (int n = 0; n < 4 * 4; n++) {
			const int modes[] = {n / 4, n % 4};
			for (int j = 0; j < 2; j++) {
				struct fake_scan scan;
				assert_true(set_mode(output, modes[j]));
				rig_dispatch(rig);
				if (i % 2 && j == 0) {
					fake_seat_set_active(false);
					rig_dispatch(rig);
					fake_seat_set_active(true);
					rig_dispatch(rig);
				}
				const char *primary = fake_primary_of(card, connector);
				assert_true(fake_get_scan(card, primary, &scan));
				assert_int_equal(scan.crtc_width, screen.modes[modes[j]].width);
				assert_int_equal(scan.crtc_height, screen.modes[modes[j]].height);
			}
		}
		assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
		rig_destroy(rig);
	}
}

/* The kernel reads it until then, and clients draw into buffers that they get back. */
static void buffer_stays_locked_until_its_output_is_off(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->second->output;
	struct buffer *buffer = rig_buffer(world->rig, output, output->mode.width,
		output->mode.height, DRM_FORMAT_XRGB8888, 0);
	struct output_state frame;
	output_state_init(&frame);
	rig_fill_state(&frame, output, buffer);
	assert_int_not_equal(output_commit(output, &frame), 0);
	rig_dispatch(world->rig);
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(switch_off(world->second));
	/* The cleanup of another CRTC does not wait for that. */
	fake_card_plug(world->card, "DP-1", NULL);
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(buffer->n_locks, 1);
	fake_card_finish_modesets(world->card);
	rig_dispatch(world->rig);
	assert_int_equal(buffer->n_locks, 0);
	buffer_drop(buffer);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(frame_during_modeset_is_presented_after_it),
		TEST(frame_after_modeset_waits_for_its_fence),
		TEST(modeset_waits_for_pending_flip),
		TEST(adaptive_sync_is_set_with_the_next_frame),
		TEST(adaptive_sync_of_one_output_with_modeset_of_another),
		TEST(last_queued_mode_applies),
		TEST(color_change_keeps_frame_until_queued_modeset),
		TEST(frames_wait_while_a_modeset_occupies_all_crtcs),
		TEST(frame_held_for_a_modeset_of_another_output_tears),
		TEST(queued_modeset_goes_before_further_frames),
		TEST(driver_without_nonblocking_modesets_gets_blocking_ones),
		TEST(one_refusal_makes_no_later_modeset_blocking),
		TEST(modesets_of_several_outputs_are_one_commit_after_all_flips),
		TEST(queued_modeset_refused_by_kernel_disables_output),
		TEST(buffer_stays_locked_until_its_output_is_off),
		cmocka_unit_test(modes_before_the_first_frame_are_black_all_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
