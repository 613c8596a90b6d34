/*
 * Contents: the pixels of a surface, or of an image of the compositor's own, on one device.
 *
 * Invisible pixels are not brought. They stay in the missing region, and the surface keeps the client's
 * buffer locked until no device misses any pixel of it.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "copy/copier.h"
#include "internal.h"
#include "source.h"
#include "upload_thread.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct content_image {
	struct addon addon; /* on the buffer, owner: the device */
	struct wl_list link; /* render_device.images */
	struct texture *texture;
};

static void set_source(struct content *content, const struct content_source_impl *source)
{
	if (content->source != source) {
		if (content->source && content->source->leave) {
			content->source->leave(content);
		}
		content->source = source;
	}
}

static void content_destroy(struct content *content)
{
	addon_finish(&content->addon);
	wl_list_remove(&content->link);
	wl_list_remove(&content->applied.link);
	content_deferred_finish(content);
	content_pool_finish(content);
	wl_list_remove(&content->reading_link);
	set_source(content, NULL);
	content_drop_texture(content);
	buffer_replace(&content->held, NULL);
	pixman_region32_fini(&content->missing);
	free(content);
}

static void destroy_addon(struct addon *addon)
{
	struct content *content = wl_container_of(addon, content, addon);
	content_destroy(content);
}

static const struct addon_impl content_impl = {.name = "content", .destroy = destroy_addon};

void content_miss_all(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	pixman_region32_fini(&content->missing);
	pixman_region32_init_rect(&content->missing, 0, 0, (unsigned)state->buffer_width,
		(unsigned)state->buffer_height);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, applied);
	const struct surface_state *state = &content->surface->current;

	if (content->source && content->source->applied) {
		content->source->applied(content);
	}
	if (state->fields & SURFACE_BUFFER) {
		content_pool_choose(content);
		content->stale = true;
		content->refused = false;
		/* The client may have its old buffer back: nothing is drawn from it any more. */
		struct buffer *old = content->held;
		content->held = NULL;
		surface_unlock_buffer(content->surface, old);
	}
	if (!state->has_content) {
		/* What comes next has nothing to do with what was, and may say so by no damage. */
		content_drop_texture(content);
	}
	if (state->has_content && !state->buffer) {
		/* Damage alone, of a buffer that went back: no pixels have come. */
		return;
	}
	const struct texture *texture = content->texture;
	if (!texture || texture->width != state->buffer_width ||
		texture->height != state->buffer_height) {
		content_miss_all(content);
		content_match_upload(content, &content->missing);
		return;
	}
	const pixman_region32_t *damage = &state->buffer_damage;
	if (pixman_region32_not_empty(&content->missing)) {
		pixman_region32_union(
			&content->missing, &content->missing, (pixman_region32_t *)damage);
		/* A bigger buffer may have come and gone unseen. */
		pixman_region32_intersect_rect(&content->missing, &content->missing, 0, 0,
			(unsigned)state->buffer_width, (unsigned)state->buffer_height);
	} else {
		pixman_region32_copy(&content->missing, (pixman_region32_t *)damage);
	}
	content_match_upload(content, damage);
}

struct content *content_find(struct surface *surface, const struct render_device *device)
{
	struct addon *addon = addon_find(&surface->addons, device, &content_impl);
	struct content *content;
	return addon ? wl_container_of(addon, content, addon) : NULL;
}

struct content *content_get(struct surface *surface, struct render_device *device)
{
	struct content *content = content_find(surface, device);
	if (content) {
		return content;
	}
	content = xcalloc(1, sizeof(*content));
	content->device = device;
	content->surface = surface;
	content->stale = true;
	pixman_region32_init(&content->missing);
	content_miss_all(content);
	addon_init(&content->addon, &surface->addons, device, &content_impl);
	wl_list_insert(&device->contents, &content->link);
	content->applied.notify = handle_applied;
	wl_signal_add(&surface->events.applied, &content->applied);
	wl_list_init(&content->reading_link);
	content_deferred_init(content);
	content_pool_init(content);
	return content;
}

void content_expect(struct surface *surface, struct render_device *device)
{
	if (device->renderer && renderer_has_staging(device->renderer)) {
		content_get(surface, device);
	}
}

struct texture *content_texture(struct content *content)
{
	if (content->texture && content->source && content->source->pass_ended) {
		content_mark_read(content);
	}
	return content->texture;
}

bool content_is_beyond_cpu(const struct content *content)
{
	return content->prime || content->pool.buffer;
}

static bool is_complete(struct surface *surface, struct render_device *device)
{
	struct content *content = content_find(surface, device);
	if (content && content->source && content->source->is_complete) {
		return content->source->is_complete(content);
	}
	if (!content || content->held || content->pool.buffer) {
		return false;
	}
	return (!content->stale && !pixman_region32_not_empty(&content->missing)) ||
	       content_shadow(content, NULL);
}

/*
 * Once no device misses any of it, a buffer that was only uploaded from is the client's again. One
 * that has not shown the surface so far may come to: a window moves to another screen, or is captured.
 */
void content_release_if_complete(struct content *content)
{
	struct surface *surface = content->surface;
	struct render_device *device = content->device;
	struct render_device *peer;
	if (!is_complete(surface, device)) {
		return;
	}
	wl_list_for_each (peer, &device->peers, peers) {
		if (!is_complete(surface, peer)) {
			return;
		}
	}
	surface_release_buffer(surface);
}

enum content_status content_texture_status(const struct content *content)
{
	return content->texture && !content->stale ? CONTENT_READY : CONTENT_NONE;
}

void content_set_filtered(struct content *content, bool filtered)
{
	content->filtered = filtered;
}

/* Since when something is on its way; 0: nothing is. */
static int64_t gather(
	struct render_device *device, struct surface *surface, const struct scene_entry *entry)
{
	struct buffer *buffer = surface->current.buffer;
	if (!buffer || !buffer->home || !buffer_dmabuf(buffer)) {
		return 0;
	}
	struct content *content = content_get(surface, device);
	if (content_choose(content) != SOURCE_COPY) {
		return 0;
	}
	pixman_region32_t needed;
	pixman_region32_init(&needed);
	scene_entry_to_buffer(entry, &needed, &entry->visible);
	/* Planes show it from one buffer, as filters read it. */
	content->filtered = !entry->unscaled || entry->place != PLACE_COMPOSED;
	content_prepare(content, &needed);
	int64_t since = content->prime ? content_prime_since(content, &needed) : 0;
	pixman_region32_fini(&needed);
	return since;
}

bool content_gather(struct render_device *device, const struct scene_entry *entries, int n_entries)
{
	bool late = false;
	for (int i = 0; device->copier && i < n_entries; i++) {
		struct scene_node *node = entries[i].node;
		if (node && node->type == SCENE_SURFACE) {
			late |= gather(device, scene_surface_from_node(node)->surface,
					&entries[i]) != 0;
		}
	}
	return late;
}

int64_t content_gather_output(struct render_device *device, const struct scene_output *output)
{
	int64_t latest = 0;
	struct scene_surface *surface;
	if (!device->copier) {
		return 0;
	}
	wl_list_for_each (surface, &output->scene->homed, homed_link) {
		int index = surface->node.entry_index[output->index];
		if (index >= 0) {
			int64_t since = gather(device, surface->surface, &output->entries[index]);
			latest = since > latest ? since : latest;
		}
	}
	return latest;
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

	bool holds = false;
	const struct render_stats *stats = &content->device->renderer->stats;
	uint64_t uploaded_before = stats->bytes_uploaded;
	bool updated = renderer_texture_update(
		content->device->renderer, &content->texture, buffer, whole ? NULL : &due, &holds);
	content_count_upload(content, stats->bytes_uploaded - uploaded_before);
	content->device->upload_due += stats->bytes_uploaded - uploaded_before;
	if (updated) {
		content->uploaded = holds ? 0 : buffer->format;
		if (holds || whole) {
			/* It is all there: the buffer itself, or uploaded as a whole. */
			pixman_region32_clear(&content->missing);
		} else {
			pixman_region32_subtract(&content->missing, &content->missing, &due);
		}
		content->stale = false;
		buffer_replace(&content->held, holds ? buffer : NULL);
		if (!holds && buffer_is_shm(buffer)) {
			content_release_if_complete(content);
		}
	}
	pixman_region32_fini(&due);
	return updated;
}

void content_count_upload(struct content *content, uint64_t bytes)
{
	const struct copier *copier = content->device->copier;
	content->surface->bytes_uploaded += bytes;
	if (bytes > 0 && copier) {
		rate_add(&content->surface->upload_rate, bytes, clock_now(copier->clock));
	}
}

static const struct content_source_impl *find_source(const struct content *content)
{
	if (content->device->shadows) {
		return &content_source_shadow;
	}
	switch (content_choose(content)) {
	case SOURCE_COPY: return &content_source_prime;
	case SOURCE_CLIENT: return &content_source_import;
	case SOURCE_UDMABUF: return &content_source_udmabuf;
	case SOURCE_SHM_READ:
	case SOURCE_UPLOAD: return &content_source_upload;
	default: return NULL;
	}
}

/* The client has its buffer back: copies and shadow copies have its pixels. */
static enum content_status prepare_without_buffer(
	struct content *content, const pixman_region32_t *needed)
{
	if (content->device->shadows) {
		return content_source_shadow.prepare(content, NULL, needed);
	}
	if (content->prime) {
		return CONTENT_READY;
	}
	struct buffer *shadow = content_shadow(content, needed);
	if (shadow) {
		content_update_texture(content, shadow, needed);
	}
	return content_texture_status(content);
}

enum content_status content_prepare(struct content *content, const pixman_region32_t *needed)
{
	struct buffer *buffer = content->surface->current.buffer;
	if (!buffer) {
		return prepare_without_buffer(content, needed);
	}
	/* Each refusal rules a source out, and the last one refuses nothing. */
	enum content_status status = CONTENT_REFUSED;
	while (status == CONTENT_REFUSED) {
		const struct content_source_impl *source = find_source(content);
		set_source(content, source);
		status = source ? source->prepare(content, buffer, needed) : CONTENT_NONE;
	}
	return status;
}

void content_before_pass(struct content *content, const pixman_region32_t *needed)
{
	if (content->source && content->source->before_pass) {
		content->source->before_pass(content, needed);
	}
}

int content_parts(struct content *content, const pixman_region32_t *needed,
	struct content_part parts[static CONTENT_PARTS_MAX])
{
	return content->source->parts(content, needed, parts);
}

bool content_has_parts(const struct content *content)
{
	return content->source && content->source->parts;
}

void content_parts_finish(struct content_part *parts, int n)
{
	for (int i = 0; i < n; i++) {
		pixman_region32_fini(&parts[i].region);
	}
}

void content_mark_read(struct content *content)
{
	if (wl_list_empty(&content->reading_link)) {
		wl_list_insert(&content->device->reading, &content->reading_link);
	}
}

void content_pass_ended(struct render_device *device, int fence)
{
	while (!wl_list_empty(&device->reading)) {
		struct content *content =
			wl_container_of(device->reading.next, content, reading_link);
		wl_list_remove(&content->reading_link);
		wl_list_init(&content->reading_link);
		content->source->pass_ended(content, fence);
	}
}

static void image_destroy(struct content_image *image)
{
	addon_finish(&image->addon);
	wl_list_remove(&image->link);
	texture_destroy(image->texture);
	free(image);
}

static void destroy_image_addon(struct addon *addon)
{
	struct content_image *image = wl_container_of(addon, image, addon);
	image_destroy(image);
}

static const struct addon_impl image_impl = {.name = "image", .destroy = destroy_image_addon};

struct texture *content_image(struct render_device *device, struct buffer *buffer)
{
	struct addon *addon = addon_find(&buffer->addons, device, &image_impl);
	if (addon) {
		struct content_image *found = wl_container_of(addon, found, addon);
		return found->texture;
	}
	struct texture *texture = NULL;
	bool holds;
	if (!renderer_texture_update(device->renderer, &texture, buffer, NULL, &holds)) {
		return NULL;
	}
	struct content_image *image = xcalloc(1, sizeof(*image));
	image->texture = texture;
	addon_init(&image->addon, &buffer->addons, device, &image_impl);
	wl_list_insert(&device->images, &image->link);
	return texture;
}

void content_end_shadows(struct render_device *device)
{
	struct content *shadow, *next;
	wl_list_for_each_safe (shadow, next, &device->shadow->contents, link) {
		struct content *content = content_find(shadow->surface, device);
		if (content && device->renderer && !shadow->surface->current.buffer) {
			content_prepare(content, NULL);
		}
		content_destroy(shadow);
	}
}

struct buffer *content_plane_buffer(struct surface *surface, struct render_device *device,
	const struct gpu *gpu, enum route_reason *barred)
{
	float color[4];
	struct buffer *buffer = surface->current.buffer;
	*barred = REASON_BEST;
	if (buffer && buffer_color(buffer, color)) {
		return NULL;
	}
	struct content *content = content_find(surface, device);
	if (buffer && buffer_is_shm(buffer)) {
		buffer = content ? content->pool.buffer : NULL;
	}
	bool foreign = buffer && buffer->home && buffer->home != gpu;
	if (foreign || !buffer) {
		/* Even a test commit would make the kernel move a foreign buffer. Copies may be shown. */
		const struct content_source_impl *source = content ? content->source : NULL;
		buffer = source && source->plane_buffer ? source->plane_buffer(content) : NULL;
	}
	if (!buffer || !buffer_dmabuf(buffer)) {
		*barred = foreign ? REASON_FOREIGN : REASON_SYSTEM_MEMORY;
		return NULL;
	}
	return buffer;
}

void content_drop_all(struct render_device *device)
{
	struct content *content, *next;
	wl_list_for_each_safe (content, next, &device->contents, link) {
		content_destroy(content);
	}
	upload_finish_all(device);
	content_pools_finish(device);
	struct content_image *image, *next_image;
	wl_list_for_each_safe (image, next_image, &device->images, link) {
		image_destroy(image);
	}
}
