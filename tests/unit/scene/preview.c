/* SPDX-License-Identifier: MIT */
/* Boxes of scaled copies of surfaces. */

#include "harness/unit.h"

#include "scene/internal.h"
#include "surface/surface.h"

static void box_of_a_preview_has_the_density_of_its_surface(void **state)
{
	struct scene *scene = scene_create();
	struct scene_tree *root = scene_tree_create(&scene->root);
	struct surface surface = {.density = 2, .shift_x = 0.5};
	struct scene_surface source = {
		.node = {.type = SCENE_SURFACE, .enabled = true, .parent = root, .x = 10, .y = 20},
		.surface = &surface,
		.look = {.shown = true, .width = 399, .height = 200},
	};
	const struct scene_preview preview = {.source = &source,
		.root = root,
		.part = {10, 20, 200, 100},
		.width = 400,
		.height = 50};
	struct box box, clip;
	assert_true(scene_preview_boxes(&preview, 5, 7, &box, &clip));
	assert_true(box_equal(&box, &(struct box){6, 7, 399, 50}));
	assert_true(box_equal(&clip, &(struct box){5, 7, 400, 50}));
	scene_node_destroy(&root->node);
	scene_destroy(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(box_of_a_preview_has_the_density_of_its_surface),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
