/* SPDX-License-Identifier: MIT */
/* WM_NORMAL_HINTS: one row per rule of ICCCM 4.1.2.3. */

#include "harness/unit.h"
#include "xwayland/wm/hints/hints.h"
#include <xcb/xcb_icccm.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

#define POSITION (1 << 2)
#define MIN_SIZE (1 << 4)
#define MAX_SIZE (1 << 5)
#define INCREMENT (1 << 6)
#define ASPECT (1 << 7)
#define BASE_SIZE (1 << 8)
#define GRAVITY (1 << 9)

struct rule {
	const char *name;
	uint32_t values[18];
	int n;
	int32_t width, height; /* asked for */
	int32_t want_width, want_height;
};

static const struct rule rules[] = {
	{"no property: any size", {0}, 0, 777, 333, 777, 333},
	{"no flag: fields are ignored", {[5] = 500, [6] = 500}, 18, 10, 20, 10, 20},
	{"minimum size", {MIN_SIZE, [5] = 100, [6] = 50}, 18, 10, 60, 100, 60},
	{"maximum size", {MAX_SIZE, [7] = 100, [8] = 50}, 18, 110, 40, 100, 40},
	{"maximum below minimum: the minimum counts",
		{MIN_SIZE | MAX_SIZE, [5] = 80, [6] = 80, [7] = 40, [8] = 40}, 18, 60, 60, 80, 80},
	{"increments count from the base size",
		{INCREMENT | BASE_SIZE, [9] = 10, [10] = 20, [15] = 4, [16] = 6}, 18, 99, 99, 94,
		86},
	{"increments count from the minimum size without a base size",
		{INCREMENT | MIN_SIZE, [5] = 3, [6] = 3, [9] = 10, [10] = 10}, 18, 99, 22, 93, 13},
	{"the base size stands in for the minimum size", {BASE_SIZE, [15] = 70, [16] = 80}, 18, 1,
		1, 70, 80},
	{"a short property has no base size", {BASE_SIZE, 0}, 15, 5, 5, 5, 5},
	{"maximum aspect 1:1 narrows", {ASPECT, [11] = 1, 2, 1, 1}, 18, 200, 100, 100, 100},
	{"minimum aspect 1:2 lowers", {ASPECT, [11] = 1, 2, 1, 1}, 18, 100, 400, 100, 200},
	{"aspect of 0:0 is none", {ASPECT, 0}, 18, 200, 100, 200, 100},
	{"negative sizes are none", {MIN_SIZE | MAX_SIZE, [5] = UINT32_MAX, [7] = UINT32_MAX}, 18,
		20, 30, 20, 30},
	{"never below one pixel", {0}, 18, 0, -5, 1, 1},
	{"never beyond the sizes of X", {0}, 18, 1 << 20, 5, 32767, 5},
};

static void size_follows_each_rule(void **state)
{
	for (size_t i = 0; i < N(rules); i++) {
		const struct rule *rule = &rules[i];
		struct x_size_hints hints;
		xwm_size_hints_read(&hints, rule->values, rule->n);
		int32_t width = rule->width, height = rule->height;
		xwm_size_hints_constrain(&hints, &width, &height);
		if (width != rule->want_width || height != rule->want_height) {
			fail_msg("%s: %dx%d, not %dx%d", rule->name, width, height,
				rule->want_width, rule->want_height);
		}
	}
}

static void random_hints_keep_sizes_legal(void **state)
{
	uint32_t random = 1;
	for (int i = 0; i < 20000; i++) {
		uint32_t values[18];
		for (size_t k = 0; k < N(values); k++) {
			random = random * 1664525 + 1013904223;
			values[k] = random >> (random % 32);
		}
		struct x_size_hints hints;
		xwm_size_hints_read(&hints, values, 18);
		int32_t width = (int32_t)random, height = (int32_t)(random * 7);
		xwm_size_hints_constrain(&hints, &width, &height);
		assert_in_range(width, 1, 32767);
		assert_in_range(height, 1, 32767);
	}
}

static void gravity_places_the_content_within_the_frame(void **state)
{
	static const struct {
		uint32_t gravity;
		int32_t x, y; /* of the content, for a request of 100, 200 */
	} places[] = {
		{XCB_GRAVITY_NORTH_WEST, 104, 228},
		{XCB_GRAVITY_NORTH, 100, 228},
		{XCB_GRAVITY_NORTH_EAST, 96, 228},
		{XCB_GRAVITY_WEST, 104, 212},
		{XCB_GRAVITY_CENTER, 100, 212},
		{XCB_GRAVITY_EAST, 96, 212},
		{XCB_GRAVITY_SOUTH_WEST, 104, 196},
		{XCB_GRAVITY_SOUTH, 100, 196},
		{XCB_GRAVITY_SOUTH_EAST, 96, 196},
		{XCB_GRAVITY_STATIC, 100, 200},
		{12345, 104, 228},
	};
	const struct frame_extents frame = {.top = 28, .right = 4, .bottom = 4, .left = 4};
	for (size_t i = 0; i < N(places); i++) {
		int32_t x = 100, y = 200;
		xwm_size_hints_place(places[i].gravity, &frame, &x, &y);
		if (x != places[i].x || y != places[i].y) {
			fail_msg("gravity %u: %d, %d", places[i].gravity, x, y);
		}
	}
}

/* A title bar of 28 and borders of 4. */
static void content_in_a_corner_without_place_for_the_title_is_not_placed(void **state)
{
	static const struct {
		int32_t x, y;
		bool expected;
	} places[] = {
		{3, 22, true}, /* Wine's */
		{0, 0, true},
		{27, 27, true},
		{28, 22, false},
		{3, 28, false},
		{-1, 22, false},
		{3, -1, false},
		{400, 22, false},
		{3, 300, false},
	};
	const struct frame_extents frame = {.top = 28, .right = 4, .bottom = 4, .left = 4},
				   none = {0};
	struct x_size_hints hints;
	for (size_t i = 0; i < N(places); i++) {
		xwm_size_hints_read(
			&hints, (uint32_t[18]){POSITION | GRAVITY, [17] = XCB_GRAVITY_STATIC}, 18);
		if (xwm_size_hints_at_corner(&hints, &frame, places[i].x, places[i].y) !=
			places[i].expected) {
			fail_msg("%d, %d", places[i].x, places[i].y);
		}
		assert_false(xwm_size_hints_at_corner(&hints, &none, places[i].x, places[i].y));
		hints.user_position = true;
		assert_false(xwm_size_hints_at_corner(&hints, &frame, places[i].x, places[i].y));
		xwm_size_hints_read(&hints, (uint32_t[18]){POSITION}, 18);
		assert_false(xwm_size_hints_at_corner(&hints, &frame, places[i].x, places[i].y));
		xwm_size_hints_read(&hints, (uint32_t[18]){GRAVITY, [17] = XCB_GRAVITY_STATIC}, 18);
		assert_false(xwm_size_hints_at_corner(&hints, &frame, places[i].x, places[i].y));
	}
}

static void gravity_is_north_west_unless_given(void **state)
{
	struct x_size_hints hints;
	xwm_size_hints_read(&hints, (uint32_t[18]){POSITION}, 18);
	assert_true(hints.program_position && !hints.user_position);
	assert_int_equal(hints.gravity, XCB_GRAVITY_NORTH_WEST);
	xwm_size_hints_read(&hints, (uint32_t[18]){GRAVITY, [17] = XCB_GRAVITY_STATIC}, 18);
	assert_int_equal(hints.gravity, XCB_GRAVITY_STATIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_follows_each_rule),
		cmocka_unit_test(random_hints_keep_sizes_legal),
		cmocka_unit_test(gravity_places_the_content_within_the_frame),
		cmocka_unit_test(content_in_a_corner_without_place_for_the_title_is_not_placed),
		cmocka_unit_test(gravity_is_north_west_unless_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
