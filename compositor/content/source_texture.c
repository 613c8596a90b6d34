/* SPDX-License-Identifier: MIT */
/* Source of one texture: a client dma-buf imported as texture, or an shm buffer uploaded to it. */

#include "buffer/shm.h"
#include "content/device.h"
#include "copy/copier.h"
#include "internal.h"

enum content_status content_texture_status(const struct content *content)
{
	return content->texture && !content->stale ? CONTENT_READY : CONTENT_NONE;
}

void content_count_upload(struct content *content, uint64_t bytes)
{
	const struct copier *copier = content->device->copier;
	content->surface->bytes_uploaded += bytes;
	if (bytes > 0 && copier) {
		rate_add(&content->surface->upload_rate, bytes, clock_now(copier->clock));
	}
}

/* Returns whether a failure may pass: the renderer takes such buffers. */
static bool may_succeed(const struct content *content, struct buffer *buffer)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	return !dmabuf || format_set_has(&content->device->renderer->texture_formats,
				  dmabuf->format, dmabuf->modifier);
}

bool content_update_texture(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	struct texture *texture = content->texture;
	bool same_size =
		texture && texture->width == buffer->width && texture->height == buffer->height;
	bool whole = !same_size || (!content->held && !content_fits(content, buffer));
	pixman_region32_t due;
	pixman_region32_init(&due);
	pixman_region32_copy(&due, &content->missing);
	if (needed) {
		pixman_region32_intersect(&due, &due, (pixman_region32_t *)needed);
	}
	if (same_size && !content->stale && !pixman_region32_not_empty(&due)) {
		pixman_region32_fini(&due);
		return true;
	}
	if (whole && !content_has_room(content, buffer)) {
		pixman_region32_fini(&due);
		return false;
	}
	bool holds = false;
	/* Another surface may show it in other colours. */
	const struct color_coding committed = buffer->coding;
	if (buffer == content->surface->current.buffer) {
		buffer->coding = content->coding;
	}
	const struct render_stats *stats = &content->device->renderer->stats;
	uint64_t uploaded_before = stats->bytes_uploaded;
	bool updated = renderer_texture_update(
		content->device->renderer, &content->texture, buffer, whole ? NULL : &due, &holds);
	buffer->coding = committed;
	content_count_upload(content, stats->bytes_uploaded - uploaded_before);
	content_device_from(content->device)->upload_due += stats->bytes_uploaded - uploaded_before;
	if (updated) {
		content->uploaded = holds ? 0 : buffer->format;
		if (holds || whole) {
			/* Complete: read in place, or uploaded as a whole. */
			pixman_region32_clear(&content->missing);
			content_charge(content);
		} else {
			pixman_region32_subtract(&content->missing, &content->missing, &due);
		}
		content->stale = false;
		buffer_replace(&content->held, holds ? buffer : NULL);
		content_retry_end(&content->retry);
		if (!holds && buffer_is_shm(buffer)) {
			content_release_if_complete(content);
		}
	} else if (may_succeed(content, buffer)) {
		content_retry_later(content);
	}
	pixman_region32_fini(&due);
	return updated;
}

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	content->unreadable = !content_update_texture(content, buffer, needed);
	return content_texture_status(content);
}

const struct content_source_impl content_source_texture = {.prepare = prepare};
