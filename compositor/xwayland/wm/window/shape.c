/* SPDX-License-Identifier: MIT */
/*
 * Bounding shapes of X windows: the surface is clipped to them. Xwayland sends input shapes itself,
 * as input regions.
 */

#include "shape.h"
#include "scene/scene.h"
#include "surface/surface.h"
#include "util/account.h"
#include "util/log.h"
#include "util/region.h"
#include "util/xalloc.h"
#include "window.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/xwm.h"
#include <stdlib.h>
#include <xcb/shape.h>

/** Rectangles of a shape at most; with more, a window is shown as a whole. */
#define RECTANGLES_MAX 8192
/** Shapes of an X server that may exceed that: each costs the event loop the time to receive it. */
#define REFUSALS_MAX 16
/** Rectangles of a reply at most: 8 bytes each. */
#define REPLY_MAX (16 << 20)

void xwm_shape_connect(struct xwm *wm)
{
	const xcb_query_extension_reply_t *shape = xcb_get_extension_data(wm->x, &xcb_shape_id);
	wm->shape_event = shape && shape->present ? shape->first_event : 0;
}

void xwin_shape_watch(struct xwin *window)
{
	/* The client may have set a shape before this. */
	window->shape.changed = window->wm->shape_event != 0;
	if (window->shape.changed) {
		xcb_shape_select_input(window->wm->x, window->id, 1);
	}
}

void xwin_shape_apply(struct xwin *window)
{
	if (window->surface) {
		scene_surface_set_clip(
			window->surface, window->shape.set ? &window->shape.region : NULL);
	}
}

void xwin_shape_forget(struct xwin *window)
{
	if (window->surface) {
		scene_surface_set_clip(window->surface, NULL);
	}
	if (window->shape.set) {
		account_uncharge(window->wm->account, ACCOUNT_BYTES,
			(int64_t)region_bytes(&window->shape.region));
		pixman_region32_fini(&window->shape.region);
		window->shape.set = false;
	}
}

static void take(struct xwin *window, const xcb_rectangle_t *rectangles, int n)
{
	pixman_box32_t *boxes = xcalloc((size_t)n + 1, sizeof(*boxes));
	for (int i = 0; i < n; i++) {
		const xcb_rectangle_t *from = &rectangles[i];
		boxes[i] = (pixman_box32_t){
			from->x, from->y, from->x + from->width, from->y + from->height};
	}
	window->shape.set = pixman_region32_init_rects(&window->shape.region, boxes, n);
	free(boxes);
	if (window->shape.set) {
		account_charge(window->wm->account, ACCOUNT_BYTES,
			(int64_t)region_bytes(&window->shape.region));
	}
}

static void refuse(struct xwin *window)
{
	struct xwm *wm = window->wm;
	wm->n_shapes_refused++;
	log_info("X window %#x: its shape has more than %d rectangles: shown as a whole%s",
		window->id, RECTANGLES_MAX,
		wm->n_shapes_refused < REFUSALS_MAX
			? ""
			: "; further shapes of its X server are ignored");
}

/* Ends a request, and makes the next one. */
static void finish(struct xwin *window)
{
	window->shape.asked = false;
	xwin_shape_apply(window);
	xwin_unmanaged_applied(window); /* may have waited for this */
	xwin_shape_read(window);
}

static void handle_rectangles(struct xwm *wm, void *data, uint32_t id, void *reply)
{
	struct xwin *window = xwin_find(wm, id);
	if (!window) {
		return;
	}
	xwin_shape_forget(window);
	const int n = reply ? xcb_shape_get_rectangles_rectangles_length(reply) : 0;
	if (n > RECTANGLES_MAX) {
		refuse(window);
	} else if (reply) {
		take(window, xcb_shape_get_rectangles_rectangles(reply), n);
	}
	finish(window);
}

/*
 * Requests the rectangles if libxcb, which waits for a whole reply, can take all that fit into the
 * extents. Without a reply, the window is gone.
 */
static void handle_extents(struct xwm *wm, void *data, uint32_t id, void *reply)
{
	const xcb_shape_query_extents_reply_t *extents = reply;
	struct xwin *window = xwin_find(wm, id);
	if (!window) {
		return;
	}
	if (!extents || !extents->bounding_shaped) {
		xwin_shape_forget(window);
		finish(window);
		return;
	}
	const int64_t most = (extents->bounding_shape_extents_width + 1) / 2 *
			     (int64_t)extents->bounding_shape_extents_height;
	if (most > REPLY_MAX) {
		xwin_shape_forget(window);
		refuse(window);
		finish(window);
		return;
	}
	xwm_reply_expect(wm, xcb_shape_get_rectangles(wm->x, id, XCB_SHAPE_SK_BOUNDING).sequence,
		handle_rectangles, NULL, id);
}

void xwin_shape_read(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (!window->shape.changed || window->shape.asked || !window->map_requested) {
		return;
	}
	window->shape.changed = false;
	if (wm->n_shapes_refused >= REFUSALS_MAX) {
		xwin_shape_forget(window);
		return;
	}
	window->shape.asked = true;
	xwm_reply_expect(wm, xcb_shape_query_extents(wm->x, window->id).sequence, handle_extents,
		NULL, window->id);
}

bool xwm_shape_event(struct xwm *wm, const xcb_generic_event_t *event)
{
	if (!wm->shape_event || event->response_type != wm->shape_event + XCB_SHAPE_NOTIFY) {
		return false;
	}
	const xcb_shape_notify_event_t *notify = (const void *)event;
	struct xwin *window = xwin_find(wm, notify->affected_window);
	if (window && notify->shape_kind == XCB_SHAPE_SK_BOUNDING) {
		window->shape.changed = true;
		xwin_shape_read(window);
	}
	return true;
}
