/* SPDX-License-Identifier: MIT */
/* wl_surface: the offset of a new buffer from the previous one. */

#include "harness/peer.h"
#include "surface/surface.h"
#include "util/xalloc.h"

struct surface_world {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_buffer *buffer;
};

static int set_up(void **state)
{
	struct surface_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(NULL);
	world->peer = peer_create(world->fixture);
	world->buffer = peer_buffer_create(world->peer, 8, 8, WL_SHM_FORMAT_ARGB8888);
	*state = world;
	return 0;
}

struct update {
	struct wl_listener applied;
	int32_t x, y;
};

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct update *update = wl_container_of(listener, update, applied);
	const struct surface *surface = data;
	update->x = surface->current.dx;
	update->y = surface->current.dy;
}

/* Commits, and compares the offset of the content update. */
static void expect_offset(
	struct surface_world *world, struct wl_surface *surface, int32_t x, int32_t y)
{
	struct update update = {.applied.notify = handle_applied};
	fixture_pump(world->fixture);
	wl_signal_add(&peer_surface_find(world->peer, surface)->events.applied, &update.applied);
	wl_surface_commit(surface);
	fixture_pump(world->fixture);
	wl_list_remove(&update.applied.link);
	assert_int_equal(update.x, x);
	assert_int_equal(update.y, y);
}

static void attach_offsets_the_buffer_below_version_5(void **state)
{
	struct surface_world *world = *state;
	struct wl_compositor *compositor = peer_bind(world->peer, &wl_compositor_interface, 4);
	struct wl_surface *surface = wl_compositor_create_surface(compositor);
	wl_surface_attach(surface, world->buffer->buffer, 3, -7);
	expect_offset(world, surface, 3, -7);
	wl_surface_attach(surface, world->buffer->buffer, 0, 0);
	expect_offset(world, surface, 0, 0);
}

static void offset_request_offsets_the_buffer(void **state)
{
	struct surface_world *world = *state;
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	wl_surface_offset(surface, 3, -7);
	wl_surface_attach(surface, world->buffer->buffer, 0, 0);
	expect_offset(world, surface, 3, -7);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(attach_offsets_the_buffer_below_version_5),
		TEST(offset_request_offsets_the_buffer),
	};
	return cmocka_run_group_tests_name("surface/wl_surface", tests, NULL, NULL);
}
