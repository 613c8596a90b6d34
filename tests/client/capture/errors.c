/* SPDX-License-Identifier: MIT */
/* Protocol errors of image capture. */

#include "ext-image-capture-source-v1-client-protocol.h"
#include "ext-image-copy-capture-v1-client-protocol.h"
#include "harness/client/protocol_errors.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"

static struct ext_image_copy_capture_session_v1 *session(struct peer *peer, uint32_t options)
{
	struct ext_output_image_capture_source_manager_v1 *sources =
		peer_bind(peer, &ext_output_image_capture_source_manager_v1_interface, 0);
	struct ext_image_copy_capture_manager_v1 *manager =
		peer_bind(peer, &ext_image_copy_capture_manager_v1_interface, 0);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	return ext_image_copy_capture_manager_v1_create_session(manager,
		ext_output_image_capture_source_manager_v1_create_source(sources, output), options);
}

static void unknown_capture_option(struct peer *peer)
{
	session(peer, 2);
}

static void two_frames_at_once(struct peer *peer)
{
	struct ext_image_copy_capture_session_v1 *capture = session(peer, 0);
	ext_image_copy_capture_session_v1_create_frame(capture);
	ext_image_copy_capture_session_v1_create_frame(capture);
}

static struct ext_image_copy_capture_frame_v1 *frame(struct peer *peer)
{
	return ext_image_copy_capture_session_v1_create_frame(session(peer, 0));
}

static void capture_without_a_buffer(struct peer *peer)
{
	ext_image_copy_capture_frame_v1_capture(frame(peer));
}

static void capture_damage_of_negative_x(struct peer *peer)
{
	ext_image_copy_capture_frame_v1_damage_buffer(frame(peer), -1, 0, 10, 10);
}

static void capture_damage_without_width(struct peer *peer)
{
	ext_image_copy_capture_frame_v1_damage_buffer(frame(peer), 0, 0, 0, 10);
}

static struct ext_image_copy_capture_frame_v1 *captured(struct peer *peer)
{
	struct ext_image_copy_capture_frame_v1 *used = frame(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 320, 240, WL_SHM_FORMAT_XRGB8888);
	ext_image_copy_capture_frame_v1_attach_buffer(used, buffer->buffer);
	ext_image_copy_capture_frame_v1_capture(used);
	return used;
}

static void captured_twice(struct peer *peer)
{
	ext_image_copy_capture_frame_v1_capture(captured(peer));
}

static void buffer_after_capture(struct peer *peer)
{
	struct ext_image_copy_capture_frame_v1 *used = captured(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 320, 240, WL_SHM_FORMAT_XRGB8888);
	ext_image_copy_capture_frame_v1_attach_buffer(used, buffer->buffer);
}

static void damage_after_capture(struct peer *peer)
{
	ext_image_copy_capture_frame_v1_damage_buffer(captured(peer), 0, 0, 10, 10);
}

static void cursor_session_twice(struct peer *peer)
{
	struct ext_output_image_capture_source_manager_v1 *sources =
		peer_bind(peer, &ext_output_image_capture_source_manager_v1_interface, 0);
	struct ext_image_copy_capture_manager_v1 *manager =
		peer_bind(peer, &ext_image_copy_capture_manager_v1_interface, 0);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	struct ext_image_copy_capture_cursor_session_v1 *cursor =
		ext_image_copy_capture_manager_v1_create_pointer_cursor_session(manager,
			ext_output_image_capture_source_manager_v1_create_source(sources, output),
			wl_seat_get_pointer(peer->seat));
	ext_image_copy_capture_cursor_session_v1_get_capture_session(cursor);
	ext_image_copy_capture_cursor_session_v1_get_capture_session(cursor);
}

static struct zwlr_screencopy_frame_v1 *copy(struct peer *peer)
{
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct wl_output *output = peer_bind(peer, &wl_output_interface, 0);
	struct zwlr_screencopy_frame_v1 *copy =
		zwlr_screencopy_manager_v1_capture_output(manager, 0, output);
	fixture_pump(peer->fixture);
	return copy;
}

static void copied_twice(struct peer *peer)
{
	struct zwlr_screencopy_frame_v1 *used = copy(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 320, 240, WL_SHM_FORMAT_XRGB8888);
	zwlr_screencopy_frame_v1_copy(used, buffer->buffer);
	zwlr_screencopy_frame_v1_copy(used, buffer->buffer);
}

static void copy_to_another_size(struct peer *peer)
{
	struct peer_buffer *buffer = peer_buffer_create(peer, 319, 240, WL_SHM_FORMAT_XRGB8888);
	zwlr_screencopy_frame_v1_copy(copy(peer), buffer->buffer);
}

static void copy_to_another_format(struct peer *peer)
{
	struct peer_buffer *buffer = peer_buffer_create(peer, 320, 240, WL_SHM_FORMAT_ABGR2101010);
	zwlr_screencopy_frame_v1_copy(copy(peer), buffer->buffer);
}

#define FRAME(error) EXT_IMAGE_COPY_CAPTURE_FRAME_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(unknown_capture_option, ext_image_copy_capture_manager_v1,
		EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_ERROR_INVALID_OPTION),
	ERROR_CASE(two_frames_at_once, ext_image_copy_capture_session_v1,
		EXT_IMAGE_COPY_CAPTURE_SESSION_V1_ERROR_DUPLICATE_FRAME),
	ERROR_CASE(capture_without_a_buffer, ext_image_copy_capture_frame_v1, FRAME(NO_BUFFER)),
	ERROR_CASE(capture_damage_of_negative_x, ext_image_copy_capture_frame_v1,
		FRAME(INVALID_BUFFER_DAMAGE)),
	ERROR_CASE(capture_damage_without_width, ext_image_copy_capture_frame_v1,
		FRAME(INVALID_BUFFER_DAMAGE)),
	ERROR_CASE(captured_twice, ext_image_copy_capture_frame_v1, FRAME(ALREADY_CAPTURED)),
	ERROR_CASE(buffer_after_capture, ext_image_copy_capture_frame_v1, FRAME(ALREADY_CAPTURED)),
	ERROR_CASE(damage_after_capture, ext_image_copy_capture_frame_v1, FRAME(ALREADY_CAPTURED)),
	ERROR_CASE(cursor_session_twice, ext_image_copy_capture_cursor_session_v1,
		EXT_IMAGE_COPY_CAPTURE_CURSOR_SESSION_V1_ERROR_DUPLICATE_SESSION),
	ERROR_CASE(copied_twice, zwlr_screencopy_frame_v1,
		ZWLR_SCREENCOPY_FRAME_V1_ERROR_ALREADY_USED),
	ERROR_CASE(copy_to_another_size, zwlr_screencopy_frame_v1,
		ZWLR_SCREENCOPY_FRAME_V1_ERROR_INVALID_BUFFER),
	ERROR_CASE(copy_to_another_format, zwlr_screencopy_frame_v1,
		ZWLR_SCREENCOPY_FRAME_V1_ERROR_INVALID_BUFFER),
};

int main(void)
{
	return ERRORS_RUN("capture/errors", cases, true);
}
