/* SPDX-License-Identifier: MIT */
/* A Wayland client that drags and drops, and moves the pointer or a finger. */

#include "wlr-layer-shell-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include "x_drag_peer.h"
#include <fcntl.h>
#include <linux/input-event-codes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The pointer */

static void pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_peer *peer = data;
	peer->n_pointer_enters++;
}

static void pointer_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
}

static void pointer_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
}

static void pointer_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct wayland_peer *peer = data;
	if (state == WL_POINTER_BUTTON_STATE_PRESSED) {
		peer->press_serial = serial;
		peer->n_presses++;
	}
}

static void pointer_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = pointer_enter,
	.leave = pointer_leave,
	.motion = pointer_motion,
	.button = pointer_button,
	.axis = pointer_axis,
};

/* Touch */

static void touch_down(void *data, struct wl_touch *touch, uint32_t serial, uint32_t time,
	struct wl_surface *surface, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_peer *peer = data;
	peer->press_serial = serial;
	peer->n_presses++;
}

static void touch_up(void *data, struct wl_touch *touch, uint32_t serial, uint32_t time, int32_t id)
{
}

static void touch_motion(
	void *data, struct wl_touch *touch, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
}

static void touch_frame(void *data, struct wl_touch *touch)
{
}

static const struct wl_touch_listener touch_listener = {
	.down = touch_down,
	.up = touch_up,
	.motion = touch_motion,
	.frame = touch_frame,
	.cancel = touch_frame,
};

/* The target */

static void offer_offer(void *data, struct wl_data_offer *offer, const char *type)
{
	struct wayland_peer *peer = data;
	const size_t length = strlen(peer->types);
	snprintf(peer->types + length, sizeof(peer->types) - length, "%s ", type);
}

static void offer_source_actions(void *data, struct wl_data_offer *offer, uint32_t actions)
{
	struct wayland_peer *peer = data;
	peer->source_actions = actions;
}

static void offer_action(void *data, struct wl_data_offer *offer, uint32_t action)
{
	struct wayland_peer *peer = data;
	peer->action = action;
}

static const struct wl_data_offer_listener offer_listener = {
	.offer = offer_offer,
	.source_actions = offer_source_actions,
	.action = offer_action,
};

static void device_offer(void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
	struct wayland_peer *peer = data;
	peer->announced = offer;
	peer->types[0] = '\0';
	peer->source_actions = peer->action = 0;
	wl_data_offer_add_listener(offer, &offer_listener, peer);
}

static void device_enter(void *data, struct wl_data_device *device, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y, struct wl_data_offer *offer)
{
	struct wayland_peer *peer = data;
	if (peer->offer) {
		wl_data_offer_destroy(peer->offer);
	}
	peer->n_enter++;
	peer->offer = offer;
	peer->enter_serial = serial;
	peer->x = wl_fixed_to_double(x);
	peer->y = wl_fixed_to_double(y);
}

static void device_leave(void *data, struct wl_data_device *device)
{
	struct wayland_peer *peer = data;
	peer->n_leave++;
}

static void device_motion(
	void *data, struct wl_data_device *device, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	struct wayland_peer *peer = data;
	peer->n_motion++;
	peer->x = wl_fixed_to_double(x);
	peer->y = wl_fixed_to_double(y);
}

static void device_drop(void *data, struct wl_data_device *device)
{
	struct wayland_peer *peer = data;
	peer->n_drop++;
}

static void device_selection(void *data, struct wl_data_device *device, struct wl_data_offer *offer)
{
	if (offer) {
		wl_data_offer_destroy(offer);
	}
}

static const struct wl_data_device_listener device_listener = {
	.data_offer = device_offer,
	.enter = device_enter,
	.leave = device_leave,
	.motion = device_motion,
	.drop = device_drop,
	.selection = device_selection,
};

int wayland_peer_receive(struct wayland_peer *peer, const char *type)
{
	int fds[2];
	X_CHECK(pipe2(fds, O_CLOEXEC | O_NONBLOCK) == 0);
	wl_data_offer_receive(peer->offer, type, fds[1]);
	close(fds[1]);
	return fds[0];
}

/* The source */

static void source_target(void *data, struct wl_data_source *source, const char *type)
{
	struct wayland_peer *peer = data;
	peer->accepted = type;
}

static void source_send(void *data, struct wl_data_source *source, const char *type, int fd)
{
	const struct wayland_peer *peer = data;
	const char *next = peer->offered;
	size_t left = strlen(next);
	fcntl(fd, F_SETFL, 0); /* the compositor's end keeps its flags */
	/* The reader may be this process. */
	if (fork() == 0) {
		while (left > 0) {
			ssize_t n = write(fd, next, left);
			if (n <= 0) {
				_exit(1);
			}
			next += n;
			left -= (size_t)n;
		}
		_exit(0);
	}
	close(fd);
}

static void source_cancelled(void *data, struct wl_data_source *source)
{
	struct wayland_peer *peer = data;
	peer->n_cancelled++;
}

static void source_dropped(void *data, struct wl_data_source *source)
{
	struct wayland_peer *peer = data;
	peer->n_dropped++;
}

static void source_finished(void *data, struct wl_data_source *source)
{
	struct wayland_peer *peer = data;
	peer->n_finished++;
}

static void source_action(void *data, struct wl_data_source *source, uint32_t action)
{
	struct wayland_peer *peer = data;
	peer->source_action = action;
}

static const struct wl_data_source_listener source_listener = {
	.target = source_target,
	.send = source_send,
	.cancelled = source_cancelled,
	.dnd_drop_performed = source_dropped,
	.dnd_finished = source_finished,
	.action = source_action,
};

void wayland_peer_drag(struct wayland_peer *peer, uint32_t actions)
{
	peer->source = wl_data_device_manager_create_data_source(peer->manager);
	wl_data_source_add_listener(peer->source, &source_listener, peer);
	wl_data_source_offer(peer->source, "text/plain;charset=utf-8");
	wl_data_source_offer(peer->source, "test/other");
	wl_data_source_offer(peer->source, "DELETE"); /* as GTK 3 does */
	wl_data_source_set_actions(peer->source, actions);
	wl_data_device_start_drag(
		peer->device, peer->source, peer->surface, NULL, peer->press_serial);
	wl_display_roundtrip(peer->display);
}

void wayland_peer_copy(struct wayland_peer *peer)
{
	peer->source = wl_data_device_manager_create_data_source(peer->manager);
	wl_data_source_add_listener(peer->source, &source_listener, peer);
	wl_data_source_offer(peer->source, "text/plain;charset=utf-8");
	wl_data_device_set_selection(peer->device, peer->source, peer->press_serial);
	wl_display_roundtrip(peer->display);
}

void wayland_peer_destroy_source(struct wayland_peer *peer)
{
	if (peer->source) {
		wl_data_source_destroy(peer->source);
		peer->source = NULL;
		wl_display_roundtrip(peer->display);
	}
}

/* The surface */

static void layer_configure(void *data, struct zwlr_layer_surface_v1 *layer, uint32_t serial,
	uint32_t width, uint32_t height)
{
	struct wayland_peer *peer = data;
	zwlr_layer_surface_v1_ack_configure(layer, serial);
	peer->configured = true;
}

static void layer_closed(void *data, struct zwlr_layer_surface_v1 *layer)
{
	x_fail("the layer stays", __FILE__, __LINE__);
}

static const struct zwlr_layer_surface_v1_listener layer_listener = {
	.configure = layer_configure,
	.closed = layer_closed,
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct wayland_peer *peer = data;
	const struct {
		const struct wl_interface *interface;
		uint32_t version;
		void **to;
	} globals[] = {
		{&wl_compositor_interface, 4, (void **)&peer->compositor},
		{&wl_shm_interface, 1, (void **)&peer->shm},
		{&wl_seat_interface, 1, (void **)&peer->seat},
		{&wl_data_device_manager_interface, 3, (void **)&peer->manager},
		{&zwlr_layer_shell_v1_interface, 1, (void **)&peer->layers},
		{&zwlr_virtual_pointer_manager_v1_interface, 1, (void **)&peer->pointers},
	};
	for (size_t i = 0; i < sizeof(globals) / sizeof(globals[0]); i++) {
		if (strcmp(interface, globals[i].interface->name) == 0) {
			*globals[i].to = wl_registry_bind(
				registry, name, globals[i].interface, globals[i].version);
		}
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static void attach(struct wayland_peer *peer)
{
	const int size = SIDE * SIDE * 4;
	int fd = memfd_create("buffer", MFD_CLOEXEC);
	X_CHECK(fd >= 0 && ftruncate(fd, size) == 0);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, fd, size);
	struct wl_buffer *buffer =
		wl_shm_pool_create_buffer(pool, 0, SIDE, SIDE, SIDE * 4, WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	close(fd);
	wl_surface_attach(peer->surface, buffer, 0, 0);
	wl_surface_damage(peer->surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(peer->surface);
	wl_display_roundtrip(peer->display);
}

void wayland_peer_connect(struct wayland_peer *peer)
{
	*peer = (struct wayland_peer){
		.display = wl_display_connect(NULL), .offered = "from Wayland"};
	X_CHECK(peer->display);
	struct wl_registry *registry = wl_display_get_registry(peer->display);
	wl_registry_add_listener(registry, &registry_listener, peer);
	wl_display_roundtrip(peer->display);
	X_CHECK(peer->layers && peer->pointers && peer->manager && peer->seat);
	peer->virtual_pointer =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(peer->pointers, peer->seat);
	wl_display_roundtrip(peer->display);
}

void wayland_peer_start(struct wayland_peer *peer)
{
	wayland_peer_connect(peer);
	peer->pointer = wl_seat_get_pointer(peer->seat);
	wl_pointer_add_listener(peer->pointer, &pointer_listener, peer);
	if (getenv("CAUSEWAY_TEST_DEVICES")) {
		peer->devices = fopen(getenv("CAUSEWAY_TEST_DEVICES"), "w");
		X_CHECK(peer->devices);
		peer->touch = wl_seat_get_touch(peer->seat);
		wl_touch_add_listener(peer->touch, &touch_listener, peer);
	}
	peer->device = wl_data_device_manager_get_data_device(peer->manager, peer->seat);
	wl_data_device_add_listener(peer->device, &device_listener, peer);
	peer->surface = wl_compositor_create_surface(peer->compositor);
	peer->layer = zwlr_layer_shell_v1_get_layer_surface(
		peer->layers, peer->surface, NULL, ZWLR_LAYER_SHELL_V1_LAYER_TOP, "test");
	zwlr_layer_surface_v1_add_listener(peer->layer, &layer_listener, peer);
	zwlr_layer_surface_v1_set_size(peer->layer, SIDE, SIDE);
	zwlr_layer_surface_v1_set_anchor(
		peer->layer, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP | ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	wl_surface_commit(peer->surface);
	while (!peer->configured) {
		X_CHECK(wl_display_dispatch(peer->display) >= 0);
	}
	attach(peer);
}

void wayland_peer_stop(struct wayland_peer *peer)
{
	if (peer->devices) {
		fclose(peer->devices);
	}
	wl_display_disconnect(peer->display);
}

void wayland_peer_dispatch(struct wayland_peer *peer)
{
	X_CHECK(wl_display_roundtrip(peer->display) >= 0);
}

static uint32_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

static void touch(struct wayland_peer *peer, const char *action)
{
	fprintf(peer->devices, "touch %s %d %d\n", action, peer->at_x, peer->at_y);
	X_CHECK(fflush(peer->devices) == 0);
}

void wayland_peer_point(struct wayland_peer *peer, int x, int y)
{
	peer->at_x = x;
	peer->at_y = y;
	if (peer->touches) {
		touch(peer, "motion");
	}
	if (!peer->devices) {
		zwlr_virtual_pointer_v1_motion_absolute(peer->virtual_pointer, now_ms(),
			(uint32_t)x, (uint32_t)y, SCREEN_WIDTH, SCREEN_HEIGHT);
		zwlr_virtual_pointer_v1_frame(peer->virtual_pointer);
	}
	wayland_peer_dispatch(peer);
}

void wayland_peer_press(struct wayland_peer *peer, bool pressed)
{
	if (peer->devices) {
		touch(peer, pressed ? "down" : "up");
		peer->touches = pressed;
	} else {
		zwlr_virtual_pointer_v1_button(peer->virtual_pointer, now_ms(), BTN_LEFT,
			pressed ? WL_POINTER_BUTTON_STATE_PRESSED
				: WL_POINTER_BUTTON_STATE_RELEASED);
		zwlr_virtual_pointer_v1_frame(peer->virtual_pointer);
	}
	wayland_peer_dispatch(peer);
}
