/* SPDX-License-Identifier: MIT */
/* Input while locked: the session gets none, and only bindings marked for it work. */

#include "backend/headless.h"
#include "config/config.h"
#include "harness/client/locker.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include "wlr-virtual-pointer-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void forget(struct locked_world *world)
{
	fixture_pump(world->fixture);
	world->n_keys = world->n_enters = world->n_leaves = world->n_motions = 0;
	world->n_buttons = world->n_touches = world->n_cancels = 0;
}

static void poke(struct locked_world *world)
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

static void expect_silence(struct locked_world *world)
{
	assert_int_equal(world->n_keys, 0);
	assert_int_equal(world->n_enters, 0);
	assert_int_equal(world->n_leaves, 0);
	assert_int_equal(world->n_motions, 0);
	assert_int_equal(world->n_buttons, 0);
	assert_int_equal(world->n_touches, 0);
	assert_int_equal(world->n_cancels, 0);
}

static void locked_session_gets_no_input(void **state)
{
	struct locked_world *world = *state;
	struct seat *seat = world->fixture->server->seat;
	forget(world);
	poke(world);
	assert_int_equal(world->n_keys, 2);
	assert_int_equal(world->n_buttons, 2);
	assert_int_equal(world->n_touches, 3);

	/* A pressed button and a touch point are cancelled by the lock. */
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
	/* New windows do not get the keyboard focus. */
	peer_window_create(world->peer, 30, 30, 40, 40, 0xffffffff);
	shell_refocus(world->fixture->server->shell);
	poke(world);
	expect_silence(world);
	assert_ptr_equal(seat->keyboard.focus, peer_surface_find(locker->peer, locker->surface));

	/* A crash of the locker returns no focus. */
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

/* New and virtual devices, and requests with serials from before the lock. */
static void new_and_virtual_devices_reach_no_session(void **state)
{
	struct locked_world *world = *state;
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

	/* All devices are removed, and others are added. */
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

static struct config_key *add_key(
	struct shell *shell, const char *action, const char *argument, uint32_t sym)
{
	struct config_key *binding = xcalloc(1, sizeof(*binding));
	binding->modifiers = 0;
	binding->sym = sym;
	binding->action = xstrdup(action);
	binding->argument = argument ? xstrdup(argument) : NULL;
	wl_list_insert(&shell->config->keys, &binding->link);
	return binding;
}

static void note_vt(void *data, int n)
{
	*(int *)data = n;
}

static void note_quit(void *data)
{
	*(int *)data = -1;
}

static void only_locked_bindings_work(void **state)
{
	struct locked_world *world = *state;
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
	add_key(shell, "switch-vt", "5", XKB_KEY_F7)->locked = true;
	struct locker *locker = locker_create(world);
	key(world, KEY_F7, true);
	key(world, KEY_F7, false);
	assert_int_equal(vt, 5);
	key(world, KEY_F5, true);
	key(world, KEY_F5, false);
	assert_int_equal(shell_workspace(shell)->number, 1);
	key(world, KEY_F6, true);
	key(world, KEY_F6, false);
	assert_int_equal(vt, 3);
	/* The emergency shortcuts always work. */
	key(world, KEY_LEFTCTRL, true);
	key(world, KEY_LEFTALT, true);
	key(world, KEY_F12, true);
	key(world, KEY_F12, false);
	assert_int_equal(vt, 12);
	/* Except quitting, which would discard the session, unless configured. */
	key(world, KEY_BACKSPACE, true);
	key(world, KEY_BACKSPACE, false);
	assert_int_equal(vt, 12);
	struct config_key *quit = add_key(shell, "quit", NULL, XKB_KEY_BackSpace);
	quit->modifiers = CONFIG_CTRL | CONFIG_ALT;
	quit->locked = true;
	key(world, KEY_BACKSPACE, true);
	key(world, KEY_BACKSPACE, false);
	assert_int_equal(vt, -1);
	key(world, KEY_LEFTALT, false);
	key(world, KEY_LEFTCTRL, false);
	fixture_frames(world->fixture, 3);
	locker_unlock(locker);
	key(world, KEY_F5, true);
	key(world, KEY_F5, false);
	assert_int_equal(shell_workspace(shell)->number, 2);
	shell->host = before;
	locker_destroy(locker);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(locked_session_gets_no_input),
		TEST(new_and_virtual_devices_reach_no_session),
		TEST(only_locked_bindings_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
