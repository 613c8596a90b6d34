/* SPDX-License-Identifier: MIT */
/* xdg_activation_v1: tokens of user actions, launchers and limits. */

#include "harness/client/xdg_peer.h"
#include "protocol/protocols.h"
#include "xdg-activation-v1-client-protocol.h"
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
		TEST(oldest_tokens_expire),
		TEST(unprivileged_tokens_evict_no_launchers_token),
		TEST(token_outlives_its_launcher),
	};
	return cmocka_run_group_tests_name("xdg/activation", tests, NULL, NULL);
}
