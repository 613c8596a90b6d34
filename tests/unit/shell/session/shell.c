/* SPDX-License-Identifier: MIT */
/*
 * The shell with windows of cooperative clients: focus order, stacking, window states, interactive
 * moves, and outputs that are plugged and unplugged.
 */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/input/input.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>

static void closing_focuses_the_last_used_window(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	struct window *c = map(fixture, 2, 100, 100);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_ptr_equal(fixture->seat->keyboard.focus, c->surface);
	assert_true(fixture->windows[2].configure.states & WINDOW_ACTIVATED);
	assert_false(fixture->windows[1].configure.states & WINDOW_ACTIVATED);

	window_focus(a);
	assert_true(is_above(a, c) && is_above(c, b));
	unmap(fixture, 0);
	assert_ptr_equal(fixture->shell->focus, c);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, b);
	unmap(fixture, 1);
	assert_null(fixture->shell->focus);
	assert_null(fixture->seat->keyboard.focus);
}

static void click_focuses_and_raises(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	window_move_to(a, 100, 100);
	window_move_to(b, 150, 150);
	move_to(fixture, 110, 110);
	button(fixture, BTN_LEFT, true);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(is_above(a, b));
	button(fixture, BTN_LEFT, false);
}

static void dialog_stays_above_its_parent(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	make(fixture, 2);
	window_set_parent(fixture->windows[2].window, a);
	struct window *dialog = map(fixture, 2, 100, 50);
	/* Centred on its parent, and always above it. */
	assert_box(dialog, a->x + 100, a->y + 75, 100, 50);
	window_focus(b);
	assert_true(is_above(b, dialog) && is_above(dialog, a));
	window_focus(a);
	assert_true(is_above(dialog, a) && is_above(a, b));
	/* The focus returns to the parent instead of the last used window. */
	window_focus(b);
	window_focus(dialog);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, a);

	map(fixture, 2, 100, 50);
	make(fixture, 3);
	window_set_parent(fixture->windows[3].window, dialog);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->windows[3].window->parent, dialog->parent);
}

static void maximised_window_fills_the_area(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 70, 80);
	window_request_maximize(a, true);
	assert_int_equal(self->configure.width, 1000);
	assert_int_equal(self->configure.height, 600);
	assert_true(self->configure.states & WINDOW_MAXIMIZED);
	assert_box(a, 70, 80, 300, 200); /* until the client has drawn the new size */
	obey(self);
	assert_box(a, 0, 0, 1000, 600);

	window_request_fullscreen(a, true, NULL);
	obey(self);
	assert_ptr_equal(a->tree->node.parent, a->workspace->fullscreen_tree);
	window_request_fullscreen(a, false, NULL);
	assert_true(self->configure.states & WINDOW_MAXIMIZED);
	obey(self);
	assert_ptr_equal(a->tree->node.parent, a->workspace->tree);
	window_request_maximize(a, false);
	assert_int_equal(self->configure.width, 300);
	obey(self);
	assert_box(a, 70, 80, 300, 200);
}

static void tiled_window_fills_half_the_area(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 70, 80);
	assert_true(shell_run_action(fixture->shell, "tile-right", NULL));
	assert_int_equal(self->configure.states & WINDOW_TILED,
		WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
	obey(self);
	assert_box(a, 500, 0, 500, 600);
	assert_true(shell_run_action(fixture->shell, "tile-left", NULL));
	obey(self);
	assert_box(a, 0, 0, 500, 600);
	assert_true(shell_run_action(fixture->shell, "tile-left", NULL));
	obey(self);
	assert_box(a, 70, 80, 300, 200);
}

static void focusing_another_window_lowers_fullscreen(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 100, 100);
	window_request_fullscreen(a, true, NULL);
	window_focus(a);
	assert_ptr_equal(a->tree->node.parent, a->workspace->fullscreen_tree);
	window_focus(b);
	assert_ptr_equal(a->tree->node.parent, b->tree->node.parent);
	assert_true(is_above(b, a));
}

/* A window smaller than its output is centred on black. */
static void small_fullscreen_window_is_centred(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_fullscreen(a, true, NULL);
	draw(&fixture->windows[0], 800, 400);
	assert_box(a, 100, 100, 800, 400);
	assert_non_null(a->private->backdrop);
	assert_int_equal(a->private->backdrop->width, 1000);
	assert_int_equal(a->private->backdrop->height, 600);
	assert_int_equal(a->x + a->private->backdrop->node.x, 0);
	assert_int_equal(a->y + a->private->backdrop->node.y, 0);
	window_request_fullscreen(a, false, NULL);
	assert_null(a->private->backdrop);
}

static void minimised_window_loses_focus(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	window_request_minimize(b);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(fixture->windows[1].configure.states & WINDOW_SUSPENDED);
	assert_int_equal(fixture->windows[1].n_dismissed, 1);
	assert_false(b->tree->node.enabled);
	assert_true(shell_run_action(fixture->shell, "restore", NULL));
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(b->tree->node.enabled);
	assert_false(fixture->windows[1].configure.states & WINDOW_SUSPENDED);
}

static void windows_belong_to_workspaces(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	shell_switch_workspace(fixture->shell, "2");
	assert_null(fixture->shell->focus);
	assert_true(fixture->windows[0].configure.states & WINDOW_SUSPENDED);
	struct window *c = map(fixture, 2, 100, 100);
	assert_int_equal(c->workspace->number, 2);
	assert_true(shell_run_action(fixture->shell, "workspace", "1"));
	assert_ptr_equal(fixture->shell->focus, b);
	assert_false(fixture->windows[0].configure.states & WINDOW_SUSPENDED);

	assert_true(shell_run_action(fixture->shell, "move-to-workspace", "2"));
	assert_int_equal(b->workspace->number, 2);
	assert_ptr_equal(fixture->shell->focus, a);
	window_focus(b); /* switches to its workspace */
	assert_int_equal(shell_workspace(fixture->shell)->number, 2);
	assert_false(shell_run_action(fixture->shell, "workspace", NULL));
	assert_false(shell_run_action(fixture->shell, "no-such-action", NULL));

	/* Fewer workspaces: windows of the removed ones join the last. */
	struct config *config = config_create_default();
	config->look.workspaces = 1;
	shell_set_config(fixture->shell, config);
	assert_int_equal(shell_workspace(fixture->shell)->number, 1);
	assert_int_equal(b->workspace->number, 1);
	assert_true(window_shown(a) && window_shown(b) && window_shown(c));
}

static bool count(void *data, const char *const *argv, char **error)
{
	++*(int *)data;
	return true;
}

static void bind(struct shell_fixture *fixture, uint32_t modifiers, xkb_keysym_t sym)
{
	struct config_key *key = xcalloc(1, sizeof(*key));
	key->modifiers = modifiers;
	key->sym = sym;
	key->action = xstrdup("spawn");
	key->argument = xstrdup("true");
	wl_list_insert(&fixture->shell->config->keys, &key->link);
}

/* Held keys for volume and brightness repeat at the configured rate; others do not. */
static void held_media_keys_repeat(void **state)
{
	struct shell_fixture *fixture = *state;
	int n = 0;
	const struct shell_host host = {.spawn = count, .data = &n}, *before = fixture->shell->host;
	fixture->shell->host = &host;
	bind(fixture, 0, XKB_KEY_XF86MonBrightnessUp);
	bind(fixture, CONFIG_SUPER, XKB_KEY_t);
	seat_set_repeat(fixture->seat, 10, 500);
	key(fixture, KEY_BRIGHTNESSUP, true);
	assert_int_equal(n, 1);
	clock_advance(fixture->clock, INT64_C(499000000));
	assert_int_equal(n, 1);
	clock_advance(fixture->clock, INT64_C(201000000));
	assert_int_equal(n, 4);
	key(fixture, KEY_BRIGHTNESSUP, false);
	clock_advance(fixture->clock, INT64_C(1000000000));
	assert_int_equal(n, 4);
	assert_false(clock_advance_to_next(fixture->clock));
	/* A tap, and a second one before the repeat delay of the first ends. */
	for (int i = 0; i < 2; i++) {
		key(fixture, KEY_BRIGHTNESSUP, true);
		key(fixture, KEY_BRIGHTNESSUP, false);
		clock_advance(fixture->clock, INT64_C(400000000));
	}
	assert_int_equal(n, 6);
	key(fixture, KEY_LEFTMETA, true);
	key(fixture, KEY_T, true);
	clock_advance(fixture->clock, INT64_C(2000000000));
	assert_int_equal(n, 7);
	key(fixture, KEY_T, false);
	key(fixture, KEY_LEFTMETA, false);
	/* A rate of 0 disables repetition. */
	seat_set_repeat(fixture->seat, 0, 500);
	key(fixture, KEY_BRIGHTNESSUP, true);
	clock_advance(fixture->clock, INT64_C(2000000000));
	assert_int_equal(n, 8);
	key(fixture, KEY_BRIGHTNESSUP, false);
	fixture->shell->host = before;
}

static void dragged_window_follows_the_pointer(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 150, 150);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_non_null(fixture->shell->private->grab);
	assert_null(fixture->seat->pointer.focus);
	move_to(fixture, 170, 140);
	assert_box(a, 120, 90, 300, 200);
	button(fixture, BTN_LEFT, false);
	assert_null(fixture->shell->private->grab);
	move_to(fixture, 300, 300);
	assert_box(a, 120, 90, 300, 200);
}

/* A window dragged out of the maximised state keeps its relative position under the pointer. */
static void dragging_restores_a_maximised_window(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	move_to(fixture, 500, 20);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_false(a->states & WINDOW_MAXIMIZED);
	obey(&fixture->windows[0]);
	assert_box(a, 350, 0, 300, 200);
	move_to(fixture, 510, 40);
	assert_box(a, 360, 20, 300, 200);
	button(fixture, BTN_LEFT, false);
}

static void resize_keeps_the_opposite_edges(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 100, 100);
	move_to(fixture, 110, 110);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_RIGHT, true);
	assert_true(self->configure.states & WINDOW_RESIZING);
	move_to(fixture, 90, 130);
	assert_int_equal(self->configure.width, 320);
	assert_int_equal(self->configure.height, 180);
	assert_box(a, 100, 100, 300, 200);
	draw(self, 316, 184); /* the nearest size that the client supports */
	assert_box(a, 84, 116, 316, 184);

	/* While the client draws, motion is merged into one more configure. */
	move_to(fixture, 80, 140);
	int n = self->n_configures;
	move_to(fixture, 70, 150);
	move_to(fixture, 60, 160);
	assert_int_equal(self->n_configures, n);
	draw(self, 330, 170);
	assert_int_equal(self->n_configures, n + 1);
	assert_int_equal(self->configure.width, 350);
	assert_int_equal(self->configure.height, 150);
	button(fixture, BTN_RIGHT, false);
	assert_false(self->configure.states & WINDOW_RESIZING);
	obey(self);
	assert_box(a, 50, 150, 350, 150);
	/* Later size changes by the client keep the top left corner. */
	draw(self, 100, 100);
	assert_box(a, 50, 150, 100, 100);
}

static void next_position_is_that_of_the_requested_size(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	int x, y;
	window_move_to(a, 100, 120);
	window_next_position(a, &x, &y);
	assert_true(x == 100 && y == 120);
	window_request_maximize(a, true);
	assert_true(a->x == 100 && a->y == 120);
	window_next_position(a, &x, &y);
	assert_true(x < 100 && y < 120);
	obey(&fixture->windows[0]);
	assert_true(a->x == x && a->y == y);
}

static void resize_respects_size_limits(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_set_limits(a, &(struct window_limits){.min_width = 250, .max_height = 220});
	window_move_to(a, 100, 100);
	move_to(fixture, 390, 290);
	window_request_resize(a, fixture->seat, XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT, false, 0);
	move_to(fixture, 200, 500);
	assert_int_equal(fixture->windows[0].configure.width, 250);
	assert_int_equal(fixture->windows[0].configure.height, 220);
	pointer_end_grab(fixture->seat);
}

/* The window is destroyed during the move. */
static void destroyed_window_ends_the_move(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_move(a, fixture->seat, false, 0);
	assert_non_null(fixture->shell->private->grab);
	unmap(fixture, 0);
	assert_null(fixture->shell->private->grab);
	assert_null(fixture->seat->pointer.grab);
}

static void frame_moves_maximises_and_resizes(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_set_decorated(a, true);
	window_move_to(a, 100, 100);
	struct frame_extents frame = window_frame(a);
	assert_true(frame.top > frame.bottom);

	/* Dragging the title bar moves the window, a double click maximises it. */
	move_to(fixture, 200, 90);
	button(fixture, BTN_LEFT, true);
	move_to(fixture, 210, 90);
	button(fixture, BTN_LEFT, false);
	assert_box(a, 110, 100, 300, 200);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	obey(self);
	frame = window_frame(a);
	assert_int_equal(frame.left, 0);
	assert_box(a, 0, frame.top, 1000, 600 - frame.top);
	window_request_maximize(a, false);
	obey(self);
	assert_box(a, 110, 100, 300, 200);

	/* Dragging an edge resizes the window. */
	frame = window_frame(a);
	move_to(fixture, 410 + frame.right - 0.5, 200);
	button(fixture, BTN_LEFT, true);
	assert_int_equal(a->private->resize_edges, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT);
	assert_true(window_is_resizing(a));
	button(fixture, BTN_LEFT, false);
}

static void window_without_focus_is_mapped_above_and_never_focused(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	struct window *a = map(fixture, 0, 300, 200);
	make(fixture, 1);
	window_set_takes_focus(fixture->windows[1].window, false);
	struct window *b = map(fixture, 1, 100, 100);
	assert_ptr_equal(shell->focus, a);
	assert_true(is_above(b, a));
	window_focus(b);
	assert_ptr_equal(shell->focus, a);
	shell_run_action(shell, "cycle", NULL);
	assert_ptr_equal(shell->focus, a);
	unmap(fixture, 0);
	assert_null(shell->focus);
}

static void implementation_is_told_each_position(void **state)
{
	struct shell_fixture *fixture = *state;
	make(fixture, 0);
	struct test_window *self = &fixture->windows[0];
	window_place_at(self->window, 120, 80);
	struct window *a = map(fixture, 0, 300, 200);
	assert_box(a, 120, 80, 300, 200);
	int before = self->n_moved;
	window_move_to(a, 10, 20);
	assert_int_equal(self->n_moved, before + 1);
	window_request_maximize(a, true);
	assert_int_equal(self->n_moved, before + 1);
	obey(self);
	assert_true(self->n_moved > before + 1);
}

static void interactive_resize_follows_the_implementations_increments(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	fixture->windows[0].increment = 50;
	window_set_decorated(a, true);
	window_move_to(a, 100, 100);
	move_to(fixture, 400 + window_frame(a).right - 0.5, 200);
	button(fixture, BTN_LEFT, true);
	move_to(fixture, 400 + window_frame(a).right - 0.5 + 77, 200);
	assert_int_equal(a->private->want_width, 350);
	assert_int_equal(a->private->want_height, 200);
	button(fixture, BTN_LEFT, false);
}

static void windows_return_to_a_replugged_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	window_move_to(a, 1100, 150);
	window_move_to(b, 50, 60);
	struct window *c = map(fixture, 2, 300, 200);
	window_move_to(c, 1200, 200);
	window_request_maximize(c, true);
	obey(&fixture->windows[2]);
	assert_box(c, 1000, 0, 1000, 600);

	unplug(fixture, 1);
	obey(&fixture->windows[2]);
	assert_box(c, 0, 0, 1000, 600);
	assert_in_range(a->x, 0, 700);
	assert_int_equal(a->y, 150);
	assert_box(b, 50, 60, 300, 200);

	/* The output returns at another position: its windows keep their relative positions. */
	plug(fixture, 1, 2000);
	obey(&fixture->windows[2]);
	assert_box(a, 2100, 150, 300, 200);
	assert_box(b, 50, 60, 300, 200);
	assert_box(c, 2000, 0, 1000, 600);

	/* Without outputs, windows keep their positions. */
	unplug(fixture, 0);
	unplug(fixture, 1);
	assert_null(window_output(a));
	plug(fixture, 0, 0);
	assert_in_range(a->x, 0, 700);
}

/* The client is asked once for each size, and answers after the last change. */
static void maximised_window_is_arranged_again_when_its_output_moves_back(void **state)
{
	struct shell_fixture *fixture = *state;
	struct scene_output *output = fixture->outputs[0].shown;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	scene_output_set_position(output, 40, 30);
	scene_output_set_position(output, 0, 0);
	obey(&fixture->windows[0]);
	assert_box(a, 0, 0, 1000, 600);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(closing_focuses_the_last_used_window),
		TEST(click_focuses_and_raises),
		TEST(dialog_stays_above_its_parent),
		TEST(maximised_window_fills_the_area),
		TEST(tiled_window_fills_half_the_area),
		TEST(focusing_another_window_lowers_fullscreen),
		TEST(small_fullscreen_window_is_centred),
		TEST(minimised_window_loses_focus),
		TEST(windows_belong_to_workspaces),
		TEST(held_media_keys_repeat),
		TEST(dragged_window_follows_the_pointer),
		TEST(dragging_restores_a_maximised_window),
		TEST(resize_keeps_the_opposite_edges),
		TEST(next_position_is_that_of_the_requested_size),
		TEST(resize_respects_size_limits),
		TEST(destroyed_window_ends_the_move),
		TEST(frame_moves_maximises_and_resizes),
		TEST(window_without_focus_is_mapped_above_and_never_focused),
		TEST(implementation_is_told_each_position),
		TEST(interactive_resize_follows_the_implementations_increments),
		TEST(windows_return_to_a_replugged_output),
		TEST(maximised_window_is_arranged_again_when_its_output_moves_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
