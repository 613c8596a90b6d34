/* SPDX-License-Identifier: MIT */
/* xdg_positioner: anchors, gravities, and constraint adjustments. */

#include "harness/unit.h"

#include "shell/positioner.h"
#include "xdg-shell-protocol.h"

#define SLIDE_X XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_X
#define SLIDE_Y XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_Y
#define FLIP_X XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_X
#define FLIP_Y XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_Y
#define RESIZE_X XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_X
#define RESIZE_Y XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_Y
#define ALL (SLIDE_X | SLIDE_Y | FLIP_X | FLIP_Y | RESIZE_X | RESIZE_Y)

enum edge {
	NONE = XDG_POSITIONER_ANCHOR_NONE,
	TOP = XDG_POSITIONER_ANCHOR_TOP,
	BOTTOM = XDG_POSITIONER_ANCHOR_BOTTOM,
	LEFT = XDG_POSITIONER_ANCHOR_LEFT,
	RIGHT = XDG_POSITIONER_ANCHOR_RIGHT,
	TOP_LEFT = XDG_POSITIONER_ANCHOR_TOP_LEFT,
	BOTTOM_LEFT = XDG_POSITIONER_ANCHOR_BOTTOM_LEFT,
	TOP_RIGHT = XDG_POSITIONER_ANCHOR_TOP_RIGHT,
	BOTTOM_RIGHT = XDG_POSITIONER_ANCHOR_BOTTOM_RIGHT,
};

/** A popup of 60x40 at an anchor rectangle of 100x50 at 10,20, without bounds. */
static const struct {
	enum edge anchor, gravity;
	int x, y;
} free_cases[] = {
	{NONE, NONE, 30, 25},
	{TOP, NONE, 30, 0},
	{BOTTOM, NONE, 30, 50},
	{LEFT, NONE, -20, 25},
	{RIGHT, NONE, 80, 25},
	{TOP_LEFT, NONE, -20, 0},
	{BOTTOM_LEFT, NONE, -20, 50},
	{TOP_RIGHT, NONE, 80, 0},
	{BOTTOM_RIGHT, NONE, 80, 50},
	{NONE, TOP, 30, 5},
	{NONE, BOTTOM, 30, 45},
	{NONE, LEFT, 0, 25},
	{NONE, RIGHT, 60, 25},
	{NONE, TOP_LEFT, 0, 5},
	{NONE, BOTTOM_LEFT, 0, 45},
	{NONE, TOP_RIGHT, 60, 5},
	{NONE, BOTTOM_RIGHT, 60, 45},
	{BOTTOM_LEFT, BOTTOM_RIGHT, 10, 70},
	{TOP_RIGHT, BOTTOM_RIGHT, 110, 20},
	{TOP_LEFT, TOP_LEFT, -50, -20},
};

static const struct box unbounded;

static void anchor_and_gravity_give_the_position(void **state)
{
	for (size_t i = 0; i < sizeof(free_cases) / sizeof(free_cases[0]); i++) {
		struct positioner positioner = {
			.width = 60,
			.height = 40,
			.has_anchor_rect = true,
			.anchor_rect = {10, 20, 100, 50},
			.anchor = free_cases[i].anchor,
			.gravity = free_cases[i].gravity,
		};
		struct box box = positioner_constrain(&positioner, &unbounded);
		assert_int_equal(box.x, free_cases[i].x);
		assert_int_equal(box.y, free_cases[i].y);
		assert_int_equal(box.width, 60);
		assert_int_equal(box.height, 40);
		positioner.offset_x = -7;
		positioner.offset_y = 9;
		box = positioner_constrain(&positioner, &unbounded);
		assert_int_equal(box.x, free_cases[i].x - 7);
		assert_int_equal(box.y, free_cases[i].y + 9);
	}
}

/** Bounds of 200x200 at 0,0. */
static const struct {
	const char *what;
	struct box rect;
	int width, height;
	enum edge anchor, gravity;
	uint32_t adjustment;
	int offset_x;
	struct box expected;
} bounded_cases[] = {
	{"fits: unchanged", {50, 50, 10, 10}, 30, 30, BOTTOM_RIGHT, BOTTOM_RIGHT, ALL, 0,
		{60, 60, 30, 30}},
	{"no adjustment allowed", {180, 180, 10, 10}, 30, 30, BOTTOM_RIGHT, BOTTOM_RIGHT, 0, 0,
		{190, 190, 30, 30}},
	{"flips at the right", {180, 50, 10, 10}, 30, 30, TOP_RIGHT, BOTTOM_RIGHT, FLIP_X, 0,
		{150, 50, 30, 30}},
	{"flips at the left", {5, 50, 10, 10}, 30, 30, TOP_LEFT, BOTTOM_LEFT, FLIP_X, 0,
		{15, 50, 30, 30}},
	{"flips at the bottom", {50, 180, 10, 10}, 30, 30, BOTTOM_LEFT, BOTTOM_RIGHT, FLIP_Y, 0,
		{50, 150, 30, 30}},
	{"flips at the top", {50, 5, 10, 10}, 30, 30, TOP_LEFT, TOP_RIGHT, FLIP_Y, 0,
		{50, 15, 30, 30}},
	{"a flip keeps the offset", {180, 50, 10, 10}, 30, 30, TOP_RIGHT, BOTTOM_RIGHT, FLIP_X, -4,
		{146, 50, 30, 30}},
	{"a flip on one axis leaves the other", {180, 180, 10, 10}, 30, 30, BOTTOM_RIGHT,
		BOTTOM_RIGHT, FLIP_X, 0, {150, 190, 30, 30}},
	{"a flip that does not help is undone", {90, 50, 20, 10}, 120, 30, TOP_RIGHT, BOTTOM_RIGHT,
		FLIP_X, 0, {110, 50, 120, 30}},
	{"slides if a flip does not help", {90, 50, 20, 10}, 120, 30, TOP_RIGHT, BOTTOM_RIGHT,
		FLIP_X | SLIDE_X, 0, {80, 50, 120, 30}},
	{"slides from the right", {180, 50, 10, 10}, 30, 30, TOP_RIGHT, BOTTOM_RIGHT, SLIDE_X, 0,
		{170, 50, 30, 30}},
	{"slides from the left", {5, 50, 10, 10}, 30, 30, TOP_LEFT, BOTTOM_LEFT, SLIDE_X, 0,
		{0, 50, 30, 30}},
	{"slides from the bottom", {50, 190, 10, 5}, 30, 30, BOTTOM_LEFT, BOTTOM_RIGHT, SLIDE_Y, 0,
		{50, 170, 30, 30}},
	{"too wide: the left edge is visible", {100, 50, 10, 10}, 250, 30, TOP_RIGHT, BOTTOM_RIGHT,
		SLIDE_X, 0, {0, 50, 250, 30}},
	{"too wide with gravity to the left: the right edge is visible", {100, 50, 10, 10}, 250, 30,
		TOP_LEFT, BOTTOM_LEFT, SLIDE_X, 0, {-50, 50, 250, 30}},
	{"resized at the right", {180, 50, 10, 10}, 30, 30, TOP_RIGHT, BOTTOM_RIGHT, RESIZE_X, 0,
		{190, 50, 10, 30}},
	{"resized at the top", {50, 10, 10, 10}, 30, 30, TOP_LEFT, TOP_RIGHT, RESIZE_Y, 0,
		{50, 0, 30, 10}},
	{"slides, then is resized", {100, 50, 10, 10}, 250, 30, TOP_RIGHT, BOTTOM_RIGHT,
		SLIDE_X | RESIZE_X, 0, {0, 50, 200, 30}},
	{"all adjustments", {190, 190, 10, 10}, 300, 20, BOTTOM_RIGHT, BOTTOM_RIGHT, ALL, 0,
		{0, 170, 200, 20}},
	{"outside of the bounds: not resized", {300, 50, 10, 10}, 30, 30, TOP_RIGHT, BOTTOM_RIGHT,
		RESIZE_X, 0, {310, 50, 30, 30}},
};

static void constrained_popups_are_adjusted(void **state)
{
	for (size_t i = 0; i < sizeof(bounded_cases) / sizeof(bounded_cases[0]); i++) {
		struct positioner positioner = {
			.width = bounded_cases[i].width,
			.height = bounded_cases[i].height,
			.has_anchor_rect = true,
			.anchor_rect = bounded_cases[i].rect,
			.anchor = bounded_cases[i].anchor,
			.gravity = bounded_cases[i].gravity,
			.adjustment = bounded_cases[i].adjustment,
			.offset_x = bounded_cases[i].offset_x,
		};
		struct box box = positioner_constrain(&positioner, &(struct box){0, 0, 200, 200});
		const struct box *expected = &bounded_cases[i].expected;
		if (!box_equal(&box, expected)) {
			fail_msg("%s: %d,%d %dx%d instead of %d,%d %dx%d", bounded_cases[i].what,
				box.x, box.y, box.width, box.height, expected->x, expected->y,
				expected->width, expected->height);
		}
	}
}

/* Clients can send any numbers. */
static void extreme_values_do_not_overflow(void **state)
{
	static const int32_t numbers[] = {INT32_MIN, -1, 0, 1, INT32_MAX};
	for (int i = 0; i < 4000; i++) {
		struct positioner positioner = {
			.width = random_between(0, 1) ? INT32_MAX : random_between(1, 500),
			.height = random_between(0, 1) ? INT32_MAX : random_between(1, 500),
			.has_anchor_rect = true,
			.anchor_rect = {numbers[random_between(0, 4)],
				numbers[random_between(0, 4)], numbers[random_between(2, 4)],
				numbers[random_between(2, 4)]},
			.anchor = (uint32_t)random_between(0, 8),
			.gravity = (uint32_t)random_between(0, 8),
			.adjustment = (uint32_t)random_between(0, ALL),
			.offset_x = numbers[random_between(0, 4)],
			.offset_y = numbers[random_between(0, 4)],
		};
		struct box box =
			positioner_constrain(&positioner, &(struct box){-50, 30, 200, 200});
		assert_true(box.width > 0 && box.height > 0);
	}
}

static void positioner_needs_size_and_anchor(void **state)
{
	struct positioner positioner = {.width = 10};
	assert_false(positioner_complete(&positioner));
	positioner.height = 10;
	assert_false(positioner_complete(&positioner));
	positioner.has_anchor_rect = true; /* empty: a point */
	assert_true(positioner_complete(&positioner));
	struct box box = positioner_constrain(&positioner, &unbounded);
	assert_int_equal(box.x, -5);
	assert_int_equal(box.y, -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anchor_and_gravity_give_the_position),
		cmocka_unit_test(constrained_popups_are_adjusted),
		cmocka_unit_test(extreme_values_do_not_overflow),
		cmocka_unit_test(positioner_needs_size_and_anchor),
	};
	return cmocka_run_group_tests_name("positioner", tests, NULL, NULL);
}
