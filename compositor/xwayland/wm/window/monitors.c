/* SPDX-License-Identifier: MIT */
/*
 * Fullscreen windows over several outputs (_NET_WM_FULLSCREEN_MONITORS), which programs name by
 * their indices in XINERAMA.
 */

#include "scale.h"
#include "window.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xcb/xcbext.h>

/** Minor opcode of XINERAMA. */
#define QUERY_SCREENS 5

/** The reply of XINERAMA. */
struct screens {
	uint8_t pad[4];
	uint32_t length; /* of `boxes`, in units of 4 bytes */
	uint32_t n;
	uint8_t pad2[20];
	struct {
		int16_t x, y;
		uint16_t width, height;
	} boxes[];
};

void xwm_monitors_connect(struct xwm *wm)
{
	static const char name[] = "XINERAMA";
	xcb_query_extension_reply_t *reply = xcb_query_extension_reply(
		wm->x, xcb_query_extension(wm->x, sizeof(name) - 1, name), NULL);
	wm->xinerama = reply && reply->present ? reply->major_opcode : 0;
	free(reply);
}

/* Returns the output in the middle of a screen; NULL: none. */
static struct scene_output *find_output(
	const struct xwm *wm, const struct screens *screens, uint32_t index)
{
	if (index >= screens->n || screens->length < 2 * (index + 1)) {
		return NULL;
	}
	const int32_t x =
		xwm_from_root(wm, screens->boxes[index].x + screens->boxes[index].width / 2);
	const int32_t y =
		xwm_from_root(wm, screens->boxes[index].y + screens->boxes[index].height / 2);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = wm->parts->scene->outputs[i];
		const struct box box = output ? scene_output_box(output) : (struct box){0};
		if (box_contains_point(&box, x, y)) {
			return output;
		}
	}
	return NULL;
}

static void handle_screens(struct xwm *wm, void *data, uint32_t id, void *reply)
{
	struct xwin *window = xwin_find(wm, id);
	struct scene_output *span[WINDOW_SPAN];
	if (window) {
		window->monitors.asked = false;
	}
	if (!window || !window->window || !window->monitors.pending || !reply) {
		return;
	}
	window->monitors.pending = false;
	for (int i = 0; i < WINDOW_SPAN; i++) {
		span[i] = find_output(wm, reply, window->monitors.indices[i]);
		if (!span[i]) {
			return;
		}
	}
	if (window_set_span(window->window, span)) {
		window->monitors.set = true;
		xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, id,
			wm->atoms[X__NET_WM_FULLSCREEN_MONITORS], XCB_ATOM_CARDINAL, 32,
			WINDOW_SPAN, window->monitors.indices);
	}
}

void xwin_monitors_read(struct xwin *window)
{
	struct xwm *wm = window->wm;
	struct {
		uint8_t major, minor;
		uint16_t length;
	} query = {.major = wm->xinerama, .minor = QUERY_SCREENS};
	const xcb_protocol_request_t request = {.count = 1, .opcode = wm->xinerama};
	/* libxcb writes to the two places before the first. */
	struct iovec parts[3] = {[2] = {&query, sizeof(query)}};
	if (wm->xinerama && window->window && window->monitors.pending && !window->monitors.asked) {
		window->monitors.asked = true;
		xwm_reply_expect(wm, xcb_send_request(wm->x, 0, parts + 2, &request),
			handle_screens, NULL, window->id);
	}
}

void xwin_monitors_request(struct xwin *window, const uint32_t *indices)
{
	memcpy(window->monitors.indices, indices, sizeof(window->monitors.indices));
	window->monitors.pending = true;
	xwin_monitors_read(window);
}

void xwin_monitors_send(struct xwin *window)
{
	if (window->monitors.set && !window_has_span(window->window)) {
		window->monitors.set = false;
		xcb_delete_property(window->wm->x, window->id,
			window->wm->atoms[X__NET_WM_FULLSCREEN_MONITORS]);
	}
}
