/* SPDX-License-Identifier: MIT */
/* Arrangement of layer surfaces by anchors, margins and zones, and the remaining area. */

#include "harness/unit.h"

#include "shell/geometry/placement.h"
#include "shell/shell.h"
#include "wlr-layer-shell-unstable-v1-protocol.h"

#define TOP ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP
#define BOTTOM ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM
#define LEFT ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT
#define RIGHT ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT

static const struct box output = {1000, 0, 800, 600};
static const struct box usable = {1020, 30, 780, 570};

/** Size, anchor, margins (top, right, bottom, left), zone, and the expected box. */
static const struct {
	int width, height;
	uint32_t anchor;
	int margins[4];
	int zone;
	struct box expected;
} place_cases[] = {
	{100, 50, 0, {0}, 0, {1360, 290, 100, 50}},
	{100, 50, 0, {9, 9, 9, 9}, 0, {1360, 290, 100, 50}},
	{100, 50, TOP, {0}, 0, {1360, 30, 100, 50}},
	{100, 50, TOP, {5, 0, 7, 0}, 0, {1360, 35, 100, 50}},
	{100, 50, BOTTOM, {5, 0, 7, 0}, 0, {1360, 543, 100, 50}},
	{100, 50, LEFT, {0, 8, 0, 3}, 0, {1023, 290, 100, 50}},
	{100, 50, RIGHT, {0, 8, 0, 3}, 0, {1692, 290, 100, 50}},
	{100, 50, TOP | LEFT, {1, 2, 3, 4}, 0, {1024, 31, 100, 50}},
	{100, 50, BOTTOM | RIGHT, {1, 2, 3, 4}, 0, {1698, 547, 100, 50}},
	{0, 50, LEFT | RIGHT | TOP, {1, 2, 3, 4}, 0, {1024, 31, 774, 50}},
	{100, 0, TOP | BOTTOM, {1, 2, 3, 4}, 0, {1360, 31, 100, 566}},
	{0, 0, TOP | BOTTOM | LEFT | RIGHT, {0}, 0, {1020, 30, 780, 570}},
	{0, 0, TOP | BOTTOM | LEFT | RIGHT, {0}, -1, {1000, 0, 800, 600}},
	{100, 50, LEFT | RIGHT, {0}, 0, {1360, 290, 100, 50}},
	{100, 50, TOP | LEFT, {0}, -1, {1000, 0, 100, 50}},
	{0, 50, LEFT | RIGHT, {0, 500, 0, 500}, 0, {1520, 290, 0, 50}},
};

static void anchors_and_margins_give_the_box(void **state)
{
	for (size_t i = 0; i < sizeof(place_cases) / sizeof(place_cases[0]); i++) {
		struct layer layer = {
			.width = place_cases[i].width,
			.height = place_cases[i].height,
			.anchor = place_cases[i].anchor,
			.margin_top = place_cases[i].margins[0],
			.margin_right = place_cases[i].margins[1],
			.margin_bottom = place_cases[i].margins[2],
			.margin_left = place_cases[i].margins[3],
			.exclusive_zone = place_cases[i].zone,
		};
		struct box box = layer_place(&layer, &output, &usable);
		const struct box *expected = &place_cases[i].expected;
		if (!box_equal(&box, expected)) {
			fail_msg("case %zu: %d,%d %dx%d instead of %d,%d %dx%d", i, box.x, box.y,
				box.width, box.height, expected->x, expected->y, expected->width,
				expected->height);
		}
	}
}

/**
 * Anchor, edge and zone, with margins of 1, 2, 3, 4, and the expected remainder of 100x100 at 0,0.
 */
static const struct {
	uint32_t anchor, edge;
	int zone;
	struct box expected;
} exclude_cases[] = {
	{TOP, 0, 10, {0, 11, 100, 89}},
	{TOP | LEFT | RIGHT, 0, 10, {0, 11, 100, 89}},
	{RIGHT, 0, 10, {0, 0, 88, 100}},
	{RIGHT | TOP | BOTTOM, 0, 10, {0, 0, 88, 100}},
	{BOTTOM, 0, 10, {0, 0, 100, 87}},
	{BOTTOM | LEFT | RIGHT, 0, 10, {0, 0, 100, 87}},
	{LEFT, 0, 10, {14, 0, 86, 100}},
	{LEFT | TOP | BOTTOM, 0, 10, {14, 0, 86, 100}},
	/* Anchors that select no single edge. */
	{0, 0, 10, {0, 0, 100, 100}},
	{TOP | LEFT, 0, 10, {0, 0, 100, 100}},
	{TOP | BOTTOM, 0, 10, {0, 0, 100, 100}},
	{LEFT | RIGHT, 0, 10, {0, 0, 100, 100}},
	{TOP | BOTTOM | LEFT | RIGHT, 0, 10, {0, 0, 100, 100}},
	/* The client names the edge. */
	{TOP | LEFT, LEFT, 10, {14, 0, 86, 100}},
	{TOP | LEFT, TOP, 10, {0, 11, 100, 89}},
	{TOP | BOTTOM | LEFT | RIGHT, BOTTOM, 10, {0, 0, 100, 87}},
	{TOP, 0, 0, {0, 0, 100, 100}},
	{TOP, 0, -1, {0, 0, 100, 100}},
	{TOP, 0, 5000, {0, 100, 100, 0}},
	{RIGHT, 0, INT32_MAX, {0, 0, 0, 100}},
};

static void exclusive_zone_shrinks_the_area(void **state)
{
	for (size_t i = 0; i < sizeof(exclude_cases) / sizeof(exclude_cases[0]); i++) {
		struct layer layer = {
			.anchor = exclude_cases[i].anchor,
			.exclusive_edge = exclude_cases[i].edge,
			.exclusive_zone = exclude_cases[i].zone,
			.margin_top = 1,
			.margin_right = 2,
			.margin_bottom = 3,
			.margin_left = 4,
		};
		struct box left = {0, 0, 100, 100};
		layer_exclude(&layer, &left);
		const struct box *expected = &exclude_cases[i].expected;
		if (!box_equal(&left, expected)) {
			fail_msg("case %zu: %d,%d %dx%d is left instead of %d,%d %dx%d", i, left.x,
				left.y, left.width, left.height, expected->x, expected->y,
				expected->width, expected->height);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anchors_and_margins_give_the_box),
		cmocka_unit_test(exclusive_zone_shrinks_the_area),
	};
	return cmocka_run_group_tests_name("layer_arrange", tests, NULL, NULL);
}
