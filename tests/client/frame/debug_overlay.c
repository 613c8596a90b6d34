/* SPDX-License-Identifier: MIT */
/* Debug overlays: tints on the output that captures do not contain and that add no damage. */

#include "backend/headless.h"
#include "causeway-control-v1-client-protocol.h"
#include "frame/frame.h"
#include "frame/output.h"
#include "harness/client/capturer.h"
#include "harness/peer.h"
#include "shell/shell.h"
#include "util/xalloc.h"
#include <stdlib.h>

#define GREY 0xff808080

struct overlay_world {
	struct fixture *fixture;
	struct peer *peer; /* owns a window of 50x50 at 10, 10 */
	struct peer_window *window;
	struct peer *asker;
	struct causeway_control_v1 *control;
	bool gles; /* GLES uploads; pixman reads the shared memory */
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct overlay_world *world = xcalloc(1, sizeof(*world));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = renderer});
	world->gles = !world->fixture->server->device->renderer->cpu;
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 10, 10, 50, 50, GREY);
	world->asker = peer_create_control(world->fixture);
	world->control = peer_bind(world->asker, &causeway_control_v1_interface, 0);
	fixture_settle(world->fixture);
	*state = world;
	return 0;
}

static void handle_ok(void *data, struct causeway_result_v1 *proxy, const char *message)
{
	bool *done = data;
	*done = true;
}

static void handle_failed(void *data, struct causeway_result_v1 *proxy, const char *message)
{
}

static const struct causeway_result_v1_listener listener = {
	.ok = handle_ok,
	.failed = handle_failed,
};

static void ask_for(struct overlay_world *world, uint32_t overlay)
{
	bool done = false;
	struct causeway_result_v1 *result =
		causeway_control_v1_set_overlay(world->control, overlay);
	causeway_result_v1_add_listener(result, &listener, &done);
	fixture_pump(world->fixture);
	assert_true(done);
	causeway_result_v1_destroy(result);
}

static void set(struct overlay_world *world, uint32_t overlay)
{
	ask_for(world, overlay);
	fixture_settle(world->fixture);
}

static struct frame_output *find_frame(const struct overlay_world *world)
{
	return frame_output_find(world->fixture->server->scene->outputs[0]);
}

/* Yellow where the CPU reads the memory, red where it is uploaded. */
static void assert_tinted(struct overlay_world *world, int x, int y)
{
	uint32_t pixel = fixture_pixel(world->fixture, x, y);
	int red = pixel >> 16 & 0xff, green = pixel >> 8 & 0xff, blue = pixel & 0xff;
	assert_in_range(red, 0x90, 0xc0);
	assert_in_range(blue, 0x40, 0x60);
	if (world->gles) {
		assert_in_range(green, 0x40, 0x60);
	} else {
		assert_in_range(green, 0x90, 0xc0);
	}
}

static void draw(struct overlay_world *world, int x, int y, int width, int height, uint32_t pixel)
{
	struct peer_window *window = world->window;
	peer_buffer_fill(window->buffer, x, y, width, height, pixel);
	wl_surface_attach(window->surface, window->buffer->buffer, 0, 0);
	wl_surface_damage_buffer(window->surface, x, y, width, height);
	wl_surface_commit(window->surface);
}

static void assert_silent(struct overlay_world *world)
{
	struct frame_output *frame = find_frame(world);
	uint64_t n = frame->stats.frames;
	fixture_frames(world->fixture, 10);
	assert_int_equal(frame->stats.frames, n);
	assert_int_equal(frame->state, FRAME_IDLE);
	assert_false(frame->timer.armed);
}

static void routes_tint_each_surface(void **state)
{
	struct overlay_world *world = *state;
	struct fixture *fixture = world->fixture;
	uint32_t around = fixture_pixel(fixture, 200, 200);
	uint64_t damaged = find_frame(world)->stats.pixels_damaged;
	assert_int_equal(fixture_pixel(fixture, 30, 30), 0x808080);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES);
	assert_tinted(world, 30, 30);
	assert_int_equal(fixture_pixel(fixture, 200, 200), around);
	assert_silent(world);
	/* Partial repaints keep the tint constant, for any buffer age. */
	for (int i = 0; i < 6; i++) {
		draw(world, 5, 5, 10, 10, GREY);
		fixture_settle(fixture);
		assert_tinted(world, 18, 18);
		assert_tinted(world, 40, 40);
	}
	assert_int_equal(find_frame(world)->stats.pixels_damaged, damaged + 600);
	peer_window_place(world->window, 100, 100);
	fixture_settle(fixture);
	assert_int_equal(fixture_pixel(fixture, 30, 30), around);
	assert_tinted(world, 120, 120);
	damaged = find_frame(world)->stats.pixels_damaged;
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_OFF);
	assert_int_equal(fixture_pixel(fixture, 120, 120), 0x808080);
	assert_int_equal(find_frame(world)->stats.pixels_damaged, damaged);
	assert_silent(world);
}

/* Switching the overlay on and off repaints the output up to its edges. */
static void overlay_reaches_all_edges(void **state)
{
	static const struct {
		int x, y; /* of a window of 50x50 */
		int edge_x, edge_y;
	} corners[] = {{0, 0, 0, 0}, {270, 0, 319, 0}, {0, 190, 0, 239}, {270, 190, 319, 239}};
	struct overlay_world *world = *state;
	for (size_t i = 0; i < sizeof(corners) / sizeof(corners[0]); i++) {
		peer_window_place(world->window, corners[i].x, corners[i].y);
		fixture_settle(world->fixture);
		set(world, CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES);
		assert_tinted(world, corners[i].edge_x, corners[i].edge_y);
		/* All buffers of the output get the tint. */
		for (int j = 0; j < 4; j++) {
			draw(world, 20, 20, 10, 10, GREY);
			fixture_settle(world->fixture);
		}
		set(world, CAUSEWAY_CONTROL_V1_OVERLAY_OFF);
		assert_int_equal(
			fixture_pixel(world->fixture, corners[i].edge_x, corners[i].edge_y),
			0x808080);
	}
}

/* Checks the frame just committed. */
static void expect_flash(struct overlay_world *world, bool inside)
{
	uint32_t pixel = fixture_pixel(world->fixture, 18, 18);
	int red = pixel >> 16 & 0xff, blue = pixel & 0xff;
	if (!inside) {
		assert_int_equal(pixel, 0x808080);
	} else if (world->gles) {
		assert_in_range(red, 0x40, 0x60); /* uploaded: blue */
		assert_in_range(blue, 0x90, 0xc0);
	} else {
		assert_in_range(red, 0x90, 0xc0);
		assert_in_range(blue, 0x40, 0x60);
	}
	assert_int_equal(fixture_pixel(world->fixture, 40, 40), 0x808080);
}

static void damage_flashes_once(void **state)
{
	struct overlay_world *world = *state;
	struct frame_output *frame = find_frame(world);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_DAMAGE);
	expect_flash(world, false);
	for (int round = 0; round < 4; round++) {
		uint64_t n = frame->stats.frames, damaged = frame->stats.pixels_damaged;
		draw(world, 5, 5, 10, 10, GREY);
		int n_flashes = 0;
		for (int i = 0; i < 10 && n_flashes == 0; i++) {
			fixture_frames(world->fixture, 1);
			if (fixture_pixel(world->fixture, 18, 18) != 0x808080) {
				expect_flash(world, true);
				n_flashes++;
			}
		}
		assert_int_equal(n_flashes, 1);
		fixture_settle(world->fixture);
		expect_flash(world, false);
		assert_int_equal(
			frame->stats.frames, n + 2); /* the damaged frame and its cleanup */
		assert_int_equal(frame->stats.pixels_damaged, damaged + 100);
		assert_silent(world);
	}
	/* Switching the overlay off also removes a pending flash. */
	draw(world, 5, 5, 10, 10, GREY);
	fixture_frames(world->fixture, 1);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_OFF);
	expect_flash(world, false);
	assert_silent(world);
}

static void captures_contain_no_overlay(void **state)
{
	struct overlay_world *world = *state;
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(world->peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct ext_image_capture_source_v1 *source = capturer_output_source(world->peer);
	struct capturer_session *session = capturer_session_create(world->peer, source, 0);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES);
	assert_tinted(world, 30, 30);

	struct capturer_frame *frame = capturer_screencopy(world->peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_settle(world->fixture);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 30, 30), 0x808080);
	capturer_frame_destroy(frame);

	frame = capturer_frame_create(session);
	fixture_settle(world->fixture);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 30, 30), 0x808080);
	capturer_frame_destroy(frame);
	assert_tinted(world, 30, 30);

	/* Captures get no damage from the overlay. */
	frame = capturer_frame_create(session);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_OFF);
	assert_false(frame->ready);
	draw(world, 5, 5, 10, 10, GREY);
	fixture_settle(world->fixture);
	assert_true(frame->ready);
	capturer_expect_damage(frame, &(struct box){15, 15, 10, 10});
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	ext_image_capture_source_v1_destroy(source);
}

static void lock_hides_the_overlay(void **state)
{
	struct overlay_world *world = *state;
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES);
	struct shell *shell = world->fixture->server->shell;
	shell_lock(shell);
	fixture_settle(world->fixture);
	assert_int_equal(find_frame(world)->debug_overlay, FRAME_OVERLAY_OFF);
	uint32_t locked = fixture_pixel(world->fixture, 200, 200);
	assert_int_equal(fixture_pixel(world->fixture, 30, 30), locked);
	/* An overlay requested while locked is enabled after the unlock. */
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_DAMAGE);
	set(world, CAUSEWAY_CONTROL_V1_OVERLAY_ROUTES);
	assert_int_equal(find_frame(world)->debug_overlay, FRAME_OVERLAY_OFF);
	shell_unlock(shell);
	fixture_settle(world->fixture);
	assert_tinted(world, 30, 30);
}

static void unknown_overlay_is_an_error(void **state)
{
	struct overlay_world *world = *state;
	causeway_control_v1_set_overlay(world->control, 3);
	peer_expect_error(world->asker, &causeway_control_v1_interface,
		CAUSEWAY_CONTROL_V1_ERROR_INVALID_OVERLAY);
	assert_true(peer_alive(world->peer));
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
	capturer_learn_guard();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			routes_tint_each_surface, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			overlay_reaches_all_edges, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(damage_flashes_once, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			captures_contain_no_overlay, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(lock_hides_the_overlay, set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			unknown_overlay_is_an_error, set_up, fixture_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
