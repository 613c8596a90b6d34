/* SPDX-License-Identifier: MIT */
/*
 * Output properties in the DRM backend: custom modes, bit depth, color matrix, content type,
 * tearing and atomic changes.
 */

#include "rig.h"
#include <drm_fourcc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <xf86drmMode.h>

#include <cmocka.h>

struct properties_world {
	struct fake_card *card;
	struct rig *rig;
	struct output *output;
	const char *connector;
};

static void begin(struct properties_world *world, const char *kind, const char *connector,
	const struct fake_screen *screen)
{
	*world = (struct properties_world){.card = fake_card_create(kind), .connector = connector};
	fake_card_plug(world->card, connector, screen);
	world->rig = rig_create();
	world->output = world->rig->outputs[0].output;
	assert_true(rig_enable(&world->rig->outputs[0]));
}

static bool set(struct properties_world *world, const struct output_state *state)
{
	return rig_set(&world->rig->outputs[0], state);
}

static bool set_mode(struct properties_world *world, int32_t width, int32_t height, int32_t refresh)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_MODE;
	state.mode = (struct output_mode){.width = width, .height = height, .refresh = refresh};
	return set(world, &state);
}

static drmModeModeInfo mode_of(struct properties_world *world)
{
	size_t size;
	const drmModeModeInfo *mode = fake_get_blob(
		world->card, fake_crtc_of(world->card, world->connector), "MODE_ID", &size);
	assert_int_equal(size, sizeof(*mode));
	return *mode;
}

/* CVT with reduced blanking. */
static void custom_mode_within_edid_range_is_set(void **state)
{
	struct properties_world world;
	begin(&world, "amdgpu", "DP-1", &fake_screen_plain);
	assert_true(world.output->custom_modes);
	assert_true(set_mode(&world, 1600, 900, 60000));
	drmModeModeInfo mode = mode_of(&world);
	assert_int_equal(mode.hdisplay, 1600);
	assert_int_equal(mode.htotal, 1760);
	assert_int_equal(mode.vdisplay, 900);
	assert_int_equal(mode.vtotal, 926);
	/* 1760 * 926 * 60 Hz, in kHz */
	assert_int_equal(mode.clock, 97786);
	assert_int_equal(world.output->mode.width, 1600);
	assert_int_not_equal(rig_show(world.rig, &world.rig->outputs[0], 0, -1), 0);
	rig_dispatch(world.rig);
	assert_in_range(world.rig->outputs[0].present.refresh, 16660000, 16670000);
	/* A width that CVT would round is kept. */
	assert_true(set_mode(&world, 1366, 768, 59500));
	assert_int_equal(mode_of(&world).hdisplay, 1366);
	assert_false(set_mode(&world, 1600, 900, 90000));
	assert_false(set_mode(&world, 1600, 900, 30000));
	assert_false(set_mode(&world, 1920, 1200, 76000));
	assert_int_equal(mode_of(&world).hdisplay, 1366);
	/* A mode of the list keeps the screen's own timing. */
	assert_true(set_mode(&world, 1280, 720, world.output->modes[1].refresh));
	assert_int_equal(mode_of(&world).htotal, 1440);
	rig_destroy(world.rig);
}

static bool set_enabled(struct properties_world *world, bool enabled)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	state.enabled = enabled;
	return set(world, &state);
}

/* The screen comes back on with the same timing, even if the driver lists other modes by then. */
static void mode_no_longer_listed_survives_disabling(void **state)
{
	struct fake_screen updated = fake_screen_plain;
	updated.min_hz = updated.max_hz = updated.max_clock = 0; /* no custom modes */
	struct properties_world world;
	begin(&world, "amdgpu", "DP-1", &updated);
	assert_true(set_mode(&world, 1280, 720, world.output->modes[1].refresh));
	drmModeModeInfo before = mode_of(&world), after;
	assert_int_equal(before.hdisplay, 1280);
	updated.modes[1] = updated.modes[2];
	fake_card_plug(world.card, "DP-1", &updated);
	rig_dispatch(world.rig);
	assert_ptr_equal(world.rig->outputs[0].output, world.output);
	assert_true(set_enabled(&world, false));
	assert_true(set_enabled(&world, true));
	after = mode_of(&world);
	assert_memory_equal(&before, &after, sizeof(before));
	rig_destroy(world.rig);
}

static bool set_depth(struct properties_world *world, int32_t bits)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_BIT_DEPTH;
	state.bit_depth = bits;
	return set(world, &state);
}

/* The driver's own default is restored. */
static void bit_depth_is_limited_by_link(void **state)
{
	struct properties_world world;
	begin(&world, "amdgpu", "DP-1", &fake_screen_gaming);
	assert_int_equal(world.output->max_bit_depth, 16);
	assert_true(set_depth(&world, 10));
	assert_int_equal(fake_get(world.card, "DP-1", "max bpc"), 10);
	assert_int_equal(world.output->bit_depth, 10);
	assert_true(set_depth(&world, 0));
	assert_int_equal(fake_get(world.card, "DP-1", "max bpc"), 8);
	/* 2560x1440 at 144 Hz: 14 Gbit/s with eight bits, 17 with ten. */
	fake_card_set_link(world.card, UINT64_C(15000000000));
	assert_false(set_depth(&world, 10));
	assert_true(set_depth(&world, 8));
	assert_int_equal(world.output->bit_depth, 8);
	assert_false(set_depth(&world, 17));
	rig_destroy(world.rig);
}

static bool set_matrix(struct properties_world *world, const double *matrix)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_COLOR_MATRIX;
	state.color_matrix = matrix;
	return output_commit(world->output, &state) != 0;
}

static const struct drm_color_ctm *matrix_of(struct properties_world *world)
{
	size_t size;
	return fake_get_blob(
		world->card, fake_crtc_of(world->card, world->connector), "CTM", &size);
}

/* The matrix is restored after a session switch. All blobs are freed. */
static void color_matrix_is_set_with_the_next_frame(void **state)
{
	static const double matrix[9] = {0.5, 0.25, 0, -0.25, 1, 0, 0, 0, 1.5};
	struct properties_world world;
	begin(&world, "amdgpu", "DP-1", &fake_screen_plain);
	struct rig_output *output = &world.rig->outputs[0];
	assert_int_not_equal(rig_show(world.rig, output, 0, -1), 0);
	rig_dispatch(world.rig);
	int blobs = fake_card_counts(world.card).blobs;
	assert_true(set_matrix(&world, matrix));
	assert_null(matrix_of(&world));
	assert_int_not_equal(rig_show(world.rig, output, 0, -1), 0);
	rig_dispatch(world.rig);
	const struct drm_color_ctm *table = matrix_of(&world);
	assert_non_null(table);
	assert_true(table->matrix[0] == UINT64_C(1) << 31);
	assert_true(table->matrix[3] == (UINT64_C(1) << 63 | UINT64_C(1) << 30));
	assert_true(table->matrix[8] == UINT64_C(3) << 31);

	fake_seat_set_active(false);
	rig_dispatch(world.rig);
	fake_set(world.card, "crtc-0", "CTM", 0);
	fake_seat_set_active(true);
	rig_dispatch(world.rig);
	assert_non_null(matrix_of(&world));
	fake_card_fail(world.card, 22, 1, true);
	assert_false(set_matrix(&world, matrix));
	assert_true(set_matrix(&world, NULL));
	assert_int_not_equal(rig_show(world.rig, output, 0, -1), 0);
	rig_dispatch(world.rig);
	assert_null(matrix_of(&world));
	assert_int_equal(fake_card_counts(world.card).blobs, blobs);
	rig_destroy(world.rig);

	begin(&world, "nvidia-drm", "DP-5", &fake_screen_plain);
	assert_false(world.output->has_color_matrix);
	assert_false(set_matrix(&world, matrix));
	rig_destroy(world.rig);
}

/* A modeset keeps the content type. */
static void content_type_is_set_on_hdmi_only(void **state)
{
	struct properties_world world;
	struct output_state wish;
	output_state_init(&wish);
	wish.fields = OUTPUT_CONTENT;
	wish.content = OUTPUT_CONTENT_GAME;
	begin(&world, "vc4", "HDMI-A-6", &fake_screen_plain);
	assert_true(world.output->has_content);
	assert_true(set(&world, &wish));
	assert_int_equal(fake_get(world.card, "HDMI-A-6", "content type"), 0);
	assert_int_not_equal(rig_show(world.rig, &world.rig->outputs[0], 0, -1), 0);
	rig_dispatch(world.rig);
	assert_int_equal(fake_get(world.card, "HDMI-A-6", "content type"), 4);
	fake_set(world.card, "HDMI-A-6", "content type", 0);
	assert_true(set_mode(&world, 1600, 900, 60000));
	assert_int_equal(fake_get(world.card, "HDMI-A-6", "content type"), 4);
	rig_destroy(world.rig);

	begin(&world, "amdgpu", "DP-1", &fake_screen_plain);
	assert_false(world.output->has_content);
	assert_false(set(&world, &wish));
	rig_destroy(world.rig);
}

/* On drivers where a new content type sets a mode, frames leave it as it is. */
static void content_type_changes_with_modesets(void **state)
{
	static const char *const cards[][2] = {{"amdgpu", "HDMI-A-1"}, {"i915", "HDMI-A-2"},
		{"i915-haswell", "HDMI-A-4"}, {"xe", "HDMI-A-8"}};
	for (int i = 0; i < 4; i++) {
		struct properties_world world;
		struct output_state wish;
		output_state_init(&wish);
		wish.fields = OUTPUT_CONTENT;
		wish.content = OUTPUT_CONTENT_GAME;
		begin(&world, cards[i][0], cards[i][1], &fake_screen_plain);
		uint64_t modesets = fake_card_counts(world.card).modesets;
		assert_true(set(&world, &wish));
		assert_int_not_equal(rig_show(world.rig, &world.rig->outputs[0], 0, -1), 0);
		rig_dispatch(world.rig);
		assert_true(world.rig->outputs[0].present.presented);
		assert_int_equal(fake_get(world.card, cards[i][1], "content type"), 0);
		assert_int_equal(fake_card_counts(world.card).modesets, modesets);
		assert_true(set_mode(&world, 1280, 720, 60000));
		assert_int_equal(fake_get(world.card, cards[i][1], "content type"), 4);
		assert_int_equal(fake_card_counts(world.card).refused, 0);
		rig_destroy(world.rig);
	}
}

static const struct {
	const char *name;
	uint64_t left, reset;
} left_properties[] = {{"Colorspace", 9, 0}, {"Broadcast RGB", 2, 0}, {"scaling mode", 1, 0},
	{"underscan", 1, 0}, {"aspect ratio", 1, 0}, {"Content Protection", 1, 0},
	{"HDCP Content Type", 1, 0}};
#define N_LEFT (sizeof(left_properties) / sizeof(left_properties[0]))

static void leave_properties(struct fake_card *card, const char *connector)
{
	for (size_t i = 0; i < N_LEFT; i++) {
		fake_set(card, connector, left_properties[i].name, left_properties[i].left);
	}
	fake_set_blob(card, connector, "HDR_OUTPUT_METADATA", "metadata", 8);
}

static void check_reset(struct fake_card *card, const char *connector, uint64_t scaling)
{
	size_t size;
	for (size_t i = 0; i < N_LEFT; i++) {
		uint64_t reset = strcmp(left_properties[i].name, "scaling mode") == 0
					 ? scaling
					 : left_properties[i].reset;
		assert_int_equal(fake_get(card, connector, left_properties[i].name), reset);
	}
	assert_null(fake_get_blob(card, connector, "HDR_OUTPUT_METADATA", &size));
}

/* An HDR session before this one, and one on another virtual terminal. */
static void properties_of_another_master_are_reset(void **state)
{
	static const struct {
		const char *kind, *connector;
		uint64_t scaling; /* 3: Full aspect */
	} cards[] = {{"amdgpu", "DP-1", 0}, {"i915", "eDP-1", 3}};
	for (int i = 0; i < 2; i++) {
		struct properties_world world = {.card = fake_card_create(cards[i].kind)};
		fake_card_plug(world.card, cards[i].connector, &fake_screen_plain);
		leave_properties(world.card, cards[i].connector);
		world.rig = rig_create();
		assert_true(rig_enable(&world.rig->outputs[0]));
		check_reset(world.card, cards[i].connector, cards[i].scaling);
		fake_seat_set_active(false);
		rig_dispatch(world.rig);
		leave_properties(world.card, cards[i].connector);
		fake_seat_set_active(true);
		rig_dispatch(world.rig);
		check_reset(world.card, cards[i].connector, cards[i].scaling);
		rig_destroy(world.rig);
	}
}

/* A property keeps its value if the driver has no value to reset it to; the others are reset. */
static void property_without_the_neutral_value_is_kept(void **state)
{
	struct properties_world world = {.card = fake_card_create("amdgpu")};
	fake_card_drop_value(world.card, "Colorspace", "Default");
	fake_card_plug(world.card, "DP-1", &fake_screen_plain);
	leave_properties(world.card, "DP-1");
	world.rig = rig_create();
	assert_true(rig_enable(&world.rig->outputs[0]));
	assert_int_equal(fake_get(world.card, "DP-1", "Colorspace"), 9);
	assert_int_equal(fake_get(world.card, "DP-1", "Broadcast RGB"), 0);
	assert_int_equal(fake_get(world.card, "DP-1", "underscan"), 0);
	rig_destroy(world.rig);
}

#define ONE (UINT64_C(1) << 32)

static const struct {
	const char *kind, *connector, *object, *name;
	uint64_t left, reset;
} left_colors[] = {
	{"rockchip", "HDMI-A-5", "crtc-0", "BACKGROUND_COLOR", 1, UINT64_C(0xffff000000000000)},
	{"i915", "DP-4", "crtc-0", "SCALING_FILTER", 1, 0},
	{"i915", "DP-4", "crtc-0", "SHARPNESS_STRENGTH", 80, 0},
	{"i915", "DP-4", "plane-0", "SCALING_FILTER", 1, 0},
	{"i915", "DP-4", "plane-1", "SCALING_FILTER", 1, 0},
	{"amdgpu", "DP-1", "crtc-0", "AMD_CRTC_REGAMMA_TF", 2, 0},
	{"amdgpu", "DP-1", "plane-0", "AMD_PLANE_BLEND_TF", 2, 0},
	{"amdgpu", "DP-1", "plane-1", "AMD_PLANE_HDR_MULT", 7, ONE},
	{"nvidia-drm", "DP-5", "crtc-0", "NV_CRTC_REGAMMA_TF", 2, 0},
	{"nvidia-drm", "DP-5", "crtc-0", "NV_CRTC_REGAMMA_DIVISOR", 5, ONE},
	{"nvidia-drm", "DP-5", "plane-0", "NV_INPUT_COLORSPACE", 2, 0},
};

/* Also those of planes that are off. */
static void colors_and_filters_of_another_master_are_reset(void **state)
{
	for (size_t i = 0; i < sizeof(left_colors) / sizeof(left_colors[0]); i++) {
		const char *object = left_colors[i].object, *name = left_colors[i].name;
		struct properties_world world = {.card = fake_card_create(left_colors[i].kind)};
		fake_card_plug(world.card, left_colors[i].connector, &fake_screen_plain);
		fake_set(world.card, object, name, left_colors[i].left);
		world.rig = rig_create();
		assert_true(rig_enable(&world.rig->outputs[0]));
		assert_string_equal(fake_crtc_of(world.card, left_colors[i].connector), "crtc-0");
		assert_int_equal(fake_get(world.card, object, name), left_colors[i].reset);
		rig_destroy(world.rig);
	}
}

static void color_tables_of_another_master_are_reset(void **state)
{
	static const char *const tables[][3] = {{"nvidia-drm", "DP-5", "NV_HDR_STATIC_METADATA"},
		{"amdgpu", "DP-1", "AMD_PLANE_LUT3D"}};
	for (int i = 0; i < 2; i++) {
		struct properties_world world = {.card = fake_card_create(tables[i][0])};
		size_t size;
		fake_card_plug(world.card, tables[i][1], &fake_screen_plain);
		fake_set_blob(world.card, "plane-0", tables[i][2], "metadata", 8);
		world.rig = rig_create();
		assert_true(rig_enable(&world.rig->outputs[0]));
		assert_null(fake_get_blob(world.card, "plane-0", tables[i][2], &size));
		rig_destroy(world.rig);
	}
}

/*
 * A session with colour management has left a pipeline on the planes. amdgpu applies it also for
 * programs that cannot see the property.
 */
static void pipelines_of_another_master_are_reset(void **state)
{
	struct properties_world world = {.card = fake_card_create("amdgpu")};
	fake_card_plug(world.card, "DP-1", &fake_screen_plain);
	fake_set(world.card, "plane-0", "COLOR_PIPELINE", 258);
	fake_set(world.card, "plane-4", "COLOR_PIPELINE", 258);
	world.rig = rig_create();
	struct rig_output *output = &world.rig->outputs[0];
	assert_true(rig_enable(output));
	assert_int_not_equal(rig_show(world.rig, output, 1, -1), 0);
	rig_dispatch(world.rig);
	assert_true(output->present.presented);
	assert_int_equal(fake_get(world.card, "plane-0", "COLOR_PIPELINE"), 0);
	assert_int_equal(fake_get(world.card, "plane-4", "COLOR_PIPELINE"), 0);
	fake_seat_set_active(false);
	rig_dispatch(world.rig);
	fake_set(world.card, fake_primary_of(world.card, "DP-1"), "COLOR_PIPELINE", 258);
	fake_seat_set_active(true);
	rig_dispatch(world.rig);
	assert_int_equal(
		fake_get(world.card, fake_primary_of(world.card, "DP-1"), "COLOR_PIPELINE"), 0);
	/* YUV still finds the properties that the capability hides. */
	assert_true(fake_has(world.card, "plane-1", "COLOR_ENCODING"));
	assert_int_not_equal(rig_show(world.rig, output, 2, -1), 0);
	rig_dispatch(world.rig);
	assert_true(output->present.presented);
	assert_int_equal(fake_card_counts(world.card).refused, 0);
	rig_destroy(world.rig);
}

struct tear {
	struct buffer *buffers[2], *cursor;
	int next;
};

/*
 * Commits a frame with OUTPUT_TEARING and a cursor at `x`, or without a cursor if `x` is negative.
 */
static void show_torn(struct properties_world *world, struct tear *tear, int x)
{
	struct output_state state;
	output_state_init(&state);
	rig_fill_state(&state, world->output, tear->buffers[tear->next ^= 1]);
	state.fields |= OUTPUT_TEARING;
	if (x >= 0) {
		const struct plane *plane = world->output->planes[world->output->n_planes - 1];
		struct plane_state *cursor = output_state_add_plane(&state, plane);
		cursor->buffer = tear->cursor;
		cursor->src = (struct fbox){0, 0, 64, 64};
		cursor->dst = (struct box){x, 0, 64, 64};
	}
	assert_true(output_test(world->output, &state));
	assert_int_not_equal(output_commit(world->output, &state), 0);
	rig_dispatch(world->rig);
	assert_true(world->rig->outputs[0].present.presented);
}

static void begin_tear(struct properties_world *world, struct tear *tear)
{
	const struct output_mode *mode = &world->output->mode;
	*tear = (struct tear){0};
	for (int i = 0; i < 2; i++) {
		tear->buffers[i] = rig_buffer(world->rig, world->output, mode->width, mode->height,
			DRM_FORMAT_XRGB8888, 0);
	}
	tear->cursor =
		rig_buffer(world->rig, world->output, 64, 64, DRM_FORMAT_ARGB8888, 0x80808080);
}

static void end_tear(struct tear *tear)
{
	buffer_drop(tear->buffers[0]);
	buffer_drop(tear->buffers[1]);
	buffer_drop(tear->cursor);
}

/*
 * The kernel requires that only the primary plane's buffer changes; other frames wait for the
 * vblank.
 */
static void tearing_flip_changes_primary_buffer_only(void **state)
{
	static const char *const kinds[][2] = {
		{"amdgpu", "DP-1"}, {"i915", "eDP-1"}, {"i915-haswell", "eDP-2"}};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct properties_world world;
		struct tear tear;
		begin(&world, kinds[i][0], kinds[i][1], &fake_screen_plain);
		begin_tear(&world, &tear);
		show_torn(&world, &tear,
			-1); /* replaces the modeset's black: not a buffer change only */
		assert_int_equal(fake_card_counts(world.card).async, 0);
		show_torn(&world, &tear, -1);
		assert_int_equal(fake_card_counts(world.card).async, 1);
		assert_false(world.rig->outputs[0].present.flags & PRESENT_VSYNC);
		show_torn(&world, &tear, 10);
		assert_int_equal(fake_card_counts(world.card).async, 1);
		assert_true(world.rig->outputs[0].present.flags & PRESENT_VSYNC);
		show_torn(&world, &tear, 10);
		assert_int_equal(fake_card_counts(world.card).async, 2);
		show_torn(&world, &tear, 11);
		assert_int_equal(fake_card_counts(world.card).async, 2);
		/* A disabled cursor plane leaves no state in later requests. */
		show_torn(&world, &tear, -1);
		assert_int_equal(fake_card_counts(world.card).async, 2);
		show_torn(&world, &tear, -1);
		assert_int_equal(fake_card_counts(world.card).async, 3);
		show_torn(&world, &tear, 11);
		/* A refused asynchronous flip is repeated with vblank. */
		fake_card_fail(world.card, 22, 1, false);
		show_torn(&world, &tear, 11);
		assert_int_equal(fake_card_counts(world.card).async, 3);
		end_tear(&tear);
		rig_destroy(world.rig);
	}
}

static void tearing_is_refused_without_async_flips(void **state)
{
	struct properties_world world;
	struct tear tear;
	begin(&world, "nvidia-drm", "DP-5", &fake_screen_plain);
	begin_tear(&world, &tear);
	struct output_state wish;
	output_state_init(&wish);
	rig_fill_state(&wish, world.output, tear.buffers[0]);
	assert_true(output_test(world.output, &wish));
	wish.fields |= OUTPUT_TEARING;
	assert_false(output_test(world.output, &wish));
	end_tear(&tear);
	rig_destroy(world.rig);
}

static void several_outputs_change_in_one_commit_or_not_at_all(void **state)
{
	struct fake_card *card = fake_card_create("amdgpu");
	fake_card_plug(card, "DP-1", &fake_screen_plain);
	fake_card_plug(card, "DP-2", &fake_screen_gaming);
	struct fake_card *other = fake_card_create("i915");
	fake_card_plug(other, "eDP-1", &fake_screen_plain);
	struct rig *rig = rig_create();
	assert_int_equal(rig->n_outputs, 3);
	struct output_state states[3];
	struct output_change changes[3];
	for (int i = 0; i < 3; i++) {
		output_state_init(&states[i]);
		states[i].fields = OUTPUT_ENABLED | OUTPUT_MODE;
		states[i].enabled = true;
		states[i].mode = rig->outputs[i].output->modes[0];
		changes[i] = (struct output_change){rig->outputs[i].output, &states[i]};
	}
	/* Enough for either output alone. */
	fake_card_set_bandwidth(card, UINT64_C(2560) * 1440 * 4 * 144);
	for (int i = 0; i < 3; i++) {
		assert_true(output_test(changes[i].output, changes[i].state));
	}
	assert_false(outputs_test(changes, 3));
	assert_false(outputs_commit(changes, 2));
	assert_false(rig->outputs[0].output->enabled);
	assert_string_equal(fake_crtc_of(card, "DP-1"), "none");
	fake_card_set_bandwidth(card, 0);
	assert_true(outputs_test(changes, 3));
	uint64_t tests = fake_card_counts(card).tests;
	assert_true(outputs_commit(changes, 3));
	assert_int_equal(fake_card_counts(card).tests, tests);
	assert_int_equal(fake_card_counts(card).modesets, 1);
	assert_int_equal(fake_card_counts(other).modesets, 1);
	for (int i = 0; i < 3; i++) {
		assert_true(rig->outputs[i].output->enabled);
		assert_int_not_equal(rig_show(rig, &rig->outputs[i], 0, -1), 0);
	}
	rig_dispatch(rig);
	/* After a session switch, one commit enables both, or one for each if it is refused. */
	for (int i = 0; i < 2; i++) {
		uint64_t commits = fake_card_counts(card).commits;
		fake_seat_set_active(false);
		rig_dispatch(rig);
		/* The blocking retry is refused too. */
		fake_card_fail(card, 22, 2 * i, false);
		fake_seat_set_active(true);
		rig_dispatch(rig);
		assert_int_equal(fake_card_counts(card).commits, commits + (i ? 2 : 1));
		assert_true(rig->outputs[0].output->enabled && rig->outputs[1].output->enabled);
	}
	rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(custom_mode_within_edid_range_is_set),
		cmocka_unit_test(mode_no_longer_listed_survives_disabling),
		cmocka_unit_test(bit_depth_is_limited_by_link),
		cmocka_unit_test(color_matrix_is_set_with_the_next_frame),
		cmocka_unit_test(content_type_is_set_on_hdmi_only),
		cmocka_unit_test(content_type_changes_with_modesets),
		cmocka_unit_test(properties_of_another_master_are_reset),
		cmocka_unit_test(property_without_the_neutral_value_is_kept),
		cmocka_unit_test(pipelines_of_another_master_are_reset),
		cmocka_unit_test(colors_and_filters_of_another_master_are_reset),
		cmocka_unit_test(color_tables_of_another_master_are_reset),
		cmocka_unit_test(tearing_flip_changes_primary_buffer_only),
		cmocka_unit_test(tearing_is_refused_without_async_flips),
		cmocka_unit_test(several_outputs_change_in_one_commit_or_not_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
