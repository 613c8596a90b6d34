/* SPDX-License-Identifier: MIT */
/* Stacking of tiles: those that open behind a fullscreen or maximised window stay there. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include <stdio.h>
#include <string.h>

static int set_up_columns(void **state)
{
	static const char text[] = "[layout]\ndefault = columns\n"
				   "[window a]\napp-id = eager\nfocus = yes\n";
	set_up_shell(state);
	struct shell_fixture *fixture = *state;
	char *error = NULL;
	FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct config *config = config_parse("test.ini", stream, &error);
	fclose(stream);
	assert_non_null(config);
	shell_set_config(fixture->shell, config);
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	return 0;
}

static struct window *open_tile(struct shell_fixture *fixture, int index)
{
	struct window *window = map(fixture, index, 300, 200);
	assert_non_null(window->private->tiled);
	obey(&fixture->windows[index]);
	return window;
}

static struct window *open_fullscreen(struct shell_fixture *fixture, int index)
{
	struct window *window = open_tile(fixture, index);
	window_request_fullscreen(window, true, NULL);
	obey(&fixture->windows[index]);
	return window;
}

/* Returns true if no other window lies above the window, nor panels if it is fullscreen. */
static bool is_in_front(const struct window *window)
{
	const bool fullscreen = window->states & WINDOW_FULLSCREEN;
	const struct wl_list *last = window->tree->node.parent->children.prev;
	return (!fullscreen || window->tree->node.parent == window->workspace->fullscreen_tree) &&
	       last == &window->tree->node.link;
}

static void tile_opens_behind_a_fullscreen_window(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0), *b = open_tile(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, film);
	assert_ptr_equal(fixture->seat->keyboard.focus, film->surface);
	assert_true(is_in_front(film));
	assert_true(b->urgent && workspace_is_urgent(b->workspace));
	assert_false(film->urgent);
	/* Closing it reveals the tile, which gets the focus. */
	unmap(fixture, 0);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(window_shown(b) && !b->urgent);
}

static void tile_opens_behind_a_maximised_tile(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = open_tile(fixture, 0);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	struct window *b = open_tile(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(is_above(a, b) && b->urgent);
	window_raise(b);
	assert_true(is_above(a, b));
	run(fixture, "maximize", NULL);
	obey(&fixture->windows[0]);
	assert_box(b, b->private->tile.x + 2, b->private->tile.y + 2, b->private->tile.width - 4,
		b->private->tile.height - 4);
}

static void tile_opens_behind_a_film_on_another_output(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *film = open_fullscreen(fixture, 0);
	move_to(fixture, 1500, 100);
	run(fixture, "focus-output", "RIGHT");
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	struct window *b = open_tile(fixture, 1), *c = open_tile(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, c);
	shell_move_to_workspace(fixture->shell, b, film->workspace);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_true(is_in_front(film));
	/* The film, not the tile that was used later, has the focus when its output gets it. */
	run(fixture, "focus-output", "LEFT");
	assert_ptr_equal(fixture->shell->focus, film);
	assert_true(is_in_front(film));
}

static void dialogs_and_floating_windows_open_above(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0);
	make(fixture, 1);
	window_set_parent(fixture->windows[1].window, film);
	struct window *dialog = map(fixture, 1, 100, 100);
	assert_ptr_equal(fixture->shell->focus, dialog);
	assert_true(is_above(dialog, film));
	/* A tile does not come between them. */
	struct window *b = open_tile(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, dialog);
	assert_true(b->urgent && is_in_front(dialog) && is_above(dialog, film));
	unmap(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, film);
	make(fixture, 3);
	window_set_type(fixture->windows[3].window, WINDOW_TYPE_FLOATING);
	struct window *calculator = map(fixture, 3, 100, 100);
	assert_ptr_equal(fixture->shell->focus, calculator);
	assert_false(calculator->urgent);
	unmap(fixture, 3);
	assert_ptr_equal(fixture->shell->focus, film);
	assert_true(is_in_front(film));
}

static void focus_stays_with_the_fullscreen_window_when_a_dialog_of_a_tile_closes(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0), *b = open_tile(fixture, 1);
	make(fixture, 2);
	window_set_parent(fixture->windows[2].window, b);
	map(fixture, 2, 100, 100);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, film);
	assert_true(is_in_front(film));
}

static void directions_do_not_lead_to_covered_tiles(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0), *b = open_tile(fixture, 1);
	static const char *const directions[] = {"left", "right", "up", "down"};
	for (int i = 0; i < 4; i++) {
		run(fixture, "focus", directions[i]);
		assert_ptr_equal(fixture->shell->focus, film);
		assert_true(is_in_front(film));
	}
	plug(fixture, 1, 1000);
	run(fixture, "focus", "right"); /* on to the next output */
	assert_ptr_equal(shell_active_output(fixture->shell), fixture->outputs[1].shown);
	run(fixture, "focus", "left");
	assert_ptr_equal(fixture->shell->focus, film);
	run(fixture, "fullscreen", NULL);
	obey(&fixture->windows[0]);
	run(fixture, "focus", "right");
	assert_ptr_equal(fixture->shell->focus, b);
}

static void choice_of_a_tile_ends_the_fullscreen_state(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0), *b = open_tile(fixture, 1);
	run(fixture, "focus-urgent", NULL);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_false(film->states & WINDOW_FULLSCREEN);
	assert_false(b->urgent);
	obey(&fixture->windows[0]);
	assert_int_equal(film->geometry.width, film->private->tile.width - 4);
	window_focus(film);
	window_request_maximize(film, true);
	obey(&fixture->windows[0]);
	window_focus(b);
	assert_false(film->states & WINDOW_MAXIMIZED);
}

static void rule_brings_a_new_tile_to_the_front(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *film = open_fullscreen(fixture, 0);
	make(fixture, 1);
	window_set_app_id(fixture->windows[1].window, "eager");
	struct window *b = open_tile(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_false(film->states & WINDOW_FULLSCREEN);
}

static void tile_behind_a_maximised_one_becomes_fullscreen_in_front(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = open_tile(fixture, 0);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	struct window *game = open_fullscreen(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, game);
	assert_true(is_in_front(game) && !game->urgent);
	/* Behind a fullscreen window it waits. */
	struct window *other = open_fullscreen(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, game);
	assert_true(is_in_front(game) && other->urgent);
}

static void windows_of_the_floating_layout_open_in_front(void **state)
{
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_FLOATING);
	struct window *film = map(fixture, 0, 300, 200);
	window_request_fullscreen(film, true, NULL);
	obey(&fixture->windows[0]);
	struct window *b = map(fixture, 1, 300, 200);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(is_above(b, film) && !b->urgent);
	window_focus(film);
	assert_true(film->states & WINDOW_FULLSCREEN);
}

/* The output of the workspace shows its tiles, even if a film of it covers another output. */
static void film_on_another_output_covers_no_tile(void **state)
{
	struct shell_fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *film = open_tile(fixture, 0), *b = open_tile(fixture, 1);
	run(fixture, "workspace", "5");
	window_request_fullscreen(film, true, fixture->outputs[1].shown);
	obey(&fixture->windows[0]);
	run(fixture, "workspace", "1");
	assert_ptr_equal(film->workspace, b->workspace);
	assert_ptr_equal(b->workspace->output, fixture->outputs[0].shown);
	assert_box(film, 1000, 0, 1000, 600);
	window_focus(film);
	struct window *c = open_tile(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_false(c->urgent);
	window_focus(b);
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(film->states & WINDOW_FULLSCREEN);
}

/* Each of two films on one output is left only by choice. */
static void several_films_keep_tiles_behind_them(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *first = open_fullscreen(fixture, 0), *second = open_fullscreen(fixture, 1);
	assert_true(second->urgent);
	window_focus(second);
	struct window *b = open_tile(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, second);
	assert_true(is_in_front(second) && b->urgent);
	unmap(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, first);
	assert_true(is_in_front(first));
	window_set_on_top(b, true);
	assert_ptr_equal(fixture->shell->focus, first);
	window_set_minimized(first, true);
	assert_ptr_equal(fixture->shell->focus, b);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_columns, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(tile_opens_behind_a_fullscreen_window),
		TEST(tile_opens_behind_a_maximised_tile),
		TEST(tile_opens_behind_a_film_on_another_output),
		TEST(dialogs_and_floating_windows_open_above),
		TEST(focus_stays_with_the_fullscreen_window_when_a_dialog_of_a_tile_closes),
		TEST(directions_do_not_lead_to_covered_tiles),
		TEST(choice_of_a_tile_ends_the_fullscreen_state),
		TEST(rule_brings_a_new_tile_to_the_front),
		TEST(tile_behind_a_maximised_one_becomes_fullscreen_in_front),
		TEST(windows_of_the_floating_layout_open_in_front),
		TEST(film_on_another_output_covers_no_tile),
		TEST(several_films_keep_tiles_behind_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
