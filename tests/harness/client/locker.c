/* SPDX-License-Identifier: MIT */
/* Lock clients, and a session to lock. */

#include "harness/client/locker.h"
#include "backend/headless.h"
#include "harness/hand.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

/* Events of the session's client */

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_keyboard_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	struct locked_world *world = data;
	world->n_enters++;
}

static void handle_keyboard_leave(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	struct locked_world *world = data;
	world->n_leaves++;
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
	struct locked_world *world = data;
	world->n_keys++;
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
}

static void handle_repeat(void *data, struct wl_keyboard *keyboard, int32_t rate, int32_t delay)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_keyboard_enter,
	.leave = handle_keyboard_leave,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.repeat_info = handle_repeat,
};

static void handle_pointer_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct locked_world *world = data;
	world->n_enters++;
}

static void handle_pointer_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
	struct locked_world *world = data;
	world->n_leaves++;
}

static void handle_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	struct locked_world *world = data;
	world->n_motions++;
}

static void handle_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct locked_world *world = data;
	world->n_buttons++;
}

static void handle_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_pointer_enter,
	.leave = handle_pointer_leave,
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
};

static void handle_down(void *data, struct wl_touch *touch, uint32_t serial, uint32_t time,
	struct wl_surface *surface, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct locked_world *world = data;
	world->n_touches++;
}

static void handle_up(
	void *data, struct wl_touch *touch, uint32_t serial, uint32_t time, int32_t id)
{
	struct locked_world *world = data;
	world->n_touches++;
}

static void handle_slide(
	void *data, struct wl_touch *touch, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct locked_world *world = data;
	world->n_touches++;
}

static void handle_touch_frame(void *data, struct wl_touch *touch)
{
}

static void handle_cancel(void *data, struct wl_touch *touch)
{
	struct locked_world *world = data;
	world->n_cancels++;
}

static const struct wl_touch_listener touch_listener = {
	.down = handle_down,
	.up = handle_up,
	.motion = handle_slide,
	.frame = handle_touch_frame,
	.cancel = handle_cancel,
};

/* Input */

void point(struct locked_world *world, double x, double y)
{
	hand_point(world->fixture, world->pointer, x, y);
}

void press(struct locked_world *world, bool pressed)
{
	hand_press(world->fixture, world->pointer, pressed);
}

void key(struct locked_world *world, uint32_t code, bool pressed)
{
	hand_key(world->fixture, world->keyboard, code, pressed);
}

void touch(struct locked_world *world, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 3, .x = x / WIDTH, .y = y / HEIGHT};
	signal_emit(signal, &event);
	signal_emit(&world->touch->events.touch_frame, NULL);
	fixture_pump(world->fixture);
}

/* Lockers */

static void handle_locked(void *data, struct ext_session_lock_v1 *lock)
{
	struct locker *locker = data;
	locker->n_locked++;
}

static void handle_finished(void *data, struct ext_session_lock_v1 *lock)
{
	struct locker *locker = data;
	locker->n_finished++;
}

static const struct ext_session_lock_v1_listener lock_listener = {
	.locked = handle_locked,
	.finished = handle_finished,
};

static void handle_configure(void *data, struct ext_session_lock_surface_v1 *lock_surface,
	uint32_t serial, uint32_t width, uint32_t height)
{
	struct locker *locker = data;
	locker->serial = serial;
	locker->width = (int32_t)width;
	locker->height = (int32_t)height;
	locker->n_configures++;
}

static const struct ext_session_lock_surface_v1_listener surface_listener = {
	.configure = handle_configure,
};

struct locker *locker_create(struct locked_world *world)
{
	struct locker *locker = xcalloc(1, sizeof(*locker));
	locker->peer = peer_create(world->fixture);
	struct ext_session_lock_manager_v1 *manager =
		peer_bind(locker->peer, &ext_session_lock_manager_v1_interface, 0);
	locker->lock = ext_session_lock_manager_v1_lock(manager);
	ext_session_lock_v1_add_listener(locker->lock, &lock_listener, locker);
	ext_session_lock_manager_v1_destroy(manager);
	fixture_pump(world->fixture);
	return locker;
}

void locker_destroy(struct locker *locker)
{
	struct fixture *fixture = locker->peer->fixture;
	peer_destroy(locker->peer);
	free(locker);
	fixture_pump(fixture);
}

void locker_show(struct locker *locker, uint32_t color)
{
	struct wl_output *output = peer_bind(locker->peer, &wl_output_interface, 0);
	locker->surface = wl_compositor_create_surface(locker->peer->compositor);
	locker->lock_surface =
		ext_session_lock_v1_get_lock_surface(locker->lock, locker->surface, output);
	ext_session_lock_surface_v1_add_listener(locker->lock_surface, &surface_listener, locker);
	fixture_pump(locker->peer->fixture);
	assert_int_equal(locker->n_configures, 1);
	assert_int_equal(locker->width, WIDTH);
	assert_int_equal(locker->height, HEIGHT);
	ext_session_lock_surface_v1_ack_configure(locker->lock_surface, locker->serial);
	locker->buffer = peer_buffer_create(
		locker->peer, locker->width, locker->height, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(locker->buffer, 0, 0, locker->width, locker->height, color);
	peer_surface_show(locker->surface, locker->buffer);
	fixture_pump(locker->peer->fixture);
}

void locker_unlock(struct locker *locker)
{
	ext_session_lock_v1_unlock_and_destroy(locker->lock);
	fixture_pump(locker->peer->fixture);
}

int set_up(void **state)
{
	struct locked_world *world = xcalloc(1, sizeof(*world));
	struct fixture_options options = {.width = WIDTH, .height = HEIGHT};
	world->fixture = fixture_create(&options);
	struct backend *backend = world->fixture->server->backend;
	world->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	world->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	world->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	world->peer = peer_create(world->fixture);
	wl_keyboard_add_listener(
		wl_seat_get_keyboard(world->peer->seat), &keyboard_listener, world);
	/* Version 1 has no further events. */
	struct wl_seat *seat = peer_bind(world->peer, &wl_seat_interface, 1);
	wl_pointer_add_listener(wl_seat_get_pointer(seat), &pointer_listener, world);
	wl_touch_add_listener(wl_seat_get_touch(world->peer->seat), &touch_listener, world);
	world->window = peer_window_create(world->peer, 20, 20, 200, 150, 0xff000000 | RED);
	point(world, 50, 50);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
	*state = world;
	return 0;
}

void expect_all(struct locked_world *world, int index, uint32_t color)
{
	struct image *image = fixture_shot(world->fixture, index);
	for (int i = 0; i < image->width * image->height; i++) {
		if (image->pixels[i] != color) {
			fail_msg("pixel %d,%d is %06x", i % image->width, i / image->width,
				image->pixels[i]);
		}
	}
	image_destroy(image);
}

void hide_pointer(struct locked_world *world)
{
	headless_remove_input(world->pointer);
	world->pointer = NULL;
}
