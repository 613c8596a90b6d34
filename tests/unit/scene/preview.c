/* SPDX-License-Identifier: MIT */
/* Boxes of scaled copies of surfaces. */

#include "harness/unit.h"

#include "buffer/color.h"
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

static struct surface *make_surface(struct scene_tree *parent, float alpha, int x)
{
	struct surface *surface = surface_create(NULL, NULL);
	struct buffer *buffer = color_buffer_create(UINT32_MAX, 0, 0, UINT32_MAX);
	buffer_replace(&surface->pending.buffer, buffer);
	buffer_drop(buffer);
	surface->pending.viewport =
		(struct viewport){.has_dst = true, .dst_width = 10, .dst_height = 10};
	surface->pending.alpha = alpha;
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_VIEWPORT | SURFACE_ALPHA;
	assert_true(derive_and_commit(surface));
	surface_map(surface);
	scene_node_set_position(&scene_surface_tree_create(parent, surface)->node, x, 0);
	return surface;
}

/* Surfaces that the window hides are missing, and others as translucent as there. */
static void preview_shows_the_same_as_the_window(void **state)
{
	struct scene *scene = scene_create();
	struct scene_tree *root = scene_tree_create(&scene->root);
	struct surface *surfaces[] = {
		make_surface(root, 1, 0), make_surface(root, 0.5f, 20), make_surface(root, 1, 40)};
	struct scene_tree *preview =
		scene_preview_create(&scene->root, root, &(struct box){0, 0, 100, 100}, 50, 50);
	const struct scene_view view = {.scale = 1, .width = 100, .height = 100};
	struct scene_node *hidden = &scene_surface_find(surfaces[2])->node.parent->node;
	for (int i = 0; i < 8; i++) {
		const float opacity = i & 1 ? 0.5f : 1;
		const bool shown = i & 2, alone = i & 4;
		scene_node_set_enabled(hidden, shown);
		/* A hidden window has a preview all the same. */
		scene_node_set_enabled(&root->node, !alone);
		scene_tree_set_opacity(preview, opacity);
		struct scene_snapshot snapshot;
		scene_snapshot_init(&snapshot, scene, NULL, &view, false);
		int n_previews = 0;
		for (int n = 0; n < snapshot.n_entries; n++) {
			const struct scene_entry *entry = &snapshot.entries[n];
			if (entry->node->type == SCENE_PREVIEW) {
				const bool half =
					scene_entry_surface(entry)->surface == surfaces[1];
				assert_true(entry->alpha == (half ? 0.5f : 1) * opacity);
				n_previews++;
			}
		}
		assert_int_equal(n_previews, shown ? 3 : 2);
		scene_snapshot_finish(&snapshot);
	}
	for (int i = 0; i < 3; i++) {
		surface_destroy(surfaces[i]);
	}
	scene_node_destroy(&preview->node);
	scene_node_destroy(&root->node);
	scene_destroy(scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(box_of_a_preview_has_the_density_of_its_surface),
		cmocka_unit_test(preview_shows_the_same_as_the_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
