/* SPDX-License-Identifier: MIT */
#pragma once

/** Icons of X windows: state that readers of _NET_WM_ICON and of WM_HINTS share. */

#include "xwayland/wm/base/xwm.h"

/** Largest images that are kept; one of up to SIZE_LAST replaces them if there are none. */
#define X_ICON_SIZE_MAX 128
#define SIZE_LAST 256

struct x_icons {
	struct wl_list waiting; /* xwin.icon_link */
	struct xwin *window; /* whose icon is read; NULL: none */
	struct icon *icon; /* of that window, as far as it was read */
	uint32_t round; /* replies for earlier windows are ignored */
	uint32_t offset; /* of the next image, in values */
	int n_images; /* seen so far */
	uint32_t size; /* of the image that is read */
	uint32_t width, height; /* of the pixmap of WM_HINTS */
	uint32_t *canvas; /* of the pixmap of WM_HINTS, `size` wide and high; NULL: none */
	uint32_t last_offset, last_size; /* of the smallest image above X_ICON_SIZE_MAX; 0: none */
};

/* icon.c */
void xwm_icons_create(struct xwm *wm);
void xwm_icons_destroy(struct xwm *wm);
/** Reads the icon of a window that waits for that. */
void xwm_icons_send(struct xwm *wm);
bool xwm_icons_dirty(const struct xwm *wm);
/** Has the icon of a window read, if the shell has the window. */
void xwin_icon_changed(struct xwin *window);
void xwin_icon_forget(struct xwin *window);

/* icon_image.c */
/** Adds an image of x_icons.size, not premultiplied. */
void xwm_icon_add_image(struct xwm *wm, const uint32_t *pixels);
/** Sets the icon of the window, and goes on to the next window. */
void xwm_icon_finish(struct xwm *wm);
/** Stops reading. */
void xwm_icon_stop(struct xwm *wm);

/* icon_pixmap.c */
/** Reads the pixmap of WM_HINTS, and calls xwm_icon_finish() afterwards. */
void xwm_icon_read_pixmap(struct xwm *wm);
