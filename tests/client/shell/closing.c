/* SPDX-License-Identifier: MIT */
/* Windows that close: they fade out and shrink, from a picture that needs nothing of the client. */

#include "frame/frame.h"
#include "harness/client/capturer.h"
#include "harness/client/reload.h"
#include "harness/peer.h"
#include "scene/scene.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include "shell/window.h"
#include "util/xalloc.h"

#define RED 0xff0000
#define LEFT 40
#define TOP 60

struct test {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	uint32_t background; /* at the middle of the window */
};

static enum renderer_kind renderer;

static uint32_t middle(struct test *test)
{
	return fixture_pixel(test->fixture, LEFT + 100, TOP + 50);
}

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer};
	test->fixture = fixture_create(&options);
	assert_true(reload_text(test->fixture,
		"[look]\nanimations = yes\nanimation-time = 100\nbackground = #000000\n"));
	test->peer = peer_create(test->fixture);
	fixture_settle(test->fixture);
	test->background = middle(test);
	test->window = peer_window_create(test->peer, LEFT, TOP, 200, 100, 0xff000000 | RED);
	fixture_settle(test->fixture);
	assert_int_equal(middle(test), RED);
	*state = test;
	return 0;
}

static int n_closing(struct test *test)
{
	return closings_count(test->fixture->server->shell);
}

/* Checks that the picture of the window vanishes, and that the screen is still then. */
static void expect_end(struct test *test)
{
	uint32_t last = RED;
	for (int i = 0; n_closing(test) > 0 && i < 30; i++) {
		fixture_frames(test->fixture, 1);
		const uint32_t now = middle(test);
		assert_in_range(now >> 16, test->background >> 16, last >> 16);
		assert_int_equal(now & 0xffff, test->background & 0xffff);
		last = now;
	}
	assert_int_equal(n_closing(test), 0);
	fixture_settle(test->fixture);
	assert_int_equal(middle(test), test->background);
	struct scene_output *output = test->fixture->server->scene->outputs[0];
	const uint64_t presented = frame_output_stats(frame_output_find(output))->presented;
	assert_false(output->animated);
	fixture_frames(test->fixture, 60);
	assert_int_equal(frame_output_stats(frame_output_find(output))->presented, presented);
}

/* Checks that a part of the window's colour is left after some frames, and none at its corner. */
static void expect_picture(struct test *test)
{
	fixture_frames(test->fixture, 3);
	assert_int_equal(n_closing(test), 1);
	assert_in_range(middle(test) >> 16, (test->background >> 16) + 1, 0xfe);
	assert_int_equal(fixture_pixel(test->fixture, LEFT, TOP), test->background);
	expect_end(test);
}

static void window_fades_out_and_shrinks(void **state)
{
	struct test *test = *state;
	peer_window_destroy(test->window);
	expect_picture(test);
}

static void window_without_buffer_fades_out(void **state)
{
	struct test *test = *state;
	struct peer_buffer *buffer = test->window->buffer;
	wl_surface_attach(test->window->surface, NULL, 0, 0);
	wl_surface_commit(test->window->surface);
	fixture_pump(test->fixture);
	/* The client draws into its buffer, which it has got back. */
	peer_buffer_fill(buffer, 0, 0, 200, 100, 0xff00ff00);
	assert_int_equal(buffer->n_released, 1);
	expect_picture(test);
}

static void window_of_a_crashed_program_fades_out(void **state)
{
	struct test *test = *state;
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	struct peer_buffer *buffer =
		peer_buffer_create(test->peer, 100, 100, WL_SHM_FORMAT_XRGB8888);
	peer_buffer_fill(buffer, 0, 0, 100, 100, RED);
	peer_subsurface(test->peer, surface, test->window->surface, 0, 0);
	peer_surface_show(surface, buffer);
	wl_surface_commit(test->window->surface);
	fixture_settle(test->fixture);
	peer_destroy(test->peer);
	expect_picture(test);
}

static void pictures_are_limited(void **state)
{
	struct test *test = *state;
	struct peer *peers[3];
	for (int i = 0; i < 3; i++) {
		peers[i] = peer_create(test->fixture);
		for (int j = 0; j < 5; j++) {
			peer_window_create(peers[i], LEFT, TOP, 200, 100, 0xff000000 | RED);
		}
	}
	fixture_settle(test->fixture);
	for (int i = 0; i < 3; i++) {
		peer_destroy(peers[i]);
		fixture_pump(test->fixture);
		assert_int_equal(n_closing(test), i == 0 ? 2 : 4);
	}
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	assert_int_equal(n_closing(test), 4);
	expect_end(test);
}

static void hidden_windows_leave_no_picture(void **state)
{
	struct test *test = *state;
	assert_true(shell_switch_workspace(test->fixture->server->shell, "2"));
	fixture_settle(test->fixture);
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	assert_int_equal(n_closing(test), 0);
}

static void picture_ends_with_its_workspace(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	assert_true(shell_switch_workspace(shell, "mail"));
	fixture_settle(test->fixture);
	struct peer_window *window =
		peer_window_create(test->peer, LEFT, TOP, 200, 100, 0xff00ff00);
	fixture_settle(test->fixture);
	peer_window_destroy(window);
	fixture_pump(test->fixture);
	assert_int_equal(n_closing(test), 1);
	assert_true(shell_switch_workspace(shell, "1"));
	fixture_settle(test->fixture);
	assert_int_equal(n_closing(test), 0);
	assert_int_equal(middle(test), RED);
}

static void secret_picture_is_black_in_captures(void **state)
{
	struct test *test = *state;
	struct peer *peer = peer_create(test->fixture);
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(peer, &zwlr_screencopy_manager_v1_interface, 0);
	assert_true(reload_text(test->fixture, "[look]\nanimations = yes\nbackground = #0000ff\n"));
	scene_tree_set_secret(peer_window_find(test->window)->tree, true);
	fixture_settle(test->fixture);
	peer_window_destroy(test->window);
	fixture_frames(test->fixture, 3);
	struct capturer_frame *frame = capturer_screencopy(peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_frames(test->fixture, 1);
	assert_true(frame->ready);
	assert_int_equal(capturer_pixel(frame, LEFT + 100, TOP + 50), 0);
	assert_int_equal(capturer_pixel(frame, LEFT, TOP), 0xff);
	assert_int_not_equal(middle(test) >> 16, 0);
	capturer_frame_destroy(frame);
}

static void windows_vanish_at_once_without_animations(void **state)
{
	struct test *test = *state;
	assert_true(reload_text(test->fixture, "[look]\nanimations = no\nbackground = #000000\n"));
	peer_window_destroy(test->window);
	fixture_pump(test->fixture);
	assert_int_equal(n_closing(test), 0);
	fixture_frames(test->fixture, 1);
	assert_int_equal(middle(test), test->background);
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(window_fades_out_and_shrinks),
		TEST(window_without_buffer_fades_out),
		TEST(window_of_a_crashed_program_fades_out),
		TEST(pictures_are_limited),
		TEST(hidden_windows_leave_no_picture),
		TEST(picture_ends_with_its_workspace),
		TEST(secret_picture_is_black_in_captures),
		TEST(windows_vanish_at_once_without_animations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
