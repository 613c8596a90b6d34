/* SPDX-License-Identifier: MIT */
/*
 * Icons of X windows (_NET_WM_ICON): images of several sizes in one property, of which only the
 * small ones are read, an image at a time and for one window at a time.
 */

#include "icon.h"
#include "shell/icon.h"
#include "util/account.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/xwm.h"
#include <stdlib.h>

/** Values before the pixels: width and height. */
#define HEADER 2

static void read_header(struct xwm *wm);

/* Replies */

static void request(struct xwm *wm, uint32_t offset, uint32_t length,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply))
{
	xcb_get_property_cookie_t cookie = xcb_get_property(wm->x, 0, wm->icons->window->id,
		wm->atoms[X__NET_WM_ICON], XCB_GET_PROPERTY_TYPE_ANY, offset, length);
	xwm_reply_expect(wm, cookie.sequence, handle, NULL, wm->icons->round);
}

/* Returns the values if the reply has as many, else NULL. */
static const uint32_t *values_of(const xcb_get_property_reply_t *reply, uint32_t n)
{
	return reply && reply->format == 32 &&
			       xcb_get_property_value_length(reply) == (int)(n * sizeof(uint32_t))
		       ? xcb_get_property_value(reply)
		       : NULL;
}

static void handle_pixels(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_icons *icons = wm->icons;
	if (number != icons->round || !icons->window) {
		return;
	}
	const uint32_t *pixels = values_of(reply, icons->size * icons->size);
	if (pixels) {
		xwm_icon_add_image(wm, pixels);
	}
	read_header(wm);
}

static void read_pixels(struct xwm *wm, uint32_t offset, uint32_t size)
{
	wm->icons->size = size;
	request(wm, offset, size * size, handle_pixels);
}

static void finish(struct xwm *wm)
{
	struct x_icons *icons = wm->icons;
	if (icons->icon->n_images == 0 && icons->last_size) {
		const uint32_t size = icons->last_size;
		icons->last_size = 0;
		icons->n_images = ICON_IMAGES_MAX; /* the last one */
		read_pixels(wm, icons->last_offset, size);
		return;
	}
	if (icons->icon->n_images == 0 && icons->window->icon.pixmap != XCB_NONE) {
		xwm_icon_read_pixmap(wm);
	} else {
		xwm_icon_finish(wm);
	}
}

static void handle_header(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_icons *icons = wm->icons;
	if (number != icons->round || !icons->window) {
		return;
	}
	const uint32_t *size = values_of(reply, HEADER);
	if (!size || size[0] == 0 || size[1] == 0 || size[0] > ICON_SIZE_MAX ||
		size[1] > ICON_SIZE_MAX) {
		icons->n_images = ICON_IMAGES_MAX;
		finish(wm);
		return;
	}
	const uint32_t pixels = icons->offset + HEADER, width = size[0];
	const bool square = width == size[1];
	icons->n_images++;
	icons->offset = pixels + width * size[1];
	if (square && width <= X_ICON_SIZE_MAX) {
		read_pixels(wm, pixels, width);
		return;
	}
	if (square && width <= SIZE_LAST && (!icons->last_size || width < icons->last_size)) {
		icons->last_offset = pixels;
		icons->last_size = width;
	}
	read_header(wm);
}

static void read_header(struct xwm *wm)
{
	if (wm->icons->n_images >= ICON_IMAGES_MAX) {
		finish(wm);
		return;
	}
	request(wm, wm->icons->offset, HEADER, handle_header);
}

void xwm_icons_send(struct xwm *wm)
{
	struct x_icons *icons = wm->icons;
	if (!xwm_icons_dirty(wm)) {
		return;
	}
	struct xwin *window = wl_container_of(icons->waiting.next, window, icon.link);
	wl_list_remove(&window->icon.link);
	wl_list_init(&window->icon.link);
	icons->window = window;
	icons->icon = icon_create(wm->account);
	icons->offset = icons->last_size = 0;
	icons->n_images = 0;
	read_header(wm);
}

bool xwm_icons_dirty(const struct xwm *wm)
{
	return !wm->icons->window && !wl_list_empty(&wm->icons->waiting);
}

void xwin_icon_changed(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (window->window && wl_list_empty(&window->icon.link)) {
		wl_list_insert(wm->icons->waiting.prev, &window->icon.link);
		xwm_flush_soon(wm);
	}
}

void xwin_icon_forget(struct xwin *window)
{
	struct xwm *wm = window->wm;
	wl_list_remove(&window->icon.link);
	wl_list_init(&window->icon.link);
	if (wm->icons && wm->icons->window == window) {
		xwm_icon_stop(wm);
		xwm_flush_soon(wm);
	}
}

void xwm_icons_create(struct xwm *wm)
{
	wm->icons = xcalloc(1, sizeof(*wm->icons));
	wl_list_init(&wm->icons->waiting);
}

void xwm_icons_destroy(struct xwm *wm)
{
	struct wl_list *waiting = &wm->icons->waiting;
	while (!wl_list_empty(waiting)) {
		struct wl_list *link = waiting->next;
		wl_list_remove(link);
		wl_list_init(link);
	}
	icon_unref(wm->icons->icon);
	free(wm->icons->canvas);
	free(wm->icons);
	wm->icons = NULL;
}
