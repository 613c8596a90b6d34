/* SPDX-License-Identifier: MIT */
/*
 * Switching between windows in the order of last use while a modifier is held. The switcher appears
 * after a moment, and the selected window gets the focus when the modifier is released.
 */

#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/windows/windows.h"
#include "switcher.h"
#include "util/xalloc.h"
#include "views.h"
#include <stdlib.h>
#include <string.h>

/** Time (ns) until the switcher appears: a short press switches without it. */
#define DELAY INT64_C(120000000)

struct shell_cycle {
	enum shell_node_kind kind; /* for scene hits */
	struct keyboard_grab grab;
	struct shell *shell;
	struct timer timer;
	struct window **windows; /* most recently used first */
	int n, selected;
	uint32_t modifiers; /* one of them is held until the end */
	struct dropped_keys dropped;
	struct wl_listener before_unmap;
	bool accepted; /* the selected window gets the focus */
	struct switcher *view; /* NULL: not shown yet */
	struct coord_global
		at; /* of the pointer when the view appeared: it selects when it moves */
};

/* Returns true for windows that can be switched to: parents of modal dialogs cannot. */
static bool is_eligible(struct window *window)
{
	return !(window->private->scratchpad && window->minimized) && !window->private->no_focus &&
	       window->workspace && window->workspace->shown && focus_target(window) == window;
}

static void list_windows(struct shell_cycle *cycle)
{
	struct shell *shell = cycle->shell;
	struct window *window;
	cycle->windows =
		xcalloc((size_t)wl_list_length(&shell->windows) + 1, sizeof(struct window *));
	wl_list_for_each (window, &shell->windows, link) {
		if (window == shell->focus) {
			memmove(cycle->windows + 1, cycle->windows,
				(size_t)cycle->n++ * sizeof(struct window *));
			cycle->windows[0] = window;
		} else if (is_eligible(window)) {
			cycle->windows[cycle->n++] = window;
		}
	}
}

static void show(struct shell_cycle *cycle)
{
	struct scene_output *output = shell_active_output(cycle->shell);
	switcher_destroy(cycle->view);
	cycle->at = cycle->shell->seat->pointer.at;
	cycle->view = output ? switcher_create(cycle->shell, output, cycle->windows, cycle->n,
				       cycle->selected, cycle)
			     : NULL;
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct shell_cycle *cycle = wl_container_of(timer, cycle, timer);
	show(cycle);
}

static void destroy(struct shell_cycle *cycle)
{
	switcher_destroy(cycle->view);
	wl_list_remove(&cycle->before_unmap.link);
	timer_finish(&cycle->timer);
	free(cycle->windows);
	free(cycle);
}

static void end(struct shell *shell, bool accepted)
{
	if (shell->private->cycle) {
		shell->private->cycle->accepted = accepted;
		keyboard_end_grab(shell->seat);
	}
}

void cycle_finish(struct shell *shell)
{
	end(shell, true);
}

void cycle_cancel(struct shell *shell)
{
	end(shell, false);
}

static void handle_modifiers(struct keyboard_grab *grab)
{
	const struct shell_cycle *cycle = wl_container_of(grab, cycle, grab);
	if ((grab->seat->keyboard.modifiers.depressed & cycle->modifiers) == 0) {
		cycle_finish(cycle->shell);
	}
}

bool dropped_keys_take(struct dropped_keys *keys, const struct input_key_event *event)
{
	if (event->pressed) {
		if (keys->n < DROPPED_KEYS_MAX) {
			keys->codes[keys->n++] = event->key;
		}
		return true;
	}
	for (int i = 0; i < keys->n; i++) {
		if (keys->codes[i] == event->key) {
			keys->codes[i] = keys->codes[--keys->n];
			return true;
		}
	}
	return false;
}

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct shell_cycle *cycle = wl_container_of(grab, cycle, grab);
	if (!dropped_keys_take(&cycle->dropped, event)) {
		keyboard_send_key(grab->seat, event);
	}
}

static void handle_end(struct keyboard_grab *grab)
{
	struct shell_cycle *cycle = wl_container_of(grab, cycle, grab);
	struct window *window = cycle->accepted ? cycle->windows[cycle->selected] : NULL;
	cycle->shell->private->cycle = NULL;
	destroy(cycle);
	if (window) {
		window_focus(window);
	}
}

static const struct keyboard_grab_impl grab_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_end,
};

static void select_window(struct shell_cycle *cycle, int selected)
{
	cycle->selected = selected;
	if (cycle->view && !switcher_select(cycle->view, selected)) {
		show(cycle);
	}
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	struct shell_cycle *cycle = wl_container_of(listener, cycle, before_unmap);
	int i = 0;
	while (i < cycle->n && cycle->windows[i] != data) {
		i++;
	}
	if (i == cycle->n) {
		return;
	}
	cycle->n--;
	memmove(cycle->windows + i, cycle->windows + i + 1,
		(size_t)(cycle->n - i) * sizeof(struct window *));
	if (cycle->n == 0) {
		cycle_cancel(cycle->shell);
		return;
	}
	cycle->selected -= cycle->selected > i || cycle->selected == cycle->n;
	if (cycle->view) {
		show(cycle);
	}
}

static struct shell_cycle *create(struct shell *shell)
{
	struct shell_cycle *cycle = xcalloc(1, sizeof(*cycle));
	cycle->kind = SHELL_NODE_SWITCHER;
	cycle->shell = shell;
	timer_init(&cycle->timer, shell->clock, handle_timer);
	signal_add(&shell->events.before_unmap, &cycle->before_unmap, handle_before_unmap);
	list_windows(cycle);
	return cycle;
}

static void advance(struct shell_cycle *cycle, int by)
{
	select_window(cycle, (cycle->selected + by + cycle->n) % cycle->n);
}

static void start(struct shell *shell, bool back)
{
	struct shell_cycle *cycle = create(shell);
	const uint32_t held = shell->seat->keyboard.modifiers.depressed;
	const bool focused = cycle->n > 0 && cycle->windows[0] == shell->focus;
	if (cycle->n == 0 || (focused && cycle->n == 1)) {
		destroy(cycle);
		return;
	}
	cycle->selected = back ? cycle->n - 1 : focused ? 1 : 0;
	if (held == 0) {
		struct window *window = cycle->windows[cycle->selected];
		destroy(cycle);
		window_focus(window);
		return;
	}
	cycle->modifiers = held & ~(uint32_t)CONFIG_SHIFT ? held & ~(uint32_t)CONFIG_SHIFT : held;
	cycle->grab.impl = &grab_impl;
	timer_arm(&cycle->timer, clock_now(shell->clock) + DELAY);
	keyboard_start_grab(shell->seat, &cycle->grab);
	shell->private->cycle = cycle;
}

void cycle_step(struct shell *shell, bool back)
{
	if (shell->locked) {
		return;
	}
	if (shell->private->cycle) {
		advance(shell->private->cycle, back ? -1 : 1);
	} else {
		start(shell, back);
	}
}

bool cycle_key(struct shell *shell, xkb_keysym_t sym)
{
	struct shell_cycle *cycle = shell->private->cycle;
	if (!cycle) {
		return false;
	}
	const int row = cycle->view ? switcher_get_layout(cycle->view)->columns : 1;
	switch (sym) {
	case XKB_KEY_Escape: cycle_cancel(shell); return true;
	case XKB_KEY_Return:
	case XKB_KEY_KP_Enter: cycle_finish(shell); return true;
	case XKB_KEY_Left: advance(cycle, -1); return true;
	case XKB_KEY_Right: advance(cycle, 1); return true;
	case XKB_KEY_Up:
	case XKB_KEY_Down: {
		const int next = cycle->selected + (sym == XKB_KEY_Up ? -row : row);
		if (next >= 0 && next < cycle->n) {
			select_window(cycle, next);
		}
		return true;
	}
	default: return false;
	}
}

/* Returns the window under a point of the view, or -1. */
static int window_at(const struct shell_cycle *cycle, struct coord_global at)
{
	return cycle && cycle->view
		       ? switcher_window_at(switcher_get_layout(cycle->view), at.x, at.y)
		       : -1;
}

bool cycle_press(struct shell *shell, const struct seat_press *press)
{
	struct shell_cycle *cycle = shell->private->cycle;
	if (!cycle) {
		return false;
	}
	const bool inside = press->data == cycle;
	const int i = inside ? window_at(cycle, press->at) : -1;
	if (i >= 0) {
		cycle->selected = i;
		cycle_finish(shell);
	} else if (!inside) {
		cycle_cancel(shell);
	}
	return inside;
}

void cycle_hover(struct shell *shell)
{
	const struct coord_global at = shell->seat->pointer.at;
	struct shell_cycle *cycle = shell->private->cycle;
	const int i = window_at(cycle, at);
	/* The scene also reports pointers that have not moved, after each of its changes. */
	if (i >= 0 && (at.x != cycle->at.x || at.y != cycle->at.y)) {
		cycle->at = at;
		select_window(cycle, i);
	}
}
