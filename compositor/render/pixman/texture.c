/* SPDX-License-Identifier: MIT */
/*
 * Textures of the pixman renderer: usually a reference to the buffer, whose memory is read while
 * drawing; else a copy, in a format of pixman.
 */

#include "render/convert.h"
#include "render/pixman/pixman_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* pixman requires rows aligned to 32 bits; clients' rows may start anywhere. */
#define ALIGNMENT sizeof(uint32_t)

static struct pixman_texture *from_base(struct texture *base)
{
	struct pixman_texture *texture = wl_container_of(base, texture, base);
	return texture;
}

static void forget_buffer(struct pixman_texture *texture)
{
	if (texture->buffer) {
		wl_list_remove(&texture->buffer_destroy.link);
		texture->buffer = NULL;
	}
}

static void handle_buffer_destroy(struct wl_listener *listener, void *data)
{
	struct pixman_texture *texture = wl_container_of(listener, texture, buffer_destroy);
	forget_buffer(texture);
}

static void forget_copy(struct pixman_texture *texture)
{
	raster_finish(&texture->copy);
	free(texture->copy.data);
	texture->copy = (struct raster){0};
}

void pixman_texture_destroy(struct texture *base)
{
	struct pixman_texture *texture = from_base(base);
	forget_buffer(texture);
	forget_copy(texture);
	free(texture);
}

static struct pixman_texture *prepare(struct renderer *renderer, struct texture **slot,
	int32_t width, int32_t height, uint32_t format)
{
	if (!*slot) {
		struct pixman_texture *texture = xcalloc(1, sizeof(*texture));
		texture->base.renderer = renderer;
		*slot = &texture->base;
	}
	struct pixman_texture *texture = from_base(*slot);
	texture->base.width = width;
	texture->base.height = height;
	texture->format = format;
	return texture;
}

static void set_buffer(struct pixman_texture *texture, struct buffer *buffer)
{
	if (texture->buffer != buffer) {
		forget_buffer(texture);
		texture->buffer = buffer;
		signal_add(
			&buffer->events.destroy, &texture->buffer_destroy, handle_buffer_destroy);
	}
	forget_copy(texture);
	texture->kind = PIXMAN_TEXTURE_BUFFER;
}

/* Allocates a copy of a buffer; reuses an old copy of the same shape. */
static bool reserve_copy(
	struct raster *copy, int32_t width, int32_t height, uint32_t fourcc, bool *fresh)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	*fresh = !copy->image || copy->format != fourcc || copy->width != width ||
		 copy->height != height;
	if (!*fresh) {
		return true;
	}
	size_t stride = (size_t)width * format->bytes[0];
	stride = (stride + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	/* The client chooses the size: failure must not abort. */
	void *data = calloc((size_t)height, stride);
	struct raster new = {0};
	if (!data || !raster_set(&new, fourcc, width, height, data, stride)) {
		free(data);
		return false;
	}
	raster_finish(copy);
	free(copy->data);
	*copy = new;
	return true;
}

/* Source of the pixels of a copy. */
struct origin {
	int32_t width, height; /* of the buffer */
	uint32_t format; /* of the copy */
	uintptr_t data; /* of pixel 0, 0; staging may begin at a later one */
	size_t stride, bytes; /* of a row, of a pixel */
	struct buffer *converted; /* it is converted; NULL: pixels are copied */
	struct convert convert;
	bool staged; /* it has the region alone */
};

static uint64_t box_bytes(const pixman_box32_t *box, const struct origin *origin)
{
	return (uint64_t)(box->x2 - box->x1) * (uint64_t)(box->y2 - box->y1) * origin->bytes;
}

static uint64_t copy_box(
	struct raster *copy, const struct origin *origin, const pixman_box32_t *box)
{
	size_t row = (size_t)(box->x2 - box->x1) * origin->bytes;
	uint8_t *to = copy->data + (size_t)box->y1 * copy->stride + (size_t)box->x1 * origin->bytes;
	for (int32_t y = box->y1; y < box->y2; ++y, to += copy->stride) {
		memcpy(to,
			(const void *)(origin->data + (size_t)y * origin->stride +
				       (size_t)box->x1 * origin->bytes),
			row);
	}
	return box_bytes(box, origin);
}

static bool update_copy(struct renderer *renderer, struct texture **slot,
	const pixman_region32_t *damage, struct origin *origin)
{
	const int32_t width = origin->width, height = origin->height;
	struct pixman_texture *old = *slot ? from_base(*slot) : NULL;
	struct raster copy = old ? old->copy : (struct raster){0};
	bool fresh;
	if (!reserve_copy(&copy, width, height, origin->format, &fresh)) {
		return false;
	}
	struct pixman_texture *texture = prepare(renderer, slot, width, height, origin->format);
	forget_buffer(texture);
	texture->kind = PIXMAN_TEXTURE_COPY;
	texture->copy = copy;
	pixman_region32_t all;
	struct box box = {0, 0, width, height};
	pixman_region32_init_rect(&all, 0, 0, (unsigned)width, (unsigned)height);
	struct clip clip;
	const bool partial = origin->staged || (damage && !fresh);
	clip_init(&clip, partial ? damage : &all, &box, width, height);
	origin->bytes = pixel_format_get(origin->format)->bytes[0];
	pixman_box32_t rect;
	uint64_t copied = 0;
	struct pixman_renderer *self = wl_container_of(renderer, self, base);
	while (clip_next(&clip, &rect)) {
		if (origin->converted) {
			pixman_tiles_convert(
				self, &texture->copy, &origin->convert, origin->converted, &rect);
			copied += box_bytes(&rect, origin);
		} else {
			copied += copy_box(&texture->copy, origin, &rect);
		}
	}
	pixman_region32_fini(&all);
	if (copied > 0) {
		renderer->stats.bytes_uploaded += copied;
		++renderer->stats.uploads;
	}
	return true;
}

bool pixman_texture_update(struct renderer *base, struct texture **slot, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	struct pixman_renderer *renderer = wl_container_of(base, renderer, base);
	float color[4];
	*holds = false;
	if (buffer_color(buffer, color)) {
		struct pixman_texture *texture =
			prepare(base, slot, buffer->width, buffer->height, buffer->format);
		forget_buffer(texture);
		forget_copy(texture);
		texture->kind = PIXMAN_TEXTURE_COLOR;
		memcpy(texture->color, color, sizeof(color));
		return true;
	}
	void *data;
	size_t stride;
	bool native = pixman_format_from_drm(buffer->format) != 0;
	uint32_t format = native ? buffer->format : convert_format(buffer->format);
	if (format == 0 || buffer_begin_access(buffer, BUFFER_READ, &data, &stride) < 0) {
		return false;
	}
	bool ok;
	struct origin origin = {
		.width = buffer->width,
		.height = buffer->height,
		.format = format,
		.data = (uintptr_t)data,
		.stride = stride,
		.converted = native ? NULL : buffer,
	};
	if (!native) {
		ok = convert_init(&origin.convert, buffer,
			     &(struct render_source){data, stride, buffer->coding}) &&
		     update_copy(base, slot, damage, &origin);
	} else if ((uintptr_t)data % ALIGNMENT == 0 && stride % ALIGNMENT == 0) {
		ok = raster_set(pixman_renderer_raster(renderer, buffer), buffer->format,
			buffer->width, buffer->height, data, stride);
		if (ok) {
			set_buffer(
				prepare(base, slot, buffer->width, buffer->height, format), buffer);
			*holds = true;
		}
	} else {
		ok = update_copy(base, slot, damage, &origin);
	}
	buffer_end_access(buffer);
	return ok;
}

/* The staged memory of a whole image takes the place of the copy. */
static bool take_memory(
	struct texture **slot, struct render_staging *staging, int32_t width, int32_t height)
{
	struct raster copy = {0};
	if (!raster_set(&copy, staging->format, width, height, staging->data, staging->stride)) {
		return false;
	}
	struct pixman_texture *texture =
		prepare(staging->renderer, slot, width, height, staging->format);
	forget_buffer(texture);
	forget_copy(texture);
	texture->kind = PIXMAN_TEXTURE_COPY;
	texture->copy = copy;
	staging->data = NULL;
	staging->renderer->stats.bytes_uploaded += staging->stride * (size_t)height;
	++staging->renderer->stats.uploads;
	return true;
}

bool pixman_texture_stage(struct texture **slot, struct render_staging *staging, int32_t width,
	int32_t height, const pixman_region32_t *region)
{
	const pixman_box32_t all = {0, 0, width, height};
	const struct box whole = {0, 0, width, height};
	if (box_equal(&staging->box, &whole) &&
		pixman_region32_contains_rectangle(
			(pixman_region32_t *)region, (pixman_box32_t *)&all) == PIXMAN_REGION_IN) {
		return take_memory(slot, staging, width, height);
	}
	const size_t bytes = pixel_format_get(staging->format)->bytes[0];
	struct origin origin = {
		.width = width,
		.height = height,
		.format = staging->format,
		.data = (uintptr_t)staging->data - (size_t)staging->box.y * staging->stride -
			(size_t)staging->box.x * bytes,
		.stride = staging->stride,
		.staged = true,
	};
	return update_copy(staging->renderer, slot, region, &origin);
}
