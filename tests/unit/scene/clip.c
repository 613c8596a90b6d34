/* SPDX-License-Identifier: MIT */
/* Surfaces with a clip: only its pixels are visible, opaque and hit. */

#include "harness/unit.h"

#include "buffer/color.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/region.h"
#include <stdlib.h>

#define WIDTH 100
#define HEIGHT 60
#define SIDE 20

struct fixture {
	struct output output;
	struct scene *scene;
	struct scene_output *shown;
	struct surface *surface;
	struct scene_tree *tree;
	pixman_region32_t clip;
};

/* An opaque square at 10, 10, which is clipped to an L: its top left and lower quarters. */
static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	output_init(&fixture->output, &dark_output_impl, "TEST-1");
	fixture->output.enabled = true;
	fixture->output.mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	fixture->scene = scene_create();
	fixture->shown = scene_output_create(fixture->scene, &fixture->output);
	struct surface *surface = fixture->surface = surface_create(NULL, NULL);
	struct buffer *buffer = color_buffer_create(0, 0, 0, UINT32_MAX);
	buffer_replace(&surface->pending.buffer, buffer);
	buffer_drop(buffer);
	surface->pending.viewport =
		(struct viewport){.has_dst = true, .dst_width = SIDE, .dst_height = SIDE};
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_VIEWPORT;
	assert_true(derive_and_commit(surface));
	surface_map(surface);
	fixture->tree = scene_surface_tree_create(&fixture->scene->root, surface);
	scene_node_set_position(&fixture->tree->node, 10, 10);
	scene_update(fixture->scene);
	pixman_region32_clear(&fixture->shown->damage);
	pixman_region32_init_rect(&fixture->clip, 0, 0, SIDE / 2, SIDE / 2);
	pixman_region32_union_rect(&fixture->clip, &fixture->clip, 0, SIDE / 2, SIDE, SIDE / 2);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	surface_destroy(fixture->surface);
	pixman_region32_fini(&fixture->clip);
	scene_output_destroy(fixture->shown);
	scene_destroy(fixture->scene);
	output_finish(&fixture->output);
	free(fixture);
	return 0;
}

static const struct scene_entry *clipped(struct fixture *fixture)
{
	scene_surface_set_clip(fixture->surface, &fixture->clip);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 1);
	return &fixture->shown->entries[0];
}

static bool shows(const struct scene_entry *entry, int x, int y)
{
	const bool opaque =
		pixman_region32_contains_point((pixman_region32_t *)&entry->opaque, x, y, NULL);
	const bool visible =
		pixman_region32_contains_point((pixman_region32_t *)&entry->visible, x, y, NULL);
	assert_int_equal(opaque, visible);
	return visible;
}

static void background_shows_beside_the_clip(void **state)
{
	struct fixture *fixture = *state;
	const struct scene_entry *entry = clipped(fixture);
	assert_true(entry->clipped);
	assert_true(shows(entry, 19, 19) && shows(entry, 20, 20));
	assert_false(shows(entry, 20, 19));
	assert_int_equal(region_area(&fixture->shown->uncovered),
		WIDTH * HEIGHT - SIDE * SIDE + SIDE * SIDE / 4);
	scene_surface_set_clip(fixture->surface, NULL);
	scene_update(fixture->scene);
	assert_false(fixture->shown->entries[0].clipped);
	assert_true(shows(&fixture->shown->entries[0], 20, 19));
}

static void change_of_the_clip_damages_the_difference(void **state)
{
	struct fixture *fixture = *state;
	const struct box quarter = {10 + SIDE / 2, 10, SIDE / 2, SIDE / 2};
	clipped(fixture);
	struct box damage = region_extents(&fixture->shown->damage);
	assert_true(box_equal(&damage, &quarter));
	pixman_region32_clear(&fixture->shown->damage);
	scene_surface_set_clip(fixture->surface, NULL);
	scene_update(fixture->scene);
	damage = region_extents(&fixture->shown->damage);
	assert_true(box_equal(&damage, &quarter));
}

static void input_beside_the_clip_is_not_taken(void **state)
{
	struct fixture *fixture = *state;
	clipped(fixture);
	assert_ptr_equal(scene_at(fixture->scene, (struct coord_global){19.5, 19.5}).surface,
		fixture->surface);
	assert_null(scene_at(fixture->scene, (struct coord_global){20.5, 19.5}).surface);
}

static void clip_follows_scale_and_transform(void **state)
{
	struct fixture *fixture = *state;
	scene_output_set_scale(fixture->shown, 1.25);
	/* From 12.5, 12.5: 13 pixels of 20 x 1.25 = 25. */
	const struct scene_entry *entry = clipped(fixture);
	const struct box first = entry->dst;
	assert_true(shows(entry, first.x, first.y));
	assert_false(shows(entry, first.x + 13, first.y + 12));
	assert_true(shows(entry, first.x + 12, first.y + 12));
	assert_true(shows(entry, first.x + first.width - 1, first.y + 13));
	scene_output_set_transform(fixture->shown, WL_OUTPUT_TRANSFORM_180);
	entry = clipped(fixture);
	const struct box turned = entry->dst;
	assert_false(shows(entry, turned.x, turned.y + turned.height - 1));
	assert_true(shows(entry, turned.x, turned.y));
	assert_true(shows(entry, turned.x + turned.width - 1, turned.y + turned.height - 1));
}

/* The left half of a surface that is twice as wide as high. */
static void clip_turns_with_the_output(void **state)
{
	struct fixture *fixture = *state;
	struct surface_state *pending = &fixture->surface->pending;
	pending->viewport.dst_height = SIDE / 2;
	pending->fields |= SURFACE_VIEWPORT;
	assert_true(derive_and_commit(fixture->surface));
	pixman_region32_clear(&fixture->clip);
	pixman_region32_union_rect(&fixture->clip, &fixture->clip, 0, 0, SIDE / 2, SIDE / 2);
	for (int i = 0; i < 8; i++) {
		scene_output_set_transform(fixture->shown, (enum wl_output_transform)i);
		const struct scene_view view = scene_output_view(fixture->shown);
		const struct box left =
			scene_view_to_pixels(&view, &(struct box){10, 10, SIDE / 2, SIDE / 2});
		const struct box visible = region_extents(&clipped(fixture)->visible);
		assert_true(box_equal(&visible, &left));
	}
}

/* A clip of the whole surface is none: the surface may be scanned out. */
static void clip_of_everything_changes_nothing(void **state)
{
	struct fixture *fixture = *state;
	pixman_region32_union_rect(&fixture->clip, &fixture->clip, 0, 0, SIDE + 5, SIDE);
	assert_false(clipped(fixture)->clipped);
	assert_false(scene_output_is_damaged(fixture->shown));
}

static void preview_has_the_clip_of_its_source(void **state)
{
	struct fixture *fixture = *state;
	struct scene_tree *preview = scene_preview_create(&fixture->scene->root, fixture->tree,
		&(struct box){0, 0, SIDE, SIDE}, SIDE * 2, SIDE * 2);
	scene_node_set_position(&preview->node, 50, 10);
	scene_node_set_enabled(&fixture->tree->node, false);
	const struct scene_entry *entry = clipped(fixture);
	assert_int_equal(entry->dst.width, 2 * SIDE);
	const pixman_region32_t *visible = &entry->visible;
	assert_int_equal(region_area(visible), 3 * SIDE * SIDE);
	scene_node_destroy(&preview->node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(background_shows_beside_the_clip, setup, teardown),
		cmocka_unit_test_setup_teardown(
			change_of_the_clip_damages_the_difference, setup, teardown),
		cmocka_unit_test_setup_teardown(
			input_beside_the_clip_is_not_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(clip_follows_scale_and_transform, setup, teardown),
		cmocka_unit_test_setup_teardown(clip_turns_with_the_output, setup, teardown),
		cmocka_unit_test_setup_teardown(
			clip_of_everything_changes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			preview_has_the_clip_of_its_source, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
