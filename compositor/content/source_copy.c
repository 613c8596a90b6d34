/* SPDX-License-Identifier: MIT */
/* Copy source: shows copies of another GPU's dma-buf. */

#include "content/device.h"
#include "copies.h"
#include "util/region.h"

/* Rectangles of a stale region, beyond which neighbours are merged. */
#define STALE_MAX 64

/* Bytes per pixel of textures that copy a staging buffer. */
#define TEXTURE_BYTES 4

static bool has_own_pixels(const struct staged_texture *staged)
{
	return staged->texture && !staged->holds;
}

static void mark_stale(struct source_copy *copy, const pixman_region32_t *damage)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		struct staged_texture *staged = &copy->textures[i];
		if (has_own_pixels(staged)) {
			pixman_region32_union(
				&staged->stale, &staged->stale, (pixman_region32_t *)damage);
			region_simplify(&staged->stale, STALE_MAX);
		}
	}
}

static void see(struct content *content)
{
	struct source_copy *copy = content->copy;
	if (!copy) {
		return;
	}
	staging_set_seen(copy->ring, content->seen);
	content_copy_end_wait(content);
	if (!content->seen) {
		content_copy_set_due(copy, 0);
	}
}

static void leave(struct content *content)
{
	struct source_copy *copy = content->copy;
	content->copy = NULL;
	content_copy_end_wait(content);
	if (copy) {
		content_copy_destroy(copy);
		content_charge(content);
	}
}

/* Sets the coding of an update that has not waited for copies of its own. */
static void recode(struct source_copy *copy, const struct surface_state *state)
{
	const struct pixel_format *format = pixel_format_get(copy->format);
	copy->coding = state->coding;
	if (state->fields & SURFACE_BUFFER && state->buffer && format && format->yuv) {
		/* The pixels of earlier buffers have other colours. */
		content_copy_discard(copy);
	} else {
		/* The same pixels are shown in other colours. */
		content_copy_forget(copy);
	}
}

static void applied(struct content *content)
{
	struct source_copy *copy = content->copy;
	const struct surface_state *state = &content->surface->current;
	if (!color_coding_equal(copy->coding, state->coding)) {
		recode(copy, state);
	}
	if (!state->buffer) {
		return;
	}
	bool in_flight = staging_in_flight(copy->ring);
	content_copy_expect(copy, state, &state->buffer_damage);
	mark_stale(copy, &state->buffer_damage);
	if (in_flight && !staging_in_flight(copy->ring)) {
		/* The size has changed: the copy in progress will end without a callback. */
		signal_emit(&copy->device->events.copy_ended, NULL);
	}
	/* Only pixels of visible surfaces are copied. */
	content_copy_set_due(copy, content->seen ? staging_predict(copy->ring, &copy->shown) : 0);
}

/* Takes over the copy, and drops the texture and upload of the previous source. */
static void enter(struct content *content, struct source_copy *copy)
{
	content->copy = copy;
	texture_destroy(content->texture);
	content->texture = NULL;
	content->uploaded = 0;
	content_charge(content);
	if (!content->deferred.blocker.update) {
		content_drop_upload(content);
	}
	buffer_replace(&content->held, NULL);
}

void content_copy_adopt(struct content *content, struct source_copy *copy)
{
	if (content->copy) {
		leave(content);
	}
	copy->arrived = NULL;
	enter(content, copy);
}

/*
 * Returns whether a refused copy ends this source. A completed copy is shown until another source
 * can replace it.
 */
static bool gives_way(struct content *content, struct buffer *buffer)
{
	const struct staging_ring *ring = content->copy->ring;
	bool first = staging_status(ring, &content->copy->shown) == STAGING_ABSENT;
	if (!first && !staging_is_refused_for_good(ring)) {
		return false;
	}
	return content_copy_has_other(content, buffer) || (first && !staging_is_retrying(ring));
}

/* Damages pixels that earlier frames needed and showed older. */
static void damage_late(struct source_copy *copy, const pixman_region32_t *region)
{
	struct scene_surface *scene_surface = scene_surface_find(copy->surface);
	if (scene_surface && pixman_region32_not_empty((pixman_region32_t *)region)) {
		scene_surface_damage(scene_surface, region);
	}
}

/* A copy that ends at once is not reported. */
static void note_late(struct source_copy *copy)
{
	pixman_region32_t late, arrived;
	pixman_region32_init(&late);
	pixman_region32_init(&arrived);
	staging_late(copy->ring, &copy->late, &late);
	pixman_region32_subtract(&arrived, &copy->late, &late);
	damage_late(copy, &arrived);
	staging_late(copy->ring, &copy->shown, &arrived);
	pixman_region32_union(&copy->late, &late, &arrived);
	pixman_region32_fini(&arrived);
	pixman_region32_fini(&late);
}

/* Adds the pixels that the outputs of the device show of the node. */
static void add_shown(
	const struct render_device *device, const struct scene_node *node, pixman_region32_t *shown)
{
	pixman_region32_t part;
	pixman_region32_init(&part);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = node->scene->outputs[i];
		if ((device->outputs >> i & 1) && output && node->entry_index[i] >= 0) {
			const struct scene_entry *entry = &output->entries[node->entry_index[i]];
			scene_entry_to_buffer(entry, &part, &entry->visible);
			pixman_region32_union(shown, shown, &part);
		}
	}
	pixman_region32_fini(&part);
}

/* A GPU cannot show pixels of a buffer that a copy for another output is writing. */
static void note_shown(struct source_copy *copy)
{
	const struct scene_surface *surface = scene_surface_find(copy->surface);
	const struct scene_preview *preview;
	pixman_region32_t shown;
	if (!copy->device->gpu || !surface) {
		return;
	}
	pixman_region32_init(&shown);
	add_shown(copy->device, &surface->node, &shown);
	wl_list_for_each (preview, &surface->previews, link) {
		add_shown(copy->device, &preview->node, &shown);
	}
	staging_set_shown(copy->ring, &shown);
	pixman_region32_fini(&shown);
}

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	if (!content->copy) {
		enter(content, content_copy_create(content, NULL));
		content_copy_expect(content->copy, &content->surface->current, NULL);
	}
	struct source_copy *copy = content->copy;
	const char *reason = NULL;
	if (content->waits) {
		return CONTENT_NONE;
	}
	if (needed) {
		pixman_region32_copy(&copy->shown, (pixman_region32_t *)needed);
	} else {
		region_set_box(&copy->shown, &(struct box){0, 0, buffer->width, buffer->height});
	}
	content_copy_set_due(copy, 0);
	note_shown(copy);
	enum staging_status status =
		content_copy_start(copy, buffer, &copy->shown, content->filtered, &reason);
	content_charge(content);
	copy->refused = status == STAGING_REFUSED ? reason : NULL;
	if (status != STAGING_READY || pixman_region32_not_empty(&copy->late)) {
		note_late(copy);
	}
	content_copy_damage_hidden(copy);
	if (status == STAGING_POINTLESS ||
		(status == STAGING_REFUSED && gives_way(content, buffer))) {
		damage_late(copy, &copy->late);
		damage_late(copy, &copy->hidden);
		content->refused = reason;
		content_miss_all(content);
		return CONTENT_REFUSED;
	}
	if (status == STAGING_READY) {
		content_release_if_complete(content);
		return CONTENT_READY;
	}
	if (status == STAGING_REFUSED && staging_stats(copy->ring).copies == 0) {
		content->refused = reason;
		content->waits = true;
	}
	/* After a refusal, the last completed copy stays on screen. */
	return status == STAGING_REFUSED ? CONTENT_NONE : CONTENT_PENDING;
}

/* A filter reads from one buffer, which can be completed only while the client's is there. */
static bool is_complete(const struct content *content)
{
	const struct source_copy *copy = content->copy;
	return !copy || (staging_is_complete(copy->ring) &&
				(!content->filtered || staging_is_whole(copy->ring)));
}

int64_t content_copy_since(const struct content *content, const pixman_region32_t *needed)
{
	struct staging_ring *ring = content->copy ? content->copy->ring : NULL;
	int64_t since = ring ? staging_since(ring) : 0;
	return since && staging_status(ring, needed) != STAGING_READY ? since : 0;
}

enum content_status content_copy_status(
	const struct content *content, const pixman_region32_t *needed)
{
	const struct source_copy *copy = content->copy;
	if (staging_status(copy->ring, needed) == STAGING_READY) {
		return CONTENT_READY;
	}
	return copy->refused ? CONTENT_NONE : CONTENT_PENDING;
}

static int64_t count_memory(const struct content *content)
{
	const struct source_copy *copy = content->copy;
	int64_t bytes = copy ? content_copy_memory(copy) : 0;
	for (int i = 0; copy && i < STAGING_MAX; i++) {
		const struct texture *texture = copy->textures[i].texture;
		if (has_own_pixels(&copy->textures[i])) {
			bytes += (int64_t)texture->width * texture->height * TEXTURE_BYTES;
		}
	}
	return bytes;
}

static const char *last_engine(const struct content *content)
{
	return content->copy ? staging_stats(content->copy->ring).engine : NULL;
}

static struct buffer *plane_buffer(const struct content *content)
{
	const struct surface_state *state = &content->surface->current;
	const struct box box = {0, 0, state->buffer_width, state->buffer_height};
	struct staging_part parts[STAGING_MAX];
	struct buffer *buffer = NULL;
	if (!content->copy) {
		return NULL;
	}
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, (unsigned)box.width, (unsigned)box.height);
	int n = staging_parts(content->copy->ring, &all, parts);
	if (n == 1 && pixman_region32_equal(&parts[0].region, &all)) {
		buffer = parts[0].buffer;
		buffer->coding = content->copy->coding;
	}
	staging_parts_finish(parts, n);
	pixman_region32_fini(&all);
	return buffer;
}

/*
 * Updates the part's pixels of a texture with own pixels. Pixels that a copy will replace stay
 * stale. Returns false if the renderer cannot read the buffer.
 */
static bool update_part(
	struct source_copy *copy, struct staged_texture *staged, const struct staging_part *part)
{
	bool fresh = !staged->texture, updated = true;
	pixman_region32_t due;
	pixman_region32_init(&due);
	if (fresh) {
		pixman_region32_union_rect(&staged->stale, &staged->stale, 0, 0,
			(unsigned)part->buffer->width, (unsigned)part->buffer->height);
	}
	pixman_region32_intersect(&due, &staged->stale, (pixman_region32_t *)&part->region);
	if (pixman_region32_not_empty(&due)) {
		updated = renderer_texture_update(copy->device->renderer, &staged->texture,
			part->buffer, fresh ? NULL : &due, &staged->holds);
	}
	if (updated && staging_status(copy->ring, &part->region) == STAGING_READY) {
		pixman_region32_subtract(
			&staged->stale, &staged->stale, (pixman_region32_t *)&part->region);
	}
	pixman_region32_fini(&due);
	return updated;
}

/*
 * Returns the texture of a staging buffer, up to date in the part's region, and marks it as read by
 * the pass; NULL if the import failed.
 */
static struct texture *get_texture(struct content *content, const struct staging_part *part)
{
	struct source_copy *copy = content->copy;
	struct staged_texture *staged = &copy->textures[part->index];
	if (staged->serial != part->serial) {
		staged_texture_forget(staged);
		staged->serial = part->serial;
	}
	part->buffer->coding = copy->coding;
	if ((!staged->texture || !staged->holds) && !update_part(copy, staged, part)) {
		return NULL;
	}
	copy->read |= 1u << part->index;
	content_mark_read(content);
	return staged->texture;
}

/*
 * Another output's copy, which began after this output gathered its own, hides the buffer that it
 * writes until its end. So does a copy that began before some pixels became visible.
 */
static void note_absent(struct source_copy *copy, const pixman_region32_t *needed,
	const struct staging_part *parts, int n)
{
	pixman_region32_t absent;
	if (!staging_in_flight(copy->ring)) {
		return;
	}
	pixman_region32_init_rect(&absent, 0, 0, (unsigned)copy->width, (unsigned)copy->height);
	pixman_region32_intersect(&absent, &absent, (pixman_region32_t *)needed);
	for (int i = 0; i < n; i++) {
		pixman_region32_subtract(&absent, &absent, (pixman_region32_t *)&parts[i].region);
	}
	pixman_region32_union(&copy->hidden, &copy->hidden, &absent);
	region_simplify(&copy->hidden, STALE_MAX);
	pixman_region32_fini(&absent);
}

static int find_parts(struct content *content, const pixman_region32_t *needed,
	struct content_part parts[static CONTENT_PARTS_MAX])
{
	_Static_assert(STAGING_MAX <= CONTENT_PARTS_MAX, "each staging buffer may be a part");
	struct staging_part staging[STAGING_MAX];
	int n = 0;
	int n_staging = staging_parts(content->copy->ring, needed, staging);
	note_absent(content->copy, needed, staging, n_staging);
	for (int i = 0; i < n_staging; i++) {
		struct texture *texture = get_texture(content, &staging[i]);
		if (texture) {
			parts[n].texture = texture;
			pixman_region32_init(&parts[n].region);
			pixman_region32_copy(&parts[n].region, &staging[i].region);
			n++;
		}
	}
	staging_parts_finish(staging, n_staging);
	if (n < n_staging) {
		content_retry_later(content);
	}
	return n;
}

static void before_pass(struct content *content, const pixman_region32_t *needed)
{
	struct content_part parts[CONTENT_PARTS_MAX];
	content_parts_finish(parts, find_parts(content, needed, parts));
}

static void pass_ended(struct content *content, int fence)
{
	struct source_copy *copy = content->copy;
	for (int i = 0; i < STAGING_MAX; i++) {
		if (copy->read & 1u << i) {
			staging_read(copy->ring, i, fence);
		}
	}
	copy->read = 0;
}

const struct content_source_impl content_source_copy = {
	.prepare = prepare,
	.applied = applied,
	.see = see,
	.before_pass = before_pass,
	.parts = find_parts,
	.pass_ended = pass_ended,
	.plane_buffer = plane_buffer,
	.is_complete = is_complete,
	.bytes = count_memory,
	.engine = last_engine,
	.leave = leave,
};
