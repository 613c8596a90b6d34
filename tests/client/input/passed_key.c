/* SPDX-License-Identifier: MIT */
/* Push-to-talk: keys that a binding passes to programs without the focus. */

#include "harness/client/input_peer.h"
#include "harness/client/reload.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "surface/client.h"
#include "xwayland/server.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define PASS "[keys]\nF9 = pass talk*\nAny+F10 = pass talk*\nV = pass talk*\n"

/** The window of `test` is that of a talk program; another program's window has the focus. */
struct game {
	struct peer *peer;
	struct peer_window *window;
};

static struct game start(struct test *test, const char *text)
{
	struct game game;
	add_keyboard(test, 9);
	xdg_toplevel_set_app_id(test->window->toplevel, "talk-program");
	game.peer = peer_create(test->fixture);
	game.window = peer_window_create(game.peer, 0, 0, 50, 50, 0xffff0000);
	assert_true(reload_text(test->fixture, text));
	fixture_pump(test->fixture);
	assert_ptr_equal(
		seat_of(test)->keyboard.focus, peer_surface_find(game.peer, game.window->surface));
	forget(test);
	return game;
}

static void type(struct test *test, uint32_t code)
{
	key(test, code, true);
	key(test, code, false);
	fixture_pump(test->fixture);
}

static void program_without_the_focus_gets_press_and_release(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	key(test, KEY_F9, true);
	heard(test, "keys; mods 0 0 0 0; down 67; ");
	/* Other keys go to the focus alone, and end nothing. */
	type(test, KEY_W);
	key(test, KEY_LEFTSHIFT, true);
	heard(test, "");
	key(test, KEY_F9, false);
	heard(test, "up 67; mods 0 0 0 0; no keys; ");
	key(test, KEY_LEFTSHIFT, false);
	type(test, KEY_F8);
	heard(test, "");
}

/* The game keeps the focus, and the key. */
static void focus_keeps_its_keys(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	const struct seat_keyboard *keyboard = &seat_of(test)->keyboard;
	const struct surface *focus = keyboard->focus;
	key(test, KEY_V, true);
	heard(test, "keys; mods 0 0 0 0; down 47; ");
	assert_ptr_equal(keyboard->focus, focus);
	assert_int_equal(keyboard->n_keys, 1);
	assert_int_equal(keyboard->n_consumed, 0);
	key(test, KEY_V, false);
	assert_int_equal(keyboard->n_keys, 0);
}

static void modifiers_decide_unless_any_are_allowed(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	key(test, KEY_LEFTSHIFT, true);
	type(test, KEY_F9);
	heard(test, "");
	type(test, KEY_F10);
	heard(test, "keys; mods 1 0 0 0; down 68; up 68; mods 0 0 0 0; no keys; ");
	key(test, KEY_LEFTSHIFT, false);
	type(test, KEY_F10);
	heard(test, "keys; mods 0 0 0 0; down 68; up 68; mods 0 0 0 0; no keys; ");
}

static void two_keys_are_one_visit(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	key(test, KEY_F9, true);
	key(test, KEY_F10, true);
	key(test, KEY_F9, false);
	key(test, KEY_F10, false);
	heard(test, "keys; mods 0 0 0 0; down 67; down 68; up 67; up 68; mods 0 0 0 0; no keys; ");
}

static void program_with_the_focus_gets_the_key_once(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	forget(test);
	type(test, KEY_F9);
	heard(test, "down 67; up 67; ");
}

static void focus_ends_the_visit(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	key(test, KEY_F9, true);
	forget(test);
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	heard(test, "up 67; mods 0 0 0 0; no keys; keys 67; mods 0 0 0 0; ");
	key(test, KEY_F9, false);
	heard(test, "up 67; ");
}

/* The locked session passes nothing, and a held key is released. */
static void lock_ends_the_visit(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	start(test, PASS);
	key(test, KEY_F9, true);
	forget(test);
	shell_lock(shell);
	fixture_pump(test->fixture);
	heard(test, "up 67; mods 0 0 0 0; no keys; ");
	key(test, KEY_F9, false);
	type(test, KEY_F9);
	type(test, KEY_F10);
	heard(test, "");
	assert_false(reload_text(test->fixture, "[keys]\nF9 = locked pass talk*\n"));
	shell_unlock(shell);
	type(test, KEY_F9);
	heard(test, "keys; mods 0 0 0 0; down 67; up 67; mods 0 0 0 0; no keys; ");
}

static void other_programs_get_nothing(void **state)
{
	struct test *test = *state;
	start(test, "[keys]\nF9 = pass other\nF10 = pass *Talk*\n");
	type(test, KEY_F9);
	type(test, KEY_F10);
	heard(test, "");
}

static void window_that_goes_ends_the_visit(void **state)
{
	struct test *test = *state;
	start(test, PASS);
	key(test, KEY_F9, true);
	forget(test);
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	key(test, KEY_F9, false);
	type(test, KEY_F9);
	heard(test, "");
	assert_true(peer_alive(test->peer));
	assert_int_equal(seat_of(test)->keyboard.n_passed, 0);
	test->window = peer_window_create(test->peer, 0, 0, 10, 10, 0xffffffff);
}

static void program_that_ends_ends_the_visit(void **state)
{
	struct test *test = *state;
	struct game game = start(test, PASS);
	wl_seat_get_keyboard(game.peer->seat);
	xdg_toplevel_set_app_id(game.window->toplevel, "talk-too");
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	forget(test);
	/* The last used window of the pattern comes first, and has the focus. */
	key(test, KEY_F9, true);
	heard(test, "down 67; ");
	key(test, KEY_F9, false);
	xdg_toplevel_set_app_id(test->window->toplevel, "game");
	fixture_pump(test->fixture);
	key(test, KEY_F9, true);
	assert_int_equal(seat_of(test)->keyboard.n_passed, 1);
	peer_destroy(game.peer);
	fixture_pump(test->fixture);
	key(test, KEY_F9, false);
	assert_int_equal(seat_of(test)->keyboard.n_passed, 0);
}

/* Many keys at once: the rest is not passed. */
static void number_of_passed_keys_is_bounded(void **state)
{
	struct test *test = *state;
	start(test, "[keys]\nA = pass talk*\nB = pass talk*\nC = pass talk*\nD = pass talk*\n"
		    "E = pass talk*\nF = pass talk*\nG = pass talk*\nH = pass talk*\n"
		    "I = pass talk*\n");
	static const uint32_t codes[] = {
		KEY_A, KEY_B, KEY_C, KEY_D, KEY_E, KEY_F, KEY_G, KEY_H, KEY_I};
	for (int i = 0; i < 9; i++) {
		key(test, codes[i], true);
	}
	assert_int_equal(seat_of(test)->keyboard.n_passed, SEAT_PASSED_MAX);
	for (int i = 0; i < 9; i++) {
		key(test, codes[i], false);
	}
	heard(test, "keys; mods 0 0 0 0; down 30; down 48; down 46; down 32; down 18; down 33; "
		    "down 34; down 35; up 30; up 48; up 46; up 32; up 18; up 33; up 34; up 35; "
		    "mods 0 0 0 0; no keys; ");
	assert_int_equal(seat_of(test)->keyboard.n_passed, 0);
}

/* X servers take keys without a focus; those of single programs get none. */
static void x_servers_get_the_named_keys(void **state)
{
	struct test *test = *state;
	start(test, "[xwayland]\nglobal-keys = F9 Any+F10 Ctrl+grave\n");
	struct client *client = peer_surface_find(test->peer, test->window->surface)->client;
	struct x_server server = {.display = 1};
	type(test, KEY_F9);
	heard(test, "");
	client->x_server = &server;
	key(test, KEY_F9, true);
	heard(test, "mods 0 0 0 0; down 67; ");
	type(test, KEY_A);
	heard(test, "");
	key(test, KEY_F9, false);
	heard(test, "mods 0 0 0 0; up 67; mods 0 0 0 0; ");
	key(test, KEY_LEFTCTRL, true);
	type(test, KEY_F9);
	heard(test, "");
	type(test, KEY_GRAVE);
	heard(test, "mods 4 0 0 0; down 41; mods 4 0 0 0; up 41; mods 0 0 0 0; ");
	type(test, KEY_F10);
	heard(test, "mods 4 0 0 0; down 68; mods 4 0 0 0; up 68; mods 0 0 0 0; ");
	key(test, KEY_LEFTCTRL, false);
	server.own = true;
	type(test, KEY_F9);
	heard(test, "");
	server.own = false;
	shell_lock(test->fixture->server->shell);
	type(test, KEY_F9);
	heard(test, "");
	shell_unlock(test->fixture->server->shell);
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	forget(test);
	type(test, KEY_F9);
	heard(test, "down 67; up 67; ");
	client->x_server = NULL;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(program_without_the_focus_gets_press_and_release),
		TEST(focus_keeps_its_keys),
		TEST(modifiers_decide_unless_any_are_allowed),
		TEST(two_keys_are_one_visit),
		TEST(program_with_the_focus_gets_the_key_once),
		TEST(focus_ends_the_visit),
		TEST(lock_ends_the_visit),
		TEST(other_programs_get_nothing),
		TEST(window_that_goes_ends_the_visit),
		TEST(program_that_ends_ends_the_visit),
		TEST(number_of_passed_keys_is_bounded),
		TEST(x_servers_get_the_named_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
