/* SPDX-License-Identifier: MIT */
/* Choice of the slot of a staging ring that the next copy writes, and of its region. */

#include "staging/ring_regions.h"
#include "util/region.h"

/* Number of rectangles above which the content is consolidated. */
#define PIECES_MAX 96

/* Finds the region that completes the slot. Returns false if the slot may not be written. */
static bool whole_region(const struct ring *ring, int index, const pixman_region32_t *needed,
	pixman_region32_t *region)
{
	const struct ring_slot *slot = &ring->slots[index];
	pixman_region32_t only;
	pixman_region32_union(
		region, (pixman_region32_t *)&slot->missing, (pixman_region32_t *)&ring->owed);
	for (int i = 0; ring->exclusive && i < STAGING_MAX; i++) {
		/* The end of that copy would make this slot incomplete again. */
		pixman_region32_union(region, region, (pixman_region32_t *)&ring->slots[i].news);
	}
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

/* Returns the number of pixels of the region that only this slot can show. */
static int64_t count_only(const struct ring *ring, int index, const pixman_region32_t *region)
{
	pixman_region32_t only;
	pixman_region32_init(&only);
	ring_only(ring, index, &only);
	pixman_region32_intersect(&only, &only, (pixman_region32_t *)region);
	int64_t area = region_area(&only);
	pixman_region32_fini(&only);
	return area;
}

/*
 * Returns the slot whose loss hides the fewest pixels of the region during a copy; -1 if the end of
 * a copy may allow another choice.
 */
static int find_least_shown(const struct ring *ring, const pixman_region32_t *region)
{
	int64_t least = 0;
	int chosen = -1;
	for (int i = 0; i < STAGING_MAX; i++) {
		const struct ring_slot *slot = &ring->slots[i];
		if (slot->writing) {
			return -1;
		}
		if (!slot->exists || slot->busy || slot->retired) {
			continue;
		}
		int64_t area = count_only(ring, i, region);
		if (chosen < 0 || area < least) {
			chosen = i;
			least = area;
		}
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

/* Chooses as ring_choose(), but no slot whose copy hides pixels of `needed`. */
static int choose(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region, bool *awaits)
{
	struct preference preference = {.region = loose_region};
	if (whole) {
		preference = (struct preference){.region = whole_region, .least = true};
	} else if (is_in_pieces(ring)) {
		preference = (struct preference){.region = consolidating_region, .least = true};
	} else {
		preference.enough = count_owed(ring, needed);
	}
	int chosen = choose_free(ring, &preference, needed, region, awaits);
	if (chosen < 0 && !*awaits && whole && !ring->exclusive) {
		/* The newest pixels in parts: one buffer can be completed after that. */
		preference = (struct preference){.region = loose_region};
		chosen = choose_free(ring, &preference, needed, region, awaits);
	}
	return chosen;
}

/*
 * Chooses a slot, also one whose copy hides pixels. Returns -1 if none is due or can be written;
 * *hides: pixels are hidden by the copy into the slot.
 */
static int choose_any(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region, bool *hides)
{
	pixman_region32_t kept;
	bool awaits;
	*hides = false;
	/* A GPU cannot read a buffer that is being written, so it needs one complete buffer. */
	whole |= ring->exclusive;
	if (!is_due(ring, needed, whole)) {
		return -1;
	}
	pixman_region32_init(&kept);
	pixman_region32_copy(&kept, (pixman_region32_t *)needed);
	if (ring->exclusive) {
		pixman_region32_union(&kept, &kept, (pixman_region32_t *)&ring->visible);
	}
	int chosen = choose(ring, &kept, whole, region, &awaits);
	if (chosen < 0 && !awaits) {
		chosen = find_least_shown(ring, &kept);
		*hides = chosen >= 0;
	}
	if (*hides) {
		pixman_region32_union(region, (pixman_region32_t *)&ring->slots[chosen].missing,
			(pixman_region32_t *)&ring->owed);
		pixman_region32_intersect(region, region, &kept);
	}
	pixman_region32_fini(&kept);
	return chosen;
}

int ring_choose(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region)
{
	bool hides;
	int chosen = choose_any(ring, needed, whole, region, &hides);
	return hides && !ring->hides ? -1 : chosen;
}

bool ring_is_stuck(const struct ring *ring, const pixman_region32_t *needed, bool whole)
{
	pixman_region32_t region;
	bool hides;
	pixman_region32_init(&region);
	choose_any(ring, needed, whole, &region, &hides);
	pixman_region32_fini(&region);
	return hides;
}
