/* SPDX-License-Identifier: MIT */
/* Parents of windows: WM_TRANSIENT_FOR, and groups of WM_HINTS. */

#include "window.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"

/* Returns the window of the same group that the user focused last: dialogs may belong to groups. */
static struct xwin *find_in_group(const struct xwin *window)
{
	const struct wl_list *windows = &window->wm->parts->shell->windows;
	const struct window *each;
	wl_list_for_each (each, windows, link) {
		struct xwin *found = xwin_from_window(window->wm, each);
		if (found && found != window && found->group == window->group &&
			found->type == X_TYPE_NORMAL) {
			return found;
		}
	}
	return NULL;
}

static struct xwin *find_parent(const struct xwin *window)
{
	const bool named = window->transient_for != XCB_WINDOW_NONE &&
			   window->transient_for != window->wm->root;
	if (named || window->group == XCB_WINDOW_NONE) {
		return xwin_find(window->wm, window->transient_for);
	}
	const bool dialog = window->type == X_TYPE_DIALOG || window->type == X_TYPE_UTILITY ||
			    window->transient_for == window->wm->root;
	return dialog ? find_in_group(window) : NULL;
}

void xwin_parent_apply(struct xwin *window)
{
	struct xwin *owner = find_parent(window);
	struct window *parent = owner && owner->wm == window->wm ? owner->window : NULL;
	for (const struct window *up = parent; up; up = up->parent) {
		if (up == window->window) {
			return;
		}
	}
	if (!parent || window_family_has_room(window->window, parent)) {
		window_set_parent(window->window, parent);
	}
}

void xwin_parent_adopt(struct xwin *parent)
{
	struct xwin *window;
	wl_list_for_each (window, &parent->wm->windows, link) {
		if (window->window && window->transient_for == parent->id) {
			xwin_parent_apply(window);
		}
	}
}
