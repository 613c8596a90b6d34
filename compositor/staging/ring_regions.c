/* SPDX-License-Identifier: MIT */
/* Regions of a staging ring: which buffer has which pixels. */

#include "staging/ring_regions.h"
#include "util/region.h"
#include <assert.h>

/* Number of rectangles that a slot lacks, above which fragments are forgotten. */
#define FRAGMENTS_MAX 48
/* Number of owed rectangles above which they are merged: clients add some with each update. */
#define OWED_MAX 64

void ring_init(struct ring *ring, bool exclusive)
{
	*ring = (struct ring){.exclusive = exclusive};
	pixman_region32_init(&ring->owed);
	pixman_region32_init(&ring->visible);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_init(&ring->slots[i].missing);
		pixman_region32_init(&ring->slots[i].written);
		pixman_region32_init(&ring->slots[i].news);
	}
}

void ring_finish(struct ring *ring)
{
	pixman_region32_fini(&ring->owed);
	pixman_region32_fini(&ring->visible);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_fini(&ring->slots[i].missing);
		pixman_region32_fini(&ring->slots[i].written);
		pixman_region32_fini(&ring->slots[i].news);
	}
}

static void set_all(const struct ring *ring, pixman_region32_t *region)
{
	struct box all = {0, 0, ring->width, ring->height};
	region_set_box(region, &all);
}

void ring_resize(struct ring *ring, int32_t width, int32_t height)
{
	ring->width = width;
	ring->height = height;
	ring->full = false;
	set_all(ring, &ring->owed);
	for (int i = 0; i < STAGING_MAX; i++) {
		struct ring_slot *slot = &ring->slots[i];
		slot->exists = slot->writing = slot->busy = slot->retired = false;
		set_all(ring, &slot->missing);
		pixman_region32_clear(&slot->written);
		pixman_region32_clear(&slot->news);
	}
}

void ring_damage(struct ring *ring, const pixman_region32_t *damage)
{
	pixman_region32_union(&ring->owed, &ring->owed, (pixman_region32_t *)damage);
	pixman_region32_intersect_rect(
		&ring->owed, &ring->owed, 0, 0, (unsigned)ring->width, (unsigned)ring->height);
	region_simplify(&ring->owed, OWED_MAX);
}

void ring_set_visible(struct ring *ring, const pixman_region32_t *visible)
{
	pixman_region32_intersect_rect(&ring->visible, (pixman_region32_t *)visible, 0, 0,
		(unsigned)ring->width, (unsigned)ring->height);
}

void ring_add(struct ring *ring, int index)
{
	struct ring_slot *slot = &ring->slots[index];
	assert(!slot->exists);
	slot->exists = true;
	slot->writing = slot->busy = false;
	set_all(ring, &slot->missing);
}

static bool is_readable(const struct ring *ring, const struct ring_slot *slot)
{
	return slot->exists && !(ring->exclusive && slot->writing);
}

void ring_only(const struct ring *ring, int index, pixman_region32_t *out)
{
	pixman_region32_t others;
	pixman_region32_init(&others);
	set_all(ring, &others);
	/* Pixels that all others lack ... */
	for (int i = 0; i < STAGING_MAX; i++) {
		if (i != index && is_readable(ring, &ring->slots[i])) {
			pixman_region32_intersect(
				&others, &others, (pixman_region32_t *)&ring->slots[i].missing);
		}
	}
	/* ... and this one has. */
	if (ring->slots[index].exists) {
		pixman_region32_subtract(
			out, &others, (pixman_region32_t *)&ring->slots[index].missing);
	} else {
		pixman_region32_clear(out);
	}
	pixman_region32_fini(&others);
}

void ring_remove(struct ring *ring, int index)
{
	struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	pixman_region32_union(&ring->owed, &ring->owed, &only);
	pixman_region32_union(&ring->owed, &ring->owed, &slot->news);
	pixman_region32_fini(&only);
	pixman_region32_clear(&slot->written);
	pixman_region32_clear(&slot->news);
	slot->exists = slot->writing = slot->busy = slot->retired = false;
	ring->full = false;
	set_all(ring, &slot->missing);
}

bool ring_retire(struct ring *ring, int index)
{
	pixman_region32_t only;
	bool others = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		others |= i != index && (slot->exists ? !slot->retired : !ring->full);
	}
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	ring->slots[index].retired = others && pixman_region32_not_empty(&only);
	pixman_region32_fini(&only);
	return ring->slots[index].retired;
}

void ring_fresh(
	const struct ring *ring, int index, const pixman_region32_t *region, pixman_region32_t *out)
{
	pixman_region32_copy(out, (pixman_region32_t *)&ring->owed);
	for (int i = 0; i < STAGING_MAX; i++) {
		if (i != index) {
			pixman_region32_union(out, out, (pixman_region32_t *)&ring->slots[i].news);
		}
	}
	pixman_region32_intersect(out, out, (pixman_region32_t *)region);
}

int ring_find_sibling(const struct ring *ring, int index, const pixman_region32_t *region)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		pixman_region32_t lacks;
		bool has;
		if (i == index || !slot->exists || slot->writing) {
			continue;
		}
		pixman_region32_init(&lacks);
		pixman_region32_intersect(
			&lacks, (pixman_region32_t *)&slot->missing, (pixman_region32_t *)region);
		has = !pixman_region32_not_empty(&lacks);
		pixman_region32_fini(&lacks);
		if (has) {
			return i;
		}
	}
	return -1;
}

/* Stores the invisible pixels that no other slot has up to date, or is being given. */
static void find_hidden(const struct ring *ring, int index, pixman_region32_t *out)
{
	pixman_region32_t lacks;
	pixman_region32_init(&lacks);
	set_all(ring, out);
	pixman_region32_subtract(out, out, (pixman_region32_t *)&ring->visible);
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		if (!slot->exists) {
			continue;
		}
		pixman_region32_subtract(&lacks, (pixman_region32_t *)&slot->missing,
			(pixman_region32_t *)&slot->written);
		if (i == index) {
			pixman_region32_subtract(out, out, &lacks);
		} else {
			pixman_region32_intersect(out, out, &lacks);
		}
	}
	pixman_region32_subtract(&lacks, (pixman_region32_t *)&ring->slots[index].news,
		(pixman_region32_t *)&ring->visible);
	pixman_region32_union(out, out, &lacks);
	pixman_region32_fini(&lacks);
}

static void forget_hidden(struct ring *ring, int index)
{
	struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t hidden;
	pixman_region32_init(&hidden);
	find_hidden(ring, index, &hidden);
	pixman_region32_union(&slot->missing, &slot->missing, &hidden);
	pixman_region32_subtract(&slot->written, &slot->written, &hidden);
	pixman_region32_subtract(&slot->news, &slot->news, &hidden);
	pixman_region32_union(&ring->owed, &ring->owed, &hidden);
	region_simplify(&ring->owed, OWED_MAX);
	pixman_region32_fini(&hidden);
}

/* Returns the number of slots that exist or may be added. */
static int count_slots(const struct ring *ring)
{
	int n = 0;
	for (int i = 0; i < STAGING_MAX; i++) {
		n += !ring->full || ring->slots[i].exists;
	}
	return n;
}

/*
 * Forgets invisible pixels of all slots but the one that is written, and one more if a third slot
 * remains. The end of the copy completes the slot in all visible pixels, so that pixels which
 * become visible during the copy are in two slots, and the next copy writes to another.
 */
static void thin_out(struct ring *ring, int written)
{
	int keeper = -1;
	int64_t most = 0;
	pixman_region32_t hidden;
	pixman_region32_init(&hidden);
	for (int i = 0; i < STAGING_MAX && count_slots(ring) > 2; i++) {
		if (i == written || !ring->slots[i].exists) {
			continue;
		}
		find_hidden(ring, i, &hidden);
		int64_t area = region_area(&hidden);
		if (area > most) {
			keeper = i;
			most = area;
		}
	}
	pixman_region32_fini(&hidden);
	for (int i = 0; i < STAGING_MAX; i++) {
		if (i != written && i != keeper && ring->slots[i].exists) {
			forget_hidden(ring, i);
		}
	}
}

void ring_begin(struct ring *ring, int index, const pixman_region32_t *region)
{
	struct ring_slot *slot = &ring->slots[index];
	assert(slot->exists && !slot->writing);
	slot->writing = true;
	slot->begun = ++ring->n_begun;
	pixman_region32_copy(&slot->written, (pixman_region32_t *)region);
	ring_fresh(ring, index, region, &slot->news);
	pixman_region32_subtract(&ring->owed, &ring->owed, (pixman_region32_t *)region);
	pixman_region32_union(&slot->missing, &slot->missing, (pixman_region32_t *)region);
	if (ring->exclusive) {
		thin_out(ring, index);
	}
}

/* Drops fragments that other slots have too, to keep regions simple. */
static void forget_fragments(struct ring *ring, int index)
{
	struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	if (!slot->exists || slot->writing ||
		pixman_region32_n_rects(&slot->missing) <= FRAGMENTS_MAX) {
		return;
	}
	/*
	 * Keep the pixels that only this buffer has: they were copied while visible and may be
	 * occluded now.
	 */
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	if (ring->exclusive) {
		/* The next copy completes this slot: the less it lacks, the less crosses. */
		struct box extents = region_extents(&slot->missing);
		region_set_box(&slot->missing, &extents);
	} else {
		set_all(ring, &slot->missing);
	}
	pixman_region32_subtract(&slot->missing, &slot->missing, &only);
	pixman_region32_fini(&only);
}

void ring_end(struct ring *ring, int index, bool good, pixman_region32_t *region)
{
	struct ring_slot *slot = &ring->slots[index];
	pixman_region32_copy(region, &slot->news);
	if (good) {
		pixman_region32_subtract(&slot->missing, &slot->missing, &slot->written);
	} else {
		ring_damage(ring, &slot->news);
	}
	for (int i = 0; good && i < STAGING_MAX; i++) {
		struct ring_slot *other = &ring->slots[i];
		if (i == index) {
			continue;
		}
		pixman_region32_union(&other->missing, &other->missing, &slot->news);
		if (other->begun < slot->begun) {
			/* A copy in flight that started earlier is outdated there. */
			pixman_region32_subtract(&other->written, &other->written, &slot->news);
			pixman_region32_subtract(&other->news, &other->news, &slot->news);
		}
	}
	slot->writing = false;
	pixman_region32_clear(&slot->written);
	pixman_region32_clear(&slot->news);
	for (int i = 0; good && i < STAGING_MAX; i++) {
		if (i != index) {
			forget_fragments(ring, i);
		}
	}
}

void ring_take(const struct ring *ring, int index, pixman_region32_t *left, pixman_region32_t *part)
{
	const struct ring_slot *slot = &ring->slots[index];
	if (!is_readable(ring, slot)) {
		pixman_region32_clear(part);
		return;
	}
	pixman_region32_subtract(part, left, (pixman_region32_t *)&slot->missing);
	pixman_region32_subtract(left, left, part);
}

void ring_late(const struct ring *ring, const pixman_region32_t *needed, pixman_region32_t *out)
{
	pixman_region32_copy(out, (pixman_region32_t *)&ring->owed);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_union(out, out, (pixman_region32_t *)&ring->slots[i].news);
	}
	pixman_region32_intersect(out, out, (pixman_region32_t *)needed);
}

enum staging_status ring_status(const struct ring *ring, const pixman_region32_t *needed)
{
	pixman_region32_t left, part;
	pixman_region32_init(&left);
	pixman_region32_init(&part);
	ring_late(ring, needed, &left);
	bool late = pixman_region32_not_empty(&left);
	pixman_region32_intersect_rect(&left, (pixman_region32_t *)needed, 0, 0,
		(unsigned)ring->width, (unsigned)ring->height);
	for (int i = 0; i < STAGING_MAX; i++) {
		ring_take(ring, i, &left, &part);
	}
	bool absent = pixman_region32_not_empty(&left);
	pixman_region32_fini(&part);
	pixman_region32_fini(&left);
	return absent ? STAGING_ABSENT : late ? STAGING_LATE : STAGING_READY;
}
