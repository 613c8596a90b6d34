/* SPDX-License-Identifier: MIT */
/*
 * Contents: the pixels of a surface, or of the compositor's own images, on one device.
 *
 * Invisible pixels are not uploaded. They stay in the missing region, and the surface keeps the
 * client's buffer locked until each device, or the backing store, has all of its pixels.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "gpu/quirks.h"
#include "internal.h"
#include "route_facts.h"
#include "upload_thread.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <stdlib.h>

static void content_destroy(struct content *content)
{
	if (content->store && content->store->gpu.device == content->device) {
		gpu_copy_drop(content->store);
	}
	addon_finish(&content->addon);
	wl_list_remove(&content->link);
	wl_list_remove(&content->applied.link);
	backing_store_leave(content);
	content_deferred_finish(content);
	content_next_finish(content);
	content_sight_finish(content);
	content_retry_finish(&content->retry);
	content_pool_finish(content);
	wl_list_remove(&content->reading_link);
	content_set_source(content, NULL);
	content_drop_texture(content);
	account_unref(content->account);
	buffer_replace(&content->held, NULL);
	pixman_region32_fini(&content->missing);
	free(content);
}

/*
 * Shows the pixels of a deferred copy. Returns false if there is none of the current buffer.
 * *refused: why it cannot be copied, or NULL.
 */
static bool take_next(struct content *content, const char **refused)
{
	struct source_copy *copy = content_next_take(content, refused);
	if (!copy) {
		return false;
	}
	content_set_source(content, &content_source_copy);
	content_copy_adopt(content, copy);
	return true;
}

/*
 * Lets all of an uploaded texture miss its pixels if it was converted in another coding. Without a
 * buffer, they keep their coding: a backing store may have a part of them only.
 */
static void follow_coding(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	if (!state->buffer || color_coding_equal(content->coding, state->coding)) {
		return;
	}
	content->coding = state->coding;
	if (content->uploaded && pixel_format_get(content->uploaded)->yuv) {
		content_miss_all(content);
	}
}

static void follow_update(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	if (content->left) {
		content_leave_sight(content);
	}
	const char *refused = NULL;
	const bool awaited = content->next.buffer || content->next.until;
	bool copied = awaited && state->fields & SURFACE_BUFFER && take_next(content, &refused);
	if (!copied && content->source && content->source->applied) {
		content->source->applied(content);
	}
	if (state->fields & SURFACE_BUFFER) {
		content_pool_choose(content);
		content->stale = true;
		content->unreadable = false;
		if (content->retry.n > 0) {
			content_retry_end(&content->retry);
		}
		content->refused = refused;
		content->waits = false;
		content->unneeded = false;
		/* Release the previous buffer: it is not drawn from any more. */
		struct buffer *old = content->held;
		content->held = NULL;
		surface_unlock_buffer(content->surface, old);
	}
	if (!state->has_content) {
		/* Unrelated content may follow, with incomplete damage. */
		content_set_source(content, NULL);
		content_drop_texture(content);
	}
	follow_coding(content);
	if (state->has_content && !state->buffer) {
		/* Damage without a buffer, after the early release: there are no new pixels. */
		return;
	}
	const struct texture *texture = content->texture;
	if (!texture || texture->width != state->buffer_width ||
		texture->height != state->buffer_height) {
		content_miss_all(content);
		if (texture) {
			/* A buffer of its size may come back, before this one was drawn. */
			pixman_region32_union_rect(&content->missing, &content->missing, 0, 0,
				(unsigned)texture->width, (unsigned)texture->height);
		}
		content_match_upload(content, &content->missing);
		return;
	}
	const pixman_region32_t *damage = &state->buffer_damage;
	if (pixman_region32_not_empty(&content->missing)) {
		pixman_region32_union(
			&content->missing, &content->missing, (pixman_region32_t *)damage);
		/* A larger buffer may have been attached and replaced while invisible. */
		pixman_region32_intersect_rect(&content->missing, &content->missing, 0, 0,
			(unsigned)state->buffer_width, (unsigned)state->buffer_height);
	} else {
		pixman_region32_copy(&content->missing, (pixman_region32_t *)damage);
	}
	content_match_upload(content, damage);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, applied);
	struct backing_store *store = content->store;
	follow_update(content);
	if (store->contents.next == &content->store_link) {
		backing_store_applied(store);
	}
}

static void prepare_store(struct backing_store *store)
{
	store->prepare = content_prepare;
	store->get_content = content_get;
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
	content->account = account_ref(surface_account(surface));
	content->stale = true;
	content->coding = surface->current.coding;
	pixman_region32_init(&content->missing);
	content_miss_all(content);
	content->destroy = content_destroy;
	addon_init(&content->addon, &surface->addons, device, &content_addon_impl);
	wl_list_insert(&content_device_from(device)->contents, &content->link);
	signal_add(&surface->events.applied, &content->applied, handle_applied);
	wl_list_init(&content->reading_link);
	backing_store_join(content);
	prepare_store(content->store);
	content_sight_init(content);
	content_deferred_init(content);
	content_next_init(content);
	content_pool_init(content, content_defer_all);
	return content;
}

void content_expect(struct surface *surface, struct render_device *device)
{
	struct backing_store *store = backing_store_get(surface);
	store->device = device;
	prepare_store(store);
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
	return content->copy || content->pool.buffer;
}

/* Returns the time (ns) at which the oldest pending copy began; 0: none. */
static int64_t gather(struct render_device *device, const struct scene_entry *entry)
{
	const struct scene_surface *shown = scene_entry_surface(entry);
	struct surface *surface = shown->surface;
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
	/* Planes, like filters, need all pixels in a single buffer. */
	content->filtered = !entry->unscaled || entry->place != PLACE_COMPOSED ||
			    !wl_list_empty(&shown->previews);
	content_prepare(content, &needed);
	int64_t since = content->copy ? content_copy_since(content, &needed) : 0;
	pixman_region32_fini(&needed);
	return since;
}

bool content_gather(struct render_device *device, const struct scene_entry *entries, int n_entries)
{
	bool late = false;
	for (int i = 0; device->copier && i < n_entries; i++) {
		if (scene_entry_surface(&entries[i]) && !entries[i].black) {
			late |= gather(device, &entries[i]) != 0;
		}
	}
	return late;
}

static int64_t gather_node(struct render_device *device, const struct scene_output *output,
	const struct scene_node *node)
{
	const int index = node->entry_index[output->index];
	return index >= 0 ? gather(device, &output->entries[index]) : 0;
}

int64_t content_gather_output(struct render_device *device, const struct scene_output *output)
{
	int64_t latest = 0;
	struct scene_surface *surface;
	if (!device->copier) {
		return 0;
	}
	wl_list_for_each (surface, &output->scene->homed, homed_link) {
		int64_t since = gather_node(device, output, &surface->node);
		latest = since > latest ? since : latest;
		const struct scene_preview *preview;
		wl_list_for_each (preview, &surface->previews, link) {
			since = gather_node(device, output, &preview->node);
			latest = since > latest ? since : latest;
		}
	}
	return latest;
}

static const struct content_source_impl *find_source(const struct content *content)
{
	if (content_device_from(content->device)->shadow_of) {
		return &content_source_shadow;
	}
	switch (content_choose(content)) {
	case SOURCE_COPY: return &content_source_copy;
	case SOURCE_UDMABUF: return &content_source_udmabuf;
	case SOURCE_IMPORT:
	case SOURCE_CPU_READ:
	case SOURCE_UPLOAD: return &content_source_texture;
	default: return NULL;
	}
}

/* The client's buffer was released: copies, shadow copies and backing store hold its pixels. */
static enum content_status prepare_without_buffer(
	struct content *content, const pixman_region32_t *needed)
{
	if (content_device_from(content->device)->shadow_of) {
		return content_source_shadow.prepare(content, NULL, needed);
	}
	if (content->copy) {
		return CONTENT_READY;
	}
	struct buffer *copy = content_shadow(content, needed);
	copy = copy ? copy : backing_store_buffer(content, needed);
	if (copy) {
		copy->coding = content->coding;
		content_update_texture(content, copy, needed);
	}
	return content_texture_status(content);
}

enum content_status content_prepare(struct content *content, const pixman_region32_t *needed)
{
	struct buffer *buffer = content->surface->current.buffer;
	if (!buffer) {
		return prepare_without_buffer(content, needed);
	}
	if (content->store->eager && backing_store_takes_all(content)) {
		needed = NULL;
	}
	/* Each refusal excludes a source, so the loop ends. */
	enum content_status status = CONTENT_REFUSED;
	while (status == CONTENT_REFUSED) {
		const struct content_source_impl *source = find_source(content);
		content_set_source(content, source);
		status = source ? source->prepare(content, buffer, needed) : CONTENT_NONE;
	}
	const bool rests = content->store->tried && !content->store->eager;
	return !rests && backing_store_update(content) ? prepare_without_buffer(content, needed)
						       : status;
}

/*
 * Surfaces with a shadow copy are uploaded at once: the texture may be older than the pixels on
 * screen.
 */
enum content_status content_refresh(struct content *content, const pixman_region32_t *needed)
{
	struct buffer *buffer = content->surface->current.buffer;
	if (!buffer || !buffer_is_shm(buffer) || !content->surface->loop ||
		!renderer_has_staging(content->device->renderer) || content->pool.buffer ||
		content_has_shadow(content) || !content_fits(content, buffer)) {
		return content_prepare(content, needed);
	}
	pixman_region32_t due;
	pixman_region32_init(&due);
	enum content_status status = content_defer_needed(content, needed, &due)
					     ? CONTENT_PENDING
					     : content_prepare(content, &due);
	pixman_region32_fini(&due);
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

void content_pass_ended(struct render_device *device, int fence)
{
	struct wl_list *reading = &content_device_from(device)->reading;
	while (!wl_list_empty(reading)) {
		struct content *content = wl_container_of(reading->next, content, reading_link);
		wl_list_remove(&content->reading_link);
		wl_list_init(&content->reading_link);
		content->source->pass_ended(content, fence);
	}
}

bool content_update_shadow(
	struct surface *surface, struct render_device *device, const pixman_region32_t *needed)
{
	const struct buffer *buffer = surface->current.buffer;
	const struct content *content = content_find(surface, device);
	if (!content || (buffer && !content_fits(content, buffer))) {
		return false;
	}
	struct content *shadow = content_get(surface, content_device_from(device)->shadow);
	return content_prepare(shadow, needed) == CONTENT_READY;
}

void content_end_shadows(struct render_device *device)
{
	struct content *shadow, *next;
	struct content_device *shadows = content_device_from(content_device_from(device)->shadow);
	wl_list_for_each_safe (shadow, next, &shadows->contents, link) {
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
	bool foreign = buffer ? buffer->home && buffer->home != gpu : content && content->copy;
	if (foreign || !buffer) {
		/*
		 * Even a test commit would make the kernel migrate a foreign buffer. Copies are
		 * local.
		 */
		const struct content_source_impl *source = content ? content->source : NULL;
		buffer = source && source->plane_buffer ? source->plane_buffer(content) : NULL;
		if (buffer && !gpu_scans_out_shared_memory(gpu)) {
			*barred = REASON_SYSTEM_MEMORY;
			return NULL;
		}
	}
	if (buffer && content && backing_store_reads_in_place(content)) {
		*barred = REASON_ONLY_BUFFER;
		return NULL;
	}
	if (!buffer || !buffer_dmabuf(buffer)) {
		*barred = foreign ? REASON_FOREIGN : REASON_SYSTEM_MEMORY;
		return NULL;
	}
	if (!buffer->home && !gpu_scans_out_system_memory(gpu)) {
		*barred = REASON_SYSTEM_MEMORY;
		return NULL;
	}
	return buffer;
}

struct color_coding content_plane_coding(const struct surface *surface, const struct buffer *buffer)
{
	/* Several surfaces may show a client's buffer, each in its own coding. */
	return buffer == surface->current.buffer ? surface->current.coding : buffer->coding;
}

void content_drop_all(struct render_device *device)
{
	struct content_device *self = content_device_from(device);
	struct content *content, *next;
	wl_list_for_each_safe (content, next, &self->contents, link) {
		content_destroy(content);
	}
	upload_finish_all(device);
	content_pools_finish(device);
	content_images_finish(device);
	if (self->shadow) {
		content_drop_all(self->shadow);
	}
}
