/* SPDX-License-Identifier: MIT */
/* Window switcher: steps through windows in the order of last use while a modifier is held. */

#include "internal.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct shell_cycle {
	struct keyboard_grab grab;
	struct shell *shell;
	bool grabbing;
};

static void end(struct shell_cycle *cycle)
{
	struct shell *shell = cycle->shell;
	shell->cycle = NULL;
	free(cycle);
	if (shell->focus) {
		/* Marks the final window as used last. */
		focus_set(shell, shell->focus);
	}
}

static void handle_modifiers(struct keyboard_grab *grab)
{
	if (grab->seat->keyboard.modifiers.depressed == 0) {
		keyboard_end_grab(grab->seat);
	}
}

/* Forwards releases: the focused window got the held keys when it was focused. */
static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	if (!event->pressed) {
		keyboard_send_key(grab->seat, event);
	}
}

static void handle_end(struct keyboard_grab *grab)
{
	struct shell_cycle *cycle = wl_container_of(grab, cycle, grab);
	end(cycle);
}

static const struct keyboard_grab_impl grab_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_end,
};

void cycle_finish(struct shell *shell)
{
	struct shell_cycle *cycle = shell->cycle;
	if (!cycle) {
		return;
	}
	if (cycle->grabbing) {
		keyboard_end_grab(shell->seat);
	} else {
		end(cycle);
	}
}

void cycle_forget(struct window *window)
{
	if (window->shell->focus == window) {
		cycle_finish(window->shell);
	}
}

static struct window *step(struct shell *shell, bool back)
{
	struct wl_list *at = shell->focus ? &shell->focus->link : &shell->windows;
	/* Once around; choosing a minimised window restores it. */
	int n = wl_list_length(&shell->windows) + 1;
	for (int i = 0; i < n; i++) {
		at = back ? at->prev : at->next;
		if (at == &shell->windows) {
			continue;
		}
		struct window *window = wl_container_of(at, window, link);
		if (!(window->scratchpad && window->minimized) && !window->no_focus &&
			focus_target(window) != shell->focus && window->workspace &&
			window->workspace->shown) {
			return window;
		}
	}
	return NULL;
}

void cycle_step(struct shell *shell, bool back)
{
	struct window *window = step(shell, back);
	if (!window) {
		return;
	}
	if (!shell->cycle && shell->seat->keyboard.modifiers.depressed != 0) {
		struct shell_cycle *cycle = xcalloc(1, sizeof(*cycle));
		cycle->grab.impl = &grab_impl;
		cycle->grab.seat = shell->seat;
		cycle->shell = shell;
		shell->cycle = cycle;
		cycle->grabbing = true;
		keyboard_start_grab(shell->seat, &cycle->grab);
	}
	window_focus(window);
}
