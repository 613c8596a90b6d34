/* SPDX-License-Identifier: MIT */
/*
 * Contents: lookup, missing region, texture and shadow copy, early release of the client's buffer.
 */

#include "content/device.h"
#include "gpu/format.h"
#include "internal.h"
#include "upload_thread.h"

static void destroy_addon(struct addon *addon)
{
	struct content *content = wl_container_of(addon, content, addon);
	content->destroy(content);
}

const struct addon_impl content_addon_impl = {.name = "content", .destroy = destroy_addon};

struct content *content_find(struct surface *surface, const struct render_device *device)
{
	struct addon *addon = addon_find(&surface->addons, device, &content_addon_impl);
	struct content *content;
	return addon ? wl_container_of(addon, content, addon) : NULL;
}

void content_set_source(struct content *content, const struct content_source_impl *source)
{
	if (content->source != source) {
		if (content->source && content->source->leave) {
			content->source->leave(content);
		}
		content->source = source;
	}
}

void content_miss_all(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	pixman_region32_fini(&content->missing);
	pixman_region32_init_rect(&content->missing, 0, 0, (unsigned)state->buffer_width,
		(unsigned)state->buffer_height);
}

void content_mark_read(struct content *content)
{
	if (wl_list_empty(&content->reading_link)) {
		wl_list_insert(
			&content_device_from(content->device)->reading, &content->reading_link);
	}
}

void content_parts_finish(struct content_part *parts, int n)
{
	for (int i = 0; i < n; i++) {
		pixman_region32_fini(&parts[i].region);
	}
}

bool content_fits(const struct content *content, const struct buffer *buffer)
{
	const struct texture *texture = content->texture;
	return texture && content->uploaded == buffer->format && texture->width == buffer->width &&
	       texture->height == buffer->height;
}

void content_drop_texture(struct content *content)
{
	texture_destroy(content->texture);
	buffer_drop(content->shadow);
	content->texture = NULL;
	content->shadow = NULL;
	content_charge(content);
}

void content_drop_upload(struct content *content)
{
	upload_destroy(content->deferred.upload);
	content->deferred.upload = NULL;
	content->deferred.finished = NULL;
}

static const struct content *find_shadow(const struct content *content)
{
	struct render_device *shadow = content_device_from(content->device)->shadow;
	struct content *found = shadow ? content_find(content->surface, shadow) : NULL;
	return found && found->shadow ? found : NULL;
}

bool content_has_shadow(const struct content *content)
{
	return find_shadow(content);
}

struct buffer *content_shadow(const struct content *content, const pixman_region32_t *region)
{
	const struct content *shadow = find_shadow(content);
	if (!shadow || shadow->stale || !content_fits(content, shadow->shadow)) {
		return NULL;
	}
	if (!pixman_region32_not_empty((pixman_region32_t *)&shadow->missing)) {
		return shadow->shadow;
	}
	pixman_region32_t lacks;
	pixman_region32_init(&lacks);
	pixman_region32_intersect(&lacks, (pixman_region32_t *)&shadow->missing,
		(pixman_region32_t *)&content->missing);
	if (region) {
		pixman_region32_intersect(&lacks, &lacks, (pixman_region32_t *)region);
	}
	bool has_all = !pixman_region32_not_empty(&lacks);
	pixman_region32_fini(&lacks);
	return has_all ? shadow->shadow : NULL;
}

/*
 * Returns whether the pixels may be converted once more: another coding may follow without a
 * buffer. Clients that wait for their only buffer get it back all the same.
 */
static bool may_be_recoded(const struct content *content)
{
	const struct buffer *buffer = content->surface->current.buffer;
	const struct pixel_format *format = buffer ? pixel_format_get(buffer->format) : NULL;
	return format && format->yuv && content->store && !content->store->eager;
}

static bool is_complete(struct surface *surface, struct render_device *device)
{
	struct content *content = content_find(surface, device);
	if (content && content->unneeded) {
		return true;
	}
	if (content && content->source && content->source->is_complete) {
		return content->source->is_complete(content);
	}
	if (!content || content->held || content->pool.buffer || may_be_recoded(content)) {
		return false;
	}
	return (!content->stale && !pixman_region32_not_empty(&content->missing)) ||
	       content_shadow(content, NULL);
}

/*
 * Devices that do not show the surface count, too: a window may move to another output or be
 * captured.
 */
void content_release_if_complete(struct content *content)
{
	struct surface *surface = content->surface;
	struct render_device *device = content->device;
	struct content_device *self = content_device_from(device), *peer;
	if (!is_complete(surface, device)) {
		return;
	}
	wl_list_for_each (peer, &self->peers, peers) {
		if (!is_complete(surface, &peer->base)) {
			return;
		}
	}
	if (content->store->timer.armed) {
		timer_disarm(&content->store->timer);
	}
	surface_release_buffer(surface);
}
