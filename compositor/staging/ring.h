/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Private state of staging rings: life and requests (ring.c), one copy (copy.c), readers
 * (readers.c), memory (memory.c, allocate.c), and the budget of all rings (staging.c).
 */

#include "staging/allocation.h"
#include "staging/ring_regions.h"
#include "staging/staging.h"
#include "util/fd_watch.h"

#define PAIR_MAX 64

/** Progress of the search for memory that suits both the engine and the reader. */
struct staging_search {
	int engine; /* index of the source GPU's engine that writes the memory */
	int reader; /* index of the first of a discrete reader's engines that may read it */
	unsigned next; /* candidate to try after a refusal */
	bool submitted; /* a copy into the memory was refused */
	bool temporary; /* a better candidate failed for a moment: not remembered */
	bool skipped; /* the same, for engines or readers before these */
	bool provisional; /* a better engine failed for a moment, or was lost */
	bool exhausted; /* every candidate failed for an engine before this one */
	bool proven; /* copies into the memory, and from a crossing buffer, were accepted */
	bool wrong; /* an engine has no permission: the reader would get wrong pixels */
	int writer; /* index of the engine that has permission to write the memory, or wrote it */
	int reads; /* index of the reader's engine that got permission last; negative: none */
	unsigned readers; /* a bit for each engine of the reader with permission, for this writer */
	const char *searched; /* name of the engine that chose the memory; static; NULL: none */
	const char *name; /* of the engine that wrote it; static */
	uint64_t modifier; /* of the client's buffer that it copied */
	struct allocation allocation;
	const char *why; /* reason of the first refusal, or NULL */
};

struct staging_slot {
	struct staging_ring *ring;
	int index;
	struct buffer *buffer; /* that the reader reads; NULL: none */
	bool is_local; /* in the reader's own memory: copies go through ring->crossing first */
	bool is_stopgap; /* its allocation as `is_local` failed for a moment */
	struct staging_search search; /* for memory that the source's GPU writes */
	uint64_t serial, memory;
	int64_t born; /* ns; when the memory was found */
	bool read; /* by a pass that may not have ended */
	int read_fence; /* last pass, or a reserved descriptor (util/fd.h); -1: no buffer */
	/* Watched while no slot is free: the end of the last pass, or of other locks. */
	bool read_watched;
	struct fd_watch read_end;
	struct wl_listener released;
	/* The copy in flight. */
	int64_t since; /* ns */
	struct copy_order order;
	enum {
		STAGING_FROM_SIBLING, /* `stale`, from another buffer, by the reader's engine */
		STAGING_FROM_SOURCE, /* `news`, from the client's buffer */
		STAGING_FROM_CROSSING, /* `local`, from ring->crossing, by the reader's engine */
	} step;
	pixman_region32_t stale, news, local;
	pixman_region32_t kept; /* valid before the copy, which replaces them */
	struct buffer *source; /* the client's, locked during STAGING_FROM_SIBLING; else NULL */
};

struct staging_ring {
	struct wl_list link; /* staging.rings */
	struct staging_reader reader;
	struct staging_user user;
	struct gpu_engines *source; /* of the client's buffers so far */
	struct gpu_engines *local; /* of a discrete reader; else NULL */
	struct gpu_engines *reader_engines; /* of an integrated reader that has SDMA; else NULL */
	struct wl_listener source_again, local_again;
	struct timer scarcity; /* armed while copies wait for descriptors, memory or another slot */
	struct timer retry; /* armed while a refused copy will be tried again */
	int n_retries; /* since the client drew last, or the surface became visible */
	int64_t refused_since; /* ns; the first of the refused copies in a row; 0: none */
	bool unsuited; /* no memory suits both GPUs, as far as the last copy found out */
	bool refused_for_good; /* the last copy was refused, and another try cannot help */
	int64_t awaits; /* ns; when a copy of `wanted` began to wait for an engine; 0: none waits */
	bool wrong; /* until source_again: a late test found wrong pixels in its memory */
	bool insists; /* on copies that are slower than reading the client's buffer directly */
	bool verifying; /* until source_again: the memory found is being tested */
	struct wl_event_source *turn; /* idle source that notifies the user */
	/*
	 * The source's engines refused or postponed a copy after a sibling's: the next copy starts
	 * with them, so that staging_copy() gets their error.
	 */
	bool source_refused;
	/* Needed by copies that were postponed or skipped since the last notification. */
	pixman_region32_t wanted;
	bool wants_whole;
	uint32_t format;
	struct ring ring;
	int64_t full_since; /* ns; when memory for another slot could not be had */
	int64_t stuck_since; /* ns; each copy would hide visible pixels; 0: not so */
	pixman_region32_t shown; /* staging_set_shown() */
	struct staging_slot slots[STAGING_MAX];
	/*
	 * Discrete readers: the buffer that copies cross into, one at a time; all slots are filled
	 * from it. Its missing region is crossing_lacks.
	 */
	struct buffer *crossing;
	struct staging_search crossing_search;
	struct buffer *local_memory; /* of the slot that the search is for */
	pixman_region32_t crossing_lacks;
	uint64_t local_modifier; /* of the slots' buffers */
	uint64_t crossing_memory;
	int64_t crossing_born; /* ns */
	int n_renewals; /* replacements of memory by a better candidate */
	/* The reader's engine refused a copy from `crossing` into this slot; NULL: none. */
	struct staging_slot *crossing_refused;
	uint64_t serial;
	bool seen;
	int64_t unseen_since; /* ns; INT64_MAX: nothing to free */
	struct staging_stats stats;
	char pair[PAIR_MAX], local_pair[PAIR_MAX]; /* keys of the cost table */
};

/* copy.c */

/** Expands the region to whole chroma samples. */
void staging_align(const struct staging_ring *ring, pixman_region32_t *region);
/**
 * Starts a copy of `region` from the source into a slot that has memory, and sets `region` to the
 * pixels that are copied. Returns as gpu_engines_start(). The ring's user is notified of the end.
 */
int staging_start_copy(
	struct staging_ring *ring, int index, pixman_region32_t *region, struct buffer *source);
/** Returns whether ring->crossing is being written or read. */
bool staging_is_crossing(const struct staging_ring *ring);

/* readers.c */

/** Marks slots as busy whose readers have not ended. Does not wait. */
void staging_check_readers(struct staging_ring *ring);
/** Notifies the user when a reader ends whose slot could then be written. */
void staging_watch_readers(struct staging_ring *ring, const pixman_region32_t *needed, bool whole);
/** Calls the user with ring->wanted. The user may destroy the ring. */
void staging_notify(struct staging_ring *ring);
/** The same in the next turn of the event loop. */
void staging_notify_soon(struct staging_ring *ring);
/** Stops watching the slot's readers. */
void staging_unwatch(struct staging_slot *slot);

/* memory.c */

/** Gives the slot memory. Returns 0, -ENOMEM, -ENOTSUP, or -EINPROGRESS while an engine opens. */
int staging_add_memory(struct staging_slot *slot, struct buffer *source);
/**
 * Replaces memory that the engine refused to write; memory that alone can show some pixels stays,
 * and another slot takes the copy. Returns an error if no candidate is left.
 */
int staging_replace_memory(struct staging_slot *slot, struct buffer *source);
/** Replaces memory that was found while something better failed for a moment, some time later. */
void staging_renew_memory(struct staging_ring *ring);
/** Frees memory of retired slots whose pixels others have by now. */
void staging_free_retired(struct staging_ring *ring);
/** Frees the slot's memory. A copy in flight goes on without callback. */
void staging_free(struct staging_slot *slot);
/** Frees redundant buffers, or asks the user to discard the ring; the ring may be destroyed. */
void staging_release_memory(struct staging_ring *ring);

/* staging.c */

/** Ends the pauses before memory is replaced by better one, after a ring has freed its own. */
void staging_renew_soon(struct staging *staging);
/** Restarts the time for which the ring is unseen. */
void staging_count_unseen(struct staging_ring *ring);
/** Arms the timer for the next ring to free. */
void staging_arm_cleaner(struct staging *staging);
/** Frees unseen rings, oldest first, while the budget is exceeded. `asking` is spared. */
void staging_make_room(struct staging_ring *asking);

/* permission.c */

/**
 * Asks whether copies by two engines, given by their indices, through the memory of
 * search->allocation were verified; `reader` negative: the CPU. Returns 0 if they were or cannot
 * be, and remembers that; -EINPROGRESS during the test; or -ENOTSUP, with the reason in *why, if
 * pixels were wrong.
 */
int staging_permit(struct staging_ring *ring, struct staging_search *search, int writer, int reader,
	uint64_t client_modifier, const char **why);
/** Returns the index of the engine type that reads as the renderer does; negative: none. */
int staging_sampler(void);
/** For copy_order.permit of copies into and from staging memory. */
int staging_permit_writer(struct copy_order *order, int engine);
int staging_permit_reader(struct copy_order *order, int engine);

/* allocate.c */

/** Allocates the slot's buffer, resuming its search. Returns 0 or an error. */
int staging_allocate(struct staging_slot *slot, struct buffer *source);
/**
 * Allocates ring->crossing, for copies into memory such as `local`. Returns 0, or an error: no
 * engine of the reader reads it and writes `local`.
 */
int staging_allocate_crossing(
	struct staging_ring *ring, struct buffer *source, struct buffer *local);
/** Notes a copy from the source into the slot's memory. */
void staging_allocation_written(struct staging_slot *slot);
/** Remembers the slot's allocation: all copies through it were accepted. */
void staging_allocation_works(struct staging_slot *slot);
/**
 * Moves on to the next candidate after a copy by `engine`, which can import the source, was
 * refused. Returns false if the memory is not the reason.
 */
bool staging_allocation_refused(struct staging_slot *slot, int engine);
