/* Errors of input, of captures, and of what only trusted clients see. */

#include "cursor-shape-v1-client-protocol.h"
#include "errors.h"
#include "ext-data-control-v1-client-protocol.h"
#include "ext-image-capture-source-v1-client-protocol.h"
#include "ext-image-copy-capture-v1-client-protocol.h"
#include "input-method-unstable-v2-client-protocol.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "security-context-v1-client-protocol.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <sys/socket.h>
#include <unistd.h>

static void cursor_with_a_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 10, 10, 40, 40, 0xffffffff);
	struct wl_pointer *pointer = wl_seat_get_pointer(peer->seat);
	pointer_warp(peer->fixture->server->seat, (struct coord_global){30, 30});
	fixture_pump(peer->fixture);
	wl_pointer_set_cursor(pointer, 0, window->surface, 0, 0);
}

static void unknown_cursor_shape(struct peer *peer)
{
	struct wp_cursor_shape_manager_v1 *manager =
		peer_bind(peer, &wp_cursor_shape_manager_v1_interface, 0);
	struct wp_cursor_shape_device_v1 *device =
		wp_cursor_shape_manager_v1_get_pointer(manager, wl_seat_get_pointer(peer->seat));
	wp_cursor_shape_device_v1_set_shape(device, 0, 1000);
}

static void shape_of_zero(struct peer *peer)
{
	struct wp_cursor_shape_manager_v1 *manager =
		peer_bind(peer, &wp_cursor_shape_manager_v1_interface, 0);
	struct wp_cursor_shape_device_v1 *device =
		wp_cursor_shape_manager_v1_get_pointer(manager, wl_seat_get_pointer(peer->seat));
	wp_cursor_shape_device_v1_set_shape(device, 0, 0);
}

static void constrained_twice(struct peer *peer)
{
	struct zwp_pointer_constraints_v1 *constraints =
		peer_bind(peer, &zwp_pointer_constraints_v1_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct wl_pointer *pointer = wl_seat_get_pointer(peer->seat);
	zwp_pointer_constraints_v1_lock_pointer(constraints, surface, pointer, NULL,
		ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
	zwp_pointer_constraints_v1_confine_pointer(constraints, surface, pointer, NULL,
		ZWP_POINTER_CONSTRAINTS_V1_LIFETIME_PERSISTENT);
}

static struct zwlr_virtual_pointer_v1 *virtual_pointer(struct peer *peer)
{
	struct zwlr_virtual_pointer_manager_v1 *manager =
		peer_bind(peer, &zwlr_virtual_pointer_manager_v1_interface, 0);
	return zwlr_virtual_pointer_manager_v1_create_virtual_pointer(manager, peer->seat);
}

static void unknown_axis(struct peer *peer)
{
	zwlr_virtual_pointer_v1_axis(virtual_pointer(peer), 0, 2, 256);
}

static void unknown_stopped_axis(struct peer *peer)
{
	zwlr_virtual_pointer_v1_axis_stop(virtual_pointer(peer), 0, 2);
}

static void unknown_discrete_axis(struct peer *peer)
{
	zwlr_virtual_pointer_v1_axis_discrete(virtual_pointer(peer), 0, 2, 256, 1);
}

static void unknown_axis_source(struct peer *peer)
{
	zwlr_virtual_pointer_v1_axis_source(virtual_pointer(peer), 4);
}

static struct zwp_virtual_keyboard_v1 *virtual_keyboard(struct peer *peer)
{
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	return zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, peer->seat);
}

static void key_before_keymap(struct peer *peer)
{
	zwp_virtual_keyboard_v1_key(virtual_keyboard(peer), 0, 30, 1);
}

static void modifiers_before_keymap(struct peer *peer)
{
	zwp_virtual_keyboard_v1_modifiers(virtual_keyboard(peer), 0, 0, 0, 0);
}

static struct zwp_input_method_v2 *input_method(struct peer *peer)
{
	struct zwp_input_method_manager_v2 *manager =
		peer_bind(peer, &zwp_input_method_manager_v2_interface, 0);
	return zwp_input_method_manager_v2_get_input_method(manager, peer->seat);
}

static void input_popup_with_a_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create(peer, 10, 10, 40, 40, 0xffffffff);
	zwp_input_method_v2_get_input_popup_surface(input_method(peer), window->surface);
}

static void input_popup_twice(struct peer *peer)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	struct zwp_input_method_v2 *method = input_method(peer);
	zwp_input_method_v2_get_input_popup_surface(method, surface);
	zwp_input_method_v2_get_input_popup_surface(method, surface);
}

static void unavailable_popup_with_a_role(struct peer *peer)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	zwp_input_method_v2_get_input_popup_surface(input_method(peer), surface);
	zwp_input_method_v2_get_input_popup_surface(input_method(peer), surface);
}

static void input_popup_loses_its_surface(struct peer *peer)
{
	struct wl_surface *surface = wl_compositor_create_surface(peer->compositor);
	zwp_input_method_v2_get_input_popup_surface(input_method(peer), surface);
	wl_surface_destroy(surface);
}

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

static void control_source_twice(struct peer *peer)
{
	struct ext_data_control_manager_v1 *manager =
		peer_bind(peer, &ext_data_control_manager_v1_interface, 0);
	struct ext_data_control_device_v1 *device =
		ext_data_control_manager_v1_get_data_device(manager, peer->seat);
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_device_v1_set_selection(device, source);
	ext_data_control_device_v1_set_primary_selection(device, source);
}

static void type_offered_after_use(struct peer *peer)
{
	struct ext_data_control_manager_v1 *manager =
		peer_bind(peer, &ext_data_control_manager_v1_interface, 0);
	struct ext_data_control_device_v1 *device =
		ext_data_control_manager_v1_get_data_device(manager, peer->seat);
	struct ext_data_control_source_v1 *source =
		ext_data_control_manager_v1_create_data_source(manager);
	ext_data_control_device_v1_set_selection(device, source);
	ext_data_control_source_v1_offer(source, "text/plain");
}

static struct wp_security_context_v1 *context(struct peer *peer)
{
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fds[2];
	assert_true(listener >= 0);
	assert_int_equal(pipe(fds), 0);
	/* The kernel picks a name. */
	const struct sockaddr family = {.sa_family = AF_UNIX};
	assert_int_equal(bind(listener, &family, sizeof(family.sa_family)), 0);
	assert_int_equal(listen(listener, 1), 0);
	struct wp_security_context_v1 *context =
		wp_security_context_manager_v1_create_listener(manager, listener, fds[0]);
	wl_display_flush(peer->display);
	close(listener);
	close(fds[0]);
	close(fds[1]);
	return context;
}

static void listener_that_is_no_socket(struct peer *peer)
{
	struct wp_security_context_manager_v1 *manager =
		peer_bind(peer, &wp_security_context_manager_v1_interface, 0);
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	wp_security_context_manager_v1_create_listener(manager, fds[0], fds[1]);
	wl_display_flush(peer->display);
	close(fds[0]);
	close(fds[1]);
}

static void context_committed_twice(struct peer *peer)
{
	struct wp_security_context_v1 *used = context(peer);
	wp_security_context_v1_commit(used);
	wp_security_context_v1_commit(used);
}

static void metadata_after_commit(struct peer *peer)
{
	struct wp_security_context_v1 *used = context(peer);
	wp_security_context_v1_commit(used);
	wp_security_context_v1_set_app_id(used, "late");
}

static void metadata_twice(struct peer *peer)
{
	struct wp_security_context_v1 *named = context(peer);
	wp_security_context_v1_set_sandbox_engine(named, "one");
	wp_security_context_v1_set_sandbox_engine(named, "two");
}

#define FRAME(error) EXT_IMAGE_COPY_CAPTURE_FRAME_V1_ERROR_##error
#define CONTEXT(error) WP_SECURITY_CONTEXT_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(cursor_with_a_role, wl_pointer, WL_POINTER_ERROR_ROLE),
	ERROR_CASE(unknown_cursor_shape, wp_cursor_shape_device_v1,
		WP_CURSOR_SHAPE_DEVICE_V1_ERROR_INVALID_SHAPE),
	ERROR_CASE(shape_of_zero, wp_cursor_shape_device_v1,
		WP_CURSOR_SHAPE_DEVICE_V1_ERROR_INVALID_SHAPE),
	ERROR_CASE(constrained_twice, zwp_pointer_constraints_v1,
		ZWP_POINTER_CONSTRAINTS_V1_ERROR_ALREADY_CONSTRAINED),
	ERROR_CASE(
		unknown_axis, zwlr_virtual_pointer_v1, ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS),
	ERROR_CASE(unknown_stopped_axis, zwlr_virtual_pointer_v1,
		ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS),
	ERROR_CASE(unknown_discrete_axis, zwlr_virtual_pointer_v1,
		ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS),
	ERROR_CASE(unknown_axis_source, zwlr_virtual_pointer_v1,
		ZWLR_VIRTUAL_POINTER_V1_ERROR_INVALID_AXIS_SOURCE),
	ERROR_CASE(key_before_keymap, zwp_virtual_keyboard_v1,
		ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP),
	ERROR_CASE(modifiers_before_keymap, zwp_virtual_keyboard_v1,
		ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP),
	ERROR_CASE(input_popup_with_a_role, zwp_input_method_v2, ZWP_INPUT_METHOD_V2_ERROR_ROLE),
	ERROR_CASE(input_popup_twice, zwp_input_method_v2, ZWP_INPUT_METHOD_V2_ERROR_ROLE),
	ERROR_CASE(
		unavailable_popup_with_a_role, zwp_input_method_v2, ZWP_INPUT_METHOD_V2_ERROR_ROLE),
	ERROR_CASE_DESTROYED(input_popup_loses_its_surface, WL_SURFACE_ERROR_DEFUNCT_ROLE_OBJECT),
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
	ERROR_CASE(control_source_twice, ext_data_control_device_v1,
		EXT_DATA_CONTROL_DEVICE_V1_ERROR_USED_SOURCE),
	ERROR_CASE(type_offered_after_use, ext_data_control_source_v1,
		EXT_DATA_CONTROL_SOURCE_V1_ERROR_INVALID_OFFER),
	ERROR_CASE(listener_that_is_no_socket, wp_security_context_manager_v1,
		WP_SECURITY_CONTEXT_MANAGER_V1_ERROR_INVALID_LISTEN_FD),
	ERROR_CASE(context_committed_twice, wp_security_context_v1, CONTEXT(ALREADY_USED)),
	ERROR_CASE(metadata_after_commit, wp_security_context_v1, CONTEXT(ALREADY_USED)),
	ERROR_CASE(metadata_twice, wp_security_context_v1, CONTEXT(ALREADY_SET)),
};

int main(void)
{
	return ERRORS_RUN("privileged-errors", cases, true);
}
