/* SPDX-License-Identifier: MIT */
/* Backing stores copy a bounded number of bytes at once, and nothing that an upload takes. */

#include "content/device.h"
#include "content/internal.h"
#include "harness/peer.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "util/region.h"
#include "util/xalloc.h"

#define WIDTH 2048
#define HEIGHT 1400
#define MIB 1048576
#define GREEN 0xff00ff00u

struct store_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct render_device *device;
	struct peer *peer;
	struct peer_window *window;
	struct surface *surface;
	struct backing_store *store;
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct store_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(
		&(struct fixture_options){.renderer = renderer, .width = 320, .height = 240});
	world->device = world->fixture->server->device;
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 0, 0, WIDTH, HEIGHT, 0xffff0000u);
	world->surface = peer_surface_find(world->peer, world->window->surface);
	world->store = backing_store_get(world->surface);
	fixture_frames(world->fixture, 60); /* the next update is no answer to a release */
	*state = world;
	return 0;
}

static void draw(struct store_world *world, uint32_t color)
{
	struct peer_buffer *buffer = world->window->buffer;
	buffer->n_released = 0;
	peer_buffer_fill(buffer, 0, 0, WIDTH, HEIGHT, color);
	peer_surface_show(world->window->surface, buffer);
	fixture_pump(world->fixture);
}

/* The bytes that the copy has, or would have to be made for. */
static int64_t bytes_copied(const struct store_world *world)
{
	const int64_t all = (int64_t)WIDTH * HEIGHT;
	return world->store->copy ? (all - region_area(&world->store->missing)) * 4 : 0;
}

/* The limits are exceeded by less than a row. */
static void bytes_copied_at_once_are_limited(void **state)
{
	struct store_world *world = *state;
	struct backing_store *store = world->store;
	draw(world, GREEN);
	fixture_frames(world->fixture, 2);
	assert_non_null(world->surface->current.buffer);
	assert_true(store->timer.armed);
	int n_turns = 0;
	for (int64_t before = 0; world->surface->current.buffer; n_turns++) {
		store->timer.fire(&store->timer, store->timer.when);
		const int64_t now = bytes_copied(world);
		assert_in_range(now - before, 1, 2 * MIB + WIDTH * 4);
		before = now;
	}
	assert_in_range(n_turns, 4, 7);
	fixture_pump(world->fixture);
	/* Now as a client that is known to wait. */
	draw(world, GREEN - 1);
	store->eager = true;
	store->tried = false;
	pixman_region32_t needed;
	pixman_region32_init_rect(&needed, 0, 0, 8, 8);
	content_prepare(content_find(world->surface, world->device), &needed);
	pixman_region32_fini(&needed);
	assert_in_range(bytes_copied(world), 7 * MIB, 8 * MIB + WIDTH * 4);
	assert_non_null(world->surface->current.buffer);
	fixture_frames(world->fixture, 4);
	assert_null(world->surface->current.buffer);
	assert_int_equal(world->window->buffer->n_released, 1);
	peer_window_place(world->window, 300 - WIDTH, 200 - HEIGHT);
	fixture_frames(world->fixture, 10);
	assert_int_equal(fixture_pixel(world->fixture, 290, 190), (GREEN - 1) & 0xffffff);
}

/* Pixels that became visible are uploaded by the thread, which releases the buffer later. */
static void pixels_of_an_upload_are_not_copied_as_well(void **state)
{
	struct store_world *world = *state;
	if (renderer != RENDERER_GLES) {
		return; /* nothing is uploaded */
	}
	content_device_from(world->device)->upload_budget = 100000;
	draw(world, GREEN);
	fixture_frames(world->fixture, 2);
	fixture_block_uploads(world->fixture);
	peer_window_place(world->window, 300 - WIDTH, 200 - HEIGHT);
	fixture_frames(world->fixture, 2);
	const struct content *content = content_find(world->surface, world->device);
	assert_true(content->deferred.upload && content->deferred.of_current);
	fixture_frames(world->fixture, 60);
	assert_null(world->store->copy);
	assert_true(world->store->timer.armed);
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 60);
	assert_null(world->surface->current.buffer);
	assert_int_equal(fixture_pixel(world->fixture, 290, 190), GREEN & 0xffffff);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(bytes_copied_at_once_are_limited),
		TEST(pixels_of_an_upload_are_not_copied_as_well),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("backing store", tests, NULL, NULL);
}
