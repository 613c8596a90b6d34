/* Locking the session: nothing of it shows or hears of input, whatever becomes of the locker. */

#include "backend/headless.h"
#include "capturer.h"
#include "ext-session-lock-v1-client-protocol.h"
#include "render/render.h"
#include "surface/surface.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WIDTH 320
#define HEIGHT 240
#define RED 0xff0000
#define BLUE 0x0000ff

struct world {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct peer *peer; /* of the session */
	struct peer_window *window; /* 200x150 at 20, 20 */
	int n_keys, n_enters, n_leaves, n_motions, n_buttons, n_touches, n_cancels;
};

/* What the session's client hears */

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_keyboard_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	struct world *world = data;
	world->n_enters++;
}

static void handle_keyboard_leave(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	struct world *world = data;
	world->n_leaves++;
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
	struct world *world = data;
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
	struct world *world = data;
	world->n_enters++;
}

static void handle_pointer_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
	struct world *world = data;
	world->n_leaves++;
}

static void handle_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
	struct world *world = data;
	world->n_motions++;
}

static void handle_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
	struct world *world = data;
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
	struct world *world = data;
	world->n_touches++;
}

static void handle_up(
	void *data, struct wl_touch *touch, uint32_t serial, uint32_t time, int32_t id)
{
	struct world *world = data;
	world->n_touches++;
}

static void handle_slide(
	void *data, struct wl_touch *touch, uint32_t time, int32_t id, wl_fixed_t x, wl_fixed_t y)
{
	struct world *world = data;
	world->n_touches++;
}

static void handle_touch_frame(void *data, struct wl_touch *touch)
{
}

static void handle_cancel(void *data, struct wl_touch *touch)
{
	struct world *world = data;
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

static void point(struct world *world, double x, double y)
{
	struct input_motion_absolute_event event = {.x = x / WIDTH, .y = y / HEIGHT};
	signal_emit(&world->pointer->events.motion_absolute, &event);
	signal_emit(&world->pointer->events.frame, NULL);
	fixture_pump(world->fixture);
}

static void press(struct world *world, bool pressed)
{
	struct input_button_event event = {.button = BTN_LEFT, .pressed = pressed};
	signal_emit(&world->pointer->events.button, &event);
	signal_emit(&world->pointer->events.frame, NULL);
	fixture_pump(world->fixture);
}

static void key(struct world *world, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	signal_emit(&world->keyboard->events.key, &event);
	fixture_pump(world->fixture);
}

static void touch(struct world *world, struct wl_signal *signal, double x, double y)
{
	struct input_touch_event event = {.id = 3, .x = x / WIDTH, .y = y / HEIGHT};
	signal_emit(signal, &event);
	signal_emit(&world->touch->events.touch_frame, NULL);
	fixture_pump(world->fixture);
}

/* Lockers */

struct locker {
	struct peer *peer;
	struct ext_session_lock_v1 *lock;
	int n_locked, n_finished;
	struct wl_surface *surface;
	struct ext_session_lock_surface_v1 *lock_surface;
	struct peer_buffer *buffer;
	uint32_t serial;
	int32_t width, height;
	int n_configures;
};

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

static struct locker *locker_create(struct world *world)
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

/* Crashes if it holds the lock. */
static void locker_destroy(struct locker *locker)
{
	struct fixture *fixture = locker->peer->fixture;
	peer_destroy(locker->peer);
	free(locker);
	fixture_pump(fixture);
}

static void locker_show(struct locker *locker, uint32_t color)
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

static void locker_unlock(struct locker *locker)
{
	ext_session_lock_v1_unlock_and_destroy(locker->lock);
	fixture_pump(locker->peer->fixture);
}

static int set_up(void **state)
{
	struct world *world = xcalloc(1, sizeof(*world));
	struct fixture_options options = {.width = WIDTH, .height = HEIGHT};
	world->fixture = fixture_create(&options);
	struct backend *backend = world->fixture->server->backend;
	world->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	world->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	world->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	world->peer = peer_create(world->fixture);
	wl_keyboard_add_listener(
		wl_seat_get_keyboard(world->peer->seat), &keyboard_listener, world);
	/* Version 1 knows no more events than are listened to. */
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

static int tear_down(void **state)
{
	struct world *world = *state;
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

static void expect_all(struct world *world, int index, uint32_t color)
{
	struct picture *picture = fixture_shot(world->fixture, index);
	for (int i = 0; i < picture->width * picture->height; i++) {
		if (picture->pixels[i] != color) {
			fail_msg("pixel %d,%d is %06x", i % picture->width, i / picture->width,
				picture->pixels[i]);
		}
	}
	picture_destroy(picture);
}

/* Its cursor is in the way of whole pictures. */
static void hide_pointer(struct world *world)
{
	headless_remove_input(world->pointer);
	world->pointer = NULL;
}

static void test_picture(void **state)
{
	struct world *world = *state;
	hide_pointer(world);
	fixture_settle(world->fixture);
	struct locker *locker = locker_create(world);
	/* Nothing has turned to light since. */
	assert_int_equal(locker->n_locked, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	expect_all(world, 0, 0);

	/* New windows stay out of sight as well. */
	peer_window_create(world->peer, 60, 60, 50, 50, 0xffffffff);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0);

	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);

	locker_unlock(locker);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 130), RED);
	assert_int_equal(locker->n_locked, 1);
	assert_int_equal(locker->n_finished, 0);
	/* Nothing runs on. */
	fixture_sleep(world->fixture, INT64_C(2500000000));
	assert_false(clock_advance_to_next(world->fixture->clock));
	locker_destroy(locker);
	assert_false(world->fixture->server->shell->locked);
}

/* With nothing on screen there is no damage, and yet a frame must tell. */
static void test_empty_session(void **state)
{
	struct world *world = *state;
	peer_destroy(world->peer);
	fixture_settle(world->fixture);
	struct locker *locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	locker_destroy(locker);
}

/* A frame that was under way may still show the session. */
static void test_frame_in_flight(void **state)
{
	struct world *world = *state;
	struct frame_output *frame = frame_output_find(world->fixture->server->scene->outputs[0]);
	peer_buffer_fill(world->window->buffer, 0, 0, 200, 150, 0xff00ff00);
	peer_surface_show(world->window->surface, world->window->buffer);
	fixture_pump(world->fixture);
	for (int i = 0; i < 40 && frame->state != FRAME_FLIPPING; i++) {
		clock_advance(world->fixture->clock, 1000000);
		fixture_pump(world->fixture);
	}
	assert_int_equal(frame->state, FRAME_FLIPPING);
	uint64_t presented = frame->stats.presented;
	struct locker *locker = locker_create(world);
	while (frame->stats.presented == presented) {
		clock_advance(world->fixture->clock, 1000000);
		fixture_pump(world->fixture);
	}
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0x00ff00);
	assert_int_equal(locker->n_locked, 0);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0);
	locker_destroy(locker);
}

static void test_crash(void **state)
{
	struct world *world = *state;
	hide_pointer(world);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	struct locker *late = locker_create(world);
	assert_int_equal(late->n_finished, 1);
	assert_int_equal(late->n_locked, 0);
	ext_session_lock_v1_destroy(late->lock);
	assert_true(peer_alive(late->peer));
	locker_destroy(late);
	assert_true(world->fixture->server->shell->locked);

	locker_destroy(locker);
	fixture_settle(world->fixture);
	assert_true(world->fixture->server->shell->locked);
	expect_all(world, 0, 0);

	locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	assert_int_equal(locker->n_locked, 1);
	locker_show(locker, 0xffffff);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0xffffff);
	locker_unlock(locker);
	fixture_settle(world->fixture);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), RED);
	locker_destroy(locker);
}

/* Who dies before it was told leaves the session locked, too. */
static void test_early_crash(void **state)
{
	struct world *world = *state;
	locker_destroy(locker_create(world));
	fixture_settle(world->fixture);
	assert_true(world->fixture->server->shell->locked);
	assert_int_equal(fixture_pixel(world->fixture, 150, 120), 0);
}

static void test_outputs(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	hide_pointer(world);
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	fixture_settle(world->fixture);
	struct output *second = headless_add_output(server->backend, 100, 80, 60000);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	expect_all(world, 1, 0);
	scene_output_set_scale(server->scene->outputs[0], 2);
	fixture_settle(world->fixture);
	assert_int_equal(locker->n_configures, 2);
	assert_int_equal(locker->width, WIDTH / 2);
	/* A window that moves to the first output when the second goes. */
	headless_remove_output(second);
	fixture_settle(world->fixture);
	headless_remove_output(server->scene->outputs[0]->output);
	fixture_pump(world->fixture);
	assert_null(server->shell->lock_focus);
	assert_true(peer_alive(locker->peer));
	headless_add_output(server->backend, WIDTH, HEIGHT, 60000);
	fixture_settle(world->fixture);
	expect_all(world, 0, 0);
	locker_unlock(locker);
	assert_true(peer_alive(locker->peer));
	locker_destroy(locker);
}

static void forget(struct world *world)
{
	fixture_pump(world->fixture);
	world->n_keys = world->n_enters = world->n_leaves = world->n_motions = 0;
	world->n_buttons = world->n_touches = world->n_cancels = 0;
}

static void poke(struct world *world)
{
	point(world, 60, 60);
	press(world, true);
	point(world, 70, 70);
	press(world, false);
	key(world, KEY_A, true);
	key(world, KEY_A, false);
	touch(world, &world->touch->events.touch_down, 80, 80);
	touch(world, &world->touch->events.touch_motion, 90, 90);
	touch(world, &world->touch->events.touch_up, 0, 0);
}

static void expect_silence(struct world *world)
{
	assert_int_equal(world->n_keys, 0);
	assert_int_equal(world->n_enters, 0);
	assert_int_equal(world->n_leaves, 0);
	assert_int_equal(world->n_motions, 0);
	assert_int_equal(world->n_buttons, 0);
	assert_int_equal(world->n_touches, 0);
	assert_int_equal(world->n_cancels, 0);
}

static void test_input(void **state)
{
	struct world *world = *state;
	struct seat *seat = world->fixture->server->seat;
	forget(world);
	poke(world);
	assert_int_equal(world->n_keys, 2);
	assert_int_equal(world->n_buttons, 2);
	assert_int_equal(world->n_touches, 3);

	/* A finger and a button that are down when it is locked are taken back. */
	touch(world, &world->touch->events.touch_down, 80, 80);
	press(world, true);
	forget(world);
	struct locker *locker = locker_create(world);
	assert_int_equal(world->n_cancels, 1);
	assert_int_equal(world->n_leaves, 2); /* pointer and keyboard */
	forget(world);
	touch(world, &world->touch->events.touch_motion, 90, 90);
	touch(world, &world->touch->events.touch_up, 0, 0);
	point(world, 90, 90);
	press(world, false);
	poke(world);
	expect_silence(world);

	locker_show(locker, BLUE);
	assert_ptr_equal(seat->keyboard.focus, peer_surface_find(locker->peer, locker->surface));
	assert_ptr_equal(seat->pointer.focus, seat->keyboard.focus);
	poke(world);
	/* Nor does anyone get the keyboard who asks for it. */
	peer_window_create(world->peer, 30, 30, 40, 40, 0xffffffff);
	shell_refocus(world->fixture->server->shell);
	poke(world);
	expect_silence(world);
	assert_ptr_equal(seat->keyboard.focus, peer_surface_find(locker->peer, locker->surface));

	/* Its crash gives nothing back. */
	locker_destroy(locker);
	poke(world);
	expect_silence(world);
	assert_null(seat->keyboard.focus);

	locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	assert_non_null(seat->keyboard.focus);
	assert_non_null(seat->pointer.focus);
	locker_destroy(locker);
}

/* Devices that come, those that clients play, and what clients would begin with what they had. */
static void test_more_devices(void **state)
{
	struct world *world = *state;
	struct backend *backend = world->fixture->server->backend;
	const struct seat *seat = world->fixture->server->seat;
	struct zwlr_virtual_pointer_v1 *pointer =
		zwlr_virtual_pointer_manager_v1_create_virtual_pointer(
			peer_bind(world->peer, &zwlr_virtual_pointer_manager_v1_interface, 0),
			NULL);
	struct zwp_virtual_keyboard_v1 *keyboard =
		zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(
			peer_bind(world->peer, &zwp_virtual_keyboard_manager_v1_interface, 0),
			world->peer->seat);
	fixture_pump(world->fixture);
	int fd = dup(seat->keyboard.keymap_fd);
	zwp_virtual_keyboard_v1_keymap(
		keyboard, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, seat->keyboard.keymap_size);
	point(world, 60, 60);
	press(world, true);
	uint32_t serial = seat->pointer.press_serial;
	struct locker *locker = locker_create(world);
	fixture_frames(world->fixture, 3);
	press(world, false);
	struct window *window = peer_window_find(world->window);
	int x = window->x;
	forget(world);

	zwlr_virtual_pointer_v1_motion_absolute(pointer, 1, 70, 70, WIDTH, HEIGHT);
	zwlr_virtual_pointer_v1_button(pointer, 1, BTN_LEFT, 1);
	zwlr_virtual_pointer_v1_frame(pointer);
	zwp_virtual_keyboard_v1_key(keyboard, 1, KEY_Q, 1);
	zwp_virtual_keyboard_v1_key(keyboard, 1, KEY_Q, 0);
	xdg_toplevel_move(world->window->toplevel, world->peer->seat, serial);
	zwlr_virtual_pointer_v1_motion_absolute(pointer, 1, 90, 90, WIDTH, HEIGHT);
	zwlr_virtual_pointer_v1_frame(pointer);
	expect_silence(world);
	fixture_pump(world->fixture);
	expect_silence(world);
	assert_int_equal(window->x, x);
	zwlr_virtual_pointer_v1_destroy(pointer);
	zwp_virtual_keyboard_v1_destroy(keyboard);

	/* All go, and others come. */
	headless_remove_input(world->pointer);
	headless_remove_input(world->keyboard);
	headless_remove_input(world->touch);
	world->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	world->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	world->touch = headless_add_input(backend, INPUT_TOUCH, "touch");
	fixture_frames(world->fixture, 3);
	poke(world);
	expect_silence(world);
	locker_unlock(locker);
	fixture_frames(world->fixture, 3);
	forget(world);
	poke(world);
	assert_int_equal(world->n_keys, 2);
	assert_int_equal(world->n_buttons, 2);
	assert_int_equal(world->n_touches, 3);
	locker_destroy(locker);
}

static void add_key(struct shell *shell, const char *action, const char *argument, uint32_t sym)
{
	struct config_key *binding = xcalloc(1, sizeof(*binding));
	binding->modifiers = 0;
	binding->sym = sym;
	binding->action = xstrdup(action);
	binding->argument = xstrdup(argument);
	wl_list_insert(&shell->config->keys, &binding->link);
}

static void note_vt(void *data, int n)
{
	*(int *)data = n;
}

static void note_quit(void *data)
{
	*(int *)data = -1;
}

static void test_bindings(void **state)
{
	struct world *world = *state;
	struct shell *shell = world->fixture->server->shell;
	int vt = 0;
	struct shell_host host = *shell->host;
	host.switch_vt = note_vt;
	host.quit = note_quit;
	host.data = &vt;
	const struct shell_host *before = shell->host;
	shell->host = &host;
	add_key(shell, "workspace", "2", XKB_KEY_F5);
	add_key(shell, "switch-vt", "3", XKB_KEY_F6);
	struct locker *locker = locker_create(world);
	key(world, KEY_F5, true);
	key(world, KEY_F5, false);
	assert_int_equal(shell->active_workspace, 0);
	key(world, KEY_F6, true);
	key(world, KEY_F6, false);
	assert_int_equal(vt, 3);
	/* The ways out work, whatever is locked or bound. */
	key(world, KEY_LEFTCTRL, true);
	key(world, KEY_LEFTALT, true);
	key(world, KEY_F12, true);
	key(world, KEY_F12, false);
	assert_int_equal(vt, 12);
	key(world, KEY_BACKSPACE, true);
	key(world, KEY_BACKSPACE, false);
	assert_int_equal(vt, -1);
	key(world, KEY_LEFTALT, false);
	key(world, KEY_LEFTCTRL, false);
	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	key(world, KEY_F5, true);
	key(world, KEY_F5, false);
	assert_int_equal(shell->active_workspace, 1);
	shell->host = before;
	locker_destroy(locker);
}

static void test_window_capture(void **state)
{
	struct world *world = *state;
	xdg_toplevel_set_title(world->window->toplevel, "secret");
	fixture_pump(world->fixture);
	struct peer *watcher = peer_create(world->fixture);
	struct capturer_session *session =
		capturer_session_create(watcher, capturer_window_source(watcher, "secret"), 0);
	fixture_pump(world->fixture);
	struct capturer_frame *frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), RED);
	capturer_frame_destroy(frame);

	struct locker *locker = locker_create(world);
	frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), 0);
	capturer_frame_destroy(frame);

	locker_unlock(locker);
	frame = capturer_frame_create(session);
	fixture_frames(world->fixture, 3);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 100, 100), RED);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	locker_destroy(locker);
}

/* With the device its picture is gone: black until it has drawn again, and never the session. */
static void test_device_lost(void **state)
{
	struct world *world = *state;
	struct server *server = world->fixture->server;
	struct locker *locker = locker_create(world);
	locker_show(locker, BLUE);
	hide_pointer(world);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	surface_release_buffer(peer_surface_find(locker->peer, locker->surface));
	signal_emit(&server->device.renderer->events.lost, NULL);
	for (int i = 0; i < 5; i++) {
		fixture_frames(world->fixture, 1);
		expect_all(world, 0, 0);
	}
	assert_int_equal(locker->n_configures, 2);
	assert_int_equal(locker->width, WIDTH);
	ext_session_lock_surface_v1_ack_configure(locker->lock_surface, locker->serial);
	peer_surface_show(locker->surface, locker->buffer);
	fixture_settle(world->fixture);
	expect_all(world, 0, BLUE);
	locker_unlock(locker);
	locker_destroy(locker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
		TEST(test_picture),
		TEST(test_empty_session),
		TEST(test_frame_in_flight),
		TEST(test_crash),
		TEST(test_early_crash),
		TEST(test_outputs),
		TEST(test_input),
		TEST(test_more_devices),
		TEST(test_bindings),
		TEST(test_window_capture),
		TEST(test_device_lost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
