/* SPDX-License-Identifier: MIT */
/*
 * Uploads of video in shm: a thread converts what exceeds a frame's budget, so that the event loop
 * takes as long as for RGB.
 */

#include "color-representation-v1-client-protocol.h"
#include "content/device.h"
#include "content/internal.h"
#include "gpu/format.h"
#include "harness/client/video.h"
#include "harness/growth.h"
#include "shell/window.h"
#include "surface/surface.h"
#include "surface/transaction.h"
#include "util/account.h"
#include "util/xalloc.h"
#include "viewporter-client-protocol.h"

#define LARGE_WIDTH 3840
#define LARGE_HEIGHT 2160
/* Of frames other than the first, which make textures. */
#define N_MEASURED 3
#define N_ATTEMPTS 8

#define TOO_WIDE 40000

/* Y 120, U 100, V 180, by BT.601 of limited range and BT.709 of full range. */
#define RGB_601 0xcc5a41
#define RGB_709 0xca6544

/* Odd, so that the last chroma samples cover one column or row. */
#define WIDTH 61
#define HEIGHT 47

struct video_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct render_device *device;
	struct peer *peer;
	struct peer_window *window;
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct video_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	world->device = world->fixture->server->device;
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 0, 0, WIDTH, HEIGHT, 0xff00ff00);
	fixture_frames(world->fixture, 4);
	*state = world;
	return 0;
}

static bool is_yuv(uint32_t format)
{
	return pixel_format_get(format)->yuv;
}

/* Returns the least CPU time (ns) of this thread, which is the event loop's, for an update. */
static int64_t measure(struct video_world *world, struct video *video)
{
	int64_t least = INT64_MAX;
	for (int i = 0; i < N_MEASURED; i++) {
		const int64_t begun = growth_clock();
		video_show(video, world->window->surface);
		fixture_frames(world->fixture, 4);
		const int64_t taken = growth_clock() - begun;
		least = taken < least ? taken : least;
	}
	return least;
}

/* Shows all of the large buffers in a small window, so that drawing takes little. */
static void large_video_takes_the_loop_no_longer_than_rgb(void **state)
{
	struct video_world *world = *state;
	if (renderer == RENDERER_PIXMAN) {
		print_message("skip: pixman reads RGB in place, at no cost\n");
		skip();
	}
	struct wp_viewporter *viewporter = peer_bind(world->peer, &wp_viewporter_interface, 0);
	struct wp_viewport *viewport =
		wp_viewporter_get_viewport(viewporter, world->window->surface);
	wp_viewport_set_destination(viewport, 64, 36);
	struct video *rgb =
		video_create(world->peer, DRM_FORMAT_XRGB8888, LARGE_WIDTH, LARGE_HEIGHT);
	const struct renderer *self = world->device->renderer;
	for (size_t i = 0; i < self->n_shm_formats; i++) {
		const uint32_t format = self->shm_formats[i];
		if (!is_yuv(format)) {
			continue;
		}
		struct video *video = video_create(world->peer, format, LARGE_WIDTH, LARGE_HEIGHT);
		int64_t taken = INT64_MAX, most = 0;
		for (int j = 0; j < N_ATTEMPTS && taken > most; j++) {
			most = measure(world, rgb) * 3 / 2;
			taken = measure(world, video);
		}
		if (taken > most) {
			char name[5];
			fail_msg("%s takes %d us, RGB of the same size %d us",
				pixel_format_name(format, name), (int)(taken / 1000),
				(int)(most * 2 / 3 / 1000));
		}
		video_destroy(video);
	}
	video_destroy(rgb);
}

static struct content *find_content(struct video_world *world)
{
	return content_find(peer_surface_find(world->peer, world->window->surface), world->device);
}

static uint64_t bytes_uploaded(const struct video_world *world)
{
	return world->device->renderer->stats.bytes_uploaded;
}

/* Begins an update whose upload waits for the thread. */
static struct video *begin_upload(struct video_world *world, uint32_t format)
{
	struct video *video = video_create(world->peer, format, WIDTH, HEIGHT);
	video_fill(video, 1);
	fixture_block_uploads(world->fixture);
	video_show(video, world->window->surface);
	fixture_frames(world->fixture, 3);
	return video;
}

/* The staging memory of an upload is charged until its end, as much as a texture. */
static void frames_convert_nothing_of_large_updates(void **state)
{
	struct video_world *world = *state;
	const struct renderer *self = world->device->renderer;
	const struct account *account = surface_account(peer_window_find(world->window)->surface);
	content_device_from(world->device)->upload_budget = 1;
	for (size_t i = 0; i < self->n_shm_formats; i++) {
		if (!is_yuv(self->shm_formats[i])) {
			continue;
		}
		/* Of the same size, and with all of its pixels. */
		peer_surface_show(world->window->surface, world->window->buffer);
		fixture_frames(world->fixture, 6);
		assert_int_equal(fixture_pixel(world->fixture, WIDTH / 2, 5), 0x00ff00);
		const uint64_t before = bytes_uploaded(world);
		const int64_t used = account->used[ACCOUNT_PIXELS];
		struct video *video = begin_upload(world, self->shm_formats[i]);
		assert_non_null(find_content(world)->deferred.blocker.update);
		assert_int_equal(bytes_uploaded(world), before);
		assert_int_equal(fixture_pixel(world->fixture, WIDTH / 2, 5), 0x00ff00);
		assert_int_equal(account->used[ACCOUNT_PIXELS] - used, WIDTH * HEIGHT * 4);
		assert_true(video->busy);
		fixture_open_uploads(world->fixture);
		fixture_frames(world->fixture, 2);
		/* RGB is read in place by the CPU. */
		assert_int_equal(
			account->used[ACCOUNT_PIXELS] - used, self->cpu ? WIDTH * HEIGHT * 4 : 0);
		assert_int_equal(bytes_uploaded(world) - before, WIDTH * HEIGHT * 4);
		assert_int_equal(find_content(world)->charged, WIDTH * HEIGHT * 4);
		peer_surface_show(world->window->surface, world->window->buffer);
		fixture_frames(world->fixture, 2);
		assert_false(video->busy);
		video_destroy(video);
	}
}

enum end { END_BUFFER, END_WINDOW, END_CLIENT, N_ENDS };

/* Ends something during an upload, after which nothing is left of it. */
static void end_during_upload(struct video_world *world, uint32_t format, enum end end)
{
	struct video_world other = {world->fixture, world->device, NULL, NULL};
	const struct content_device *device = content_device_from(world->device);
	other.peer = peer_create(other.fixture);
	other.window = peer_window_create(other.peer, 0, 0, WIDTH, HEIGHT, 0xffff0000);
	fixture_frames(world->fixture, 6);
	struct video *video = begin_upload(&other, format);
	assert_false(wl_list_empty(&device->uploads));
	if (end == END_WINDOW) {
		peer_window_destroy(other.window);
	}
	video_destroy(video); /* not sent before a client ends */
	if (end == END_CLIENT) {
		peer_destroy(other.peer);
	}
	fixture_frames(world->fixture, 2);
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 4);
	assert_true(wl_list_empty(&device->uploads));
	if (end != END_CLIENT) {
		assert_true(peer_alive(other.peer));
		peer_destroy(other.peer);
		fixture_frames(world->fixture, 2);
	}
	assert_int_equal(wl_list_length(&device->contents), 1);
}

static void buffers_windows_and_clients_can_go_during_an_upload(void **state)
{
	struct video_world *world = *state;
	const struct renderer *self = world->device->renderer;
	content_device_from(world->device)->upload_budget = 1;
	for (size_t i = 0; i < self->n_shm_formats; i++) {
		for (int end = 0; end < N_ENDS && is_yuv(self->shm_formats[i]); end++) {
			end_during_upload(world, self->shm_formats[i], (enum end)end);
		}
	}
	assert_true(peer_alive(world->peer));
}

/* No renderer has textures or images of that width. */
static void video_wider_than_textures_is_not_shown(void **state)
{
	struct video_world *world = *state;
	static const uint32_t beyond[] = {DRM_FORMAT_NV12, DRM_FORMAT_YUYV, DRM_FORMAT_XRGB8888};
	for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
		struct video *video = video_create(world->peer, beyond[i], TOO_WIDE, 31);
		struct peer *other = peer_create(world->fixture);
		struct peer_window *window =
			peer_window_create(other, 0, 0, WIDTH, HEIGHT, 0xff0000ff);
		fixture_frames(world->fixture, 4);
		peer_window_place(window, 0, 80);
		video_show(video, world->window->surface);
		fixture_frames(world->fixture, 4);
		assert_true(wl_list_empty(&content_device_from(world->device)->uploads));
		assert_int_equal(fixture_pixel(world->fixture, WIDTH / 2, 90), 0x0000ff);
		assert_true(peer_alive(world->peer));
		/* The client goes on with a smaller buffer. */
		peer_surface_show(world->window->surface, world->window->buffer);
		fixture_frames(world->fixture, 4);
		assert_int_equal(fixture_pixel(world->fixture, WIDTH / 2, 5), 0x00ff00);
		video_destroy(video);
		peer_destroy(other);
	}
}

/* More pixels than the thread writes between two looks at cancellation. */
static void all_rows_of_large_video_are_converted(void **state)
{
	struct video_world *world = *state;
	struct video *video = video_create(world->peer, DRM_FORMAT_NV12, 320, 240);
	content_device_from(world->device)->upload_budget = 1;
	peer_window_place(world->window, 0, 0);
	video_set_color(video, 120, 100, 180);
	video_show(video, world->window->surface);
	fixture_frames(world->fixture, 4);
	peer_window_place(world->window, 0, 0);
	fixture_frames(world->fixture, 4);
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int y = 0; y < shot->height; y++) {
		const uint32_t pixel = shot->pixels[y * shot->width + 160];
		if (pixel != RGB_601) {
			fail_msg("row %d is %06x", y, pixel);
		}
	}
	image_destroy(shot);
	video_destroy(video);
}

static void destroy_hold(struct blocker *hold)
{
	/* Of the test. */
}

static const struct blocker_impl hold_impl = {.destroy = destroy_hold};

/*
 * Another device's upload lets a waiting update absorb newer ones: during the upload of this
 * device, or after its end, while the update still waits for others.
 */
static void upload_of_an_update_that_absorbs_another_begins_again(void **state)
{
	struct video_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct wp_color_representation_manager_v1 *manager =
		peer_bind(world->peer, &wp_color_representation_manager_v1_interface, 0);
	struct video *video = video_create(world->peer, DRM_FORMAT_NV12, WIDTH, HEIGHT);
	content_device_from(world->device)->upload_budget = 1;
	video_set_color(video, 120, 100, 180);
	for (int ended = 0; ended < 2; ended++) {
		struct blocker hold;
		peer_surface_show(surface, world->window->buffer);
		fixture_frames(world->fixture, 6);
		fixture_block_uploads(world->fixture);
		video_show(video, surface);
		fixture_pump(world->fixture);
		struct update *update = find_content(world)->deferred.blocker.update;
		assert_non_null(update);
		blocker_init(&hold, &hold_impl, update, 0);
		struct wp_color_representation_surface_v1 *representation =
			wp_color_representation_manager_v1_get_surface(manager, surface);
		wp_color_representation_surface_v1_set_coefficients_and_range(representation,
			WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
			WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
		video_show(video, surface);
		fixture_pump(world->fixture);
		if (ended) {
			fixture_open_uploads(world->fixture);
			fixture_pump(world->fixture);
			assert_ptr_equal(find_content(world)->deferred.finished, update);
		}
		update_absorb(update);
		fixture_open_uploads(world->fixture);
		fixture_pump(world->fixture);
		blocker_clear(&hold);
		for (int i = 0; i < 6; i++) {
			/* No pixel has the coding of the first update. */
			fixture_frames(world->fixture, 1);
			const uint32_t pixel = fixture_pixel(world->fixture, WIDTH / 2, 5);
			assert_true(pixel == RGB_709 || (i == 0 && pixel == 0x00ff00));
		}
		wp_color_representation_surface_v1_destroy(representation);
	}
	video_destroy(video);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(large_video_takes_the_loop_no_longer_than_rgb),
		TEST(frames_convert_nothing_of_large_updates),
		TEST(buffers_windows_and_clients_can_go_during_an_upload),
		TEST(video_wider_than_textures_is_not_shown),
		TEST(all_rows_of_large_video_are_converted),
		TEST(upload_of_an_update_that_absorbs_another_begins_again),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
