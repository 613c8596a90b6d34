/* SPDX-License-Identifier: MIT */
/* zwp_input_method_keyboard_grab_v2: keys that an input method takes from the focused client. */

#include "backend/headless.h"
#include "harness/client/text_input.h"
#include "harness/hand.h"
#include "harness/keymap.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WIDTH 400
#define HEIGHT 300

struct test {
	struct fixture *fixture;
	struct input_device *keyboard, *pointer;
	struct peer *writer;
	struct peer_window *window; /* the writer's: 100x80 at 50, 60, with the keyboard focus */
	struct field *field; /* the writer's */
	struct peer *other; /* the input method's client */
	struct typist *typist;
};

static void key(struct test *test, uint32_t code, bool pressed)
{
	hand_key(test->fixture, test->keyboard, code, pressed);
}

/* Notes of events that wl_keyboard and the grab have in common. */

static void note_key(struct notes *notes, uint32_t code, uint32_t state)
{
	notes_add(notes, "%s %u; ", state ? "down" : "up", code);
}

static void note_keymap(struct notes *notes, int fd)
{
	notes_add(notes, "keymap; ");
	close(fd);
}

/* wl_keyboard: recorded in the field's notes */

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	struct field *field = data;
	note_keymap(&field->notes, fd);
}

static void handle_keys(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	struct field *field = data;
	uint32_t *code;
	notes_add(&field->notes, "keys");
	wl_array_for_each (code, keys) {
		notes_add(&field->notes, " %u", *code);
	}
	notes_add(&field->notes, "; ");
}

static void handle_no_keys(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
	struct field *field = data;
	notes_add(&field->notes, "no keys; ");
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t code, uint32_t state)
{
	struct field *field = data;
	note_key(&field->notes, code, state);
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	struct field *field = data;
	notes_add(&field->notes, "mods %x %x; ", depressed, locked);
}

static void handle_repeat(void *data, struct wl_keyboard *keyboard, int32_t rate, int32_t delay)
{
	struct field *field = data;
	notes_add(&field->notes, "repeat %d %d; ", rate, delay);
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_keys,
	.leave = handle_no_keys,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.repeat_info = handle_repeat,
};

/* The grab: recorded in the typist's notes */

static void handle_grab_keymap(void *data, struct zwp_input_method_keyboard_grab_v2 *grab,
	uint32_t format, int32_t fd, uint32_t size)
{
	struct typist *typist = data;
	note_keymap(&typist->notes, fd);
}

static void handle_grab_key(void *data, struct zwp_input_method_keyboard_grab_v2 *grab,
	uint32_t serial, uint32_t time, uint32_t code, uint32_t state)
{
	struct typist *typist = data;
	note_key(&typist->notes, code, state);
}

static void handle_grab_modifiers(void *data, struct zwp_input_method_keyboard_grab_v2 *grab,
	uint32_t serial, uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	struct typist *typist = data;
	notes_add(&typist->notes, group ? "mods %x %x group %u; " : "mods %x %x; ", depressed,
		locked, group);
}

static void handle_grab_repeat(
	void *data, struct zwp_input_method_keyboard_grab_v2 *grab, int32_t rate, int32_t delay)
{
	struct typist *typist = data;
	notes_add(&typist->notes, "repeat %d %d; ", rate, delay);
}

static const struct zwp_input_method_keyboard_grab_v2_listener grab_listener = {
	.keymap = handle_grab_keymap,
	.key = handle_grab_key,
	.modifiers = handle_grab_modifiers,
	.repeat_info = handle_grab_repeat,
};

static struct zwp_input_method_keyboard_grab_v2 *grab_keys(struct typist *typist)
{
	struct zwp_input_method_keyboard_grab_v2 *grab =
		zwp_input_method_v2_grab_keyboard(typist->method);
	zwp_input_method_keyboard_grab_v2_add_listener(grab, &grab_listener, typist);
	return grab;
}

static int set_up(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(&(struct fixture_options){.width = WIDTH, .height = HEIGHT});
	struct backend *backend = test->fixture->server->backend;
	test->keyboard = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	test->pointer = headless_add_input(backend, INPUT_POINTER, "pointer");
	hand_point(test->fixture, test->pointer, WIDTH - 1, HEIGHT - 1);
	test->writer = peer_create(test->fixture);
	test->window = peer_window_create(test->writer, 50, 60, 100, 80, 0xff336699);
	test->field = field_create(test->writer);
	wl_keyboard_add_listener(
		wl_seat_get_keyboard(test->writer->seat), &keyboard_listener, test->field);
	test->other = peer_create(test->fixture);
	test->typist = typist_create(test->other);
	field_enable(test->field);
	forget(test->field);
	forget(test->typist);
	*state = test;
	return 0;
}

static int tear_down(void **state)
{
	struct test *test = *state;
	fixture_destroy(test->fixture);
	free(test->field);
	free(test->typist);
	free(test);
	return 0;
}

/* Keys */

static void grab_gets_keys_pressed_after_it_began(void **state)
{
	struct test *test = *state;
	/* A key that was pressed before the grab is released to the client that saw the press. */
	key(test, KEY_A, true);
	heard(test->field, "down 30; ");
	struct zwp_input_method_keyboard_grab_v2 *grab = grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; mods 0 0; ");
	key(test, KEY_B, true);
	key(test, KEY_A, false);
	key(test, KEY_B, false);
	heard(test->typist, "down 48; up 48; ");
	heard(test->field, "up 30; ");
	key(test, KEY_LEFTSHIFT, true);
	key(test, KEY_A, true);
	key(test, KEY_LEFTSHIFT, false);
	heard(test->typist, "down 42; mods 1 0; down 30; up 42; mods 0 0; ");
	heard(test->field, "");
	/* The same with modifiers, which both know then. */
	zwp_input_method_keyboard_grab_v2_release(grab);
	fixture_pump(test->fixture);
	key(test, KEY_A, false);
	key(test, KEY_LEFTCTRL, true);
	forget(test->field);
	grab = grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; mods 4 0; ");
	key(test, KEY_LEFTCTRL, false);
	heard(test->field, "up 29; mods 0 0; ");
	heard(test->typist, "mods 0 0; ");
	key(test, KEY_A, true);
	heard(test->typist, "down 30; ");
	/* After the grab ends, the release of a key that the grab saw is dropped. */
	zwp_input_method_keyboard_grab_v2_release(grab);
	fixture_pump(test->fixture);
	key(test, KEY_A, false);
	key(test, KEY_C, true);
	key(test, KEY_C, false);
	heard(test->typist, "");
	heard(test->field, "down 46; up 46; ");
	/* The client gets modifiers that changed during the grab. */
	grab = grab_keys(test->typist);
	fixture_pump(test->fixture);
	key(test, KEY_CAPSLOCK, true);
	key(test, KEY_CAPSLOCK, false);
	heard(test->field, "");
	zwp_input_method_keyboard_grab_v2_release(grab);
	heard(test->field, "mods 0 2; ");
	/* A new grab gets them at once. */
	forget(test->typist);
	grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; mods 0 2; ");
}

/* Without an active text field, keys go to the client. */
static void keys_go_to_the_client_without_an_active_field(void **state)
{
	struct test *test = *state;
	field_disable(test->field);
	heard(test->typist, "deactivate; done; ");
	grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; ");
	key(test, KEY_A, true);
	heard(test->typist, "");
	heard(test->field, "down 30; ");
	field_enable(test->field);
	heard(test->typist, "activate; done; keymap; mods 0 0; ");
	key(test, KEY_A, false);
	key(test, KEY_B, true);
	heard(test->field, "up 30; ");
	heard(test->typist, "down 48; ");
	/*
	 * Another window, without a field, long enough after the last key for it to get the focus.
	 */
	fixture_sleep(test->fixture, 2000000000);
	struct peer *reader = peer_create(test->fixture);
	peer_window_create(reader, 120, 0, 50, 50, 0xffffffff);
	heard(test->typist, "deactivate; done; ");
	key(test, KEY_B, false);
	key(test, KEY_C, true);
	key(test, KEY_C, false);
	heard(test->typist, "");
	heard(test->field, "leave; no keys; ");
}

/* The latest grab gets the keys, in any order of release. */
static void latest_grab_gets_the_keys(void **state)
{
	struct test *test = *state;
	struct zwp_input_method_keyboard_grab_v2 *first = grab_keys(test->typist);
	struct zwp_input_method_keyboard_grab_v2 *second = grab_keys(test->typist);
	forget(test->typist);
	key(test, KEY_A, true);
	heard(test->typist, "down 30; ");
	zwp_input_method_keyboard_grab_v2_release(first);
	key(test, KEY_A, false);
	heard(test->typist, "up 30; ");
	/* The grab outlives its input method object. */
	zwp_input_method_v2_destroy(test->typist->method);
	fixture_pump(test->fixture);
	key(test, KEY_B, true);
	heard(test->field, "preedit  0 0; done 1; down 48; ");
	zwp_input_method_keyboard_grab_v2_release(second);
	assert_true(peer_alive(test->other));
	key(test, KEY_B, false);
	heard(test->field, "up 48; ");
}

static void keys_return_when_the_grabbing_client_dies(void **state)
{
	struct test *test = *state;
	grab_keys(test->typist);
	fixture_pump(test->fixture);
	key(test, KEY_A, true);
	peer_destroy(test->other);
	key(test, KEY_A, false);
	key(test, KEY_B, true);
	heard(test->field, "preedit  0 0; done 1; down 48; ");
	/* The focused client disconnects during a grab. */
	struct peer *other = peer_create(test->fixture);
	struct typist *typist = typist_create(other);
	grab_keys(typist);
	heard(typist, "activate; done; repeat 25 600; keymap; mods 0 0; ");
	peer_destroy(test->writer);
	heard(typist, "deactivate; done; ");
	key(test, KEY_B, false);
	key(test, KEY_C, true);
	heard(typist, "");
	typist_destroy(typist);
}

/* Bound keys and the emergency shortcuts stay with the compositor. */
static void bindings_work_during_a_grab(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	grab_keys(test->typist);
	forget(test->typist);
	assert_int_equal(shell_workspace(shell)->number, 1);
	key(test, KEY_LEFTMETA, true);
	key(test, KEY_2, true);
	key(test, KEY_2, false);
	assert_int_equal(shell_workspace(shell)->number, 2);
	heard(test->typist, "down 125; mods 40 0; deactivate; done; ");
	key(test, KEY_LEFTMETA, false);
	heard(test->typist, "");
	heard(test->field, "mods 40 0; leave; no keys; ");

	shell_switch_workspace(shell, "1");
	field_enable(test->field);
	forget(test->typist);
	key(test, KEY_LEFTCTRL, true);
	key(test, KEY_LEFTALT, true);
	key(test, KEY_F3, true);
	key(test, KEY_F3, false);
	key(test, KEY_LEFTALT, false);
	key(test, KEY_LEFTCTRL, false);
	heard(test->typist,
		"down 29; mods 4 0; down 56; mods c 0; up 56; mods 4 0; up 29; mods 0 0; ");
}

/*
 * The focused client sees the release of a modifier that it saw pressed, and no other grabbed key.
 */
static void focused_client_sees_held_modifiers_released(void **state)
{
	struct test *test = *state;
	key(test, KEY_LEFTCTRL, true);
	heard(test->field, "down 29; mods 4 0; ");
	grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; mods 4 0; ");
	key(test, KEY_LEFTSHIFT, true);
	key(test, KEY_LEFTCTRL, false);
	key(test, KEY_LEFTSHIFT, false);
	heard(test->field, "up 29; mods 0 0; ");
}

/*
 * Without any input method: a newly focused window gets the release of the keys in its enter event.
 */
static void focused_window_sees_release_of_keys_in_its_enter(void **state)
{
	struct test *test = *state;
	peer_window_create(test->writer, 120, 0, 50, 50, 0xffffffff);
	forget(test->field);
	key(test, KEY_LEFTMETA, true);
	assert_true(shell_run_action(test->fixture->server->shell, "focus", "left"));
	heard(test->field, "down 125; mods 40 0; leave; no keys; keys 125; mods 40 0; enter; ");
	key(test, KEY_LEFTMETA, false);
	heard(test->field, "up 125; mods 0 0; ");
	key(test, KEY_A, true);
	heard(test->field, "down 30; ");
}

/* A keyboard grab of the shell, as for the window switcher or a drag. */

struct grab {
	struct keyboard_grab base;
	int n_keys, n_modifiers;
};

static void count_key(struct keyboard_grab *base, const struct input_key_event *event)
{
	struct grab *grab = wl_container_of(base, grab, base);
	grab->n_keys++;
}

static void count_modifiers(struct keyboard_grab *base)
{
	struct grab *grab = wl_container_of(base, grab, base);
	grab->n_modifiers++;
}

static void end_grab(struct keyboard_grab *base)
{
}

static const struct keyboard_grab_impl grab_impl = {
	.key = count_key,
	.modifiers = count_modifiers,
	.end = end_grab,
};

static void shell_grab_precedes_the_input_method(void **state)
{
	struct test *test = *state;
	struct seat *seat = test->fixture->server->seat;
	struct grab grab = {.base.impl = &grab_impl};
	grab_keys(test->typist);
	forget(test->typist);
	key(test, KEY_LEFTSHIFT, true);
	heard(test->typist, "down 42; mods 1 0; ");
	keyboard_start_grab(seat, &grab.base);
	key(test, KEY_A, true);
	key(test, KEY_A, false);
	assert_int_equal(grab.n_keys, 2);
	heard(test->typist, "");
	/* The typist saw the press. Both get the modifiers. */
	key(test, KEY_LEFTSHIFT, false);
	assert_int_equal(grab.n_keys, 2);
	assert_int_equal(grab.n_modifiers, 1);
	heard(test->typist, "up 42; mods 0 0; ");
	keyboard_end_grab(seat);
	key(test, KEY_A, true);
	heard(test->typist, "down 30; ");
	heard(test->field, "");
}

/* Virtual keyboards */

static struct zwp_virtual_keyboard_v1 *play_keyboard(struct peer *peer, const char *text)
{
	struct zwp_virtual_keyboard_manager_v1 *manager =
		peer_bind(peer, &zwp_virtual_keyboard_manager_v1_interface, 0);
	struct zwp_virtual_keyboard_v1 *played =
		zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(manager, peer->seat);
	uint32_t size = (uint32_t)strlen(text) + 1;
	int fd = memfd_create("keymap", MFD_CLOEXEC);
	assert_int_equal(write(fd, text, size), size);
	zwp_virtual_keyboard_v1_keymap(played, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, size);
	fixture_pump(peer->fixture);
	close(fd);
	return played;
}

/*
 * An input method passes unused keys on to the client. With the seat's keymap, no keymap is sent.
 */
static void virtual_keys_of_the_input_method_reach_the_field(void **state)
{
	struct test *test = *state;
	const struct seat *seat = test->fixture->server->seat;
	struct zwp_virtual_keyboard_v1 *played =
		play_keyboard(test->other, seat->keyboard.keymap_string);
	grab_keys(test->typist);
	forget(test->typist);
	heard(test->field, "");
	key(test, KEY_A, true);
	heard(test->typist, "down 30; ");
	zwp_virtual_keyboard_v1_key(played, 1, KEY_A, 1);
	heard(test->field, "down 30; ");
	key(test, KEY_A, false);
	heard(test->field, "");
	zwp_virtual_keyboard_v1_key(played, 2, KEY_A, 0);
	heard(test->field, "up 30; ");
	heard(test->typist, "up 30; ");

	/* The field gets the modifiers that the input method sends. */
	key(test, KEY_LEFTCTRL, true);
	zwp_virtual_keyboard_v1_key(played, 3, KEY_LEFTCTRL, 1);
	heard(test->field, "down 29; ");
	zwp_virtual_keyboard_v1_modifiers(played, 4, 0, 0, 0);
	heard(test->field, "mods 4 0; ");
	key(test, KEY_LEFTCTRL, false);
	heard(test->field, "");
	heard(test->typist, "down 29; mods 4 0; up 29; mods 0 0; ");
	/* A virtual keyboard of another client is grabbed like a physical one. */
	struct zwp_virtual_keyboard_v1 *foreign =
		play_keyboard(test->writer, seat->keyboard.keymap_string);
	zwp_virtual_keyboard_v1_key(foreign, 1, KEY_B, 1);
	heard(test->typist, "keymap; mods 0 0; down 48; ");
	zwp_virtual_keyboard_v1_destroy(foreign);
	heard(test->typist, "up 48; keymap; mods 0 0; ");
	heard(test->field, "");
	/* Keys that the virtual keyboard holds are released when it goes. */
	peer_destroy(test->other);
	heard(test->field, "mods 0 0; preedit  0 0; done 1; mods 4 0; up 29; mods 0 0; ");
	key(test, KEY_LEFTCTRL, true);
	heard(test->field, "down 29; mods 4 0; ");
}

/* A keymap of the virtual keyboard is sent to the field, and never to the typist. */
static void virtual_keymap_reaches_only_the_field(void **state)
{
	struct test *test = *state;
	char *french = foreign_keymap(test->fixture->server->seat->keyboard.context);
	struct zwp_virtual_keyboard_v1 *played = play_keyboard(test->other, french);
	struct zwp_input_method_keyboard_grab_v2 *grab = grab_keys(test->typist);
	forget(test->typist);
	zwp_virtual_keyboard_v1_key(played, 1, KEY_A, 1);
	heard(test->field, "keymap; repeat 25 600; mods 0 0; down 30; ");
	key(test, KEY_B, true);
	key(test, KEY_B, false);
	zwp_virtual_keyboard_v1_key(played, 2, KEY_A, 0);
	heard(test->field, "up 30; ");
	heard(test->typist, "down 48; up 48; ");
	/*
	 * The typist's keymap is that of the physical keys, even after it played keys with its own.
	 */
	zwp_input_method_keyboard_grab_v2_release(grab);
	forget(test->field);
	grab = grab_keys(test->typist);
	heard(test->typist, "repeat 25 600; keymap; mods 0 0; ");
	key(test, KEY_B, true);
	key(test, KEY_B, false);
	heard(test->typist, "down 48; up 48; ");
	heard(test->field, "");
	/* The field gets the seat's keymap back with the next physical key. */
	zwp_input_method_keyboard_grab_v2_release(grab);
	fixture_pump(test->fixture);
	key(test, KEY_B, true);
	heard(test->field, "keymap; repeat 25 600; mods 0 0; down 48; ");
	/* The seat's keymap is replaced during a grab. */
	grab_keys(test->typist);
	forget(test->typist);
	assert_true(seat_set_keymap(
		test->fixture->server->seat, &(struct seat_keymap_names){.layout = "de"}));
	heard(test->typist, "keymap; mods 0 0; ");
	heard(test->field, "keymap; repeat 25 600; mods 0 0; ");
	seat_set_repeat(test->fixture->server->seat, 30, 500);
	heard(test->typist, "repeat 30 500; ");
	heard(test->field, "repeat 30 500; ");
	free(french);
}

static void new_keymap_is_followed_by_the_modifiers(void **state)
{
	struct test *test = *state;
	struct seat *seat = test->fixture->server->seat;
	grab_keys(test->typist);
	key(test, KEY_CAPSLOCK, true);
	key(test, KEY_CAPSLOCK, false);
	forget(test->typist);
	assert_true(seat_set_keymap(seat, &(struct seat_keymap_names){.layout = "us,de"}));
	heard(test->typist, "keymap; mods 0 2; ");
	key(test, KEY_A, true);
	key(test, KEY_A, false);
	heard(test->typist, "down 30; up 30; ");
}

/* An action that no key started changes the layout. */
static void new_layout_is_sent_before_the_next_key(void **state)
{
	struct test *test = *state;
	struct seat *seat = test->fixture->server->seat;
	assert_true(seat_set_keymap(seat, &(struct seat_keymap_names){.layout = "us,de"}));
	grab_keys(test->typist);
	forget(test->typist);
	seat_next_layout(seat);
	heard(test->typist, "mods 0 0 group 1; ");
	key(test, KEY_Y, true);
	key(test, KEY_Y, false);
	heard(test->typist, "down 21; up 21; ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(grab_gets_keys_pressed_after_it_began),
		TEST(keys_go_to_the_client_without_an_active_field),
		TEST(latest_grab_gets_the_keys),
		TEST(keys_return_when_the_grabbing_client_dies),
		TEST(bindings_work_during_a_grab),
		TEST(focused_client_sees_held_modifiers_released),
		TEST(focused_window_sees_release_of_keys_in_its_enter),
		TEST(shell_grab_precedes_the_input_method),
		TEST(virtual_keys_of_the_input_method_reach_the_field),
		TEST(virtual_keymap_reaches_only_the_field),
		TEST(new_keymap_is_followed_by_the_modifiers),
		TEST(new_layout_is_sent_before_the_next_key),
	};
	return cmocka_run_group_tests_name("input/input_method_keyboard", tests, NULL, NULL);
}
