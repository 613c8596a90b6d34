/* SPDX-License-Identifier: MIT */
/*
 * Uploads too large for a frame run on a thread: other surfaces keep their rate, the old content
 * stays until then, and each frame is exact.
 */

#include "buffer/allocator.h"
#include "content/internal.h"
#include "content/upload_thread.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "harness/await.h"
#include "harness/client/capturer.h"
#include "harness/peer.h"
#include "shell/window.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define BIG_W 200
#define BIG_H 180
#define BIG_BYTES (BIG_W * BIG_H * 4)
/* The small window uploads less per frame, the big one more. */
#define BUDGET 65536

#define MANY 512 /* more descriptors than the process ever uses */
#define RED 0xffff0000u
#define GREEN 0xff00ff00u
#define BLUE 0xff0000ffu

struct upload_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct render_device *device;
	struct peer *peer;
	struct peer_window *big, *small;
};

static void settle(struct upload_world *world)
{
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 6);
}

static struct peer_window *show_window(struct upload_world *world, struct peer *peer, int x, int y,
	int32_t w, int32_t h, uint32_t pixel)
{
	struct peer_window *window = peer_window_create(peer, x, y, w, h, pixel);
	settle(world);
	/* The window is mapped by now, at the position chosen by the shell. */
	peer_window_place(window, x, y);
	settle(world);
	return window;
}

static int set_up_outputs(void **state, int n)
{
	struct upload_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(&(struct fixture_options){
		.renderer = RENDERER_GLES, .width = 320, .height = 240, .n_outputs = n});
	world->device = world->fixture->server->device;
	content_device_from(world->device)->upload_budget = BUDGET;
	world->peer = peer_create(world->fixture);
	world->big = show_window(world, world->peer, 0, 0, BIG_W, BIG_H, RED);
	world->small = show_window(world, world->peer, 240, 0, 32, 32, BLUE);
	*state = world;
	return 0;
}

static int set_up(void **state)
{
	return set_up_outputs(state, 1);
}

static int set_up_two(void **state)
{
	return set_up_outputs(state, 2);
}

static struct peer_buffer *colored(struct upload_world *world, int32_t w, int32_t h, uint32_t pixel)
{
	struct peer_buffer *buffer = peer_buffer_create(world->peer, w, h, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, w, h, pixel);
	return buffer;
}

static void assert_big(struct upload_world *world, uint32_t pixel)
{
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int y = 0; y < BIG_H; y++) {
		for (int x = 0; x < BIG_W; x++) {
			if (shot->pixels[y * shot->width + x] != (pixel & 0xffffff)) {
				fail_msg("%d, %d is %06x, not %06x", x, y,
					shot->pixels[y * shot->width + x], pixel & 0xffffff);
			}
		}
	}
	image_destroy(shot);
}

static uint64_t bytes_uploaded(const struct upload_world *world)
{
	return world->device->renderer->stats.bytes_uploaded;
}

/*
 * While the thread is blocked, the small window presents each of its frames, and no frame exceeds
 * its upload budget.
 */
static void other_surfaces_keep_their_rate(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *small[2] = {colored(world, 32, 32, RED), colored(world, 32, 32, BLUE)};
	struct frame_output *frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	fixture_block_uploads(world->fixture);
	peer_surface_show(world->big->surface, next);
	for (int i = 0; i < 8; i++) {
		uint64_t presented = frame->stats.presented, bytes = bytes_uploaded(world);
		peer_surface_show(world->small->surface, small[i % 2]);
		fixture_frames(world->fixture, 1);
		if (i > 0) {
			assert_int_equal(frame->stats.presented, presented + 1);
			assert_int_equal(bytes_uploaded(world), bytes + 32 * 32 * 4);
		}
		assert_big(world, RED);
	}
	assert_int_equal(frame->stats.missed, 0);
	assert_int_equal(next->n_released, 0);

	fixture_open_uploads(world->fixture);
	fixture_pump(world->fixture);
	/* All bytes are uploaded: the buffer is released before the next frame. */
	assert_int_equal(next->n_released, 1);
	fixture_frames(world->fixture, 2);
	assert_big(world, GREEN);
}

/* Each of two updates fits the budget, and both together exceed it. */
static void surfaces_share_the_budget_of_a_frame(void **state)
{
	struct upload_world *world = *state;
	const int32_t width = 128, height = 100;
	struct peer_window *windows[2];
	struct peer_buffer *next[2];
	for (int i = 0; i < 2; i++) {
		windows[i] = show_window(
			world, world->peer, i * 150, i * 100, width, height, 0xff808080u);
		next[i] = colored(world, width, height, GREEN);
	}
	fixture_block_uploads(world->fixture);
	const uint64_t before = bytes_uploaded(world);
	peer_surface_show(windows[0]->surface, next[0]);
	peer_surface_show(windows[1]->surface, next[1]);
	fixture_pump(world->fixture);
	/* The second one waits as a whole: its old content stays with its old state. */
	for (int i = 0; i < 2; i++) {
		const struct surface *surface = peer_surface_find(world->peer, windows[i]->surface);
		assert_int_equal(surface->n_queued, i);
	}
	fixture_frames(world->fixture, 1);
	assert_int_equal(bytes_uploaded(world) - before, width * height * 4);
	settle(world);
	assert_int_equal(bytes_uploaded(world) - before, 2 * width * height * 4);
}

/* Without a free descriptor for the event source, the end of an upload is polled. */
static void upload_completes_without_free_descriptors(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	struct rlimit before, limit;
	int fds[MANY], n = 0;
	fixture_block_uploads(world->fixture);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = (struct rlimit){MANY, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
		n++;
	}
	/* Room for the two ends of the gate's pipe. */
	close(fds[--n]);
	close(fds[--n]);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 2);
	assert_false(wl_list_empty(&content_device_from(world->device)->uploads));
	assert_big(world, RED);
	fixture_open_uploads(world->fixture);
	world->fixture->holds_uploads = true; /* pumping waits for an event source */
	await(wl_list_empty(&content_device_from(world->device)->uploads),
		fixture_frames(world->fixture, 1));
	world->fixture->holds_uploads = false;
	while (n > 0) {
		close(fds[--n]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	settle(world);
	assert_big(world, GREEN);
}

/* Of updates faster than they can be uploaded, only presented ones are uploaded. */
static void superseded_updates_are_not_uploaded(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *buffers[12];
	uint64_t before = bytes_uploaded(world);
	fixture_block_uploads(world->fixture);
	for (int i = 0; i < 12; i++) {
		buffers[i] = colored(world, BIG_W, BIG_H, 0xff000000u | (uint32_t)(i * 20));
		peer_surface_show(world->big->surface, buffers[i]);
		fixture_pump(world->fixture);
	}
	settle(world);
	assert_big(world, 11 * 20);
	assert_int_equal(bytes_uploaded(world) - before, 2 * BIG_BYTES);
	for (int i = 0; i < 12; i++) {
		assert_int_equal(buffers[i]->n_released, 1);
	}
}

/* The unmapping commit does not wait for pending uploads, and gets its own configure event. */
static void unmapping_does_not_wait_for_uploads(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *a = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *b = colored(world, BIG_W, BIG_H, BLUE);
	fixture_block_uploads(world->fixture);
	peer_surface_show(world->big->surface, a);
	peer_surface_show(world->big->surface, b);
	wl_surface_attach(world->big->surface, NULL, 0, 0);
	wl_surface_commit(world->big->surface);
	fixture_pump(world->fixture);
	assert_false(peer_window_find(world->big)->mapped);
	int n_configures = world->big->n_configures;
	wl_surface_commit(world->big->surface);
	settle(world);
	assert_int_equal(world->big->n_configures, n_configures + 1);
	assert_int_equal(a->n_released, 1);
	assert_int_equal(b->n_released, 1);
}

/* A small update during a large upload is not overwritten by it. */
static void small_update_survives_a_large_upload(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *large = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *both = colored(world, BIG_W, BIG_H, GREEN);
	peer_buffer_fill(both, 10, 20, 30, 40, BLUE);
	fixture_block_uploads(world->fixture);
	peer_surface_show(world->big->surface, large);
	fixture_frames(world->fixture, 2);
	wl_surface_attach(world->big->surface, both->buffer, 0, 0);
	wl_surface_damage_buffer(world->big->surface, 10, 20, 30, 40);
	wl_surface_commit(world->big->surface);
	fixture_frames(world->fixture, 2);
	assert_big(world, RED);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 10, 20), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 39, 59), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 40, 59), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 9, 20), GREEN & 0xffffff);
	assert_int_equal(large->n_released, 1);
	assert_int_equal(both->n_released, 1);
}

/* A tree applies as a whole, after the last of its uploads. */
static void tree_applies_after_its_last_upload(void **state)
{
	struct upload_world *world = *state;
	struct wl_surface *child = wl_compositor_create_surface(world->peer->compositor);
	struct wl_subsurface *subsurface =
		peer_subsurface(world->peer, child, world->small->surface, -40, 100);
	struct peer_buffer *first = colored(world, 100, 100, GREEN);
	struct peer_buffer *large = colored(world, BIG_W, BIG_H, GREEN);
	struct peer_buffer *parent = colored(world, 32, 32, GREEN);
	wl_subsurface_set_sync(subsurface);
	peer_surface_show(child, first);
	wl_surface_commit(world->small->surface);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 210, 110), GREEN & 0xffffff);

	fixture_block_uploads(world->fixture);
	peer_buffer_fill(large, 0, 0, BIG_W, BIG_H, BLUE);
	peer_surface_show(child, large);
	wl_subsurface_set_position(subsurface, -40, 110);
	peer_surface_show(world->small->surface, parent);
	fixture_frames(world->fixture, 3);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 210, 105), GREEN & 0xffffff);

	fixture_open_uploads(world->fixture);
	fixture_pump(world->fixture);
	fixture_frames(world->fixture, 2);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), GREEN & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 210, 115), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 310, 235), BLUE & 0xffffff);
	assert_true(peer_alive(world->peer));
}

/* Destroying the buffer or the window does not wait for the thread. */
static void surface_can_go_during_an_upload(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	fixture_block_uploads(world->fixture);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 1);
	assert_false(wl_list_empty(&content_device_from(world->device)->uploads));
	peer_buffer_destroy(next);
	fixture_frames(world->fixture, 1);
	peer_window_destroy(world->big);
	fixture_frames(world->fixture, 2);
	assert_int_equal(fixture_pixel(world->fixture, 250, 10), BLUE & 0xffffff);
	fixture_open_uploads(world->fixture);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

static void client_can_die_during_an_upload(void **state)
{
	struct upload_world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = show_window(world, other, 0, 0, BIG_W, BIG_H, GREEN);
	fixture_block_uploads(world->fixture);
	struct peer_buffer *next = peer_buffer_create(other, BIG_W, BIG_H, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, next);
	fixture_frames(world->fixture, 1);
	peer_destroy(other);
	fixture_frames(world->fixture, 2);
	fixture_open_uploads(world->fixture);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->peer));
}

/* A lost renderer takes its staging buffer along; the waiting update applies all the same. */
static void lost_renderer_applies_the_waiting_update(void **state)
{
	struct upload_world *world = *state;
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	fixture_block_uploads(world->fixture);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 1);
	struct renderer *renderer = world->device->renderer;
	/* lose() joins the thread, which must be able to finish. */
	fixture_open_uploads(world->fixture);
	renderer->impl->lose(renderer);
	fixture_frames(world->fixture, 4);
	settle(world);
	assert_big(world, GREEN);
}

/* Pixels lost with a renderer leave the background, not older pixels of other windows. */
static void lost_opaque_content_shows_the_background(void **state)
{
	struct upload_world *world = *state;
	uint32_t background = fixture_pixel(world->fixture, 310, 230);
	struct wl_region *opaque = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(opaque, 0, 0, BIG_W, BIG_H);
	wl_surface_set_opaque_region(world->big->surface, opaque);
	wl_region_destroy(opaque);
	wl_surface_commit(world->big->surface);
	settle(world);
	struct renderer *renderer = world->device->renderer;
	renderer->impl->lose(renderer);
	fixture_frames(world->fixture, 4);
	peer_window_place(world->small, 50, 50);
	for (int i = 0; i < 4; i++) {
		peer_surface_show(world->small->surface, colored(world, 32, 32, BLUE));
		settle(world);
	}
	assert_int_equal(fixture_pixel(world->fixture, 60, 60), BLUE & 0xffffff);
	peer_window_place(world->small, 240, 0);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 60, 60), background);
}

/* A file truncated under the thread disconnects its client only. */
static void truncated_file_disconnects_its_client_only(void **state)
{
	struct upload_world *world = *state;
	struct peer *other = peer_create(world->fixture);
	struct peer_window *window = show_window(world, other, 0, 0, BIG_W, BIG_H, GREEN);
	struct peer_buffer *next = peer_buffer_create(other, BIG_W, BIG_H, WL_SHM_FORMAT_XRGB8888);
	fixture_block_uploads(world->fixture);
	peer_surface_show(window->surface, next);
	fixture_frames(world->fixture, 1);
	assert_false(wl_list_empty(&content_device_from(world->device)->uploads));
	capturer_set_guard();
	assert_int_equal(ftruncate(next->fd, 4096), 0);
	fixture_open_uploads(world->fixture);
	fixture_pump(world->fixture);
	peer_expect_error(other, &wl_buffer_interface, WL_SHM_ERROR_INVALID_FD);
	assert_true(peer_alive(world->peer));
}

/* The first content of a window appears when it is complete, and delays no frame. */
static void first_content_appears_complete(void **state)
{
	struct upload_world *world = *state;
	fixture_block_uploads(world->fixture);
	uint64_t before = bytes_uploaded(world);
	struct peer_window *window = peer_window_create(world->peer, 0, 0, BIG_W, BIG_H, GREEN);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	assert_big(world, RED);
	settle(world);
	peer_window_place(window, 0, 0);
	fixture_frames(world->fixture, 2);
	assert_big(world, GREEN);
	assert_int_equal(bytes_uploaded(world), before + BIG_BYTES);
}

/* Uncovers the big window, which has changed from red to green, while uploads are blocked. */
static struct peer_buffer *uncover(struct upload_world *world)
{
	struct peer_window *cover = show_window(world, world->peer, 0, 0, BIG_W, BIG_H, BLUE);
	struct wl_region *opaque = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(opaque, 0, 0, BIG_W, BIG_H);
	wl_surface_set_opaque_region(cover->surface, opaque);
	wl_region_destroy(opaque);
	wl_surface_commit(cover->surface);
	fixture_frames(world->fixture, 2);
	struct peer_buffer *next = colored(world, BIG_W, BIG_H, GREEN);
	const uint64_t before = bytes_uploaded(world);
	peer_surface_show(world->big->surface, next);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	fixture_block_uploads(world->fixture);
	peer_window_place(cover, 320, 240);
	fixture_frames(world->fixture, 3);
	assert_int_equal(bytes_uploaded(world), before);
	assert_big(world, RED);
	return next;
}

/* A window that changed while covered shows its old content until the upload is complete. */
static void uncovered_window_keeps_its_old_content_until_uploaded(void **state)
{
	struct upload_world *world = *state;
	const struct peer_buffer *next = uncover(world);
	const uint64_t before = bytes_uploaded(world);
	const struct surface *surface = peer_surface_find(world->peer, world->big->surface);
	uint64_t shown = surface->n_shown;
	settle(world);
	assert_big(world, GREEN);
	assert_int_equal(surface->n_shown, shown + 1);
	assert_int_equal(bytes_uploaded(world), before + BIG_BYTES);
	assert_int_equal(next->n_released, 1);
}

/* The update would otherwise apply above pixels that its buffer has, and that are still old. */
static void update_waits_for_visible_pixels_from_before(void **state)
{
	struct upload_world *world = *state;
	uncover(world);
	const struct surface *surface = peer_surface_find(world->peer, world->big->surface);
	struct peer_buffer *both = colored(world, BIG_W, BIG_H, GREEN);
	peer_buffer_fill(both, 10, 20, 30, 40, BLUE);
	wl_surface_attach(world->big->surface, both->buffer, 0, 0);
	wl_surface_damage_buffer(world->big->surface, 10, 20, 30, 40);
	wl_surface_commit(world->big->surface);
	fixture_frames(world->fixture, 2);
	assert_int_equal(surface->n_queued, 1);
	assert_big(world, RED);
	settle(world);
	assert_int_equal(fixture_pixel(world->fixture, 39, 59), BLUE & 0xffffff);
	assert_int_equal(fixture_pixel(world->fixture, 40, 59), GREEN & 0xffffff);
	assert_int_equal(both->n_released, 1);
}

/* A capture has the newest content, unless it is to be as on the screen. */
static void capture_does_not_wait_for_uploads(void **state)
{
	struct upload_world *world = *state;
	uncover(world);
	for (int as_shown = 1; as_shown >= 0; as_shown--) {
		struct buffer *target = memory_buffer_create(320, 240, DRM_FORMAT_XRGB8888);
		const struct frame_capture capture = {
			.box = {0, 0, 320, 240}, .as_shown = as_shown};
		int fence;
		void *pixels;
		size_t stride;
		assert_int_equal(frame_capture(world->fixture->server->scene, world->device, target,
					 &capture, &fence),
			FRAME_CAPTURE_DRAWN);
		fd_close(&fence);
		assert_int_equal(buffer_begin_access(target, BUFFER_READ, &pixels, &stride), 0);
		const uint32_t pixel = *(const uint32_t *)((char *)pixels + 90 * stride + 100 * 4);
		assert_int_equal(pixel & 0xffffff, (as_shown ? RED : GREEN) & 0xffffff);
		buffer_end_access(target);
		buffer_drop(target);
	}
	settle(world);
	assert_big(world, GREEN);
}

/* An upload of pixels that became visible is dropped if a buffer of another size replaces them. */
static void resized_content_is_not_overwritten_by_an_old_upload(void **state)
{
	static const struct {
		int32_t width, height;
	} sizes[] = {{40, BIG_H}, {BIG_W, 40}};
	struct upload_world *world = *state;
	struct peer_window *cover = show_window(world, world->peer, 0, 0, BIG_W, BIG_H, BLUE);
	struct wl_region *opaque = wl_compositor_create_region(world->peer->compositor);
	wl_region_add(opaque, 0, 0, BIG_W, BIG_H);
	wl_surface_set_opaque_region(cover->surface, opaque);
	wl_region_destroy(opaque);
	wl_surface_commit(cover->surface);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct peer_buffer *large = colored(world, BIG_W, BIG_H, GREEN);
		struct peer_buffer *small =
			colored(world, sizes[i].width, sizes[i].height, 0xff00ffff);
		peer_surface_show(world->big->surface, colored(world, BIG_W, BIG_H, RED));
		settle(world);
		peer_window_place(cover, 0, 0);
		settle(world);
		peer_surface_show(world->big->surface, large);
		fixture_frames(world->fixture, 3);
		fixture_block_uploads(world->fixture);
		peer_window_place(cover, 320, 240);
		fixture_frames(world->fixture, 2);
		assert_false(wl_list_empty(&content_device_from(world->device)->uploads));
		wl_surface_attach(world->big->surface, small->buffer, 0, 0);
		wl_surface_damage_buffer(
			world->big->surface, 0, 0, sizes[i].width, sizes[i].height);
		wl_surface_commit(world->big->surface);
		fixture_frames(world->fixture, 2);
		settle(world);
		for (int y = 0; y < 2; y++) {
			peer_window_place(world->big, 0, y); /* draws all of it again */
			settle(world);
			assert_int_equal(fixture_pixel(world->fixture, 20, 20), 0x00ffff);
			assert_int_equal(fixture_pixel(world->fixture, sizes[i].width - 1,
						 sizes[i].height - 1 + y),
				0x00ffff);
		}
		peer_window_place(world->big, 0, 0);
		assert_int_equal(large->n_released, 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

/* A part that is missing later would show old pixels on one of the outputs. */
static void update_is_uploaded_for_all_outputs_that_show_it(void **state)
{
	struct upload_world *world = *state;
	const struct surface *surface = peer_surface_find(world->peer, world->big->surface);
	const struct content *content = content_find((struct surface *)surface, world->device);
	peer_window_place(world->big, 320 - BIG_W / 2, 0);
	settle(world);
	assert_int_equal(surface->outputs, 3);
	fixture_block_uploads(world->fixture);
	struct peer_buffer *green = colored(world, BIG_W, BIG_H, GREEN);
	peer_surface_show(world->big->surface, green);
	fixture_frames(world->fixture, 2);
	assert_non_null(content->deferred.upload);
	const struct box due = region_extents(upload_region(content->deferred.upload));
	assert_true(box_equal(&due, &(struct box){0, 0, BIG_W, BIG_H}));
	settle(world);
	for (int i = 0; i < 2; i++) {
		struct image *shot = fixture_shot(world->fixture, i);
		assert_int_equal(shot->pixels[i ? 10 : 310], GREEN & 0xffffff);
		image_destroy(shot);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(other_surfaces_keep_their_rate),
		TEST(surfaces_share_the_budget_of_a_frame),
		TEST(upload_completes_without_free_descriptors),
		TEST(superseded_updates_are_not_uploaded),
		TEST(unmapping_does_not_wait_for_uploads),
		TEST(small_update_survives_a_large_upload),
		TEST(tree_applies_after_its_last_upload),
		TEST(surface_can_go_during_an_upload),
		TEST(client_can_die_during_an_upload),
		TEST(lost_renderer_applies_the_waiting_update),
		TEST(lost_opaque_content_shows_the_background),
		TEST(truncated_file_disconnects_its_client_only),
		TEST(first_content_appears_complete),
		TEST(uncovered_window_keeps_its_old_content_until_uploaded),
		TEST(update_waits_for_visible_pixels_from_before),
		TEST(capture_does_not_wait_for_uploads),
		TEST(resized_content_is_not_overwritten_by_an_old_upload),
		cmocka_unit_test_setup_teardown(update_is_uploaded_for_all_outputs_that_show_it,
			set_up_two, fixture_tear_down),
	};

	capturer_learn_guard();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
