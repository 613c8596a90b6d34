/* SPDX-License-Identifier: MIT */
/*
 * Menus of X programs end by a click elsewhere, for which they grab the pointer. Xwayland hears
 * only of clicks on its own surfaces, so that others are repeated in the X server, by XTEST.
 */

#include "focus.h"
#include "scale.h"
#include "surface/surface.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include <assert.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <xcb/xcbext.h>

/** Minor opcode of XTEST, and its button. */
#define FAKE_INPUT 2
#define BUTTON 1

/** The request of XTEST. */
struct fake_input {
	uint8_t major, minor;
	uint16_t length;
	uint8_t type, button;
	uint8_t pad[2];
	uint32_t delay;
	xcb_window_t root;
	uint8_t pad2[8];
	int16_t x, y;
	uint8_t pad3[7];
	uint8_t device;
};

static_assert(sizeof(struct fake_input) == 36, "as in the protocol of XTEST");

void xwm_menus_connect(struct xwm *wm)
{
	static const char name[] = "XTEST";
	xcb_query_extension_reply_t *reply = xcb_query_extension_reply(
		wm->x, xcb_query_extension(wm->x, sizeof(name) - 1, name), NULL);
	wm->xtest = reply && reply->present ? reply->major_opcode : 0;
	free(reply);
}

static bool is_of(const struct xwm *wm, const struct surface *surface)
{
	return xwin_from_surface(wm, surface) != NULL;
}

/* Programs that see the release of a button themselves may be dragging something. */
static bool holds_button(const struct xwm *wm)
{
	const struct seat_pointer *pointer = &wm->parts->seat->pointer;
	return pointer->n_sent_presses > 0 && is_of(wm, pointer->focus);
}

void xwm_menus_dismiss(struct xwm *wm)
{
	if (wm->xtest && wm->unmanaged && !wl_list_empty(&wm->unmanaged->children) &&
		!holds_button(wm)) {
		wm->menus_dirty = true;
		xwm_flush_soon(wm);
	}
}

static void handle_press(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, press);
	const struct seat_press *press = data;
	if (!is_of(wm, press->surface)) {
		xwm_menus_dismiss(wm);
	}
}

void xwm_menus_watch(struct xwm *wm)
{
	signal_add(&wm->parts->seat->events.press, &wm->press, handle_press);
}

/* Returns whether a point of the X screen is outside of all menus. */
static bool is_outside(const struct xwm *wm, int32_t x, int32_t y)
{
	const struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		if (window->tree && x >= window->box.x && y >= window->box.y &&
			x - window->box.x < window->box.width &&
			y - window->box.y < window->box.height) {
			return false;
		}
	}
	return true;
}

/* Finds a corner of an output outside of all menus. Games that cover an output are no menus. */
static bool find_corner(const struct xwm *wm, int32_t *x, int32_t *y)
{
	for (int i = 0; i < 4 * SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = wm->parts->scene->outputs[i / 4];
		if (!output) {
			continue;
		}
		const struct box box = scene_output_box(output);
		*x = xwm_to_root(wm, box.x + (i & 1 ? box.width - 1 : 0));
		*y = xwm_to_root(wm, box.y + (i & 2 ? box.height - 1 : 0));
		if (is_outside(wm, *x, *y)) {
			return true;
		}
	}
	return false;
}

static void fake(struct xwm *wm, uint8_t type, int32_t x, int32_t y)
{
	struct fake_input input = {
		.major = wm->xtest,
		.minor = FAKE_INPUT,
		.type = type,
		.button = type == XCB_MOTION_NOTIFY ? 0 : BUTTON,
		.root = wm->root,
		.x = (int16_t)x,
		.y = (int16_t)y,
	};
	const xcb_protocol_request_t request = {.count = 1, .opcode = wm->xtest, .isvoid = 1};
	/* libxcb writes to the two places before the first. */
	struct iovec parts[3] = {[2] = {&input, sizeof(input)}};
	xcb_send_request(wm->x, 0, parts + 2, &request);
}

/* Clicks on the window manager's own window, so that no program takes the click for its own. */
void xwm_menus_send(struct xwm *wm)
{
	int32_t x, y;
	if (!wm->menus_dirty) {
		return;
	}
	wm->menus_dirty = false;
	if (!find_corner(wm, &x, &y)) {
		return;
	}
	const uint32_t values[3] = {(uint32_t)x, (uint32_t)y, XCB_STACK_MODE_ABOVE};
	xcb_configure_window(wm->x, wm->own,
		XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y | XCB_CONFIG_WINDOW_STACK_MODE, values);
	xcb_map_window(wm->x, wm->own);
	fake(wm, XCB_MOTION_NOTIFY, x, y);
	fake(wm, XCB_BUTTON_PRESS, x, y);
	fake(wm, XCB_BUTTON_RELEASE, x, y);
	xcb_unmap_window(wm->x, wm->own);
}
