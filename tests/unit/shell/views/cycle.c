/* SPDX-License-Identifier: MIT */
/* Switching between windows by keys and pointer, and the layout of the switcher. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/views/switcher.h"
#include <linux/input-event-codes.h>

/* Presses and releases a key. */
static void tap(struct shell_fixture *fixture, uint32_t code)
{
	key(fixture, code, true);
	key(fixture, code, false);
}

static void switching_focuses_when_the_modifier_is_released(void **state)
{
	struct shell_fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	struct window *c = map(fixture, 2, 100, 100);
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	tap(fixture, KEY_TAB);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_non_null(fixture->shell->private->cycle);
	key(fixture, KEY_LEFTMETA, false);
	assert_null(fixture->shell->private->cycle);
	assert_ptr_equal(fixture->shell->focus, a);
	/* Most recently used: a, then c, then b. */
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	key(fixture, KEY_LEFTMETA, false);
	assert_ptr_equal(fixture->shell->focus, c);
	/* c, a, b: Shift goes backward, and its release does not end it. */
	key(fixture, KEY_LEFTMETA, true);
	key(fixture, KEY_LEFTSHIFT, true);
	tap(fixture, KEY_TAB);
	key(fixture, KEY_LEFTSHIFT, false);
	assert_non_null(fixture->shell->private->cycle);
	key(fixture, KEY_LEFTMETA, false);
	assert_ptr_equal(fixture->shell->focus, b);
	unmap(fixture, 1);
	assert_ptr_equal(fixture->shell->focus, c);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, a);
	/* A single window has no other one. */
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	assert_null(fixture->shell->private->cycle);
	key(fixture, KEY_LEFTMETA, false);
}

static void switching_is_cancelled_by_escape_locks_and_outputs(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	map(fixture, 0, 100, 100);
	struct window *b = map(fixture, 1, 100, 100);
	plug(fixture, 1, 1000);
	for (int i = 0; i < 3; i++) {
		key(fixture, KEY_LEFTMETA, true);
		tap(fixture, KEY_TAB);
		clock_advance(fixture->clock, 200000000);
		assert_non_null(shell->private->cycle);
		if (i == 0) {
			tap(fixture, KEY_ESC);
		} else if (i == 1) {
			shell_lock(shell);
			tap(fixture, KEY_TAB);
		} else {
			unplug(fixture, 1);
		}
		assert_null(shell->private->cycle);
		if (i == 1) {
			shell_unlock(shell);
		}
		key(fixture, KEY_LEFTMETA, false);
		assert_ptr_equal(shell->focus, b);
	}
}

static void switching_survives_windows_that_close(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	struct window *a = map(fixture, 0, 100, 100);
	map(fixture, 1, 100, 100);
	map(fixture, 2, 100, 100);
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	clock_advance(fixture->clock, 200000000);
	unmap(fixture, 1); /* the selected one: the next takes its place */
	assert_non_null(shell->private->cycle);
	unmap(fixture, 2); /* the focused one */
	assert_non_null(shell->private->cycle);
	map(fixture, 3, 100, 100);
	key(fixture, KEY_LEFTMETA, false);
	assert_ptr_equal(shell->focus, a);
	unmap(fixture, 3);
	map(fixture, 1, 100, 100);
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	unmap(fixture, 0);
	unmap(fixture, 1);
	assert_null(shell->private->cycle);
	key(fixture, KEY_LEFTMETA, false);
	assert_null(shell->focus);
}

static void window_in_the_switcher_is_picked_by_the_pointer(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	struct window *a = map(fixture, 0, 100, 100);
	struct window *b = map(fixture, 1, 100, 100), *c = map(fixture, 2, 100, 100);
	const struct box area = shell_usable(shell, fixture->outputs[0].shown);
	const struct switcher_layout layout = switcher_layout(&area, 3, 0);
	for (int i = 0; i < 2; i++) {
		const struct box cell = switcher_cell(&layout, 2);
		key(fixture, KEY_LEFTMETA, true);
		tap(fixture, KEY_TAB);
		clock_advance(fixture->clock, 200000000);
		scene_update(fixture->scene);
		if (i == 0) { /* c, b, a */
			move_to(fixture, layout.panel.x + cell.x + 60,
				layout.panel.y + cell.y + 60);
		} else { /* beside the panel */
			move_to(fixture, 2, 2);
		}
		button(fixture, BTN_LEFT, true);
		button(fixture, BTN_LEFT, false);
		assert_null(shell->private->cycle);
		key(fixture, KEY_LEFTMETA, false);
		assert_ptr_equal(shell->focus, a);
	}
	assert_true(window_shown(b) && window_shown(c));
}

/* Scene updates under a resting pointer report its position again. */
static void resting_pointer_selects_nothing(void **state)
{
	struct shell_fixture *fixture = *state;
	struct shell *shell = fixture->shell;
	map(fixture, 0, 100, 100);
	struct window *b = map(fixture, 1, 100, 100);
	map(fixture, 2, 100, 100);
	const struct box area = shell_usable(shell, fixture->outputs[0].shown);
	const struct switcher_layout layout = switcher_layout(&area, 3, 0);
	const struct box cell = switcher_cell(&layout, 2);
	const double x = layout.panel.x + cell.x + 60, y = layout.panel.y + cell.y + 60;
	move_to(fixture, x, y);
	key(fixture, KEY_LEFTMETA, true);
	tap(fixture, KEY_TAB);
	clock_advance(fixture->clock, 200000000);
	scene_update(fixture->scene);
	move_to(fixture, x, y);
	key(fixture, KEY_LEFTMETA, false);
	assert_ptr_equal(shell->focus, b);
}

static void switcher_fits_into_the_output(void **state)
{
	static const struct box areas[] = {
		{0, 0, 1920, 1080}, {-5, 30, 1280, 690}, {7, 0, 200, 100}, {0, 0, 500, 2000}};
	for (size_t i = 0; i < sizeof(areas) / sizeof(areas[0]); i++) {
		for (int n = 1; n < 80; n++) {
			for (int selected = 0; selected < n; selected++) {
				const struct box *area = &areas[i];
				struct switcher_layout layout = switcher_layout(area, n, selected);
				assert_in_range(
					selected, layout.first, layout.first + layout.n - 1);
				assert_true(layout.first + layout.n <= n);
				assert_true(layout.columns * layout.rows >= layout.n);
				assert_true(
					area->width < 300 ||
					(layout.panel.x >= area->x && layout.panel.y >= area->y &&
						layout.panel.width <= area->width &&
						layout.panel.height <= area->height));
				const struct box cell =
					switcher_cell(&layout, selected - layout.first);
				assert_int_equal(
					switcher_window_at(&layout, layout.panel.x + cell.x + 9,
						layout.panel.y + cell.y + 9),
					selected);
			}
		}
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(switching_focuses_when_the_modifier_is_released),
		TEST(switching_is_cancelled_by_escape_locks_and_outputs),
		TEST(switching_survives_windows_that_close),
		TEST(window_in_the_switcher_is_picked_by_the_pointer),
		TEST(resting_pointer_selects_nothing),
		cmocka_unit_test(switcher_fits_into_the_output),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
