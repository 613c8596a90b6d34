/* SPDX-License-Identifier: MIT */
/* Connector probes of the DRM backend, while outputs present frames. */

#include "backend/drm/drm.h"
#include "two_outputs.h"
#include "util/task.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <xf86drmMode.h>

#include <cmocka.h>

/* Presents frames while a probe of the card is under way: none waits for it. */
static void check_frames(
	struct two_outputs *world, struct fake_card *probed, struct rig_output *output)
{
	world->rig->holds_probes = true;
	rig_dispatch(world->rig);
	for (uint32_t i = 0; i < 5; i++) {
		int n = output->n_presents;
		assert_int_not_equal(rig_show(world->rig, output, i, -1), 0);
		rig_dispatch(world->rig);
		assert_int_equal(output->n_presents, n + 1);
		assert_true(output->present.presented);
	}
	assert_true(drm_backend_is_probing(world->rig->backend));
	world->rig->holds_probes = false;
	fake_card_set_probe(probed, 1);
}

static void frames_go_on_during_a_probe(void **state)
{
	struct two_outputs *world = *state;
	uint64_t probes = fake_card_counts(world->card).probes;
	fake_card_set_probe(world->card, FAKE_PROBE_HELD);
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	check_frames(world, world->card, world->first);
	assert_null(rig_find(world->rig, "DP-3"));
	rig_dispatch(world->rig);
	assert_non_null(rig_find(world->rig, "DP-3"));
	assert_true(rig_enable(rig_find(world->rig, "DP-3")));
	/* Only the connector of the event. */
	assert_int_equal(fake_card_counts(world->card).probes, probes + 1);
}

/* The events of three connectors come during the probe of one. */
static void changes_during_a_probe_are_found(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_probe(world->card, 50);
	world->rig->holds_probes = true;
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	rig_dispatch(world->rig);
	fake_card_plug(world->card, "HDMI-A-1", &fake_screen_plain);
	fake_card_plug(world->card, "DP-2", NULL);
	fake_card_plug(world->card, "DP-3", NULL);
	rig_dispatch(world->rig);
	world->rig->holds_probes = false;
	rig_dispatch(world->rig);
	assert_non_null(rig_find(world->rig, "DP-1"));
	assert_null(rig_find(world->rig, "DP-2"));
	assert_null(rig_find(world->rig, "DP-3"));
	assert_non_null(rig_find(world->rig, "HDMI-A-1"));
}

static void frames_go_on_while_another_card_is_opened(void **state)
{
	struct two_outputs *world = *state;
	struct fake_card *other = fake_card_create("i915");
	rig_dispatch(world->rig);
	fake_card_set_probe(other, FAKE_PROBE_HELD);
	fake_card_plug(other, "DP-4", &fake_screen_plain);
	check_frames(world, other, world->first);
	rig_dispatch(world->rig);
	assert_true(rig_enable(rig_find(world->rig, "DP-4")));
	/* A card without screens is closed after the probe. */
	fake_card_set_probe(other, FAKE_PROBE_HELD);
	fake_card_plug(other, "DP-4", NULL);
	check_frames(world, other, world->first);
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-4"));
	assert_int_equal(fake_card_counts(other).files, 0);
}

static void card_is_removed_during_a_probe(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_probe(world->card, 50);
	world->rig->holds_probes = true;
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	rig_dispatch(world->rig);
	fake_card_remove(world->card);
	rig_dispatch(world->rig);
	assert_false(drm_backend_is_probing(world->rig->backend));
	assert_null(rig_find(world->rig, "DP-1"));
}

/* The result is stale: the return of the session probes again. */
static void session_is_left_during_a_probe(void **state)
{
	struct two_outputs *world = *state;
	fake_card_set_probe(world->card, 20);
	world->rig->holds_probes = true;
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	rig_dispatch(world->rig);
	fake_seat_set_active(false);
	world->rig->holds_probes = false;
	rig_dispatch(world->rig);
	assert_null(rig_find(world->rig, "DP-3"));
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	assert_non_null(rig_find(world->rig, "DP-3"));
	assert_int_equal(world->first->output->asleep, false);
}

/* The mode is set again after the return; until then, no probe holds the lock that it needs. */
static void probe_waits_for_modesets(void **state)
{
	struct two_outputs *world = *state;
	uint64_t probes = fake_card_counts(world->card).probes;
	fake_card_set_modesets(world->card, FAKE_MODESETS_HELD);
	assert_true(set_mode(world->first, 1));
	fake_card_set_probe(world->card, 100);
	fake_seat_set_active(false);
	rig_dispatch(world->rig);
	fake_card_plug(world->card, "DP-3", &fake_screen_plain);
	fake_seat_set_active(true);
	rig_dispatch(world->rig);
	assert_int_equal(fake_card_counts(world->card).probes, probes);
	fake_card_set_modesets(world->card, FAKE_MODESETS_AT_ONCE);
	fake_card_finish_modesets(world->card);
	clock_advance(world->rig->clock, INT64_C(10000000));
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(world->card).stalls, 0);
	assert_int_equal(fake_card_counts(world->card).probes, probes + 4);
	assert_non_null(rig_find(world->rig, "DP-3"));
}

/* The kernel's lock of the connectors is held for the length of the probe. */
static void modeset_during_a_probe_follows_it(void **state)
{
	struct two_outputs *world = *state;
	begin_probe(world);
	assert_true(set_mode(world->first, 1));
	/* Another output goes on. */
	int n = world->second->n_presents;
	assert_int_not_equal(rig_show(world->rig, world->second, 3, -1), 0);
	rig_dispatch(world->rig);
	assert_int_equal(world->second->n_presents, n + 1);
	assert_true(drm_backend_is_probing(world->rig->backend));
	assert_int_not_equal(width_of(world, "DP-1"), 1280);
	end_probe(world);
	assert_int_equal(width_of(world, "DP-1"), 1280);
	assert_int_equal(fake_card_counts(world->card).stalls, 0);
	assert_non_null(rig_find(world->rig, "DP-3"));
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	rig_dispatch(world->rig);
	assert_true(world->first->present.presented);
}

static bool refuses_1280(void *data, const struct fake_scan *scan)
{
	return scan->crtc_width != 1280;
}

/* The kernel's locks prevent a test during the probe. */
static void output_keeps_its_mode_if_the_kernel_refuses_another_after_a_probe(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->first->output;
	int width = width_of(world, "DP-1");
	fake_card_set_judge(world->card, refuses_1280, NULL);
	begin_probe(world);
	assert_true(set_mode(world->first, 1));
	assert_int_equal(output->mode.width, 1280);
	/* A frame of the new mode waits for it, in vain. */
	assert_int_not_equal(rig_show(world->rig, world->first, 5, -1), 0);
	world->rig->holds_probes = false;
	fake_card_set_probe(world->card, 1);
	uint32_t pixel = pixel_of(world, "DP-1");
	rig_dispatch(world->rig);
	assert_true(output->enabled);
	assert_int_equal(output->mode.width, width);
	assert_int_equal(width_of(world, "DP-1"), width);
	assert_int_equal(pixel_of(world, "DP-1"), pixel);
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	rig_dispatch(world->rig);
	assert_true(world->first->present.presented);
	assert_int_not_equal(pixel_of(world, "DP-1"), pixel);
	/* The next change is tested. */
	assert_false(set_mode(world->first, 1));
	assert_int_equal(output->mode.width, width);
	fake_card_set_judge(world->card, NULL, NULL);
	assert_true(set_mode(world->first, 1));
	rig_dispatch(world->rig);
	assert_int_equal(width_of(world, "DP-1"), 1280);
}

/* A frame that sets a mode is committed together with it. */
static void output_keeps_its_mode_if_the_mode_of_a_held_frame_is_refused(void **state)
{
	struct two_outputs *world = *state;
	struct output *output = world->first->output;
	int width = width_of(world, "DP-1");
	fake_card_set_judge(world->card, refuses_1280, NULL);
	begin_probe(world);
	struct output_state wish;
	output_state_init(&wish);
	struct buffer *buffer =
		rig_buffer(world->rig, output, 1280, 720, DRM_FORMAT_XRGB8888, 0x345678);
	rig_fill_state(&wish, output, buffer);
	wish.fields |= OUTPUT_MODE;
	wish.mode = output->modes[1];
	int n = world->first->n_presents;
	assert_int_not_equal(output_commit(output, &wish), 0);
	buffer_drop(buffer);
	end_probe(world);
	assert_true(output->enabled);
	assert_int_equal(output->mode.width, width);
	assert_int_equal(width_of(world, "DP-1"), width);
	assert_int_equal(world->first->n_presents, n + 1);
	assert_false(world->first->present.presented);
	assert_int_not_equal(rig_show(world->rig, world->first, 4, -1), 0);
	rig_dispatch(world->rig);
	assert_true(world->first->present.presented);
}

static bool show_frame(struct rig *rig, struct rig_output *output)
{
	int n = output->n_presents;
	bool done = rig_show(rig, output, 1, -1) != 0;
	for (int i = 0; i < 5; i++) {
		wl_event_loop_dispatch(rig->loop, 0);
	}
	return done && output->n_presents == n + 1 && output->present.presented;
}

/* Commits a frame with other changes, which the output supports. */
static bool show_with(struct rig_output *output, const struct output_state *wish)
{
	struct output_state state = *wish;
	struct output *base = output->output;
	struct buffer *buffer = rig_buffer(output->rig, base, base->mode.width, base->mode.height,
		DRM_FORMAT_XRGB8888, 0x123456);
	rig_fill_state(&state, base, buffer);
	bool done = output_test(base, &state) && output_commit(base, &state) != 0;
	buffer_drop(buffer);
	return done;
}

/* Shows a frame with changes that need the lock of the probe; they follow after it. */
static void check_deferred(struct rig *rig, struct fake_card *card, struct rig_output *output,
	const char *other, const struct output_state *wish)
{
	fake_card_set_probe(card, FAKE_PROBE_HELD);
	rig->holds_probes = true;
	fake_card_plug(card, other, &fake_screen_plain);
	rig_dispatch(rig);
	assert_true(drm_backend_is_probing(rig->backend));
	for (int i = 0; i < 2; i++) {
		int n = output->n_presents;
		assert_true(i == 0 ? show_with(output, wish) : rig_show(rig, output, 1, -1) != 0);
		rig_dispatch(rig);
		assert_int_equal(output->n_presents, n + 1);
		assert_true(output->present.presented);
	}
	assert_true(drm_backend_is_probing(rig->backend));
	assert_int_equal(fake_card_counts(card).stalls, 0);
	int n_needed = output->n_needed;
	rig->holds_probes = false;
	fake_card_set_probe(card, 1);
	rig_dispatch(rig);
	assert_true(output->n_needed > n_needed);
	assert_int_not_equal(rig_show(rig, output, 2, -1), 0);
	rig_dispatch(rig);
	assert_true(output->present.presented);
}

static void frame_with_a_content_type_goes_on_during_a_probe(void **state)
{
	struct fake_card *card = fake_card_create("vc4");
	fake_card_plug(card, "HDMI-A-6", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "HDMI-A-6");
	assert_true(rig_enable(output) && show_frame(rig, output));
	rig_dispatch(rig);
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_CONTENT;
	wish.content = OUTPUT_CONTENT_GAME;
	check_deferred(rig, card, output, "HDMI-A-7", &wish);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), DRM_MODE_CONTENT_TYPE_GAME);
	rig_destroy(rig);
}

/* amdgpu locks the connectors for both. */
static void frame_with_colors_and_variable_refresh_goes_on_during_a_probe(void **state)
{
	static const double matrix[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
	struct two_outputs *world = *state;
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_COLOR_MATRIX | OUTPUT_ADAPTIVE_SYNC;
	wish.color_matrix = matrix;
	wish.adaptive_sync = true;
	const char *crtc = fake_crtc_of(world->card, "DP-2");
	check_deferred(world->rig, world->card, world->second, "DP-3", &wish);
	assert_int_not_equal(fake_get(world->card, crtc, "CTM"), 0);
	assert_int_equal(fake_get(world->card, crtc, "VRR_ENABLED"), 1);
}

/* Without this, the output would show no further frame. */
static void deferred_content_type_that_the_driver_refuses_costs_one_frame(void **state)
{
	struct fake_card *card = fake_card_create("vc4");
	fake_card_plug(card, "HDMI-A-6", &fake_screen_plain);
	struct rig *rig = rig_create();
	struct rig_output *output = rig_find(rig, "HDMI-A-6");
	assert_true(rig_enable(output) && show_frame(rig, output));
	rig_dispatch(rig);
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_CONTENT;
	wish.content = OUTPUT_CONTENT_GAME;
	fake_card_set_probe(card, FAKE_PROBE_HELD);
	rig->holds_probes = true;
	fake_card_plug(card, "HDMI-A-7", &fake_screen_plain);
	rig_dispatch(rig);
	assert_true(show_with(output, &wish));
	rig->holds_probes = false;
	fake_card_set_probe(card, 1);
	rig_dispatch(rig);
	fake_card_fail(card, EINVAL, 1, false);
	assert_int_equal(rig_show(rig, output, 2, -1), 0);
	assert_int_not_equal(rig_show(rig, output, 2, -1), 0);
	rig_dispatch(rig);
	assert_true(output->present.presented);
	assert_int_equal(fake_get(card, "HDMI-A-6", "content type"), 0);
	rig_destroy(rig);
}

/* Without frames of their own, as on a desktop at rest: each output asks for one. */
static void changes_of_all_idle_outputs_follow_a_probe(void **state)
{
	static const uint16_t ramps[3 * 4096] = {1};
	static const double matrix[9] = {0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5};
	static const char *const names[] = {"DP-1", "DP-2"};
	struct two_outputs *world = *state;
	struct rig_output *outputs[] = {world->first, world->second};
	struct output_state changes[2];
	for (int i = 0; i < 2; i++) {
		output_state_init(&changes[i]);
	}
	changes[0].fields = OUTPUT_GAMMA;
	changes[0].gamma = ramps;
	changes[1].fields = OUTPUT_COLOR_MATRIX;
	changes[1].color_matrix = matrix;
	for (int round = 0; round < 3; round++) {
		int needed[2];
		begin_probe(world);
		for (int i = 0; i < 2; i++) {
			/* Both outputs, then one or the other. */
			if (round == 0 || round == i + 1) {
				assert_int_not_equal(
					output_commit(outputs[i]->output, &changes[i]), 0);
			}
		}
		rig_dispatch(world->rig);
		for (int i = 0; i < 2; i++) {
			needed[i] = outputs[i]->n_needed;
		}
		end_probe(world);
		for (int i = 0; i < 2; i++) {
			const bool changes_now = round == 0 || round == i + 1;
			assert_int_equal(outputs[i]->n_needed > needed[i], changes_now);
			assert_true(show_frame(world->rig, outputs[i]));
			assert_int_not_equal(
				fake_get(world->card, fake_crtc_of(world->card, names[i]),
					i ? "CTM" : "GAMMA_LUT"),
				0);
		}
		fake_card_plug(world->card, "DP-3", NULL);
		rig_dispatch(world->rig);
	}
}

/* No test precedes the change: the probe holds the lock that it needs. */
static void set_refused_gamma(struct two_outputs *world)
{
	static const uint16_t ramps[3 * 4096] = {1};
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_GAMMA;
	wish.gamma = ramps;
	fake_card_refuse_gamma(world->card);
	assert_int_not_equal(output_commit(world->second->output, &wish), 0);
}

static void gamma_table_that_the_driver_refuses_after_a_probe_costs_no_frame(void **state)
{
	struct two_outputs *world = *state;
	begin_probe(world);
	set_refused_gamma(world);
	end_probe(world);
	for (int i = 0; i < 2; i++) {
		assert_true(show_frame(world->rig, world->second));
	}
	assert_int_equal(fake_get(world->card, fake_crtc_of(world->card, "DP-2"), "GAMMA_LUT"), 0);
}

static void mode_is_set_without_a_gamma_table_that_the_driver_refuses(void **state)
{
	struct two_outputs *world = *state;
	begin_probe(world);
	set_refused_gamma(world);
	assert_true(set_mode(world->second, 1));
	end_probe(world);
	assert_true(world->second->output->enabled);
	assert_int_equal(width_of(world, "DP-2"), world->second->output->modes[1].width);
	assert_true(show_frame(world->rig, world->second));
}

static void check_variable(struct two_outputs *world, int error, bool kept)
{
	begin_probe(world);
	assert_true(rig_set_rate(world->second, true));
	end_probe(world);
	fake_card_fail(world->card, error, 1, false);
	assert_int_equal(rig_show(world->rig, world->second, 2, -1), 0);
	assert_int_equal(world->second->output->adaptive_sync, kept);
	assert_true(show_frame(world->rig, world->second));
	const char *crtc = fake_crtc_of(world->card, "DP-2");
	assert_int_equal(fake_get(world->card, crtc, "VRR_ENABLED"), kept);
}

static void deferred_variable_refresh_survives_a_lack_of_memory(void **state)
{
	check_variable(*state, ENOMEM, true);
}

static void refused_variable_refresh_is_off_in_the_output(void **state)
{
	check_variable(*state, EINVAL, false);
}

static void output_is_disabled_after_a_probe(void **state)
{
	struct two_outputs *world = *state;
	begin_probe(world);
	assert_true(switch_off(world->first));
	assert_true(drm_backend_is_probing(world->rig->backend));
	end_probe(world);
	assert_int_equal(width_of(world, "DP-1"), 0);
	assert_int_equal(fake_card_counts(world->card).stalls, 0);
}

static uint64_t probes_of(struct fake_card *card)
{
	return fake_card_counts(card).probes;
}

/* The screens are those of the console's probe; a screen that it missed comes after the frames. */
static void first_frames_wait_for_no_probe(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &fake_screen_plain);
	fake_card_plug(card, "eDP-1", &fake_screen_plain);
	fake_card_plug(card, "HDMI-A-2", &fake_screen_plain);
	fake_card_forget_probe(card, "HDMI-A-2");
	fake_card_set_probe(card, 50);
	struct rig *rig = rig_create();
	rig->holds_probes = true;
	struct rig_output *first = rig_find(rig, "DP-4"), *second = rig_find(rig, "eDP-1");
	assert_non_null(first);
	assert_non_null(second);
	assert_null(rig_find(rig, "HDMI-A-2"));
	assert_true(rig_enable(first) && rig_enable(second));
	assert_true(show_frame(rig, first));
	assert_false(drm_backend_is_probing(rig->backend));
	assert_true(show_frame(rig, second));
	assert_int_equal(fake_card_counts(card).stalls, 0);
	assert_true(drm_backend_is_probing(rig->backend));
	rig->holds_probes = false;
	rig_dispatch(rig);
	assert_int_equal(probes_of(card), 3);
	assert_true(rig_find(rig, "DP-4") == first && rig_find(rig, "eDP-1") == second);
	assert_non_null(rig_find(rig, "HDMI-A-2"));
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

static void outputs_without_frames_are_probed_after_a_second(void **state)
{
	struct fake_card *card = fake_card_create("i915");
	fake_card_plug(card, "DP-4", &fake_screen_plain);
	struct rig *rig = rig_create();
	assert_true(rig_enable(rig_find(rig, "DP-4")));
	assert_int_equal(probes_of(card), 0);
	clock_advance(rig->clock, INT64_C(1000000000));
	rig_dispatch(rig);
	assert_int_equal(probes_of(card), 3);
	rig_destroy(rig);
}

/* As a kernel without a console: the screens are found on threads, those of both cards at once. */
static void cards_that_were_never_probed_are_probed_in_parallel(void **state)
{
	struct fake_card *cards[] = {fake_card_create("i915"), fake_card_create("amdgpu")};
	static const char *const connectors[] = {"DP-4", "DP-1"};
	for (int i = 0; i < 2; i++) {
		fake_card_plug(cards[i], connectors[i], &fake_screen_plain);
		fake_card_forget_probe(cards[i], connectors[i]);
		fake_card_set_probe(cards[i], 50);
	}
	struct rig *rig = rig_create();
	assert_null(rig_find(rig, "DP-4"));
	assert_null(rig_find(rig, "DP-1"));
	const struct drm_backend *backend = wl_container_of(rig->backend, backend, base);
	assert_int_equal(tasks_n_pending(backend->tasks), 2);
	rig_dispatch(rig);
	for (int i = 0; i < 2; i++) {
		struct rig_output *output = rig_find(rig, connectors[i]);
		assert_non_null(output);
		assert_true(rig_enable(output) && show_frame(rig, output));
		assert_int_equal(fake_card_counts(cards[i]).stalls, 0);
	}
	assert_false(clock_advance_to_next(rig->clock));
	rig_destroy(rig);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(frames_go_on_during_a_probe),
		TEST(changes_during_a_probe_are_found),
		TEST(frames_go_on_while_another_card_is_opened),
		TEST(card_is_removed_during_a_probe),
		TEST(session_is_left_during_a_probe),
		TEST(probe_waits_for_modesets),
		TEST(modeset_during_a_probe_follows_it),
		TEST(output_keeps_its_mode_if_the_kernel_refuses_another_after_a_probe),
		TEST(output_keeps_its_mode_if_the_mode_of_a_held_frame_is_refused),
		cmocka_unit_test(frame_with_a_content_type_goes_on_during_a_probe),
		TEST(frame_with_colors_and_variable_refresh_goes_on_during_a_probe),
		cmocka_unit_test(deferred_content_type_that_the_driver_refuses_costs_one_frame),
		TEST(changes_of_all_idle_outputs_follow_a_probe),
		TEST(gamma_table_that_the_driver_refuses_after_a_probe_costs_no_frame),
		TEST(mode_is_set_without_a_gamma_table_that_the_driver_refuses),
		TEST(deferred_variable_refresh_survives_a_lack_of_memory),
		TEST(refused_variable_refresh_is_off_in_the_output),
		TEST(output_is_disabled_after_a_probe),
		cmocka_unit_test(first_frames_wait_for_no_probe),
		cmocka_unit_test(outputs_without_frames_are_probed_after_a_second),
		cmocka_unit_test(cards_that_were_never_probed_are_probed_in_parallel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
