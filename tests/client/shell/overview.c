/* SPDX-License-Identifier: MIT */
/* The overview on the screen: previews of workspaces, and choices by touch. */

#include "shell/views/overview.h"
#include "backend/headless.h"
#include "frame/frame.h"
#include "harness/client/capturer.h"
#include "harness/hand.h"
#include "harness/peer.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <linux/input-event-codes.h>

#define RED 0xff0000
#define GREEN 0x00ff00
#define BLUE 0x0000ff

struct test {
	struct fixture *fixture;
	struct input_device *keyboard;
	struct peer *peer;
	struct peer_window *red,
		*green; /* on the workspaces 1 and 2, of which the second is shown */
};

static enum renderer_kind renderer;

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer, .width = 640, .height = 480};
	test->fixture = fixture_create(&options);
	test->keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	test->peer = peer_create(test->fixture);
	test->red = peer_window_create(test->peer, 0, 0, 640, 480, 0xff000000 | RED);
	shell_switch_workspace(test->fixture->server->shell, "2");
	test->green = peer_window_create(test->peer, 320, 0, 320, 480, 0xff000000 | GREEN);
	fixture_settle(test->fixture);
	*state = test;
	return 0;
}

static void open_overview(struct test *test)
{
	hand_key(test->fixture, test->keyboard, KEY_LEFTMETA, true);
	hand_key(test->fixture, test->keyboard, KEY_O, true);
	hand_key(test->fixture, test->keyboard, KEY_O, false);
	hand_key(test->fixture, test->keyboard, KEY_LEFTMETA, false);
	fixture_settle(test->fixture);
	assert_non_null(test->fixture->server->shell->private->overview);
}

static struct box cell(struct test *test, int i)
{
	const struct shell *shell = test->fixture->server->shell;
	const struct box area = shell_usable(shell, shell->scene->outputs[0]);
	const struct overview_layout layout = overview_layout(&area, 640, 480, 2);
	return overview_cell(&layout, i);
}

/* Returns a pixel of a copy, at a part of its width. */
static uint32_t pixel(struct test *test, int i, double part)
{
	const struct box box = cell(test, i);
	return fixture_pixel(
		test->fixture, box.x + (int)(box.width * part), box.y + box.height / 2);
}

static void windows_appear_where_they_are(void **state)
{
	struct test *test = *state;
	open_overview(test);
	assert_int_equal(pixel(test, 0, 0.25), RED);
	assert_int_equal(pixel(test, 0, 0.75), RED);
	assert_int_not_equal(pixel(test, 1, 0.25), GREEN);
	assert_int_equal(pixel(test, 1, 0.75), GREEN);
	hand_key(test->fixture, test->keyboard, KEY_ESC, true);
	hand_key(test->fixture, test->keyboard, KEY_ESC, false);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 600, 240), GREEN);
	assert_null(test->fixture->server->shell->private->overview);
}

static void previews_follow_windows_and_their_content(void **state)
{
	struct test *test = *state;
	open_overview(test);
	struct peer_buffer *buffer = test->red->buffer;
	peer_buffer_fill(buffer, 0, 0, 640, 480, 0xff000000 | BLUE);
	peer_surface_show(test->red->surface, buffer);
	fixture_settle(test->fixture);
	assert_int_equal(pixel(test, 0, 0.25), BLUE);
	peer_window_destroy(test->green);
	fixture_settle(test->fixture);
	assert_int_not_equal(pixel(test, 1, 0.75), GREEN);
	peer_window_create(test->peer, 0, 0, 640, 480, 0xff000000 | RED);
	fixture_settle(test->fixture);
	assert_int_equal(pixel(test, 1, 0.25), RED);
}

static void touch(struct test *test, struct input_device *screen, double x, double y)
{
	struct input_touch_event event = {.id = 1, .x = x / 640, .y = y / 480};
	signal_emit(&screen->events.touch_down, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	signal_emit(&screen->events.touch_up, &event);
	signal_emit(&screen->events.touch_frame, NULL);
	fixture_settle(test->fixture);
}

static void touched_window_gets_the_focus(void **state)
{
	struct test *test = *state;
	struct fixture *fixture = test->fixture;
	struct input_device *screen =
		headless_add_input(fixture->server->backend, INPUT_TOUCH, "touch screen");
	open_overview(test);
	const struct box first = cell(test, 0);
	touch(test, screen, first.x + first.width / 2.0, first.y + first.height / 2.0);
	assert_null(fixture->server->shell->private->overview);
	assert_ptr_equal(fixture->server->shell->focus, peer_window_find(test->red));
	assert_int_equal(fixture_pixel(fixture, 600, 240), RED);
}

static void secret_window_is_black_in_captures(void **state)
{
	struct test *test = *state;
	scene_tree_set_secret(peer_window_find(test->red)->tree, true);
	open_overview(test);
	assert_int_equal(pixel(test, 0, 0.25), RED);
	struct zwlr_screencopy_manager_v1 *manager =
		peer_bind(test->peer, &zwlr_screencopy_manager_v1_interface, 0);
	struct capturer_frame *frame = capturer_screencopy(test->peer, manager, NULL);
	capturer_screencopy_copy(frame, false);
	fixture_settle(test->fixture);
	assert_true(frame->ready);
	const struct box red = cell(test, 0), green = cell(test, 1);
	const int y = red.y + red.height / 2;
	assert_int_equal(capturer_pixel(frame, red.x + red.width / 4, y), 0);
	assert_int_equal(capturer_pixel(frame, green.x + green.width * 3 / 4, y), GREEN);
	capturer_frame_destroy(frame);
}

static void open_overview_draws_no_frames(void **state)
{
	struct test *test = *state;
	open_overview(test);
	fixture_frames(test->fixture, 60);
	const struct scene_output *output = test->fixture->server->scene->outputs[0];
	const struct frame_stats *stats = frame_output_stats(frame_output_find(output));
	const uint64_t before = stats->frames;
	fixture_frames(test->fixture, 60);
	assert_int_equal(stats->frames, before);
}

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)
	const struct CMUnitTest tests[] = {
		TEST(windows_appear_where_they_are),
		TEST(previews_follow_windows_and_their_content),
		TEST(touched_window_gets_the_focus),
		TEST(secret_window_is_black_in_captures),
		TEST(open_overview_draws_no_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
