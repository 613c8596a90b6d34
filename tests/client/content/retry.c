/* SPDX-License-Identifier: MIT */
/*
 * Imports and uploads that fail for a while: windows and images that nobody draws again are tried
 * again by themselves, less and less often, and nothing ticks afterwards.
 */

#include "buffer/allocator.h"
#include "content/internal.h"
#include "harness/peer.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define SIDE 60
#define RED 0xffff0000u
#define GREEN 0xff00ff00u
#define BLUE 0xff0000ffu
#define SECOND INT64_C(1000000000)

struct retry_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct peer *peer;
	struct renderer *renderer;
	const struct renderer_impl *impl;
	struct renderer_impl failing;
	int n_calls;
	int fail_from, fail_to; /* calls of texture_update() that fail, counted from 0 */
};

static enum renderer_kind renderer;
/* Of the test that runs: the renderer's functions have no data. */
static struct retry_world *current;

static bool update_or_fail(struct renderer *self, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	const int n = current->n_calls++;
	if (n >= current->fail_from && n < current->fail_to) {
		return false;
	}
	return current->impl->texture_update(self, texture, buffer, damage, holds);
}

static int set_up(void **state)
{
	struct retry_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = renderer, .width = 320, .height = 240});
	world->renderer = world->fixture->server->device->renderer;
	world->impl = world->renderer->impl;
	world->failing = *world->impl;
	world->failing.texture_update = update_or_fail;
	world->renderer->impl = &world->failing;
	world->peer = peer_create(world->fixture);
	current = world;
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct retry_world *world = *state;
	world->renderer->impl = world->impl;
	return fixture_tear_down(state);
}

static void fail_next(struct retry_world *world, int after, int n)
{
	world->n_calls = 0;
	world->fail_from = after;
	world->fail_to = after + n;
}

/* Fails unless the contents were taken without a frame that somebody else requested. */
static void expect_taken(struct retry_world *world, struct peer_window *window)
{
	struct surface *surface = peer_surface_find(world->peer, window->surface);
	const struct content *content = content_find(surface, world->fixture->server->device);
	assert_non_null(content);
	assert_non_null(content->texture);
	assert_false(content->stale);
	assert_false(pixman_region32_not_empty((pixman_region32_t *)&content->missing));
}

static void expect_idle(struct retry_world *world)
{
	fixture_sleep(world->fixture, 2 * SECOND);
	assert_false(clock_advance_to_next(world->fixture->clock));
}

static struct wl_subsurface *add_child(struct retry_world *world, struct peer_window *window,
	struct wl_surface *child, uint32_t pixel)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, 10, 10, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 10, 10, pixel);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child, window->surface, 40, 40);
	peer_surface_show(child, buffer);
	wl_surface_commit(window->surface);
	return subsurface;
}

/* A window, a subsurface, damage of a part, and another size; then nobody draws. */
static void play(struct retry_world *world, int fail_at, int n)
{
	fail_next(world, fail_at, n);
	struct peer_window *window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface = add_child(world, window, child, BLUE);
	fixture_sleep(world->fixture, SECOND / 2);
	peer_buffer_fill(window->buffer, 0, 0, 20, 20, GREEN);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, 0, 0, 20, 20);
	wl_surface_commit(window->surface);
	fixture_sleep(world->fixture, SECOND / 2);
	struct peer_buffer *other =
		peer_buffer_create(world->peer, SIDE + 10, SIDE, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(other, 0, 0, SIDE + 10, SIDE, GREEN);
	peer_surface_show(window->surface, other);
	fixture_sleep(world->fixture, (2 << n) * SECOND);
	expect_taken(world, window);
	expect_idle(world);
	assert_int_equal(fixture_pixel(world->fixture, 20 + SIDE + 5, 30), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 65, 65), BLUE & 0xffffff);
	wl_subsurface_destroy(subsurface);
	wl_surface_destroy(child);
	peer_window_destroy(window);
	fixture_settle(world->fixture);
}

static void each_failed_update_of_a_texture_is_tried_again(void **state)
{
	struct retry_world *world = *state;
	play(world, 1000, 0);
	const int n_calls = world->n_calls;
	assert_in_range(n_calls, 3, 200);
	for (int i = 0; i < n_calls; i++) {
		play(world, i, 1);
		play(world, i, 3);
	}
}

/* The last update is static: one window whose new content failed, and shows the old one. */
static void static_window_is_tried_again_after_1_2_and_4_seconds(void **state)
{
	struct retry_world *world = *state;
	struct peer_window *window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	fixture_settle(world->fixture);
	static const int seconds[] = {1, 2, 4, 8};
	fail_next(world, 0, 4);
	peer_buffer_fill(window->buffer, 0, 0, SIDE, SIDE, GREEN);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 2);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(world->n_calls, i + 1);
		fixture_sleep(world->fixture, seconds[i] * SECOND - SECOND * 3 / 10);
		assert_int_equal(world->n_calls, i + 1);
		fixture_sleep(world->fixture, SECOND * 3 / 10 + SECOND / 20);
	}
	expect_taken(world, window);
	assert_int_equal(fixture_pixel(world->fixture, 50, 50), GREEN & 0xffffff);
	expect_idle(world);
	/* The next failure is tried again as soon as the first was. */
	fail_next(world, 0, 1);
	peer_buffer_fill(window->buffer, 0, 0, SIDE, SIDE, BLUE);
	peer_surface_show(window->surface, window->buffer);
	fixture_sleep(world->fixture, SECOND + SECOND / 5);
	expect_taken(world, window);
}

static void lasting_failure_costs_little(void **state)
{
	struct retry_world *world = *state;
	fail_next(world, 0, 1000000);
	struct peer_window *window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	fixture_sleep(world->fixture, 2 * SECOND);
	world->n_calls = 0;
	fixture_sleep(world->fixture, 300 * SECOND);
	assert_in_range(world->n_calls, 8, 16);
	/* Hidden, it is not tried. */
	peer_window_place(window, 4000, 4000);
	fixture_sleep(world->fixture, 60 * SECOND);
	world->n_calls = 0;
	assert_false(clock_advance_to_next(world->fixture->clock));
	assert_int_equal(world->n_calls, 0);
	/* A new update starts anew. */
	peer_window_place(window, 20, 20);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 2);
	fail_next(world, 0, 0);
	fixture_sleep(world->fixture, SECOND + SECOND / 5);
	expect_taken(world, window);
	peer_window_destroy(window);
	fixture_settle(world->fixture);
	expect_idle(world);
}

/* Another frame shows the pixels before. */
static void success_ends_the_wait(void **state)
{
	struct retry_world *world = *state;
	struct peer_window *window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	fixture_settle(world->fixture);
	fail_next(world, 0, 1);
	peer_buffer_fill(window->buffer, 0, 0, SIDE, SIDE, GREEN);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->n_calls, 1);
	peer_window_place(window, 40, 40);
	fixture_frames(world->fixture, 4);
	expect_taken(world, window);
	struct surface *surface = peer_surface_find(world->peer, window->surface);
	assert_false(content_find(surface, world->fixture->server->device)->retry.timer.armed);
}

static void window_may_go_before_its_retry(void **state)
{
	struct retry_world *world = *state;
	struct peer_window *window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	fixture_settle(world->fixture);
	fail_next(world, 0, 1000);
	peer_surface_show(window->surface, window->buffer);
	fixture_frames(world->fixture, 2);
	peer_window_destroy(window);
	fixture_settle(world->fixture);
	expect_idle(world);
}

/* The compositor's own images: title bars, wallpapers, icons. */
static void failed_image_is_tried_again(void **state)
{
	struct retry_world *world = *state;
	struct scene *scene = world->fixture->server->scene;
	struct buffer *buffers[2];
	struct scene_image *images[2];
	fail_next(world, 0, 10);
	for (int i = 0; i < 2; i++) {
		void *data;
		size_t stride;
		buffers[i] = memory_buffer_create(20, 20, DRM_FORMAT_XRGB8888);
		assert_int_equal(buffer_begin_access(buffers[i], BUFFER_WRITE, &data, &stride), 0);
		for (int y = 0; y < 20; y++) {
			for (int x = 0; x < 20; x++) {
				((uint32_t *)data)[(size_t)y * stride / 4 + (size_t)x] = GREEN;
			}
		}
		assert_true(buffer_end_access(buffers[i]));
		images[i] = scene_image_create(&scene->root, buffers[i]);
		scene_node_set_position(&images[i]->node, 100 + i * 40, 100);
	}
	scene_image_set_drawn(images[1], buffers[1], 20, 20, 1);
	fixture_sleep(world->fixture, SECOND / 2);
	assert_in_range(world->n_calls, 2, 9);
	fixture_sleep(world->fixture, 8 * SECOND);
	assert_in_range(world->n_calls, 12, 24);
	const int n_calls = world->n_calls;
	fixture_sleep(world->fixture, 8 * SECOND);
	assert_int_equal(world->n_calls, n_calls);
	assert_true(images[0]->scale == 0 && images[1]->scale == 1);
	assert_int_equal(fixture_pixel(world->fixture, 110, 110), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 150, 110), GREEN & 0xffffff);
	expect_idle(world);
	/* The next failure is tried again as soon as the first was. */
	fail_next(world, 0, 2);
	struct buffer *third = memory_buffer_create(20, 20, DRM_FORMAT_XRGB8888);
	scene_image_set(images[0], third, 20, 20);
	fixture_sleep(world->fixture, SECOND + SECOND / 5);
	assert_int_equal(fixture_pixel(world->fixture, 110, 110), 0);
	const int n_before = world->n_calls;
	assert_non_null(content_image(world->fixture->server->device, third));
	assert_int_equal(world->n_calls, n_before);
	buffer_drop(third);
	for (int i = 0; i < 2; i++) {
		scene_node_destroy(&images[i]->node);
		buffer_drop(buffers[i]);
	}
	fixture_settle(world->fixture);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(each_failed_update_of_a_texture_is_tried_again),
		TEST(static_window_is_tried_again_after_1_2_and_4_seconds),
		TEST(lasting_failure_costs_little),
		TEST(success_ends_the_wait),
		TEST(window_may_go_before_its_retry),
		TEST(failed_image_is_tried_again),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
