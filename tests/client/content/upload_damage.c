/* SPDX-License-Identifier: MIT */
/*
 * Uploads from wl_shm copy the damaged and visible region only. The remaining damage is uploaded
 * when the surface is captured or uncovered.
 */

#include "content/internal.h"
#include "frame/frame.h"
#include "harness/client/capturer.h"
#include "harness/client/world.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include <stdlib.h>

#define N_CHILDREN 64

static int set_up(void **state)
{
	struct world *world = world_create(&(struct fixture_options){.renderer = RENDERER_GLES});
	*state = world;
	return 0;
}

static uint64_t uploaded(const struct world *world)
{
	return world->fixture->server->device->renderer->stats.bytes_uploaded;
}

static uint64_t uploaded_of(struct world *world, struct wl_surface *surface)
{
	return peer_surface_find(world->peer, surface)->bytes_uploaded;
}

/* Long enough for deferred uploads, too. */
static void settle(struct world *world)
{
	fixture_frames(world->fixture, 6);
}

static void set_opaque(struct world *world, struct wl_surface *surface)
{
	struct wl_region *region = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(region, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_set_opaque_region(surface, region);
	wl_region_destroy(region);
}

static struct peer_window *create_window(
	struct world *world, int x, int y, int32_t width, int32_t height, uint32_t pixel)
{
	struct peer_window *window = peer_window_create(world->peer, x, y, width, height, pixel);
	set_opaque(world, window->surface);
	wl_surface_commit(window->surface);
	settle(world);
	peer_window_place(window, x, y);
	settle(world);
	return window;
}

static void change(struct wl_surface *surface, struct peer_buffer *buffer, const struct box *box,
	uint32_t pixel)
{
	peer_buffer_fill(buffer, box->x, box->y, box->width, box->height, pixel);
	wl_surface_attach(surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(surface, box->x, box->y, box->width, box->height);
	wl_surface_commit(surface);
}

/*
 * Damage of 64x64 in a window of 3840x2160 uploads 64x64 pixels where visible, and none elsewhere.
 */
static void upload_is_limited_to_visible_damage(void **state)
{
	struct world *world = *state;
	struct peer_window *window = create_window(world, 0, 0, 3840, 2160, 0xff204060);
	uint64_t before = uploaded(world);
	change(window->surface, window->buffer, &(struct box){100, 50, 64, 64}, 0xffffffff);
	settle(world);
	assert_int_equal(uploaded(world) - before, 64 * 64 * 4);
	assert_int_equal(fixture_pixel(world->fixture, 163, 113), 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 164, 113), 0x204060);

	/* Half of the damage lies beyond the edge of the output. */
	before = uploaded(world);
	change(window->surface, window->buffer, &(struct box){288, 100, 64, 64}, 0xff00ff00);
	settle(world);
	assert_int_equal(uploaded(world) - before, 32 * 64 * 4);
	before = uploaded(world);
	change(window->surface, window->buffer, &(struct box){2000, 1000, 64, 64}, 0xff0000ff);
	settle(world);
	assert_int_equal(uploaded(world) - before, 0);
	/* Two distant rectangles, without the area between them. */
	peer_buffer_fill(window->buffer, 0, 0, 10, 10, 0xff111111);
	change(window->surface, window->buffer, &(struct box){300, 200, 10, 10}, 0xff222222);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 10, 10);
	wl_surface_commit(window->surface);
	settle(world);
	assert_int_equal(uploaded(world) - before, 2 * 10 * 10 * 4);
}

/* The upload of an update, and the drawing of its pixels into two buffers of the output. */
static void route_of_a_window_is_weighed_by_its_damage(void **state)
{
	struct world *world = *state;
	struct peer_window *window = create_window(world, 0, 0, 200, 100, 0xff204060);
	const struct surface *surface = peer_surface_find(world->peer, window->surface);
	for (int i = 0; i < 40; i++) {
		change(window->surface, window->buffer, &(struct box){i, i, 10, 10},
			0xff000000 + (uint32_t)i);
		fixture_frames(world->fixture, 1);
	}
	const uint64_t pixels = surface->bytes_uploaded / 4 / surface->n_shown + 1;
	assert_in_range(pixels, 200, 2000);
	struct route_choice choice =
		frame_route(world->fixture->server->scene->outputs[0], surface);
	assert_string_equal(route_name(choice.source, choice.sink), "upload");
	assert_int_equal(choice.cost.written, pixels * 4 + 2 * pixels * 4);
	assert_int_equal(choice.cost.read, choice.cost.written);
}

/* Frames of a subsurface upload nothing of the parent. */
static void subsurface_frames_upload_nothing_of_the_parent(void **state)
{
	struct world *world = *state;
	struct peer_window *window = create_window(world, 0, 0, 300, 200, 0xff204060);
	struct wl_surface *video = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, video, window->surface, 20, 30);
	wl_subsurface_set_desync(subsurface);
	struct peer_buffer *frames[2];
	for (int i = 0; i < 2; i++) {
		frames[i] = peer_buffer_create(world->peer, 160, 96, WL_SHM_FORMAT_XRGB8888);
		peer_buffer_fill(frames[i], 0, 0, 160, 96, i ? 0x00ff00 : 0xff0000);
	}
	peer_surface_show(video, frames[0]);
	wl_surface_commit(window->surface);
	settle(world);
	uint64_t parent = uploaded_of(world, window->surface), child = uploaded_of(world, video);
	uint64_t all = uploaded(world);
	for (int i = 1; i <= 10; i++) {
		peer_surface_show(video, frames[i % 2]);
		fixture_frames(world->fixture, 2);
		assert_int_equal(
			fixture_pixel(world->fixture, 20, 30), i % 2 ? 0x00ff00 : 0xff0000);
	}
	assert_int_equal(uploaded_of(world, window->surface), parent);
	assert_int_equal(uploaded_of(world, video) - child, 10 * 160 * 96 * 4);
	assert_int_equal(uploaded(world) - all, 10 * 160 * 96 * 4);
	assert_int_equal(fixture_pixel(world->fixture, 19, 30), 0x204060);
}

/*
 * The damage of a covered window is uploaded for a capture, or when it is uncovered, without a new
 * commit.
 */
static void covered_damage_is_uploaded_when_needed(void **state)
{
	struct world *world = *state;
	struct peer *watcher = peer_create(world->fixture);
	struct peer_window *window = create_window(world, 0, 0, 200, 100, 0xff204060);
	xdg_toplevel_set_title(window->toplevel, "under test");
	struct peer_window *cover = create_window(world, 0, 0, 200, 100, 0xff000000);
	uint64_t before = uploaded(world);
	int released = window->buffer->n_released;
	change(window->surface, window->buffer, &(struct box){10, 10, 100, 50}, 0xffff8000);
	settle(world);
	assert_int_equal(uploaded(world) - before, 0);
	/* The client may not draw to the buffer until then. */
	assert_int_equal(window->buffer->n_released, released);
	uint64_t commits = peer_surface_find(world->peer, window->surface)->n_commits;

	struct capturer_session *session =
		capturer_session_create(watcher, capturer_window_source(watcher, "under test"), 0);
	fixture_frames(world->fixture, 1);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 2);
	assert_true(frame->ready);
	for (int y = 0; y < 100; y++) {
		for (int x = 0; x < 200; x++) {
			bool inside = x >= 10 && x < 110 && y >= 10 && y < 60;
			assert_int_equal(capturer_pixel(frame, x, y), inside ? 0xff8000 : 0x204060);
		}
	}
	assert_int_equal(uploaded(world) - before, 100 * 50 * 4);
	/* The whole damage has been copied. */
	assert_int_equal(window->buffer->n_released, released + 1);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);

	before = uploaded(world);
	change(window->surface, window->buffer, &(struct box){0, 80, 200, 20}, 0xff00ff00);
	settle(world);
	peer_window_place(cover, 200, 140);
	settle(world);
	assert_int_equal(uploaded(world) - before, 200 * 20 * 4);
	assert_int_equal(fixture_pixel(world->fixture, 10, 10), 0xff8000);
	assert_int_equal(fixture_pixel(world->fixture, 9, 10), 0x204060);
	assert_int_equal(fixture_pixel(world->fixture, 199, 80), 0x00ff00);
	assert_int_equal(fixture_pixel(world->fixture, 199, 79), 0x204060);
	assert_int_equal(window->buffer->n_released, released + 2);
	assert_int_equal(peer_surface_find(world->peer, window->surface)->n_commits, commits + 1);
}

struct tree {
	struct peer_window *window;
	struct wl_surface *children[N_CHILDREN];
	struct wl_subsurface *subsurfaces[N_CHILDREN];
	struct peer_buffer *buffers[N_CHILDREN];
};

/* Eight by eight, covering the whole window. */
static void create_tree(struct world *world, struct tree *tree)
{
	tree->window = create_window(world, 0, 0, 160, 160, 0xff204060);
	for (int i = 0; i < N_CHILDREN; i++) {
		tree->children[i] = wl_compositor_create_surface(world->peer->compositor);
		tree->subsurfaces[i] = peer_subsurface(world->peer, tree->children[i],
			tree->window->surface, i % 8 * 20, i / 8 * 20);
		wl_subsurface_set_desync(tree->subsurfaces[i]);
		tree->buffers[i] = peer_buffer_create(world->peer, 20, 20, WL_SHM_FORMAT_XRGB8888);
		peer_buffer_fill(tree->buffers[i], 0, 0, 20, 20, (uint32_t)i * 3);
		peer_surface_show(tree->children[i], tree->buffers[i]);
	}
	wl_surface_commit(tree->window->surface);
	settle(world);
}

/* One of 64 children changes: only that one is uploaded and drawn. */
static void one_changed_child_is_uploaded_and_drawn(void **state)
{
	struct world *world = *state;
	struct tree tree;
	create_tree(world, &tree);
	struct render_stats *stats = &world->fixture->server->device->renderer->stats;
	struct scene_output *output = world->fixture->server->scene->outputs[0];
	/* The parent is covered completely by its children, and has no entry. */
	assert_int_equal(output->n_entries, N_CHILDREN);
	const struct box all = {0, 0, 20, 20};
	for (int i = 0; i < 8; i++) {
		change(tree.children[9], tree.buffers[9], &all, 0x800000u + (uint32_t)i);
		fixture_frames(world->fixture, 2);
	}
	uint64_t generation = output->generation;
	for (int i = 0; i < 8; i++) {
		struct render_stats before = *stats;
		change(tree.children[9], tree.buffers[9], &all, 0x008000u + (uint32_t)i);
		fixture_frames(world->fixture, 2);
		assert_int_equal(stats->bytes_uploaded - before.bytes_uploaded, 20 * 20 * 4);
		assert_int_equal(stats->draws - before.draws, 1);
		assert_int_equal(stats->pixels_drawn - before.pixels_drawn, 20 * 20);
		assert_int_equal(stats->passes - before.passes, 1);
		assert_int_equal(fixture_pixel(world->fixture, 25, 25), 0x008000u + (uint32_t)i);
	}
	/* The list of entries was not rebuilt. */
	assert_int_equal(output->generation, generation);
}

/* A synchronized tree applies its children's frames with its own commit; occlusion stays exact. */
static void synchronized_tree_uploads_at_the_parents_commit(void **state)
{
	struct world *world = *state;
	struct tree tree;
	create_tree(world, &tree);
	const struct box all = {0, 0, 20, 20};
	for (int i = 0; i < N_CHILDREN; i++) {
		wl_subsurface_set_sync(tree.subsurfaces[i]);
	}
	uint64_t before = uploaded(world);
	for (int i = 0; i < N_CHILDREN; i++) {
		change(tree.children[i], tree.buffers[i], &all, 0xff0000u + (uint32_t)i);
	}
	settle(world);
	assert_int_equal(uploaded(world) - before, 0);
	assert_int_equal(fixture_pixel(world->fixture, 5, 5), 0);
	wl_surface_commit(tree.window->surface);
	settle(world);
	assert_int_equal(uploaded(world) - before, N_CHILDREN * 20 * 20 * 4);
	for (int i = 0; i < N_CHILDREN; i++) {
		assert_int_equal(fixture_pixel(world->fixture, i % 8 * 20 + 19, i / 8 * 20),
			0xff0000u + (uint32_t)i);
	}

	/* A child under its opaque parent is hidden, and uploads nothing. */
	for (int i = 0; i < N_CHILDREN; i++) {
		wl_subsurface_place_below(tree.subsurfaces[i], tree.window->surface);
	}
	wl_surface_commit(tree.window->surface);
	settle(world);
	assert_int_equal(world->fixture->server->scene->outputs[0]->n_entries, 1);
	assert_int_equal(fixture_pixel(world->fixture, 5, 5), 0x204060);
	before = uploaded(world);
	for (int i = 0; i < N_CHILDREN; i++) {
		change(tree.children[i], tree.buffers[i], &all, 0x00ff00u + (uint32_t)i);
	}
	wl_surface_commit(tree.window->surface);
	settle(world);
	assert_int_equal(uploaded(world) - before, 0);
	/* One is placed above again, with the content committed since. */
	wl_subsurface_place_above(tree.subsurfaces[63], tree.window->surface);
	wl_surface_commit(tree.window->surface);
	settle(world);
	assert_int_equal(uploaded(world) - before, 20 * 20 * 4);
	assert_int_equal(fixture_pixel(world->fixture, 145, 145), 0x00ff00u + 63);
	assert_int_equal(fixture_pixel(world->fixture, 135, 145), 0x204060);
}

/*
 * Half of the window is beyond the edge of the output, and the transform turns it: pixels become
 * visible that the last buffer did not show.
 */
static void turned_update_shows_no_old_pixels(void **state)
{
	struct world *world = *state;
	const int side = 240, left = 200;
	content_device_from(world->fixture->server->device)->upload_budget = 65536;
	struct peer_window *window = create_window(world, left, 0, side, side, 0xffff0000);
	struct peer_buffer *next =
		peer_buffer_create(world->peer, side, side, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(next, 0, 0, side, side, 0xff00ff00);
	wl_surface_set_buffer_transform(window->surface, WL_OUTPUT_TRANSFORM_180);
	peer_surface_show(window->surface, next);
	bool turned = false;
	for (int i = 0; i < 6; i++) {
		fixture_frames(world->fixture, 1);
		struct image *shot = fixture_shot(world->fixture, 0);
		turned |= shot->pixels[left] == 0x00ff00;
		for (int y = 0; y < side; y++) {
			for (int x = left; x < shot->width; x++) {
				assert_int_equal(shot->pixels[y * shot->width + x],
					turned ? 0x00ff00 : 0xff0000);
			}
		}
		image_destroy(shot);
	}
	assert_true(turned);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(upload_is_limited_to_visible_damage),
		TEST(route_of_a_window_is_weighed_by_its_damage),
		TEST(subsurface_frames_upload_nothing_of_the_parent),
		TEST(covered_damage_is_uploaded_when_needed),
		TEST(one_changed_child_is_uploaded_and_drawn),
		TEST(synchronized_tree_uploads_at_the_parents_commit),
		TEST(turned_update_shows_no_old_pixels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
