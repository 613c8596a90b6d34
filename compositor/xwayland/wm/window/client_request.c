/* SPDX-License-Identifier: MIT */
/* Requests of clients for a place, a size and an order: ICCCM 4.1.5 and their messages of EWMH. */

#include "client_request.h"
#include "focus.h"
#include "order.h"
#include "scale.h"
#include "shell/stack.h"
#include "size.h"
#include "window.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include "xwayland/wm/hints/hints.h"

/** The bits of a ConfigureRequest's value mask that have a meaning. */
#define CONFIGURE_FIELDS 0x7f
#define MOVE (XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y)
#define RESIZE (XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT)

/* Windows that are not managed */

/* Grants the request as it is. */
static void grant(struct xwm *wm, const xcb_configure_request_event_t *event)
{
	uint32_t values[7];
	int n = 0;
	const uint16_t mask = event->value_mask & CONFIGURE_FIELDS;
	const struct {
		uint16_t bit;
		uint32_t value;
	} fields[] = {
		{XCB_CONFIG_WINDOW_X, (uint32_t)event->x},
		{XCB_CONFIG_WINDOW_Y, (uint32_t)event->y},
		{XCB_CONFIG_WINDOW_WIDTH, event->width},
		{XCB_CONFIG_WINDOW_HEIGHT, event->height},
		{XCB_CONFIG_WINDOW_BORDER_WIDTH, event->border_width},
		{XCB_CONFIG_WINDOW_SIBLING, event->sibling},
		{XCB_CONFIG_WINDOW_STACK_MODE, event->stack_mode},
	};
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (mask & fields[i].bit) {
			values[n++] = fields[i].value;
		}
	}
	xwin_granted(wm, event, xcb_configure_window(wm->x, event->window, mask, values).sequence);
}

/* Order */

static bool overlap(const struct xwin *a, const struct xwin *b)
{
	struct box both;
	return box_intersect(&both, &a->box, &b->box);
}

/* Returns whether a window, or any with NULL, lies over (`above`) or under another one. */
static bool is_in_the_way(const struct xwin *window, const struct xwin *sibling, bool above)
{
	const struct xwin *each;
	bool passed = false;
	wl_list_for_each (each, &window->wm->stack, stack_link) {
		if (each == window) {
			passed = true;
		} else if (passed == above && (!sibling || each == sibling) &&
			   !each->window->minimized && overlap(each, window)) {
			return true;
		}
	}
	return false;
}

static bool lies_above(const struct xwin *window, const struct xwin *other)
{
	const struct xwin *each;
	wl_list_for_each (each, &window->wm->stack, stack_link) {
		if (each == window || each == other) {
			return each == other;
		}
	}
	return false;
}

/* Raises a window only while its client has the focus, so that others cannot cover that. */
static void stack(struct xwin *window, struct xwin *sibling, bool above)
{
	const bool focused = xwin_same_client(window, window->wm->focus.window);
	const bool lowers = !above && (!sibling || lies_above(window, sibling));
	if (focused || lowers) {
		window_stack(window->window, sibling ? sibling->window : NULL, above);
	}
}

void xwin_restack(struct xwin *window, xcb_window_t sibling_id, uint32_t mode)
{
	struct xwin *sibling = NULL;
	if (sibling_id != XCB_WINDOW_NONE) {
		sibling = xwin_find(window->wm, sibling_id);
		if (!sibling || !sibling->window || sibling == window) {
			return; /* override-redirect windows are above all others */
		}
	}
	xwm_order_update(window->wm);
	switch (mode) {
	case XCB_STACK_MODE_ABOVE:
	case XCB_STACK_MODE_BELOW: stack(window, sibling, mode == XCB_STACK_MODE_ABOVE); return;
	case XCB_STACK_MODE_TOP_IF:
	case XCB_STACK_MODE_OPPOSITE:
		if (is_in_the_way(window, sibling, true)) {
			stack(window, NULL, true);
			return;
		}
		break;
	default: break;
	}
	if ((mode == XCB_STACK_MODE_BOTTOM_IF || mode == XCB_STACK_MODE_OPPOSITE) &&
		is_in_the_way(window, sibling, false)) {
		stack(window, NULL, false);
	}
}

/* Place and size */

/* Returns how much of the growth lies before the reference point of gravity, in halves. */
static int growth_before(uint32_t gravity, bool down)
{
	switch (gravity) {
	case XCB_GRAVITY_NORTH: return down ? 0 : 1;
	case XCB_GRAVITY_NORTH_EAST: return down ? 0 : 2;
	case XCB_GRAVITY_WEST: return down ? 1 : 0;
	case XCB_GRAVITY_CENTER: return 1;
	case XCB_GRAVITY_EAST: return down ? 1 : 2;
	case XCB_GRAVITY_SOUTH_WEST: return down ? 2 : 0;
	case XCB_GRAVITY_SOUTH: return down ? 2 : 1;
	case XCB_GRAVITY_SOUTH_EAST: return 2;
	default: return 0;
	}
}

/* ICCCM 4.1.2.3: the reference point stays where it is. */
static void resize(
	struct xwin *window, const xcb_configure_request_event_t *request, uint32_t gravity)
{
	const uint16_t mask = request->value_mask;
	const int32_t width = window->logical_width, height = window->logical_height;
	struct window *to = window->window;
	xwin_set_client_size(window,
		mask & XCB_CONFIG_WINDOW_WIDTH ? request->width : window->box.width,
		mask & XCB_CONFIG_WINDOW_HEIGHT ? request->height : window->box.height);
	const int before = growth_before(gravity, false), above = growth_before(gravity, true);
	if (!(mask & MOVE) && (before || above)) {
		int x, y;
		window_next_position(to, &x, &y);
		window_request_position(to, x - (window->logical_width - width) * before / 2,
			y - (window->logical_height - height) * above / 2);
	}
}

void xwin_managed_configure_request(
	struct xwin *window, const xcb_configure_request_event_t *request, uint32_t gravity)
{
	struct window *to = window->window;
	const uint16_t mask = request->value_mask;
	const bool free = xwin_is_floating(window) && !window_is_resizing(to);
	if (free && (mask & RESIZE)) {
		resize(window, request, gravity);
	}
	if (free && (mask & MOVE)) {
		const struct frame_extents frame = xwin_frame(window);
		const struct xwm *wm = window->wm;
		int32_t x = request->x, y = request->y;
		xwm_size_hints_place(gravity, &frame, &x, &y);
		window_request_position(to,
			mask & XCB_CONFIG_WINDOW_X ? xwm_from_root(wm, x) : to->x,
			mask & XCB_CONFIG_WINDOW_Y ? xwm_from_root(wm, y) : to->y);
	}
	if (mask & XCB_CONFIG_WINDOW_STACK_MODE) {
		xwin_restack(window,
			mask & XCB_CONFIG_WINDOW_SIBLING ? request->sibling : XCB_WINDOW_NONE,
			request->stack_mode);
	}
	xwin_mark(window, X_DIRTY_POSITION | X_DIRTY_SYNTHETIC);
}

void xwm_configure_request(struct xwm *wm, const xcb_configure_request_event_t *request)
{
	struct xwin *window = xwin_find(wm, request->window);
	if (window && window->window) {
		xwin_managed_configure_request(window, request, window->hints.gravity);
	} else {
		grant(wm, request);
	}
}

/* Bits 8 to 11 say which values are given; the lowest byte is the gravity, 0: the window's. */
void xwin_moveresize_request(struct xwin *window, const uint32_t *data)
{
	const uint32_t gravity = data[0] & 0xff;
	const xcb_configure_request_event_t request = {
		.window = window->id,
		.x = (int16_t)data[1],
		.y = (int16_t)data[2],
		.width = (uint16_t)data[3],
		.height = (uint16_t)data[4],
		.value_mask = data[0] >> 8 & 0xf, /* the order is that of ConfigureWindow */
	};
	if (window->window) {
		xwin_managed_configure_request(
			window, &request, gravity ? gravity : window->hints.gravity);
	} else if (window->map_requested && !window->override_redirect &&
		   !((request.value_mask & RESIZE) && (!request.width || !request.height))) {
		grant(window->wm, &request);
		window->asked.gravity = request.value_mask & MOVE ? gravity : window->asked.gravity;
	}
}
