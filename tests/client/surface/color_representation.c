/* SPDX-License-Identifier: MIT */
/* wp_color_representation: YUV coefficients and ranges, applied at commit. */

#include "color-representation-v1-client-protocol.h"
#include "commit-timing-v1-client-protocol.h"
#include "harness/peer.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIDE 32
#define SIZE (SIDE * SIDE * 3 / 2)

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
	*state = world;
	return 0;
}

/* Creates an NV12 buffer of one color. */
static struct wl_buffer *create_video(struct color_world *world, int y, int u, int v)
{
	int fd = fd_create_memory("video", SIZE, true);
	assert_true(fd >= 0);
	uint8_t *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(memory != MAP_FAILED);
	memset(memory, y, SIDE * SIDE);
	for (int i = SIDE * SIDE; i < SIZE; i += 2) {
		memory[i] = (uint8_t)u;
		memory[i + 1] = (uint8_t)v;
	}
	munmap(memory, SIZE);
	struct wl_shm_pool *pool = wl_shm_create_pool(world->peer->shm, fd, SIZE);
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, SIDE, SIDE, SIDE, DRM_FORMAT_NV12);
	wl_shm_pool_destroy(pool);
	close(fd);
	return buffer;
}

static void expect(struct color_world *world, int red, int green, int blue)
{
	fixture_frames(world->fixture, 3);
	uint32_t pixel = fixture_pixel(world->fixture, SIDE / 2, SIDE / 2);
	assert_in_range((int)(pixel >> 16) + 1, red, red + 2);
	assert_in_range((int)(pixel >> 8 & 255) + 1, green, green + 2);
	assert_in_range((int)(pixel & 255) + 1, blue, blue + 2);
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
	struct wl_buffer *video = create_video(world, 120, 100, 180);
	wl_surface_attach(surface, video, 0, 0);
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
	wl_surface_attach(surface, video, 0, 0);
	wl_surface_commit(surface);
	expect(world, 202, 101, 68);
	/* After its object is destroyed, the next commit resets it. */
	wp_color_representation_surface_v1_destroy(representation);
	expect(world, 202, 101, 68);
	wl_surface_attach(surface, video, 0, 0);
	wl_surface_commit(surface);
	expect(world, 204, 90, 65);
	assert_true(peer_alive(world->peer));
	wl_buffer_destroy(video);
}

static void chroma_locations_of_420_content_are_accepted(void **state)
{
	struct color_world *world = *state;
	struct wl_surface *surface = world->window->surface;
	struct wl_buffer *video = create_video(world, 120, 100, 180);
	struct wp_color_representation_surface_v1 *representation =
		wp_color_representation_manager_v1_get_surface(world->manager, surface);
	for (uint32_t location = WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_0;
		location <= WP_COLOR_REPRESENTATION_SURFACE_V1_CHROMA_LOCATION_TYPE_5; location++) {
		wp_color_representation_surface_v1_set_chroma_location(representation, location);
		wl_surface_attach(surface, video, 0, 0);
		wl_surface_commit(surface);
		assert_true(peer_alive(world->peer));
	}
	wl_buffer_destroy(video);
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
	struct wl_buffer *video = create_video(world, 120, 100, 180);
	commit_later(world, video);
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			coefficients_apply_at_commit, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			chroma_locations_of_420_content_are_accepted, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			identity_leaves_rgb_unchanged, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			representation_is_of_a_buffer_that_waits, set_up, fixture_tear_down),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
