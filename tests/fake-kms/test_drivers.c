/* SPDX-License-Identifier: MIT */
/* DRM backend on each kind of driver: outputs, planes, variable refresh and CRTC routing. */

#include "buffer/buffer.h"
#include "rig.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct {
	const char *kind, *connector;
	int n_planes; /* of each output */
} kinds[] = {
	{"amdgpu", "DP-1", 3},
	{"i915", "eDP-1", 4},
	{"xe", "eDP-4", 4},
	{"i915-haswell", "eDP-2", 3},
	{"rockchip", "DSI-1", 1},
	{"nvidia-drm", "DP-5", 2}, /* without the overlay: see test_quirks.c */
	{"vc4", "HDMI-A-6", 2},
	{"simpledrm", "Unknown-1", 1},
	{"i915-skylake", "DP-3", 3},
	{"amdgpu-raven", "eDP-1", 3},
	{"amdgpu-picasso", "DP-2", 2},
	{"nvidia-pascal", "DVI-D-1", 2},
	{"rockchip-rk3399", "HDMI-A-1", 2},
	{"vc4-pi4", "HDMI-A-2", 3},
	{"virtio-heads", "Virtual-2", 2},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Sets a mode, presents a frame and destroys everything. */
static void every_driver_presents_a_frame(void **state)
{
	for (size_t i = 0; i < N_KINDS; i++) {
		struct fake_card *card = fake_card_create(kinds[i].kind);
		fake_card_plug(card, kinds[i].connector, &fake_screen_plain);
		fake_card_set_flips(card, FAKE_FLIPS_HELD);
		struct rig *rig = rig_create();
		struct rig_output *output = rig_find(rig, kinds[i].connector);
		assert_non_null(output);
		assert_int_equal(output->output->n_planes, kinds[i].n_planes);
		assert_true(rig_enable(output));
		assert_int_equal(
			fake_get(card, fake_crtc_of(card, kinds[i].connector), "ACTIVE"), 1);
		uint32_t number = rig_show(rig, output, 0xff336699, -1);
		assert_int_not_equal(number, 0);
		rig_dispatch(rig);
		assert_int_equal(output->n_presents, 0);
		assert_int_equal(fake_card_vblank(card, INT64_C(5000000000)), 1);
		rig_dispatch(rig);
		assert_int_equal(output->n_presents, 1);
		assert_int_equal(output->present.commit, number);
		assert_true(output->present.presented);
		assert_int_equal(output->present.when, INT64_C(5000000000));
		assert_int_equal(
			fake_plane_pixel(card, fake_primary_of(card, kinds[i].connector), 100, 100),
			0xff336699);
		assert_int_equal(fake_card_counts(card).removed_while_shown, 0);
		rig_destroy(rig);
	}
}

/* Fills the whole screen with a buffer that the plane turns. Returns false if it cannot. */
static bool show_turned(struct rig *rig, struct rig_output *output, uint32_t transform)
{
	const struct output_mode *mode = &output->output->mode;
	const bool swaps = transform & WL_OUTPUT_TRANSFORM_90;
	struct buffer *buffer = rig_buffer(rig, output->output, swaps ? mode->height : mode->width,
		swaps ? mode->width : mode->height, DRM_FORMAT_XRGB8888, 0xff336699);
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane = rig_fill_state(&state, output->output, buffer);
	plane->dst = (struct box){0, 0, mode->width, mode->height};
	plane->transform = transform;
	const bool shown = rig_set(output, &state);
	buffer_drop(buffer);
	return shown;
}

/* The black buffer of the new mode has neither the turn nor the size of the frame before it. */
static void mode_changes_while_the_primary_plane_turns_a_frame(void **state)
{
	int n_total = 0;
	for (size_t i = 0; i < N_KINDS; i++) {
		int n_turned = 0;
		const char *connector = kinds[i].connector;
		struct fake_card *card = fake_card_create(kinds[i].kind);
		fake_card_plug(card, connector, &fake_screen_plain);
		struct rig *rig = rig_create();
		struct rig_output *output = rig_find(rig, connector);
		assert_true(rig_enable(output));
		for (uint32_t transform = 1; transform < 8; transform++) {
			struct output_state other;
			output_state_init(&other);
			other.fields = OUTPUT_MODE;
			other.mode = output->output->modes[n_turned % 2 == 0];
			if (!show_turned(rig, output, transform)) {
				continue;
			}
			n_turned++;
			const char *plane = fake_primary_of(card, connector);
			assert_int_not_equal(fake_get(card, plane, "rotation"), DRM_MODE_ROTATE_0);
			assert_true(rig_set(output, &other));
			assert_int_equal(fake_get(card, plane, "rotation"), DRM_MODE_ROTATE_0);
			assert_int_equal(fake_get(card, plane, "CRTC_W"), other.mode.width);
			assert_int_equal(fake_get(card, plane, "CRTC_H"), other.mode.height);
			assert_int_equal(fake_get(card, plane, "SRC_W") >> 16, other.mode.width);
			assert_int_equal(fake_get(card, plane, "SRC_H") >> 16, other.mode.height);
			assert_int_equal(fake_plane_pixel(card, plane, 10, 10) & 0xffffff, 0);
		}
		n_total += n_turned;
		rig_destroy(rig);
	}
	assert_in_range(n_total, 15, 7 * N_KINDS);
}

static void output_reads_identity_and_modes_from_edid(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	struct rig *rig = rig_create();
	const struct output *output = rig_find(rig, "DP-2")->output;
	assert_string_equal(output->model, "Gaming 27");
	assert_non_null(output->serial);
	assert_int_equal(output->physical_width, 600);
	assert_int_equal(output->n_modes, 3);
	assert_true(output->modes[0].preferred);
	assert_int_equal(output->modes[0].width, 2560);
	assert_in_range(output->modes[0].refresh, 143900, 144100);
	assert_false(output->non_desktop);
	rig_destroy(rig);
}

static void headset_is_non_desktop(void **state)
{
	struct fake_card *card = fake_card_create("nvidia-drm");
	fake_card_plug(card, "DP-6", &fake_screen_headset);
	struct rig *rig = rig_create();
	assert_true(rig_find(rig, "DP-6")->output->non_desktop);
	rig_destroy(rig);
}

/* Formats come from IN_FORMATS where the driver has it. */
static void planes_have_formats_and_order_of_driver(void **state)
{
	struct fake_card *amd = fake_card_create("amdgpu");
	struct fake_card *tiny = fake_card_create("simpledrm");
	fake_card_plug(amd, "DP-1", &fake_screen_plain);
	fake_card_plug(tiny, "Unknown-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	const struct output *output = rig_find(rig, "DP-1")->output;
	const struct plane *primary = output->planes[0], *overlay = output->planes[1];
	const struct plane *cursor = output->planes[2];
	assert_true(format_set_has(&primary->formats, DRM_FORMAT_XRGB2101010, 0x0200000020937b03));
	assert_false(format_set_has(&cursor->formats, DRM_FORMAT_ARGB8888, 0x0200000020937b03));
	assert_true(format_set_has(&overlay->formats, DRM_FORMAT_NV12, DRM_FORMAT_MOD_LINEAR));
	assert_int_equal(primary->zpos_min, primary->zpos_max);
	assert_int_equal(overlay->zpos_min, 0);
	assert_int_equal(overlay->zpos_max, 254);
	assert_int_equal(cursor->zpos_min, 255);
	assert_int_equal(cursor->max_width, 256);
	primary = rig_find(rig, "Unknown-1")->output->planes[0];
	assert_true(format_set_has(&primary->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(
		format_set_has(&primary->formats, DRM_FORMAT_XRGB2101010, DRM_FORMAT_MOD_LINEAR));
	rig_destroy(rig);
}

static bool takes_cursor(
	struct rig_output *output, const struct plane *plane, int width, int height)
{
	struct buffer *buffer =
		rig_buffer(output->rig, output->output, width, height, DRM_FORMAT_ARGB8888, 0);
	struct buffer *primary =
		rig_buffer(output->rig, output->output, 1920, 1080, DRM_FORMAT_XRGB8888, 0);
	struct output_state state;
	output_state_init(&state);
	rig_fill_state(&state, output->output, primary);
	struct plane_state *cursor = output_state_add_plane(&state, plane);
	cursor->buffer = buffer;
	cursor->src = (struct fbox){0, 0, width, height};
	cursor->dst = (struct box){0, 0, width, height};
	bool taken = output_test(output->output, &state);
	buffer_drop(buffer);
	buffer_drop(primary);
	return taken;
}

static const struct plane *find_cursor(const struct output *output)
{
	for (int i = 0; i < output->n_planes; i++) {
		if (output->planes[i]->type == PLANE_CURSOR) {
			return output->planes[i];
		}
	}
	return NULL;
}

static void cursors_have_sizes_of_the_driver(void **state)
{
	static const int sizes[][2] = {{24, 24}, {48, 96}, {96, 40}, {65, 200}, {256, 256}};
	for (size_t i = 0; i < N_KINDS; i++) {
		struct fake_card *card = fake_card_create(kinds[i].kind);
		fake_card_plug(card, kinds[i].connector, &fake_screen_plain);
		struct rig *rig = rig_create();
		struct rig_output *output = rig_find(rig, kinds[i].connector);
		assert_true(rig_enable(output));
		const struct plane *plane = find_cursor(output->output);
		for (int j = 0; plane && j < 5; j++) {
			int32_t width = sizes[j][0], height = sizes[j][1];
			bool fits = width <= plane->max_width && height <= plane->max_height;
			assert_int_equal(plane_fit(plane, &width, &height), fits);
			assert_true(!fits || takes_cursor(output, plane, width, height));
		}
		int32_t width = 257, height = 10;
		assert_true(!plane || !plane_fit(plane, &width, &height));
		rig_destroy(rig);
	}
}

/* The driver's hints need not be squares. */
static void cursor_takes_smallest_hint(void **state)
{
	struct plane plane = {.type = PLANE_CURSOR,
		.max_width = 256,
		.max_height = 256,
		.sizes = {{256, 256}, {64, 64}, {128, 32}, {128, 128}},
		.n_sizes = 4};
	int32_t width = 100, height = 30;
	assert_true(plane_fit(&plane, &width, &height));
	assert_true(width == 128 && height == 32);
	width = 30, height = 100;
	assert_true(plane_fit(&plane, &width, &height));
	assert_true(width == 128 && height == 128);
	width = 300, height = 1;
	assert_false(plane_fit(&plane, &width, &height));
}

static void intel_cursors_are_not_higher_than_wide(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "eDP-1");
	assert_true(rig_enable(output));
	const struct plane *plane = find_cursor(output->output);
	assert_int_equal(plane->n_sizes, 3);
	assert_true(takes_cursor(output, plane, 128, 64));
	assert_false(takes_cursor(output, plane, 64, 128));
	assert_false(takes_cursor(output, plane, 96, 96));
	assert_false(takes_cursor(output, plane, 64, 4));
	rig_destroy(rig);
}

static bool set_vrr(struct rig_output *output, bool on)
{
	bool done = rig_set_rate(output, on) && rig_show(output->rig, output, 1, -1) != 0;
	rig_dispatch(output->rig);
	return done;
}

/* Returns whether a primary plane may show a smaller box of a black screen. */
static bool takes_part_of_screen(const char *kind, const char *connector)
{
	struct output_state state;
	struct fake_card *card = fake_card_create(kind);
	fake_card_plug(card, connector, &fake_screen_plain);
	struct rig *rig = rig_create();
	struct output *output = rig->outputs[0].output;
	assert_true(rig_enable(&rig->outputs[0]));
	struct buffer *buffer = rig_buffer(rig, output, 320, 200, DRM_FORMAT_XRGB8888, 0);
	output_state_init(&state);
	rig_fill_state(&state, output, buffer)->dst = (struct box){40, 30, 320, 200};
	const bool taken = output_test(output, &state);
	buffer_drop(buffer);
	rig_destroy(rig);
	return taken;
}

static void primary_plane_fills_the_screen_of_some_drivers(void **state)
{
	assert_true(takes_part_of_screen("amdgpu", "DP-1"));
	assert_true(takes_part_of_screen("i915", "DP-4"));
	assert_false(takes_part_of_screen("i915-haswell", "eDP-2"));
	assert_false(takes_part_of_screen("virtio_gpu", "Virtual-1"));
}

static void adaptive_sync_needs_screen_and_driver(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-4", &fake_screen_gaming);
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "eDP-1")));
	assert_true(rig_enable(rig_find(rig, "DP-4")));
	assert_false(set_vrr(rig_find(rig, "eDP-1"), true));
	/*
	 * Only DP-4 supports variable refresh, so only its range limits the interval between
	 * frames.
	 */
	assert_int_equal(rig_find(rig, "eDP-1")->output->longest_interval, 0);
	assert_int_equal(rig_find(rig, "DP-4")->output->longest_interval, INT64_C(1000000000) / 48);
	assert_true(set_vrr(rig_find(rig, "DP-4"), true));
	assert_true(rig_find(rig, "DP-4")->output->adaptive_sync);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-4"), "VRR_ENABLED"), 1);
	assert_int_equal(fake_get(card, fake_crtc_of(card, "eDP-1"), "VRR_ENABLED"), 0);
	assert_true(set_vrr(rig_find(rig, "DP-4"), false));
	assert_int_equal(fake_get(card, fake_crtc_of(card, "DP-4"), "VRR_ENABLED"), 0);
	rig_destroy(rig);
}

/* A driver may report it late, or withdraw it behind an adapter; the EDID is the same. */
static void variable_refresh_is_noticed_without_another_edid(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	struct fake_screen fixed = fake_screen_gaming;
	fixed.vrr = false;
	fake_card_plug(card, "DP-4", &fixed);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-4");
	assert_true(rig_enable(output));
	for (int i = 0; i < 2; i++) {
		assert_false(set_vrr(output, true));
		assert_int_equal(output->output->longest_interval, 0);
		fake_card_plug(card, "DP-4", &fake_screen_gaming);
		rig_dispatch(rig);
		assert_ptr_equal(rig_find(rig, "DP-4"), output);
		assert_true(set_vrr(output, true) && set_vrr(output, false));
		assert_int_not_equal(output->output->longest_interval, 0);
		fake_card_plug(card, "DP-4", &fixed);
		rig_dispatch(rig);
	}
	rig_destroy(rig);
}

static void refusal_that_may_pass_is_told_apart(void **state)
{
	static const struct {
		int error;
		bool may_pass;
	} cases[] = {
		{EINVAL, false},
		{ERANGE, false},
		{EBUSY, true},
		{ENOMEM, true},
		{ENOSPC, true},
		{EIO, true},
		{EACCES, true},
		{EPERM, true},
	};
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &fake_screen_gaming);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "DP-4");
	assert_true(rig_enable(output));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_card_refuse_property(card, "VRR_ENABLED", cases[i].error);
		assert_false(rig_set_rate(output, true));
		assert_int_equal(output->output->refusal_may_pass, cases[i].may_pass);
		/* The screen has no such mode. */
		struct output_state state = {.fields = OUTPUT_MODE, .mode = {1, 1, 1}};
		assert_false(output_test(output->output, &state));
		assert_false(output->output->refusal_may_pass);
	}
	fake_card_refuse_property(card, "VRR_ENABLED", 0);
	assert_true(rig_set_rate(output, true));
	assert_false(output->output->refusal_may_pass);
	rig_destroy(rig);
}

/* Checks the CRTCs of both connectors after both outputs were enabled. */
static void expect_crtcs(struct fake_card *card, const char *first, const char *first_crtc,
	const char *second, const char *second_crtc)
{
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, first)));
	assert_true(rig_enable(rig_find(rig, second)));
	assert_string_equal(fake_crtc_of(card, first), first_crtc);
	assert_string_equal(fake_crtc_of(card, second), second_crtc);
	rig_destroy(rig);
}

static struct fake_card *wired_card(const char *second)
{
	struct fake_card *card = fake_card_create("rockchip");
	fake_card_plug(card, "HDMI-A-5", &fake_screen_plain);
	fake_card_plug(card, second, &fake_screen_plain);
	return card;
}

/* Connectors with few possible CRTCs get them first; active CRTCs are kept otherwise. */
static void crtc_routing_drives_all_outputs_if_possible(void **state)
{
	struct fake_card *card = wired_card("DSI-1");
	expect_crtcs(card, "HDMI-A-5", "crtc-0", "DSI-1", "crtc-1");
	/* The firmware uses the only CRTC that the other connector can have. */
	card = wired_card("DSI-1");
	fake_card_boot(card, "HDMI-A-5", "crtc-1");
	expect_crtcs(card, "HDMI-A-5", "crtc-0", "DSI-1", "crtc-1");
	/* Any routing works: the firmware's is kept. */
	card = wired_card("eDP-3");
	fake_card_boot(card, "HDMI-A-5", "crtc-0");
	expect_crtcs(card, "HDMI-A-5", "crtc-0", "eDP-3", "crtc-1");
	card = wired_card("eDP-3");
	fake_card_boot(card, "eDP-3", "crtc-0");
	expect_crtcs(card, "HDMI-A-5", "crtc-1", "eDP-3", "crtc-0");
}

/* Firmware drives the screen by the only CRTC that another one can have. */
static void active_output_moves_for_another(void **state)
{
	struct fake_card *card = fake_card_create("rockchip");
	fake_card_plug(card, "HDMI-A-5", &fake_screen_plain);
	fake_card_boot(card, "HDMI-A-5", "crtc-1");
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "HDMI-A-5")));
	fake_card_plug(card, "DSI-1", &fake_screen_plain);
	rig_dispatch(rig);
	assert_string_equal(fake_crtc_of(card, "HDMI-A-5"), "crtc-1");
	assert_true(rig_enable(rig_find(rig, "DSI-1")));
	assert_string_equal(fake_crtc_of(card, "HDMI-A-5"), "crtc-0");
	assert_string_equal(fake_crtc_of(card, "DSI-1"), "crtc-1");
	rig_destroy(rig);
}

/* Drivers with and without non-blocking modesets. */
static void crtc_of_disconnected_screen_is_disabled_at_start(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct fake_card *card = fake_card_create("amdgpu");
		fake_card_plug(card, "DP-1", &fake_screen_plain);
		fake_card_plug(card, "DP-2", &fake_screen_gaming);
		fake_card_boot(card, "DP-2", "crtc-3");
		fake_card_plug(card, "DP-2", NULL);
		fake_card_set_modesets(card, i ? FAKE_MODESETS_BLOCKING : FAKE_MODESETS_AT_ONCE);
		assert_int_equal(fake_get(card, "crtc-3", "ACTIVE"), 1);
		struct rig *rig = rig_create();
		assert_int_equal(fake_get(card, "crtc-3", "ACTIVE"), 0);
		assert_int_equal(fake_card_counts(card).blocking, i);
		rig_destroy(rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_driver_presents_a_frame),
		cmocka_unit_test(mode_changes_while_the_primary_plane_turns_a_frame),
		cmocka_unit_test(output_reads_identity_and_modes_from_edid),
		cmocka_unit_test(headset_is_non_desktop),
		cmocka_unit_test(planes_have_formats_and_order_of_driver),
		cmocka_unit_test(cursors_have_sizes_of_the_driver),
		cmocka_unit_test(cursor_takes_smallest_hint),
		cmocka_unit_test(intel_cursors_are_not_higher_than_wide),
		cmocka_unit_test(primary_plane_fills_the_screen_of_some_drivers),
		cmocka_unit_test(adaptive_sync_needs_screen_and_driver),
		cmocka_unit_test(variable_refresh_is_noticed_without_another_edid),
		cmocka_unit_test(refusal_that_may_pass_is_told_apart),
		cmocka_unit_test(crtc_routing_drives_all_outputs_if_possible),
		cmocka_unit_test(active_output_moves_for_another),
		cmocka_unit_test(crtc_of_disconnected_screen_is_disabled_at_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
