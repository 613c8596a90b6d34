/* SPDX-License-Identifier: MIT */
/* wp_color_representation: YUV coefficients and ranges, applied at commit. */

#include "color-representation-v1-client-protocol.h"
#include "commit-timing-v1-client-protocol.h"
#include "content/device.h"
#include "content/internal.h"
#include "harness/client/video.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>

#define SIDE 32

struct color_world {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct wp_color_representation_manager_v1 *manager;
	int n_modes, n_pairs, n_done;
};

static void handle_alpha_mode(
	void *data, struct wp_color_representation_manager_v1 *manager, uint32_t mode)
{
	struct color_world *world = data;
	world->n_modes++;
	assert_int_equal(world->n_done, 0);
}

static void handle_pair(void *data, struct wp_color_representation_manager_v1 *manager,
	uint32_t coefficients, uint32_t range)
{
	struct color_world *world = data;
	world->n_pairs++;
	assert_int_equal(world->n_done, 0);
}

static void handle_done(void *data, struct wp_color_representation_manager_v1 *manager)
{
	struct color_world *world = data;
	world->n_done++;
}

static const struct wp_color_representation_manager_v1_listener listener = {
	.supported_alpha_mode = handle_alpha_mode,
	.supported_coefficients_and_ranges = handle_pair,
	.done = handle_done,
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct color_world *world = xcalloc(1, sizeof(*world));
	const struct fixture_options options = {.renderer = renderer};
	world->fixture = fixture_create(&options);
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 0, 0, SIDE, SIDE, 0xff102030);
	world->manager = peer_bind(world->peer, &wp_color_representation_manager_v1_interface, 0);
	wp_color_representation_manager_v1_add_listener(world->manager, &listener, world);
	fixture_frames(world->fixture, 3);
	peer_window_place(world->window, 0, 0);
	*state = world;
	return 0;
}

static struct video *create_video(struct color_world *world, uint8_t y, uint8_t u, uint8_t v)
{
	struct video *video = video_create(world->peer, DRM_FORMAT_NV12, SIDE, SIDE);
	video_set_color(video, y, u, v);
	return video;
}

static void expect_at(struct color_world *world, int x, int y, int red, int green, int blue)
{
	fixture_frames(world->fixture, 3);
	uint32_t pixel = fixture_pixel(world->fixture, x, y);
	assert_in_range((int)(pixel >> 16) + 1, red, red + 2);
	assert_in_range((int)(pixel >> 8 & 255) + 1, green, green + 2);
	assert_in_range((int)(pixel & 255) + 1, blue, blue + 2);
}

static void expect(struct color_world *world, int red, int green, int blue)
{
	expect_at(world, SIDE / 2, SIDE / 2, red, green, blue);
}

/* As one upload of the window exceeds a frame's budget, a thread converts each of them. */
static int set_up_deferred(void **state)
{
	set_up(state);
	struct color_world *world = *state;
	content_device_from(world->fixture->server->device)->upload_budget = 1;
	return 0;
}

static void coefficients_apply_at_commit(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	assert_int_equal(world->n_modes, 1);
	assert_int_equal(world->n_pairs, 7);
	assert_int_equal(world->n_done, 1);

	/*
	 * Small content defaults to BT.601 of limited range: 1.164 (Y - 16) + 1.596 (V - 128), ...
	 */
	struct video *video = create_video(world, 120, 100, 180);
	wl_surface_attach(surface, video->buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(surface);
	expect(world, 204, 90, 65);

	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	wp_color_representation_surface_v1_set_chroma_location(
		representation, WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_0);
	expect(world, 204, 90, 65);
	/* Y + 1.5748 (V - 128), Y - 0.1873 (U - 128) - 0.4681 (V - 128), Y + 1.8556 (U - 128). */
	wl_surface_attach(surface, video->buffer, 0, 0);
	wl_surface_commit(surface);
	expect(world, 202, 101, 68);
	/* After its object is destroyed, the next commit resets it. */
	wp_color_representation_surface_v1_destroy(representation);
	expect(world, 202, 101, 68);
	wl_surface_attach(surface, video->buffer, 0, 0);
	wl_surface_commit(surface);
	expect(world, 204, 90, 65);
	assert_true(peer_alive(world->peer));
	video_destroy(video);
}

static void chroma_locations_of_420_content_are_accepted(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *video = create_video(world, 120, 100, 180);
	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	for (uint32_t location = WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_0;
		location <= WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_5; location++) {
		wp_color_representation_surface_v1_set_chroma_location(representation, location);
		wl_surface_attach(surface, video->buffer, 0, 0);
		wl_surface_commit(surface);
		assert_true(peer_alive(world->peer));
	}
	video_destroy(video);
}

/* RGB content accepts the identity, without a change. */
static void identity_leaves_rgb_unchanged(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_IDENTITY,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	wp_color_representation_surface_v1_set_alpha_mode(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_ALPHA_MODE_PREMULTIPLIED_ELECTRICAL);
	wl_surface_commit(surface);
	expect(world, 0x10, 0x20, 0x30);
	assert_true(peer_alive(world->peer));
	/* The object outlives its surface, inert. */
	peer_window_destroy(world->window);
	wp_color_representation_surface_v1_destroy(representation);
	fixture_frames(world->fixture, 2);
	assert_true(peer_alive(world->peer));
}

/* Commits a buffer that applies a second later. */
static void commit_later(struct color_world *world, struct wl_buffer *buffer)
{
	struct wl_surface *surface = world->window->surface;
	struct wp_commit_timing_manager_v1 *timing =
		peer_bind(world->peer, &wp_commit_timing_manager_v1_interface, 0);
	struct wp_commit_timer_v1 *timer = wp_commit_timing_manager_v1_get_timer(timing, surface);
	const int64_t when = clock_now(world->fixture->clock) + INT64_C(1000000000);
	const uint64_t seconds = (uint64_t)(when / 1000000000);
	wp_commit_timer_v1_set_timestamp(
		timer, (uint32_t)(seconds >> 32), (uint32_t)seconds, (uint32_t)(when % 1000000000));
	wl_surface_attach(surface, buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(surface);
	wp_commit_timer_v1_destroy(timer);
	wp_commit_timing_manager_v1_destroy(timing);
	fixture_pump(world->fixture);
}

/* The format of the queued buffer decides, instead of that on screen. */
static void representation_is_of_a_buffer_that_waits(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *video = create_video(world, 120, 100, 180);
	commit_later(world, video->buffer);
	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	wl_surface_commit(surface);
	expect(world, 0x10, 0x20, 0x30);
	fixture_sleep(world->fixture, INT64_C(1000000000));
	expect(world, 202, 101, 68);
	assert_true(peer_alive(world->peer));

	/* RGB waits, so that the coefficients of the video do not apply. */
	wp_color_representation_surface_v1_destroy(representation);
	commit_later(world, world->window->buffer->buffer);
	representation = wp_color_representation_manager_v1_get_surface(world->manager, surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT601,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	wl_surface_commit(surface);
	fixture_pump(world->fixture);
	assert_false(peer_alive(world->peer));
}

static struct wp_color_representation_surface_v1 *represent(
	struct color_world *world, struct wl_surface *surface)
{
	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	wp_color_representation_surface_v1_set_coefficients_and_range(representation,
		WP_COLOR_REPRESENTATION_SURFACE_V1_COEFFICIENTS_BT709,
		WP_COLOR_REPRESENTATION_SURFACE_V1_RANGE_FULL);
	return representation;
}

/* The commit of a buffer, and behind it one of its representation, before the next frame. */
static void representation_follows_its_buffer(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *video = create_video(world, 120, 100, 180);
	for (int blocked = 0; blocked < 2; blocked++) {
		if (blocked) {
			fixture_block_uploads(world->fixture);
		}
		video_show(video, surface);
		fixture_frames(world->fixture, blocked);
		struct wp_color_representation_surface_v1 *representation =
			represent(world, surface);
		wl_surface_commit(surface);
		fixture_frames(world->fixture, blocked);
		fixture_open_uploads(world->fixture);
		expect(world, 202, 101, 68);
		wp_color_representation_surface_v1_destroy(representation);
		video_show(video, surface);
		expect(world, 204, 90, 65);
	}
	video_destroy(video);
}

/* The same buffer again, while a thread converts it in the former coding. */
static void representation_changes_during_a_conversion(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *video = create_video(world, 120, 100, 180);
	fixture_block_uploads(world->fixture);
	for (int i = 0; i < 4; i++) {
		struct wp_color_representation_surface_v1 *representation = NULL;
		if (i % 2) {
			representation = represent(world, surface);
		}
		video_show(video, surface);
		fixture_frames(world->fixture, 1);
		if (representation) {
			wp_color_representation_surface_v1_destroy(representation);
		}
	}
	represent(world, surface);
	video_show(video, surface);
	fixture_frames(world->fixture, 1);
	fixture_open_uploads(world->fixture);
	expect(world, 202, 101, 68);
	video_destroy(video);
}

/* The representation has changed since the last buffer, which was released by then. */
static void partial_damage_leaves_no_former_coding(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *videos[2];
	for (int i = 0; i < 2; i++) {
		videos[i] = create_video(world, 120, 100, 180);
	}
	video_show(videos[0], surface);
	expect(world, 204, 90, 65);
	represent(world, surface);
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	video_attach(videos[1], surface, &(struct box){3, 5, 1, 1});
	wl_surface_commit(surface);
	expect_at(world, 3, 5, 202, 101, 68);
	expect_at(world, 0, 0, 202, 101, 68);
	expect_at(world, SIDE - 1, SIDE / 2, 202, 101, 68);
	for (int i = 0; i < 2; i++) {
		video_destroy(videos[i]);
	}
}

/* A client with one buffer gets it back, so that its pixels cannot be converted once more. */
static void partial_damage_of_the_only_buffer_leaves_no_former_coding(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	/* Of another size than the window's first buffer. */
	struct video *video = video_create(world->peer, DRM_FORMAT_NV12, SIDE + 3, SIDE + 1);
	video_set_color(video, 120, 100, 180);
	video_show(video, surface);
	fixture_sleep(world->fixture, INT64_C(400000000));
	assert_false(video->busy);
	represent(world, surface);
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	video_attach(video, surface, &(struct box){3, 5, 1, 1});
	wl_surface_commit(surface);
	expect_at(world, 3, 5, 202, 101, 68);
	expect_at(world, 0, 0, 202, 101, 68);
	expect_at(world, SIDE + 2, SIDE, 202, 101, 68);
	video_destroy(video);
}

/* A part that was saved from the only buffer is shown after a change of the representation. */
static void saved_part_of_the_only_buffer_has_the_coding_of_the_rest(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct video *video = video_create(world->peer, DRM_FORMAT_NV12, SIDE + 3, SIDE + 1);
	video_set_color(video, 120, 100, 180);
	struct wp_color_representation_surface_v1 *representation = represent(world, surface);
	video_show(video, surface);
	peer_window_place(world->window, -SIDE / 2, 0);
	fixture_frames(world->fixture, 4);
	video_set_color(video, 120, 180, 100);
	video_show(video, surface);
	fixture_sleep(world->fixture, INT64_C(400000000));
	assert_false(video->busy);
	wp_color_representation_surface_v1_destroy(representation);
	wl_surface_commit(surface);
	fixture_frames(world->fixture, 3);
	peer_window_place(world->window, 0, 0);
	expect_at(world, 1, 5, 76, 123, 217);
	expect_at(world, SIDE - 2, 5, 76, 123, 217);
	video_destroy(video);
}

/*
 * The last commit of one surface does not recolour the other, nor does it end the other's import of
 * a dma-buf.
 */
static void surfaces_show_a_buffer_in_their_own_colors(void **state)
{
	struct color_world *world = *state;
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	struct peer_window *other = peer_window_create(world->peer, 0, 0, SIDE, SIDE, 0xff102030);
	fixture_frames(world->fixture, 3);
	peer_window_place(other, 2 * SIDE, 0);
	represent(world, other->surface);
	struct wl_surface *surfaces[] = {world->window->surface, other->surface};
	for (int i = 0; i < 2 * 4; i++) {
		const bool first = i % 2, apart = i % 4 / 2;
		struct video *video =
			i / 4 ? video_create_dmabuf(dmabuf, DRM_FORMAT_YUYV, SIDE, SIDE)
			      : video_create(world->peer, DRM_FORMAT_NV12, SIDE, SIDE);
		video_set_color(video, 120, 100, 180);
		/* In one frame or two, in both orders; then while those are not presented. */
		for (int again = 0; again < 2; again++) {
			video_show(video, surfaces[first]);
			fixture_frames(world->fixture, apart);
			video_show(video, surfaces[!first]);
			fixture_pump(world->fixture);
		}
		expect(world, 204, 90, 65);
		expect_at(world, 2 * SIDE + SIDE / 2, SIDE / 2, 202, 101, 68);
		/* The frame is drawn once more, without an update. */
		scene_output_damage_all(world->fixture->server->scene->outputs[0]);
		expect(world, 204, 90, 65);
		expect_at(world, 2 * SIDE + SIDE / 2, SIDE / 2, 202, 101, 68);
		video_destroy(video);
	}
}

#define TEST(name)                                                                                 \
	cmocka_unit_test_setup_teardown(name, set_up, fixture_tear_down),                          \
		cmocka_unit_test_setup_teardown(name, set_up_deferred, fixture_tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(coefficients_apply_at_commit),
		TEST(chroma_locations_of_420_content_are_accepted),
		TEST(identity_leaves_rgb_unchanged),
		TEST(representation_is_of_a_buffer_that_waits),
		TEST(representation_follows_its_buffer),
		TEST(representation_changes_during_a_conversion),
		TEST(partial_damage_leaves_no_former_coding),
		TEST(partial_damage_of_the_only_buffer_leaves_no_former_coding),
		TEST(saved_part_of_the_only_buffer_has_the_coding_of_the_rest),
		TEST(surfaces_show_a_buffer_in_their_own_colors),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
