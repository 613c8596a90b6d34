/* SPDX-License-Identifier: MIT */
/* A fullscreen dma-buf that is scanned out: composition, captures and the magnifier after that. */

#include "frame/output.h"
#include "harness/client/capturer.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "shell/shell.h"
#include "surface/surface.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH 320
#define HEIGHT 240
#define SIZE (WIDTH * HEIGHT * 4)

struct scanout_world {
	struct fixture *fixture; /* first, for fixture_tear_down() */
	struct peer *peer;
	struct peer_window *window; /* fullscreen */
	struct wl_buffer *buffer;
	uint32_t *pixels; /* of the buffer; 0x102030 at first */
	int fd;
	struct frame_output *output;
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct scanout_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	world->peer = peer_create(world->fixture);
	world->fd = fd_create_memory("test-plane", SIZE, true);
	assert_true(world->fd >= 0);
	world->pixels = mmap(NULL, SIZE, PROT_WRITE, MAP_SHARED, world->fd, 0);
	assert_true(world->pixels != MAP_FAILED);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct scanout_world *world = *state;
	munmap(world->pixels, SIZE);
	close(world->fd);
	return fixture_tear_down(state);
}

static void fill_output(struct scanout_world *world, bool scanout)
{
	for (int i = 0; i < WIDTH * HEIGHT; i++) {
		world->pixels[i] = 0x00102030;
	}
	struct zwp_linux_dmabuf_v1 *dmabuf =
		peer_bind(world->peer, &zwp_linux_dmabuf_v1_interface, 3);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	zwp_linux_buffer_params_v1_add(params, world->fd, 0, 0, WIDTH * 4, 0, 0);
	world->buffer = zwp_linux_buffer_params_v1_create_immed(
		params, WIDTH, HEIGHT, DRM_FORMAT_XRGB8888, 0);
	world->window = peer_window_create_unmapped(world->peer);
	xdg_toplevel_set_fullscreen(world->window->toplevel, NULL);
	wl_surface_attach(world->window->surface, world->buffer, 0, 0);
	wl_surface_commit(world->window->surface);
	world->output = frame_output_find(world->fixture->server->scene->outputs[0]);
	frame_output_set_scanout(world->output, scanout);
	fixture_settle(world->fixture);
}

static void change_pixel(struct scanout_world *world, int32_t x, int32_t y, uint32_t pixel)
{
	world->pixels[y * WIDTH + x] = pixel;
	wl_surface_attach(world->window->surface, world->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, x, y, 1, 1);
	wl_surface_commit(world->window->surface);
}

/* Swapchain buffers lack the damage of frames that were scanned out since. */
static void composition_catches_up_after_scanout(void **state)
{
	struct scanout_world *world = *state;
	fill_output(world, false);
	uint64_t composed = world->output->stats.frames;
	assert_true(composed > 0);
	frame_output_set_scanout(world->output, true);
	change_pixel(world, 60, 50, 0x00a0b0c0);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.scanouts, 1);
	change_pixel(world, 61, 51, 0x00010203);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.scanouts, 2);
	frame_output_set_scanout(world->output, false);
	change_pixel(world, 200, 100, 0x00c0b0a0);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.frames, composed + 3);
	assert_int_equal(fixture_pixel(world->fixture, 60, 50), 0xa0b0c0);
	assert_int_equal(fixture_pixel(world->fixture, 61, 51), 0x010203);
	assert_int_equal(fixture_pixel(world->fixture, 200, 100), 0xc0b0a0);
}

/* The filter is for enlarged windows: others need no composition. */
static void sharp_window_with_its_own_pixels_is_scanned_out(void **state)
{
	struct scanout_world *world = *state;
	fill_output(world, true);
	peer_surface_find(world->peer, world->window->surface)->rules.sharp = true;
	scene_output_damage_all(world->fixture->server->scene->outputs[0]);
	const uint64_t before = world->output->stats.scanouts;
	change_pixel(world, 1, 1, 1);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.scanouts, before + 1);
}

/* Captures include frames that are scanned out without composition, and get their damage. */
static void scanned_out_frame_is_captured(void **state)
{
	struct scanout_world *world = *state;
	fill_output(world, true);
	uint64_t before = world->output->stats.scanouts;

	struct peer *watcher = peer_create(world->fixture);
	struct capturer_session *session =
		capturer_session_create(watcher, capturer_output_source(watcher), 0);
	struct capturer_frame *frame = capturer_frame_create(session);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), 0x102030);
	capturer_frame_destroy(frame);
	frame = capturer_frame_create(session);
	assert_false(frame->ready);
	change_pixel(world, 60, 50, 0x00a0b0c0);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.scanouts, before + 1);
	assert_true(frame->ready);
	capturer_expect_damage(frame, &(struct box){60, 50, 1, 1});
	assert_int_equal(capturer_pixel(frame, 60, 50), 0xa0b0c0);
	capturer_frame_destroy(frame);
}

/* Captures of a magnified output get damage at its usual size. */
static void magnified_output_is_composed(void **state)
{
	struct scanout_world *world = *state;
	fill_output(world, true);
	struct shell *shell = world->fixture->server->shell;
	assert_true(shell_run_action(shell, "magnify-in", NULL));
	fixture_settle(world->fixture);
	const uint64_t before = world->output->stats.scanouts;
	struct peer *watcher = peer_create(world->fixture);
	struct capturer_session *session =
		capturer_session_create(watcher, capturer_output_source(watcher), 0);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *frame = capturer_frame_create(session);
	change_pixel(world, 60, 50, 0x00a0b0c0);
	fixture_frames(world->fixture, 2);
	assert_true(frame->ready);
	/* The filter of the magnified output reads the neighbours, too. */
	capturer_expect_damage(frame, &(struct box){59, 49, 3, 3});
	assert_int_equal(world->output->stats.scanouts, before);
	capturer_frame_destroy(frame);

	assert_true(shell_run_action(shell, "magnify-reset", NULL));
	change_pixel(world, 60, 50, 0x00102030);
	fixture_frames(world->fixture, 2);
	assert_int_equal(world->output->stats.scanouts, before + 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(composition_catches_up_after_scanout),
		TEST(sharp_window_with_its_own_pixels_is_scanned_out),
		TEST(scanned_out_frame_is_captured),
		TEST(magnified_output_is_composed),
	};
	renderer = fixture_renderer(argc, argv);
	return cmocka_run_group_tests_name("buffer/scanout", tests, NULL, NULL);
}
