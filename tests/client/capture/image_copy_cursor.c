/* SPDX-License-Identifier: MIT */
/* ext-image-copy-capture cursors: painted into captures, their position and their image. */

#include "backend/headless.h"
#include "harness/client/capture_world.h"
#include "seat/cursor.h"
#include "seat/seat.h"
#include "surface/surface.h"

#define PAINT_CURSORS EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_OPTIONS_PAINT_CURSORS

static struct seat *add_pointer(struct world *world, double x, double y)
{
	struct server *server = world->fixture->server;
	headless_add_input(server->backend, INPUT_POINTER, "pointer");
	pointer_warp(server->seat, (struct coord_global){x, y});
	fixture_settle(world->fixture);
	return server->seat;
}

static void set_cursor(struct world *world, int hotspot_x, int hotspot_y, uint32_t pixel)
{
	struct seat *seat = world->fixture->server->seat;
	struct wl_surface *surface = wl_compositor_create_surface(world->peer->compositor);
	struct peer_buffer *buffer =
		peer_buffer_create(world->peer, 16, 12, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 16, 12, pixel);
	struct surface *found = peer_surface_find(world->peer, surface);
	assert_true(surface_set_role(found, &cursor_role, NULL));
	cursor_set_surface(&seat->cursor, found, hotspot_x, hotspot_y);
	peer_surface_show(surface, buffer);
	fixture_settle(world->fixture);
}

static void cursor_is_painted_when_asked(void **state)
{
	struct world *world = *state;
	add_pointer(world, 50, 60);
	set_cursor(world, 2, 3, 0xff112233);
	for (uint32_t options = 0; options <= PAINT_CURSORS; options++) {
		uint32_t expected = options ? 0x112233 : 0xe04020;
		struct capturer_session *session = output_session(world, options);
		struct capturer_frame *frame = capturer_frame_create(session);
		assert_true(frame->ready);
		assert_int_equal(capturer_pixel(frame, 48, 57), expected);
		assert_int_equal(capturer_pixel(frame, 63, 68), expected);
		assert_int_equal(capturer_pixel(frame, 47, 57), 0xe04020);
		capturer_frame_destroy(frame);
		capturer_session_destroy(session);

		session = window_session(world, options);
		frame = capturer_frame_create(session);
		assert_true(frame->ready);
		assert_int_equal(capturer_pixel(frame, 28, 27), expected);
		capturer_frame_destroy(frame);
		capturer_session_destroy(session);
	}
}

static void cursor_motion_completes_a_window_frame(void **state)
{
	struct world *world = *state;
	struct seat *seat = add_pointer(world, 50, 60);
	set_cursor(world, 2, 3, 0xff112233);
	struct capturer_session *session = window_session(world, PAINT_CURSORS);
	capturer_frame_destroy(capturer_frame_create(session));
	struct capturer_frame *frame = capturer_frame_create(session);
	assert_false(frame->ready);
	pointer_warp(seat, (struct coord_global){55, 60});
	fixture_pump(world->fixture);
	assert_true(frame->ready);
	/* The damage covers the old and the new position. */
	capturer_expect_damage(frame, &(struct box){28, 27, 21, 12});
	assert_int_equal(capturer_pixel(frame, 28, 27), 0xe04020);
	assert_int_equal(capturer_pixel(frame, 33, 27), 0x112233);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
}

struct cursor_log {
	int n_enter, n_leave, n_position, n_hotspot;
	int x, y, hotspot_x, hotspot_y;
};

static void handle_enter(void *data, struct ext_image_copy_capture_cursor_session_v1 *proxy)
{
	struct cursor_log *log = data;
	log->n_enter++;
}

static void handle_leave(void *data, struct ext_image_copy_capture_cursor_session_v1 *proxy)
{
	struct cursor_log *log = data;
	log->n_leave++;
}

static void handle_position(
	void *data, struct ext_image_copy_capture_cursor_session_v1 *proxy, int32_t x, int32_t y)
{
	struct cursor_log *log = data;
	assert_int_equal(log->n_enter, log->n_leave + 1);
	log->n_position++;
	log->x = x;
	log->y = y;
}

static void handle_hotspot(
	void *data, struct ext_image_copy_capture_cursor_session_v1 *proxy, int32_t x, int32_t y)
{
	struct cursor_log *log = data;
	log->n_hotspot++;
	log->hotspot_x = x;
	log->hotspot_y = y;
}

static const struct ext_image_copy_capture_cursor_session_v1_listener cursor_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.position = handle_position,
	.hotspot = handle_hotspot,
};

static struct ext_image_copy_capture_cursor_session_v1 *cursor_session(
	struct world *world, struct ext_image_capture_source_v1 *source, struct cursor_log *log)
{
	struct ext_image_copy_capture_manager_v1 *manager =
		peer_bind(world->other, &ext_image_copy_capture_manager_v1_interface, 0);
	struct ext_image_copy_capture_cursor_session_v1 *session =
		ext_image_copy_capture_manager_v1_create_pointer_cursor_session(
			manager, source, wl_seat_get_pointer(world->other->seat));
	ext_image_copy_capture_cursor_session_v1_add_listener(session, &cursor_listener, log);
	fixture_pump(world->fixture);
	return session;
}

static void cursor_session_sends_position_and_hotspot(void **state)
{
	struct world *world = *state;
	struct seat *seat = add_pointer(world, 50, 60);
	set_cursor(world, 2, 3, 0xff112233);
	struct cursor_log log = {0};
	struct ext_image_copy_capture_cursor_session_v1 *session =
		cursor_session(world, capturer_window_source(world->other, "under test"), &log);
	assert_int_equal(log.n_enter, 1);
	assert_int_equal(log.x, 30);
	assert_int_equal(log.y, 30);
	assert_int_equal(log.hotspot_x, 2);
	assert_int_equal(log.hotspot_y, 3);
	pointer_warp(seat, (struct coord_global){51, 60});
	fixture_pump(world->fixture);
	assert_int_equal(log.n_position, 2);
	assert_int_equal(log.n_hotspot, 1);
	assert_int_equal(log.x, 31);
	/* Either coordinate of the hotspot may change alone. */
	struct surface *image = seat->cursor.surface;
	cursor_set_surface(&seat->cursor, image, 5, 3);
	fixture_settle(world->fixture);
	assert_int_equal(log.n_hotspot, 2);
	assert_int_equal(log.hotspot_x, 5);
	cursor_set_surface(&seat->cursor, image, 5, 6);
	fixture_settle(world->fixture);
	assert_int_equal(log.n_hotspot, 3);
	assert_int_equal(log.hotspot_y, 6);
	assert_int_equal(log.n_position, 2);
	pointer_warp(seat, (struct coord_global){300, 200});
	fixture_pump(world->fixture);
	assert_int_equal(log.n_leave, 1);
	pointer_warp(seat, (struct coord_global){301, 200});
	fixture_pump(world->fixture);
	assert_int_equal(log.n_position, 2);
	ext_image_copy_capture_cursor_session_v1_destroy(session);
	fixture_pump(world->fixture);
	assert_true(peer_alive(world->other));
}

static void cursor_session_captures_the_image(void **state)
{
	struct world *world = *state;
	add_pointer(world, 50, 60);
	set_cursor(world, 2, 3, 0x80112233);
	struct cursor_log log = {0};
	struct ext_image_copy_capture_cursor_session_v1 *cursor =
		cursor_session(world, capturer_output_source(world->other), &log);
	struct capturer_session *session = capturer_session_wrap(
		world->other, ext_image_copy_capture_cursor_session_v1_get_capture_session(cursor));
	assert_int_equal(session->width, 16);
	assert_int_equal(session->height, 12);
	struct capturer_frame *frame = capturer_frame_create(session);
	assert_true(frame->ready);
	for (int i = 0; i < 16 * 12; i++) {
		assert_int_equal(frame->buffer->pixels[i], 0x80112233);
	}
	capturer_frame_destroy(frame);
	/* The image does not depend on the position. */
	frame = capturer_frame_create(session);
	pointer_warp(world->fixture->server->seat, (struct coord_global){55, 60});
	fixture_frames(world->fixture, 2);
	assert_false(frame->ready || frame->failed);
	assert_int_equal(log.x, 55);
	/* A hidden cursor has no image: the frame waits. */
	cursor_set_surface(&world->fixture->server->seat->cursor, NULL, 0, 0);
	fixture_frames(world->fixture, 2);
	assert_false(frame->ready || frame->failed);
	assert_int_equal(log.n_leave, 1);
	set_cursor(world, 0, 0, 0xff445566);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 0, 0), 0x445566);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	ext_image_copy_capture_cursor_session_v1_destroy(cursor);
}

int main(int argc, char **argv)
{
	static struct world world;
	world_begin(&world, argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(cursor_is_painted_when_asked),
		TEST(cursor_motion_completes_a_window_frame),
		TEST(cursor_session_sends_position_and_hotspot),
		TEST(cursor_session_captures_the_image),
	};
	return cmocka_run_group_tests_name("capture/image_copy_cursor", tests, NULL, NULL);
}
