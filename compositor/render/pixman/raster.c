/* SPDX-License-Identifier: MIT */
/* Pixman images of a buffer or a copy, kept between draws. */

#include "render/pixman/pixman_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void drop(pixman_image_t **image)
{
	if (*image) {
		pixman_image_unref(*image);
		*image = NULL;
	}
}

void raster_finish(struct raster *raster)
{
	drop(&raster->image);
	drop(&raster->part);
}

bool raster_set(struct raster *raster, uint32_t format, int32_t width, int32_t height, void *data,
	size_t stride)
{
	if (raster->image && raster->data == data && raster->stride == stride &&
		raster->format == format && raster->width == width && raster->height == height) {
		return true;
	}
	raster_finish(raster);
	pixman_format_code_t code = pixman_format_from_drm(format);
	if (code == 0 || width > PIXMAN_SIDE_MAX || height > PIXMAN_SIDE_MAX ||
		stride > INT32_MAX) {
		return false;
	}
	*raster = (struct raster){
		.format = format,
		.width = width,
		.height = height,
		.data = data,
		.stride = stride,
		.image = pixman_image_create_bits_no_clear(code, width, height, data, (int)stride),
	};
	return raster->image;
}

pixman_image_t *raster_part(struct raster *raster, const struct box *box)
{
	struct box all = {0, 0, raster->width, raster->height};
	if (box_equal(box, &all)) {
		return raster->image;
	}
	if (raster->part && box_equal(box, &raster->part_box)) {
		return raster->part;
	}
	drop(&raster->part);
	const struct pixel_format *format = pixel_format_get(raster->format);
	uint8_t *origin =
		raster->data + (size_t)box->y * raster->stride + (size_t)box->x * format->bytes[0];
	raster->part = pixman_image_create_bits_no_clear(pixman_format_from_drm(raster->format),
		box->width, box->height, (uint32_t *)(void *)origin, (int)raster->stride);
	raster->part_box = *box;
	return raster->part;
}

static void handle_buffer_destroy(struct addon *addon)
{
	struct buffer_raster *raster = wl_container_of(addon, raster, addon);
	addon_finish(&raster->addon);
	wl_list_remove(&raster->link);
	raster_finish(&raster->raster);
	free(raster);
}

static const struct addon_impl buffer_raster_impl = {
	.name = "pixman raster",
	.destroy = handle_buffer_destroy,
};

struct raster *pixman_renderer_raster(struct pixman_renderer *renderer, struct buffer *buffer)
{
	struct addon *addon = addon_find(&buffer->addons, renderer, &buffer_raster_impl);
	struct buffer_raster *raster;
	if (addon) {
		raster = wl_container_of(addon, raster, addon);
	} else {
		raster = xcalloc(1, sizeof(*raster));
		addon_init(&raster->addon, &buffer->addons, renderer, &buffer_raster_impl);
		wl_list_insert(&renderer->buffer_rasters, &raster->link);
	}
	return &raster->raster;
}
