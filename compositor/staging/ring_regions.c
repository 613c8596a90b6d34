/* SPDX-License-Identifier: MIT */
/* Regions of a staging ring: which buffer has which pixels. */

#include "staging/ring_regions.h"
#include "util/region.h"
#include <assert.h>

/* Number of rectangles above which the content is consolidated. */
#define PIECES_MAX 96
/* Number of owed rectangles above which they are merged: clients add some with each update. */
#define OWED_MAX 64

void ring_init(struct ring *ring, bool exclusive)
{
	*ring = (struct ring){.exclusive = exclusive};
	pixman_region32_init(&ring->owed);
	for (int i = 0; i < STAGING_MAX; i++) {
		pixman_region32_init(&ring->slots[i].missing);
		pixman_region32_init(&ring->slots[i].written);
		pixman_region32_init(&ring->slots[i].news);
	}
}

void ring_finish(struct ring *ring)
{
	pixman_region32_fini(&ring->owed);
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

/* Finds the region that completes the slot. Returns false if the slot may not be written. */
static bool whole_region(const struct ring *ring, int index, const pixman_region32_t *needed,
	pixman_region32_t *region)
{
	const struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	pixman_region32_union(
		region, (pixman_region32_t *)&slot->missing, (pixman_region32_t *)&ring->owed);
	pixman_region32_intersect(region, region, (pixman_region32_t *)needed);
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	/* During the copy, these pixels must be shown from other slots. */
	pixman_region32_intersect(
		&only, &only, ring->exclusive ? (pixman_region32_t *)needed : region);
	bool allowed = !pixman_region32_not_empty(&only) && pixman_region32_not_empty(region);
	pixman_region32_fini(&only);
	return allowed;
}

/* Finds the owed region that may be written to this slot. */
static bool loose_region(const struct ring *ring, int index, const pixman_region32_t *needed,
	pixman_region32_t *region)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	pixman_region32_intersect(
		region, (pixman_region32_t *)&ring->owed, (pixman_region32_t *)needed);
	pixman_region32_subtract(region, region, &only);
	pixman_region32_fini(&only);
	return pixman_region32_not_empty(region);
}

/* Like loose_region(), with pixels that other slots have, to reduce fragmentation. */
static bool consolidating_region(const struct ring *ring, int index,
	const pixman_region32_t *needed, pixman_region32_t *region)
{
	const struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	pixman_region32_union(
		region, (pixman_region32_t *)&slot->missing, (pixman_region32_t *)&ring->owed);
	pixman_region32_intersect(region, region, (pixman_region32_t *)needed);
	pixman_region32_subtract(region, region, &only);
	pixman_region32_fini(&only);
	return pixman_region32_not_empty(region);
}

static bool is_in_pieces(const struct ring *ring)
{
	bool pieces = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		if (slot->writing) {
			return false;
		}
		pieces |= slot->exists &&
			  pixman_region32_n_rects((pixman_region32_t *)&slot->missing) > PIECES_MAX;
	}
	return pieces;
}

/* How to choose a slot for a copy. */
struct preference {
	bool (*region)(const struct ring *ring, int index, const pixman_region32_t *needed,
		pixman_region32_t *region);
	bool least; /* prefer few pixels, else many */
	int64_t enough; /* pixels for which new memory is worth it if no slot takes all */
};

/* Returns whether a slot has all needed pixels, or is being completed. */
static bool is_whole(const struct ring *ring, const pixman_region32_t *needed)
{
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		pixman_region32_t lacks;
		bool whole = false;
		if (slot->exists) {
			pixman_region32_init(&lacks);
			pixman_region32_subtract(&lacks, (pixman_region32_t *)&slot->missing,
				(pixman_region32_t *)&slot->written);
			pixman_region32_intersect(&lacks, &lacks, (pixman_region32_t *)needed);
			whole = !pixman_region32_not_empty(&lacks);
			pixman_region32_fini(&lacks);
		}
		if (whole) {
			return true;
		}
	}
	return false;
}

/* Returns the number of owed pixels of `needed`. */
static int64_t count_owed(const struct ring *ring, const pixman_region32_t *needed)
{
	pixman_region32_t owed;
	pixman_region32_init(&owed);
	pixman_region32_intersect(
		&owed, (pixman_region32_t *)&ring->owed, (pixman_region32_t *)needed);
	int64_t area = region_area(&owed);
	pixman_region32_fini(&owed);
	return area;
}

static bool is_due(const struct ring *ring, const pixman_region32_t *needed, bool whole)
{
	return count_owed(ring, needed) > 0 || (whole && !is_whole(ring, needed));
}

/* Returns whether `slot` is a better choice than `chosen`. */
static bool is_better(const struct preference *preference, const struct ring_slot *chosen,
	int64_t best, const struct ring_slot *slot, int64_t area)
{
	/*
	 * Allocate only if no slot takes the whole region: otherwise damage that overlaps the
	 * previous damage, such as a moving object's, would always be copied in two parts.
	 */
	if (chosen->exists != slot->exists) {
		return slot->exists ? area >= preference->enough : best < preference->enough;
	}
	return preference->least ? area < best : area > best;
}

/* Returns the number of needed pixels that only this slot can show. */
static int64_t count_only(const struct ring *ring, int index, const pixman_region32_t *needed)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	pixman_region32_intersect(&only, &only, (pixman_region32_t *)needed);
	int64_t area = region_area(&only);
	pixman_region32_fini(&only);
	return area;
}

/*
 * Chooses the slot whose loss hides the fewest pixels during the copy, and the region that
 * completes it. Each slot may keep a remainder of what covered the surface before, and no end of a
 * copy would change that.
 */
static int sacrifice(
	const struct ring *ring, const pixman_region32_t *needed, pixman_region32_t *region)
{
	int64_t least = 0;
	int chosen = -1;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		if (slot->writing) {
			return -1; /* its end may allow another choice */
		}
		if (!slot->exists || slot->busy || slot->retired) {
			continue;
		}
		int64_t area = count_only(ring, i, needed);
		if (chosen < 0 || area < least) {
			chosen = i;
			least = area;
		}
	}
	if (chosen >= 0) {
		pixman_region32_union(region, (pixman_region32_t *)&ring->slots[chosen].missing,
			(pixman_region32_t *)&ring->owed);
		pixman_region32_intersect(region, region, (pixman_region32_t *)needed);
	}
	return chosen;
}

/* Chooses a slot for a copy that hides no pixels. *awaits: one that is read would do, too. */
static int choose_free(const struct ring *ring, const struct preference *preference,
	const pixman_region32_t *needed, pixman_region32_t *region, bool *awaits)
{
	pixman_region32_t candidate;
	int64_t best = -1;
	bool added = ring->full;
	int chosen = -1;
	pixman_region32_init(&candidate);
	*awaits = false;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		if (slot->writing || slot->retired || (!slot->exists && added)) {
			continue;
		}
		added |= !slot->exists;
		if (!preference->region(ring, i, needed, &candidate)) {
			continue;
		}
		if (slot->busy) {
			*awaits = true;
			continue;
		}
		int64_t area = region_area(&candidate);
		if (chosen < 0 || is_better(preference, &ring->slots[chosen], best, slot, area)) {
			chosen = i;
			best = area;
			pixman_region32_copy(region, &candidate);
		}
	}
	pixman_region32_fini(&candidate);
	return chosen;
}

int ring_choose(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region)
{
	struct preference preference = {.region = loose_region};
	bool awaits;
	/* A GPU cannot read a buffer that is being written, so it needs one complete buffer. */
	whole |= ring->exclusive;
	if (!is_due(ring, needed, whole)) {
		return -1;
	}
	if (whole) {
		preference = (struct preference){.region = whole_region, .least = true};
	} else if (is_in_pieces(ring)) {
		preference = (struct preference){.region = consolidating_region, .least = true};
	} else {
		preference.enough = count_owed(ring, needed);
	}
	int chosen = choose_free(ring, &preference, needed, region, &awaits);
	if (chosen < 0 && !awaits && whole && !ring->exclusive) {
		/* The newest pixels in parts: one buffer can be completed after that. */
		preference = (struct preference){.region = loose_region};
		chosen = choose_free(ring, &preference, needed, region, &awaits);
	}
	return chosen >= 0 || awaits ? chosen : sacrifice(ring, needed, region);
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
}

/* Drops fragments that other slots have too, to keep regions simple. */
static void forget_fragments(struct ring *ring, int index)
{
	struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	if (!slot->exists || slot->writing ||
		pixman_region32_n_rects(&slot->missing) <= PIECES_MAX / 2) {
		return;
	}
	if (ring->exclusive) {
		/* The next copy completes this slot: the less it lacks, the less crosses. */
		struct box extents = region_extents(&slot->missing);
		region_set_box(&slot->missing, &extents);
		return;
	}
	/*
	 * Keep the pixels that only this buffer has: they were copied while visible and are
	 * occluded now.
	 */
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	set_all(ring, &slot->missing);
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
