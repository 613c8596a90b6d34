/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Staging rings: copies of a surface's buffers, which are on another GPU, for one reader: a device
 * that composes, or the CPU. A ring has one to three buffers. Each has a missing region: pixels
 * that are outdated or were never copied. Damage of the client's latest buffer that no copy has
 * read yet is owed: it was occluded, or no copy could be started.
 *
 * A copy writes to a buffer without readers, into pixels that are not shown from it, so the last
 * complete image stays available until the next one is complete. Pixels are valid once the copy's
 * fence has signalled without an error. If no buffer is free, the copy is skipped; nothing waits
 * for a reader. If each copy would hide pixels that are shown, since memory is short, it is skipped
 * for a second at most.
 *
 * A GPU's driver waits for every write to a buffer that the GPU samples, also to other pixels, and
 * so for another GPU. Therefore a GPU reads a buffer only while no copy writes to it, and the
 * buffer has to be complete. Missing pixels that another buffer of the ring has are copied from
 * there by an integrated reader's copy engine, so that damage crosses the bus once; readers without
 * an engine pay a crossing for each buffer. The CPU reads while copies write other pixels: damage
 * crosses once, and each pixel is shown from the buffer that has it.
 *
 * A discrete reader's buffers are in its own memory. Copies cross into one linear buffer in system
 * memory, one at a time, and the reader's own engine copies each buffer's missing region from
 * there. All other readers read system memory.
 *
 * The owner of the memory and the alignment of rows are found by trial for each pair of engine and
 * reader.
 */

#include "buffer/allocator.h"
#include "copy/copier.h"
#include "gpu/format.h"

#define STAGING_MAX 3

struct allocation_table;
struct gpu;
struct staging_ring;
struct staging_verifier;
struct tasks;

/** The rings of a session: their budget, and the timer that frees unseen ones. */
struct staging {
	struct copier *copier;
	struct wl_list rings; /* staging_ring.link, those unseen for longest first */
	uint64_t memory, memory_most; /* bytes of all rings, and their budget */
	struct timer cleaner;
	struct allocation_table *allocations; /* private */
	struct staging_verifier *verifier; /* private; NULL: copies are not verified */
	struct wl_listener engines_changed;
};

/** The device that composes. */
struct staging_reader {
	struct staging *staging;
	struct gpu *gpu; /* NULL: the CPU */
	/** Allocates buffers that the reader samples; NULL for the CPU. */
	struct allocator *allocator;
	const struct format_set *formats; /* that the reader samples; NULL for the CPU */
	/**
	 * Optional. Returns whether the reader can import one of the ring's own buffers, by
	 * importing it.
	 */
	bool (*takes)(void *data, const struct dmabuf *dmabuf);
	void *data;
};

struct staging_user {
	/**
	 * Called when `region` has new pixels, a copy failed, an engine became available, a buffer
	 * became free after none was, or some time after a refusal: call staging_copy() again. May
	 * destroy the ring.
	 */
	void (*arrived)(void *data, const pixman_region32_t *region);
	/**
	 * Returns whether the client's buffer still exists, so that everything can be copied again.
	 */
	bool (*can_restore)(void *data);
	/** Asks to destroy the ring, which was unseen for long. can_restore() has returned true. */
	void (*discard)(void *data);
	void *data;
};

enum staging_status {
	STAGING_READY, /* all needed pixels are up to date */
	STAGING_LATE, /* some are being copied or postponed; previous content is complete */
	STAGING_ABSENT, /* some are being copied and have no previous content */
	STAGING_REFUSED, /* no engine copies the buffer; a few more tries follow */
	STAGING_POINTLESS, /* refused: reading the buffer directly is faster */
};

struct staging_stats {
	uint64_t copies; /* started for this ring */
	uint64_t bytes; /* copied from the source's GPU */
	uint64_t local; /* bytes copied by the reader's own engine */
	uint64_t skipped; /* copies not started because no buffer was free */
	const char *engine; /* that made the last copy from the source; NULL before the first */
};

/** A buffer of the ring, and the pixels to show from it. */
struct staging_part {
	int index; /* of the buffer in the ring */
	struct buffer *buffer;
	uint64_t serial; /* unique for the lifetime of the ring: identifies the buffer */
	pixman_region32_t region; /* disjoint from other parts */
};

/** Creates the manager of all rings. The copier must outlive it. */
struct staging *staging_create(struct copier *copier);
/**
 * Lets the next copies look for better memory than some that was found while memory was short, or
 * an engine failed: that may have passed. Memory that is younger than five seconds stays until
 * then.
 */
void staging_retry_memory(struct staging *staging);
/** All rings are destroyed. Accepts NULL. */
void staging_destroy(struct staging *staging);

/**
 * Verifies the content of the first copy between each pair of GPUs, engine and memory, on a thread
 * of `tasks`, and keeps the verdicts in the file `path` (NULL: none). Copies by a way that is wrong
 * are made by other memory or engines. Loads the file; staging_destroy() saves it, and comes before
 * tasks_destroy().
 */
void staging_verify_copies(struct staging *staging, struct tasks *tasks, const char *path);
/**
 * Calls `each` with a phrase for each verdict about copies from `source`: "sdma to vulkan of
 * pci-0000_03_00_0 in system memory: exact".
 */
void staging_each_verdict(const struct staging *staging, const struct gpu *source,
	void (*each)(void *data, const char *phrase), void *data);
/**
 * Calls `each` with a phrase for each engine of `source` and each reader that copies were made for:
 * "sdma to the CPU: the source's GPU's memory, rows aligned to 256". "no memory" means that none
 * suits both for some size.
 */
void staging_each_memory(const struct staging *staging, const struct gpu *source,
	void (*each)(void *data, const char *phrase), void *data);

/** Copies the descriptions; their pointers must outlive the ring. Cannot fail. */
struct staging_ring *staging_ring_create(
	const struct staging_reader *reader, const struct staging_user *user);
/** Copies in flight go on without callbacks. Accepts NULL. */
void staging_ring_destroy(struct staging_ring *ring);
/**
 * Sets the size and format of the surface's content and adds damage in buffer pixels (NULL: all of
 * it). A different size or format frees all buffers.
 */
void staging_damage(struct staging_ring *ring, int32_t width, int32_t height, uint32_t format,
	const pixman_region32_t *damage);
/**
 * Sets the pixels that all outputs of the reader show together: while copies are made for one of
 * them, the others' stay available. Applies to the next staging_copy().
 */
void staging_set_shown(struct staging_ring *ring, const pixman_region32_t *shown);
/**
 * Starts copies of the owed part of `needed` from `source`, whose home is another GPU. `whole`: all
 * needed pixels must end up in one buffer (for filtering, or scan-out). Sets *reason on
 * STAGING_REFUSED and STAGING_POINTLESS.
 */
enum staging_status staging_copy(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, const char **reason);
/** Returns whether a refused copy will be tried again although nothing changes. */
bool staging_is_retrying(const struct staging_ring *ring);
/**
 * Returns whether the last copy was refused and more tries are unlikely to help: the user should
 * find another way to show the buffer, if it has one.
 */
bool staging_is_refused_for_good(const struct staging_ring *ring);
/** Ends STAGING_POINTLESS for the ring: its user cannot read the client's buffers directly. */
void staging_insist(struct staging_ring *ring);
/**
 * Returns the predicted duration (ns) of copying the owed part of `needed`; 0 if nothing is owed.
 */
int64_t staging_predict(const struct staging_ring *ring, const pixman_region32_t *needed);
/** Returns the current status of `needed` without starting copies. */
enum staging_status staging_status(
	const struct staging_ring *ring, const pixman_region32_t *needed);
/** Computes the pixels of `needed` that are owed or being copied. */
void staging_late(
	const struct staging_ring *ring, const pixman_region32_t *needed, pixman_region32_t *out);
/**
 * Returns whether a copy is in flight, or waits for an engine to open or drain, or for descriptors.
 */
bool staging_in_flight(const struct staging_ring *ring);
/** Returns the time (ns) the oldest copy in flight or waiting began; 0 if there is none. */
int64_t staging_since(const struct staging_ring *ring);
/** Returns whether no pixels are owed or in flight. */
bool staging_is_complete(const struct staging_ring *ring);
/** Returns whether one buffer has all pixels. */
bool staging_is_whole(const struct staging_ring *ring);
/**
 * Fills in the buffers that together have the available part of `needed`, at most STAGING_MAX, and
 * returns their number. Call staging_parts_finish() on the result.
 */
int staging_parts(const struct staging_ring *ring, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX]);
void staging_parts_finish(struct staging_part *parts, int n);
/**
 * Declares that a pass reads the buffer until `fence` signals (not consumed); -1: the pass has
 * ended.
 */
void staging_read(struct staging_ring *ring, int index, int fence);
/**
 * Sets whether the surface is visible. Invisible rings are freed two seconds after that or after a
 * capture.
 */
void staging_set_seen(struct staging_ring *ring, bool seen);
/** Returns the bytes that the ring has allocated. */
uint64_t staging_ring_memory(const struct staging_ring *ring);
struct staging_stats staging_stats(const struct staging_ring *ring);
