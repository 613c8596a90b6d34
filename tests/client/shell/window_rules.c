/* SPDX-License-Identifier: MIT */
/* Rules for windows whose effects show at clients: captures, idle time, frames. */

#include "ext-idle-notify-v1-client-protocol.h"
#include "harness/client/capturer.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "wlr-screencopy-unstable-v1-client-protocol.h"

#define GREEN 0xff00ff00
#define SECOND INT64_C(1000000000)

static struct capturer_frame *capture_output(
	struct peer *peer, struct zwlr_screencopy_manager_v1 *manager)
{
	struct capturer_frame *frame = capturer_screencopy(peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_settle(peer->fixture);
	assert_true(frame->ready);
	return frame;
}

/* The background shows nowhere in the window's box, and other windows stay visible above it. */
static void hidden_window_is_black_in_captures_only(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	assert_true(
		reload_text(fixture, "[window secret]\napp-id = vault\nhide-from-captures = yes\n"
				     "opacity = 0.5\n"));
	struct peer *peer = peer_create(fixture);
	struct peer_window *secret = peer_window_create_unmapped(peer);
	xdg_toplevel_set_app_id(secret->toplevel, "vault");
	xdg_toplevel_set_title(secret->toplevel, "vault");
	secret->buffer = peer_buffer_create(peer, 100, 80, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(secret->buffer, 0, 0, 100, 80, GREEN);
	peer_surface_show(secret->surface, secret->buffer);
	fixture_settle(fixture);
	peer_window_place(secret, 20, 20);
	struct peer_window *other = peer_window_create(peer, 40, 40, 20, 20, 0xffff0000);
	struct scene_tree *root = peer_window_find(secret)->surface_tree;
	struct scene_tree *preview =
		scene_preview_create(fixture->server->shell->layers[SHELL_OVERLAY], root,
			&(struct box){0, 0, 100, 80}, 50, 40);
	scene_node_set_position(&preview->node, 200, 100);
	fixture_settle(fixture);
	assert_int_not_equal(fixture_pixel(fixture, 220, 120), 0);
	const uint32_t shown = fixture_pixel(fixture, 30, 30);
	assert_int_not_equal(shown, 0);
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct capturer_frame *frame = capture_output(peer, manager);
	assert_int_equal(capturer_pixel(frame, 30, 30), 0);
	assert_int_equal(capturer_pixel(frame, 119, 99), 0);
	assert_int_equal(capturer_pixel(frame, 45, 45), 0xff0000);
	assert_int_equal(capturer_pixel(frame, 220, 120), 0);
	scene_node_destroy(&preview->node);
	assert_int_equal(capturer_pixel(frame, 130, 30), fixture_pixel(fixture, 130, 30));
	assert_int_not_equal(capturer_pixel(frame, 130, 30), 0);
	assert_int_equal(fixture_pixel(fixture, 30, 30), shown);
	capturer_frame_destroy(frame);

	struct capturer_session *session =
		capturer_session_create(peer, capturer_window_source(peer, "vault"), 0);
	fixture_settle(fixture);
	frame = capturer_frame_create(session);
	fixture_settle(fixture);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, 10, 10), 0);
	capturer_frame_destroy(frame);
	capturer_session_destroy(session);
	peer_window_destroy(other);
	fixture_destroy(fixture);
}

static void handle_idled(void *data, struct ext_idle_notification_v1 *proxy)
{
	*(int *)data += 1;
}

static void handle_resumed(void *data, struct ext_idle_notification_v1 *proxy)
{
}

static const struct ext_idle_notification_v1_listener listener = {
	.idled = handle_idled,
	.resumed = handle_resumed,
};

static void visible_window_inhibits_idle(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	assert_true(reload_text(fixture, "[window film]\ntype = normal\ninhibit-idle = yes\n"));
	struct peer *peer = peer_create(fixture);
	struct peer_window *film = peer_window_create(peer, 10, 10, 100, 80, GREEN);
	int n_idled = 0;
	struct ext_idle_notifier_v1 *notifier = peer_bind(peer, &ext_idle_notifier_v1_interface, 0);
	ext_idle_notification_v1_add_listener(
		ext_idle_notifier_v1_get_idle_notification(notifier, 1000, peer->seat), &listener,
		&n_idled);
	fixture_settle(fixture);
	fixture_sleep(fixture, 3 * SECOND);
	assert_int_equal(n_idled, 0);
	window_set_minimized(peer_window_find(film), true);
	fixture_settle(fixture);
	fixture_sleep(fixture, 2 * SECOND);
	assert_int_equal(n_idled, 1);
	window_set_minimized(peer_window_find(film), false);
	fixture_settle(fixture);
	peer_window_destroy(film);
	fixture_settle(fixture);
	assert_true(peer_alive(peer));
	fixture_destroy(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_window_is_black_in_captures_only),
		cmocka_unit_test(visible_window_inhibits_idle),
	};
	return cmocka_run_group_tests_name("shell/window_rules", tests, NULL, NULL);
}
