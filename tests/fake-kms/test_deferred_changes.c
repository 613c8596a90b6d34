/* SPDX-License-Identifier: MIT */
/* Changes that the DRM backend defers until a probe ends, and that the driver then refuses. */

#include "buffer/buffer.h"
#include "two_outputs.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool show(struct two_outputs *world, struct rig_output *output)
{
	int n = output->n_presents;
	bool done = rig_show(world->rig, output, 1, -1) != 0;
	rig_dispatch(world->rig);
	return done && output->n_presents == n + 1 && output->present.presented;
}

static bool refuses_all(void *data, const struct fake_scan *scan)
{
	return false;
}

static int refuses_modes(void *data, const struct fake_head *heads, int n)
{
	return EINVAL;
}

static void check_colors(struct two_outputs *world, bool gamma, bool matrix)
{
	const char *crtc = fake_crtc_of(world->card, "DP-2");
	assert_int_equal(fake_get(world->card, crtc, "GAMMA_LUT") != 0, gamma);
	assert_int_equal(fake_get(world->card, crtc, "CTM") != 0, matrix);
}

/* A frame that is refused at once, or one that has waited for a modeset of the other output. */
static void refuse_frame(struct two_outputs *world, int error, bool waits)
{
	const int n = world->second->n_presents;
	if (waits) {
		const int next = world->first->output->mode.width == 1280 ? 0 : 1;
		fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
		assert_true(set_mode(world->first, next));
		assert_int_not_equal(rig_show(world->rig, world->second, 2, -1), 0);
	}
	if (error == EINVAL) {
		fake_card_set_judge(world->card, refuses_all, NULL);
	} else {
		fake_card_fail(world->card, error, 1, false);
	}
	if (waits) {
		finish_modesets(world, 1);
		fake_card_set_modesets(world->card, FAKE_MODESETS_AT_ONCE);
		assert_int_equal(world->second->n_presents, n + 1);
		assert_false(world->second->present.presented);
	} else {
		assert_int_equal(rig_show(world->rig, world->second, 2, -1), 0);
	}
	fake_card_set_judge(world->card, NULL, NULL);
}

/* Such as those of a night light: the next frame has them, also after a refusal that passes. */
static void colors_of_a_probe_survive_a_frame_that_the_driver_refuses(void **state)
{
	static const uint16_t ramps[3 * 4096] = {1};
	static const double matrix[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
	struct two_outputs *world = *state;
	struct output_state on, off;
	output_state_init(&on);
	on.fields = OUTPUT_GAMMA | OUTPUT_COLOR_MATRIX;
	off = on;
	for (int i = 0; i < 3 * 2 * 2; i++) {
		on.gamma = i % 3 < 2 ? ramps : NULL;
		on.color_matrix = i % 3 > 0 ? matrix : NULL;
		begin_probe(world);
		assert_int_not_equal(output_commit(world->second->output, &on), 0);
		end_probe(world);
		check_colors(world, false, false);
		refuse_frame(world, i / 3 % 2 ? ENOMEM : EINVAL, i / 6);
		check_colors(world, false, false);
		assert_true(show(world, world->second));
		check_colors(world, on.gamma, on.color_matrix);
		fake_card_plug(world->card, "DP-3", NULL);
		rig_dispatch(world->rig);
		assert_int_not_equal(output_commit(world->second->output, &off), 0);
		assert_true(show(world, world->second));
		check_colors(world, false, false);
	}
}

/* The mode comes without a frame, then with one. */
static void frames_after_a_refused_mode_have_the_period_of_the_mode_that_stays(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *second = world->second;
	const uint32_t period = second->present.refresh;
	assert_in_range(period, 6900000, 7000000);
	for (int i = 0; i < 2; i++) {
		struct output_state other;
		output_state_init(&other);
		other.fields = OUTPUT_MODE;
		other.mode = second->output->modes[1];
		assert_int_equal(other.mode.refresh, 60000);
		begin_probe(world);
		struct buffer *buffer = rig_buffer(world->rig, second->output, other.mode.width,
			other.mode.height, DRM_FORMAT_XRGB8888, 0x345678);
		if (i) {
			rig_fill_state(&other, second->output, buffer);
			other.fields |= OUTPUT_MODE;
		}
		const bool accepted = output_commit(second->output, &other) != 0;
		buffer_drop(buffer);
		fake_card_set_mode_judge(world->card, refuses_modes, NULL);
		end_probe(world);
		assert_true(accepted);
		assert_int_equal(second->output->mode.refresh, second->output->modes[0].refresh);
		assert_true(show(world, second));
		assert_int_equal(second->present.refresh, period);
		fake_card_set_mode_judge(world->card, NULL, NULL);
		fake_card_plug(world->card, "DP-3", NULL);
		rig_dispatch(world->rig);
	}
}

enum obstacle {
	NOTHING,
	FLIP, /* of the output itself */
	MODESET, /* of the other output, and it occupies all CRTCs */
	PROBE,
	N_OBSTACLES,
};

static void begin_obstacle(struct two_outputs *world, enum obstacle obstacle)
{
	switch (obstacle) {
	case FLIP:
		fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
		assert_int_not_equal(rig_show(world->rig, world->second, 7, -1), 0);
		break;
	case MODESET:
		fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
		assert_true(
			set_mode(world->first, world->first->output->mode.width == 1280 ? 0 : 1));
		break;
	case PROBE: begin_probe(world); break;
	default: break;
	}
}

static void end_obstacle(struct two_outputs *world, enum obstacle obstacle)
{
	fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(world->card, FAKE_MODESETS_AT_ONCE);
	switch (obstacle) {
	case FLIP: fake_card_vblank(world->card, 1000); break;
	case MODESET: fake_card_finish_modesets(world->card); break;
	case PROBE:
		end_probe(world);
		fake_card_plug(world->card, "DP-3", NULL);
		break;
	default: break;
	}
	rig_dispatch(world->rig);
}

/* Between two rates of one size, in both directions. */
static void frames_after_a_mode_that_waited_have_its_period(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *second = world->second;
	for (int i = 0; i < 2 * N_OBSTACLES; i++) {
		const enum obstacle obstacle = i / 2;
		const int32_t refresh = second->output->modes[1 - i % 2].refresh;
		begin_obstacle(world, obstacle);
		assert_true(set_mode(second, 1 - i % 2));
		end_obstacle(world, obstacle);
		for (int n = 0; n < 2; n++) {
			assert_true(show(world, second));
			assert_int_equal(second->present.refresh, INT64_C(1000000000000) / refresh);
		}
	}
}

/*
 * Each setting of a frame, which the driver refuses in a new mode: the mode is set without, at once
 * or later. A refused frame after it, of either kind, does not bring the setting back.
 */
static void setting_that_a_mode_excludes_stays_off_after_a_refused_frame(void **state)
{
	static const struct {
		uint32_t fields;
		const char *property;
	} settings[] = {
		{OUTPUT_ADAPTIVE_SYNC, "VRR_ENABLED"},
		{OUTPUT_CONTENT, "content type"},
		{OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT, "VRR_ENABLED"},
		{OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT, "content type"},
	};
	struct two_outputs *world = *state;
	struct output *base = world->second->output;
	for (int i = 0; i < 4 * 2 * N_OBSTACLES; i++) {
		const uint32_t fields = settings[i % 4].fields;
		const enum obstacle obstacle = i / 8;
		struct output_state on;
		output_state_init(&on);
		on.fields = fields;
		on.adaptive_sync = fields & OUTPUT_ADAPTIVE_SYNC;
		on.content = fields & OUTPUT_CONTENT ? OUTPUT_CONTENT_GAME : OUTPUT_CONTENT_NONE;
		assert_int_not_equal(output_commit(base, &on), 0);
		assert_true(show(world, world->second));
		fake_card_refuse_property(world->card, settings[i % 4].property, EINVAL);
		begin_obstacle(world, obstacle);
		assert_true(set_mode(world->second, base->mode.refresh == 60000 ? 0 : 1));
		end_obstacle(world, obstacle);
		assert_true(base->enabled);
		assert_false(base->adaptive_sync || base->content != OUTPUT_CONTENT_NONE);
		refuse_frame(world, EINVAL, i / 4 % 2);
		assert_false(base->adaptive_sync || base->content != OUTPUT_CONTENT_NONE);
		fake_card_refuse_property(world->card, settings[i % 4].property, 0);
		assert_true(show(world, world->second));
		assert_false(base->adaptive_sync || base->content != OUTPUT_CONTENT_NONE);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(colors_of_a_probe_survive_a_frame_that_the_driver_refuses),
		TEST(frames_after_a_refused_mode_have_the_period_of_the_mode_that_stays),
		TEST(frames_after_a_mode_that_waited_have_its_period),
		cmocka_unit_test_setup_teardown(
			setting_that_a_mode_excludes_stays_off_after_a_refused_frame, set_up_hdmi,
			tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
