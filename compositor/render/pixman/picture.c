/* Pixman images of a buffer or a copy, kept between draws. */

#include "render/pixman/pixman_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* pixman computes in 16.16 fixed point and silently ignores larger images. */
#define MAX_SIZE 32766

static void drop(pixman_image_t **image)
{
	if (*image) {
		pixman_image_unref(*image);
		*image = NULL;
	}
}

void picture_finish(struct picture *picture)
{
	drop(&picture->image);
	drop(&picture->part);
}

bool picture_set(struct picture *picture, uint32_t format, int32_t width, int32_t height,
	void *data, size_t stride)
{
	if (picture->image && picture->data == data && picture->stride == stride &&
		picture->format == format && picture->width == width && picture->height == height) {
		return true;
	}
	picture_finish(picture);
	pixman_format_code_t code = pixman_format_from_drm(format);
	if (code == 0 || width > MAX_SIZE || height > MAX_SIZE || stride > INT32_MAX) {
		return false;
	}
	*picture = (struct picture){
		.format = format,
		.width = width,
		.height = height,
		.data = data,
		.stride = stride,
		.image = pixman_image_create_bits_no_clear(code, width, height, data, (int)stride),
	};
	return picture->image;
}

pixman_image_t *picture_part(struct picture *picture, const struct box *box)
{
	struct box all = {0, 0, picture->width, picture->height};
	if (box_equal(box, &all)) {
		return picture->image;
	}
	if (picture->part && box_equal(box, &picture->part_box)) {
		return picture->part;
	}
	drop(&picture->part);
	const struct pixel_format *format = pixel_format_get(picture->format);
	uint8_t *origin = picture->data + (size_t)box->y * picture->stride +
			  (size_t)box->x * format->bytes[0];
	picture->part = pixman_image_create_bits_no_clear(pixman_format_from_drm(picture->format),
		box->width, box->height, (uint32_t *)(void *)origin, (int)picture->stride);
	picture->part_box = *box;
	return picture->part;
}

static void handle_buffer_destroy(struct addon *addon)
{
	struct buffer_picture *picture = wl_container_of(addon, picture, addon);
	addon_finish(&picture->addon);
	wl_list_remove(&picture->link);
	picture_finish(&picture->picture);
	free(picture);
}

static const struct addon_impl buffer_picture_impl = {
	.name = "pixman picture",
	.destroy = handle_buffer_destroy,
};

struct picture *pixman_renderer_picture(struct pixman_renderer *renderer, struct buffer *buffer)
{
	struct addon *addon = addon_find(&buffer->addons, renderer, &buffer_picture_impl);
	struct buffer_picture *picture;
	if (addon) {
		picture = wl_container_of(addon, picture, addon);
	} else {
		picture = xcalloc(1, sizeof(*picture));
		addon_init(&picture->addon, &buffer->addons, renderer, &buffer_picture_impl);
		wl_list_insert(&renderer->buffer_pictures, &picture->link);
	}
	return &picture->picture;
}
