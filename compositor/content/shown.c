/* SPDX-License-Identifier: MIT */
/* Whether the frame that was drawn last shows the current pixels of a surface. */

#include "content/device.h"
#include "internal.h"
#include "route_facts.h"

/*
 * The pixels of the surface that the output shows come from `content`, which has a copy or an
 * upload.
 */
static enum content_status find_shown(struct content *content, const struct scene_entry *entry)
{
	bool copied = content->copy && content_choose(content) == SOURCE_COPY;
	const struct content_deferred *deferred = &content->deferred;
	bool uploads = deferred->upload && entry->place == PLACE_COMPOSED;
	if (!copied && !uploads) {
		return CONTENT_READY;
	}
	enum content_status status = CONTENT_READY;
	pixman_region32_t shown;
	pixman_region32_init(&shown);
	scene_entry_to_buffer(entry, &shown, &entry->visible);
	if (copied) {
		status = content_copy_status(content, &shown);
	} else if (!content_shadow(content, &shown)) {
		pixman_region32_intersect(&shown, &shown, &content->missing);
		status = pixman_region32_not_empty(&shown) ? CONTENT_PENDING : CONTENT_READY;
	}
	pixman_region32_fini(&shown);
	return status;
}

enum content_status content_shown(struct render_device *device, const struct scene_output *output,
	const struct scene_surface *surface)
{
	const int index = surface->node.entry_index[output->index];
	const struct scene_entry *entry = index >= 0 ? &output->entries[index] : NULL;
	if (!entry || entry->alpha == 0 || entry->black) {
		return CONTENT_READY;
	}
	struct render_device *painter = content_device_from(device)->painter;
	bool painted = painter && entry->cursor && entry->place == PLACE_OVER;
	struct content *content = content_find(surface->surface, painted ? painter : device);
	if (!content || (!content->copy && !content->deferred.upload)) {
		return CONTENT_READY;
	}
	struct buffer *buffer = surface->surface->current.buffer;
	float color[4];
	return buffer && buffer_color(buffer, color) ? CONTENT_READY : find_shown(content, entry);
}
