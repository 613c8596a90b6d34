/* SPDX-License-Identifier: MIT */
/* Buffers that clients destroy, attach twice, or replace by others of the same size. */

#include "harness/peer.h"
#include "shell/window.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "util/xalloc.h"
#include "viewporter-client-protocol.h"

#define SIDE 64
#define RED 0xffff0000u
#define GREEN 0xff00ff00u
#define BLUE 0xff0000ffu

struct life_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct peer *peer;
	struct peer_window *window;
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct life_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = renderer, .width = 320, .height = 240});
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 20, 20, SIDE, SIDE, RED);
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static struct peer_buffer *colored(struct life_world *world, uint32_t color)
{
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, SIDE, SIDE, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, SIDE, SIDE, color);
	return buffer;
}

static void expect(struct life_world *world, uint32_t color)
{
	fixture_frames(world->fixture, 4);
	assert_int_equal(fixture_pixel(world->fixture, 50, 50), color & 0xffffff);
}

/* The protocol leaves the result open: the window stays, with the new pixels. */
static void buffer_destroyed_before_its_commit_is_shown(void **state)
{
	struct life_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct peer_buffer *buffer = colored(world, GREEN);
	wl_surface_attach(surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, SIDE, SIDE);
	peer_buffer_destroy(buffer);
	wl_surface_commit(surface);
	expect(world, GREEN);
	assert_true(peer_window_find(world->window)->mapped);
}

static void buffer_destroyed_while_hidden_is_shown_later(void **state)
{
	struct life_world *world = *state;
	window_set_minimized(peer_window_find(world->window), true);
	fixture_frames(world->fixture, 2);
	struct peer_buffer *buffer = colored(world, GREEN);
	peer_surface_show(world->window->surface, buffer);
	peer_buffer_destroy(buffer);
	fixture_frames(world->fixture, 60);
	window_set_minimized(peer_window_find(world->window), false);
	peer_window_place(world->window, 20, 20);
	expect(world, GREEN);
	/* Nor does the next one need it. */
	buffer = colored(world, BLUE);
	wl_surface_attach(world->window->surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 0, 0, SIDE, SIDE / 2);
	wl_surface_commit(world->window->surface);
	expect(world, BLUE);
}

/* The second update replaces the first one, and its buffer by the same. */
static void buffer_attached_twice_to_a_subsurface_is_not_released(void **state)
{
	struct life_world *world = *state;
	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child, world->window->surface, 0, 0);
	struct peer_buffer *buffer = colored(world, GREEN);
	wl_subsurface_set_sync(subsurface);
	for (int i = 0; i < 3; i++) {
		peer_surface_show(child, buffer);
		fixture_frames(world->fixture, 2);
		assert_int_equal(buffer->n_released, 0);
	}
	wl_surface_commit(world->window->surface);
	expect(world, GREEN);
	struct peer_buffer *next = colored(world, BLUE);
	peer_surface_show(child, next);
	wl_surface_commit(world->window->surface);
	expect(world, BLUE);
	assert_int_equal(buffer->n_released, 1);
	assert_true(peer_alive(world->peer));
}

static void next_color_replaces_the_first(void **state)
{
	struct life_world *world = *state;
	struct wp_single_pixel_buffer_manager_v1 *colors =
		peer_bind(world->peer, &wp_single_pixel_buffer_manager_v1_interface, 0);
	struct wp_viewporter *viewporter = peer_bind(world->peer, &wp_viewporter_interface, 0);
	struct wl_surface *surface = world->window->surface;
	struct wp_viewport *viewport = wp_viewporter_get_viewport(viewporter, surface);
	static const uint32_t shown[] = {0x808080, 0x0000ff, 0x00ff00};
	for (int i = 0; i < 3; i++) {
		struct wl_buffer *buffer = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(
			colors, (shown[i] >> 16 & 0xff) * 0x01010101u,
			(shown[i] >> 8 & 0xff) * 0x01010101u, (shown[i] & 0xff) * 0x01010101u,
			UINT32_MAX);
		wl_surface_attach(surface, buffer, 0, 0);
		wl_surface_damage_buffer(surface, 0, 0, 1, 1);
		wp_viewport_set_destination(viewport, SIDE, SIDE);
		wl_surface_commit(surface);
		if (i > 0) {
			wl_buffer_destroy(buffer);
		}
		expect(world, shown[i]);
	}
}

/* Clients that count on a release wait for it before they free or reuse the buffer. */
static void buffer_of_a_surface_that_ends_is_released(void **state)
{
	struct life_world *world = *state;
	struct peer_buffer *buffer = colored(world, GREEN);
	peer_surface_show(world->window->surface, buffer);
	fixture_pump(world->fixture);
	wl_surface_attach(world->window->surface, NULL, 0, 0);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 60);
	assert_int_equal(buffer->n_released, 1);
	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	wl_surface_attach(child, buffer->buffer, 0, 0);
	wl_surface_commit(child);
	fixture_pump(world->fixture);
	wl_surface_destroy(child);
	fixture_frames(world->fixture, 2);
	assert_int_equal(buffer->n_released, 2);
}

/* The same buffer in each update: the client waits for as many releases as it has made commits. */
static void buffer_committed_again_is_released_again(void **state)
{
	struct life_world *world = *state;
	struct peer_buffer *buffer = colored(world, GREEN);
	peer_buffer_destroy(world->window->buffer);
	world->window->buffer = NULL;
	for (int i = 1; i <= 4; i++) {
		peer_surface_show(world->window->surface, buffer);
		fixture_frames(world->fixture, 40);
		assert_int_equal(buffer->n_released, i);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(buffer_destroyed_before_its_commit_is_shown),
		TEST(buffer_destroyed_while_hidden_is_shown_later),
		TEST(buffer_attached_twice_to_a_subsurface_is_not_released),
		TEST(next_color_replaces_the_first),
		TEST(buffer_of_a_surface_that_ends_is_released),
		TEST(buffer_committed_again_is_released_again),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("buffer lifetimes", tests, NULL, NULL);
}
