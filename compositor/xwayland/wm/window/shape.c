/* SPDX-License-Identifier: MIT */
/*
 * Shapes of X windows: the surface is clipped to the bounding shape, and takes input in the input
 * shape. Xwayland sends input shapes itself, as input regions, but only those that change while the
 * window is mapped, and with its next content.
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
	window->shape.changed = window->input_shape.changed = window->wm->shape_event != 0;
	if (window->shape.changed) {
		xcb_shape_select_input(window->wm->x, window->id, 1);
	}
}

static struct xwin_shape *shape_of(struct xwin *window, uint8_t kind)
{
	return kind == XCB_SHAPE_SK_INPUT ? &window->input_shape : &window->shape;
}

static const pixman_region32_t *region_of(const struct xwin_shape *shape)
{
	return shape->set ? &shape->region : NULL;
}

void xwin_shape_apply(struct xwin *window)
{
	if (window->surface) {
		scene_surface_set_clip(window->surface, region_of(&window->shape));
		scene_surface_set_input(window->surface, region_of(&window->input_shape));
	}
}

static void forget(struct xwin *window, uint8_t kind)
{
	struct xwin_shape *shape = shape_of(window, kind);
	if (!shape->set) {
		return;
	}
	account_uncharge(window->wm->account, ACCOUNT_BYTES, (int64_t)region_bytes(&shape->region));
	shape->set = false;
	xwin_shape_apply(window);
	pixman_region32_fini(&shape->region);
}

void xwin_shape_forget(struct xwin *window)
{
	forget(window, XCB_SHAPE_SK_BOUNDING);
	forget(window, XCB_SHAPE_SK_INPUT);
}

static void take(struct xwin *window, uint8_t kind, const xcb_rectangle_t *rectangles, int n)
{
	struct xwin_shape *shape = shape_of(window, kind);
	pixman_box32_t *boxes = xcalloc((size_t)n + 1, sizeof(*boxes));
	for (int i = 0; i < n; i++) {
		const xcb_rectangle_t *from = &rectangles[i];
		boxes[i] = (pixman_box32_t){
			from->x, from->y, from->x + from->width, from->y + from->height};
	}
	shape->set = pixman_region32_init_rects(&shape->region, boxes, n);
	free(boxes);
	if (shape->set) {
		account_charge(
			window->wm->account, ACCOUNT_BYTES, (int64_t)region_bytes(&shape->region));
	}
}

/* Takes input everywhere, although Xwayland may have sent an input region. */
static void take_all(struct xwin *window)
{
	static const xcb_rectangle_t all = {0, 0, UINT16_MAX, UINT16_MAX};
	take(window, XCB_SHAPE_SK_INPUT, &all, 1);
	xwin_shape_apply(window);
}

/* Windows without an input shape have their whole area: its size came before this. */
static bool is_whole(const struct xwin_shape *shape, const xcb_rectangle_t *rectangles, int n)
{
	return !shape->reported && n == 1 && rectangles->x == 0 && rectangles->y == 0 &&
	       rectangles->width == shape->width && rectangles->height == shape->height;
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

static void read_bounding(struct xwin *window);
static void read_input(struct xwin *window);

/* Ends a request, and makes the next one. */
static void finish(struct xwin *window, uint8_t kind)
{
	shape_of(window, kind)->asked = false;
	xwin_shape_apply(window);
	if (kind == XCB_SHAPE_SK_INPUT) {
		read_input(window);
		return;
	}
	xwin_unmanaged_applied(window); /* may have waited for this */
	read_bounding(window);
}

static void handle_rectangles(struct xwm *wm, void *data, uint32_t kind, void *reply)
{
	struct xwin *window = data;
	forget(window, (uint8_t)kind);
	const int n = reply ? xcb_shape_get_rectangles_rectangles_length(reply) : 0;
	const xcb_rectangle_t *rectangles = n ? xcb_shape_get_rectangles_rectangles(reply) : NULL;
	if (n > RECTANGLES_MAX) {
		refuse(window);
	} else if (reply && (kind == XCB_SHAPE_SK_BOUNDING ||
				    !is_whole(&window->input_shape, rectangles, n))) {
		take(window, (uint8_t)kind, rectangles, n);
	}
	finish(window, (uint8_t)kind);
}

static void handle_geometry(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_get_geometry_reply_t *geometry = reply;
	struct xwin *window = data;
	if (geometry && !window->input_shape.reported) {
		window->input_shape.width = geometry->width;
		window->input_shape.height = geometry->height;
	}
}

/* Requests the rectangles if libxcb, which waits for a whole reply, can take all that fit. */
static void ask_rectangles(struct xwin *window, uint8_t kind, uint16_t width, uint16_t height)
{
	struct xwm *wm = window->wm;
	const int64_t most = (width + 1) / 2 * (int64_t)height;
	if (most > REPLY_MAX) {
		forget(window, kind);
		refuse(window);
		finish(window, kind);
		return;
	}
	if (kind == XCB_SHAPE_SK_INPUT && !window->input_shape.reported) {
		xwin_reply_expect(
			window, xcb_get_geometry(wm->x, window->id).sequence, handle_geometry, 0);
	}
	xwin_reply_expect(window, xcb_shape_get_rectangles(wm->x, window->id, kind).sequence,
		handle_rectangles, kind);
}

/* Without a reply, the window is gone. */
static void handle_extents(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_shape_query_extents_reply_t *extents = reply;
	struct xwin *window = data;
	if (!extents || !extents->bounding_shaped) {
		forget(window, XCB_SHAPE_SK_BOUNDING);
		finish(window, XCB_SHAPE_SK_BOUNDING);
		return;
	}
	ask_rectangles(window, XCB_SHAPE_SK_BOUNDING, extents->bounding_shape_extents_width,
		extents->bounding_shape_extents_height);
}

static void handle_input_extents(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	const xcb_shape_query_extents_reply_t *extents = reply;
	struct xwin *window = data;
	if (extents) {
		ask_rectangles(window, XCB_SHAPE_SK_INPUT, extents->bounding_shape_extents_width,
			extents->bounding_shape_extents_height);
	}
}

/* The extents of an input shape can be requested of a window only that has it as bounding shape. */
static void ask_input_extents(struct xwin *window)
{
	struct xwm *wm = window->wm;
	xcb_shape_combine(wm->x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_BOUNDING, XCB_SHAPE_SK_INPUT,
		wm->own, 0, 0, window->id);
	xwin_reply_expect(
		window, xcb_shape_query_extents(wm->x, wm->own).sequence, handle_input_extents, 0);
	xcb_shape_mask(
		wm->x, XCB_SHAPE_SO_SET, XCB_SHAPE_SK_BOUNDING, wm->own, 0, 0, XCB_PIXMAP_NONE);
}

/* Changes are reported with the extents. */
static void read_input(struct xwin *window)
{
	struct xwin_shape *shape = &window->input_shape;
	if (!shape->changed || shape->asked || !window->map_requested) {
		return;
	}
	shape->changed = false;
	if (window->wm->n_shapes_refused >= REFUSALS_MAX) {
		forget(window, XCB_SHAPE_SK_INPUT);
	} else if (!shape->reported) {
		shape->asked = true;
		ask_input_extents(window);
	} else if (!shape->given) {
		forget(window, XCB_SHAPE_SK_INPUT);
		take_all(window);
	} else {
		shape->asked = true;
		ask_rectangles(window, XCB_SHAPE_SK_INPUT, shape->width, shape->height);
	}
}

static void read_bounding(struct xwin *window)
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
	xwin_reply_expect(
		window, xcb_shape_query_extents(wm->x, window->id).sequence, handle_extents, 0);
}

void xwin_shape_read(struct xwin *window)
{
	read_bounding(window);
	read_input(window);
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
		read_bounding(window);
	} else if (window && notify->shape_kind == XCB_SHAPE_SK_INPUT) {
		struct xwin_shape *shape = &window->input_shape;
		shape->changed = shape->reported = true;
		shape->given = notify->shaped;
		shape->width = notify->extents_width;
		shape->height = notify->extents_height;
		read_input(window);
	}
	return true;
}
