/* SPDX-License-Identifier: MIT */
/* Plane assignment: choice of planes, atomic tests, and back-off after refusals. */

#include "buffer/allocator.h"
#include "harness/plane_world.h"
#include <string.h>

static bool judge_no(struct plane_world *world, const struct output_state *state)
{
	return false;
}

static bool judge_limit(struct plane_world *world, const struct output_state *state)
{
	return state->n_planes <= world->limit;
}

/* --- A fullscreen buffer on the primary plane. --- */

struct fullscreen_case {
	const char *what;
	void (*spoil)(struct plane_world *world);
	bool (*judge)(struct plane_world *world, const struct output_state *state);
	enum route_reason reason; /* REASON_BEST: the plane is assigned */
	int asked; /* atomic tests */
};

static void spoil_nothing(struct plane_world *world)
{
}

static void spoil_alpha(struct plane_world *world)
{
	world->layers[0].alpha = 0.5f;
}

static void spoil_opaque(struct plane_world *world)
{
	world->layers[0].opaque = false;
	world->layers[0].color[3] = 0.5;
}

static void spoil_position(struct plane_world *world)
{
	world->layers[0].box.x = 1;
}

static void spoil_home(struct plane_world *world)
{
	world->layers[0].movable = false;
}

static void spoil_format(struct plane_world *world)
{
	world->layers[0].buffer->format = DRM_FORMAT_RGB565;
}

/* The plane supports only the opaque variant of the format. */
static void spoil_alpha_format(struct plane_world *world)
{
	struct format_set *formats = &world->planes[0].formats;
	format_set_finish(formats);
	format_set_add(formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	world->layers[0].buffer->format = DRM_FORMAT_ARGB8888;
}

/* The backend can reinterpret the buffer as the opaque variant. */
static void spoil_alpha_only(struct plane_world *world)
{
	spoil_alpha_format(world);
	world->planes[0].takes_opaque = true;
}

static void spoil_size(struct plane_world *world)
{
	buffer_drop(world->layers[0].buffer);
	world->layers[0].buffer = memory_buffer_create(WIDTH / 2, HEIGHT / 2, DRM_FORMAT_XRGB8888);
}

static void spoil_company(struct plane_world *world)
{
	world_add_layer(world, 2, 2, 4, 4);
	struct layer window = world->layers[1];
	world->layers[1] = world->layers[0];
	world->layers[0] = window;
}

static void fullscreen_buffer_is_scanned_out_if_suitable(void **state)
{
	static const struct fullscreen_case table[] = {
		{"suitable", spoil_nothing, world_judge_yes, REASON_BEST, 1},
		{"the driver refuses", spoil_nothing, judge_no, REASON_REFUSED, 1},
		{"alpha", spoil_alpha, world_judge_yes, REASON_TRANSLUCENT, 0},
		{"translucent pixels", spoil_opaque, world_judge_yes, REASON_TRANSLUCENT, 0},
		{"position", spoil_position, world_judge_yes, REASON_NOT_FULL, 0},
		{"a buffer of another GPU", spoil_home, world_judge_yes, REASON_FOREIGN, 0},
		{"format", spoil_format, world_judge_yes, REASON_PLANE_FORMAT, 0},
		{"alpha that the plane lacks", spoil_alpha_format, world_judge_yes,
			REASON_PLANE_FORMAT, 0},
		{"alpha that does not matter", spoil_alpha_only, world_judge_yes, REASON_BEST, 1},
		{"scaled by the plane", spoil_size, world_judge_yes, REASON_BEST, 1},
		{"the plane cannot scale", spoil_size, judge_no, REASON_TRANSFORM, 1},
		{"a window over it", spoil_company, world_judge_yes, REASON_NOT_ALONE, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct plane_world world;
		world_begin(&world);
		world_add_plane(&world, PLANE_PRIMARY, 0, 0);
		world_add_layer(&world, 0, 0, WIDTH, HEIGHT);
		world.judge = table[i].judge;
		table[i].spoil(&world);
		world_assign(&world);
		const struct assign_entry *entry = &world.entries[world.n_layers - 1];
		if (world.covered != (table[i].reason == REASON_BEST) ||
			entry->reason != table[i].reason || world.asked != table[i].asked) {
			fail_msg("%s: covered %d, reason %s, asked %d times", table[i].what,
				world.covered, route_reason_text(entry->reason), world.asked);
		}
		assert_int_equal(entry->place, world.covered ? PLACE_PRIMARY : PLACE_COMPOSED);
		world_expect_composition(&world, table[i].what);
		world_end(&world);
	}
}

/* --- Overlays, underlays and cursors. --- */

/* A window that must be composed, and a video above its middle. */
static void begin_video(struct plane_world *world)
{
	world_begin(world);
	world_add_plane(world, PLANE_PRIMARY, 1, 1);
	world_add_layer(world, 4, 4, 12, 8); /* the video */
	struct layer *window = world_add_layer(world, 2, 2, 16, 12);
	window->movable = window->busy = false;
}

static void insert_on_top(
	struct plane_world *world, int x, int y, int width, int height, bool movable)
{
	struct layer *top = world_add_layer(world, x, y, width, height);
	struct layer added = *top;
	memmove(&world->layers[1], &world->layers[0],
		(size_t)(world->n_layers - 1) * sizeof(struct layer));
	added.movable = movable;
	world->layers[0] = added;
}

static void busy_video_gets_an_overlay(void **state)
{
	struct plane_world world;
	begin_video(&world);
	const struct plane *over = world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	world_assign(&world);
	assert_false(world.covered);
	assert_ptr_equal(world.entries[0].plane, over);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	assert_int_equal(world.entries[1].reason, REASON_FOREIGN);
	assert_int_equal(world.asked, 1);
	world_expect_composition(&world, "a video on an overlay");

	/* New buffers of the same format and changes below need no atomic test. */
	world_assign(&world);
	assert_int_equal(world.asked, 0);
	assert_ptr_equal(world.entries[0].plane, over);
	world.layers[1].box.width++;
	world_assign_anew(&world);
	assert_int_equal(world.asked, 0);
	assert_ptr_equal(world.entries[0].plane, over);

	/* Planes support some codings only. */
	world.layers[0].coding = (struct color_coding){COLOR_MATRIX_BT2020, 0};
	world_assign(&world);
	assert_int_equal(world.asked, 1);
	world_assign(&world);
	assert_int_equal(world.asked, 0);

	/* A moved plane needs a test. */
	world.layers[0].box.x++;
	world_assign_anew(&world);
	assert_int_equal(world.asked, 1);
	world_expect_composition(&world, "a video that moves");

	/* Quiet content keeps no busy_video_gets_an_overlay. */
	world.layers[0].busy = false;
	world_assign(&world);
	assert_int_equal(world.entries[0].reason, REASON_QUIET);
	world_end(&world);
}

static const uint64_t layouts[] = {I915_FORMAT_MOD_X_TILED, DRM_FORMAT_MOD_LINEAR};

static void change_modifier(struct dmabuf *dmabuf, int i)
{
	dmabuf->modifier = layouts[i % 2];
}

static void change_stride(struct dmabuf *dmabuf, int i)
{
	dmabuf->stride[0] += 256;
}

/* As of planes of chroma, or of compression. */
static void change_second_plane(struct dmabuf *dmabuf, int i)
{
	dmabuf->n_planes = 2;
	dmabuf->fd[1] = -1;
	dmabuf->stride[1] += 256;
}

static void change_offset(struct dmabuf *dmabuf, int i)
{
	dmabuf->offset[0] += 4096;
}

/* Clients may take other buffers at any time, with the same size and format. */
static void next_buffer_of_another_layout_is_tested(void **state)
{
	static const struct {
		void (*change)(struct dmabuf *dmabuf, int i);
		int asked;
	} cases[] = {
		{change_modifier, 1}, {change_stride, 1}, {change_second_plane, 1},
		{change_offset, 0}, /* as of buffers in one memory */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct plane_world world;
		begin_video(&world);
		struct plane *over = world_add_plane(&world, PLANE_OVERLAY, 2, 2);
		format_set_add(&over->formats, DRM_FORMAT_XRGB8888, layouts[0]);
		world_assign(&world);
		world_assign(&world);
		assert_int_equal(world.asked, 0);
		for (int n = 0; n < 3; n++) {
			struct buffer *buffer = world.layers[0].buffer;
			cases[i].change((struct dmabuf *)buffer_dmabuf(buffer), n);
			world_assign(&world);
			assert_int_equal(world.asked, cases[i].asked);
			assert_ptr_equal(world.entries[0].plane, over);
			world_assign(&world);
			assert_int_equal(world.asked, 0);
		}
		/* The driver refuses the layout. */
		world.judge = judge_no;
		cases[i].change((struct dmabuf *)buffer_dmabuf(world.layers[0].buffer), 3);
		world_assign(&world);
		assert_int_equal(
			world.entries[0].place, cases[i].asked ? PLACE_COMPOSED : PLACE_OVER);
		world_end(&world);
	}
}

/* A composed window is moved over the video and away. */
static void occluded_overlay_returns_after_a_backoff(void **state)
{
	struct plane_world world;
	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	world_assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	insert_on_top(&world, 6, 6, 4, 4, false);
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	world_expect_composition(&world, "a window over the video");

	/* The plane returns after a back-off, so that dragging a window causes no flicker. */
	world.layers[0].box.x = 18;
	world.layers[0].box.y = 0;
	world.now += 10 * MS;
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_LATER);
	world.now += 300 * MS;
	world_assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);

	/* The second time within a short time, the back-off is longer. */
	world.layers[0].box = (struct box){6, 6, 4, 4};
	world_assign_anew(&world);
	world.layers[0].box.x = 20;
	world.now += 300 * MS;
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	world.now += 300 * MS;
	world_assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	world_expect_composition(&world, "a window beside the video");

	/* After seconds on its plane, it starts over, whatever other windows do. */
	for (int i = 0; i < 10; i++) {
		world.now += 300 * MS;
		world_assign_anew(&world);
	}
	world.layers[0].box = (struct box){6, 6, 4, 4};
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	world.layers[0].box.x = 20;
	world.now += 300 * MS;
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	world_end(&world);
}

static void opaque_video_goes_under_translucent_controls(void **state)
{
	struct plane_world world;
	begin_video(&world);
	const struct plane *under = world_add_plane(&world, PLANE_OVERLAY, 0, 0);
	insert_on_top(&world, 6, 6, 4, 4, false);
	world.layers[0].opaque = false;
	world.layers[0].color[3] = 0.5;
	world_assign(&world);
	assert_int_equal(world.entries[1].place, PLACE_UNDER);
	assert_ptr_equal(world.entries[1].plane, under);
	world_expect_composition(&world, "a video under its controls");

	/*
	 * Without alpha in the composed buffer, as after a change of its format, it would be
	 * hidden.
	 */
	buffer_drop(world.composed);
	world.composed = NULL;
	world.composed_alpha = false;
	world_assign(&world);
	assert_int_not_equal(world.entries[1].place, PLACE_UNDER);
	world_expect_composition(&world, "a video under an opaque buffer");
	buffer_drop(world.composed);
	world.composed = NULL;
	world.composed_alpha = true;

	/* A translucent surface cannot be an underlay. */
	world.layers[1].opaque = false;
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	world_end(&world);

	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 0, 0);
	world.composed_alpha = false;
	world_assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[0].reason, REASON_NO_PLANE);
	assert_int_equal(world.asked, 0);
	world_end(&world);
}

/* The primary plane is moved up to make room for an underlay. */
static void primary_plane_moves_above_underlays(void **state)
{
	struct plane_world world;
	world_begin(&world);
	world_add_plane(&world, PLANE_PRIMARY, 0, 3);
	world_add_plane(&world, PLANE_OVERLAY, 0, 3);
	world_add_plane(&world, PLANE_OVERLAY, 0, 3);
	insert_on_top(&world, 2, 2, 16, 12, false);
	insert_on_top(&world, 4, 4, 10, 8, true);
	insert_on_top(&world, 6, 6, 3, 3, false);
	insert_on_top(&world, 10, 6, 4, 4, true);
	world_assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	assert_int_equal(world.entries[2].place, PLACE_UNDER);
	assert_int_equal(world.entries[2].zpos, 0);
	assert_int_equal(world.request.state.planes[0].state.zpos, 1);
	assert_int_equal(world.entries[0].zpos, 2);
	world_expect_composition(&world, "one over and one under");
	world_end(&world);
}

static void cursor_plane_moves_without_tests(void **state)
{
	struct plane_world world;
	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	const struct plane *plane = world_add_plane(&world, PLANE_CURSOR, 3, 3);
	insert_on_top(&world, 8, 6, 4, 4, true);
	world.layers[0].cursor = true;
	world.layers[0].busy = false;
	world.layers[0].opaque = false;
	world_assign(&world);
	assert_ptr_equal(world.entries[0].plane, plane);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	for (int i = 0; i < 12; i++) {
		world.layers[0].box.x = i - 2;
		world.layers[0].box.y = 14 - i;
		world_assign(&world);
		assert_int_equal(world.asked, 0);
		world_expect_composition(&world, "a cursor that moves");
	}

	/* If the driver supports only two planes, the video is composed. */
	world.limit = 2;
	world.judge = judge_limit;
	assign_forget(&world.cache, world.now);
	world.now += 300 * MS;
	world_assign(&world);
	assert_ptr_equal(world.entries[0].plane, plane);
	assert_int_equal(world.entries[1].place, PLACE_COMPOSED);
	assert_int_equal(world.entries[1].reason, REASON_REFUSED);
	world_end(&world);
}

/*
 * A cursor that no plane takes moves without a new list of the scene: videos below it leave their
 * overlays, and return once it is away.
 */
static void composed_cursor_is_visible_above_overlays(void **state)
{
	for (int i = 0; i < 4; i++) {
		struct plane_world world;
		bool has_plane = i & 1, movable = i & 2;
		begin_video(&world);
		world_add_plane(&world, PLANE_OVERLAY, 2, 2);
		if (has_plane) {
			format_set_finish(&world_add_plane(&world, PLANE_CURSOR, 3, 3)->formats);
		}
		insert_on_top(&world, 20, 12, 3, 3, movable);
		world.layers[0].cursor = true;
		world.layers[0].busy = false;
		world_assign(&world);
		assert_int_equal(world.entries[0].place, PLACE_COMPOSED);
		assert_int_equal(world.entries[1].place, PLACE_OVER);
		for (int step = 0; step < 16; step++) {
			world.layers[0].box.x = 20 - step;
			world.layers[0].box.y = step < 8 ? 12 - step : step - 4;
			world.now += 17 * MS;
			world_assign(&world);
			assert_null(world.entries[0].plane);
			world_expect_composition(&world, "a composed cursor that moves");
		}
		world.layers[0].box = (struct box){20, 12, 3, 3};
		world.now += 20000 * MS;
		world_assign(&world);
		assert_int_equal(world.entries[1].place, PLACE_OVER);
		world_end(&world);
	}
}

/* A fullscreen game with the cursor above it needs no composition. */
static void cursor_plane_keeps_fullscreen_scan_out(void **state)
{
	struct plane_world world;
	world_begin(&world);
	world_add_plane(&world, PLANE_PRIMARY, 0, 0);
	world_add_plane(&world, PLANE_CURSOR, 1, 1);
	world_add_layer(&world, 8, 6, 4, 4)->cursor = true;
	world_add_layer(&world, 0, 0, WIDTH, HEIGHT);
	world_assign(&world);
	assert_true(world.covered);
	assert_int_equal(world.request.state.n_planes, 2);
	world_expect_composition(&world, "a cursor over a game");
	world.layers[0].movable = false;
	world_assign_anew(&world);
	assert_false(world.covered);
	assert_int_equal(world.entries[1].reason, REASON_NOT_ALONE);
	world_end(&world);
}

/* Of two candidates for one plane, the larger one gets it and keeps it. */
static void scarce_plane_goes_to_the_larger_and_stays(void **state)
{
	struct plane_world world;
	world_begin(&world);
	world_add_plane(&world, PLANE_PRIMARY, 0, 0);
	world_add_plane(&world, PLANE_OVERLAY, 1, 1);
	world_add_layer(&world, 0, 0, 6, 6);
	world_add_layer(&world, 8, 8, 8, 8);
	world_assign(&world);
	assert_int_equal(world.entries[0].reason, REASON_NO_PLANE);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	world.layers[0].box = (struct box){0, 0, 8, 9};
	world_assign_anew(&world);
	assert_int_equal(world.entries[1].place, PLACE_OVER);
	world_end(&world);
}

/* Calls to assign_takes_format(), which every search makes for each plane that it considers. */
static int n_considered;

bool __real_assign_takes_format(const struct plane *plane, const struct assign_entry *entry);
bool __wrap_assign_takes_format(const struct plane *plane, const struct assign_entry *entry);

bool __wrap_assign_takes_format(const struct plane *plane, const struct assign_entry *entry)
{
	n_considered++;
	return __real_assign_takes_format(plane, entry);
}

/* New buffers in the same places are shown without a search, also after an expired back-off. */
static void unchanged_scene_is_not_searched_again(void **state)
{
	struct plane_world world;
	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	for (int i = 0; i < 2; i++) {
		world_assign(&world);
		assert_int_equal(world.entries[0].place, PLACE_OVER);
		n_considered = 0;
		world.now += 17 * MS;
		world_assign(&world);
		assert_int_equal(world.entries[0].place, PLACE_OVER);
		assert_int_equal(n_considered, 0);
		if (i == 0) {
			assign_forget(&world.cache, world.now);
			world_assign(&world);
			assert_int_equal(world.entries[0].place, PLACE_COMPOSED);
			world.now += 300 * MS;
		}
	}
	world_end(&world);
}

/* The test passed and the frame was refused: the driver is asked again, after the back-off. */
static void planes_of_a_refused_frame_are_tested_again(void **state)
{
	struct plane_world world;
	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	world_assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	assign_forget(&world.cache, world.now);
	world_assign(&world);
	assert_int_equal(world.asked, 0);
	assert_int_equal(world.entries[0].reason, REASON_REFUSED);
	world.now += 300 * MS;
	world.judge = judge_no;
	world_assign(&world);
	assert_int_equal(world.asked, 1);
	assert_int_equal(world.entries[0].place, PLACE_COMPOSED);
	world_end(&world);
}

/* Refused assignments are retried at growing intervals. */
static void refused_assignments_are_retried_ever_later(void **state)
{
	struct plane_world world;
	begin_video(&world);
	world_add_plane(&world, PLANE_OVERLAY, 2, 2);
	world.judge = judge_no;
	int asked = 0;
	for (int i = 0; i < 40 * 60; i++) {
		/* A window is dragged for forty seconds. */
		world.layers[1].box.x ^= 1;
		world.now += 17 * MS;
		world_assign_anew(&world);
		asked += world.asked;
		assert_int_equal(world.entries[0].reason, REASON_REFUSED);
	}
	assert_in_range(asked, 8, 11);
	world.judge = world_judge_yes;
	world.now += 9000 * MS;
	world_assign(&world);
	assert_int_equal(world.entries[0].place, PLACE_OVER);
	world_end(&world);
}

/* A driver that refuses everything is asked a few times per frame. */
static void tests_per_frame_are_bounded(void **state)
{
	struct plane_world world;
	world_begin(&world);
	world_add_plane(&world, PLANE_PRIMARY, 1, 1);
	for (int i = 0; i < 5; i++) {
		world_add_plane(&world, PLANE_OVERLAY, 0, 9);
		world_add_layer(&world, 4 * i, 0, 4, 4);
	}
	world.judge = judge_no;
	world_assign(&world);
	assert_int_equal(world.asked, ASSIGN_TESTS_MAX);
	world_assign(&world);
	assert_int_equal(world.asked, 0);
	world_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fullscreen_buffer_is_scanned_out_if_suitable),
		cmocka_unit_test(busy_video_gets_an_overlay),
		cmocka_unit_test(next_buffer_of_another_layout_is_tested),
		cmocka_unit_test(occluded_overlay_returns_after_a_backoff),
		cmocka_unit_test(opaque_video_goes_under_translucent_controls),
		cmocka_unit_test(primary_plane_moves_above_underlays),
		cmocka_unit_test(cursor_plane_moves_without_tests),
		cmocka_unit_test(composed_cursor_is_visible_above_overlays),
		cmocka_unit_test(cursor_plane_keeps_fullscreen_scan_out),
		cmocka_unit_test(scarce_plane_goes_to_the_larger_and_stays),
		cmocka_unit_test(unchanged_scene_is_not_searched_again),
		cmocka_unit_test(planes_of_a_refused_frame_are_tested_again),
		cmocka_unit_test(refused_assignments_are_retried_ever_later),
		cmocka_unit_test(tests_per_frame_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
