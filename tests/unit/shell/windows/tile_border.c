/* SPDX-License-Identifier: MIT */
/* Borders of tiles at fractional scales. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "util/region.h"
#include <stdio.h>

/* Returns the extents of the window's pixels on the output. */
static struct box shown_extents(const struct scene_output *output, const struct window *window)
{
	pixman_region32_t all;
	pixman_region32_init(&all);
	for (int i = 0; i < output->n_entries; i++) {
		struct scene_entry *entry = &output->entries[i];
		if (entry->node->parent == window->tree) {
			pixman_region32_union(&all, &all, &entry->visible);
		}
	}
	const struct box extents = region_extents(&all);
	pixman_region32_fini(&all);
	return extents;
}

/* Without gaps, no pixel of the background shows between tiles. */
static void tiles_without_gaps_touch_at_every_scale(void **state)
{
	struct shell_fixture *fixture = *state;
	struct config *config = (struct config *)fixture->shell->config;
	struct scene_output *shown = fixture->outputs[0].shown;
	struct window *windows[3];
	for (int i = 0; i < 3; i++) {
		windows[i] = add_tile(fixture, i);
	}
	config->layout.gap = 0;
	for (int steps = 120; steps <= 240; steps++) {
		char width[8];
		snprintf(width, sizeof(width), "%d", random_between(20, 45));
		config->layout.border = 1 + steps % 3;
		scene_output_set_scale(shown, steps / 120.0);
		settle_tiles(fixture);
		assert_true(run(fixture, "width", width));
		settle_tiles(fixture);
		scene_update(fixture->scene);
		for (int i = 0; i < 2; i++) {
			const struct box a = shown_extents(shown, windows[i]);
			const struct box b = shown_extents(shown, windows[i + 1]);
			assert_in_range(a.x + a.width, b.x, b.x + 2);
		}
	}
	/* Without a border, the content reaches to the next tile. */
	config->layout.border = 0;
	assert_true(run(fixture, "width", "40"));
	settle_tiles(fixture);
	const struct scene_node *node = &windows[0]->surface_tree->content->node;
	assert_true(node->reaches);
	window_focus(windows[0]);
	assert_true(run(fixture, "toggle-floating", NULL));
	assert_false(node->reaches);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			tiles_without_gaps_touch_at_every_scale, set_up_tiles, tear_down_shell),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
