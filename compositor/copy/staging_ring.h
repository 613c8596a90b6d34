#pragma once

/**
 * What the files of staging rings have of each other: their life and what is asked of them (staging.c), one copy
 * (staging_step.c), what is read (staging_read.c), and their memory (staging_memory.c, staging_place.c).
 */

#include "copy/placement.h"
#include "copy/ring.h"
#include "copy/staging.h"
#include "util/fd_watch.h"

#define PAIR_MAX 64

/** How far the search for memory has come. */
struct staging_found {
	int engine; /* of the source's GPU that writes it */
	unsigned next; /* placement to try when this one is refused */
	bool submitted; /* a copy into what was found was refused */
	bool for_now; /* a better one was refused for want of memory or descriptors */
	bool fruitless; /* there was no memory for an engine before this one */
	uint64_t proven; /* by a copy, when copier.generation was one less; 0: not yet */
	struct placement placement;
	const char *why; /* the first was refused, or NULL */
};

struct staging_slot {
	struct staging_ring *ring;
	int index;
	struct buffer *buffer; /* what is read; NULL: none */
	bool takes; /* it is the reader's own memory: what has crossed is taken in */
	struct staging_found found; /* of memory that the source's GPU writes */
	uint64_t serial, memory;
	bool read; /* by a pass that may not have ended */
	int read_fence; /* of that; else it keeps a place for the next one; -1: there is no buffer */
	/* While no slot is free: its end, and that of whoever else has the buffer. */
	bool read_watched;
	struct fd_watch read_end;
	struct wl_listener released;
	/* The copy under way, step by step. */
	int64_t since; /* ns */
	struct copy_order order;
	enum {
		STAGING_MEND, /* from another buffer of the ring, by the reader's engine: what that has */
		STAGING_CROSS, /* from the client's buffer: what none has */
		STAGING_TAKE, /* on from the ring's `crossing` */
	} step;
	pixman_region32_t stale, news; /* what is mended, and what crosses */
	pixman_region32_t taken; /* what is taken in */
	struct buffer *source; /* the client's, locked while it is mended; NULL else */
};

struct staging_ring {
	struct wl_list link; /* copier.rings */
	struct staging_reader reader;
	struct staging_user user;
	struct copy_device *source; /* used; of the buffers so far */
	struct copy_device *local; /* used; of a discrete reader, NULL else */
	struct copy_device
		*mender; /* used; of an integrated reader with an engine made for copies */
	struct wl_listener source_again, local_again;
	struct timer scarcity; /* armed while what it awaits is descriptors */
	int64_t awaits; /* ns; since when, an engine that is being opened or has too much to do, for `wanted`; 0: none */
	struct wl_event_source *turn; /* the end of this one of the loop, when a reader has ended */
	pixman_region32_t wanted;
	uint32_t format;
	struct ring ring;
	struct staging_slot slots[STAGING_MAX];
	/*
	 * Of discrete readers: what is written from the other GPU, by one copy at a time, and all of its slots take
	 * from; and what it lacks of the source.
	 */
	struct buffer *crossing;
	struct staging_found crossing_found;
	pixman_region32_t crossing_lacks;
	uint64_t crossing_memory;
	uint64_t serial;
	bool seen;
	int64_t unseen_since; /* ns */
	struct staging_stats stats;
	char pair[PAIR_MAX], local_pair[PAIR_MAX]; /* names in the table of costs */
};

/**
 * Starts to copy a region of the source into a slot that has memory; it becomes what is copied. As copy_device_start();
 * the user hears of its end.
 */
int staging_start(
	struct staging_ring *ring, int index, pixman_region32_t *region, struct buffer *source);
/** What crosses for a discrete reader does so through one buffer. */
bool staging_is_crossing(const struct staging_ring *ring);
/** Finds out which slots are busy: readers that have ended since are forgotten, and none is waited for. */
void staging_look_at_readers(struct staging_ring *ring);
/** The user hears of the end of a reader where that makes room for what is needed. */
void staging_watch_readers(struct staging_ring *ring, const pixman_region32_t *needed, bool whole);
/** That what is wanted may be had now. Whoever is told may destroy the ring. */
void staging_tell(struct staging_ring *ring);
/** Its memory goes, or its reader is another one. */
void staging_unwatch(struct staging_slot *slot);
/** Gives the slot memory: 0, -ENOMEM, -ENOTSUP, or -EINPROGRESS: an engine is being opened for it. */
int staging_fill(struct staging_slot *slot, struct buffer *source);
/** In place of memory that the engine refused to write; an error if there is no more to try, or it has proven. */
int staging_refill(struct staging_slot *slot, struct buffer *source);
/** Its copy goes on, and nobody hears of it. */
void staging_free(struct staging_slot *slot);
/** From now on it is unseen so long; one that has no memory has nothing to free. */
void staging_count_unseen(struct staging_ring *ring);
/** The next time at which something is due. */
void staging_arm_cleaner(struct copier *copier);

/** staging_place.c: for staging_fill(), by what was found so far. 0 or an error. */
int staging_place(struct staging_slot *slot, struct buffer *source);
int staging_place_crossing(struct staging_ring *ring, struct buffer *source);
/** A copy into it was accepted: that is remembered. */
void staging_place_works(struct staging_slot *slot);
/** One was not, of a source that this engine takes; false if that is not for its memory. */
bool staging_place_refused(struct staging_slot *slot, int engine);
