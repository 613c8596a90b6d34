/* SPDX-License-Identifier: MIT */
/* Surface states: sizes, merging, and mapping between surface and buffer pixels. */

#include "harness/surface.h"
#include "util/region.h"
#include <math.h>
#include <string.h>

#define ROUNDS 3000

static void init_state(struct surface_state *state, struct test_buffer *buffer)
{
	surface_state_init(state);
	buffer_replace(&state->buffer, &buffer->base);
	state->fields = SURFACE_BUFFER;
}

static void sizes_follow_buffer_scale_and_viewport(void **unused)
{
	static const struct {
		int32_t buffer_width, buffer_height, scale;
		enum wl_output_transform transform;
		struct viewport viewport;
		enum surface_state_error error;
		int32_t width, height;
	} cases[] = {
		{30, 20, 1, 0, {0}, SURFACE_STATE_OK, 30, 20},
		{30, 20, 2, 0, {0}, SURFACE_STATE_OK, 15, 10},
		{30, 20, 1, WL_OUTPUT_TRANSFORM_90, {0}, SURFACE_STATE_OK, 20, 30},
		{30, 20, 5, WL_OUTPUT_TRANSFORM_FLIPPED_270, {0}, SURFACE_STATE_OK, 4, 6},
		{30, 20, 2, WL_OUTPUT_TRANSFORM_180, {0}, SURFACE_STATE_OK, 15, 10},
		{30, 20, 3, 0, {0}, SURFACE_STATE_BAD_SIZE, 10, 6},
		{30, 20, 40, 0, {0}, SURFACE_STATE_BAD_SIZE, 1, 1},
		{30, 20, 1, 0, {.has_dst = true, .dst_width = 7, .dst_height = 9}, SURFACE_STATE_OK,
			7, 9},
		{30, 20, 1, 0, {.has_src = true, .src = {1.5, 2.5, 8, 6}}, SURFACE_STATE_OK, 8, 6},
		{30, 20, 1, 0, {.has_src = true, .src = {0, 0, 8.5, 6}},
			SURFACE_STATE_VIEWPORT_SIZE, 9, 6},
		{30, 20, 1, 0,
			{.has_src = true,
				.src = {0, 0, 8.5, 6.25},
				.has_dst = true,
				.dst_width = 3,
				.dst_height = 4},
			SURFACE_STATE_OK, 3, 4},
		{30, 20, 1, 0, {.has_src = true, .src = {0, 0, 30, 20}}, SURFACE_STATE_OK, 30, 20},
		{30, 20, 1, 0, {.has_src = true, .src = {0.00390625, 0, 30, 20}},
			SURFACE_STATE_VIEWPORT_OUTSIDE, 30, 20},
		{30, 20, 2, 0, {.has_src = true, .src = {0, 0, 16, 4}},
			SURFACE_STATE_VIEWPORT_OUTSIDE, 16, 4},
		{30, 20, 1, WL_OUTPUT_TRANSFORM_90, {.has_src = true, .src = {0, 0, 20, 30}},
			SURFACE_STATE_OK, 20, 30},
		{30, 20, 1, WL_OUTPUT_TRANSFORM_90, {.has_src = true, .src = {0, 0, 21, 30}},
			SURFACE_STATE_VIEWPORT_OUTSIDE, 21, 30},
		/* Errors of the viewport take precedence. */
		{30, 20, 3, 0, {.has_src = true, .src = {0, 0, 11, 4}},
			SURFACE_STATE_VIEWPORT_OUTSIDE, 11, 4},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct test_buffer *buffer =
			test_buffer_create(cases[i].buffer_width, cases[i].buffer_height);
		struct surface_state state;
		init_state(&state, buffer);
		state.scale = cases[i].scale;
		state.transform = cases[i].transform;
		state.viewport = cases[i].viewport;
		assert_int_equal(surface_state_derive(&state), cases[i].error);
		assert_true(state.has_content);
		assert_int_equal(state.width, cases[i].width);
		assert_int_equal(state.height, cases[i].height);
		assert_int_equal(state.buffer_width, cases[i].buffer_width);
		assert_int_equal(state.buffer_height, cases[i].buffer_height);
		surface_state_finish(&state);
		buffer_drop(&buffer->base);
	}
}

/* Without content the size is empty, and every viewport is valid. */
static void state_without_content_is_empty(void **unused)
{
	struct surface_state state;
	surface_state_init(&state);
	state.viewport = (struct viewport){.has_src = true, .src = {5, 5, 7.5, 7.5}};
	state.fields = SURFACE_VIEWPORT;
	assert_int_equal(surface_state_derive(&state), SURFACE_STATE_OK);
	assert_false(state.has_content);
	assert_int_equal(state.width, 0);
	assert_int_equal(state.height, 0);
	surface_state_finish(&state);
}

/* An update without a buffer uses the previous buffer's size with its own scale. */
static void size_is_kept_without_a_new_buffer(void **unused)
{
	struct test_buffer *buffer = test_buffer_create(40, 20);
	struct surface_state pending, current;
	init_state(&pending, buffer);
	surface_state_init(&current);
	surface_state_derive(&pending);
	surface_state_merge(&current, &pending);
	assert_int_equal(pending.fields, 0);
	assert_null(pending.buffer);
	assert_ptr_equal(current.buffer, &buffer->base);
	assert_int_equal(current.fields, SURFACE_BUFFER);

	pending.scale = 2;
	pending.fields = SURFACE_SCALE;
	assert_int_equal(surface_state_derive(&pending), SURFACE_STATE_OK);
	surface_state_merge(&current, &pending);
	assert_ptr_equal(current.buffer, &buffer->base);
	assert_int_equal(current.width, 20);
	assert_int_equal(current.height, 10);

	buffer_replace(&pending.buffer, NULL);
	pending.fields = SURFACE_BUFFER;
	surface_state_derive(&pending);
	surface_state_merge(&current, &pending);
	assert_null(current.buffer);
	assert_false(current.has_content);
	assert_int_equal(current.width, 0);
	assert_int_equal(buffer->n_released, 1);
	surface_state_finish(&pending);
	surface_state_finish(&current);
	buffer_drop(&buffer->base);
}

static void source_box_follows_viewport_and_transform(void **unused)
{
	struct test_buffer *buffer = test_buffer_create(40, 20);
	struct surface_state state;
	struct fbox source;
	init_state(&state, buffer);
	surface_state_derive(&state);
	surface_state_source(&state, &source);
	assert_true(fbox_equal(&source, &(struct fbox){0, 0, 40, 20}));

	state.scale = 2;
	state.viewport = (struct viewport){.has_src = true, .src = {1.5, 2, 10, 4}};
	surface_state_derive(&state);
	surface_state_source(&state, &source);
	assert_true(fbox_equal(&source, &(struct fbox){3, 4, 20, 8}));

	/* With the 90 degree transform undone, the buffer is 20x40. */
	state.scale = 1;
	state.transform = WL_OUTPUT_TRANSFORM_90;
	state.viewport.src = (struct fbox){1, 3, 5, 7};
	surface_state_derive(&state);
	surface_state_source(&state, &source);
	assert_true(fbox_equal(&source, &(struct fbox){3, 20 - 1 - 5, 7, 5}));

	/* An invalid source box is not used. */
	state.transform = WL_OUTPUT_TRANSFORM_NORMAL;
	state.viewport.src = (struct fbox){30, 15, 100, 100};
	assert_int_equal(surface_state_derive(&state), SURFACE_STATE_VIEWPORT_OUTSIDE);
	surface_state_source(&state, &source);
	assert_true(fbox_equal(&source, &(struct fbox){30, 15, 10, 5}));
	surface_state_finish(&state);
	buffer_drop(&buffer->base);
}

/*
 * The reference for mapping surface to buffer coordinates: transforms a single point by the
 * definition of each transform, from the upright area (width x height) to the buffer.
 */
static void turn_point(
	enum wl_output_transform transform, double width, double height, double *x, double *y)
{
	double u = *x, v = *y;
	switch (transform) {
	case WL_OUTPUT_TRANSFORM_NORMAL: break;
	case WL_OUTPUT_TRANSFORM_90: *x = v, *y = width - u; break;
	case WL_OUTPUT_TRANSFORM_180: *x = width - u, *y = height - v; break;
	case WL_OUTPUT_TRANSFORM_270: *x = height - v, *y = u; break;
	case WL_OUTPUT_TRANSFORM_FLIPPED: *x = width - u; break;
	case WL_OUTPUT_TRANSFORM_FLIPPED_90: *x = v, *y = u; break;
	case WL_OUTPUT_TRANSFORM_FLIPPED_180: *y = height - v; break;
	case WL_OUTPUT_TRANSFORM_FLIPPED_270: *x = height - v, *y = width - u; break;
	}
}

static void surface_to_buffer(const struct surface_state *state, double *x, double *y)
{
	const struct viewport *viewport = &state->viewport;
	bool swap = transform_swaps(state->transform);
	double width = swap ? state->buffer_height : state->buffer_width;
	double height = swap ? state->buffer_width : state->buffer_height;
	struct fbox src = {0, 0, width / state->scale, height / state->scale};
	if (viewport->has_src) {
		src = viewport->src;
	}
	*x = (src.x + *x * src.width / state->width) * state->scale;
	*y = (src.y + *y * src.height / state->height) * state->scale;
	turn_point(state->transform, width, height, x, y);
}

static bool region_has(const pixman_region32_t *region, int x, int y)
{
	return pixman_region32_contains_point((pixman_region32_t *)region, x, y, NULL);
}

#define SIDE 64

/* Marks the buffer pixels that the region's pixels overlap, ignoring rounding errors. */
static void mark_buffer_pixels(const struct surface_state *state, const pixman_region32_t *region,
	bool touched[SIDE][SIDE])
{
	const double hair = 1e-5;
	memset(touched, 0, sizeof(bool) * SIDE * SIDE);
	for (int y = 0; y < state->height; y++) {
		for (int x = 0; x < state->width; x++) {
			if (!region_has(region, x, y)) {
				continue;
			}
			double x1 = x, y1 = y, x2 = x + 1, y2 = y + 1;
			surface_to_buffer(state, &x1, &y1);
			surface_to_buffer(state, &x2, &y2);
			int left = (int)floor(fmin(x1, x2) + hair);
			int right = (int)ceil(fmax(x1, x2) - hair);
			int top = (int)floor(fmin(y1, y2) + hair);
			int bottom = (int)ceil(fmax(y1, y2) - hair);
			for (int by = top; by < bottom; by++) {
				for (int bx = left; bx < right; bx++) {
					touched[by][bx] = true;
				}
			}
		}
	}
}

/* Marks the surface pixels that the region's buffer pixels overlap. */
static void mark_surface_pixels(const struct surface_state *state, const pixman_region32_t *region,
	bool touched[SIDE][SIDE])
{
	const double hair = 1e-5;
	memset(touched, 0, sizeof(bool) * SIDE * SIDE);
	for (int y = 0; y < state->height; y++) {
		for (int x = 0; x < state->width; x++) {
			double x1 = x, y1 = y, x2 = x + 1, y2 = y + 1;
			surface_to_buffer(state, &x1, &y1);
			surface_to_buffer(state, &x2, &y2);
			int right = (int)ceil(fmax(x1, x2) - hair);
			int bottom = (int)ceil(fmax(y1, y2) - hair);
			for (int by = (int)floor(fmin(y1, y2) + hair); by < bottom; by++) {
				for (int bx = (int)floor(fmin(x1, x2) + hair); bx < right; bx++) {
					touched[y][x] |= region_has(region, bx, by);
				}
			}
		}
	}
}

static void compare(const pixman_region32_t *region, bool expected[SIDE][SIDE])
{
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			assert_int_equal(region_has(region, x, y), expected[y][x]);
		}
	}
	if (!pixman_region32_not_empty((pixman_region32_t *)region)) {
		return;
	}
	pixman_box32_t extents = *pixman_region32_extents((pixman_region32_t *)region);
	assert_true(extents.x1 >= 0 && extents.y1 >= 0);
	assert_true(extents.x2 <= SIDE && extents.y2 <= SIDE);
}

static void random_region(pixman_region32_t *region)
{
	pixman_region32_init(region);
	int n = random_between(0, 3);
	for (int i = 0; i < n; i++) {
		pixman_region32_union_rect(region, region, random_between(-5, 40),
			random_between(-5, 40), (unsigned)random_between(1, 20),
			(unsigned)random_between(1, 20));
	}
	if (random_between(0, 20) == 0) {
		pixman_region32_union_rect(region, region, INT32_MIN, 0, UINT32_MAX, INT32_MAX);
	}
}

static void random_state(struct surface_state *state, struct test_buffer **buffer)
{
	int scale = random_between(1, 3);
	int width = scale * random_between(1, 40 / scale);
	int height = scale * random_between(1, 40 / scale);
	*buffer = test_buffer_create(width, height);
	init_state(state, *buffer);
	state->scale = scale;
	state->transform = (enum wl_output_transform)random_between(0, 7);
	struct viewport *viewport = &state->viewport;
	bool swap = transform_swaps(state->transform);
	int plain_width = (swap ? height : width) / scale;
	int plain_height = (swap ? width : height) / scale;
	viewport->has_dst = random_between(0, 2) == 0;
	if (viewport->has_dst) {
		viewport->dst_width = random_between(1, 60);
		viewport->dst_height = random_between(1, 60);
	}
	viewport->has_src = random_between(0, 2) == 0;
	if (viewport->has_src) {
		/*
		 * In steps of wl_fixed_t, or whole numbers if the source box determines the size.
		 */
		int grain = viewport->has_dst ? 256 : 1;
		int x = random_between(0, plain_width * grain - 1);
		int y = random_between(0, plain_height * grain - 1);
		viewport->src = (struct fbox){(double)x / grain, (double)y / grain,
			(double)random_between(1, plain_width * grain - x) / grain,
			(double)random_between(1, plain_height * grain - y) / grain};
	}
	assert_int_equal(surface_state_derive(state), SURFACE_STATE_OK);
}

static void surface_region_maps_to_overlapped_buffer_pixels(void **unused)
{
	static bool expected[SIDE][SIDE];
	for (int i = 0; i < ROUNDS; i++) {
		struct surface_state state;
		struct test_buffer *buffer;
		pixman_region32_t region, out;
		random_state(&state, &buffer);
		random_region(&region);
		pixman_region32_init(&out);
		mark_buffer_pixels(&state, &region, expected);
		surface_state_to_buffer(&state, &out, &region);
		compare(&out, expected);

		/* The same for wl_surface.damage. */
		pixman_region32_copy(&state.surface_damage, &region);
		state.fields |= SURFACE_DAMAGE;
		surface_state_derive(&state);
		assert_false(state.fields & SURFACE_DAMAGE);
		assert_false(pixman_region32_not_empty(&state.surface_damage));
		surface_state_clip_damage(&state);
		compare(&state.buffer_damage, expected);

		/* The same in place. */
		surface_state_to_buffer(&state, &region, &region);
		compare(&region, expected);
		pixman_region32_fini(&region);
		pixman_region32_fini(&out);
		surface_state_finish(&state);
		buffer_drop(&buffer->base);
	}
}

static void buffer_region_maps_to_overlapped_surface_pixels(void **unused)
{
	static bool expected[SIDE][SIDE];
	for (int i = 0; i < ROUNDS; i++) {
		struct surface_state state;
		struct test_buffer *buffer;
		pixman_region32_t region, out;
		random_state(&state, &buffer);
		random_region(&region);
		pixman_region32_init(&out);
		mark_surface_pixels(&state, &region, expected);
		surface_state_from_buffer(&state, &out, &region);
		compare(&out, expected);
		pixman_region32_fini(&region);
		pixman_region32_fini(&out);
		surface_state_finish(&state);
		buffer_drop(&buffer->base);
	}
}

/* A pixel of a tiny source box covers more surface pixels than an int can hold. */
static void huge_scale_does_not_overflow(void **unused)
{
	struct test_buffer *buffer = test_buffer_create(30000, 30000);
	struct surface_state state;
	pixman_region32_t region;
	init_state(&state, buffer);
	state.viewport = (struct viewport){.has_src = true,
		.src = {0, 0, 1.0 / 256, 1.0 / 256},
		.has_dst = true,
		.dst_width = INT32_MAX,
		.dst_height = INT32_MAX};
	assert_int_equal(surface_state_derive(&state), SURFACE_STATE_OK);
	pixman_region32_init_rect(&region, 0, 0, 30000, 30000);
	surface_state_from_buffer(&state, &region, &region);
	assert_region(&region, 0, 0, INT32_MAX, INT32_MAX);
	surface_state_to_buffer(&state, &region, &region);
	assert_region(&region, 0, 0, 1, 1);
	pixman_region32_fini(&region);
	surface_state_finish(&state);
	buffer_drop(&buffer->base);
}

/* The number of damage rectangles is bounded. */
static void damage_is_bounded(void **unused)
{
	struct test_buffer *buffer = test_buffer_create(4000, 4000);
	struct surface_state pending, current;
	init_state(&pending, buffer);
	surface_state_init(&current);
	surface_state_derive(&pending);
	surface_state_merge(&current, &pending);
	for (int i = 0; i < 2000; i++) {
		pixman_region32_union_rect(&pending.buffer_damage, &pending.buffer_damage,
			random_between(0, 1999) * 2, random_between(0, 1999) * 2, 1, 1);
		pixman_region32_union_rect(
			&pending.buffer_damage, &pending.buffer_damage, i, i, 1, 1);
		pending.fields = SURFACE_BUFFER_DAMAGE;
		surface_state_derive(&pending);
		surface_state_merge(&current, &pending);
		assert_true(pixman_region32_n_rects(&current.buffer_damage) <= 64);
		assert_true(region_has(&current.buffer_damage, i, i));
	}
	surface_state_finish(&pending);
	surface_state_finish(&current);
	buffer_drop(&buffer->base);
}

static void offsets_add_up_when_merged(void **unused)
{
	struct surface_state to, from;
	surface_state_init(&to);
	surface_state_init(&from);
	for (int i = 0; i < 3; i++) {
		from.dx = 2;
		from.dy = -3;
		from.fields = SURFACE_OFFSET;
		surface_state_merge(&to, &from);
		assert_int_equal(from.dx, 0);
		assert_int_equal(from.dy, 0);
	}
	assert_int_equal(to.dx, 6);
	assert_int_equal(to.dy, -9);
	assert_true(to.fields & SURFACE_OFFSET);
	surface_state_finish(&to);
	surface_state_finish(&from);
}

/* A source beyond one edge, which is the client's error, maps no pixels, and none to infinity. */
static void source_outside_the_buffer_maps_nothing(void **unused)
{
	static const struct fbox sources[] = {
		{40, 2, 5, 5}, {2, 30, 5, 5}, {40, 30, 5, 5}, {30, 2, 5, 5}, {2, 20, 5, 5}};
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct surface_state state;
		pixman_region32_t all, mapped;
		surface_state_init(&state);
		state.buffer_width = 30;
		state.buffer_height = 20;
		state.width = state.height = 5;
		state.viewport = (struct viewport){.has_src = true, .src = sources[i]};
		pixman_region32_init_rect(&all, 0, 0, 30, 20);
		pixman_region32_init(&mapped);
		surface_state_from_buffer(&state, &mapped, &all);
		assert_false(pixman_region32_not_empty(&mapped));
		pixman_region32_fini(&mapped);
		pixman_region32_fini(&all);
		surface_state_finish(&state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_follow_buffer_scale_and_viewport),
		cmocka_unit_test(state_without_content_is_empty),
		cmocka_unit_test(size_is_kept_without_a_new_buffer),
		cmocka_unit_test(source_box_follows_viewport_and_transform),
		cmocka_unit_test(surface_region_maps_to_overlapped_buffer_pixels),
		cmocka_unit_test(buffer_region_maps_to_overlapped_surface_pixels),
		cmocka_unit_test(huge_scale_does_not_overflow),
		cmocka_unit_test(damage_is_bounded),
		cmocka_unit_test(offsets_add_up_when_merged),
		cmocka_unit_test(source_outside_the_buffer_maps_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
