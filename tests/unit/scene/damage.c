/* SPDX-License-Identifier: MIT */
/*
 * Scene damage: after any change of the tree, repainting only the damage must equal repainting
 * everything.
 */

#include "harness/unit.h"

#include "buffer/allocator.h"
#include "buffer/color.h"
#include "gpu/gpu.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/region.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 96
#define HEIGHT 64
#define TREES 4
#define RECTS 12

struct fixture {
	struct output output, neighbor;
	struct scene *scene;
	struct scene_output *shown;
	struct scene_output *other; /* beside it; NULL: not plugged in */
	struct scene_tree *trees[TREES];
	struct scene_rect *rects[RECTS];
	/* A signature of the nodes visible at each pixel. */
	uint64_t screen[WIDTH * HEIGHT];
	int id;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	output_init(&fixture->output, &dark_output_impl, "TEST-1");
	fixture->output.enabled = true;
	fixture->output.mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	output_init(&fixture->neighbor, &dark_output_impl, "TEST-2");
	fixture->neighbor.enabled = true;
	fixture->neighbor.mode = fixture->output.mode;
	fixture->scene = scene_create();
	fixture->shown = scene_output_create(fixture->scene, &fixture->output);
	for (int i = 0; i < TREES; i++) {
		struct scene_tree *parent = i ? fixture->trees[i / 2] : &fixture->scene->root;
		fixture->trees[i] = scene_tree_create(parent);
	}
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	scene_node_destroy(&fixture->trees[0]->node);
	scene_output_destroy(fixture->other);
	scene_output_destroy(fixture->shown);
	scene_destroy(fixture->scene);
	output_finish(&fixture->neighbor);
	output_finish(&fixture->output);
	free(fixture);
	return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
}

static uint64_t pixel(const struct fixture *fixture, int x, int y)
{
	uint64_t hash = 1;
	for (int i = 0; i < fixture->shown->n_entries; i++) {
		const struct scene_entry *entry = &fixture->shown->entries[i];
		if (!pixman_region32_contains_point(
			    (pixman_region32_t *)&entry->visible, x, y, NULL)) {
			continue;
		}
		const struct scene_rect *rect = wl_container_of(entry->node, rect, node);
		hash = mix(hash, (uint64_t)(rect->color[0] * 1000));
		hash = mix(hash, (uint64_t)(rect->bottom[2] * 255));
		hash = mix(hash, (uint64_t)(entry->alpha * 1000));
		hash = mix(hash, (uint64_t)(x - entry->dst.x));
		hash = mix(hash, (uint64_t)(y - entry->dst.y));
	}
	return hash;
}

/* Repaints the damage and compares the output with a full repaint. */
static void check(struct fixture *fixture, const char *after)
{
	scene_update(fixture->scene);
	struct scene_output *shown = fixture->shown;
	for (int y = 0; y < HEIGHT; y++) {
		for (int x = 0; x < WIDTH; x++) {
			uint64_t now = pixel(fixture, x, y);
			if (pixman_region32_contains_point(&shown->damage, x, y, NULL)) {
				fixture->screen[y * WIDTH + x] = now;
			} else if (fixture->screen[y * WIDTH + x] != now) {
				fail_msg("after %s: pixel %d,%d changed without damage", after, x,
					y);
			}
		}
	}
	pixman_region32_clear(&shown->damage);
}

/*
 * Checks the list: opaque entries hide entries below, and every pixel is covered or uncovered
 * background.
 */
static void check_list(const struct fixture *fixture)
{
	pixman_region32_t covered, both;
	pixman_region32_init(&covered);
	pixman_region32_init(&both);
	for (int i = 0; i < fixture->shown->n_entries; i++) {
		const struct scene_entry *entry = &fixture->shown->entries[i];
		assert_true(pixman_region32_not_empty((pixman_region32_t *)&entry->visible));
		assert_int_equal(entry->node->entry_index[fixture->shown->index], i);
		pixman_region32_intersect(&both, &covered, (pixman_region32_t *)&entry->visible);
		assert_false(pixman_region32_not_empty(&both));
		pixman_region32_union(&covered, &covered, (pixman_region32_t *)&entry->opaque);
	}
	pixman_region32_intersect(&both, &covered, (pixman_region32_t *)&fixture->shown->uncovered);
	assert_false(pixman_region32_not_empty(&both));
	pixman_region32_union(&covered, &covered, (pixman_region32_t *)&fixture->shown->uncovered);
	assert_int_equal(region_area(&covered), WIDTH * HEIGHT);
	pixman_region32_fini(&covered);
	pixman_region32_fini(&both);
}

static struct scene_rect *make_rect(struct fixture *fixture)
{
	float color[4] = {(float)++fixture->id / 1000, 0, 0, random_between(0, 1) ? 1 : 0.5f};
	struct scene_tree *tree = fixture->trees[random_between(0, TREES - 1)];
	struct scene_rect *rect =
		scene_rect_create(tree, random_between(1, 50), random_between(1, 40), color);
	scene_node_set_position(&rect->node, random_between(-20, 90), random_between(-20, 60));
	return rect;
}

/* The upper colour is often the same as before. */
static void set_gradient(struct fixture *fixture, struct scene_rect *rect)
{
	const int bottom = random_between(0, 255);
	const uint32_t top = random_between(0, 3) ? 1 : (uint32_t)++fixture->id;
	scene_rect_set_gradient(rect, top, (uint32_t)bottom);
	assert_int_equal(lroundf(rect->bottom[2] * 255), bottom);
}

static const char *change_rect(struct fixture *fixture)
{
	struct scene_rect **slot = &fixture->rects[random_between(0, RECTS - 1)];
	struct scene_rect *other = fixture->rects[random_between(0, RECTS - 1)];
	if (!*slot) {
		*slot = make_rect(fixture);
		return "creating";
	}
	struct scene_node *node = &(*slot)->node;
	switch (random_between(0, 9)) {
	case 0:
		scene_node_destroy(node);
		*slot = NULL;
		return "destroying";
	case 1:
		scene_node_set_position(node, random_between(-20, 90), random_between(-20, 60));
		return "moving";
	case 2:
		scene_rect_set_size(*slot, random_between(0, 50), random_between(0, 40));
		return "resizing";
	case 3: scene_node_raise_to_top(node); return "raising";
	case 4: scene_node_lower_to_bottom(node); return "lowering";
	case 5: scene_node_set_enabled(node, !node->enabled); return "enabling";
	case 6: scene_rect_set_color(*slot, (uint32_t)++fixture->id); return "colouring";
	case 7: set_gradient(fixture, *slot); return "giving a gradient";
	case 8:
		if (other && other != *slot && other->node.parent == node->parent) {
			scene_node_place_above(node, &other->node);
		}
		return "placing";
	default:
		scene_node_reparent(node, fixture->trees[random_between(0, TREES - 1)]);
		return "reparenting";
	}
}

static const char *change_tree(struct fixture *fixture)
{
	struct scene_tree *tree = fixture->trees[random_between(1, TREES - 1)];
	struct scene_node *node = &tree->node;
	switch (random_between(0, 4)) {
	case 0:
		scene_node_set_position(node, random_between(-9, 9), random_between(-9, 9));
		return "moving a tree";
	case 1: scene_node_set_enabled(node, !node->enabled); return "enabling a tree";
	case 2:
		scene_tree_set_shift(tree, random_between(-30, 30), random_between(-30, 30));
		return "shifting a tree";
	case 3:
		scene_tree_set_opacity(tree, random_between(0, 1) ? 1 : 0.5f);
		return "fading a tree";
	default: scene_node_raise_to_top(node); return "raising a tree";
	}
}

/* Outputs come, go, sleep and wake in the turn in which nodes change. */
static void change_outputs(struct fixture *fixture)
{
	if (random_between(0, 1)) {
		scene_output_set_awake(fixture->shown, !fixture->shown->awake);
	} else if (!fixture->other) {
		fixture->other = scene_output_create(fixture->scene, &fixture->neighbor);
		scene_output_set_position(fixture->other, random_between(0, WIDTH), 0);
		scene_output_set_awake(fixture->other, true);
	} else if (random_between(0, 2)) {
		scene_output_set_awake(fixture->other, !fixture->other->awake);
	} else {
		scene_output_destroy(fixture->other);
		fixture->other = NULL;
	}
}

static void repainting_damage_equals_full_repaint(void **state)
{
	struct fixture *fixture = *state;
	static const double scales[] = {1, 1.25, 1.5, 2};
	check(fixture, "start");
	for (int round = 0; round < 3000; round++) {
		const char *what = "nothing";
		for (int n = random_between(1, 3); n > 0; n--) {
			what = random_between(0, 5) ? change_rect(fixture) : change_tree(fixture);
		}
		if (!random_between(0, 5)) {
			change_outputs(fixture);
		}
		if (round % 100 == 50) {
			scene_output_set_scale(fixture->shown, scales[random_between(0, 3)]);
			scene_output_set_transform(
				fixture->shown, (enum wl_output_transform)random_between(0, 7));
			what = "turning the output";
		}
		check(fixture, what);
		check_list(fixture);
	}
}

static void unchanged_properties_cause_no_damage(void **state)
{
	struct fixture *fixture = *state;
	const float white[4] = {1, 1, 1, 1};
	struct scene_rect *rect = scene_rect_create(fixture->trees[0], 10, 10, white);
	scene_update(fixture->scene);
	pixman_region32_clear(&fixture->shown->damage);

	/* Setting a property to its current value causes no update. */
	scene_node_set_position(&rect->node, 0, 0);
	scene_rect_set_size(rect, 10, 10);
	scene_rect_set_color(rect, 0xffffff);
	scene_node_raise_to_top(&rect->node);
	assert_false(fixture->shown->dirty);

	/* A new rectangle damages only its box. */
	struct scene_rect *second = scene_rect_create(fixture->trees[0], 5, 4, white);
	scene_node_set_position(&second->node, 20, 30);
	scene_update(fixture->scene);
	struct box extents = region_extents(&fixture->shown->damage);
	struct box expected = {20, 30, 5, 4};
	assert_true(box_equal(&extents, &expected));
}

static void hit_finds_the_topmost_enabled_node(void **state)
{
	struct fixture *fixture = *state;
	const float white[4] = {1, 1, 1, 1};
	int owner;
	struct scene_rect *rect = scene_rect_create(fixture->trees[1], 10, 10, white);
	fixture->trees[1]->node.data = NULL;
	rect->node.data = &owner;
	scene_node_set_position(&fixture->trees[1]->node, 5, 5);
	scene_node_set_position(&rect->node, 10, 0);
	assert_ptr_equal(scene_at(fixture->scene, (struct coord_global){15, 5}).data, &owner);
	assert_ptr_equal(scene_at(fixture->scene, (struct coord_global){24.9, 14.9}).data, &owner);
	assert_null(scene_at(fixture->scene, (struct coord_global){25, 5}).data);
	assert_null(scene_at(fixture->scene, (struct coord_global){14.9, 5}).data);
	scene_node_set_enabled(&fixture->trees[1]->node, false);
	assert_null(scene_at(fixture->scene, (struct coord_global){15, 5}).data);
}

static void shifted_tree_is_hit_at_its_place(void **state)
{
	struct fixture *fixture = *state;
	const float white[4] = {1, 1, 1, 1};
	int owner, x, y;
	struct scene_rect *rect = scene_rect_create(fixture->trees[1], 10, 10, white);
	rect->node.data = &owner;
	scene_tree_set_shift(fixture->trees[1], 30, 20);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 1);
	const struct box drawn = {30, 20, 10, 10};
	assert_true(box_equal(&fixture->shown->entries[0].dst, &drawn));
	assert_ptr_equal(scene_at(fixture->scene, (struct coord_global){5, 5}).data, &owner);
	assert_null(scene_at(fixture->scene, (struct coord_global){35, 25}).data);
	assert_true(scene_node_coords(&rect->node, &x, &y));
	assert_true(x == 0 && y == 0);
}

static void show_color(struct surface *surface, uint32_t red, uint32_t alpha)
{
	struct buffer *buffer = color_buffer_create(red, 0, 0, alpha);
	buffer_replace(&surface->pending.buffer, buffer);
	buffer_drop(buffer);
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	pixman_region32_union_rect(
		&surface->pending.buffer_damage, &surface->pending.buffer_damage, 0, 0, 1, 1);
	assert_true(derive_and_commit(surface));
}

/* A fully transparent surface is listed, since its client waits for frames, but damages nothing. */
static void transparent_surface_causes_no_damage(void **state)
{
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(NULL, NULL);
	check(fixture, "nothing");
	show_color(surface, 0, 0);
	surface_map(surface);
	scene_surface_tree_create(&fixture->scene->root, surface);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 1);
	assert_true(fixture->shown->entries[0].alpha <= 0);
	assert_false(scene_output_is_damaged(fixture->shown));
	show_color(surface, 0, UINT32_MAX);
	scene_update(fixture->scene);
	assert_int_equal(region_area(&fixture->shown->damage), 1);
	pixman_region32_clear(&fixture->shown->damage);
	/* The pixel that was visible before is damaged. */
	show_color(surface, 0, 0);
	scene_update(fixture->scene);
	assert_int_equal(region_area(&fixture->shown->damage), 1);
	pixman_region32_clear(&fixture->shown->damage);
	show_color(surface, 0, 0);
	scene_update(fixture->scene);
	assert_false(scene_output_is_damaged(fixture->shown));
	/* Light without alpha is added to the entries below. */
	show_color(surface, UINT32_MAX, 0);
	scene_update(fixture->scene);
	assert_true(fixture->shown->entries[0].alpha > 0);
	assert_int_equal(region_area(&fixture->shown->damage), 1);
	surface_destroy(surface);
}

/*
 * A window on an overlay plane adds no damage of its own when moved or destroyed: the background is
 * damaged.
 */
static void background_uncovered_by_a_plane_is_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct scene_output *shown = fixture->shown;
	const float white[4] = {1, 1, 1, 1};
	struct scene_rect *rect = scene_rect_create(fixture->trees[0], 10, 8, white);
	scene_node_set_position(&rect->node, 20, 30);
	scene_update(fixture->scene);
	scene_entry_move(shown, &shown->entries[0], PLACE_OVER);
	pixman_region32_clear(&shown->damage);

	scene_node_set_position(&rect->node, 50, 40);
	scene_update(fixture->scene);
	struct box damage = region_extents(&shown->damage), before = {20, 30, 10, 8};
	assert_true(box_equal(&damage, &before));
	pixman_region32_clear(&shown->damage);

	scene_node_destroy(&rect->node);
	scene_update(fixture->scene);
	before = (struct box){50, 40, 10, 8};
	damage = region_extents(&shown->damage);
	assert_true(box_equal(&damage, &before));
}

/* Surfaces of X windows and drag icons may have their only content before they are in the scene. */
static void content_from_before_the_tree_counts_as_shown_next(void **state)
{
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(NULL, NULL);
	show_color(surface, 0, UINT32_MAX);
	surface_map(surface);
	const struct scene_tree *tree = scene_surface_tree_create(fixture->trees[0], surface);
	fixture->shown->awake = true;
	scene_update(fixture->scene);
	assert_int_equal(wl_list_length(&fixture->shown->unshown), 1);
	assert_ptr_equal(fixture->shown->unshown.next, &tree->content->unshown_link);
	surface_destroy(surface);

	struct surface *empty = surface_create(NULL, NULL);
	scene_surface_tree_create(fixture->trees[0], empty);
	scene_update(fixture->scene);
	assert_true(wl_list_empty(&fixture->shown->unshown));
	assert_true(wl_list_empty(&fixture->scene->unshown));
	surface_destroy(empty);
}

/* The user's word follows the entry when others come and go above it; new entries start with 0. */
static void rebuilt_list_keeps_place_and_word_of_its_user(void **state)
{
	struct fixture *fixture = *state;
	struct scene_output *shown = fixture->shown;
	const float white[4] = {1, 1, 1, 1};
	struct scene_rect *below = scene_rect_create(fixture->trees[0], 10, 8, white);
	scene_update(fixture->scene);
	shown->entries[0].user = 7;
	scene_entry_move(shown, &shown->entries[0], PLACE_UNDER);

	struct scene_rect *above = scene_rect_create(fixture->trees[0], 4, 4, white);
	scene_update(fixture->scene);
	assert_int_equal(shown->n_entries, 2);
	assert_ptr_equal(shown->entries[0].node, &above->node);
	assert_int_equal(shown->entries[0].user, 0);
	assert_int_equal(shown->entries[0].place, PLACE_COMPOSED);
	assert_int_equal(shown->entries[1].user, 7);
	assert_int_equal(shown->entries[1].place, PLACE_UNDER);

	scene_node_destroy(&above->node);
	scene_update(fixture->scene);
	assert_ptr_equal(shown->entries[0].node, &below->node);
	assert_int_equal(shown->entries[0].user, 7);
}

/* A tree that is clipped to one output is shown by another one, too, where their boxes overlap. */
static void clip_follows_its_output_on_all_others(void **state)
{
	struct fixture *fixture = *state;
	const float white[4] = {1, 1, 1, 1};
	struct output other;
	output_init(&other, &dark_output_impl, "TEST-2");
	other.enabled = true;
	other.mode = fixture->output.mode;
	struct scene_output *clipper = scene_output_create(fixture->scene, &other);
	struct scene_rect *rect = scene_rect_create(fixture->trees[0], WIDTH, HEIGHT, white);
	rect->node.data = rect;
	scene_tree_set_output(fixture->trees[0], clipper);
	scene_update(fixture->scene);
	pixman_region32_clear(&fixture->shown->damage);

	scene_output_set_scale(clipper, 2);
	scene_update(fixture->scene);
	struct box visible = region_extents(&fixture->shown->entries[0].visible);
	assert_true(box_equal(&visible, &(struct box){0, 0, WIDTH / 2, HEIGHT / 2}));
	assert_true(scene_output_is_damaged(fixture->shown));
	/* Input reaches the drawn part. */
	const struct coord_global inside = {WIDTH / 2 - 1, 1}, outside = {WIDTH / 2 + 1, 1};
	assert_ptr_equal(scene_at(fixture->scene, inside).data, rect);
	assert_null(scene_at(fixture->scene, outside).data);
	scene_tree_set_output(fixture->trees[0], NULL);
	assert_ptr_equal(scene_at(fixture->scene, outside).data, rect);
	scene_output_destroy(clipper);
	output_finish(&other);
}

static void show_pixels(struct surface *surface, int32_t width, int32_t height)
{
	struct buffer *buffer = memory_buffer_create(width, height, DRM_FORMAT_XRGB8888);
	buffer_replace(&surface->pending.buffer, buffer);
	buffer_drop(buffer);
	pixman_region32_fini(&surface->pending.buffer_damage);
	pixman_region32_init_rect(&surface->pending.buffer_damage, 0, 0, 1, 1);
	surface->pending.fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	assert_true(derive_and_commit(surface));
}

/* Another size is new content as a whole, even if the first one is back before the next frame. */
static void size_that_returns_within_a_frame_is_damaged_whole(void **state)
{
	static const int32_t others[][2] = {{10, 10}, {10, 20}, {20, 10}, {30, 20}, {20, 30}};
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(NULL, NULL);
	show_pixels(surface, 20, 20);
	surface_map(surface);
	scene_surface_tree_create(fixture->trees[0], surface);
	for (int i = 0; i < 5; i++) {
		scene_update(fixture->scene);
		pixman_region32_clear(&fixture->shown->damage);
		show_pixels(surface, others[i][0], others[i][1]);
		show_pixels(surface, 20, 20);
		scene_update(fixture->scene);
		struct box damage = region_extents(&fixture->shown->damage);
		assert_true(box_equal(&damage, &(struct box){0, 0, 20, 20}));
	}
	surface_destroy(surface);
}

/* X windows and subsurfaces may have their first buffer before they are in the scene. */
static void buffer_from_before_the_tree_is_known_as_that_of_its_gpu(void **state)
{
	struct fixture *fixture = *state;
	struct gpu home = {.fd = -1};
	for (int i = 0; i < 2; i++) {
		struct surface *surface = surface_create(NULL, NULL);
		show_pixels(surface, 20, 20);
		surface->current.buffer->home = i ? &home : NULL;
		surface_map(surface);
		scene_surface_tree_create(fixture->trees[0], surface);
		assert_int_equal(wl_list_length(&fixture->scene->homed), i);
		surface_destroy(surface);
		assert_true(wl_list_empty(&fixture->scene->homed));
	}
}

/* A hole must be drawn for an underlay, though nothing shows through its opaque pixels. */
static void holes_of_underlays_are_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct scene_output *shown = fixture->shown;
	const float white[4] = {1, 1, 1, 1};
	scene_rect_create(fixture->trees[0], 10, 8, white);
	for (enum scene_place place = PLACE_UNDER; place != PLACE_COMPOSED;
		place = place == PLACE_UNDER ? PLACE_OVER : PLACE_COMPOSED) {
		scene_update(fixture->scene);
		pixman_region32_clear(&shown->damage);
		scene_entry_move(shown, &shown->entries[0], place);
		assert_int_equal(region_area(&shown->damage), place == PLACE_UNDER ? 10 * 8 : 0);
		pixman_region32_clear(&shown->damage);
		scene_entry_move(shown, &shown->entries[0], PLACE_COMPOSED);
		assert_int_equal(region_area(&shown->damage), 10 * 8);
	}
}

/* Opaque pixels are drawn without blending: another region shows other pixels. */
static void change_of_the_opaque_region_is_damaged(void **state)
{
	struct fixture *fixture = *state;
	struct surface *surface = surface_create(NULL, NULL);
	show_color(surface, 0, UINT32_MAX / 2);
	surface_map(surface);
	scene_surface_tree_create(&fixture->scene->root, surface);
	scene_update(fixture->scene);
	for (int i = 0; i < 4; i++) {
		pixman_region32_clear(&fixture->shown->damage);
		region_set_box(&surface->pending.opaque, &(struct box){0, 0, 1 - i % 2, 1});
		surface->pending.fields |= SURFACE_OPAQUE;
		assert_true(derive_and_commit(surface));
		scene_update(fixture->scene);
		assert_int_equal(fixture->shown->entries[0].all_opaque, 1 - i % 2);
		assert_int_equal(region_area(&fixture->shown->damage), 1);
	}
	surface_destroy(surface);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			repainting_damage_equals_full_repaint, setup, teardown),
		cmocka_unit_test_setup_teardown(
			unchanged_properties_cause_no_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(
			hit_finds_the_topmost_enabled_node, setup, teardown),
		cmocka_unit_test_setup_teardown(shifted_tree_is_hit_at_its_place, setup, teardown),
		cmocka_unit_test_setup_teardown(
			transparent_surface_causes_no_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(
			background_uncovered_by_a_plane_is_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(
			content_from_before_the_tree_counts_as_shown_next, setup, teardown),
		cmocka_unit_test_setup_teardown(
			rebuilt_list_keeps_place_and_word_of_its_user, setup, teardown),
		cmocka_unit_test_setup_teardown(
			clip_follows_its_output_on_all_others, setup, teardown),
		cmocka_unit_test_setup_teardown(
			size_that_returns_within_a_frame_is_damaged_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(
			buffer_from_before_the_tree_is_known_as_that_of_its_gpu, setup, teardown),
		cmocka_unit_test_setup_teardown(holes_of_underlays_are_damaged, setup, teardown),
		cmocka_unit_test_setup_teardown(
			change_of_the_opaque_region_is_damaged, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
