/* SPDX-License-Identifier: MIT */
/*
 * zwp_keyboard_shortcuts_inhibit: shortcuts that clients can inhibit and shortcuts that stay with
 * the compositor.
 */

#include "backend/headless.h"
#include "harness/peer.h"
#include "keyboard-shortcuts-inhibit-unstable-v1-client-protocol.h"
#include "protocol/protocol.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

struct test {
	struct fixture *fixture;
	struct input_device *keyboard;
	struct peer *peer;
	struct peer_window *window, *other;
	struct zwp_keyboard_shortcuts_inhibit_manager_v1 *manager;
	int n_active, n_inactive;
};

static void handle_active(void *data, struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibitor)
{
	struct test *test = data;
	test->n_active++;
}

static void handle_inactive(void *data, struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibitor)
{
	struct test *test = data;
	test->n_inactive++;
}

static const struct zwp_keyboard_shortcuts_inhibitor_v1_listener listener = {
	.active = handle_active,
	.inactive = handle_inactive,
};

static int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	test->keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	test->peer = peer_create(test->fixture);
	test->other = peer_window_create(test->peer, 50, 50, 50, 50, 0xff00ff00);
	test->window = peer_window_create(test->peer, 0, 0, 50, 50, 0xffff0000);
	test->manager =
		peer_bind(test->peer, &zwp_keyboard_shortcuts_inhibit_manager_v1_interface, 0);
	*state = test;
	return 0;
}

static struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibit(
	struct test *test, struct peer_window *window)
{
	struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibitor =
		zwp_keyboard_shortcuts_inhibit_manager_v1_inhibit_shortcuts(
			test->manager, window->surface, test->peer->seat);
	zwp_keyboard_shortcuts_inhibitor_v1_add_listener(inhibitor, &listener, test);
	fixture_pump(test->fixture);
	return inhibitor;
}

static void press(struct test *test, uint32_t modifier, uint32_t code)
{
	const uint32_t keys[] = {modifier, code};
	for (int i = 0; i < 4; i++) {
		struct input_key_event event = {.key = keys[i < 2 ? i : 3 - i], .pressed = i < 2};
		signal_emit(&test->keyboard->events.key, &event);
	}
	fixture_pump(test->fixture);
}

/* Returns whether Super+2 switches to the second workspace. */
static bool works(struct test *test)
{
	struct shell *shell = test->fixture->server->shell;
	press(test, KEY_LEFTMETA, KEY_2);
	bool worked = shell_workspace(shell)->number == 2;
	shell_switch_workspace(test->fixture->server->shell, "1");
	return worked;
}

static void inhibitor_disables_shortcuts_of_the_focused_window(void **state)
{
	struct test *test = *state;
	assert_true(works(test));
	struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibitor = inhibit(test, test->window);
	assert_int_equal(test->n_active, 1);
	assert_false(works(test));
	/* Only while the window has the keyboard focus. */
	window_focus(peer_window_find(test->other));
	assert_true(works(test));
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	assert_int_equal(test->n_active, 2);
	assert_int_equal(test->n_inactive, 0);
	assert_false(works(test));
	zwp_keyboard_shortcuts_inhibitor_v1_destroy(inhibitor);
	fixture_pump(test->fixture);
	assert_true(works(test));
}

static void user_overrides_the_inhibitor(void **state)
{
	struct test *test = *state;
	inhibit(test, test->window);
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_int_equal(test->n_inactive, 1);
	assert_true(works(test));
	/*
	 * After the focus returns, shortcuts stay active until the user enables the inhibitor
	 * again.
	 */
	window_focus(peer_window_find(test->other));
	window_focus(peer_window_find(test->window));
	fixture_pump(test->fixture);
	assert_int_equal(test->n_active, 1);
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_int_equal(test->n_active, 2);
	assert_false(works(test));
}

/* Some inhibitors of the window may come after the user's first decision. */
static void user_overrides_all_inhibitors_of_a_window(void **state)
{
	struct test *test = *state;
	struct protocols *protocols = test->fixture->server->protocols;
	struct client *client = client_from_wl(test->peer->client);
	inhibit(test, test->window);
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_true(works(test));
	struct inhibitor *inhibitor = shortcuts_inhibit(protocols, client);
	assert_false(works(test));
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_true(works(test));
	assert_int_equal(test->n_active, 1);
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_false(works(test));
	assert_int_equal(test->n_active, 2);
	shortcuts_release(inhibitor);
}

static void grabs_of_a_client_share_one_inhibitor(void **state)
{
	struct test *test = *state;
	struct protocols *protocols = test->fixture->server->protocols;
	struct client *client = client_from_wl(test->peer->client);
	struct inhibitor *first = shortcuts_inhibit(protocols, client);
	assert_ptr_equal(shortcuts_inhibit(protocols, client), first);
	shortcuts_release(first);
	assert_false(works(test));
	press(test, KEY_LEFTMETA, KEY_ESC);
	assert_true(works(test));
	assert_ptr_equal(shortcuts_inhibit(protocols, client), first);
	assert_true(works(test));
	shortcuts_release(first);
	shortcuts_release(first);
	first = shortcuts_inhibit(protocols, client);
	assert_false(works(test));
	shortcuts_release(first);
	assert_true(works(test));
}

static void count_switch(void *data, int n)
{
	*(int *)data = n;
}

static void vt_switch_works_with_an_inhibitor(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	int vt = 0;
	struct shell_host host = *shell->host;
	const struct shell_host *before = shell->host;
	host.switch_vt = count_switch;
	host.data = &vt;
	inhibit(test, test->window);
	shell->host = &host;
	struct input_key_event control = {.key = KEY_LEFTCTRL, .pressed = true};
	signal_emit(&test->keyboard->events.key, &control);
	press(test, KEY_LEFTALT, KEY_F4);
	assert_int_equal(vt, 4);
	control.pressed = false;
	signal_emit(&test->keyboard->events.key, &control);
	shell->host = before;
}

static void shortcuts_return_when_the_surface_goes(void **state)
{
	struct test *test = *state;
	struct zwp_keyboard_shortcuts_inhibitor_v1 *inhibitor = inhibit(test, test->window);
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	assert_true(works(test));
	zwp_keyboard_shortcuts_inhibitor_v1_destroy(inhibitor);
	zwp_keyboard_shortcuts_inhibit_manager_v1_destroy(test->manager);
	assert_true(peer_alive(test->peer));
}

static void second_inhibitor_of_a_surface_is_an_error(void **state)
{
	struct test *test = *state;
	struct zwp_keyboard_shortcuts_inhibitor_v1 *first = inhibit(test, test->window);
	zwp_keyboard_shortcuts_inhibitor_v1_destroy(first);
	inhibit(test, test->window);
	inhibit(test, test->other);
	assert_true(peer_alive(test->peer));
	inhibit(test, test->window);
	peer_expect_error(test->peer, &zwp_keyboard_shortcuts_inhibit_manager_v1_interface,
		ZWP_KEYBOARD_SHORTCUTS_INHIBIT_MANAGER_V1_ERROR_ALREADY_INHIBITED);
}

static void shortcuts_return_when_the_client_dies(void **state)
{
	struct test *test = *state;
	inhibit(test, test->window);
	assert_false(works(test));
	peer_destroy(test->peer);
	fixture_pump(test->fixture);
	assert_true(works(test));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(inhibitor_disables_shortcuts_of_the_focused_window),
		TEST(user_overrides_the_inhibitor),
		TEST(user_overrides_all_inhibitors_of_a_window),
		TEST(grabs_of_a_client_share_one_inhibitor),
		TEST(vt_switch_works_with_an_inhibitor),
		TEST(shortcuts_return_when_the_surface_goes),
		TEST(second_inhibitor_of_a_surface_is_an_error),
		TEST(shortcuts_return_when_the_client_dies),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
