/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Regions of a staging ring: the missing region of each slot, the owed region, and where a copy may
 * write. Pure bookkeeping; ring.c has the memory and starts the copies.
 */

#include "staging/staging.h"

struct ring_slot {
	bool exists;
	bool writing; /* being written */
	bool busy; /* being read */
	bool retired; /* not written any more; it goes when others have its pixels */
	/** Pixels that are not up to date; includes pixels being written. */
	pixman_region32_t missing;
	/** While writing: the written region, and the part of it that is newer than all slots. */
	pixman_region32_t written, news;
	uint64_t begun; /* number of the copy */
};

struct ring {
	int32_t width, height;
	bool exclusive; /* a slot cannot be read while any of its pixels are written */
	bool full; /* no memory for further slots; cleared by ring_remove(), ring_resize() */
	bool hides; /* a copy may hide visible pixels if no other can start */
	pixman_region32_t owed;
	pixman_region32_t visible; /* ring_set_visible() */
	uint64_t n_begun;
	struct ring_slot slots[STAGING_MAX];
};

void ring_init(struct ring *ring, bool exclusive);
void ring_finish(struct ring *ring);
/** Sets the size. All slots become empty; everything is owed. */
void ring_resize(struct ring *ring, int32_t width, int32_t height);
void ring_damage(struct ring *ring, const pixman_region32_t *damage);
/**
 * Sets the pixels that all readers show together. Copies of an exclusive ring complete a slot in
 * all of them, and other pixels stay in so few slots that each copy that ends leaves a slot that
 * hides no visible pixel when the next copy writes to it.
 */
void ring_set_visible(struct ring *ring, const pixman_region32_t *visible);
/** The slot has new memory without valid pixels. */
void ring_add(struct ring *ring, int slot);
/** The slot lost its memory; pixels that only it had are owed. */
void ring_remove(struct ring *ring, int slot);
/**
 * Retires a slot that alone can show some pixels, if another one may take copies. Returns whether
 * it did; else the slot can be removed.
 */
bool ring_retire(struct ring *ring, int slot);
/** Stores the pixels that only this slot can show. */
void ring_only(const struct ring *ring, int slot, pixman_region32_t *out);
/**
 * Chooses a slot, which may not exist yet, and the region to copy: the owed part of `needed`, or
 * some of it. `whole`: the region that completes the slot, unless its copy would hide pixels that
 * can be shown in parts. Returns -1 if nothing is owed or no slot may be written. If neither a copy
 * in flight nor the end of a reader would change that, and ring.hides is set, chooses a slot whose
 * visible pixels are hidden by the copy.
 */
int ring_choose(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region);
/** Returns whether a copy is due that cannot start until ring.hides is set, or memory is added. */
bool ring_is_stuck(const struct ring *ring, const pixman_region32_t *needed, bool whole);
/** Returns another slot that has all of the region and is not being written; -1: none. */
int ring_find_sibling(const struct ring *ring, int slot, const pixman_region32_t *region);
/**
 * Stores the pixels of `region` that no other slot has up to date, since they are owed or in
 * flight: a copy into the slot reads them from the client's buffer.
 */
void ring_fresh(
	const struct ring *ring, int slot, const pixman_region32_t *region, pixman_region32_t *out);
void ring_begin(struct ring *ring, int slot, const pixman_region32_t *region);
/** Computes the pixels of `needed` that are owed or being copied. */
void ring_late(const struct ring *ring, const pixman_region32_t *needed, pixman_region32_t *out);
/** Ends a copy, and stores the newly valid pixels in `region`. */
void ring_end(struct ring *ring, int slot, bool good, pixman_region32_t *region);
enum staging_status ring_status(const struct ring *ring, const pixman_region32_t *needed);
/** Moves the pixels that the slot can show from `left` to `part`. */
void ring_take(const struct ring *ring, int slot, pixman_region32_t *left, pixman_region32_t *part);
