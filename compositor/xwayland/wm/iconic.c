/* SPDX-License-Identifier: MIT */
/* Iconic state: windows that their programs minimise and restore. */

#include "iconic.h"
#include <string.h>
#include <xcb/xcb_icccm.h>

/** Values of WM_HINTS, and the place of the initial state. */
#define HINTS 9
#define STATE 2

void x_iconify(struct xwin *window)
{
	if (!window->window->minimized) {
		window_request_minimize(window->window);
		window->iconified = true;
		window->hints_renewed = false;
	}
}

/* The window gets no focus while the user types elsewhere, or looks at another workspace. */
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

void x_iconic_changed(struct xwin *window, enum x_property property)
{
	window->hints_renewed = window->hints_renewed || property == PROPERTY_HINTS;
}

/*
 * Tk sets the initial state to NormalState when it restores a window, which is mapped already for the X
 * server. Others change WM_HINTS of a minimised window for its urgency or icon, and have it stay minimised.
 */
void x_iconic_read(struct xwin *window, const uint32_t *values, int n)
{
	uint32_t hints[HINTS] = {0};
	const bool normal = n > STATE && (values[0] & XCB_ICCCM_WM_HINT_STATE) &&
			    values[STATE] == XCB_ICCCM_WM_STATE_NORMAL;
	for (int i = 0; i < n && i < HINTS; i++) {
		hints[i] = i == STATE ? 0 : values[i];
	}
	const bool same = memcmp(hints, window->wm_hints, sizeof(hints)) == 0;
	memcpy(window->wm_hints, hints, sizeof(hints));
	if (window->window && window->hints_renewed && normal && same) {
		x_deiconify(window);
	}
}
