/* SPDX-License-Identifier: MIT */
/* Motion of the pointer beyond the edge of an output: across a gap, or along the edge. */

#include "harness/unit.h"

#include "scene/output.h"
#include "scene/scene.h"

#define N_OUTPUTS 5
#define CELL 40 /* outputs lie on a grid of cells, and are smaller than a cell or reach its edges */
#define LAYOUTS 4000

struct layout {
	struct scene *scene;
	struct output outputs[N_OUTPUTS];
	struct box boxes[N_OUTPUTS];
	int n;
};

static bool overlap(const struct box *a, const struct box *b)
{
	struct box both;
	return box_intersect(&both, a, b);
}

/* Adds outputs at random places, which leave gaps or not. */
static void open_layout(struct layout *layout)
{
	const int n = random_between(2, N_OUTPUTS);
	*layout = (struct layout){.scene = scene_create()};
	while (layout->n < n) {
		struct box box = {CELL * random_between(0, 3), CELL * random_between(0, 3),
			CELL * random_between(1, 2), CELL * random_between(1, 2)};
		if (!random_between(0, 3)) {
			box.width -= CELL / 2;
			box.height -= CELL / 4;
		}
		bool is_free = true;
		for (int i = 0; i < layout->n; i++) {
			is_free = is_free && !overlap(&box, &layout->boxes[i]);
		}
		if (!is_free) {
			continue;
		}
		struct output *output = &layout->outputs[layout->n];
		output_init(output, &dark_output_impl, "TEST");
		output->enabled = true;
		output->mode = (struct output_mode){box.width, box.height, 60000, true};
		scene_output_set_position(scene_output_create(layout->scene, output), box.x, box.y);
		layout->boxes[layout->n++] = box;
	}
}

static void close_layout(struct layout *layout)
{
	for (int i = 0; i < layout->n; i++) {
		scene_output_destroy(scene_output_find(layout->scene, &layout->outputs[i]));
		output_finish(&layout->outputs[i]);
	}
	scene_destroy(layout->scene);
}

/* Returns whether one output can be reached from another one along edges that touch. */
static bool is_connected(const struct layout *layout, int from, int to)
{
	bool reached[N_OUTPUTS] = {false};
	reached[from] = true;
	for (int round = 0; round < N_OUTPUTS; round++) {
		for (int a = 0; a < layout->n; a++) {
			struct box wide = layout->boxes[a], high = layout->boxes[a];
			wide.x--;
			wide.width += 2;
			high.y--;
			high.height += 2;
			for (int b = 0; b < layout->n; b++) {
				reached[b] |=
					reached[a] && (overlap(&wide, &layout->boxes[b]) ||
							      overlap(&high, &layout->boxes[b]));
			}
		}
	}
	return reached[to];
}

static int find_at(const struct layout *layout, double x, double y)
{
	for (int i = 0; i < layout->n; i++) {
		if (box_contains_point(&layout->boxes[i], x, y)) {
			return i;
		}
	}
	return -1;
}

/*
 * Returns the first output that is straight ahead behind a gap: one that the pointer cannot go
 * round to. -1: none.
 */
static int look_ahead(const struct layout *layout, int from, double x, double y, int dx, int dy)
{
	for (int i = 0; i < 8 * CELL; i++) {
		const int found = find_at(layout, x + i * dx, y + i * dy);
		if (found >= 0 && !is_connected(layout, from, found)) {
			return found;
		}
	}
	return -1;
}

/* Straight motion from the middle of a part of an edge, which no corner is near. */
static void pointer_goes_to_the_first_output_straight_ahead(void **state)
{
	static const int directions[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
	int n_crossed = 0, n_stayed = 0;
	for (int i = 0; i < LAYOUTS; i++) {
		struct layout layout;
		open_layout(&layout);
		const int from = random_between(0, layout.n - 1);
		const int dx = directions[i % 4][0], dy = directions[i % 4][1];
		const struct box *box = &layout.boxes[from];
		/* Half a pixel inside of the edge, and away from all edges of cells. */
		double x = box->x + 0.5 + (dx > 0 ? box->width - 1 : 0);
		double y = box->y + 0.5 + (dy > 0 ? box->height - 1 : 0);
		x += dy ? random_between(0, box->width / 10 - 1) * 10 + 4 : 0;
		y += dx ? random_between(0, box->height / 10 - 1) * 10 + 4 : 0;
		const struct coord_global to = {x + 4 * dx, y + 4 * dy};
		if (find_at(&layout, to.x, to.y) < 0) {
			const int expected = look_ahead(&layout, from, x, y, dx, dy);
			const struct coord_global at = scene_layout_step(layout.scene, to);
			const int found = find_at(&layout, at.x, at.y);
			if (found != (expected < 0 ? from : expected) ||
				(dx ? at.y != y : at.x != x)) {
				fail_msg("layout %d: from output %d at %g,%g by %d,%d to %d at "
					 "%g,%g instead of %d",
					i, from, x, y, dx, dy, found, at.x, at.y, expected);
			}
			n_crossed += expected >= 0;
			n_stayed += expected < 0;
		}
		close_layout(&layout);
	}
	assert_true(n_crossed > LAYOUTS / 50 && n_stayed > LAYOUTS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pointer_goes_to_the_first_output_straight_ahead),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
