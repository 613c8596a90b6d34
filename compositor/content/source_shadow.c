/* SPDX-License-Identifier: MIT */
/*
 * Shadow source: copies of surfaces in system memory, for CPU composition (cpu_composer.c). The
 * client's buffer is released after the copy; the GPU's texture later takes missing pixels from the
 * copy.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"

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
	struct buffer *shadow = copy_buffer_create(buffer->width, buffer->height, buffer->format);
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
	if (buffer && (!lacks || copy_buffer_copy(content->shadow, buffer, &due))) {
		pixman_region32_subtract(&content->missing, &content->missing, &due);
		content->stale = lacks = false;
	}
	pixman_region32_fini(&due);
	struct content *gpu =
		content_find(content->surface, content_device_from(content->device)->shadow_of);
	if (gpu && !content->stale) {
		content_release_if_complete(gpu);
	}
	return !content->stale && !lacks ? CONTENT_READY : CONTENT_NONE;
}

const struct content_source_impl content_source_shadow = {
	.prepare = prepare,
};
