/* SPDX-License-Identifier: MIT */
/* Presses and the pointer: dispatch, frames of windows, and drags with Super held. */

#include "input.h"
#include "seat/seat.h"
#include "shell/look/look.h"
#include "shell/shell.h"
#include "shell/views/views.h"
#include "shell/windows/windows.h"
#include "util/signal.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>

#define DOUBLE_CLICK INT64_C(400000000)

/* Returns the edges of the corner nearest to the point. */
static uint32_t corner(const struct window *window, struct coord_global at)
{
	bool left = at.x < window->x + window->geometry.width / 2.0;
	bool top = at.y < window->y + window->geometry.height / 2.0;
	return (left ? XDG_TOPLEVEL_RESIZE_EDGE_LEFT : XDG_TOPLEVEL_RESIZE_EDGE_RIGHT) |
	       (top ? XDG_TOPLEVEL_RESIZE_EDGE_TOP : XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM);
}

static bool second_press(struct shell *shell, struct window *window)
{
	int64_t now = clock_now(shell->clock);
	bool second = shell->title_window == window && now - shell->title_press < DOUBLE_CLICK;
	shell->title_window = second ? NULL : window;
	shell->title_press = now;
	return second;
}

/* Returns true for the left button and for touch. */
static bool is_main(const struct seat_press *press)
{
	return press->touch || press->button == BTN_LEFT;
}

static void press_title(struct shell *shell, struct window *window, const struct seat_press *press)
{
	if (press->button == BTN_MIDDLE) {
		window_request_minimize(window);
	} else if (press->button == BTN_RIGHT) {
		window_open_menu(window, press->at);
	} else if (is_main(press) && second_press(shell, window)) {
		window_request_maximize(window, !(window->states & WINDOW_MAXIMIZED));
	} else if (press->touch) {
		title_touch_start(window, press);
	} else if (is_main(press)) {
		window_request_move(window, shell->seat, false, 0);
	}
}

static bool press_frame(struct shell *shell, struct window *window, const struct seat_press *press)
{
	uint32_t edges;
	switch (decoration_at(window, press->at, &edges)) {
	case DECORATION_NONE: return false;
	case DECORATION_TITLE: press_title(shell, window, press); return true;
	case DECORATION_BUTTON:
		if (is_main(press)) {
			title_button_press(window, press);
		}
		return true;
	case DECORATION_EDGE:
		if (is_main(press)) {
			window_request_resize(
				window, shell->seat, edges, press->touch, press->touch_id);
		}
		return true;
	}
	return false;
}

static bool press_window(struct shell *shell, struct window *window, const struct seat_press *press)
{
	if (!press->surface) {
		return press_frame(shell, window, press);
	}
	if (!(press->modifiers & CONFIG_SUPER)) {
		return false;
	}
	if (is_main(press)) {
		window_request_move(window, shell->seat, press->touch, press->touch_id);
		return true;
	}
	if (press->button == BTN_RIGHT) {
		window_request_resize(window, shell->seat, corner(window, press->at), false, 0);
		return true;
	}
	return false;
}

static void handle_press(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, press);
	struct seat_press *press = data;
	struct window *window = window_from_data(press->data);
	shell->typed = 0; /* a command, like Return */
	if (cycle_press(shell, press) || menu_press(shell, press) || overview_press(shell, press) ||
		message_press(shell, press->data)) {
		press->consumed = true;
		return;
	}
	if (bindings_press(shell, press->modifiers, press->button)) {
		press->consumed = true;
		return;
	}
	focus_data(shell, press->data);
	if (window) {
		press->consumed = press_window(shell, window, press);
	}
}

static void handle_pointer_moved(struct wl_listener *listener, void *data)
{
	struct shell *shell = wl_container_of(listener, shell, pointer_moved);
	struct scene_output *output = scene_output_nearest(shell->scene, shell->seat->pointer.at);
	if (output != shell->pointer_output) {
		shell->pointer_output = output;
		shell->output = output;
		signal_emit(&shell->events.workspaces, NULL);
	}
	pointer_hover(shell);
	cycle_hover(shell);
	overview_hover(shell);
}

void presses_init(struct shell *shell)
{
	shell->press.notify = handle_press;
	wl_signal_add(&shell->seat->events.press, &shell->press);
	shell->pointer_moved.notify = handle_pointer_moved;
	wl_signal_add(&shell->seat->pointer.events.moved, &shell->pointer_moved);
}

void presses_finish(struct shell *shell)
{
	wl_list_remove(&shell->press.link);
	wl_list_remove(&shell->pointer_moved.link);
}
