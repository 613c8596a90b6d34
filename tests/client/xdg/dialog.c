/* SPDX-License-Identifier: MIT */
/* xdg-dialog: modal dialogs get the focus of their parents. */

#include "harness/client/xdg_peer.h"
#include "xdg-dialog-v1-client-protocol.h"

static struct xdg_dialog_v1 *dialog_of(struct test *test, struct peer_window *window)
{
	struct xdg_wm_dialog_v1 *manager = peer_bind(test->peer, &xdg_wm_dialog_v1_interface, 0);
	return xdg_wm_dialog_v1_get_xdg_dialog(manager, window->toplevel);
}

static void expect_focus(struct test *test, struct peer_window *window)
{
	fixture_pump(test->fixture);
	assert_ptr_equal(test->fixture->server->shell->focus, peer_window_find(window));
	assert_ptr_equal(keyboard_focus(test), peer_window_find(window)->surface);
}

static void modal_dialog_gets_the_focus_of_its_parent(void **state)
{
	struct test *test = *state;
	struct peer_window *parent = peer_window_create(test->peer, 0, 0, 100, 100, 0xff00ff00);
	struct peer_window *child = peer_window_create(test->peer, 200, 0, 50, 50, 0xffff0000);
	struct xdg_dialog_v1 *dialog = dialog_of(test, child);
	xdg_toplevel_set_parent(child->toplevel, parent->toplevel);
	click(test, 50, 50);
	expect_focus(test, parent);

	/* The focus moves when the dialog becomes modal. */
	xdg_dialog_v1_set_modal(dialog);
	expect_focus(test, child);
	click(test, 50, 50);
	expect_focus(test, child);
	xdg_dialog_v1_unset_modal(dialog);
	click(test, 50, 50);
	expect_focus(test, parent);

	/* The dialog object ends, or the window. */
	xdg_dialog_v1_set_modal(dialog);
	expect_focus(test, child);
	xdg_dialog_v1_destroy(dialog);
	fixture_pump(test->fixture);
	click(test, 50, 50);
	expect_focus(test, parent);
	dialog = dialog_of(test, child);
	xdg_dialog_v1_set_modal(dialog);
	expect_focus(test, child);
	peer_window_destroy(child);
	expect_focus(test, parent);
	xdg_dialog_v1_unset_modal(dialog); /* inert */
	assert_true(peer_alive(test->peer));
}

static void modal_dialog_without_a_parent_is_an_ordinary_window(void **state)
{
	struct test *test = *state;
	struct peer_window *other = peer_window_create(test->peer, 0, 0, 100, 100, 0xff00ff00);
	struct peer_window *child = peer_window_create(test->peer, 200, 0, 50, 50, 0xffff0000);
	xdg_dialog_v1_set_modal(dialog_of(test, child));
	fixture_pump(test->fixture);
	click(test, 50, 50);
	expect_focus(test, other);
	/* With a parent, the focus moves. */
	xdg_toplevel_set_parent(child->toplevel, other->toplevel);
	expect_focus(test, child);
}

/* Switching windows passes over the parent, which would return the focus to the dialog. */
static void switcher_skips_the_parent_of_a_modal_dialog(void **state)
{
	struct test *test = *state;
	struct peer_window *other = peer_window_create(test->peer, 0, 0, 50, 50, 0xff00ff00);
	struct peer_window *parent = peer_window_create(test->peer, 0, 100, 50, 50, 0xff00ff00);
	struct peer_window *child = peer_window_create(test->peer, 200, 0, 50, 50, 0xffff0000);
	xdg_dialog_v1_set_modal(dialog_of(test, child));
	xdg_toplevel_set_parent(child->toplevel, parent->toplevel);
	expect_focus(test, child);
	struct shell *shell = test->fixture->server->shell;
	assert_true(shell_run_action(shell, "cycle", NULL));
	expect_focus(test, other);
	assert_true(shell_run_action(shell, "cycle", NULL));
	expect_focus(test, child);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(modal_dialog_gets_the_focus_of_its_parent),
		TEST(modal_dialog_without_a_parent_is_an_ordinary_window),
		TEST(switcher_skips_the_parent_of_a_modal_dialog),
	};
	return cmocka_run_group_tests_name("xdg/dialog", tests, NULL, NULL);
}
