/* SPDX-License-Identifier: MIT */
/*
 * Clients whose only buffer is read in place (a dma-buf), or holds video in shared memory: they
 * draw again once it is released, with any part of the window visible, and their pixels are exact.
 */

#include "color-representation-v1-client-protocol.h"
#include "content/internal.h"
#include "harness/client/waiter.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "shell/window.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIDE 64

/* A buffer whose memory the client draws to. */
struct canvas {
	struct wl_buffer *buffer;
	uint8_t *memory;
	size_t size;
	int width, height, fd, n_released;
};

struct dma_world {
	struct waiter waiter; /* first, for fixture_tear_down() */
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct canvas canvases[2];
	int n_canvases;
	bool video; /* luma only changes */
	bool full_range; /* of its codes */
	int on; /* canvas drawn to next */
};

static enum renderer_kind renderer;

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct canvas *canvas = data;
	canvas->n_released++;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct canvas *add_canvas(struct dma_world *world, int width, int height, size_t size)
{
	struct canvas *canvas = &world->canvases[world->n_canvases++];
	*canvas = (struct canvas){.size = size, .width = width, .height = height};
	canvas->fd = fd_create_memory("one-dmabuf", (off_t)size, true);
	assert_true(canvas->fd >= 0);
	canvas->memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, canvas->fd, 0);
	assert_true(canvas->memory != MAP_FAILED);
	canvas->n_released = 1;
	return canvas;
}

static struct canvas *add_dmabuf(struct dma_world *world, int width, int height, uint32_t format)
{
	const uint32_t stride = ((uint32_t)width * 4 + 255) & ~255u;
	struct canvas *canvas = add_canvas(world, width, height, (size_t)stride * (size_t)height);
	struct zwp_linux_buffer_params_v1 *params =
		zwp_linux_dmabuf_v1_create_params(world->dmabuf);
	zwp_linux_buffer_params_v1_add(params, canvas->fd, 0, 0, stride, 0, 0);
	canvas->buffer = zwp_linux_buffer_params_v1_create_immed(params, width, height, format, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	wl_buffer_add_listener(canvas->buffer, &buffer_listener, canvas);
	return canvas;
}

/* NV12 in shared memory. */
static struct canvas *add_video(struct dma_world *world, int width, int height)
{
	const int size = width * height * 3 / 2;
	struct canvas *canvas = add_canvas(world, width, height, (size_t)size);
	struct wl_shm_pool *pool = wl_shm_create_pool(world->waiter.peer->shm, canvas->fd, size);
	canvas->buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width, DRM_FORMAT_NV12);
	wl_shm_pool_destroy(pool);
	wl_buffer_add_listener(canvas->buffer, &buffer_listener, canvas);
	memset(canvas->memory + width * height, 128, (size_t)(width * height / 2));
	return canvas;
}

/* The gray level of an update; in video, the luma of limited range. */
static int level_of(int i)
{
	return 20 + i * 7 % 200;
}

static void fill(struct canvas *canvas, bool video, int level)
{
	if (video) {
		memset(canvas->memory, level, (size_t)(canvas->width * canvas->height));
	} else {
		memset(canvas->memory, level, canvas->size);
	}
}

static struct dma_world *world_from_waiter(const struct waiter *waiter)
{
	return wl_container_of(waiter, (struct dma_world *)NULL, waiter);
}

static bool is_free(const struct waiter *waiter)
{
	const struct dma_world *world = world_from_waiter(waiter);
	return world->canvases[world->on].n_released > 0;
}

static void draw(struct waiter *waiter)
{
	struct dma_world *world = world_from_waiter(waiter);
	struct canvas *canvas = &world->canvases[world->on];
	canvas->n_released = 0;
	fill(canvas, world->video, level_of(waiter->n_drawn + 1));
	waiter_commit(waiter, canvas->buffer, &(struct box){0, 0, canvas->width, canvas->height});
}

static const struct waiter_impl waiter_impl = {is_free, draw};

static int set_up(void **state)
{
	struct dma_world *world = xcalloc(1, sizeof(*world));
	waiter_init(&world->waiter, &waiter_impl, renderer, SIDE);
	world->dmabuf = peer_bind(world->waiter.peer, &zwp_linux_dmabuf_v1_interface, 3);
	fixture_frames(world->waiter.fixture, 60);
	peer_buffer_destroy(world->waiter.window->buffer);
	world->waiter.window->buffer = NULL;
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct dma_world *world = *state;
	for (int i = 0; i < world->n_canvases; i++) {
		munmap(world->canvases[i].memory, world->canvases[i].size);
		close(world->canvases[i].fd);
	}
	return fixture_tear_down(state);
}

static const struct buffer *shown_buffer(struct dma_world *world)
{
	return peer_surface_find(world->waiter.peer, world->waiter.window->surface)->current.buffer;
}

/* Fails if a frame shows another level than the last one drawn, or the one before. */
static void check_level(struct dma_world *world, int x, int y)
{
	const int shown = (int)(fixture_pixel(world->waiter.fixture, x, y) & 0xff);
	for (int i = 0; i < 2; i++) {
		int level = level_of(world->waiter.n_drawn - i);
		level = world->video && !world->full_range ? (level - 16) * 255 / 219 : level;
		if (shown >= level - 2 && shown <= level + 2) {
			return;
		}
	}
	fail_msg("%d is shown, not %d", shown, level_of(world->waiter.n_drawn));
}

/* Fails unless all of the window has the last level. */
static void expect_last(struct dma_world *world)
{
	fixture_frames(world->waiter.fixture, 4);
	for (int i = 0; i < SIDE; i += 9) {
		check_level(world, 20 + i, 20 + i);
	}
}

static void play_places(struct dma_world *world)
{
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	expect_last(world);
	/* Partly covered. */
	struct peer_window *above = waiter_cover(&world->waiter, 50, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	check_level(world, 30, 30);
	peer_window_place(above, 200, 0);
	expect_last(world);
	/* Partly off the screen. */
	peer_window_place(world->waiter.window, 290, 210);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	peer_window_place(world->waiter.window, 20, 20);
	expect_last(world);
}

static void dmabuf_keeps_its_rate_wherever_it_is_seen(void **state)
{
	struct dma_world *world = *state;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	play_places(world);
	world->waiter.awaits_callback = world->waiter.called = true;
	play_places(world);
}

static void video_in_shared_memory_keeps_its_rate(void **state)
{
	struct dma_world *world = *state;
	add_video(world, SIDE, SIDE);
	world->video = true;
	play_places(world);
}

static void play_hidden(struct dma_world *world)
{
	window_set_minimized(peer_window_find(world->waiter.window), true);
	fixture_frames(world->waiter.fixture, 2);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 4);
	window_set_minimized(peer_window_find(world->waiter.window), false);
	peer_window_place(world->waiter.window, 20, 20);
	expect_last(world);
	struct peer_window *above = waiter_cover(&world->waiter, 0, 0, 200, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 4);
	peer_window_destroy(above);
	expect_last(world);
}

static void hidden_dmabuf_goes_on(void **state)
{
	struct dma_world *world = *state;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	play_hidden(world);
}

static void hidden_video_goes_on(void **state)
{
	struct dma_world *world = *state;
	add_video(world, SIDE, SIDE);
	world->video = true;
	play_hidden(world);
}

/* Translucent pixels are copied with their alpha, and the copy is shown. */
static void copy_keeps_alpha(void **state)
{
	struct dma_world *world = *state;
	struct canvas *canvas = add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_ARGB8888);
	draw(&world->waiter);
	memset(canvas->memory, 0x40, canvas->size);
	fixture_frames(world->waiter.fixture, 4);
	const uint32_t before = fixture_pixel(world->waiter.fixture, 40, 40);
	assert_int_equal(canvas->n_released, 0);
	fixture_frames(world->waiter.fixture, 40);
	assert_int_equal(canvas->n_released, 1);
	memset(canvas->memory, 0xff, canvas->size);
	peer_window_place(world->waiter.window, 30, 30);
	fixture_frames(world->waiter.fixture, 4);
	assert_int_equal(fixture_pixel(world->waiter.fixture, 40, 40), before);
	assert_int_equal(fixture_pixel(world->waiter.fixture, 90, 90), before);
	/* The same in a copy that had other pixels before. */
	assert_in_range(waiter_play(&world->waiter, 40), 10, 40);
	canvas->n_released = 0;
	memset(canvas->memory, 0x40, canvas->size);
	wl_surface_attach(world->waiter.window->surface, canvas->buffer, 0, 0);
	wl_surface_damage_buffer(world->waiter.window->surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(world->waiter.window->surface);
	fixture_frames(world->waiter.fixture, 6);
	assert_int_equal(canvas->n_released, 1);
	memset(canvas->memory, 0xff, canvas->size);
	peer_window_place(world->waiter.window, 20, 20);
	fixture_frames(world->waiter.fixture, 4);
	assert_int_equal(fixture_pixel(world->waiter.fixture, 40, 40), before);
}

/* One copy is made of a window that stays as it is, and nothing ticks. */
static void still_window_costs_one_copy(void **state)
{
	struct dma_world *world = *state;
	struct render_device *device = world->waiter.fixture->server->device;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 4);
	const uint64_t passes = device->renderer->stats.passes;
	fixture_frames(world->waiter.fixture, 60);
	assert_int_equal(world->canvases[0].n_released, 1);
	assert_in_range(device->renderer->stats.passes - passes, 1, 4);
	assert_false(clock_advance_to_next(world->waiter.fixture->clock));
	/* The next update is no answer: no copy is made at once. */
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 3);
	assert_int_equal(world->canvases[0].n_released, 0);
	expect_last(world);
}

static void client_with_two_dmabufs_is_not_copied_for(void **state)
{
	struct dma_world *world = *state;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	for (int i = 0; i < 2; i++) {
		add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	}
	for (int i = 0; i < 20; i++) {
		world->on = i % 2;
		draw(&world->waiter);
		fixture_frames(world->waiter.fixture, 1);
	}
	fixture_frames(world->waiter.fixture, 100);
	assert_null(backing_store_get(surface)->gpu.chain);
	assert_int_equal(world->canvases[1].n_released, 0);
	expect_last(world);
}

/* A client that has waited gets a second buffer: its copies are freed. */
static void copies_go_with_the_wait(void **state)
{
	struct dma_world *world = *state;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	struct account *account = surface_account(surface);
	const int64_t used = account->used[ACCOUNT_PIXELS];
	assert_non_null(backing_store_get(surface)->gpu.chain);
	assert_in_range(backing_store_get(surface)->gpu.chain->n_made, 1, 3);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	for (int i = 0; i < 8; i++) {
		world->on = (i + 1) % 2;
		draw(&world->waiter);
		fixture_frames(world->waiter.fixture, 2);
	}
	assert_null(backing_store_get(surface)->gpu.chain);
	assert_true(account->used[ACCOUNT_PIXELS] < used);
	expect_last(world);
}

/* Without memory for copies, the client waits until there is. */
static void copy_without_memory_is_tried_again(void **state)
{
	struct dma_world *world = *state;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	struct account *account = surface_account(surface);
	const int64_t limit = account->ledger->account_limit[ACCOUNT_PIXELS];
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	account->ledger->account_limit[ACCOUNT_PIXELS] = SIDE * SIDE;
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 100);
	assert_int_equal(world->canvases[0].n_released, 0);
	account->ledger->account_limit[ACCOUNT_PIXELS] = limit;
	fixture_frames(world->waiter.fixture, 240);
	assert_int_equal(world->canvases[0].n_released, 1);
}

/* The pauses between tries are those of one buffer: the next one's wait is as short as usual. */
static void pause_after_failures_ends_with_the_buffer(void **state)
{
	struct dma_world *world = *state;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	struct account_ledger *ledger = surface_account(surface)->ledger;
	const int64_t limit = ledger->account_limit[ACCOUNT_PIXELS];
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	ledger->account_limit[ACCOUNT_PIXELS] = SIDE * SIDE;
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 600);
	ledger->account_limit[ACCOUNT_PIXELS] = limit;
	wl_buffer_destroy(world->canvases[0].buffer);
	world->on = 1;
	add_dmabuf(world, SIDE + 10, SIDE, DRM_FORMAT_XRGB8888);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 20);
	assert_int_equal(world->canvases[1].n_released, 1);
}

/* A device whose outputs show nothing of the window does not hold its buffer. */
static void dmabuf_keeps_its_rate_with_another_device(void **state)
{
	struct dma_world *world = *state;
	struct renderer *pixman = pixman_renderer_create();
	struct render_device *second = render_device_create(NULL, pixman, NULL);
	render_device_join(second, world->waiter.fixture->server->device);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	play_places(world);
	play_hidden(world);
	render_device_finish(second);
	render_device_destroy(second);
	renderer_destroy(pixman);
}

/* Other GPUs read linear copies only. They come and go while the client draws. */
static void copies_for_several_devices_are_linear(void **state)
{
	static const uint64_t tiled = I915_FORMAT_MOD_X_TILED;
	struct dma_world *world = *state;
	struct render_device *device = world->waiter.fixture->server->device;
	struct renderer *pixman = pixman_renderer_create();
	struct render_device *second = render_device_create(NULL, pixman, NULL);
	const struct backing_store *store = backing_store_get(
		peer_surface_find(world->waiter.peer, world->waiter.window->surface));
	format_set_add(&device->renderer->target_formats, DRM_FORMAT_XRGB8888, tiled);
	format_set_add(&device->renderer->texture_formats, DRM_FORMAT_XRGB8888, tiled);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	for (int i = 0; i < 3; i++) {
		const bool alone = i != 1;
		if (!alone) {
			render_device_join(second, device);
		} else if (i == 2) {
			render_device_finish(second);
		}
		waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
		assert_non_null(store->gpu.chain);
		const struct format_modifiers *layouts = &store->gpu.chain->format;
		assert_true(format_has_modifier(layouts, DRM_FORMAT_MOD_LINEAR));
		assert_int_equal(format_has_modifier(layouts, tiled), alone);
		assert_true(alone || layouts->n_modifiers == 1);
		expect_last(world);
	}
	render_device_destroy(second);
	renderer_destroy(pixman);
}

/* Each size has another only buffer. */
static void dmabuf_keeps_its_rate_when_resized(void **state)
{
	struct dma_world *world = *state;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	wl_buffer_destroy(world->canvases[0].buffer);
	world->on = 1;
	add_dmabuf(world, SIDE + 10, SIDE, DRM_FORMAT_XRGB8888);
	assert_in_range(
		waiter_play(&world->waiter, WAITER_FRAMES), WAITER_FRAMES / 2 - 2, WAITER_FRAMES);
	expect_last(world);
}

/* The copies of opaque buffers before it have no alpha. */
static void translucent_buffer_after_opaque_ones_keeps_its_alpha(void **state)
{
	struct dma_world *world = *state;
	const int beside = (int)(fixture_pixel(world->waiter.fixture, 200, 200) & 0xff);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	wl_buffer_destroy(world->canvases[0].buffer);
	world->on = 1;
	struct canvas *canvas = add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_ARGB8888);
	assert_in_range(
		waiter_play(&world->waiter, WAITER_FRAMES), WAITER_FRAMES / 2 - 2, WAITER_FRAMES);
	canvas->n_released = 0;
	memset(canvas->memory, 0x40, canvas->size);
	waiter_commit(&world->waiter, canvas->buffer, &(struct box){0, 0, SIDE, SIDE});
	fixture_frames(world->waiter.fixture, 40);
	assert_int_equal(canvas->n_released, 1);
	peer_window_place(world->waiter.window, 21, 20);
	fixture_frames(world->waiter.fixture, 4);
	const int expected = 0x40 + beside * (0xff - 0x40) / 0xff;
	assert_in_range(
		fixture_pixel(world->waiter.fixture, 40, 40) & 0xff, expected - 2, expected + 2);
}

/* A part of the video is copied while a cover hides it. */
static void copy_of_video_keeps_its_coding(void **state)
{
	struct dma_world *world = *state;
	struct wp_color_representation_manager_v1 *codings =
		peer_bind(world->waiter.peer, &wp_color_representation_manager_v1_interface, 1);
	struct wp_color_representation_surface_v1 *coding =
		wp_color_representation_manager_v1_get_surface(
			codings, world->waiter.window->surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(coding,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	add_video(world, SIDE, SIDE);
	world->video = world->full_range = true;
	struct peer_window *above = waiter_cover(&world->waiter, 50, 0, 60, 200);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	for (int i = 0; i < 6; i++) {
		waiter_play(&world->waiter, 9);
		while (shown_buffer(world)) {
			fixture_frames(world->waiter.fixture, 1);
		}
		peer_window_place(above, 200, 0);
		expect_last(world);
		peer_window_place(above, 50, 0);
	}
	wp_color_representation_surface_v1_destroy(coding);
	wp_color_representation_manager_v1_destroy(codings);
}

/* The window or its buffer goes while it is copied, or after. */
static void destroyed_buffers_and_windows_end_copies(void **state)
{
	struct dma_world *world = *state;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	wl_buffer_destroy(world->canvases[0].buffer);
	fixture_frames(world->waiter.fixture, 30);
	expect_last(world);
	peer_window_destroy(world->waiter.window);
	fixture_frames(world->waiter.fixture, 30);
	assert_true(peer_alive(world->waiter.peer));
}

/* Updates without a buffer, and new damage, have nothing to copy. */
static void copy_is_shown_until_the_next_buffer(void **state)
{
	struct dma_world *world = *state;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	const struct backing_store *store = backing_store_get(surface);
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	for (int known = 0; known < 2; known++) {
		if (known) {
			waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
			fixture_frames(world->waiter.fixture, 4);
		} else {
			draw(&world->waiter);
			fixture_frames(world->waiter.fixture, 60);
		}
		const struct buffer *copy = shown_buffer(world);
		assert_ptr_equal(copy, store->gpu.shown);
		assert_int_equal(store->eager, known);
		for (int i = 0; i < 4; i++) {
			wl_surface_set_buffer_scale(world->waiter.window->surface, 1);
			wl_surface_commit(world->waiter.window->surface);
			fixture_pump(world->waiter.fixture);
			assert_false(store->timer.armed);
			peer_window_place(world->waiter.window, 20 + i, 20);
			fixture_frames(world->waiter.fixture, 20);
			assert_ptr_equal(shown_buffer(world), copy);
		}
	}
}

static const struct renderer_impl *real_impl;
static int late_fence; /* signals when readable */

/* Ends copies when the fence signals. */
static bool submit_late(struct render_pass *pass, int *fence)
{
	const bool copies = pass->target->width == SIDE;
	const bool submitted = real_impl->submit(pass, fence);
	if (copies) {
		fd_close(fence);
		*fence = fcntl(late_fence, F_DUPFD_CLOEXEC, 0);
	}
	return submitted;
}

/* Lets a copy be late, while which the client draws into the buffer again. */
static void draw_during_copy(struct dma_world *world)
{
	struct renderer *device_renderer = world->waiter.fixture->server->device->renderer;
	struct renderer_impl impl = *device_renderer->impl;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	const struct backing_store *store = backing_store_get(surface);
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	late_fence = fds[0];
	real_impl = device_renderer->impl;
	impl.submit = submit_late;
	device_renderer->impl = &impl;
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 40);
	assert_ptr_equal(store->gpu.of, surface->current.buffer);
	assert_int_equal(world->canvases[0].n_released, 0);
	draw(&world->waiter);
	fixture_pump(world->waiter.fixture);
	device_renderer->impl = real_impl;
	assert_int_equal(write(fds[1], "", 1), 1);
	close(fds[0]);
	close(fds[1]);
}

/* The client draws into its buffer again without waiting for it: the copy has older pixels. */
static void late_copy_does_not_replace_a_newer_update(void **state)
{
	struct dma_world *world = *state;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	for (int known = 0; known < 2; known++) {
		if (known) {
			waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
		}
		draw_during_copy(world);
		fixture_frames(world->waiter.fixture, 2);
		assert_int_equal(fixture_pixel(world->waiter.fixture, 40, 40) & 0xff,
			level_of(world->waiter.n_drawn));
		assert_int_equal(world->canvases[0].n_released, known);
		/* The new pixels are copied, at the latest after the next pause. */
		fixture_frames(world->waiter.fixture, 40);
		assert_int_equal(world->canvases[0].n_released, 1);
		peer_window_place(world->waiter.window, 20 + known, 20);
		fixture_frames(world->waiter.fixture, 4);
		assert_int_equal(fixture_pixel(world->waiter.fixture, 40, 40) & 0xff,
			level_of(world->waiter.n_drawn));
	}
}

static bool refuse_dmabufs(struct renderer *renderer, struct texture **texture,
	struct buffer *buffer, const pixman_region32_t *damage, bool *holds)
{
	return !buffer_dmabuf(buffer) &&
	       real_impl->texture_update(renderer, texture, buffer, damage, holds);
}

/* The client goes on once the renderer reads its buffer. */
static void buffer_that_the_renderer_cannot_read_is_not_copied(void **state)
{
	struct dma_world *world = *state;
	struct renderer *device_renderer = world->waiter.fixture->server->device->renderer;
	struct renderer_impl impl = *device_renderer->impl;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	real_impl = device_renderer->impl;
	impl.texture_update = refuse_dmabufs;
	device_renderer->impl = &impl;
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 60);
	assert_int_equal(world->canvases[0].n_released, 0);
	device_renderer->impl = real_impl;
	fixture_frames(world->waiter.fixture, 240);
	assert_int_equal(world->canvases[0].n_released, 1);
	expect_last(world);
}

/* The display would read it until the next page flip. */
static void buffer_that_a_client_waits_for_is_kept_from_planes(void **state)
{
	struct dma_world *world = *state;
	struct render_device *device = world->waiter.fixture->server->device;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	enum route_reason barred;
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 2);
	assert_ptr_equal(content_plane_buffer(surface, device, NULL, &barred), shown_buffer(world));
	assert_int_equal(barred, REASON_BEST);
	waiter_expect_rate(&world->waiter, WAITER_FRAMES / 2 - 2);
	while (world->canvases[0].n_released == 0) {
		fixture_frames(world->waiter.fixture, 1);
	}
	draw(&world->waiter);
	fixture_pump(world->waiter.fixture);
	assert_null(content_plane_buffer(surface, device, NULL, &barred));
	assert_int_equal(barred, REASON_ONLY_BUFFER);
}

/* Feedback of an update without a buffer comes while a plane shows the copy. */
static void copy_on_a_plane_is_not_the_clients_buffer(void **state)
{
	struct dma_world *world = *state;
	const struct server *server = world->waiter.fixture->server;
	struct surface *surface =
		peer_surface_find(world->waiter.peer, world->waiter.window->surface);
	struct scene_output *output = server->scene->outputs[0];
	add_dmabuf(world, SIDE, SIDE, DRM_FORMAT_XRGB8888);
	draw(&world->waiter);
	fixture_frames(world->waiter.fixture, 2);
	for (int copied = 0; copied < 2; copied++) {
		assert_int_equal(backing_store_get(surface)->gpu.shown != NULL, copied);
		const int index = scene_surface_find(surface)->node.entry_index[0];
		const enum scene_place place = output->entries[index].place;
		output->entries[index].place = PLACE_OVER;
		assert_int_equal(content_is_scanned_out(server->device, output, surface), !copied);
		output->entries[index].place = place;
		fixture_frames(world->waiter.fixture, 60);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(dmabuf_keeps_its_rate_wherever_it_is_seen),
		TEST(video_in_shared_memory_keeps_its_rate),
		TEST(hidden_dmabuf_goes_on),
		TEST(hidden_video_goes_on),
		TEST(copy_keeps_alpha),
		TEST(still_window_costs_one_copy),
		TEST(client_with_two_dmabufs_is_not_copied_for),
		TEST(copies_go_with_the_wait),
		TEST(copy_without_memory_is_tried_again),
		TEST(pause_after_failures_ends_with_the_buffer),
		TEST(dmabuf_keeps_its_rate_with_another_device),
		TEST(copies_for_several_devices_are_linear),
		TEST(dmabuf_keeps_its_rate_when_resized),
		TEST(translucent_buffer_after_opaque_ones_keeps_its_alpha),
		TEST(copy_of_video_keeps_its_coding),
		TEST(destroyed_buffers_and_windows_end_copies),
		TEST(copy_is_shown_until_the_next_buffer),
		TEST(late_copy_does_not_replace_a_newer_update),
		TEST(buffer_that_the_renderer_cannot_read_is_not_copied),
		TEST(buffer_that_a_client_waits_for_is_kept_from_planes),
		TEST(copy_on_a_plane_is_not_the_clients_buffer),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("one dma-buf", tests, NULL, NULL);
}
