/* SPDX-License-Identifier: MIT */
/* xdg_activation_v1: tokens of user actions, launchers and limits. */

#include "backend/headless.h"
#include "harness/client/xdg_peer.h"
#include "protocol/protocols.h"
#include "seat/seat.h"
#include "util/clock.h"
#include "util/signal.h"
#include "xdg-activation-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <stdlib.h>

static void handle_token(void *data, struct xdg_activation_token_v1 *token, const char *name)
{
	snprintf(data, 64, "%s", name);
}

static const struct xdg_activation_token_v1_listener token_listener = {.done = handle_token};

static void get_token(struct test *test, struct xdg_activation_v1 *activation, uint32_t serial,
	char name[static 64])
{
	struct xdg_activation_token_v1 *token = xdg_activation_v1_get_activation_token(activation);
	xdg_activation_token_v1_add_listener(token, &token_listener, name);
	if (serial) {
		xdg_activation_token_v1_set_serial(token, serial, test->peer->seat);
	}
	xdg_activation_token_v1_commit(token);
	fixture_pump(test->fixture);
	xdg_activation_token_v1_destroy(token);
}

static void token_of_a_user_action_activates_once(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	char name[64] = "";

	/* Without a user action, the window only becomes urgent. */
	get_token(test, ours, 0, name);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(a));
	assert_true(peer_window_find(b)->urgent);

	click(test, 50, 50);
	get_token(test, ours, last_serial(test), name);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	assert_false(peer_window_find(b)->urgent);

	/* A token is valid once. */
	click(test, 50, 50);
	xdg_activation_v1_activate(theirs, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(a));
	assert_false(peer_window_find(b)->urgent);
}

static void type_key(struct test *test, struct input_device *keyboard, uint32_t code)
{
	struct input_key_event event = {.key = code, .pressed = true};
	signal_emit(&keyboard->events.key, &event);
	event.pressed = false;
	signal_emit(&keyboard->events.key, &event);
	fixture_pump(test->fixture);
}

/* Opens a window of another program, which has activated it with a token if there is one. */
static struct window *open_with(struct test *test, const char *token)
{
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *window = peer_window_create_unmapped(other);
	if (token) {
		xdg_activation_v1_activate(theirs, token, window->surface);
	}
	window->buffer = peer_buffer_create(other, 40, 40, WL_SHM_FORMAT_XRGB8888);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(test->fixture);
	assert_true(peer_window_find(window)->mapped);
	return peer_window_find(window);
}

static void window_that_opens_while_the_user_types_is_urgent(void **state)
{
	struct test *test = *state;
	struct input_device *keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	struct window *editor = peer_window_find(a), *opened;
	char name[64] = "";
	type_key(test, keyboard, KEY_A);
	opened = open_with(test, NULL);
	assert_ptr_equal(shell->focus, editor);
	assert_true(opened->urgent);
	/* Another window of the program itself. */
	struct peer_window *own = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	assert_ptr_equal(shell->focus, peer_window_find(own));
	peer_window_destroy(own);
	fixture_pump(test->fixture);
	window_focus(editor);
	/* Commands, and a pause. */
	type_key(test, keyboard, KEY_A);
	type_key(test, keyboard, KEY_ENTER);
	opened = open_with(test, NULL);
	assert_ptr_equal(shell->focus, opened);
	window_focus(editor);
	type_key(test, keyboard, KEY_A);
	clock_advance(test->fixture->clock, INT64_C(1000000000));
	opened = open_with(test, NULL);
	assert_ptr_equal(shell->focus, opened);
	/* A token of the program with the focus. */
	window_focus(editor);
	type_key(test, keyboard, KEY_A);
	get_token(test, ours, test->fixture->server->seat->keyboard.press_serial, name);
	opened = open_with(test, name);
	assert_ptr_equal(shell->focus, opened);
	assert_false(opened->urgent);
	/* A token without a user action. */
	window_focus(editor);
	get_token(test, ours, 0, name);
	type_key(test, keyboard, KEY_A);
	opened = open_with(test, name);
	assert_ptr_equal(shell->focus, editor);
	assert_true(opened->urgent);
}

static void token_of_one_program_does_not_interrupt_typing_in_another(void **state)
{
	struct test *test = *state;
	struct input_device *keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *launched = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	char name[64] = "";
	type_key(test, keyboard, KEY_A);
	get_token(test, ours, test->fixture->server->seat->keyboard.press_serial, name);
	struct window *notes = open_with(test, name);
	assert_ptr_equal(shell->focus, notes);
	window_focus(peer_window_find(a));
	type_key(test, keyboard, KEY_A);
	get_token(test, ours, test->fixture->server->seat->keyboard.press_serial, name);
	window_focus(notes);
	type_key(test, keyboard, KEY_A);
	xdg_activation_v1_activate(theirs, name, launched->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, notes);
	assert_true(peer_window_find(launched)->urgent);
}

/* The number of tokens is limited: the oldest expire. */
static void oldest_tokens_expire(void **state)
{
	struct test *test = *state;
	struct xdg_activation_v1 *activation =
		peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer_window *a = peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct peer_window *b = peer_window_create(test->peer, 200, 0, 100, 100, 0xff0000ff);
	char first[64] = "", name[64] = "";
	click(test, 50, 50);
	get_token(test, activation, last_serial(test), first);
	for (int i = 0; i < 300; i++) {
		get_token(test, activation, last_serial(test), name);
		assert_string_not_equal(first, name);
	}
	xdg_activation_v1_activate(activation, first, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(a));
	xdg_activation_v1_activate(activation, name, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(b));
}

/* Tokens requested without user action do not evict those of a launcher. */
static void unprivileged_tokens_evict_no_launchers_token(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct shell *shell = test->fixture->server->shell;
	char launchers[64] = "", name[64] = "";
	click(test, 50, 50);
	get_token(test, ours, last_serial(test), launchers);
	char *own = activation_token_create(test->fixture->server->protocols);
	for (int i = 0; i < 300; i++) {
		get_token(test, theirs, 0, name);
	}
	xdg_activation_v1_activate(theirs, launchers, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	click(test, 50, 50);
	xdg_activation_v1_activate(theirs, own, b->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(b));
	free(own);
}

/* A launcher that exits right after starting a program. */
static void token_outlives_its_launcher(void **state)
{
	struct test *test = *state;
	struct peer *other = peer_create(test->fixture);
	struct xdg_activation_v1 *ours = peer_bind(test->peer, &xdg_activation_v1_interface, 0);
	struct peer_window *b = peer_window_create(other, 200, 0, 100, 100, 0xff0000ff);
	struct peer_window *c = peer_window_create(other, 200, 200, 100, 100, 0xff0000ff);
	peer_window_create(test->peer, 0, 0, 100, 100, 0xffff0000);
	struct xdg_activation_v1 *theirs = peer_bind(other, &xdg_activation_v1_interface, 0);
	char name[64] = "";
	click(test, 50, 50);
	get_token(test, ours, last_serial(test), name);
	peer_destroy(test->peer);
	fixture_pump(test->fixture);
	struct shell *shell = test->fixture->server->shell;
	struct peer_window *unfocused = shell->focus == peer_window_find(b) ? c : b;
	xdg_activation_v1_activate(theirs, name, unfocused->surface);
	fixture_pump(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(unfocused));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(token_of_a_user_action_activates_once),
		TEST(window_that_opens_while_the_user_types_is_urgent),
		TEST(token_of_one_program_does_not_interrupt_typing_in_another),
		TEST(oldest_tokens_expire),
		TEST(unprivileged_tokens_evict_no_launchers_token),
		TEST(token_outlives_its_launcher),
	};
	return cmocka_run_group_tests_name("xdg/activation", tests, NULL, NULL);
}
