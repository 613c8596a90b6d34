/* SPDX-License-Identifier: MIT */
/*
 * Images of the icon that is read, charged to the X server's account, and the end of its reading.
 */

#include "buffer/buffer.h"
#include "buffer/image_buffer.h"
#include "icon.h"
#include "shell/icon.h"
#include "util/account.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/request.h"
#include <stdlib.h>

/** An image, charged to the X server's account. */
struct charge {
	struct account *account;
	int64_t bytes;
	struct wl_listener destroy;
};

static void handle_image_destroy(struct wl_listener *listener, void *data)
{
	struct charge *charge = wl_container_of(listener, charge, destroy);
	wl_list_remove(&charge->destroy.link);
	account_uncharge(charge->account, ACCOUNT_BYTES, charge->bytes);
	account_unref(charge->account);
	free(charge);
}

static uint32_t premultiply(uint32_t pixel)
{
	const uint32_t alpha = pixel >> 24;
	uint32_t result = alpha << 24;
	for (int shift = 0; shift < 24; shift += 8) {
		result |= ((pixel >> shift & 255) * alpha + 127) / 255 << shift;
	}
	return result;
}

void xwm_icon_add_image(struct xwm *wm, const uint32_t *pixels)
{
	struct x_icons *icons = wm->icons;
	const int size = (int)icons->size;
	pixman_image_t *image =
		pixman_image_create_bits(PIXMAN_a8r8g8b8, size, size, NULL, size * 4);
	if (!image) {
		return;
	}
	uint32_t *to = pixman_image_get_data(image);
	for (int i = 0; i < size * size; i++) {
		to[i] = premultiply(pixels[i]);
	}
	struct buffer *buffer = image_buffer_create(image);
	struct charge *charge = xcalloc(1, sizeof(*charge));
	charge->account = account_ref(wm->account);
	charge->bytes = (int64_t)size * size * 4;
	account_charge(charge->account, ACCOUNT_BYTES, charge->bytes);
	signal_add(&buffer->events.destroy, &charge->destroy, handle_image_destroy);
	icon_add_image(icons->icon, buffer, 1);
	buffer_drop(buffer);
}

void xwm_icon_stop(struct xwm *wm)
{
	struct x_icons *icons = wm->icons;
	icon_unref(icons->icon);
	icons->icon = NULL;
	icons->window = NULL;
	free(icons->canvas);
	icons->canvas = NULL;
	icons->round++;
}

void xwm_icon_finish(struct xwm *wm)
{
	struct x_icons *icons = wm->icons;
	struct xwin *window = icons->window;
	if (window->window) {
		window_set_icon(window->window, icon_is_empty(icons->icon) ? NULL : icons->icon);
	}
	xwm_icon_stop(wm);
	xwm_flush_soon(wm);
}
