/* SPDX-License-Identifier: MIT */
/* Protocol errors of cursors, pointer constraints, virtual devices and input methods. */

#include "cursor-shape-v1-client-protocol.h"
#include "harness/client/protocol_errors.h"
#include "input-method-unstable-v2-client-protocol.h"
#include "pointer-constraints-unstable-v1-client-protocol.h"
#include "seat/seat.h"
#include "util/box.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"

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
};

int main(void)
{
	return ERRORS_RUN("input/errors", cases, true);
}
