/*
 * The content of surfaces (and of images of our own) on a device: a texture, and what it still misses.
 *
 * Pixels that nobody can see are not uploaded; they stay owed, and the client's buffer stays locked
 * by the surface until nothing misses any of it.
 */

#include "frame/content.h"
#include "buffer/shm.h"
#include "frame/frame.h"
#include "frame/staged.h"
#include "frame/upload.h"
#include "surface/transaction.h"
#include "util/region.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct content {
	struct addon addon; /* on the surface, owner: the device */
	struct wl_list link; /* frame_device.contents */
	struct frame_device *device;
	struct surface *surface;
	struct texture *texture;
	/** In place of the texture, where buffers live on another GPU. */
	struct staged *staged;
	bool refused; /* no engine copies the current buffer */
	bool filtered;
	/** The texture reads this buffer's own memory; locked. */
	struct buffer *held;
	uint32_t uploaded; /* format of what was uploaded to the texture; 0: nothing was */
	/** Buffer pixels changed since the texture was written. */
	pixman_region32_t missing;
	/** The surface has another buffer than the texture was made of. */
	bool stale;
	/** What is too much for a frame, on its way; NULL: nothing is. */
	struct upload *upload;
	struct blocker blocker; /* of the update that waits for it; update NULL: none does */
	const struct update *brought; /* the update that it was for, until that applies */
	struct frame_callback latched; /* of what came so last */
	bool unlatched; /* which no frame has shown yet: the next one waits for that */
	struct wl_listener applied, ready;
};

struct content_image {
	struct addon addon; /* on the buffer, owner: the device */
	struct wl_list link; /* frame_device.images */
	struct texture *texture;
};

static void content_destroy(struct content *content)
{
	addon_finish(&content->addon);
	wl_list_remove(&content->link);
	wl_list_remove(&content->applied.link);
	wl_list_remove(&content->ready.link);
	wl_list_remove(&content->latched.link);
	if (content->blocker.update) {
		/* It applies without. */
		blocker_clear(&content->blocker);
	}
	upload_destroy(content->upload);
	staged_destroy(content->staged);
	texture_destroy(content->texture);
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

static void miss_all(struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	pixman_region32_fini(&content->missing);
	pixman_region32_init_rect(&content->missing, 0, 0, (unsigned)state->buffer_width,
		(unsigned)state->buffer_height);
}

/* The texture is one of uploads from buffers of that kind. */
static bool fits(const struct content *content, const struct buffer *buffer)
{
	const struct texture *texture = content->texture;
	return texture && content->uploaded == buffer->format && texture->width == buffer->width &&
	       texture->height == buffer->height;
}

static void drop_upload(struct content *content)
{
	upload_destroy(content->upload);
	content->upload = NULL;
	content->brought = NULL;
}

/* What the thread has brought becomes part of the texture. */
static void take_upload(struct content *content)
{
	struct upload *upload = content->upload;
	struct buffer *buffer = upload_buffer(upload);
	struct frame_device *device = content->device;
	const struct render_stats *stats = &device->renderer->stats;
	uint64_t before = stats->bytes_uploaded;
	const struct box whole = {0, 0, buffer->width, buffer->height};
	const struct box box = region_extents(upload_region(upload));
	bool useful = pixman_region32_not_empty((pixman_region32_t *)upload_region(upload)) &&
		      (fits(content, buffer) || box_equal(&box, &whole));
	if (useful && upload_apply(upload, &content->texture)) {
		pixman_region32_subtract(&content->missing, &content->missing,
			(pixman_region32_t *)upload_region(upload));
		content->surface->bytes_uploaded += stats->bytes_uploaded - before;
		content->uploaded = buffer->format;
		content->stale = false;
	}
	drop_upload(content);
}

/* The content is new, and what it misses is known: what does an upload bring to it? */
static void meet_upload(struct content *content, const pixman_region32_t *damage)
{
	const struct surface_state *state = &content->surface->current;
	if (!content->upload || content->blocker.update) {
		return;
	}
	struct buffer *buffer = upload_buffer(content->upload);
	if (content->brought && state->buffer == buffer) {
		take_upload(content);
	} else if (content->brought || state->buffer_width != buffer->width ||
		   state->buffer_height != buffer->height) {
		drop_upload(content);
	} else {
		upload_drop(content->upload, damage);
	}
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, applied);
	const struct surface_state *state = &content->surface->current;

	if (content->staged) {
		staged_applied(content->staged);
	}
	if (state->fields & SURFACE_BUFFER) {
		content->stale = true;
		content->refused = false;
		/* The client may have its old buffer back: nothing is drawn from it any more. */
		buffer_replace(&content->held, NULL);
	}
	if (!state->has_content) {
		/* What comes next has nothing to do with what was, and may say so by no damage. */
		texture_destroy(content->texture);
		content->texture = NULL;
	}
	const struct texture *texture = content->texture;
	if (!texture || texture->width != state->buffer_width ||
		texture->height != state->buffer_height) {
		miss_all(content);
		meet_upload(content, &content->missing);
		return;
	}
	const pixman_region32_t *damage = &state->buffer_damage;
	pixman_region32_union(&content->missing, &content->missing, (pixman_region32_t *)damage);
	/* A bigger buffer may have come and gone unseen. */
	pixman_region32_intersect_rect(&content->missing, &content->missing, 0, 0,
		(unsigned)state->buffer_width, (unsigned)state->buffer_height);
	meet_upload(content, damage);
}

struct content *content_find(struct surface *surface, struct frame_device *device)
{
	struct addon *addon = addon_find(&surface->addons, device, &content_impl);
	struct content *content;
	return addon ? wl_container_of(addon, content, addon) : NULL;
}

static void handle_ready(struct wl_listener *listener, void *data);
static void handle_latched(struct frame_callback *callback, uint32_t ms);
static void handle_latch_dropped(struct frame_callback *callback);

struct content *content_get(struct surface *surface, struct frame_device *device)
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
	miss_all(content);
	addon_init(&content->addon, &surface->addons, device, &content_impl);
	wl_list_insert(&device->contents, &content->link);
	content->applied.notify = handle_applied;
	wl_signal_add(&surface->events.applied, &content->applied);
	content->latched.done = handle_latched;
	content->latched.drop = handle_latch_dropped;
	wl_list_init(&content->latched.link);
	content->ready.notify = handle_ready;
	wl_list_init(&content->ready.link);
	if (surface->loop && device->renderer && renderer_has_staging(device->renderer)) {
		wl_signal_add(&surface->events.ready, &content->ready);
	}
	return content;
}

void content_expect(struct surface *surface, struct frame_device *device)
{
	if (device->renderer && renderer_has_staging(device->renderer)) {
		content_get(surface, device);
	}
}

struct texture *content_texture(struct content *content)
{
	return content->texture;
}

static bool is_complete(struct surface *surface, struct frame_device *device)
{
	struct content *content = content_find(surface, device);
	if (content && content->staged) {
		return staged_is_complete(content->staged);
	}
	return content && !content->stale && !content->held &&
	       !pixman_region32_not_empty(&content->missing);
}

/*
 * Once no device misses any of it, a buffer that was only uploaded from is the client's again. One
 * that has not shown the surface so far may come to: a window moves to another screen, or is captured.
 */
static void release_if_complete(struct surface *surface, struct frame_device *device)
{
	struct frame_device *peer;
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

static enum content_status what_there_is(const struct content *content)
{
	return content->texture && !content->stale ? CONTENT_READY : CONTENT_NONE;
}

void content_set_filtered(struct content *content, bool filtered)
{
	content->filtered = filtered;
}

struct staged *content_staged(struct content *content)
{
	return content->staged;
}

static bool is_foreign(const struct content *content, const struct buffer *buffer)
{
	const struct frame_device *device = content->device;
	const struct gpu *own = device->gpu ? device->gpu : device->display;
	return device->copier && buffer->home && buffer->home != own && !content->refused;
}

/* False: nobody copies it, so it takes the road of those that are at home. */
static bool prepare_staged(struct content *content, struct buffer *buffer,
	const pixman_region32_t *needed, enum content_status *status)
{
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	if (!content->staged) {
		content->staged = staged_create(content->surface, content->device);
		texture_destroy(content->texture);
		content->texture = NULL;
		content->uploaded = 0;
		drop_upload(content);
		buffer_replace(&content->held, NULL);
	}
	*status = staged_prepare(content->staged, buffer, needed ? needed : &all, content->filtered,
		&content->refused);
	pixman_region32_fini(&all);
	if (content->refused) {
		staged_destroy(content->staged);
		content->staged = NULL;
		miss_all(content);
		/* Laid out by another GPU's rules, it can be read by nobody else. */
		return buffer_dmabuf(buffer)->modifier != DRM_FORMAT_MOD_LINEAR;
	}
	if (*status == CONTENT_READY) {
		release_if_complete(content->surface, content->device);
	}
	return true;
}

bool content_gather(struct frame_device *device, const struct scene_entry *entries, int n_entries)
{
	bool late = false;
	for (int i = 0; device->copier && i < n_entries; i++) {
		const struct scene_entry *entry = &entries[i];
		if (!entry->node || entry->node->type != SCENE_SURFACE) {
			continue;
		}
		struct surface *surface = scene_surface_from_node(entry->node)->surface;
		struct buffer *buffer = surface->current.buffer;
		if (!buffer || !buffer->home || !buffer_dmabuf(buffer)) {
			continue;
		}
		struct content *content = content_get(surface, device);
		if (!is_foreign(content, buffer)) {
			continue;
		}
		pixman_region32_t needed;
		pixman_region32_init(&needed);
		scene_entry_to_buffer(entry, &needed, &entry->visible);
		content->filtered = !entry->unscaled;
		content_prepare(content, &needed);
		late |= content->staged && staged_is_late(content->staged, &needed);
		pixman_region32_fini(&needed);
	}
	return late;
}

enum content_status content_prepare(struct content *content, const pixman_region32_t *needed)
{
	struct buffer *buffer = content->surface->current.buffer;
	enum content_status status;
	if (!buffer) {
		return content->staged ? CONTENT_READY : what_there_is(content);
	}
	if (!is_foreign(content, buffer)) {
		staged_destroy(content->staged);
		content->staged = NULL;
	} else if (prepare_staged(content, buffer, needed, &status)) {
		return status;
	}

	pixman_region32_t due;
	pixman_region32_init(&due);
	pixman_region32_copy(&due, &content->missing);
	if (needed) {
		pixman_region32_intersect(&due, &due, (pixman_region32_t *)needed);
	}
	bool same_size = content->texture && content->texture->width == buffer->width &&
			 content->texture->height == buffer->height;
	if (same_size && !content->stale && !pixman_region32_not_empty(&due)) {
		pixman_region32_fini(&due);
		return CONTENT_READY;
	}

	bool holds = false;
	const struct render_stats *stats = &content->device->renderer->stats;
	uint64_t uploaded_before = stats->bytes_uploaded;
	bool updated = renderer_texture_update(content->device->renderer, &content->texture, buffer,
		same_size ? &due : NULL, &holds);
	content->surface->bytes_uploaded += stats->bytes_uploaded - uploaded_before;
	content->device->upload_due += stats->bytes_uploaded - uploaded_before;
	if (updated) {
		content->uploaded = holds ? 0 : buffer->format;
		if (holds || !same_size) {
			/* It is all there: the buffer itself, or uploaded as a whole. */
			pixman_region32_clear(&content->missing);
		} else {
			pixman_region32_subtract(&content->missing, &content->missing, &due);
		}
		content->stale = false;
		buffer_replace(&content->held, holds ? buffer : NULL);
		if (!holds && buffer_is_shm(buffer)) {
			release_if_complete(content->surface, content->device);
		}
	}
	pixman_region32_fini(&due);
	return what_there_is(content);
}

/* Uploads beside the frames */

static uint64_t count_bytes(const struct buffer *buffer, const pixman_region32_t *region)
{
	return (uint64_t)region_area(region) * pixel_format_get(buffer->format)->bytes[0];
}

/* Adds what the outputs of the device show of it now. */
static void add_seen(const struct content *content, pixman_region32_t *seen)
{
	const struct scene_surface *node = scene_surface_find(content->surface);
	pixman_region32_t part;
	pixman_region32_init(&part);
	for (int i = 0; node && i < SCENE_MAX_OUTPUTS; i++) {
		const struct scene_output *output = node->node.scene->outputs[i];
		const struct frame_output *frame = output ? frame_output_find(output) : NULL;
		if (frame && frame->device == content->device && node->node.entry_index[i] >= 0) {
			const struct scene_entry *entry =
				&output->entries[node->node.entry_index[i]];
			scene_entry_to_buffer(entry, &part, &entry->visible);
			pixman_region32_union(seen, seen, &part);
		}
	}
	pixman_region32_fini(&part);
}

/* The update shows as much of the buffer as is shown now, and at the same place. */
static bool keeps_place(const struct surface_state *now, const struct surface_state *next)
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

/* What of the update's buffer is missing and will show: as far as is known before it applies. */
static void find_due(
	const struct content *content, const struct surface_state *next, pixman_region32_t *due)
{
	const struct buffer *buffer = next->buffer;
	pixman_region32_t seen;
	pixman_region32_fini(due);
	pixman_region32_init_rect(due, 0, 0, (unsigned)buffer->width, (unsigned)buffer->height);
	if (!fits(content, buffer)) {
		return;
	}
	pixman_region32_init(&seen);
	pixman_region32_union(&seen, (pixman_region32_t *)&content->missing,
		(pixman_region32_t *)&next->buffer_damage);
	pixman_region32_intersect(due, due, &seen);
	if (keeps_place(&content->surface->current, next)) {
		pixman_region32_clear(&seen);
		add_seen(content, &seen);
		pixman_region32_intersect(due, due, &seen);
	}
	pixman_region32_fini(&seen);
}

/* At most so much: what costs little to find out. */
static uint64_t bound_due(const struct content *content, const struct surface_state *next)
{
	const struct buffer *buffer = next->buffer;
	struct box all = {0, 0, buffer->width, buffer->height};
	if (fits(content, buffer) &&
		!pixman_region32_not_empty((pixman_region32_t *)&content->missing)) {
		struct box damage = region_extents(&next->buffer_damage);
		if (!box_intersect(&all, &all, &damage)) {
			return 0;
		}
	}
	return (uint64_t)all.width * (uint64_t)all.height *
	       pixel_format_get(buffer->format)->bytes[0];
}

static void handle_uploaded(void *data);

static bool begin_upload(
	struct content *content, struct buffer *buffer, const pixman_region32_t *region)
{
	drop_upload(content);
	content->upload = upload_create(
		content->device, content->surface->loop, buffer, region, handle_uploaded, content);
	return content->upload;
}

/* False: it need not, or cannot, be brought before the update applies. */
static bool begin_update(struct content *content, struct update *update)
{
	struct frame_device *device = content->device;
	const struct surface_state *next = &update->state;
	bool begun = false;
	if (next->buffer && buffer_is_shm(next->buffer)) {
		pixman_region32_t due;
		pixman_region32_init(&due);
		find_due(content, next, &due);
		begun = device->upload_due + count_bytes(next->buffer, &due) >
				device->upload_budget &&
			begin_upload(content, next->buffer, &due);
		pixman_region32_fini(&due);
	}
	return begun;
}

static void destroy_blocker(struct blocker *blocker)
{
	/* Part of the content. */
}

static const struct blocker_impl blocker_impl = {.destroy = destroy_blocker};

/*
 * The update is about to apply. What its frame could not bear to upload is uploaded first, while the
 * surface, and all of the tree that applies together with it, stays as it is; and not sooner than what
 * came so before has been shown, since something newer may come in its place.
 */
static void handle_ready(struct wl_listener *listener, void *data)
{
	struct content *content = wl_container_of(listener, content, ready);
	struct frame_device *device = content->device;
	struct surface *surface = content->surface;
	struct update *update = data;
	const struct surface_state *next = &update->state;
	if (!(next->fields & SURFACE_BUFFER) || !next->buffer || !buffer_is_shm(next->buffer) ||
		(surface->current.has_content && !surface->visible)) {
		return;
	}
	if (content->brought == update && upload_buffer(content->upload) == next->buffer) {
		return;
	}
	uint64_t most = bound_due(content, next);
	if (device->upload_due + most <= device->upload_budget) {
		device->upload_due += most;
		return;
	}
	if ((content->unlatched && surface->visible) || begin_update(content, update)) {
		content->brought = NULL;
		blocker_init(&content->blocker, &blocker_impl, update, 0);
	}
}

/* The one before is shown: the turn of the update that waits. */
static void handle_latched(struct frame_callback *callback, uint32_t ms)
{
	struct content *content = wl_container_of(callback, content, latched);
	struct update *update = content->blocker.update;
	content->unlatched = false;
	if (!update || content->upload) {
		return;
	}
	update_absorb(update);
	if (!begin_update(content, update)) {
		blocker_clear(&content->blocker);
	}
}

static void handle_latch_dropped(struct frame_callback *callback)
{
	struct content *content = wl_container_of(callback, content, latched);
	content->unlatched = false;
}

static void finish_update(struct content *content, struct update *update)
{
	struct surface *surface = content->surface;
	struct buffer *buffer = upload_buffer(content->upload);
	if (update->state.buffer != buffer) {
		/* Something newer was merged into it. */
		if (!begin_update(content, update)) {
			drop_upload(content);
			blocker_clear(&content->blocker);
		}
		return;
	}
	content->brought = update;
	if (!content->unlatched) {
		content->unlatched = true;
		wl_list_insert(update->state.frame_callbacks.prev, &content->latched.link);
		update->state.fields |= SURFACE_FRAME;
	}
	blocker_clear(&content->blocker);
	if (surface->current.buffer == buffer) {
		release_if_complete(surface, content->device);
	}
}

static void handle_uploaded(void *data)
{
	struct content *content = data;
	struct surface *surface = content->surface;
	struct update *update = content->blocker.update;
	if (update) {
		finish_update(content, update);
		return;
	}
	pixman_region32_t region;
	pixman_region32_init(&region);
	pixman_region32_copy(&region, (pixman_region32_t *)upload_region(content->upload));
	take_upload(content);
	struct scene_surface *node = scene_surface_find(surface);
	if (node) {
		scene_surface_damage(node, &region);
	}
	pixman_region32_fini(&region);
	release_if_complete(surface, content->device);
}

enum content_status content_refresh(struct content *content, const pixman_region32_t *needed)
{
	struct frame_device *device = content->device;
	struct buffer *buffer = content->surface->current.buffer;
	if (!buffer || !buffer_is_shm(buffer) || !content->surface->loop ||
		!renderer_has_staging(device->renderer) || !fits(content, buffer)) {
		return content_prepare(content, needed);
	}
	pixman_region32_t due;
	pixman_region32_init(&due);
	pixman_region32_intersect(&due, &content->missing, (pixman_region32_t *)needed);
	if (content->upload && !content->blocker.update && !content->brought) {
		pixman_region32_subtract(
			&due, &due, (pixman_region32_t *)upload_region(content->upload));
	}
	bool much = device->upload_due + count_bytes(buffer, &due) > device->upload_budget;
	enum content_status status = CONTENT_PENDING;
	if (!much || content->upload || !begin_upload(content, buffer, &due)) {
		status = content_prepare(content, &due);
	}
	pixman_region32_fini(&due);
	return status;
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

struct texture *content_image(struct frame_device *device, struct buffer *buffer)
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

void content_drop_all(struct frame_device *device)
{
	struct content *content, *next;
	wl_list_for_each_safe (content, next, &device->contents, link) {
		content_destroy(content);
	}
	upload_finish_all(device);
	struct content_image *image, *next_image;
	wl_list_for_each_safe (image, next_image, &device->images, link) {
		image_destroy(image);
	}
}
