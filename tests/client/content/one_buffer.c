/* SPDX-License-Identifier: MIT */
/*
 * Clients with a single buffer, which draw again once it is released: they keep their rate with any
 * part of the window visible, and their pixels are exact.
 */

#include "buffer/allocator.h"
#include "content/device.h"
#include "content/internal.h"
#include "harness/client/waiter.h"
#include "shell/window.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "surface/surface.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define SIDE 100

struct one_world {
	struct waiter waiter; /* first, for fixture_tear_down() */
	struct peer_buffer *buffer; /* the only one */
	struct box damage; /* of each update */
	bool lacks_alpha; /* the client leaves the bytes of alpha zero */
};

static enum renderer_kind renderer;

static uint32_t color_of(int i)
{
	return 0xff000000u | (uint32_t)i * 0x030507u;
}

static struct one_world *world_from_waiter(const struct waiter *waiter)
{
	return wl_container_of(waiter, (struct one_world *)NULL, waiter);
}

static bool is_free(const struct waiter *waiter)
{
	return world_from_waiter(waiter)->buffer->n_released > 0;
}

static void draw(struct waiter *waiter)
{
	struct one_world *world = world_from_waiter(waiter);
	const struct box *box = &world->damage;
	const uint32_t color = color_of(waiter->n_drawn + 1);
	world->buffer->n_released = 0;
	peer_buffer_fill(world->buffer, box->x, box->y, box->width, box->height,
		world->lacks_alpha ? color & 0xffffff : color);
	waiter_commit(waiter, world->buffer->buffer, box);
}

static const struct waiter_impl waiter_impl = {is_free, draw};

static int set_up(void **state)
{
	struct one_world *world = xcalloc(1, sizeof(*world));
	waiter_init(&world->waiter, &waiter_impl, renderer, SIDE);
	world->buffer = world->waiter.window->buffer;
	world->buffer->n_released = 0;
	world->damage = (struct box){0, 0, SIDE, SIDE};
	world->waiter.awaits_callback = true;
	fixture_settle(world->waiter.fixture);
	*state = world;
	return 0;
}

/* Fails unless the box of the window has the pixels of the client's last update. */
static void expect_pixels(struct one_world *world, const struct box *box)
{
	fixture_frames(world->waiter.fixture, 4);
	struct image *shot = fixture_shot(world->waiter.fixture, 0);
	for (int y = box->y; y < box->y + box->height; y++) {
		for (int x = box->x; x < box->x + box->width; x++) {
			uint32_t pixel = shot->pixels[(y + 20) * shot->width + x + 20];
			uint32_t expected = world->buffer->pixels[y * SIDE + x] & 0xffffff;
			if (pixel != expected) {
				fail_msg("%d, %d: %06x, not %06x", x, y, pixel, expected);
			}
		}
	}
	image_destroy(shot);
}

static const struct box whole = {0, 0, SIDE, SIDE};

static void client_keeps_its_rate_when_visible(void **state)
{
	struct one_world *world = *state;
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	expect_pixels(world, &whole);
}

static void client_keeps_its_rate_when_partly_covered(void **state)
{
	struct one_world *world = *state;
	struct peer_window *above = waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	expect_pixels(world, &(struct box){0, 0, 80, SIDE});
	/* Only the covered part changes. */
	world->damage = (struct box){90, 10, 8, 8};
	assert_in_range(
		waiter_play(&world->waiter, WAITER_FRAMES), WAITER_FRAMES / 3, WAITER_FRAMES);
	/* Uncovered pixels are uploaded from the copy. */
	peer_window_place(above, 200, 0);
	expect_pixels(world, &whole);
	assert_in_range(
		waiter_play(&world->waiter, WAITER_FRAMES), WAITER_FRAMES - 2, WAITER_FRAMES);
	expect_pixels(world, &whole);
}

static void client_keeps_its_rate_when_partly_off_screen(void **state)
{
	struct one_world *world = *state;
	peer_window_place(world->waiter.window, 270, 190);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	peer_window_place(world->waiter.window, 20, 20);
	expect_pixels(world, &whole);
}

/* Hidden clients get callbacks rarely; one that waits for its buffer alone goes on. */
static void client_goes_on_when_hidden(void **state)
{
	struct one_world *world = *state;
	world->waiter.awaits_callback = false;
	window_set_minimized(peer_window_find(world->waiter.window), true);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 3);
	window_set_minimized(peer_window_find(world->waiter.window), false);
	peer_window_place(world->waiter.window, 20, 20);
	expect_pixels(world, &whole);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	struct peer_window *above = waiter_cover(&world->waiter, 0, 0, 200, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 3);
	peer_window_destroy(above);
	expect_pixels(world, &whole);
}

/* A client that creates its second buffer only when the first is busy is no such client. */
static void hidden_client_that_awaits_its_callback_is_not_copied_for(void **state)
{
	struct one_world *world = *state;
	const struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	window_set_minimized(peer_window_find(world->waiter.window), true);
	fixture_frames(world->waiter.fixture, 2);
	draw(&world->waiter);
	while (!world->waiter.called) {
		assert_int_equal(world->buffer->n_released, 0);
		fixture_frames(world->waiter.fixture, 1);
	}
	assert_non_null(surface->current.buffer);
	fixture_frames(world->waiter.fixture, 20);
	assert_int_equal(world->buffer->n_released, 1);
}

/* A window that is drawn again and again in another size has another only buffer each time. */
static void client_keeps_its_rate_when_resized(void **state)
{
	struct one_world *world = *state;
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	int drawn = 0;
	for (int i = 1; i < 20; i++) {
		int side = SIDE + i;
		peer_buffer_destroy(world->buffer);
		world->waiter.window->buffer = world->buffer =
			peer_buffer_create(world->waiter.peer, side, side, WL_SHM_FORMAT_ARGB8888);
		world->damage = (struct box){0, 0, side, side};
		world->buffer->n_released = 1;
		world->waiter.called = true;
		drawn += waiter_play(&world->waiter, 3);
	}
	assert_in_range(drawn, 19 * 3 - 2, 19 * 3);
}

/* The copy of the previous buffer has the size of the next one, whose bytes mean other pixels. */
static void pixels_are_those_of_the_next_format(void **state)
{
	struct one_world *world = *state;
	struct peer_window *above = waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	peer_buffer_destroy(world->buffer);
	world->waiter.window->buffer = world->buffer =
		peer_buffer_create(world->waiter.peer, SIDE, SIDE, WL_SHM_FORMAT_XRGB8888);
	world->lacks_alpha = true;
	world->buffer->n_released = 1;
	world->waiter.called = true;
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	peer_window_destroy(above);
	expect_pixels(world, &whole);
}

/* The buffer is not copied for clients that have another one, and those lose no time. */
static void client_with_two_buffers_is_not_copied_for(void **state)
{
	struct one_world *world = *state;
	struct peer_buffer *buffers[2] = {world->buffer,
		peer_buffer_create(world->waiter.peer, SIDE, SIDE, WL_SHM_FORMAT_ARGB8888)};
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	const struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	for (int i = 0; i < 30; i++) {
		struct peer_buffer *buffer = buffers[(i + 1) % 2];
		assert_true(i < 2 || buffer->n_released > 0);
		buffer->n_released = 0;
		peer_buffer_fill(buffer, 0, 0, SIDE, SIDE, color_of(i));
		peer_surface_show(world->waiter.window->surface, buffer);
		fixture_frames(world->waiter.fixture, i == 15 ? 60 : 1);
	}
	assert_non_null(surface->current.buffer);
	fixture_frames(world->waiter.fixture, 60);
	assert_non_null(surface->current.buffer);
}

/* Draws into another buffer and into the only one in turn, and returns the other one. */
static struct peer_buffer *alternate(struct one_world *world)
{
	struct peer_buffer *other =
		peer_buffer_create(world->waiter.peer, SIDE, SIDE, WL_SHM_FORMAT_ARGB8888);
	for (int i = 0; i < 6; i++) {
		peer_surface_show(world->waiter.window->surface, i % 2 ? world->buffer : other);
		fixture_frames(world->waiter.fixture, 2);
	}
	return other;
}

static void client_left_with_one_buffer_goes_on(void **state)
{
	struct one_world *world = *state;
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	struct peer_buffer *other = alternate(world);
	fixture_frames(world->waiter.fixture, 60);
	world->buffer->n_released = 0;
	peer_buffer_destroy(other);
	fixture_frames(world->waiter.fixture, 60);
	assert_int_equal(world->buffer->n_released, 1);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
}

static void hidden_client_left_with_one_buffer_awaits_its_callback(void **state)
{
	struct one_world *world = *state;
	struct peer_buffer *other = alternate(world);
	window_set_minimized(peer_window_find(world->waiter.window), true);
	fixture_frames(world->waiter.fixture, 2);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 1);
	peer_buffer_destroy(other);
	while (!world->waiter.called) {
		assert_int_equal(world->buffer->n_released, 0);
		fixture_frames(world->waiter.fixture, 1);
	}
	fixture_frames(world->waiter.fixture, 20);
	assert_int_equal(world->buffer->n_released, 1);
}

/* A buffer of another size is of no use for the next update. */
static void kept_buffer_of_another_size_is_no_other_buffer(void **state)
{
	struct one_world *world = *state;
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	world->waiter.window->buffer = world->buffer =
		peer_buffer_create(world->waiter.peer, SIDE + 8, SIDE, WL_SHM_FORMAT_ARGB8888);
	world->buffer->n_released = 1;
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
}

/* Many clients destroy a buffer once it is committed. */
static void destroyed_buffer_stays_shown(void **state)
{
	struct one_world *world = *state;
	struct peer_window *above = waiter_cover(&world->waiter, 100, 0, 60, 200);
	for (int i = 0; i < 3; i++) {
		struct peer_buffer *buffer = peer_buffer_create(
			world->waiter.peer, SIDE + 8 * (2 - i), SIDE, WL_SHM_FORMAT_ARGB8888);
		peer_buffer_fill(buffer, 0, 0, buffer->width, SIDE, color_of(i + 1));
		peer_surface_show(world->waiter.window->surface, buffer);
		fixture_frames(world->waiter.fixture, 2);
		peer_buffer_destroy(buffer);
		fixture_frames(world->waiter.fixture, 60);
	}
	peer_window_destroy(above);
	fixture_settle(world->waiter.fixture);
	for (int x = 0; x < SIDE; x += 9) {
		assert_int_equal(
			fixture_pixel(world->waiter.fixture, 20 + x, 60), color_of(3) & 0xffffff);
	}
}

/* A color needs no copies, and frees the buffer that they were expected of. */
static void color_ends_the_wait_for_the_buffer_before(void **state)
{
	struct one_world *world = *state;
	struct wp_single_pixel_buffer_manager_v1 *colors =
		peer_bind(world->waiter.peer, &wp_single_pixel_buffer_manager_v1_interface, 0);
	struct wl_buffer *color = wp_single_pixel_buffer_manager_v1_create_u32_rgba_buffer(
		colors, 0, 0x40404040, 0, UINT32_MAX);
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	fixture_frames(world->waiter.fixture, WAITER_FIRST); /* the cover's own wait */
	for (int i = 0; i < 4; i++) {
		/* The client keeps its first buffer. */
		struct peer_buffer *buffer = peer_buffer_create(
			world->waiter.peer, SIDE + i, SIDE, WL_SHM_FORMAT_ARGB8888);
		peer_buffer_fill(buffer, 0, 0, SIDE + i, SIDE, color_of(i + 1));
		peer_surface_show(world->waiter.window->surface, world->buffer);
		fixture_frames(world->waiter.fixture, 1);
		/* A renderer uploads all of the first update of a size, but not covered damage. */
		for (int j = 0; j < 2; j++) {
			peer_surface_show(world->waiter.window->surface, buffer);
			fixture_frames(world->waiter.fixture, 1);
		}
		if (i % 2 == 0) {
			peer_buffer_destroy(buffer);
		}
		wl_surface_attach(world->waiter.window->surface, color, 0, 0);
		wl_surface_damage_buffer(world->waiter.window->surface, 0, 0, 1, 1);
		wl_surface_commit(world->waiter.window->surface);
		fixture_settle(world->waiter.fixture);
		assert_false(clock_advance_to_next(world->waiter.fixture->clock));
		fixture_frames(world->waiter.fixture, WAITER_FIRST);
		if (i % 2 != 0) {
			peer_buffer_destroy(buffer);
		}
	}
	/* The client is not known to wait, and is noticed again. */
	world->buffer->n_released = 1;
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	wl_buffer_destroy(color);
}

/* A client that has waited once, and then draws into two buffers, waits no more. */
static void client_with_another_buffer_is_not_copied_for_again(void **state)
{
	struct one_world *world = *state;
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	const struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	struct peer_buffer *buffers[2] = {world->buffer,
		peer_buffer_create(world->waiter.peer, SIDE, SIDE, WL_SHM_FORMAT_ARGB8888)};
	for (int i = 0; i < 6; i++) {
		peer_surface_show(world->waiter.window->surface, buffers[(i + 1) % 2]);
		fixture_frames(world->waiter.fixture, 2);
	}
	assert_non_null(surface->current.buffer);
}

/* Other windows of the client hold all of its memory for a while. */
static void client_goes_on_once_there_is_room_for_a_copy(void **state)
{
	struct one_world *world = *state;
	const struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	struct account *account = surface_account(surface);
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	const int64_t limit = account->ledger->account_limit[ACCOUNT_PIXELS];
	account->ledger->account_limit[ACCOUNT_PIXELS] = 2 * account->used[ACCOUNT_PIXELS];
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 120);
	assert_int_equal(world->buffer->n_released, 0);
	account->ledger->account_limit[ACCOUNT_PIXELS] = limit;
	fixture_frames(world->waiter.fixture, 150);
	assert_int_equal(world->buffer->n_released, 1);
	fixture_frames(world->waiter.fixture, 60);
	assert_false(clock_advance_to_next(world->waiter.fixture->clock));
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	/* At the limit again, when the client is known. */
	account->ledger->account_limit[ACCOUNT_PIXELS] = 2 * account->used[ACCOUNT_PIXELS];
	struct peer_buffer *other =
		peer_buffer_create(world->waiter.peer, SIDE + 8, SIDE, WL_SHM_FORMAT_ARGB8888);
	world->buffer = world->waiter.window->buffer = other;
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 60);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 60);
	account->ledger->account_limit[ACCOUNT_PIXELS] = limit;
	fixture_frames(world->waiter.fixture, 250);
	assert_int_equal(world->buffer->n_released, 1);
}

/* A device whose outputs show nothing of the window does not hold its buffer. */
static void client_keeps_its_rate_with_another_device(void **state)
{
	struct one_world *world = *state;
	struct renderer *pixman = pixman_renderer_create();
	struct render_device *second = render_device_create(NULL, pixman, NULL);
	render_device_join(second, world->waiter.fixture->server->device);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	expect_pixels(world, &whole);
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	expect_pixels(world, &(struct box){0, 0, 80, SIDE});
	/* The pixels are there if that device shows the window later. */
	fixture_frames(world->waiter.fixture, 30);
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	assert_null(surface->current.buffer);
	struct content *content = content_get(surface, second);
	assert_int_equal(content_prepare(content, NULL), CONTENT_READY);
	assert_non_null(content_texture(content));
	render_device_finish(second);
	render_device_destroy(second);
	renderer_destroy(pixman);
}

/* The copy has the pixels that the other device missed, and no more. */
static void later_device_shows_no_pixels_that_the_copy_lacks(void **state)
{
	struct one_world *world = *state;
	waiter_cover(&world->waiter, 100, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES - 2);
	fixture_frames(world->waiter.fixture, 30);
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	assert_null(surface->current.buffer);
	const struct backing_store *store = backing_store_get(surface);
	const bool lacks = pixman_region32_not_empty((pixman_region32_t *)&store->missing);
	assert_int_equal(lacks, renderer == RENDERER_GLES);
	struct renderer *pixman = pixman_renderer_create();
	struct render_device *second = render_device_create(NULL, pixman, NULL);
	render_device_join(second, world->waiter.fixture->server->device);
	struct content *content = content_get(surface, second);
	pixman_region32_t covered;
	pixman_region32_init_rect(&covered, 85, 0, 10, SIDE);
	content_prepare(content, &covered);
	/* A texture has all pixels, or misses some. */
	assert_int_equal(content_texture(content) != NULL, !lacks);
	pixman_region32_fini(&covered);
	draw(&world->waiter);
	fixture_pump(world->waiter.fixture);
	assert_int_equal(content_prepare(content, NULL), CONTENT_READY);
	render_device_finish(second);
	render_device_destroy(second);
	renderer_destroy(pixman);
}

/* The renderer was lost, and nothing draws the window. */
static void hidden_client_goes_on_without_contents(void **state)
{
	struct one_world *world = *state;
	world->waiter.awaits_callback = false;
	window_set_minimized(peer_window_find(world->waiter.window), true);
	for (int i = 0; i < 3; i++) {
		content_drop_all(world->waiter.fixture->server->device);
		waiter_expect_rate(&world->waiter, WAITER_FRAMES / 3);
	}
	window_set_minimized(peer_window_find(world->waiter.window), false);
	peer_window_place(world->waiter.window, 20, 20);
	expect_pixels(world, &whole);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(client_keeps_its_rate_when_visible),
		TEST(client_keeps_its_rate_when_partly_covered),
		TEST(client_keeps_its_rate_when_partly_off_screen),
		TEST(client_goes_on_when_hidden),
		TEST(hidden_client_that_awaits_its_callback_is_not_copied_for),
		TEST(client_keeps_its_rate_when_resized),
		TEST(pixels_are_those_of_the_next_format),
		TEST(client_with_two_buffers_is_not_copied_for),
		TEST(client_left_with_one_buffer_goes_on),
		TEST(hidden_client_left_with_one_buffer_awaits_its_callback),
		TEST(kept_buffer_of_another_size_is_no_other_buffer),
		TEST(destroyed_buffer_stays_shown),
		TEST(color_ends_the_wait_for_the_buffer_before),
		TEST(client_with_another_buffer_is_not_copied_for_again),
		TEST(client_goes_on_once_there_is_room_for_a_copy),
		TEST(client_keeps_its_rate_with_another_device),
		TEST(later_device_shows_no_pixels_that_the_copy_lacks),
		TEST(hidden_client_goes_on_without_contents),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("one buffer", tests, NULL, NULL);
}
