/* SPDX-License-Identifier: MIT */
/* Cursor images on a cursor plane: their parts, sizes and buffers. */

#include "buffer/dmabuf_buffer.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/scan_world.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <stdlib.h>
#include <string.h>

/*
 * The cursor plane shows the pointer's image with all of a drag's icon, on any side of it, below or
 * above; both are composed if they exceed the plane.
 */
static void drag_icon_is_on_the_cursor_plane_in_full(void **state)
{
	static const enum wl_output_transform turns[] = {WL_OUTPUT_TRANSFORM_NORMAL,
		WL_OUTPUT_TRANSFORM_180, WL_OUTPUT_TRANSFORM_FLIPPED,
		WL_OUTPUT_TRANSFORM_FLIPPED_180};
	static const int places[] = {-70, -20, -3, 2, 20, 70};
	struct scan_world world;
	scan_begin_with(&world, 1 << 0);
	for (int i = 0; i < 4 * 6 * 6 * 2; i++) {
		const int x = places[i / 2 % 6], y = places[i / 12 % 6];
		scene_output_set_transform(world.scene_output, turns[i / 72]);
		scan_drag_icon(&world, x, y, i % 2);
		scan_move_cursor(&world);
		scan_pass(&world, 3);
		scan_expect_composition(&world, "a drag", i);
		if (abs(x) < 50 && abs(y) < 50 && !scan_find_cursor(&world.screen)) {
			fail_msg("icon at %d,%d, turned by %d: composed", x, y, turns[i / 72]);
		}
	}
	scan_end(&world);
}

/* Cursor planes of some cards are of certain sizes: each image has the smallest that fits. */
static void cursor_images_have_sizes_of_the_plane(void **state)
{
	static const struct plane_size sizes[] = {{32, 16}, {32, 64}, {64, 64}};
	struct scan_world world;
	scan_begin_with(&world, 1 << 0);
	struct plane *plane = &world.screen.planes[world.screen.base.n_planes - 1];
	assert_int_equal(plane->type, PLANE_CURSOR);
	memcpy(plane->sizes, sizes, sizeof(sizes));
	plane->n_sizes = 3;
	for (int i = 0; i < 60; i++) {
		const bool wide = i / 3 % 2, high = i % 3 == 1;
		scan_drag_icon(&world, wide ? 25 : 4, high ? 30 : 2, i % 2);
		scene_node_set_enabled(&world.icon->node, i % 3 > 0);
		scene_node_set_position(&world.cursor_tree->node, i % 7, i % 5);
		scan_pass(&world, 3);
		scan_expect_composition(&world, "another cursor", i);
		const struct plane_state *cursor = scan_find_cursor(&world.screen);
		assert_non_null(cursor);
		const struct plane_size *size = &sizes[i % 3 == 0 ? 0 : wide ? 2 : high ? 1 : 0];
		assert_int_equal(cursor->buffer->width, size->width);
		assert_int_equal(cursor->buffer->height, size->height);
	}
	scan_end(&world);
}

/* Moves the icon of a drag in relation to the pointer, both on the screen: another image. */
static void change_cursor(struct scan_world *world, int n)
{
	scan_drag_icon(world, n % 25 - 12, n % 19 - 9, n % 2);
	scene_node_set_position(&world->cursor_tree->node, 20 + n % 3, 16);
}

/*
 * Each image is drawn into a buffer that is neither on the screen nor in flight, which the screen
 * checks, also while a page flip is late.
 */
static void cursor_images_in_use_stay_as_they_are(void **state)
{
	struct scan_world world;
	struct window *window = scan_begin_with(&world, 1 << 0 | 1 << 1);
	int n_images = 0;
	for (int i = 0; i < 120; i++) {
		const uint64_t drawn = world.frame->stats.cursors_drawn;
		change_cursor(&world, n_images++);
		scan_pass(&world, i % 4);
		if (i % 3 > 0) {
			scan_draw_slowly(&world, window);
		}
		for (int n = 0; n < i % 3; n++) {
			change_cursor(&world, n_images++);
			scan_draw(window);
			clock_advance(world.clock, 2 * PERIOD);
			assert_true(world.screen.flight);
		}
		scan_pass(&world, 4);
		scan_expect_composition(&world, "new cursors", i);
		assert_non_null(scan_find_cursor(&world.screen));
		assert_true(world.frame->stats.cursors_drawn > drawn);
	}
	scan_end(&world);
}

/* Adds an image that the CPU cannot read, since a GPU drew it. */
static struct surface *add_unreadable(struct scan_world *world, struct gpu *home)
{
	struct dmabuf dmabuf;
	dmabuf_init_linear(&dmabuf, 8, 8, DRM_FORMAT_ARGB8888,
		fd_create_memory("test-cursor", 4096, true), 8 * 4);
	struct buffer *buffer = dmabuf_buffer_create(&dmabuf, home);
	struct surface *surface = surface_create(world->loop, NULL);
	assert_non_null(buffer);
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	assert_true(derive_and_commit(surface));
	buffer_drop(buffer);
	surface_map(surface);
	return surface;
}

/* The old image would be wrong: the cursor is composed until all of its parts can be drawn. */
static void cursor_that_cannot_be_drawn_leaves_its_plane(void **state)
{
	struct gpu home = {.driver = (char *)"amdgpu", .fd = -1};
	struct scan_world world;
	scan_begin_with(&world, 1 << 0);
	struct scene_node *image = wl_container_of(world.cursor_tree->children.next, image, link);
	for (int i = 0; i < 2 * 2 * 3; i++) {
		const bool replaces = i % 2, below = i / 2 % 2;
		scan_pass(&world, 4);
		assert_non_null(scan_find_cursor(&world.screen));
		struct surface *surface = add_unreadable(&world, &home);
		struct scene_tree *tree = scene_surface_tree_create(world.cursor_tree, surface);
		/* A client's own image, or the icon of a drag at the image. */
		scene_node_set_enabled(image, !replaces);
		if (below) {
			scene_node_lower_to_bottom(&tree->node);
		}
		for (int frame = 0; frame < 4; frame++) {
			if (frame > 1) {
				scan_move_cursor(&world);
			}
			scan_pass(&world, 1);
		}
		assert_null(scan_find_cursor(&world.screen));
		scene_node_set_enabled(image, true);
		surface_destroy(surface);
	}
	scan_end(&world);
}

/* The opacity alone changes. */
static void cursor_that_fades_is_drawn_again(void **state)
{
	struct scan_world world;
	scan_begin_with(&world, 1 << 0 | 1 << 1);
	change_cursor(&world, 3);
	scan_pass(&world, 4);
	for (int i = 1; i < 4; i++) {
		const uint64_t drawn = world.frame->stats.cursors_drawn;
		scene_tree_set_opacity(world.cursor_tree, 1 - (float)i / 4);
		scan_pass(&world, 4);
		assert_int_equal(world.frame->stats.cursors_drawn, drawn + 1);
		scan_expect_composition(&world, "opacity", i);
	}
	scan_end(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drag_icon_is_on_the_cursor_plane_in_full),
		cmocka_unit_test(cursor_images_have_sizes_of_the_plane),
		cmocka_unit_test(cursor_images_in_use_stay_as_they_are),
		cmocka_unit_test(cursor_that_cannot_be_drawn_leaves_its_plane),
		cmocka_unit_test(cursor_that_fades_is_drawn_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
