#pragma once

/**
 * The regions of a staging ring: what each buffer lacks, what is owed, and where a copy may go. Pure
 * bookkeeping; staging.c has the memory and the copies.
 */

#include "staging/staging.h"

struct ring_slot {
	bool exists;
	bool writing; /* being written */
	bool busy; /* being read */
	/** Not of the picture that is shown; holds what is being written. */
	pixman_region32_t missing;
	/** While writing: what is written, and what of it is newer than the picture. */
	pixman_region32_t written, news;
	uint64_t begun; /* counts flights */
};

struct ring {
	int32_t width, height;
	bool exclusive; /* what is being written is not read, not even other pixels of it */
	pixman_region32_t owed;
	uint64_t n_begun;
	struct ring_slot slots[STAGING_MAX];
};

void ring_init(struct ring *ring, bool exclusive);
void ring_finish(struct ring *ring);
/** All slots lose what they have; all is owed. */
void ring_resize(struct ring *ring, int32_t width, int32_t height);
void ring_damage(struct ring *ring, const pixman_region32_t *damage);
/** The slot's memory is new. */
void ring_add(struct ring *ring, int slot);
/** The slot has no memory any more; what only it had is owed. */
void ring_remove(struct ring *ring, int slot);
/** Pixels that are shown from this slot and no other. */
void ring_only(const struct ring *ring, int slot, pixman_region32_t *out);
/**
 * Where to copy what of `needed` is owed, or part of it: a slot, which may not exist yet, and the
 * region. -1 if nothing is to be done or can be.
 */
int ring_choose(const struct ring *ring, const pixman_region32_t *needed, bool whole,
	pixman_region32_t *region);
/** A slot that has all of this and may be read while `slot` is written; -1: none. */
int ring_find_sibling(const struct ring *ring, int slot, const pixman_region32_t *region);
void ring_begin(struct ring *ring, int slot, const pixman_region32_t *region);
/** `region` becomes what has changed in the picture. */
void ring_end(struct ring *ring, int slot, bool good, pixman_region32_t *region);
enum staging_status ring_status(const struct ring *ring, const pixman_region32_t *needed);
/** Takes out of `left` what the slot has to show. */
void ring_take(const struct ring *ring, int slot, pixman_region32_t *left, pixman_region32_t *part);
