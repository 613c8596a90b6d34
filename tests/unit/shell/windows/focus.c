/* SPDX-License-Identifier: MIT */
/* Windows and layer surfaces that refuse the focus: keys go to the last window that takes it. */

#include "harness/shell.h"
#include "shell/geometry/facts.h"
#include "shell/window.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include <linux/input-event-codes.h>

/* Windows of the fixture. */
enum { FIRST, LAST, REFUSING, DIALOG };

static void configure_layer(struct layer *layer, int32_t width, int32_t height)
{
}

static void ignore(struct layer *layer)
{
}

static const struct layer_impl layer_impl = {
	.configure = configure_layer,
	.closed = ignore,
	.placed = ignore,
};

static struct window *window_of(const struct shell_fixture *fixture, int index)
{
	return fixture->windows[index].window;
}

static void check_focus(const struct shell_fixture *fixture, int index)
{
	assert_ptr_equal(fixture->shell->focus, window_of(fixture, index));
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[index].surface);
}

static struct window *open_refusing(struct shell_fixture *fixture)
{
	if (!window_of(fixture, REFUSING)) {
		make(fixture, REFUSING);
	}
	window_set_takes_focus(window_of(fixture, REFUSING), false);
	struct window *window = map(fixture, REFUSING, 100, 100);
	settle_tiles(fixture);
	return window;
}

/* Two windows take the focus, in this order; a third one refuses it. */
static void open_three(struct shell_fixture *fixture, int layout)
{
	workspace_set_layout(shell_workspace(fixture->shell), layout);
	map(fixture, FIRST, 300, 200);
	settle_tiles(fixture);
	map(fixture, LAST, 300, 200);
	settle_tiles(fixture);
	open_refusing(fixture);
}

static void click(struct shell_fixture *fixture, const struct window *window)
{
	move_to(fixture, window->x + 5, window->y + 5);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
}

/* Ways in which a window that refuses the focus is chosen. */
static void choose(struct shell_fixture *fixture, struct window *window, int way)
{
	switch (way) {
	case 0: break; /* it is mapped */
	case 1: click(fixture, window); break;
	case 2: window_focus(window); break; /* a taskbar */
	case 3: window_activate(window, true); break;
	case 4:
		window_set_minimized(window, true);
		window_focus(window);
		break;
	case 5:
		run(fixture, "workspace", "9");
		assert_null(fixture->shell->focus);
		window_focus(window);
		break;
	case 6:
		window_activate(window, false);
		run(fixture, "focus-urgent", NULL);
		assert_false(window->urgent);
		break;
	case 7:
		unmap(fixture, REFUSING);
		open_refusing(fixture);
		break;
	case 8: window_request_fullscreen(window, true, NULL); break;
	case 9: window_request_maximize(window, true); break;
	default:
		window_set_takes_focus(window, true);
		window_focus(window);
		check_focus(fixture, REFUSING);
		window_set_takes_focus(window, false);
	}
}

static void keys_stay_with_the_last_window_that_takes_them(void **state)
{
	for (int i = 0; i < 11 * 2; i++) {
		struct shell_fixture *fixture = *state;
		open_three(fixture, i % 2 ? CONFIG_LAYOUT_COLUMNS : CONFIG_LAYOUT_FLOATING);
		check_focus(fixture, LAST);
		choose(fixture, window_of(fixture, REFUSING), i / 2);
		check_focus(fixture, LAST);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* Ways in which the focused window goes. */
static void lose(struct shell_fixture *fixture, int way)
{
	struct window *last = window_of(fixture, LAST);
	switch (way) {
	case 0: unmap(fixture, LAST); break;
	case 1: window_set_minimized(last, true); break;
	case 2:
		shell_move_to_workspace(
			fixture->shell, last, shell_get_workspace(fixture->shell, "4"));
		break;
	default: window_set_takes_focus(last, false);
	}
}

static void focus_passes_over_windows_that_refuse_it(void **state)
{
	for (int i = 0; i < 4 * 2 * 2; i++) {
		struct shell_fixture *fixture = *state;
		open_three(fixture, i % 2 ? CONFIG_LAYOUT_COLUMNS : CONFIG_LAYOUT_FLOATING);
		if (i / 2 % 2) { /* the one that refuses it was used last */
			window_focus(window_of(fixture, REFUSING));
		}
		lose(fixture, i / 4);
		check_focus(fixture, FIRST);
		run(fixture, "workspace", "9");
		assert_null(fixture->seat->keyboard.focus);
		run(fixture, "workspace", "1");
		check_focus(fixture, FIRST);
		run(fixture, "cycle", NULL);
		assert_ptr_not_equal(fixture->shell->focus, window_of(fixture, REFUSING));
		/* Without any other, no window gets the keys. */
		unmap(fixture, FIRST);
		unmap(fixture, LAST);
		assert_null(fixture->shell->focus);
		assert_null(fixture->seat->keyboard.focus);
		run(fixture, "cycle", NULL);
		click(fixture, window_of(fixture, REFUSING));
		assert_null(fixture->seat->keyboard.focus);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* The parent of a dialog refuses the focus, or a modal child does. */
static void dialogs_hand_the_focus_to_a_window_that_takes_it(void **state)
{
	struct shell_fixture *fixture = *state;
	open_three(fixture, CONFIG_LAYOUT_FLOATING);
	make(fixture, DIALOG);
	struct window *dialog = window_of(fixture, DIALOG);
	window_set_parent(dialog, window_of(fixture, REFUSING));
	map(fixture, DIALOG, 100, 100);
	check_focus(fixture, DIALOG);
	unmap(fixture, DIALOG);
	check_focus(fixture, LAST);
	window_set_parent(dialog, window_of(fixture, LAST));
	window_set_modal(dialog, true);
	window_set_takes_focus(dialog, false);
	map(fixture, DIALOG, 100, 100);
	check_focus(fixture, LAST);
	click(fixture, dialog);
	check_focus(fixture, LAST);
	window_set_takes_focus(dialog, true);
	window_focus(window_of(fixture, LAST));
	check_focus(fixture, DIALOG);
	window_set_takes_focus(dialog, false);
	check_focus(fixture, LAST);
}

/* A tile that refuses the focus lies between the others. */
static void directions_pass_over_windows_that_refuse_the_focus(void **state)
{
	for (int layout = 0; layout < 2; layout++) {
		struct shell_fixture *fixture = *state;
		workspace_set_layout(shell_workspace(fixture->shell),
			layout ? CONFIG_LAYOUT_COLUMNS : CONFIG_LAYOUT_FLOATING);
		map(fixture, FIRST, 100, 100);
		settle_tiles(fixture);
		open_refusing(fixture);
		map(fixture, LAST, 100, 100);
		settle_tiles(fixture);
		if (!layout) {
			window_move_to(window_of(fixture, FIRST), 50, 100);
			window_move_to(window_of(fixture, REFUSING), 300, 100);
			window_move_to(window_of(fixture, LAST), 600, 100);
		}
		check_focus(fixture, LAST);
		run(fixture, "focus", "left");
		check_focus(fixture, FIRST);
		run(fixture, "focus", "right");
		check_focus(fixture, LAST);
		tear_down_shell(state);
		set_up_shell(state);
	}
}

/* A panel without keyboard interactivity, above and below the windows. */
static void layer_surface_without_keyboard_takes_no_keys(void **state)
{
	static const enum shell_layer layers[] = {
		SHELL_BACKGROUND, SHELL_BOTTOM, SHELL_TOP, SHELL_OVERLAY};
	struct shell_fixture *fixture = *state;
	open_three(fixture, CONFIG_LAYOUT_FLOATING);
	for (size_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		struct surface *surface = surface_create(NULL, NULL);
		surface->current.has_content = true;
		struct layer *layer = layer_create(fixture->shell, surface, &layer_impl, NULL,
			fixture->outputs[0].shown, layers[i]);
		layer->configured = true;
		surface_map(surface);
		layer_map(layer);
		check_focus(fixture, LAST);
		focus_data(fixture->shell, layer);
		check_focus(fixture, LAST);
		/* The surface has taken keys, and no longer does. */
		layer->keyboard = LAYER_KEYBOARD_ON_DEMAND;
		focus_data(fixture->shell, layer);
		assert_ptr_equal(fixture->seat->keyboard.focus, surface);
		layer->keyboard = LAYER_KEYBOARD_NONE;
		shell_arrange_layers(fixture->shell, layer->output);
		check_focus(fixture, LAST);
		unmap(fixture, LAST);
		check_focus(fixture, FIRST);
		map(fixture, LAST, 300, 200);
		check_focus(fixture, LAST);
		surface_unmap(surface);
		layer_destroy(layer);
		surface_destroy(surface);
		check_focus(fixture, LAST);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up_shell, tear_down_shell)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(keys_stay_with_the_last_window_that_takes_them),
		TEST(focus_passes_over_windows_that_refuse_it),
		TEST(dialogs_hand_the_focus_to_a_window_that_takes_it),
		TEST(directions_pass_over_windows_that_refuse_the_focus),
		TEST(layer_surface_without_keyboard_takes_no_keys),
	};
	return cmocka_run_group_tests_name("shell/windows/focus", tests, NULL, NULL);
}
