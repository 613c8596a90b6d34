#pragma once

/** What the files of staging rings (staging.c, staging_memory.c) have of each other. */

#include "copy/ring.h"
#include "copy/staging.h"

#define PAIR_MAX 64

struct staging_slot {
	struct staging_ring *ring;
	int index;
	struct buffer *buffer; /* what is read; NULL: none */
	struct buffer *crossing; /* of discrete readers: what is written from the other GPU */
	uint64_t serial, memory;
	int read_fence; /* of the last pass that reads it, or -1 */
	/* The copy under way, step by step. */
	struct copy_order order;
	enum {
		STAGING_MEND, /* from another buffer of the ring, by the reader's engine: what that has */
		STAGING_CROSS, /* from the client's buffer: what none has */
		STAGING_TAKE, /* on from `crossing` */
	} step;
	pixman_region32_t stale, news; /* what is mended, and what crosses */
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
	struct wl_listener source_opened, local_opened;
	bool opening; /* an engine, for `wanted` */
	pixman_region32_t wanted;
	uint32_t format;
	struct ring ring;
	struct staging_slot slots[STAGING_MAX];
	uint64_t serial;
	bool seen;
	int64_t unseen_since; /* ns */
	struct staging_stats stats;
	char pair[PAIR_MAX], local_pair[PAIR_MAX]; /* names in the table of costs */
};

/** Gives the slot memory: 0, -ENOMEM, or -EINPROGRESS: an engine is being opened for it. */
int staging_fill(struct staging_slot *slot);
/** Its copy goes on, and nobody hears of it. */
void staging_free(struct staging_slot *slot);
/** From now on it is unseen so long; one that has no memory has nothing to free. */
void staging_count_unseen(struct staging_ring *ring);
/** The next time at which something is due. */
void staging_arm_cleaner(struct copier *copier);
