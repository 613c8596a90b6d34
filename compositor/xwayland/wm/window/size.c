/* SPDX-License-Identifier: MIT */
/* Sizes of managed X windows: of the shell, and of their clients. */

#include "size.h"
#include "scale.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"

bool xwin_is_floating(const struct xwin *window)
{
	return !(window->window->states & (WINDOW_MAXIMIZED | WINDOW_FULLSCREEN | WINDOW_TILED));
}

/* Returns the client's own size if it is this logical one, so that it can be restored exactly. */
static int32_t prefer_own(const struct xwin *window, int32_t own, int32_t logical, int32_t size)
{
	return xwin_size_from_window(window, own) == logical ? own : size;
}

void xwin_choose_size(struct xwin *window, struct box *box)
{
	const bool own = window->configure.width <= 0 || window->configure.height <= 0;
	const bool floating = xwin_is_floating(window);
	window->modes.width = window->modes.height = 0;
	box->width = own ? window->own_width : window->configure.width;
	box->height = own ? window->own_height : window->configure.height;
	if (!own) {
		xwin_size_to_window(window, floating, box->x, box->y, &box->width, &box->height);
	}
	if (floating && !own) {
		box->width =
			prefer_own(window, window->own_width, window->configure.width, box->width);
		box->height = prefer_own(
			window, window->own_height, window->configure.height, box->height);
	}
	const struct x_size_hints none = {0};
	xwm_size_hints_constrain(floating ? &window->hints : &none, &box->width, &box->height);
	window->logical_width = window->configure.width;
	window->logical_height = window->configure.height;
	if (own || floating) {
		window->logical_width = xwin_size_from_window(window, box->width);
		window->logical_height = xwin_size_from_window(window, box->height);
	}
}

void xwin_next_size(struct xwin *window, int32_t *width, int32_t *height)
{
	struct box box = window->box;
	if (window->dirty & X_DIRTY_SIZE) {
		window_next_position(window->window, &box.x, &box.y);
		xwin_choose_size(window, &box);
	}
	*width = box.width;
	*height = box.height;
}

void xwin_set_client_size(struct xwin *window, int32_t width, int32_t height)
{
	xwm_size_hints_constrain(&window->hints, &width, &height);
	const uint32_t values[2] = {(uint32_t)width, (uint32_t)height};
	xcb_configure_window(window->wm->x, window->id,
		XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
	window->box.width = window->own_width = width;
	window->box.height = window->own_height = height;
	window->logical_width = xwin_size_from_window(window, width);
	window->logical_height = xwin_size_from_window(window, height);
	/* A size of the shell that is not sent or not drawn yet is obsolete. */
	window->dirty &= ~(uint32_t)X_DIRTY_SIZE;
	window->sync.deferred &= ~(uint32_t)X_DIRTY_SIZE;
	window->sent.width = width;
	window->sent.height = height;
}
