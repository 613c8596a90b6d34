/* SPDX-License-Identifier: MIT */
/* Iconic state: windows that their programs minimise and restore. */

#include "xwm.h"

void x_iconify(struct xwin *window)
{
	if (!window->window->minimized) {
		window_request_minimize(window->window);
		window->iconified = true;
	}
}

/* It gets no focus while the user types elsewhere, or looks at another workspace. */
bool x_deiconify(struct xwin *window)
{
	struct window *to = window->window;
	const struct shell *shell = to->shell;
	if (!window->iconified) {
		return false;
	}
	window_set_minimized(to, false);
	window_activate(
		to, to->workspace->shown && !shell->locked && !window_interrupts_typing(to));
	return true;
}

/* A program that restores a window may change its initial state, as Tk does. */
void x_iconic_apply(struct xwin *window)
{
	const bool ended = window->was_iconic && !window->iconic;
	window->was_iconic = window->iconic;
	if (ended) {
		x_deiconify(window);
	}
}
