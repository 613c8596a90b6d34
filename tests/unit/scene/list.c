/* SPDX-License-Identifier: MIT */
/* Scene lists: many nodes (indices, bounds, linear time); windows of the size of their output. */

#include "harness/surface.h"

#include "buffer/color.h"
#include "harness/growth.h"
#include "scene/scene.h"
#include "util/region.h"
#include <math.h>
#include <stdlib.h>

#define SIDE 512

struct fixture {
	struct output output;
	struct scene *scene;
	struct scene_output *shown;
	struct scene_tree *tree;
	struct scene_rect **rects;
	int n;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	output_init(&fixture->output, &dark_output_impl, "TEST-1");
	fixture->output.enabled = true;
	fixture->output.mode = (struct output_mode){SIDE, SIDE, 60000, true};
	fixture->scene = scene_create();
	fixture->shown = scene_output_create(fixture->scene, &fixture->output);
	fixture->tree = scene_tree_create(&fixture->scene->root);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	scene_node_destroy(&fixture->tree->node);
	scene_output_destroy(fixture->shown);
	scene_destroy(fixture->scene);
	output_finish(&fixture->output);
	free(fixture->rects);
	free(fixture);
	return 0;
}

static void clear_damage(struct fixture *fixture)
{
	pixman_region32_clear(&fixture->shown->damage);
	pixman_region32_clear(&fixture->shown->direct);
}

/*
 * Moves the rectangle to the i-th of n pixels that do not touch each other, so that none of them
 * merge.
 */
static void place(struct scene_rect *rect, int i)
{
	const int row = SIDE / 2;
	scene_node_set_position(&rect->node, i % row * 2 + i / row % 2, i / row);
}

static void fill(struct fixture *fixture, int n, float alpha)
{
	const float color[4] = {0, 0, 0, alpha};
	fixture->rects = realloc(fixture->rects, (size_t)n * sizeof(struct scene_rect *));
	fixture->n = n;
	for (int i = 0; i < n; i++) {
		fixture->rects[i] = scene_rect_create(fixture->tree, 1, 1, color);
		place(fixture->rects[i], i);
	}
}

static void empty(struct fixture *fixture)
{
	for (int i = 0; i < fixture->n; i++) {
		scene_node_destroy(&fixture->rects[i]->node);
	}
	fixture->n = 0;
}

/* Regression: with 16-bit indices, entries of nodes from 32,768 on kept pointers to freed nodes. */
static void destroyed_nodes_are_cleared_from_entries(void **state)
{
	struct fixture *fixture = *state;
	const int n = 34500;
	fill(fixture, n, 1);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, n);
	for (int i = 0; i < n; i++) {
		int index = fixture->rects[i]->node.entry_index[fixture->shown->index];
		assert_in_range(index, 0, n - 1);
		assert_ptr_equal(fixture->shown->entries[index].node, &fixture->rects[i]->node);
	}
	empty(fixture);
	for (int i = 0; i < n; i++) {
		assert_null(fixture->shown->entries[i].node);
	}
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 0);
}

static void number_of_entries_is_bounded(void **state)
{
	struct fixture *fixture = *state;
	fill(fixture, SCENE_ENTRIES_MAX + 1000, 0.5f);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, SCENE_ENTRIES_MAX);
	/* The list is top first. */
	assert_int_equal(fixture->rects[999]->node.entry_index[fixture->shown->index], -1);
	assert_int_equal(fixture->rects[1000]->node.entry_index[fixture->shown->index],
		SCENE_ENTRIES_MAX - 1);
	empty(fixture);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 0);
}

/* An opaque window below many nodes must still hide the background and the windows below it. */
static void large_opaque_window_hides_the_nodes_below(void **state)
{
	struct fixture *fixture = *state;
	const float black[4] = {0, 0, 0, 1};
	struct scene_rect *hidden = scene_rect_create(fixture->tree, 100, 100, black);
	struct scene_rect *large = scene_rect_create(fixture->tree, SIDE, SIDE, black);
	fill(fixture, 5000, 1);
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 5001);
	assert_int_equal(hidden->node.entry_index[fixture->shown->index], -1);
	assert_int_equal(large->node.entry_index[fixture->shown->index], 5000);
	assert_false(pixman_region32_not_empty(&fixture->shown->uncovered));
	empty(fixture);
}

static int64_t update(struct fixture *fixture)
{
	int64_t begun = growth_clock();
	scene_update(fixture->scene);
	return growth_clock() - begun;
}

/* Measures n nodes that are created, moved and destroyed. */
static int64_t measure_update(void *data, int n)
{
	struct fixture *fixture = data;
	fill(fixture, n, 1);
	int64_t time = update(fixture);
	clear_damage(fixture);
	for (int i = 0; i < n; i++) {
		place(fixture->rects[i], i + 7);
	}
	time += update(fixture);
	clear_damage(fixture);
	int64_t begun = growth_clock();
	empty(fixture);
	time += growth_clock() - begun;
	time += update(fixture);
	clear_damage(fixture);
	return time;
}

static void updates_take_linear_time(void **state)
{
	assert_true(growth_is_linear(measure_update, *state, 4000));
}

/* Measures n translucent layers below n rectangles, which would fragment their visible regions. */
static int64_t measure_layers(void *data, int n)
{
	struct fixture *fixture = data;
	const float glass[4] = {0, 0, 0, 0.5f};
	struct scene_tree *layers = scene_tree_create(fixture->tree);
	for (int i = 0; i < n; i++) {
		scene_rect_create(layers, SIDE, SIDE, glass);
	}
	fill(fixture, n, 1);
	int64_t time = update(fixture);
	int64_t rects = 0;
	for (int i = 0; i < fixture->shown->n_entries; i++) {
		rects += pixman_region32_n_rects(&fixture->shown->entries[i].visible);
	}
	assert_in_range(rects, 2 * n, (256 + 4) * 1024 + 2 * n);
	empty(fixture);
	scene_node_destroy(&layers->node);
	scene_update(fixture->scene);
	clear_damage(fixture);
	return time;
}

static void layers_below_many_nodes_take_linear_time(void **state)
{
	assert_true(growth_is_linear(measure_layers, *state, 1000));
}

/* Commits a buffer of this upright size, which the client has turned. */
static void show_turned(struct surface *surface, int width, int height, int logical_width,
	int logical_height, enum wl_output_transform transform)
{
	struct surface_state *pending = &surface->pending;
	const bool swaps = transform_swaps(transform);
	struct test_buffer *buffer =
		test_buffer_create(swaps ? height : width, swaps ? width : height);
	pending->viewport = (struct viewport){
		.has_dst = true, .dst_width = logical_width, .dst_height = logical_height};
	pending->transform = transform;
	pending->fields |= SURFACE_VIEWPORT | SURFACE_TRANSFORM;
	attach(surface, buffer);
	assert_true(derive_and_commit(surface));
	buffer_drop(&buffer->base);
}

static const struct scene_entry *find_only_entry(const struct fixture *fixture)
{
	scene_update(fixture->scene);
	assert_int_equal(fixture->shown->n_entries, 1);
	return &fixture->shown->entries[0];
}

/*
 * The logical size of an output is rounded up. A window of that size with the output's pixels is
 * shown pixel by pixel, as planes can; one with any other number of pixels is not squeezed to fit.
 */
static void fullscreen_buffer_is_shown_pixel_by_pixel(void **state)
{
	struct fixture *fixture = *state;
	static const double scales[] = {1, 1.1, 1.25, 1.5, 1.75, 2.4};
	struct wl_event_loop *loop = wl_event_loop_create();
	struct surface *surface = surface_create(loop, NULL);
	scene_surface_tree_create(fixture->tree, surface);
	surface_map(surface);
	for (int i = 0; i < 6 * 8 * 8; i++) {
		const double scale = scales[i / 64];
		const enum wl_output_transform turned = i / 8 % 8, transform = i % 8;
		const struct box whole = {0, 0, 1367, 769};
		const bool swaps = transform_swaps(turned);
		const int width = swaps ? whole.height : whole.width;
		const int height = swaps ? whole.width : whole.height;
		const int logical[2] = {(int)ceil(width / scale), (int)ceil(height / scale)};
		fixture->output.mode = (struct output_mode){whole.width, whole.height, 60000, true};
		scene_output_set_scale(fixture->shown, scale);
		scene_output_set_transform(fixture->shown, turned);
		show_turned(surface, width, height, logical[0], logical[1], transform);
		const struct scene_entry *entry = find_only_entry(fixture);
		if (!box_equal(&entry->dst, &whole) || !entry->unscaled || entry->padded) {
			fail_msg("scale %g, output turned by %d, buffer by %d: %dx%d pixels", scale,
				turned, transform, entry->dst.width, entry->dst.height);
		}
		show_turned(surface, height, width, logical[0], logical[1], transform);
		assert_false(find_only_entry(fixture)->unscaled);
		show_turned(surface, width + 1, height, logical[0], logical[1], transform);
		entry = find_only_entry(fixture);
		assert_true(!entry->unscaled || entry->padded || !box_equal(&entry->dst, &whole));
	}
	surface_destroy(surface);
	wl_event_loop_destroy(loop);
}

static int n_restacked;

static void count_restacked(struct wl_listener *listener, void *data)
{
	n_restacked++;
}

static void each_change_of_the_order_of_trees_is_announced(void **state)
{
	struct fixture *fixture = *state;
	struct wl_listener listener;
	struct scene_tree *parent = scene_tree_create(&fixture->scene->root);
	struct scene_tree *child = scene_tree_create(fixture->tree);
	n_restacked = 0;
	signal_add(&fixture->scene->events.restacked, &listener, count_restacked);
	scene_node_reparent(&child->node, parent);
	assert_int_equal(n_restacked, 1);
	scene_node_reparent(&child->node, parent);
	assert_int_equal(n_restacked, 1);
	scene_node_lower_to_bottom(&parent->node);
	assert_int_equal(n_restacked, 2);
	scene_node_place_above(&parent->node, &fixture->tree->node);
	assert_int_equal(n_restacked, 3);
	scene_node_set_enabled(&parent->node, false);
	assert_int_equal(n_restacked, 4);
	wl_list_remove(&listener.link);
	scene_node_destroy(&parent->node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			destroyed_nodes_are_cleared_from_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(number_of_entries_is_bounded, setup, teardown),
		cmocka_unit_test_setup_teardown(
			each_change_of_the_order_of_trees_is_announced, setup, teardown),
		cmocka_unit_test_setup_teardown(
			large_opaque_window_hides_the_nodes_below, setup, teardown),
		cmocka_unit_test_setup_teardown(
			fullscreen_buffer_is_shown_pixel_by_pixel, setup, teardown),
		cmocka_unit_test_setup_teardown(updates_take_linear_time, setup, teardown),
		cmocka_unit_test_setup_teardown(
			layers_below_many_nodes_take_linear_time, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
