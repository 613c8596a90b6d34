/* SPDX-License-Identifier: MIT */
/*
 * Deferred uploads: a thread uploads pixels that exceed a frame's budget. Until then an update that
 * needs them is blocked; if they have merely become visible, the old pixels stay on screen.
 */

#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"
#include "upload_thread.h"
#include "util/region.h"

/* Applies a finished upload to the texture. */
static void take_upload(struct content *content)
{
	struct upload *upload = content->deferred.upload;
	struct buffer *buffer = upload_buffer(upload);
	const struct render_stats *stats = &content->device->renderer->stats;
	uint64_t before = stats->bytes_uploaded;
	bool fresh = !content_fits(content, buffer);
	if (upload_apply(upload, &content->texture)) {
		if (fresh) {
			pixman_region32_fini(&content->missing);
			pixman_region32_init_rect(&content->missing, 0, 0, (unsigned)buffer->width,
				(unsigned)buffer->height);
		}
		pixman_region32_subtract(&content->missing, &content->missing,
			(pixman_region32_t *)upload_region(upload));
		content_count_upload(content, stats->bytes_uploaded - before);
		content->uploaded = buffer->format;
		content->stale = false;
		content_charge(content);
		if (content->pool.buffer) {
			content_pool_leave(content);
		}
		buffer_replace(&content->held, NULL);
	}
	content_drop_upload(content);
}

/* Applies a finished upload, and shows its pixels, some of which may be older than the update. */
static void show_upload(struct content *content)
{
	struct scene_surface *node = scene_surface_find(content->surface);
	pixman_region32_t region;
	pixman_region32_init(&region);
	pixman_region32_copy(&region, (pixman_region32_t *)upload_region(content->deferred.upload));
	take_upload(content);
	if (node) {
		scene_surface_damage(node, &region);
	}
	pixman_region32_fini(&region);
}

/* Applies or drops the upload after a state change, which has updated the missing region. */
void content_match_upload(struct content *content, const pixman_region32_t *damage)
{
	const struct surface_state *state = &content->surface->current;
	if (!content->deferred.upload ||
		(content->deferred.blocker.update && !content->deferred.of_current)) {
		return;
	}
	struct buffer *buffer = upload_buffer(content->deferred.upload);
	if (content->deferred.finished && upload_is_of(content->deferred.upload, state)) {
		show_upload(content);
	} else if (content->deferred.finished || state->buffer_width != buffer->width ||
		   state->buffer_height != buffer->height) {
		content_drop_upload(content);
	} else {
		upload_drop(content->deferred.upload, damage);
	}
}

static uint64_t count_bytes(const struct buffer *buffer, const pixman_region32_t *region)
{
	return (uint64_t)content_upload_bytes(buffer->format, region_area(region));
}

/*
 * Returns whether the next frame can upload `bytes` more. The first test avoids computing the
 * budget for small updates.
 */
static bool fits_budget(const struct content *content, uint64_t bytes)
{
	struct render_device *device = content->device;
	uint64_t due = content_device_from(device)->upload_due + bytes;
	if (due <= UPLOAD_BUDGET_LEAST && content_device_from(device)->upload_budget == 0) {
		return true;
	}
	const struct scene_surface *node = scene_surface_find(content->surface);
	return due <= render_device_upload_budget(device, node ? node->node.scene : NULL);
}

/* Adds the buffer pixels that are visible on the outputs of the device. */
static void add_visible(const struct content *content, pixman_region32_t *seen)
{
	const struct scene_surface *node = scene_surface_find(content->surface);
	pixman_region32_t part;
	pixman_region32_init(&part);
	for (int i = 0; node && i < SCENE_OUTPUTS_MAX; i++) {
		if (content->device->outputs & 1u << i && node->node.entry_index[i] >= 0) {
			const struct scene_output *output = node->node.scene->outputs[i];
			const struct scene_entry *entry =
				&output->entries[node->node.entry_index[i]];
			scene_entry_to_buffer(entry, &part, &entry->visible);
			pixman_region32_union(seen, seen, &part);
		}
	}
	pixman_region32_fini(&part);
}

/* Returns whether the update keeps the mapping from buffer to surface. */
static bool keeps_mapping(const struct surface_state *now, const struct surface_state *next)
{
	const struct viewport *a = &now->viewport, *b = &next->viewport;
	return now->buffer_width == next->buffer_width &&
	       now->buffer_height == next->buffer_height &&
	       (!(next->fields & SURFACE_TRANSFORM) || now->transform == next->transform) &&
	       (!(next->fields & SURFACE_SCALE) || now->scale == next->scale) &&
	       (!(next->fields & SURFACE_VIEWPORT) ||
		       (a->has_src == b->has_src && a->has_dst == b->has_dst &&
			       a->dst_width == b->dst_width && a->dst_height == b->dst_height &&
			       fbox_equal(&a->src, &b->src)));
}

/*
 * Computes the pixels of the update's buffer that will be missing and visible, as far as is known
 * before it applies.
 */
static void find_due(
	const struct content *content, const struct surface_state *next, pixman_region32_t *due)
{
	const struct buffer *buffer = next->buffer;
	pixman_region32_t seen;
	pixman_region32_fini(due);
	pixman_region32_init_rect(due, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	if (!content_fits(content, buffer)) {
		return;
	}
	pixman_region32_init(&seen);
	pixman_region32_union(&seen, (pixman_region32_t *)&content->missing,
		(pixman_region32_t *)&next->buffer_damage);
	pixman_region32_intersect(due, due, &seen);
	if (keeps_mapping(&content->surface->current, next)) {
		pixman_region32_clear(&seen);
		add_visible(content, &seen);
		pixman_region32_intersect(due, due, &seen);
	}
	pixman_region32_fini(&seen);
}

/* Returns a cheap upper bound of the bytes that the update has to upload. */
static uint64_t bound_due(const struct content *content, const struct surface_state *next)
{
	const struct buffer *buffer = next->buffer;
	struct box all = {0, 0, buffer->width, buffer->height};
	if (content_fits(content, buffer) &&
		(!pixman_region32_not_empty((pixman_region32_t *)&content->missing) ||
			content_has_shadow(content))) {
		struct box damage = region_extents(&next->buffer_damage);
		if (!box_intersect(&all, &all, &damage)) {
			return 0;
		}
	}
	return (uint64_t)content_upload_bytes(buffer->format, (int64_t)all.width * all.height);
}

static void handle_uploaded(void *data);

/* Starts to upload a region of the state's buffer. */
static bool begin_upload(
	struct content *content, const struct surface_state *state, const pixman_region32_t *region)
{
	if (!pixman_region32_not_empty((pixman_region32_t *)region)) {
		return false;
	}
	content_drop_upload(content);
	content->deferred.upload = upload_create(content->device, content->surface->loop,
		content->account, state->buffer, state->coding, region, handle_uploaded, content);
	content->deferred.of_current = state == &content->surface->current;
	return content->deferred.upload;
}

bool content_defer_all(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	const struct buffer *buffer = state->buffer;
	struct renderer *renderer = content->device->renderer;
	if (!buffer || !renderer || !renderer_has_staging(renderer) ||
		content->deferred.blocker.update) {
		return false;
	}
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	bool begun = begin_upload(content, state, &all);
	pixman_region32_fini(&all);
	return begun;
}

/*
 * Starts to upload the buffer of an update. Returns false if the upload fits the frame's budget, or
 * cannot be deferred.
 */
static bool begin_update(struct content *content, struct update *update)
{
	const struct surface_state *next = &update->state;
	bool begun = false;
	if (next->buffer && buffer_is_shm(next->buffer)) {
		pixman_region32_t due;
		pixman_region32_init(&due);
		find_due(content, next, &due);
		begun = !fits_budget(content, count_bytes(next->buffer, &due)) &&
			begin_upload(content, next, &due);
		pixman_region32_fini(&due);
	}
	return begun;
}

static void destroy_blocker(struct blocker *blocker)
{
	/* Embedded in the content. */
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

/*
 * Blocks an update that is about to apply, together with its tree, until the part that exceeds its
 * frame's budget is uploaded. An upload starts after the previous one was presented, because a
 * newer update may be merged by then.
 */
static void handle_ready(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, deferred.ready);
	struct render_device *device = content->device;
	struct surface *surface = content->surface;
	struct update *update = data;
	const struct surface_state *next = &update->state;
	if (!(next->fields & SURFACE_BUFFER) || !next->buffer || !buffer_is_shm(next->buffer) ||
		content->pool.buffer || (surface->current.has_content && !surface->visible) ||
		renderer_staging_format(device->renderer, next->buffer) == 0) {
		return;
	}
	if (content->deferred.finished == update && upload_is_of(content->deferred.upload, next)) {
		return;
	}
	uint64_t most = bound_due(content, next);
	if (fits_budget(content, most)) {
		content_device_from(device)->upload_due += most;
		return;
	}
	/* A wait that began with a finished upload is for this update, without newer ones in it. */
	const bool waits = frame_wait_is_active(&content->deferred.shown) &&
			   content->deferred.finished != update && surface->visible;
	if (waits || begin_update(content, update)) {
		content->deferred.finished = NULL;
		blocker_init(&content->deferred.blocker, &blocker_impl, update, 0);
	}
}

/*
 * The previous deferred update was presented: the waiting update may start its upload, which takes
 * the place of one of pixels that became visible.
 */
static void handle_shown(struct frame_wait *wait)
{
	struct content *content = wl_container_of(wait, content, deferred.shown);
	struct update *update = content->deferred.blocker.update;
	if (!update || (content->deferred.upload && !content->deferred.of_current)) {
		return;
	}
	update_absorb(update);
	if (!begin_update(content, update)) {
		blocker_clear(&content->deferred.blocker);
	}
}

static void finish_update(struct content *content, struct update *update)
{
	struct surface *surface = content->surface;
	struct buffer *buffer = upload_buffer(content->deferred.upload);
	if (!upload_is_of(content->deferred.upload, &update->state)) {
		/* A newer update was merged into this one. */
		if (!begin_update(content, update)) {
			content_drop_upload(content);
			blocker_clear(&content->deferred.blocker);
		}
		return;
	}
	content->deferred.finished = update;
	frame_wait_begin(&content->deferred.shown, &update->state);
	blocker_clear(&content->deferred.blocker);
	if (surface->current.buffer == buffer) {
		content_release_if_complete(content);
	}
}

static void handle_uploaded(void *data)
{
	struct content *content = data;
	struct update *update = content->deferred.blocker.update;
	if (update && !content->deferred.of_current) {
		finish_update(content, update);
		return;
	}
	show_upload(content);
	content_release_if_complete(content);
}

bool content_defer_needed(
	struct content *content, const pixman_region32_t *needed, pixman_region32_t *due)
{
	const struct surface_state *state = &content->surface->current;
	pixman_region32_intersect(due, &content->missing, (pixman_region32_t *)needed);
	if (content->deferred.upload && content->deferred.of_current) {
		pixman_region32_subtract(
			due, due, (pixman_region32_t *)upload_region(content->deferred.upload));
	}
	return !fits_budget(content, count_bytes(state->buffer, due)) &&
	       !content->deferred.upload && begin_upload(content, state, due);
}

void content_deferred_init(struct content *content)
{
	struct surface *surface = content->surface;
	struct renderer *renderer = content->device->renderer;
	frame_wait_init(&content->deferred.shown, handle_shown);
	wl_list_init(&content->deferred.ready.link);
	const bool shadow = content_device_from(content->device)->shadow_of;
	if (surface->loop && renderer && renderer_has_staging(renderer) && !shadow) {
		signal_add(&surface->events.ready, &content->deferred.ready, handle_ready);
	}
}

void content_deferred_finish(struct content *content)
{
	wl_list_remove(&content->deferred.ready.link);
	frame_wait_finish(&content->deferred.shown);
	if (content->deferred.blocker.update) {
		/* Apply the update without its upload. */
		blocker_clear(&content->deferred.blocker);
	}
	upload_destroy(content->deferred.upload);
}
