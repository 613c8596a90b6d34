/* SPDX-License-Identifier: MIT */
/* Presses and the pointer: dispatch, frames of windows, and drags with Super held. */

#include "input.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/look/look.h"
#include "shell/views/views.h"
#include "shell/windows/windows.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define DOUBLE_CLICK INT64_C(400000000)

struct presses {
	struct shell *shell;
	struct wl_listener press, release, moved;
	/** Last press on a title bar, to detect double clicks; ns. */
	int64_t title_press;
	struct window *title_window;
};

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
	struct presses *presses = shell->private->presses;
	int64_t now = clock_now(shell->clock);
	bool second = presses->title_window == window && now - presses->title_press < DOUBLE_CLICK;
	presses->title_window = second ? NULL : window;
	presses->title_press = now;
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
	const struct presses *presses = wl_container_of(listener, presses, press);
	struct shell *shell = presses->shell;
	struct seat_press *press = data;
	struct window *window = window_from_data(press->data);
	shell->private->typed = 0; /* a command, like Return */
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

static void handle_release(struct wl_listener *listener, void *data)
{
	const struct presses *presses = wl_container_of(listener, presses, release);
	const uint32_t *button = data;
	bindings_release(presses->shell, *button);
}

static void handle_pointer_moved(struct wl_listener *listener, void *data)
{
	const struct presses *presses = wl_container_of(listener, presses, moved);
	struct shell *shell = presses->shell;
	struct scene_output *output = scene_output_nearest(shell->scene, shell->seat->pointer.at);
	if (output != shell->private->pointer_output) {
		shell->private->pointer_output = output;
		shell->private->output = output;
		signal_emit(&shell->events.workspaces, NULL);
	}
	pointer_hover(shell);
	cycle_hover(shell);
	overview_hover(shell);
}

void presses_init(struct shell *shell)
{
	struct presses *presses = xcalloc(1, sizeof(*presses));
	shell->private->presses = presses;
	presses->shell = shell;
	signal_add(&shell->seat->events.press, &presses->press, handle_press);
	signal_add(&shell->seat->events.release, &presses->release, handle_release);
	signal_add(&shell->seat->pointer.events.moved, &presses->moved, handle_pointer_moved);
}

void presses_finish(struct shell *shell)
{
	struct presses *presses = shell->private->presses;
	wl_list_remove(&presses->press.link);
	wl_list_remove(&presses->release.link);
	wl_list_remove(&presses->moved.link);
	free(shell->private->presses);
}
