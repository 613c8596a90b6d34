/* SPDX-License-Identifier: MIT */
/*
 * Shadow source: copies of surfaces in system memory, for CPU composition (cpu_composer.c). The
 * client's buffer is released after the copy; the GPU's texture later takes missing pixels from the
 * copy.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* System memory of the compositor; GPUs cannot import it, but it can be uploaded. */
struct shadow_buffer {
	struct buffer base;
	size_t stride; /* bytes */
	uint8_t *data;
};

static void destroy_buffer(struct buffer *buffer)
{
	struct shadow_buffer *shadow = wl_container_of(buffer, shadow, base);
	buffer_finish(buffer);
	free(shadow->data);
	free(shadow);
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	const struct shadow_buffer *shadow = wl_container_of(buffer, shadow, base);
	*data = shadow->data;
	*stride = shadow->stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.begin_access = begin_access,
	.end_access = end_access,
};

/* Returns NULL without memory, because the client chooses the size. */
static struct buffer *create(int32_t width, int32_t height, uint32_t fourcc)
{
	/* pixman requires rows aligned to 32 bits. */
	size_t stride = ((size_t)width * pixel_format_get(fourcc)->bytes[0] + 3) & ~(size_t)3;
	uint8_t *data = calloc((size_t)height, stride);
	if (!data) {
		return NULL;
	}
	struct shadow_buffer *shadow = xcalloc(1, sizeof(*shadow));
	buffer_init(&shadow->base, &buffer_impl, width, height, fourcc);
	shadow->data = data;
	shadow->stride = stride;
	return &shadow->base;
}

bool content_may_shadow(const struct render_device *shadow, const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return buffer_is_shm(buffer) && !format->yuv &&
	       format_set_has(
		       &shadow->renderer->texture_formats, buffer->format, DRM_FORMAT_MOD_LINEAR);
}

static bool fits(const struct content *content, const struct buffer *buffer)
{
	const struct buffer *shadow = content->shadow;
	return shadow && shadow->format == buffer->format && shadow->width == buffer->width &&
	       shadow->height == buffer->height;
}

/* Makes the copy fit `buffer`. A new copy misses all pixels. */
static bool reserve(struct content *content, const struct buffer *buffer)
{
	if (fits(content, buffer)) {
		return true;
	}
	if (!content_has_room(content, buffer)) {
		return false;
	}
	struct buffer *shadow = create(buffer->width, buffer->height, buffer->format);
	struct texture *texture = NULL;
	bool holds = false;
	if (!shadow ||
		!renderer_texture_update(
			content->device->renderer, &texture, shadow, NULL, &holds) ||
		!holds) {
		texture_destroy(texture);
		buffer_drop(shadow);
		return false;
	}
	content_drop_texture(content);
	content->texture = texture;
	content->shadow = shadow;
	content_charge(content);
	pixman_region32_fini(&content->missing);
	pixman_region32_init_rect(
		&content->missing, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	return true;
}

static bool copy(struct content *content, struct buffer *from, const pixman_region32_t *region)
{
	struct shadow_buffer *shadow = wl_container_of(content->shadow, shadow, base);
	size_t bytes = pixel_format_get(from->format)->bytes[0], stride;
	const uint8_t *data;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	if (buffer_begin_access(from, BUFFER_READ, (void **)&data, &stride) < 0) {
		return false;
	}
	for (int i = 0; i < n; i++) {
		size_t x = (size_t)boxes[i].x1 * bytes;
		size_t length = (size_t)(boxes[i].x2 - boxes[i].x1) * bytes;
		for (size_t y = (size_t)boxes[i].y1; y < (size_t)boxes[i].y2; y++) {
			memcpy(shadow->data + y * shadow->stride + x, data + y * stride + x,
				length);
		}
	}
	/* Pages missing from the client's pool read as zeros; the client gets a protocol error. */
	buffer_end_access(from);
	return true;
}

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	if (buffer ? !content_may_shadow(content->device, buffer) || !reserve(content, buffer)
		   : !content->shadow) {
		return CONTENT_NONE;
	}
	pixman_region32_t due;
	pixman_region32_init(&due);
	/* A larger buffer may have been attached and replaced unseen. */
	pixman_region32_intersect_rect(&due, &content->missing, 0, 0,
		(unsigned)content->shadow->width, (unsigned)content->shadow->height);
	if (needed) {
		pixman_region32_intersect(&due, &due, (pixman_region32_t *)needed);
	}
	bool lacks = pixman_region32_not_empty(&due);
	if (buffer && (!lacks || copy(content, buffer, &due))) {
		pixman_region32_subtract(&content->missing, &content->missing, &due);
		content->stale = lacks = false;
	}
	pixman_region32_fini(&due);
	struct content *gpu =
		content_find(content->surface, content_device_from(content->device)->shadows);
	if (gpu && !content->stale) {
		content_release_if_complete(gpu);
	}
	return !content->stale && !lacks ? CONTENT_READY : CONTENT_NONE;
}

const struct content_source_impl content_source_shadow = {
	.prepare = prepare,
};
