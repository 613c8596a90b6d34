/* SPDX-License-Identifier: MIT */
/* Cache of plane assignments: previous places, the accepted combination, and back-off times. */

#include "assign_search.h"
#include "buffer/buffer.h"
#include <string.h>

/*
 * Back-off of an entry that was refused or has lost its plane, in ns: first, longest, and the time
 * on a plane after which it starts over.
 */
#define BACKOFF_FIRST INT64_C(250000000)
#define BACKOFF_MAX INT64_C(8000000000)
#define BACKOFF_FORGOTTEN INT64_C(2000000000)

static struct assign_fit take_fit(const struct assign_entry *entry)
{
	if (!entry->buffer) {
		return (struct assign_fit){.dst = entry->dst};
	}
	const struct dmabuf *dmabuf = buffer_dmabuf(entry->buffer);
	struct assign_fit fit = {
		.width = entry->buffer->width,
		.height = entry->buffer->height,
		.format = entry->buffer->format,
		.modifier = dmabuf ? dmabuf->modifier : 0,
		.coding = entry->coding,
		.src = entry->src,
		.dst = entry->dst,
		.transform = entry->transform,
		.alpha = entry->alpha,
	};
	for (int i = 0; dmabuf && i < dmabuf->n_planes; i++) {
		fit.strides[i] = dmabuf->stride[i];
	}
	return fit;
}

static bool fit_equal(const struct assign_fit *a, const struct assign_fit *b, bool moved)
{
	bool placed = moved ? a->dst.width == b->dst.width && a->dst.height == b->dst.height
			    : box_equal(&a->dst, &b->dst);
	return placed && a->width == b->width && a->height == b->height && a->format == b->format &&
	       memcmp(a->strides, b->strides, sizeof(a->strides)) == 0 &&
	       a->modifier == b->modifier && color_coding_equal(a->coding, b->coding) &&
	       fbox_equal(&a->src, &b->src) && a->transform == b->transform && a->alpha == b->alpha;
}

/*
 * Compares two combinations. Cursors move often, and a driver's answer does not depend on their
 * position.
 */
bool assign_config_equal(const struct assign_config *a, const struct assign_config *b)
{
	bool equal = a->n == b->n;
	for (int i = 0; equal && i < a->n; i++) {
		equal = a->planes[i].plane == b->planes[i].plane &&
			a->planes[i].zpos == b->planes[i].zpos &&
			fit_equal(&a->planes[i].fit, &b->planes[i].fit,
				a->planes[i].plane->type == PLANE_CURSOR);
	}
	return equal;
}

void assign_describe(const struct assign_search *search, struct assign_config *config)
{
	const struct assign_request *request = search->request;
	*config = (struct assign_config){0};
	bool composes = true;
	for (int i = 0; i < request->n_entries; i++) {
		if (search->want[i] == PLACE_COMPOSED) {
			continue;
		}
		composes &= search->want[i] != PLACE_PRIMARY;
		config->planes[config->n].plane = search->plane[i];
		config->planes[config->n].zpos = search->zpos[i];
		config->planes[config->n++].fit = take_fit(&request->entries[i]);
	}
	if (composes && config->n > 0) {
		struct assign_entry composed = {.buffer = request->composed,
			.dst = {0, 0, request->width, request->height},
			.alpha = 1};
		config->planes[config->n].plane = search->primary;
		config->planes[config->n].zpos = search->primary_zpos;
		config->planes[config->n++].fit = take_fit(&composed);
	}
}

const struct assign_remembered *assign_find(
	const struct assign_cache *cache, const void *id, int at)
{
	if (at < cache->n && cache->entries[at].id == id) {
		return &cache->entries[at];
	}
	for (int i = 0; i < cache->n; i++) {
		if (cache->entries[i].id == id) {
			return &cache->entries[i];
		}
	}
	return NULL;
}

/*
 * Starts the back-off of an entry, or doubles it if the entry had its plane for a short time only.
 */
static void begin_backoff(struct assign_remembered *entry, int64_t stayed, int64_t now)
{
	bool again = entry->backoff > 0 && stayed < BACKOFF_FORGOTTEN;
	entry->backoff = again ? entry->backoff * 2 : BACKOFF_FIRST;
	entry->backoff = entry->backoff < BACKOFF_MAX ? entry->backoff : BACKOFF_MAX;
	entry->backoff_until = now + entry->backoff;
}

bool assign_was_refused(const struct assign_search *search, int index)
{
	const struct assign_remembered *before = search->before[index];
	struct assign_fit fit = take_fit(&search->request->entries[index]);
	return before && before->refused && search->request->now < before->backoff_until &&
	       fit_equal(&fit, &before->fit, false);
}

static struct assign_remembered remember(const struct assign_search *search, int index)
{
	const struct assign_entry *entry = &search->request->entries[index];
	const struct assign_remembered *before = search->before[index];
	int64_t now = search->request->now;
	struct assign_remembered entry_now = {
		.id = entry->id,
		.movable = assign_is_movable(entry),
		.busy = entry->busy,
		.fit = take_fit(entry),
		.place = entry->place,
		.plane = entry->plane,
		.zpos = entry->zpos,
		.reason = entry->reason,
		.since = before && before->place == entry->place ? before->since : now,
		.backoff_until = before ? before->backoff_until : 0,
		.backoff = before ? before->backoff : 0,
		.refused = search->refusal[index] == REFUSAL_TESTED || search->was_refused[index],
	};
	bool lost = before && before->place != PLACE_COMPOSED && entry->place == PLACE_COMPOSED &&
		    entry_now.movable && search->request->allowed;
	if (search->refusal[index] != REFUSAL_NONE) {
		begin_backoff(&entry_now, 0, now);
	} else if (lost && !entry->cursor) {
		begin_backoff(&entry_now, now - before->since, now);
	} else if (entry->place != PLACE_COMPOSED || entry_now.backoff_until <= now) {
		entry_now.backoff_until = 0;
	}
	return entry_now;
}

void assign_accept(struct assign_search *search)
{
	struct assign_request *request = search->request;
	struct assign_cache *cache = request->cache;
	struct assign_remembered entries[ASSIGN_ENTRIES_MAX];
	for (int i = 0; i < request->n_entries; i++) {
		struct assign_entry *entry = &request->entries[i];
		entry->place = search->want[i];
		entry->plane = entry->place == PLACE_COMPOSED ? NULL : search->plane[i];
		entry->zpos = entry->plane ? search->zpos[i] : 0;
		entry->reason = entry->plane ? REASON_BEST : assign_explain(search, i);
		entries[i] = remember(search, i);
	}
	memcpy(cache->entries, entries, (size_t)request->n_entries * sizeof(entries[0]));
	cache->n = request->n_entries;
	cache->primary_zpos = search->primary_zpos;
	cache->valid = true;
	cache->complete = request->complete;
	cache->allowed = request->allowed;
	cache->list = request->list;
	cache->width = request->width;
	cache->height = request->height;
	struct assign_config config;
	assign_describe(search, &config);
	cache->accepted = config;
}

/*
 * Returns whether the entry is unchanged, content aside. The position of a composed cursor matters,
 * since it may lie over other entries.
 */
static bool is_as_before(const struct assign_request *request, int index)
{
	const struct assign_entry *entry = &request->entries[index];
	const struct assign_remembered *before = &request->cache->entries[index];
	struct assign_fit fit = take_fit(entry);
	return before->id == entry->id && before->movable == assign_is_movable(entry) &&
	       before->busy == entry->busy &&
	       (before->backoff_until == 0 || request->now < before->backoff_until) &&
	       ((!before->movable && !entry->cursor) ||
		       fit_equal(&fit, &before->fit, before->place == PLACE_OVER && entry->cursor));
}

/* Reuses the previous assignment, without a test, if only content has changed. */
bool assign_recall(struct assign_search *search)
{
	const struct assign_request *request = search->request;
	const struct assign_cache *cache = request->cache;
	if (!cache->valid || cache->list != request->list || cache->n != request->n_entries ||
		cache->complete != request->complete || cache->allowed != request->allowed ||
		cache->width != request->width || cache->height != request->height) {
		return false;
	}
	for (int i = 0; i < request->n_entries; i++) {
		if (!is_as_before(request, i)) {
			return false;
		}
	}
	for (int i = 0; i < request->n_entries; i++) {
		const struct assign_remembered *before = &cache->entries[i];
		struct assign_entry *entry = &request->entries[i];
		search->want[i] = (uint8_t)before->place;
		search->plane[i] = entry->plane = before->plane;
		search->zpos[i] = entry->zpos = before->zpos;
		entry->place = before->place;
		entry->reason = before->reason;
	}
	search->primary_zpos = cache->primary_zpos;
	struct assign_config config;
	assign_describe(search, &config);
	return assign_config_equal(&config, &cache->accepted);
}

void assign_forget(struct assign_cache *cache, int64_t now)
{
	cache->valid = false;
	cache->accepted = (struct assign_config){0};
	for (int i = 0; i < cache->n; i++) {
		struct assign_remembered *entry = &cache->entries[i];
		if (entry->place != PLACE_COMPOSED) {
			begin_backoff(entry, now - entry->since, now);
			entry->place = PLACE_COMPOSED;
			entry->plane = NULL;
			entry->reason = REASON_REFUSED;
			entry->refused = true;
		}
	}
}
