/* SPDX-License-Identifier: MIT */
/*
 * The layout `columns` in the shell: which windows are tiled, their boxes, resize transactions, and
 * the actions on columns.
 */

#include "shell/windows/tiling.h"
#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/tile.h"
#include "shell/look/decoration.h"
#include "shell/windows/windows.h"
#include "util/signal.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>

/* The fixture's output has 1000x600 pixels; gap and border are 8 and 2. */
#define EDGE 10
#define FULL_WIDTH 980
#define FULL_HEIGHT 580
#define HALF_WIDTH 484
#define SECOND_HALF 506

static void windows_share_the_output(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	assert_box(a, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
	assert_int_equal(a->states & WINDOW_TILED, WINDOW_TILED);
	struct window *b = add_tile(fixture, 1);
	assert_box(a, EDGE, EDGE, HALF_WIDTH, FULL_HEIGHT);
	assert_box(b, SECOND_HALF, EDGE, HALF_WIDTH, FULL_HEIGHT);
	unmap(fixture, 0);
	settle_tiles(fixture);
	assert_box(b, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
}

static void first_configure_has_the_size_of_the_tile(void **state)
{
	struct shell_fixture *fixture = *state;
	add_tile(fixture, 0);
	make(fixture, 1);
	window_initial_commit(fixture->windows[1].window);
	assert_int_equal(fixture->windows[1].configure.width, HALF_WIDTH);
	assert_int_equal(fixture->windows[1].configure.height, FULL_HEIGHT);
	assert_int_equal(fixture->windows[1].configure.states & WINDOW_TILED, WINDOW_TILED);
}

/* No window moves before all clients have drawn their new sizes. */
static void windows_change_together(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	struct window *c = map(fixture, 2, 300, 200);
	assert_true(transaction_is_active(fixture->shell));
	assert_false(c->tree->node.enabled); /* it would cover the others */
	obey(&fixture->windows[0]);
	obey(&fixture->windows[2]);
	clock_advance(fixture->clock, 1000000);
	assert_int_equal(b->x, SECOND_HALF);
	assert_false(c->tree->node.enabled);
	obey(&fixture->windows[1]);
	clock_advance(fixture->clock, 1);
	assert_false(transaction_is_active(fixture->shell));
	assert_true(c->tree->node.enabled);
	assert_true(a->x < b->x && b->x < SECOND_HALF && c->x > SECOND_HALF);
}

static void slow_client_delays_others_for_a_limited_time(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	struct window *b = map(fixture, 1, 300, 200);
	obey(&fixture->windows[1]);
	clock_advance(fixture->clock, 199000000);
	assert_true(transaction_is_active(fixture->shell));
	clock_advance(fixture->clock, 1000000);
	assert_false(transaction_is_active(fixture->shell));
	assert_box(b, SECOND_HALF, EDGE, HALF_WIDTH, FULL_HEIGHT);
	assert_true(b->tree->node.enabled);
	/* The late answer changes its own window only. */
	obey(&fixture->windows[0]);
	assert_box(a, EDGE, EDGE, HALF_WIDTH, FULL_HEIGHT);
}

static void closed_window_ends_the_wait_for_it(void **state)
{
	struct shell_fixture *fixture = *state;
	add_tile(fixture, 0);
	struct window *b = map(fixture, 1, 300, 200);
	obey(&fixture->windows[1]);
	unmap(fixture, 0);
	clock_advance(fixture->clock, 1);
	settle_tiles(fixture);
	assert_box(b, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
}

static void restored_window_shows_once_it_has_its_tile(void **state)
{
	struct shell_fixture *fixture = *state;
	add_tile(fixture, 0);
	struct window *b = add_tile(fixture, 1);
	run(fixture, "minimize", NULL);
	settle_tiles(fixture);
	run(fixture, "restore", NULL);
	assert_true(transaction_is_active(fixture->shell));
	assert_false(b->tree->node.enabled);
	settle_tiles(fixture);
	assert_true(b->tree->node.enabled);
	assert_box(b, SECOND_HALF, EDGE, HALF_WIDTH, FULL_HEIGHT);
}

static void dialogs_and_fixed_windows_float(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	make(fixture, 1);
	window_set_parent(fixture->windows[1].window, a);
	struct window *dialog = add_tile(fixture, 1);
	assert_null(dialog->private->tiled);
	assert_int_equal(dialog->geometry.width, 300);
	make(fixture, 2);
	struct window *fixed = fixture->windows[2].window;
	window_set_limits(fixed, &(struct window_limits){300, 200, 300, 200});
	add_tile(fixture, 2);
	assert_null(fixed->private->tiled);
	assert_box(a, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
	assert_ptr_equal(fixed->tree->node.parent, fixed->workspace->tree);
}

static void floating_window_returns_to_its_size(void **state)
{
	struct shell_fixture *fixture = *state;
	run(fixture, "layout", "floating");
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	window_move_to(a, 100, 50);
	run(fixture, "layout", "columns");
	settle_tiles(fixture);
	assert_box(a, EDGE, EDGE, HALF_WIDTH, FULL_HEIGHT);
	window_focus(a);
	run(fixture, "toggle-floating", NULL);
	settle_tiles(fixture);
	assert_box(a, 100, 50, 300, 200);
	assert_box(b, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
	run(fixture, "toggle-floating", NULL);
	settle_tiles(fixture);
	assert_ptr_equal(a->private->tiled, a->workspace);
	run(fixture, "layout", "floating");
	settle_tiles(fixture);
	assert_box(a, 100, 50, 300, 200);
	assert_false(a->states & WINDOW_TILED);
}

static void fullscreen_and_maximised_windows_keep_their_place(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	add_tile(fixture, 1);
	static const struct {
		const char *action;
		struct box box;
	} rows[] = {{"fullscreen", {0, 0, 1000, 600}}, {"maximize", {0, 0, 1000, 600}}};
	for (size_t i = 0; i < 2; i++) {
		window_focus(a);
		run(fixture, rows[i].action, NULL);
		settle_tiles(fixture);
		assert_box(a, 0, 0, 1000, 600);
		run(fixture, rows[i].action, NULL);
		settle_tiles(fixture);
		assert_box(a, EDGE, EDGE, HALF_WIDTH, FULL_HEIGHT);
	}
}

static void directions_focus_and_move_windows(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1),
		      *c = add_tile(fixture, 2);
	run(fixture, "focus", "left");
	assert_ptr_equal(fixture->shell->focus, b);
	run(fixture, "move", "left");
	settle_tiles(fixture);
	assert_true(b->x < a->x && a->x < c->x);
	run(fixture, "join", "right");
	settle_tiles(fixture);
	assert_int_equal(b->x, a->x);
	assert_true(b->y > a->y);
	run(fixture, "focus", "up");
	assert_ptr_equal(fixture->shell->focus, a);
	run(fixture, "swap", "right");
	settle_tiles(fixture);
	assert_true(a->x > c->x);
	assert_int_equal(b->x, c->x);
}

static void tabs_show_the_focused_window(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	run(fixture, "join", "left");
	run(fixture, "toggle-tabbed", NULL);
	settle_tiles(fixture);
	assert_box(b, EDGE, EDGE + TILE_TAB_HEIGHT, FULL_WIDTH, FULL_HEIGHT - TILE_TAB_HEIGHT);
	assert_true(b->tree->node.enabled && !a->tree->node.enabled);
	assert_true(a->private->tab && b->private->tab);
	/* A click on a tab focuses its window. */
	move_to(fixture, 50, 11);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	assert_ptr_equal(fixture->shell->focus, a);
	settle_tiles(fixture);
	assert_true(a->tree->node.enabled && !b->tree->node.enabled);
	/* Without the focus, the tab of the visible window is still brighter than the others. */
	struct window *c = add_tile(fixture, 2);
	settle_tiles(fixture);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_true(a->private->tab->color[0] > b->private->tab->color[0]);
	const uint32_t border = frame_colors(b).border;
	assert_true(b->private->tab->color[0] * 255 > (float)(border >> 16));
	unmap(fixture, 2);
	unmap(fixture, 1);
	settle_tiles(fixture);
	assert_null(a->private->tab);
	assert_box(a, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
}

static void sizes_follow_the_keys(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	int width = b->geometry.width;
	run(fixture, "resize", "wider");
	settle_tiles(fixture);
	assert_true(b->geometry.width > width);
	run(fixture, "width", "50");
	settle_tiles(fixture);
	assert_int_equal(b->geometry.width, width);
	run(fixture, "gaps", "+4");
	settle_tiles(fixture);
	assert_int_equal(a->x, EDGE + 4);
	run(fixture, "gaps", "0");
	settle_tiles(fixture);
	assert_box(a, 2, 2, 496, 596);
	run(fixture, "join", "left");
	settle_tiles(fixture);
	int height = b->geometry.height;
	run(fixture, "resize", "taller");
	settle_tiles(fixture);
	assert_true(b->geometry.height > height);
}

static void scrolled_windows_stay_on_their_output(void **state)
{
	struct shell_fixture *fixture = *state;
	fixture->shell->config->layout.overflow = 2; /* scroll */
	plug(fixture, 1, 1000);
	struct window *windows[4];
	for (int i = 0; i < 4; i++) {
		windows[i] = add_tile(fixture, i);
	}
	assert_int_equal(windows[3]->x, SECOND_HALF);
	assert_false(windows[0]->tree->node.enabled);
	run(fixture, "focus", "left");
	run(fixture, "focus", "left");
	run(fixture, "focus", "left");
	settle_tiles(fixture);
	assert_ptr_equal(fixture->shell->focus, windows[0]);
	assert_int_equal(windows[0]->x, EDGE);
	assert_false(windows[3]->tree->node.enabled);
	/* The third would reach into the other output: that is clipped. */
	assert_ptr_equal(windows[2]->tree->node.parent->output, fixture->outputs[0].shown);
	assert_ptr_equal(window_output(windows[2]), fixture->outputs[0].shown);
}

static void panels_shrink_the_columns(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	fixture->shell->usable[0] = (struct box){0, 30, 1000, 570};
	windows_arrange(fixture->shell);
	settle_tiles(fixture);
	assert_box(a, EDGE, EDGE + 30, FULL_WIDTH, FULL_HEIGHT - 30);
}

static void window_that_becomes_tiled_ends_its_drag(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	for (int resize = 0; resize < 2; resize++) {
		window_set_floats(a, true);
		settle_tiles(fixture);
		if (resize) {
			window_request_resize(
				a, fixture->seat, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, false, 0);
		} else {
			window_request_move(a, fixture->seat, false, 0);
		}
		assert_non_null(fixture->shell->private->grab);
		window_set_floats(a, false);
		assert_null(fixture->shell->private->grab);
		assert_int_equal(a->states & WINDOW_RESIZING, 0);
		assert_false(window_is_resizing(a));
		settle_tiles(fixture);
		assert_box(a, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
	}
}

static void drag_with_super(
	struct shell_fixture *fixture, uint32_t code, double x, double y, double to_x, double to_y)
{
	move_to(fixture, x, y);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, code, true);
	move_to(fixture, (x + to_x) / 2, (y + to_y) / 2);
	settle_tiles(fixture);
	move_to(fixture, to_x, to_y);
	button(fixture, code, false);
	key(fixture, KEY_LEFTMETA, false);
	settle_tiles(fixture);
	assert_null(fixture->shell->private->tile_grab);
}

static void dragged_window_moves_to_another_place(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	drag_with_super(fixture, BTN_LEFT, 100, 300, 980, 300);
	assert_box(b, EDGE, EDGE, HALF_WIDTH, FULL_HEIGHT);
	assert_box(a, SECOND_HALF, EDGE, HALF_WIDTH, FULL_HEIGHT);
	assert_ptr_equal(fixture->shell->focus, a);
	drag_with_super(fixture, BTN_LEFT, 700, 300, 250, 500);
	assert_ptr_equal(a->private->tiled, b->private->tiled);
	assert_int_equal(a->x, b->x);
	assert_true(a->y > b->y);
	assert_int_equal(a->geometry.width, FULL_WIDTH);
	/* A click, and a drop on the window itself. */
	int y = a->y;
	drag_with_super(fixture, BTN_LEFT, 500, 500, 503, 500);
	drag_with_super(fixture, BTN_LEFT, 500, 500, 600, 500);
	assert_int_equal(a->y, y);
}

static void dragged_edge_resizes_columns(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	drag_with_super(fixture, BTN_RIGHT, 400, 300, 500, 300);
	assert_in_range(a->geometry.width, HALF_WIDTH + 90, HALF_WIDTH + 110);
	assert_int_equal(a->geometry.width + b->geometry.width, 2 * HALF_WIDTH);
	/* The pointer returns to the edge before the edge follows again. */
	drag_with_super(fixture, BTN_RIGHT, 400, 300, 990, 300);
	int least = b->geometry.width;
	assert_true(least > 0 && least < 100);
	fixture->shell->config->layout.overflow = 2; /* scroll */
	tiling_arrange(a->private->tiled);
	settle_tiles(fixture);
	int before = b->geometry.width;
	drag_with_super(fixture, BTN_RIGHT, 100, 300, 50, 300);
	assert_int_equal(b->geometry.width, before);
}

static void drag_ends_with_its_window(void **state)
{
	struct shell_fixture *fixture = *state;
	add_tile(fixture, 0);
	add_tile(fixture, 1);
	for (int i = 0; i < 2; i++) {
		move_to(fixture, 700, 300);
		key(fixture, KEY_LEFTMETA, true);
		button(fixture, BTN_LEFT, true);
		move_to(fixture, 500, 300);
		assert_non_null(fixture->shell->private->tile_grab);
		if (i == 0) {
			run(fixture, "workspace", "2");
			assert_null(fixture->shell->private->tile_grab);
			run(fixture, "workspace", "1");
		} else {
			unmap(fixture, 1);
			assert_null(fixture->shell->private->tile_grab);
		}
		move_to(fixture, 300, 300);
		button(fixture, BTN_LEFT, false);
		key(fixture, KEY_LEFTMETA, false);
		settle_tiles(fixture);
	}
}

/* Clients may take long to draw what nobody sees. */
static void window_of_a_hidden_workspace_is_not_awaited(void **state)
{
	struct shell_fixture *fixture = *state;
	add_tile(fixture, 0);
	add_tile(fixture, 1);
	struct workspace *workspace = shell_workspace(fixture->shell);
	run(fixture, "workspace", "2");
	tiling_arrange(workspace);
	assert_false(transaction_is_active(fixture->shell));
	workspace->gap_change = 4;
	tiling_arrange(workspace);
	assert_false(transaction_is_active(fixture->shell));
}

static void new_floating_window_avoids_tiled_ones(void **state)
{
	struct shell_fixture *fixture = *state;
	fixture->shell->config->layout.overflow = 2; /* scroll: one column leaves half free */
	add_tile(fixture, 0);
	/* Tiled to a half of the output by key, the same holds. */
	run(fixture, "layout", "floating");
	settle_tiles(fixture);
	run(fixture, "tile", "left");
	settle_tiles(fixture);
	struct window *b = add_tile(fixture, 1);
	assert_true(b->x >= 500);
}

static void scratchpad_shows_and_hides_a_window(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	run(fixture, "move-to-scratchpad", NULL);
	settle_tiles(fixture);
	assert_true(b->minimized);
	assert_true(window_in_scratchpad(b) && !window_in_scratchpad(a));
	assert_box(a, EDGE, EDGE, FULL_WIDTH, FULL_HEIGHT);
	run(fixture, "restore", NULL);
	assert_true(b->minimized);
	run(fixture, "workspace", "3");
	run(fixture, "scratchpad", NULL);
	assert_true(window_shown(b));
	assert_ptr_equal(fixture->shell->focus, b);
	assert_int_equal(b->workspace->number, 3);
	run(fixture, "scratchpad", NULL);
	assert_true(b->minimized);
}

static void on_top_window_stays_above_the_focused_one(void **state)
{
	struct shell_fixture *fixture = *state;
	run(fixture, "layout", "floating");
	struct window *a = add_tile(fixture, 0), *b = add_tile(fixture, 1);
	window_focus(a);
	run(fixture, "always-on-top", NULL);
	assert_ptr_equal(a->tree->node.parent, a->workspace->top_tree);
	window_focus(b);
	assert_ptr_equal(a->tree->node.parent, a->workspace->top_tree);
	window_focus(a);
	run(fixture, "always-on-top", NULL);
	assert_ptr_equal(a->tree->node.parent, b->tree->node.parent);
}

static void urgent_window_is_focused_by_key(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = add_tile(fixture, 0);
	run(fixture, "workspace", "2");
	add_tile(fixture, 1);
	window_activate(a, false);
	run(fixture, "focus-urgent", NULL);
	assert_ptr_equal(fixture->shell->focus, a);
}

/* Random actions: tiled windows never overlap nor leave their output, and the focus is shown. */
static void random_actions_break_no_invariant(void **state)
{
	struct shell_fixture *fixture = *state;
	static const char *const actions[][2] = {{"focus", "left"}, {"focus", "right"},
		{"focus", "up"}, {"move", "left"}, {"move", "right"}, {"move", "down"},
		{"join", "left"}, {"join", "right"}, {"swap", "left"}, {"resize", "wider"},
		{"resize", "shorter"}, {"width", "next"}, {"toggle-tabbed", NULL},
		{"toggle-floating", NULL}, {"fullscreen", NULL}, {"maximize", NULL},
		{"minimize", NULL}, {"restore", NULL}, {"layout", "toggle"}, {"gaps", "+3"},
		{"gaps", "0"}, {"sticky", NULL}, {"always-on-top", NULL}, {"scratchpad", NULL},
		{"move-to-scratchpad", NULL}, {"workspace", "1"}, {"workspace", "2"},
		{"move-to-workspace", "2"}, {"workspace-to-output", "right"}, {"tile", "top-left"},
		{"cycle", NULL}};
	const int n_actions = sizeof(actions) / sizeof(actions[0]);
	for (int turn = 0; turn < 3000; turn++) {
		int index = random_between(0, WINDOWS - 1), kind = random_between(0, 11);
		struct test_window *self = &fixture->windows[index];
		if (kind == 0 && !(self->window && self->window->mapped)) {
			map(fixture, index, random_between(10, 800), random_between(10, 500));
		} else if (kind == 1 && self->window && self->window->mapped) {
			unmap(fixture, index);
		} else if (kind == 2 && random_between(0, 3) == 0) {
			if (fixture->outputs[1].shown) {
				unplug(fixture, 1);
			} else {
				plug(fixture, 1, 1000);
			}
		} else {
			int i = random_between(0, n_actions - 1);
			assert_true(run(fixture, actions[i][0], actions[i][1]));
		}
		struct window *focus = fixture->shell->focus;
		assert_true(!focus || window_shown(focus));
		if (random_between(0, 2) > 0) {
			continue; /* the next change comes during a transaction */
		}
		settle_tiles(fixture);
		struct box boxes[WINDOWS];
		int n = 0;
		struct window *window;
		wl_list_for_each (window, &fixture->shell->windows, link) {
			uint32_t covers = WINDOW_FULLSCREEN | WINDOW_MAXIMIZED;
			assert_true(!window->private->tiled ||
				    window->private->tiled == window->workspace);
			if (!window->private->tiled || (window->states & covers) ||
				!window_shown(window) || !window->tree->node.enabled) {
				continue;
			}
			boxes[n] = window_box(window);
			struct box area = shell_usable(fixture->shell, window->workspace->output);
			assert_true(boxes[n].x >= area.x && boxes[n].y >= area.y);
			assert_true(boxes[n].x + boxes[n].width <= area.x + area.width);
			assert_true(boxes[n].y + boxes[n].height <= area.y + area.height);
			for (int i = 0; i < n; i++) {
				struct box common;
				assert_false(box_intersect(&common, &boxes[i], &boxes[n]));
			}
			n++;
		}
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_tiles, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(windows_share_the_output),
		TEST(first_configure_has_the_size_of_the_tile),
		TEST(windows_change_together),
		TEST(slow_client_delays_others_for_a_limited_time),
		TEST(closed_window_ends_the_wait_for_it),
		TEST(restored_window_shows_once_it_has_its_tile),
		TEST(dialogs_and_fixed_windows_float),
		TEST(floating_window_returns_to_its_size),
		TEST(fullscreen_and_maximised_windows_keep_their_place),
		TEST(directions_focus_and_move_windows),
		TEST(tabs_show_the_focused_window),
		TEST(sizes_follow_the_keys),
		TEST(scrolled_windows_stay_on_their_output),
		TEST(panels_shrink_the_columns),
		TEST(window_that_becomes_tiled_ends_its_drag),
		TEST(dragged_window_moves_to_another_place),
		TEST(dragged_edge_resizes_columns),
		TEST(drag_ends_with_its_window),
		TEST(window_of_a_hidden_workspace_is_not_awaited),
		TEST(new_floating_window_avoids_tiled_ones),
		TEST(scratchpad_shows_and_hides_a_window),
		TEST(on_top_window_stays_above_the_focused_one),
		TEST(urgent_window_is_focused_by_key),
		TEST(random_actions_break_no_invariant),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
