/* SPDX-License-Identifier: MIT */
/* The window switcher: previews of the windows' contents, scaled by the renderer. */

#include "shell/views/switcher.h"
#include "backend/headless.h"
#include "frame/frame.h"
#include "harness/hand.h"
#include "harness/peer.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include "xdg-toplevel-icon-v1-client-protocol.h"
#include <linux/input-event-codes.h>
#include <unistd.h>

#define RED 0xff0000
#define GREEN 0x00ff00
#define BLUE 0x0000ff

struct test {
	struct fixture *fixture;
	struct input_device *keyboard;
	struct peer *peer;
	struct peer_window *red, *green; /* the red one has the focus */
	int n_presses, n_releases;
};

static enum renderer_kind renderer;

static void handle_keymap(
	void *data, struct wl_keyboard *keyboard, uint32_t format, int32_t fd, uint32_t size)
{
	close(fd);
}

static void handle_enter(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
}

static void handle_leave(
	void *data, struct wl_keyboard *keyboard, uint32_t serial, struct wl_surface *surface)
{
}

static void handle_key(void *data, struct wl_keyboard *keyboard, uint32_t serial, uint32_t time,
	uint32_t code, uint32_t state)
{
	struct test *test = data;
	++*(state == WL_KEYBOARD_KEY_STATE_PRESSED ? &test->n_presses : &test->n_releases);
}

static void handle_modifiers(void *data, struct wl_keyboard *keyboard, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
}

static const struct wl_keyboard_listener keyboard_listener = {
	.keymap = handle_keymap,
	.enter = handle_enter,
	.leave = handle_leave,
	.key = handle_key,
	.modifiers = handle_modifiers,
};

static int set_up(void **state)
{
	struct test *test = xcalloc(1, sizeof(*test));
	const struct fixture_options options = {.renderer = renderer, .width = 640, .height = 480};
	test->fixture = fixture_create(&options);
	test->keyboard =
		headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	test->peer = peer_create(test->fixture);
	test->green = peer_window_create(test->peer, 300, 300, 400, 100, 0xff000000 | GREEN);
	test->red = peer_window_create(test->peer, 0, 0, 640, 480, 0xff000000 | RED);
	fixture_settle(test->fixture);
	*state = test;
	return 0;
}

static void key(struct test *test, uint32_t code, bool pressed)
{
	hand_key(test->fixture, test->keyboard, code, pressed);
}

static void open_switcher(struct test *test)
{
	key(test, KEY_LEFTMETA, true);
	key(test, KEY_TAB, true);
	key(test, KEY_TAB, false);
	fixture_sleep(test->fixture, 200000000);
	fixture_settle(test->fixture);
}

/* Returns the pixel in the middle of a preview. */
static uint32_t preview(struct test *test, int n, int i)
{
	struct shell *shell = test->fixture->server->shell;
	const struct box area = shell_usable(shell, shell_active_output(shell));
	const struct switcher_layout layout = switcher_layout(&area, n, 0);
	const struct box cell = switcher_cell(&layout, i);
	fixture_settle(test->fixture);
	return fixture_pixel(test->fixture, layout.panel.x + cell.x + cell.width / 2,
		layout.panel.y + cell.y + (cell.height - 30) / 2);
}

static void fill(struct test *test, struct peer_window *window, int x, uint32_t color)
{
	struct peer_buffer *buffer = window->buffer;
	peer_buffer_fill(buffer, x, 0, buffer->width - x, buffer->height, 0xff000000 | color);
	peer_surface_show(window->surface, buffer);
	fixture_settle(test->fixture);
}

static void previews_show_covered_and_minimised_windows(void **state)
{
	struct test *test = *state;
	window_request_minimize(peer_window_find(test->green));
	fixture_settle(test->fixture);
	open_switcher(test);
	assert_int_equal(preview(test, 2, 0), RED);
	assert_int_equal(preview(test, 2, 1), GREEN);
	key(test, KEY_ESC, true);
	key(test, KEY_ESC, false);
	assert_int_equal(preview(test, 2, 1), RED);
	open_switcher(test);
	assert_int_equal(preview(test, 2, 1), GREEN);
	key(test, KEY_LEFTMETA, false);
	fixture_settle(test->fixture);
	assert_int_equal(fixture_pixel(test->fixture, 310, 310), GREEN);
}

static void set_icon(struct test *test, struct xdg_toplevel_icon_manager_v1 *manager,
	struct peer_window *window, uint32_t color)
{
	struct xdg_toplevel_icon_v1 *icon = xdg_toplevel_icon_manager_v1_create_icon(manager);
	struct peer_buffer *buffer = peer_buffer_create(test->peer, 32, 32, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(buffer, 0, 0, 32, 32, 0xff000000 | color);
	xdg_toplevel_icon_v1_add_buffer(icon, buffer->buffer, 1);
	xdg_toplevel_icon_manager_v1_set_icon(manager, window->toplevel, icon);
	xdg_toplevel_icon_v1_destroy(icon);
	wl_surface_commit(window->surface);
	fixture_frames(test->fixture, 3);
}

/* Returns the pixel of the icon below the first preview, of a window without title. */
static uint32_t first_icon(struct test *test)
{
	struct shell *shell = test->fixture->server->shell;
	const struct box area = shell_usable(shell, shell_active_output(shell));
	const struct switcher_layout layout = switcher_layout(&area, 2, 0);
	const struct box cell = switcher_cell(&layout, 0);
	return fixture_pixel(test->fixture, layout.panel.x + cell.x + cell.width / 2,
		layout.panel.y + cell.y + cell.height - 24);
}

static void icons_are_drawn_ten_times_a_second_at_most(void **state)
{
	struct test *test = *state;
	struct xdg_toplevel_icon_manager_v1 *manager =
		peer_bind(test->peer, &xdg_toplevel_icon_manager_v1_interface, 0);
	open_switcher(test);
	set_icon(test, manager, test->red, BLUE);
	assert_int_equal(first_icon(test), BLUE);
	set_icon(test, manager, test->red, GREEN);
	assert_int_equal(first_icon(test), BLUE);
	fixture_sleep(test->fixture, 100000000);
	fixture_settle(test->fixture);
	assert_int_equal(first_icon(test), GREEN);
	/* A change in progress when the switcher closes is forgotten. */
	set_icon(test, manager, test->red, RED);
	key(test, KEY_LEFTMETA, false);
	fixture_sleep(test->fixture, 200000000);
	fixture_settle(test->fixture);
}

static void preview_follows_the_content(void **state)
{
	struct test *test = *state;
	open_switcher(test);
	assert_int_equal(preview(test, 2, 1), GREEN);
	fill(test, test->green, 0, BLUE);
	assert_int_equal(preview(test, 2, 1), BLUE);
	/* The right half alone is damaged. */
	fill(test, test->green, 150, GREEN);
	assert_int_equal(preview(test, 2, 1), GREEN);
	assert_int_equal(preview(test, 2, 0), RED);
}

static void closed_window_leaves_the_switcher(void **state)
{
	struct test *test = *state;
	struct peer_window *third =
		peer_window_create(test->peer, 50, 50, 100, 100, 0xff000000 | BLUE);
	open_switcher(test);
	assert_int_equal(preview(test, 3, 0), BLUE);
	peer_window_destroy(test->red);
	fixture_settle(test->fixture);
	assert_int_equal(preview(test, 2, 0), BLUE);
	assert_int_equal(preview(test, 2, 1), GREEN);
	peer_window_destroy(third);
	fixture_settle(test->fixture);
	peer_destroy(test->peer);
	fixture_settle(test->fixture);
	assert_null(test->fixture->server->shell->private->cycle);
}

static void keys_select_while_the_pointer_rests(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	struct input_device *pointer =
		headless_add_input(test->fixture->server->backend, INPUT_POINTER, "pointer");
	open_switcher(test);
	const struct box area = shell_usable(shell, shell_active_output(shell));
	const struct switcher_layout layout = switcher_layout(&area, 2, 0);
	const struct box cell = switcher_cell(&layout, 0);
	hand_point(test->fixture, pointer, layout.panel.x + cell.x + cell.width / 2,
		layout.panel.y + cell.y + cell.height / 2);
	fixture_settle(test->fixture);
	key(test, KEY_TAB, true);
	key(test, KEY_TAB, false);
	fixture_settle(test->fixture);
	key(test, KEY_LEFTMETA, false);
	fixture_settle(test->fixture);
	assert_ptr_equal(shell->focus, peer_window_find(test->green));
}

static void lock_hides_the_switcher(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	open_switcher(test);
	shell_lock(shell);
	assert_int_equal(preview(test, 2, 0), 0);
	open_switcher(test);
	assert_int_equal(preview(test, 2, 0), 0);
	assert_null(shell->private->cycle);
}

static void keys_reach_no_client_meanwhile(void **state)
{
	struct test *test = *state;
	struct wl_seat *seat = peer_bind(test->peer, &wl_seat_interface, 1);
	wl_keyboard_add_listener(wl_seat_get_keyboard(seat), &keyboard_listener, test);
	fixture_pump(test->fixture);
	key(test, KEY_A, true);
	open_switcher(test);
	assert_int_equal(test->n_presses, 2); /* A and Super */
	key(test, KEY_B, true);
	key(test, KEY_B, false);
	key(test, KEY_LEFT, true);
	key(test, KEY_LEFT, false);
	assert_int_equal(test->n_presses, 2);
	assert_int_equal(test->n_releases, 0);
	key(test, KEY_A, false);
	assert_int_equal(test->n_releases, 1);
	key(test, KEY_ESC, true);
	key(test, KEY_ESC, false);
	key(test, KEY_LEFTMETA, false);
	assert_int_equal(test->n_presses, 2);
	assert_int_equal(test->n_releases, 2);
	key(test, KEY_B, true);
	assert_int_equal(test->n_presses, 3);
}

static void idle_switcher_draws_no_frames(void **state)
{
	struct test *test = *state;
	open_switcher(test);
	fixture_frames(test->fixture, 60);
	const struct scene_output *output = shell_active_output(test->fixture->server->shell);
	const struct frame_stats *stats = frame_output_stats(frame_output_find(output));
	const uint64_t before = stats->frames;
	fixture_frames(test->fixture, 60);
	assert_int_equal(stats->frames, before);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, fixture_tear_down)

int main(int argc, char **argv)
{
	renderer = fixture_renderer(argc, argv);
	const struct CMUnitTest tests[] = {
		TEST(previews_show_covered_and_minimised_windows),
		TEST(preview_follows_the_content),
		TEST(icons_are_drawn_ten_times_a_second_at_most),
		TEST(closed_window_leaves_the_switcher),
		TEST(keys_select_while_the_pointer_rests),
		TEST(lock_hides_the_switcher),
		TEST(keys_reach_no_client_meanwhile),
		TEST(idle_switcher_draws_no_frames),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
