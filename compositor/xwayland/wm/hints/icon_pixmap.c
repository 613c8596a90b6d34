/* SPDX-License-Identifier: MIT */
/* Icons of WM_HINTS (ICCCM 4.1.2.4): a pixmap and a mask, for windows without _NET_WM_ICON. */

#include "icon.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/xwm.h"

#define OPAQUE UINT32_C(0xff000000)
#define WHITE UINT32_C(0xffffffff)

/** An image of the X server: 1 or 32 bits a pixel. */
struct x_image {
	const uint8_t *bytes;
	size_t stride;
	bool deep, first_is_high;
};

/* Returns false for an image of another format or size. */
static bool open_image(const struct xwm *wm, const xcb_get_image_reply_t *reply, uint32_t width,
	uint32_t height, struct x_image *image)
{
	const xcb_setup_t *setup = xcb_get_setup(wm->x);
	if (!reply || (reply->depth != 1 && reply->depth != 24 && reply->depth != 32)) {
		return false;
	}
	const size_t pad = setup->bitmap_format_scanline_pad;
	*image = (struct x_image){
		.bytes = xcb_get_image_data(reply),
		.deep = reply->depth != 1,
		.first_is_high = setup->bitmap_format_bit_order == XCB_IMAGE_ORDER_MSB_FIRST,
	};
	image->stride = image->deep ? width * sizeof(uint32_t) : (width + pad - 1) / pad * pad / 8;
	return (size_t)xcb_get_image_data_length(reply) >= image->stride * height;
}

static uint32_t read_pixel(const struct x_image *image, uint32_t x, uint32_t y)
{
	const uint8_t *row = image->bytes + y * image->stride;
	if (image->deep) {
		uint32_t pixel;
		__builtin_memcpy(&pixel, row + x * sizeof(pixel), sizeof(pixel));
		return pixel;
	}
	return row[x / 8] >> (image->first_is_high ? 7 - x % 8 : x % 8) & 1;
}

/* The pixmap lies in the middle of a square. */
static void handle_pixels(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_icons *icons = wm->icons;
	const uint32_t width = icons->width, height = icons->height;
	struct x_image image;
	if (number != icons->round || !icons->window) {
		return;
	}
	if (!open_image(wm, reply, width, height, &image)) {
		xwm_icon_finish(wm);
		return;
	}
	icons->size = width > height ? width : height;
	icons->canvas = xcalloc((size_t)icons->size * icons->size, sizeof(*icons->canvas));
	uint32_t *to = icons->canvas + (icons->size - height) / 2 * icons->size +
		       (icons->size - width) / 2;
	for (uint32_t y = 0; y < height; y++) {
		for (uint32_t x = 0; x < width; x++) {
			const uint32_t pixel = read_pixel(&image, x, y);
			to[y * icons->size + x] = image.deep ? pixel | OPAQUE
						  : pixel    ? OPAQUE
							     : WHITE;
		}
	}
}

static void handle_mask(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_icons *icons = wm->icons;
	struct x_image image;
	if (number != icons->round || !icons->window || !icons->canvas) {
		return;
	}
	const uint32_t width = icons->width, height = icons->height;
	if (open_image(wm, reply, width, height, &image)) {
		uint32_t *to = icons->canvas + (icons->size - height) / 2 * icons->size +
			       (icons->size - width) / 2;
		for (uint32_t i = 0; i < width * height; i++) {
			const uint32_t x = i % width, y = i / width;
			to[y * icons->size + x] &= read_pixel(&image, x, y) ? WHITE : 0;
		}
	}
	xwm_icon_add_image(wm, icons->canvas);
	xwm_icon_finish(wm);
}

static void request(struct xwm *wm, xcb_drawable_t drawable,
	void (*handle)(struct xwm *wm, void *data, uint32_t number, void *reply))
{
	const struct x_icons *icons = wm->icons;
	const xcb_get_image_cookie_t cookie = xcb_get_image(wm->x, XCB_IMAGE_FORMAT_Z_PIXMAP,
		drawable, 0, 0, (uint16_t)icons->width, (uint16_t)icons->height, UINT32_MAX);
	xwm_reply_expect(wm, cookie.sequence, handle, NULL, icons->round);
}

static void handle_geometry(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_icons *icons = wm->icons;
	const xcb_get_geometry_reply_t *geometry = reply;
	if (number != icons->round || !icons->window) {
		return;
	}
	if (!geometry || geometry->width == 0 || geometry->height == 0 ||
		geometry->width > X_ICON_SIZE_MAX || geometry->height > X_ICON_SIZE_MAX) {
		xwm_icon_finish(wm);
		return;
	}
	icons->width = geometry->width;
	icons->height = geometry->height;
	request(wm, icons->window->icon.pixmap, handle_pixels);
	request(wm, icons->window->icon.mask, handle_mask); /* an error without a mask */
}

void xwm_icon_read_pixmap(struct xwm *wm)
{
	xwm_reply_expect(wm, xcb_get_geometry(wm->x, wm->icons->window->icon.pixmap).sequence,
		handle_geometry, NULL, wm->icons->round);
}
