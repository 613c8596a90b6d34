#pragma once

/**
 * Staging rings: what one device sees of a surface whose buffers live on another GPU. A ring has one
 * to three buffers near the reader; each has a missing region: what it lacks of the picture that is
 * shown, because it was written to another one since. What the picture itself lacks of the client's
 * latest buffer is owed: damage that was not copied yet, because nobody could see it or because there
 * was no time.
 *
 * A copy goes to a buffer that nobody reads, into pixels that the picture is not shown from, so that
 * the last good picture is there until the new one is complete. Its pixels count when its fence has
 * signalled, and not if it ended in an error. If no buffer is free, nothing is copied and nobody waits.
 *
 * Where the reader is a GPU, its driver would wait for copies to other pixels of the buffer that it
 * samples, and so for another GPU: there a buffer is read only while nothing is written to it, and has to be whole.
 * What it lacks that another one has, the copy engine of an integrated reader takes from there, so that damage
 * crosses once; from others it crosses once for each buffer. The CPU
 * reads beside the copy, so that damage crosses once whatever it is, and each pixel is shown from the
 * buffer that has it.
 *
 * A discrete reader's buffers are its own memory: copies cross into one picture in linear system memory, one after
 * the other, and from there its own engine takes into each buffer what that lacks, so that damage leaves the
 * source's GPU once. Other readers read the system memory.
 *
 * Whose memory staging buffers are and how their rows lie is found by trying, once for each pair of engine and
 * reader, format and size, and kept beside the costs.
 */

#include "buffer/allocator.h"
#include "copy/copier.h"
#include "gpu/format.h"

#define STAGING_MAX 3

struct staging_ring;

/** Who reads: a device that composes. */
struct staging_reader {
	struct copier *copier;
	struct gpu *gpu; /* NULL: the CPU */
	/** Of buffers that the reader samples; NULL for the CPU. */
	struct allocator *allocator;
	const struct format_set *formats; /* likewise */
	/** Optional: whether it samples such a picture, a buffer of our own, as is found out by doing so. */
	bool (*takes)(void *data, const struct dmabuf *dmabuf);
	void *data;
};

struct staging_user {
	/**
	 * Pixels have arrived, copies failed, an engine can be asked, or a reader has ended where no buffer was
	 * free: look again.
	 */
	void (*arrived)(void *data, const pixman_region32_t *region);
	/** The client's buffer is still there: all could be copied again. */
	bool (*can_restore)(void *data);
	/** The ring was unseen for long: destroy it. can_restore() was true. */
	void (*discard)(void *data);
	void *data;
};

enum staging_status {
	STAGING_READY, /* all that is needed is there */
	STAGING_LATE, /* on its way, or put off: what was there before can be shown */
	STAGING_ABSENT, /* on its way, and there are needed pixels of which nothing can be shown */
	STAGING_REFUSED, /* no engine copies it */
};

struct staging_stats {
	uint64_t copies; /* that were started, for this ring */
	uint64_t bytes; /* that crossed to another GPU */
	uint64_t local; /* bytes that the reader's own engine took in */
	uint64_t skipped; /* copies not started, because no buffer was free */
	const char *engine; /* that made the last one that crossed; NULL: none did yet */
};

/** Which buffer to show which pixels from. */
struct staging_part {
	int index; /* of the buffer in the ring */
	struct buffer *buffer;
	uint64_t serial; /* never given twice: another one is another buffer */
	pixman_region32_t region; /* disjoint */
};

/** The reader is copied; what it points at must outlive the ring. */
struct staging_ring *staging_ring_create(
	const struct staging_reader *reader, const struct staging_user *user);
/** NULL is legal. Copies go on, and nobody hears of them. */
void staging_ring_destroy(struct staging_ring *ring);
/**
 * The surface's content is this now: what of it changed, in buffer pixels (NULL: all). Another size or
 * format drops all that there is.
 */
void staging_damage(struct staging_ring *ring, int32_t width, int32_t height, uint32_t format,
	const pixman_region32_t *damage);
/**
 * Starts to copy what of `needed` is owed out of `source`, whose home is another GPU. `whole`: the
 * needed pixels must come to be in one buffer (filters read across, or a plane scans it out).
 * *reason is set if it is refused.
 */
enum staging_status staging_copy(struct staging_ring *ring, struct buffer *source,
	const pixman_region32_t *needed, bool whole, const char **reason);
/** ns that a copy of what of `needed` is owed would take, by the costs known so far; 0: nothing is. */
int64_t staging_predict(const struct staging_ring *ring, const pixman_region32_t *needed);
/** As it stands, without starting anything. */
enum staging_status staging_status(
	const struct staging_ring *ring, const pixman_region32_t *needed);
/** A copy is under way, or waits: for an engine that is being opened or has too much to do, or for descriptors. */
bool staging_in_flight(const struct staging_ring *ring);
/** ns; since when that is so, of the oldest such copy; 0: there is none. */
int64_t staging_since(const struct staging_ring *ring);
/** Nothing is owed any more, nor on its way. */
bool staging_is_complete(const struct staging_ring *ring);
/**
 * Buffers that have `needed` between them, and which part each; fills in at most STAGING_MAX, to be
 * given to staging_parts_finish(). What no buffer has is in none.
 */
int staging_parts(const struct staging_ring *ring, const pixman_region32_t *needed,
	struct staging_part parts[static STAGING_MAX]);
void staging_parts_finish(struct staging_part *parts, int n);
/** A pass reads the buffer until the fence (not consumed); -1: it has ended. */
void staging_read(struct staging_ring *ring, int index, int fence);
/**
 * Somebody can see it, or nobody: then it may be freed two seconds after that, or after the last copy
 * that a capture wanted.
 */
void staging_set_seen(struct staging_ring *ring, bool seen);
struct staging_stats staging_stats(const struct staging_ring *ring);

/** For copier.c. */
void staging_init_cleaner(struct copier *copier);
