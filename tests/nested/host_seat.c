/* SPDX-License-Identifier: MIT */
/* Input devices of the test host. */

#include "host_global.h"
#include "pointer-gestures-unstable-v1-protocol.h"
#include "relative-pointer-unstable-v1-protocol.h"
#include "util/fd.h"
#include <assert.h>
#include <string.h>
#include <unistd.h>

static void handle_set_cursor(struct wl_client *client, struct wl_resource *resource,
	uint32_t serial, struct wl_resource *surface, int32_t x, int32_t y)
{
	struct host *host = wl_resource_get_user_data(resource);
	host->n_hidden_cursors += !surface;
}

static const struct wl_pointer_interface pointer_impl = {
	.set_cursor = handle_set_cursor,
	.release = host_destroy_resource,
};
static const struct wl_keyboard_interface keyboard_impl = {.release = host_destroy_resource};
static const struct wl_touch_interface touch_impl = {.release = host_destroy_resource};

static void forget(struct wl_resource *resource)
{
	struct host *host = wl_resource_get_user_data(resource);
	struct wl_resource **const all[] = {&host->pointer, &host->keyboard, &host->touch,
		&host->relative, &host->swipe, &host->pinch, &host->hold};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (*all[i] == resource) {
			*all[i] = NULL;
		}
	}
}

/* The one object of its kind, requested of the seat or of a manager. */
static void make(struct wl_client *client, struct host *host, struct wl_resource *parent,
	uint32_t id, const struct wl_interface *interface, const void *impl,
	struct wl_resource **object)
{
	*object = host_create_resource(client, interface, parent, id, impl, host);
	wl_resource_set_destructor(*object, forget);
}

static void handle_get_pointer(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &wl_pointer_interface, &pointer_impl, &host->pointer);
}

static void handle_get_keyboard(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &wl_keyboard_interface, &keyboard_impl, &host->keyboard);
}

static void handle_get_touch(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &wl_touch_interface, &touch_impl, &host->touch);
}

static const struct wl_seat_interface seat_impl = {
	.get_pointer = handle_get_pointer,
	.get_keyboard = handle_get_keyboard,
	.get_touch = handle_get_touch,
	.release = host_destroy_resource,
};

static const struct zwp_relative_pointer_v1_interface relative_impl = {
	.destroy = host_destroy_resource,
};

static void handle_get_relative(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *pointer)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &zwp_relative_pointer_v1_interface, &relative_impl,
		&host->relative);
}

static const struct zwp_relative_pointer_manager_v1_interface relative_manager_impl = {
	.destroy = host_destroy_resource,
	.get_relative_pointer = handle_get_relative,
};

static const struct zwp_pointer_gesture_swipe_v1_interface swipe_impl = {
	.destroy = host_destroy_resource,
};
static const struct zwp_pointer_gesture_pinch_v1_interface pinch_impl = {
	.destroy = host_destroy_resource,
};
static const struct zwp_pointer_gesture_hold_v1_interface hold_impl = {
	.destroy = host_destroy_resource,
};

static void handle_get_swipe(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *pointer)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &zwp_pointer_gesture_swipe_v1_interface, &swipe_impl,
		&host->swipe);
}

static void handle_get_pinch(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *pointer)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &zwp_pointer_gesture_pinch_v1_interface, &pinch_impl,
		&host->pinch);
}

static void handle_get_hold(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	struct wl_resource *pointer)
{
	struct host *host = wl_resource_get_user_data(resource);
	make(client, host, resource, id, &zwp_pointer_gesture_hold_v1_interface, &hold_impl,
		&host->hold);
}

static const struct zwp_pointer_gestures_v1_interface gestures_impl = {
	.get_swipe_gesture = handle_get_swipe,
	.get_pinch_gesture = handle_get_pinch,
	.release = host_destroy_resource,
	.get_hold_gesture = handle_get_hold,
};

HOST_BIND(gestures, zwp_pointer_gestures_v1_interface, gestures_impl)
HOST_BIND(relative, zwp_relative_pointer_manager_v1_interface, relative_manager_impl)

static void bind_seat(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct host *host = data;
	host->seat = host_bind(client, &wl_seat_interface, version, id, &seat_impl, host);
	wl_seat_send_capabilities(host->seat, WL_SEAT_CAPABILITY_KEYBOARD |
						      WL_SEAT_CAPABILITY_POINTER |
						      WL_SEAT_CAPABILITY_TOUCH);
	if (version >= WL_SEAT_NAME_SINCE_VERSION) {
		wl_seat_send_name(host->seat, "main seat");
	}
}

void host_add_seat(struct host *host)
{
	const struct host_options *options = &host->options;
	host_add_global(host, false, &zwp_pointer_gestures_v1_interface, 3, bind_gestures);
	host_add_global(host, options->no_relative, &zwp_relative_pointer_manager_v1_interface, 1,
		bind_relative);
	host_add_global(host, false, &wl_seat_interface,
		options->seat_version ? options->seat_version : 9, bind_seat);
}

void host_send_keymap(struct host *host, const char *text)
{
	size_t size = strlen(text) + 1;
	int fd = fd_create_memory("keymap", (off_t)size, false);
	assert(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	wl_keyboard_send_keymap(
		host->keyboard, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t)size);
	close(fd);
}
