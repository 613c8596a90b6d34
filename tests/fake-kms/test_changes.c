/* SPDX-License-Identifier: MIT */
/* Changes of outputs that wait, that the driver refuses, and that other events interrupt. */

#include "backend/drm/drm.h"
#include "backend/lease.h"
#include "two_outputs.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include <xf86drmMode.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

static bool show(struct two_outputs *world, struct rig_output *output)
{
	const bool done = rig_show(world->rig, output, 5, -1) != 0;
	rig_dispatch(world->rig);
	return done && output->present.presented;
}

static bool set(struct rig_output *output, const struct output_state *state)
{
	return output_commit(output->output, state) != 0;
}

static const uint16_t ramps[3 * 4096] = {1};
static const double matrix[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};

/* Colours that go with a frame. */
static const struct {
	const char *property;
	struct output_state change;
} colors[] = {
	{"GAMMA_LUT", {.fields = OUTPUT_GAMMA, .gamma = ramps}},
	{"CTM", {.fields = OUTPUT_COLOR_MATRIX, .color_matrix = matrix}},
};
#define N_COLORS 2

static int clock_of(const struct output_mode *mode)
{
	return (mode->width + 160) * (mode->height + 45) / 1000 * (mode->refresh / 1000);
}

/*
 * One output gives up bandwidth that another one needs, and the first is busy with a frame: the
 * refusal of the second one alone is not final, in each order.
 */
static void bandwidth_of_a_busy_output_is_waited_for(void **state)
{
	struct two_outputs *world = *state;
	struct rig_output *outputs[] = {world->first, world->second};
	for (int busy = 0; busy < 2; busy++) {
		struct output_state states[2];
		struct output_change changes[2];
		/* The busy one has its largest mode, and the other one a small mode. */
		assert_true(set_mode(outputs[busy], 0) && set_mode(outputs[!busy], 2));
		rig_dispatch(world->rig);
		assert_true(show(world, outputs[0]) && show(world, outputs[1]));
		const struct output_mode *large = &outputs[!busy]->output->modes[1],
					 *small = &outputs[busy]->output->modes[2];
		const int fence = fake_fence_create();
		fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
		assert_int_not_equal(rig_show(world->rig, outputs[busy], 3, fence), 0);
		assert_int_not_equal(rig_show(world->rig, outputs[!busy], 3, -1), 0);
		fake_card_set_clock(world->card, clock_of(large) + clock_of(small) + 2000);
		const int wide[] = {
			busy ? large->width : small->width, busy ? small->width : large->width};
		for (int i = 0; i < 2; i++) {
			output_state_init(&states[i]);
			states[i].fields = OUTPUT_MODE;
			states[i].mode = i == busy ? *small : *large;
			changes[i] = (struct output_change){outputs[i]->output, &states[i]};
		}
		assert_true(outputs_test(changes, 2) && outputs_commit(changes, 2));
		/* The frame of the other one ends first. */
		assert_int_equal(fake_card_vblank(world->card, 1000), 1);
		rig_dispatch(world->rig);
		fake_fence_signal(fence, 1);
		close(fence);
		assert_int_equal(fake_card_vblank(world->card, 2000), 1);
		fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
		rig_dispatch(world->rig);
		for (int i = 0; i < 2; i++) {
			assert_true(outputs[i]->output->enabled);
			assert_int_equal(width_of(world, outputs[i]->output->name), wide[i]);
		}
		fake_card_set_clock(world->card, 0);
	}
}

/* A mode that waits for a page flip keeps the variable refresh rate. */
static void variable_refresh_survives_a_busy_kernel(void **state)
{
	struct two_outputs *world = *state;
	const char *crtc = fake_crtc_of(world->card, "DP-2");
	assert_true(rig_set_rate(world->second, true) && show(world, world->second));
	fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
	assert_int_not_equal(rig_show(world->rig, world->second, 3, -1), 0);
	assert_true(set_mode(world->second, 1));
	rig_dispatch(world->rig);
	fake_card_vblank(world->card, 1000);
	rig_dispatch(world->rig);
	assert_int_equal(fake_get(world->card, crtc, "VRR_ENABLED"), 1);
	assert_true(world->second->output->adaptive_sync);
}

/* Together with a mode or alone, without a test before it; also if it is on already. */
static void refused_variable_refresh_refuses_its_change(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->second->output;
	struct output_state change;
	for (int i = 0; i < 3; i++) {
		const bool before = i == 2;
		fake_card_refuse_property(world->card, "VRR_ENABLED", 0);
		assert_true(rig_set_rate(world->second, before) && show(world, world->second));
		fake_card_refuse_property(world->card, "VRR_ENABLED", EINVAL);
		output_state_init(&change);
		change.fields = OUTPUT_ADAPTIVE_SYNC | (i ? OUTPUT_MODE : 0);
		change.adaptive_sync = true;
		change.mode = output->modes[1];
		assert_false(set(world->second, &change));
		assert_true(output->adaptive_sync == before);
		assert_int_equal(output->mode.refresh, output->modes[0].refresh);
		assert_true(show(world, world->second));
	}
}

static int refuse_others(void *data, const struct fake_head *heads, int n)
{
	const char *connector = data;
	for (int i = 0; i < n; i++) {
		if (strcmp(heads[i].connector, connector) == 0 && heads[i].width != 2560) {
			return EINVAL;
		}
	}
	return 0;
}

/* A depth and a mode in each order, during a probe, after which the driver refuses them. */
static void refused_changes_of_a_probe_leave_the_former_mode(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->second->output;
	struct output_state depth, mode;
	output_state_init(&depth);
	depth.fields = OUTPUT_BIT_DEPTH;
	depth.bit_depth = 10;
	output_state_init(&mode);
	mode.fields = OUTPUT_MODE;
	mode.mode = output->modes[2];
	for (int i = 0; i < 3; i++) {
		world->rig->holds_probes = true;
		fake_card_set_probe(world->card, FAKE_PROBE_HELD);
		fake_card_send_hotplug(world->card, "DP-1");
		rig_dispatch(world->rig);
		assert_true(set(world->second, i == 0 ? &mode : &depth));
		assert_true(set(world->second, i == 1 ? &mode : &depth));
		assert_true(i < 2 || set(world->second, &mode));
		fake_card_set_mode_judge(world->card, refuse_others, output->name);
		end_probe(world);
		fake_card_set_mode_judge(world->card, NULL, NULL);
		assert_int_equal(output->bit_depth, 0);
		assert_int_equal(output->mode.width, 2560);
		assert_int_equal(width_of(world, "DP-2"), 2560);
		assert_true(show(world, world->second));
		/* The mode is set again from its blob. */
		assert_true(switch_off(world->second));
		rig_dispatch(world->rig);
		output_state_init(&depth);
		depth.fields = OUTPUT_ENABLED;
		depth.enabled = true;
		assert_true(rig_set(world->second, &depth) && show(world, world->second));
		assert_int_equal(width_of(world, "DP-2"), 2560);
		output_state_init(&depth);
		depth.fields = OUTPUT_BIT_DEPTH;
		depth.bit_depth = 10;
	}
}

/* The compositor would switch the screen of the lessee off. */
static void output_whose_disabling_waits_is_not_leased(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->second->output;
	int fd = -1;
	begin_probe(world);
	assert_true(switch_off(world->second));
	assert_null(drm_lease_create(&output, 1, &fd));
	end_probe(world);
	struct drm_lease *lease = drm_lease_create(&output, 1, &fd);
	assert_non_null(lease);
	drm_lease_destroy(lease);
	close(fd);
}

/* A screen that changes its EDID, and names no range any more. */
static void custom_modes_follow_the_range_of_the_screen(void **state)
{
	struct two_outputs *world = *state;
	struct fake_screen screen = fake_screen_plain;
	const struct output *output = world->first->output;
	struct output_state fast;
	output_state_init(&fast);
	fast.fields = OUTPUT_MODE;
	fast.mode = (struct output_mode){.width = 640, .height = 480, .refresh = 100000};
	for (int i = 0; i < 3; i++) {
		screen.min_hz = i == 1 ? 0 : fake_screen_plain.min_hz;
		fake_card_plug(world->card, "DP-1", &screen);
		rig_dispatch(world->rig);
		assert_ptr_equal(rig_find(world->rig, "DP-1")->output, output);
		assert_true(output_test(world->first->output, &fast) == (i == 1));
	}
	fake_card_plug(world->card, "DP-1", &fake_screen_plain);
	rig_dispatch(world->rig);
}

static void modes_that_differ_at_their_end_are_told_apart(void **state)
{
	struct two_outputs *world = *state;
	static const struct fake_screen screen = {
		.maker = "CWY",
		.name = "Polarity",
		.modes = {{640, 480, 60}, {640, 480, 60, .positive = true}},
	};
	fake_card_plug(world->card, "DP-3", &screen);
	rig_dispatch(world->rig);
	struct rig_output *output = rig_find(world->rig, "DP-3");
	assert_int_equal(output->output->n_modes, 2);
	assert_int_not_equal(output->output->modes[0].timing, output->output->modes[1].timing);
	for (int i = 0; i < 2; i++) {
		size_t size;
		assert_true(set_mode(output, i));
		rig_dispatch(world->rig);
		const drmModeModeInfo *mode = fake_get_blob(
			world->card, fake_crtc_of(world->card, "DP-3"), "MODE_ID", &size);
		assert_int_equal((mode->flags & DRM_MODE_FLAG_PVSYNC) != 0, i == 1);
	}
}

/* As drm_mode_vrefresh() in the kernel, in mHz. */
static void rates_count_fields_and_scans(void **state)
{
	static const struct {
		uint32_t flags;
		uint16_t vscan;
		int32_t refresh;
	} cases[] = {
		{0, 0, 60000},
		{0, 1, 60000},
		{0, 2, 30000},
		{DRM_MODE_FLAG_INTERLACE, 0, 120000},
		{DRM_MODE_FLAG_DBLSCAN, 0, 30000},
		{DRM_MODE_FLAG_INTERLACE | DRM_MODE_FLAG_DBLSCAN, 0, 60000},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const drmModeModeInfo mode = {
			.clock = 60000,
			.htotal = 1000,
			.vtotal = 1000,
			.vscan = cases[i].vscan,
			.flags = cases[i].flags,
		};
		assert_int_equal(drm_mode_refresh(&mode), cases[i].refresh);
	}
}

static void lose_flip(struct two_outputs *world)
{
	fake_card_set_wait(world->card, 300);
	fake_card_set_flips(world->card, FAKE_FLIPS_LOST);
	assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
	fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
	clock_advance(world->rig->clock, SECOND);
}

/* Without another event, such as the next frame of a client. */
static void colors_of_a_recovery_come_after_it(void **state)
{
	struct two_outputs *world = *state;
	lose_flip(world);
	assert_true(set(world->second, &colors[0].change));
	rig_dispatch(world->rig);
	const int needed = world->second->n_needed;
	rig_wait_for_tasks(world->rig);
	assert_int_equal(world->second->n_needed, needed + 1);
	assert_true(show(world, world->second));
	assert_int_not_equal(
		fake_get(world->card, fake_crtc_of(world->card, "DP-2"), "GAMMA_LUT"), 0);
}

/* The probe ends during a recovery, which has the locks that a look at the connectors needs. */
static void screens_that_a_recovery_hides_are_found_after_it(void **state)
{
	struct two_outputs *world = *state;
	begin_probe(world);
	lose_flip(world);
	world->rig->holds_probes = false;
	fake_card_set_probe(world->card, 0);
	rig_wait_for_tasks(world->rig);
	clock_advance(world->rig->clock, SECOND / 50);
	rig_dispatch(world->rig);
	assert_non_null(rig_find(world->rig, "DP-3"));
	assert_true(show(world, world->first));
	assert_int_equal(fake_card_counts(world->card).stalls, 0);
}

/* As soon as its fence signals, where the kernel does not wait for fences. */
static void held_frame_tears(void **state)
{
	struct two_outputs *world = *state;
	struct output *base = world->first->output;
	fake_card_refuse_fences(world->card);
	for (int i = 0; i < 3; i++) {
		struct output_state frame;
		struct buffer *buffer = rig_buffer(world->rig, base, base->mode.width,
			base->mode.height, DRM_FORMAT_XRGB8888, 7);
		const int fence = fake_fence_create();
		const uint64_t async = fake_card_counts(world->card).async;
		output_state_init(&frame);
		rig_fill_state(&frame, base, buffer)->acquire_fence = fence;
		frame.fields |= OUTPUT_TEARING;
		assert_int_not_equal(output_commit(base, &frame), 0);
		rig_dispatch(world->rig);
		fake_fence_signal(fence, 1);
		rig_dispatch(world->rig);
		assert_true(world->first->present.presented);
		assert_int_equal(fake_card_counts(world->card).async, async + 1);
		close(fence);
		buffer_drop(buffer);
	}
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct rig_output *output = wl_container_of(listener, output, on_request);
	output->n_needed += 100;
}

/* The server tries again to enable it. */
static void refused_output_is_announced_on_return(void **state)
{
	struct two_outputs *world = *state;
	for (int i = 0; i < 2; i++) {
		fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
		assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
		assert_true(set_mode(world->first, 1));
		fake_card_fail(world->card, EINVAL, 2, false);
		fake_card_vblank(world->card, 1000);
		fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
		rig_dispatch(world->rig);
		assert_false(world->first->output->enabled);
		fake_seat_set_active(false);
		rig_dispatch(world->rig);
		signal_add(&world->first->output->events.changed, &world->first->on_request,
			handle_changed);
		const int needed = world->first->n_needed;
		fake_seat_set_active(true);
		rig_dispatch(world->rig);
		wl_list_remove(&world->first->on_request.link);
		assert_int_equal(world->first->n_needed, needed + 101);
		assert_true(rig_enable(world->first) && show(world, world->first));
	}
}

static bool has(struct two_outputs *world, int i)
{
	return fake_get(world->card, fake_crtc_of(world->card, "DP-1"), colors[i].property) != 0;
}

/* Sets colours during a probe, and leaves them to the frame after it. */
static void defer(struct two_outputs *world, int i)
{
	begin_probe(world);
	assert_true(set(world->first, &colors[i].change));
	end_probe(world);
	assert_false(has(world, i));
}

static void refuse(struct two_outputs *world, int i, bool refused)
{
	fake_card_refuse_property(world->card, colors[i].property, refused ? EINVAL : 0);
}

/* In frames after a probe, in a mode that waited for the kernel, and on the way back from off. */
static void deferred_colors_that_the_driver_refuses_cost_nothing(void **state)
{
	for (int i = 0; i < 3 * N_COLORS; i++) {
		struct two_outputs *world;
		const int color = i % N_COLORS;
		set_up((void **)&world);
		if (i / N_COLORS == 0) {
			defer(world, color);
			refuse(world, color, true);
		} else if (i / N_COLORS == 1) {
			struct output_state mode = colors[color].change;
			mode.fields |= OUTPUT_MODE;
			mode.mode = world->first->output->modes[1];
			fake_card_set_flips(world->card, FAKE_FLIPS_HELD);
			assert_int_not_equal(rig_show(world->rig, world->first, 3, -1), 0);
			assert_true(set(world->first, &mode));
			refuse(world, color, true);
			fake_card_vblank(world->card, 1000);
			fake_card_set_flips(world->card, FAKE_FLIPS_AT_ONCE);
			rig_dispatch(world->rig);
			assert_int_equal(width_of(world, "DP-1"), 1280);
		} else {
			assert_true(set(world->first, &colors[color].change));
			assert_true(switch_off(world->first));
			rig_dispatch(world->rig);
			refuse(world, color, true);
			assert_true(set_mode(world->first, 0));
			rig_dispatch(world->rig);
			assert_int_equal(width_of(world, "DP-1"), 1920);
		}
		assert_true(world->first->output->enabled);
		assert_true(show(world, world->first) && show(world, world->first));
		assert_false(has(world, color));
		refuse(world, color, false);
		assert_true(set(world->first, &colors[color].change) && show(world, world->first));
		assert_true(has(world, color));
		rig_destroy(world->rig);
	}
}

/* A frame is refused for another reason, while it goes without the colours. */
static void colors_of_a_probe_survive_one_refused_frame(void **state)
{
	struct two_outputs *world = *state;
	for (int i = 0; i < N_COLORS; i++) {
		begin_probe(world);
		assert_true(set(world->first, &colors[i].change));
		fake_card_fail(world->card, EINVAL, 1, false);
		assert_int_equal(rig_show(world->rig, world->first, 3, -1), 0);
		end_probe(world);
		assert_true(show(world, world->first) && has(world, i));
		fake_card_plug(world->card, "DP-3", NULL);
		rig_dispatch(world->rig);
	}
}

/* A test of planes that leaves them out would let the next frame lose them. */
static void tests_of_planes_have_the_colors_that_wait(void **state)
{
	struct two_outputs *world = *state;
	struct output *base = world->first->output;
	for (int i = 0; i < N_COLORS; i++) {
		struct output_state frame;
		struct buffer *buffer = rig_buffer(world->rig, base, base->mode.width,
			base->mode.height, DRM_FORMAT_XRGB8888, 7);
		output_state_init(&frame);
		rig_fill_state(&frame, base, buffer);
		defer(world, i);
		refuse(world, i, true);
		assert_false(output_test(base, &frame));
		refuse(world, i, false);
		assert_true(output_test(base, &frame));
		assert_true(show(world, world->first) && has(world, i));
		buffer_drop(buffer);
		fake_card_plug(world->card, "DP-3", NULL);
		rig_dispatch(world->rig);
	}
}

/* An asynchronous flip cannot carry them: the first torn frame waits for the vblank. */
static void colors_that_wait_come_with_a_torn_frame(void **state)
{
	struct two_outputs *world = *state;
	struct output *base = world->first->output;
	for (int i = 0; i < 2 * N_COLORS; i++) {
		struct output_state frame;
		struct buffer *buffer = rig_buffer(world->rig, base, base->mode.width,
			base->mode.height, DRM_FORMAT_XRGB8888, 7);
		const uint64_t async = fake_card_counts(world->card).async;
		output_state_init(&frame);
		rig_fill_state(&frame, base, buffer);
		frame.fields |= OUTPUT_TEARING;
		if (i % 2 == 0) {
			defer(world, i / 2);
			fake_card_plug(world->card, "DP-3", NULL);
			rig_dispatch(world->rig);
		}
		assert_int_not_equal(output_commit(base, &frame), 0);
		rig_dispatch(world->rig);
		assert_true(world->first->present.presented && has(world, i / 2));
		assert_int_equal(fake_card_counts(world->card).async, async + i % 2);
		buffer_drop(buffer);
	}
}

/* The driver has one state for all outputs: a frame whose fence has signalled waits for it. */
static void held_frame_waits_for_the_modeset_of_another_output(void **state)
{
	struct two_outputs *world = *state;
	const int fence = fake_fence_create(), presents = world->first->n_presents;
	fake_card_refuse_fences(world->card);
	fake_card_set_modesets(world->card, FAKE_MODESETS_SHARED);
	assert_true(set_mode(world->second, 1));
	assert_int_not_equal(rig_show(world->rig, world->first, 3, fence), 0);
	rig_dispatch(world->rig);
	fake_fence_signal(fence, 1);
	close(fence);
	rig_dispatch(world->rig);
	assert_int_equal(world->first->n_presents, presents);
	finish_modesets(world, 1);
	assert_int_equal(world->first->n_presents, presents + 1);
	assert_true(world->first->present.presented);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bandwidth_of_a_busy_output_is_waited_for),
		TEST(variable_refresh_survives_a_busy_kernel),
		TEST(refused_variable_refresh_refuses_its_change),
		TEST(refused_changes_of_a_probe_leave_the_former_mode),
		TEST(output_whose_disabling_waits_is_not_leased),
		TEST(custom_modes_follow_the_range_of_the_screen),
		TEST(modes_that_differ_at_their_end_are_told_apart),
		cmocka_unit_test(rates_count_fields_and_scans),
		TEST(colors_of_a_recovery_come_after_it),
		TEST(screens_that_a_recovery_hides_are_found_after_it),
		TEST(held_frame_tears),
		TEST(refused_output_is_announced_on_return),
		cmocka_unit_test(deferred_colors_that_the_driver_refuses_cost_nothing),
		TEST(colors_of_a_probe_survive_one_refused_frame),
		TEST(tests_of_planes_have_the_colors_that_wait),
		TEST(colors_that_wait_come_with_a_torn_frame),
		TEST(held_frame_waits_for_the_modeset_of_another_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
