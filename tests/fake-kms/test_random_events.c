/* SPDX-License-Identifier: MIT */
/*
 * Random events on a card and its screens: hotplug, settings, frames with several planes, leases,
 * probes, and other programs that have the card for a while. Each frame completes once, scanned-out
 * buffers stay in place, and commits do not block. When all of it has ended, the kernel has the
 * requested state, nothing else is lit, no object is left over, and no timer runs.
 */

#include "audit.h"
#include "backend/drm/drm.h"
#include "backend/lease.h"
#include "event_frames.h"
#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#include <cmocka.h>

#define N_SEEDS 256
#define N_STEPS 150
#define CONNECTORS_MAX 4
#define GAMMA_MAX 4096
#define N_COLORS 3

static const struct kind {
	const char *name, *connectors[CONNECTORS_MAX];
	uint32_t n;
} kinds[] = {
	{"amdgpu", {"DP-1", "DP-2", "HDMI-A-1"}, 3},
	{"i915", {"eDP-1", "DP-4", "HDMI-A-2"}, 3},
	{"vc4", {"HDMI-A-6", "HDMI-A-7"}, 2},
	{"i915-dock", {"eDP-5", "DP-8", "DP-9", "DP-10"}, 4},
	{"rockchip", {"HDMI-A-5", "eDP-3", "DSI-1"}, 3},
	{"amdgpu-overlays", {"eDP-1", "DP-1"}, 2},
	{"nvidia-drm", {"DP-5", "DP-6", "HDMI-A-3"}, 3},
	{"virtio_gpu", {"Virtual-1"}, 1},
	{"omapdrm", {"HDMI-A-12", "DSI-2"}, 2},
};
#define N_KINDS ((uint32_t)(sizeof(kinds) / sizeof(kinds[0])))

/* Small, since the CPU fills each frame. */
#define N_MODES 3
static const struct fake_screen screens[] = {
	{.maker = "CWY",
		.name = "One",
		.serial = 1,
		.modes = {{64, 48, 60}, {32, 32, 60}, {64, 32, 50}},
		.min_hz = 50,
		.max_hz = 70,
		.max_clock = 100,
		.vrr = true},
	{.maker = "CWY",
		.name = "Two",
		.serial = 2,
		.modes = {{48, 32, 60}, {64, 64, 60}, {48, 64, 60}}},
};

/* Accepted settings; 0: none. Those of colours count from 1. */
struct wish {
	int gamma, matrix, content, depth;
	bool variable;
};

struct scenario {
	const struct kind *kind;
	struct fake_card *card;
	struct rig *rig;
	uint32_t random;
	bool unreliable; /* the card refuses commits, loses flips and needs blocking modesets */
	bool old; /* without DRM_IOCTL_MODE_CLOSEFB: removing framebuffers waits for probes */
	bool away;
	int accepted[RIG_OUTPUTS_MAX]; /* accepted frames */
	struct wish wishes[RIG_OUTPUTS_MAX];
	int fences[EVENT_FENCES]; /* -1: none */
	struct drm_lease *lease;
	int lease_fd;
	char lit[16]; /* CRTC that the lessee has lit; empty: none */
	int other_fd; /* of another program */
	uint32_t other_framebuffer;
	int64_t vblank;
};

static const char *const refused[] = {"VRR_ENABLED", "content type", "CTM", "GAMMA_LUT"};
#define N_REFUSED (sizeof(refused) / sizeof(refused[0]))

static uint16_t ramps[N_COLORS + 1][3 * GAMMA_MAX];
static const double matrices[N_COLORS + 1][9] = {
	{1, 0, 0, 0, 1, 0, 0, 0, 1},
	{0.5, 0, 0, 0, 0.75, 0, 0, 0, 1},
	{1.5, -0.25, -0.25, -0.25, 1.5, -0.25, -0.25, -0.25, 1.5},
	{0.25, 0.5, 0.25, 0.25, 0.5, 0.25, 0.25, 0.5, 0.25},
};

static uint32_t draw(struct scenario *scenario, uint32_t n)
{
	return event_draw(&scenario->random, n);
}

/* Returns the output of a random connector, or NULL. */
static struct rig_output *draw_output(struct scenario *scenario)
{
	return rig_find(
		scenario->rig, scenario->kind->connectors[draw(scenario, scenario->kind->n)]);
}

static struct wish *wish_of(struct scenario *scenario, const struct rig_output *output)
{
	return &scenario->wishes[output - scenario->rig->outputs];
}

static void plug(struct scenario *scenario)
{
	const char *connector = scenario->kind->connectors[draw(scenario, scenario->kind->n)];
	uint32_t which = draw(scenario, 4);
	if (scenario->rig->n_outputs + CONNECTORS_MAX < RIG_OUTPUTS_MAX) {
		fake_card_plug(scenario->card, connector, which < 2 ? &screens[which] : NULL);
	}
}

/* Draws changes that go with a frame, and those of `wish` with them. */
static void draw_settings(struct scenario *scenario, const struct output *output,
	struct output_state *state, struct wish *wish)
{
	if (output->gamma_size && draw(scenario, 4) == 0) {
		wish->gamma = (int)draw(scenario, N_COLORS + 1);
		state->fields |= OUTPUT_GAMMA;
		state->gamma = wish->gamma ? ramps[wish->gamma] : NULL;
	}
	if (output->has_color_matrix && draw(scenario, 4) == 0) {
		wish->matrix = (int)draw(scenario, N_COLORS + 1);
		state->fields |= OUTPUT_COLOR_MATRIX;
		state->color_matrix = wish->matrix ? matrices[wish->matrix] : NULL;
	}
	if (draw(scenario, 4) == 0) {
		state->fields |= OUTPUT_ADAPTIVE_SYNC;
		state->adaptive_sync = wish->variable = draw(scenario, 2);
	}
	if (output->has_content && draw(scenario, 4) == 0) {
		state->fields |= OUTPUT_CONTENT;
		state->content = (enum output_content)draw(scenario, OUTPUT_CONTENT_GAME + 1);
		wish->content = (int)state->content;
	}
}

static void draw_change(struct scenario *scenario, const struct output *output,
	struct output_state *state, struct wish *wish)
{
	output_state_init(state);
	switch (draw(scenario, 5)) {
	case 0: state->fields |= OUTPUT_ENABLED; break;
	case 1:
	case 2:
		state->fields |= OUTPUT_ENABLED | OUTPUT_MODE;
		state->enabled = true;
		state->mode = output->modes[draw(scenario, N_MODES)];
		break;
	default: break;
	}
	draw_settings(scenario, output, state, wish);
	if (draw(scenario, 6) == 0) {
		state->fields |= OUTPUT_BIT_DEPTH;
		state->bit_depth = wish->depth = draw(scenario, 2) ? 8 : 0;
	}
}

static void change(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	struct output_state state;
	if (!output) {
		return;
	}
	struct wish wish = *wish_of(scenario, output);
	draw_change(scenario, output->output, &state, &wish);
	if (state.fields && (output_test(output->output, &state) || draw(scenario, 2)) &&
		output_commit(output->output, &state)) {
		*wish_of(scenario, output) = wish;
	}
}

/* Changes all outputs together, as a profile of kanshi does. */
static void change_all(struct scenario *scenario)
{
	struct output_change changes[CONNECTORS_MAX];
	struct output_state states[CONNECTORS_MAX];
	struct wish wishes[CONNECTORS_MAX];
	struct rig_output *outputs[CONNECTORS_MAX];
	size_t n = 0;
	for (uint32_t i = 0; i < scenario->kind->n; i++) {
		outputs[n] = rig_find(scenario->rig, scenario->kind->connectors[i]);
		if (outputs[n]) {
			wishes[n] = *wish_of(scenario, outputs[n]);
			draw_change(scenario, outputs[n]->output, &states[n], &wishes[n]);
			changes[n] = (struct output_change){outputs[n]->output, &states[n]};
			n++;
		}
	}
	if (n == 0 || (!outputs_test(changes, n) && draw(scenario, 2))) {
		return;
	}
	if (outputs_commit(changes, n)) {
		for (size_t i = 0; i < n; i++) {
			*wish_of(scenario, outputs[i]) = wishes[i];
		}
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

/* A cleanup occupies some drivers without an event for its end. */
static bool is_busy(const struct fake_card *card)
{
	bool busy = false;
	for (int i = 0; i < card->n_objects; i++) {
		busy |= card->objects[i].flying;
	}
	return busy;
}

static void show(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	struct event_frame frame;
	if (!output || !output->output->enabled || output->output->asleep) {
		return;
	}
	struct wish wish = *wish_of(scenario, output);
	event_frame_init(&frame, output, &scenario->random, scenario->fences);
	const bool changes = draw(scenario, 4) == 0;
	if (changes) {
		draw_settings(scenario, output->output, &frame.state, &wish);
	}
	int *accepted = &scenario->accepted[output - scenario->rig->outputs];
	const bool waits = *accepted > output->n_presents;
	if (output_commit(output->output, &frame.state)) {
		++*accepted;
		*wish_of(scenario, output) = wish;
	} else {
		assert_true(waits || changes || is_busy(scenario->card) || scenario->unreliable);
	}
	event_frame_finish(&frame);
}

/* Sets properties as another program does while it has the card. */
static void meddle(struct scenario *scenario)
{
	static const struct {
		const char *object, *property;
		uint64_t value;
	} settings[] = {
		{"plane", "alpha", 0x8000},
		{"plane", "rotation", DRM_MODE_ROTATE_180},
		{"plane", "SCALING_FILTER", 1},
		{"plane", "AMD_PLANE_HDR_MULT", 7},
		{"crtc", "VRR_ENABLED", 1},
		{"crtc", "CTM", 0},
		{"crtc", "GAMMA_LUT", 0},
		{"crtc", "SHARPNESS_STRENGTH", 3},
		{"DP", "max bpc", 6},
		{"DP", "Colorspace", 9},
		{"HDMI", "content type", 4},
		{"HDMI", "max bpc", 6},
		{"HDMI", "scaling mode", 1},
		{"eDP", "scaling mode", 2},
	};
	for (int i = 0; i < scenario->card->n_objects; i++) {
		struct fake_object *object = &scenario->card->objects[i];
		const size_t j = draw(scenario, sizeof(settings) / sizeof(settings[0]));
		const size_t length = strlen(settings[j].object);
		if (strncmp(object->name, settings[j].object, length) == 0 &&
			fake_object_index(object, settings[j].property) >= 0) {
			fake_object_set(object, settings[j].property, settings[j].value);
		}
		struct fake_object *crtc = fake_object_at(scenario->card, DRM_MODE_OBJECT_CRTC,
			__builtin_ctz(object->possible_crtcs | 8));
		if (object->plane && object->plane->type != DRM_PLANE_TYPE_PRIMARY && crtc &&
			fake_object_value(crtc, "ACTIVE") && draw(scenario, 3) == 0) {
			fake_object_set(object, "FB_ID", scenario->other_framebuffer);
			fake_object_set(object, "CRTC_ID", crtc->id);
		}
	}
}

static void wait_for_tasks(struct scenario *scenario)
{
	if (scenario->rig->holds_probes) {
		rig_dispatch(scenario->rig);
	} else {
		rig_wait_for_tasks(scenario->rig);
	}
}

/* Another program gets the card once the session has noticed that it is inactive. */
static void set_away(struct scenario *scenario, bool away)
{
	const bool left = away && !scenario->away;
	scenario->away = away;
	fake_seat_set_active(!away);
	if (left) {
		scenario->lit[0] = '\0'; /* leases end */
	}
	if (left && draw(scenario, 2)) {
		wait_for_tasks(scenario);
		meddle(scenario);
	}
}

static void end_lease(struct scenario *scenario)
{
	scenario->lit[0] = '\0';
	drm_lease_destroy(scenario->lease);
	scenario->lease = NULL;
	if (scenario->lease_fd >= 0) {
		close(scenario->lease_fd);
		scenario->lease_fd = -1;
	}
}

/* The lessee lights the screen, and leaves it lit. */
static void lend(struct scenario *scenario)
{
	struct rig_output *output = draw_output(scenario);
	end_lease(scenario);
	if (!output || draw(scenario, 2)) {
		return;
	}
	scenario->lease = drm_lease_create(&output->output, 1, &scenario->lease_fd);
	scenario->lease_fd = scenario->lease ? scenario->lease_fd : -1;
	const bool present = fake_object_named(scenario->card, output->output->name)->screen;
	if (scenario->lease && present && draw(scenario, 2)) {
		const struct drm_crtc *crtc = drm_output_from_base(output->output)->crtc;
		struct fake_object *plane =
			fake_object_find(scenario->card, drm_plane_from_base(crtc->planes[0])->id);
		snprintf(scenario->lit, sizeof(scenario->lit), "crtc-%d", crtc->index);
		fake_card_boot(scenario->card, output->output->name, scenario->lit);
		fake_object_set(plane, "FB_ID", scenario->other_framebuffer);
		fake_object_set(plane, "CRTC_ID", crtc->id);
	}
}

static void do_vblank(struct scenario *scenario)
{
	fake_card_vblank(scenario->card, scenario->vblank += 1000);
}

static void hold_probes(struct scenario *scenario, bool hold)
{
	scenario->rig->holds_probes = hold;
	fake_card_set_probe(scenario->card, hold ? FAKE_PROBE_HELD : 0);
}

/* The driver refuses settings for a while. */
static void refuse_some(struct scenario *scenario)
{
	for (size_t i = 0; i < N_REFUSED; i++) {
		fake_card_refuse_property(
			scenario->card, refused[i], draw(scenario, 4) ? 0 : EINVAL);
	}
}

static void choose_behavior(struct scenario *scenario)
{
	static const int errors[] = {EBUSY, EINVAL, ENOMEM, EACCES};
	fake_card_set_flips(
		scenario->card, draw(scenario, 2) ? FAKE_FLIPS_HELD : FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(scenario->card, draw(scenario, FAKE_MODESETS_SHARED + 1));
	hold_probes(scenario, draw(scenario, 3) == 0 && !scenario->old);
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
	if (scenario->unreliable) {
		fake_card_fail_framebuffers(scenario->card, draw(scenario, 4) ? 0 : ENOMEM);
		refuse_some(scenario);
	}
}

static void step(struct scenario *scenario)
{
	const struct rig_output *output = draw_output(scenario);
	switch (draw(scenario, 18)) {
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
	case 12: signal_fence(scenario, draw(scenario, EVENT_FENCES)); break;
	case 13:
		fake_card_break_link(scenario->card,
			scenario->kind->connectors[draw(scenario, scenario->kind->n)]);
		break;
	case 14: lend(scenario); break;
	case 15: change_all(scenario); break;
	case 16:
		if (output) {
			output_lacks(output->output);
		}
		break;
	default:
		clock_advance(scenario->rig->clock, scenario->unreliable && draw(scenario, 8) == 0
							    ? INT64_C(13000000000)
							    : 10000000);
		break;
	}
	if (draw(scenario, 3)) {
		wait_for_tasks(scenario);
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
	assert_int_equal(counts.closed_twice, 0);
	if (!scenario->unreliable) {
		assert_int_equal(counts.removed_while_shown, 0);
		assert_int_equal(counts.blocking, 0);
		assert_true(counts.stalls == 0 || scenario->old);
		assert_int_equal(counts.idle_planes, 0);
	}
	if (scenario->lit[0] && scenario->lease && scenario->lease->card) {
		assert_int_equal(fake_get(scenario->card, scenario->lit, "ACTIVE"), 1);
	}
}

static int count_active(struct fake_card *card)
{
	int n = 0;
	for (int i = 0; i < card->kind->n_crtcs; i++) {
		n += fake_object_value(fake_object_at(card, DRM_MODE_OBJECT_CRTC, i), "ACTIVE") !=
		     0;
	}
	return n;
}

/* Completes all pending work on a card that accepts everything. */
static void complete_pending(struct scenario *scenario)
{
	hold_probes(scenario, false);
	for (int i = 0; i == 0 || clock_advance_to_next(scenario->rig->clock); i++) {
		assert_in_range(i, 0, 1000);
		rig_wait_for_tasks(scenario->rig);
		do_vblank(scenario);
		fake_card_finish_modesets(scenario->card);
		rig_wait_for_tasks(scenario->rig);
	}
	check(scenario);
}

static void check_gamma(struct scenario *scenario, const struct output *output, const char *crtc,
	const uint16_t *ramp)
{
	size_t size;
	const struct drm_color_lut *table = fake_get_blob(scenario->card, crtc, "GAMMA_LUT", &size);
	const uint32_t n = output->gamma_size;
	assert_int_equal(size, ramp ? n * sizeof(*table) : 0);
	for (uint32_t i = 0; i < n && ramp; i++) {
		assert_int_equal(table[i].red, ramp[i]);
		assert_int_equal(table[i].green, ramp[n + i]);
		assert_int_equal(table[i].blue, ramp[2 * n + i]);
	}
}

static void check_matrix(struct scenario *scenario, const char *crtc, const double *matrix)
{
	size_t size;
	const struct drm_color_ctm *table = fake_get_blob(scenario->card, crtc, "CTM", &size);
	assert_int_equal(size, matrix ? sizeof(*table) : 0);
	for (int i = 0; i < 9 && matrix; i++) {
		const double magnitude = (double)(table->matrix[i] & INT64_MAX) / 4294967296.0;
		assert_true(matrix[i] == (table->matrix[i] >> 63 ? -magnitude : magnitude));
	}
}

static void check_wish(struct scenario *scenario, const struct rig_output *output)
{
	static const uint64_t contents[] = {0, 2, 3, 4};
	const struct output *base = output->output;
	const struct wish *wish = wish_of(scenario, output);
	const char *crtc = fake_crtc_of(scenario->card, base->name);
	const bool late = drm_card_has_quirk(
		drm_output_from_base(output->output)->card, DRM_QUIRK_CONTENT_MODESET);
	if (base->gamma_size) {
		check_gamma(scenario, base, crtc, wish->gamma ? ramps[wish->gamma] : NULL);
	}
	if (base->has_color_matrix) {
		check_matrix(scenario, crtc, wish->matrix ? matrices[wish->matrix] : NULL);
	}
	if (fake_has(scenario->card, crtc, "VRR_ENABLED")) {
		assert_int_equal(
			fake_get(scenario->card, crtc, "VRR_ENABLED") != 0, wish->variable);
	}
	if (base->has_content && !late) {
		assert_int_equal(fake_get(scenario->card, base->name, "content type"),
			contents[wish->content]);
	}
	assert_int_equal(base->bit_depth, wish->depth);
}

/* Shows a frame on each enabled output, which carries all that waits for one. */
static void show_all(struct scenario *scenario)
{
	for (uint32_t i = 0; i < scenario->kind->n; i++) {
		struct rig_output *output = rig_find(scenario->rig, scenario->kind->connectors[i]);
		struct event_frame frame;
		if (!output || !output->output->enabled) {
			continue;
		}
		event_frame_init(&frame, output, &scenario->random, NULL);
		const struct fake_counts before = fake_card_counts(scenario->card);
		assert_int_not_equal(output_commit(output->output, &frame.state), 0);
		scenario->accepted[output - scenario->rig->outputs]++;
		complete_pending(scenario);
		assert_true(output->present.presented);
		event_frame_check(&frame, output, scenario->card);
		const struct fake_counts after = fake_card_counts(scenario->card);
		assert_int_equal(after.clips - before.clips,
			after.async > before.async ? 0 : event_frame_count_clips(&frame));
		event_frame_finish(&frame);
		if (!scenario->unreliable) {
			check_wish(scenario, output);
		}
	}
}

/* Lets all that is under way end, on a card that accepts everything from now on. */
static void settle(struct scenario *scenario)
{
	fake_card_set_flips(scenario->card, FAKE_FLIPS_AT_ONCE);
	fake_card_set_modesets(scenario->card, FAKE_MODESETS_AT_ONCE);
	fake_card_fail(scenario->card, EINVAL, 0, false);
	fake_card_fail_framebuffers(scenario->card, 0);
	for (size_t i = 0; i < N_REFUSED; i++) {
		fake_card_refuse_property(scenario->card, refused[i], 0);
	}
	for (uint32_t i = 0; i < EVENT_FENCES; i++) {
		signal_fence(scenario, i);
	}
	if (scenario->unreliable) { /* EACCES counts as the end of the session's time */
		set_away(scenario, true);
		wait_for_tasks(scenario);
	}
	set_away(scenario, false);
	complete_pending(scenario);
	show_all(scenario);
	assert_true(audit(scenario->rig->backend) || scenario->unreliable);
}

static void finish_reliably(struct scenario *scenario)
{
	const char *const *connectors = scenario->kind->connectors;
	settle(scenario);
	end_lease(scenario);
	complete_pending(scenario);
	for (uint32_t i = 0; i < scenario->kind->n; i++) {
		fake_card_plug(scenario->card, connectors[i], i == 0 ? &screens[0] : NULL);
	}
	complete_pending(scenario);
	struct rig_output *output = rig_find(scenario->rig, connectors[0]);
	assert_non_null(output);
	assert_true(rig_enable(output));
	complete_pending(scenario);
	assert_int_equal(count_active(scenario->card), 1);
	show_all(scenario);
	assert_true(audit(scenario->rig->backend));
	assert_false(clock_advance_to_next(scenario->rig->clock));
	const struct gpu *gpu = output->output->gpu;
	fake_card_plug(scenario->card, connectors[0], NULL);
	rig_dispatch(scenario->rig);
	assert_int_equal(count_active(scenario->card), 0);
	assert_int_equal(drm_backend_clone_fd(scenario->rig->backend, gpu), -ENODEV);
	assert_false(clock_advance_to_next(scenario->rig->clock));
}

static void open_other(struct scenario *scenario)
{
	uint32_t handle, stride;
	uint64_t size;
	scenario->other_fd = open(fake_card_path(scenario->card), O_RDWR | O_CLOEXEC);
	assert_true(scenario->other_fd >= 0);
	assert_int_equal(
		drmModeCreateDumbBuffer(scenario->other_fd, 64, 64, 32, 0, &handle, &stride, &size),
		0);
	const uint32_t handles[4] = {handle}, strides[4] = {stride}, offsets[4] = {0};
	assert_int_equal(drmModeAddFB2(scenario->other_fd, 64, 64, DRM_FORMAT_XRGB8888, handles,
				 strides, offsets, &scenario->other_framebuffer, 0),
		0);
}

static void run(uint32_t seed, bool unreliable)
{
	struct scenario scenario = {
		.kind = &kinds[seed % N_KINDS],
		.card = fake_card_create(kinds[seed % N_KINDS].name),
		.random = seed * UINT32_C(2654435761),
		.unreliable = unreliable,
		.fences = {-1, -1, -1, -1},
		.lease_fd = -1,
	};
	fake_card_plug(scenario.card, scenario.kind->connectors[0], &screens[0]);
	scenario.old = draw(&scenario, 4) == 0;
	if (scenario.old) {
		fake_card_refuse_closefb(scenario.card);
	}
	if (draw(&scenario, 4) == 0) {
		fake_card_refuse_fences(scenario.card);
	}
	open_other(&scenario);
	scenario.rig = rig_create();
	for (int i = 0; i < N_STEPS; i++) {
		step(&scenario);
		check(&scenario);
		if (i % 50 == 25) {
			settle(&scenario);
		}
	}
	finish_reliably(&scenario);
	close(scenario.other_fd);
	rig_destroy(scenario.rig);
}

/* Plays all seeds, or those that EVENT_SEEDS=FIRST,LAST names. */
static void play(bool unreliable)
{
	const char *seeds = getenv("EVENT_SEEDS");
	uint32_t first = 1, last = N_SEEDS;
	if (seeds) {
		assert_int_equal(sscanf(seeds, "%u,%u", &first, &last), 2);
	}
	for (uint32_t seed = first; seed <= last; seed++) {
		print_message("seed %u%s\n", seed, unreliable ? " unreliable" : "");
		run(seed, unreliable);
	}
}

static void reliable_card_has_what_was_requested(void **state)
{
	play(false);
}

static void unreliable_card_recovers(void **state)
{
	play(true);
}

static int fill_ramps(void **state)
{
	for (int i = 1; i <= N_COLORS; i++) {
		for (int j = 0; j < 3 * GAMMA_MAX; j++) {
			ramps[i][j] = (uint16_t)(j * (i + 1) * 5 + i);
		}
	}
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reliable_card_has_what_was_requested),
		cmocka_unit_test(unreliable_card_recovers),
	};
	return cmocka_run_group_tests(tests, fill_ramps, NULL);
}
