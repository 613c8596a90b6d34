#pragma once

/**
 * Copy engines: move rectangles of pixels between two pictures in dma-bufs, asynchronously and in
 * order of fences. One engine belongs to one GPU and works on imports of its own, so that nothing
 * is shared with the renderer.
 *
 * Pictures are imported once, as images. An image keeps the memory alive by itself: buffer, surface
 * and client that it came from may go at any time, and an image that is dropped goes when the last
 * copy that uses it has ended.
 *
 * Copies of one engine run in the order of their submission. A copy counts as a write on its source
 * too (amdgpu records it so), which orders whatever the client does next with that buffer after it.
 *
 * Errors, everywhere:
 *   -ENOTSUP  this engine cannot do it, now or later (format, modifier, size, placement)
 *   -EINVAL   the request is wrong: rectangles outside of an image, formats that differ
 *   -EBUSY    too much is in flight: skip this copy, never wait for it
 *   -ENOMEM   memory cannot be mapped or made resident
 *   -ENODEV   the engine is lost; destroy it
 * and what the system says when it has not enough of something: error_may_pass() (util/error.h).
 * An engine whose GPU was reset is lost, too, and says so (copy_engine.reset): another one made in its
 * place goes on. What was in flight has failed, and says so by the status of its fences.
 */

#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct copy_engine;
struct copy_image;
struct copy_request;

/**
 * That are in flight on an engine at most. amdgpu lets no context have more than 32 jobs under way (amdgpu_ctx.c,
 * amdgpu_ctx_wait_prev_fence(); sched_jobs): whoever submits one more waits for the oldest, which may hang.
 */
#define COPY_JOBS_MAX 24

/**
 * ns that a copy may take before its engine counts as hung: no frame takes a tenth of it, and the kernel's own
 * watchdog needs seconds to notice. What shows the picture has the old one meanwhile.
 */
#define COPY_DEADLINE INT64_C(500000000)
/** The same where a CPU does the copy, which others keep busy, and which nothing else could take over from. */
#define COPY_DEADLINE_CPU INT64_C(4000000000)

enum copy_use {
	COPY_SOURCE = 1 << 0, /* mapped for reading only: the client's memory is safe from us */
	COPY_DESTINATION = 1 << 1,
};

/** Mandatory unless said otherwise; call them through the functions below. */
struct copy_engine_impl {
	const char *name; /* "sdma" */
	/**
	 * Takes the time that the driver takes. May be called on another thread than the rest, as may
	 * whatever creates engines, but not beside it.
	 */
	void (*destroy)(struct copy_engine *engine);
	/** Optional: lets go of what it has of this thread, before another one destroys it. */
	void (*leave)(struct copy_engine *engine);
	int (*check)(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
		const char **reason);
	/** Whether pictures of this format and layout can be sources, as far as the layout goes. */
	bool (*reads)(struct copy_engine *engine, uint32_t format, uint64_t modifier);
	int (*import)(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
		struct copy_image **image);
	/** Frees it now: no copy that uses it is in flight. */
	void (*forget)(struct copy_engine *engine, struct copy_image *image);
	/** A fence of -1: it has ended already. */
	int (*submit)(struct copy_engine *engine, const struct copy_request *request, int *fence);
	/** Optional: a copy failed, for which only its pictures can be blamed: all of them are forgotten. */
	void (*recover)(struct copy_engine *engine);
	/** The oldest job that was not retired yet has ended: what it used may be used again. */
	void (*retire)(struct copy_engine *engine);
	/**
	 * Optional: a linear picture of one plane in system memory that the engine writes and the CPU
	 * reads (cached, coherent) at full speed, its rows at multiples of `alignment` bytes; *dmabuf becomes
	 * the caller's. Errors as above.
	 */
	int (*allocate)(struct copy_engine *engine, int32_t width, int32_t height, uint32_t format,
		uint32_t alignment, struct dmabuf *dmabuf);
};

/** A picture that an engine has mapped. Read-only for its users. */
struct copy_image {
	struct copy_engine *engine;
	struct dmabuf dmabuf; /* descriptors of its own */
	unsigned use; /* enum copy_use */
	int n_jobs; /* in flight */
	bool dropped;
	struct wl_list link; /* copy_engine.images */
};

struct copy_stats {
	uint64_t submissions, rectangles, bytes; /* that were accepted; bytes as read */
	uint64_t failures; /* fences that ended in an error */
};

struct copy_engine {
	const struct copy_engine_impl *impl;
	struct wl_list images; /* copy_image.link */
	struct wl_list jobs; /* in flight, oldest first; private */
	int n_jobs;
	int64_t deadline; /* ns that a copy may take before the engine counts as hung */
	bool lost;
	bool reset; /* that is why it was lost: one in its place will work */
	const char *lost_why; /* a phrase, once it is lost */
	struct copy_stats stats;
	struct {
		struct wl_signal lost; /* once, when its GPU was reset, or it hangs */
	} events;
};

struct copy_request {
	struct copy_image *source; /* imported by this engine for COPY_SOURCE */
	struct copy_image *destination; /* imported by this engine for COPY_DESTINATION */
	/** Pixels of the source; what lies outside of either image is an error. */
	const pixman_region32_t *damage;
	/** Where the source's 0,0 is in the destination. Even ones for subsampled formats. */
	int32_t dx, dy;
	/** Fence to wait for, on the GPU where it can, or -1. Not consumed. */
	int wait_fd;
	int64_t now; /* ns of the caller's clock, for the deadline */
};

/** Waits for nothing; what is in flight goes on in the kernel. NULL is legal. */
void copy_engine_destroy(struct copy_engine *engine);
/** 0 if images like this can be imported; else an error and a phrase that says why. */
int copy_engine_check(
	struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use, const char **reason);
/** Whether it reads pictures that are laid out so, if their size, placement and memory are right. */
bool copy_engine_reads(struct copy_engine *engine, uint32_t format, uint64_t modifier);
/** The descriptors are duplicated. 0 or an error. */
int copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image);
/** The user lets go; it is freed once no copy uses it. NULL is legal. */
void copy_image_drop(struct copy_image *image);
/**
 * Starts a copy. On success 0, and *fence is a fence that the caller owns, or -1 if there was
 * nothing to copy or it has ended already. On failure an error, and nothing was started.
 *
 * A fence is a descriptor that poll() finds readable, or hung up, once the copy has ended, and whose
 * end fence_status() tells. Where a kernel driver does the copy it is a sync_file, which GPUs can wait
 * for and which may be merged; where a thread watches over it (cpu; drivers without sync files) it is
 * a pipe, which only the event loop can wait for.
 */
int copy_engine_submit(struct copy_engine *engine, const struct copy_request *request, int *fence);
/**
 * Looks after what has ended: frees what was dropped; a copy that failed with its GPU is the end of
 * the engine. Call when a fence of this engine signals. Returns the number of copies in flight, or -ENODEV.
 * A copy past its deadline loses the engine: its fence may never signal.
 */
int copy_engine_reap(struct copy_engine *engine, int64_t now);
/** When the oldest copy in flight is overdue, in ns of the caller's clock; INT64_MAX if none is. */
int64_t copy_engine_overdue(const struct copy_engine *engine);

/** For engines: the parts that all have. */
void copy_engine_init(
	struct copy_engine *engine, const struct copy_engine_impl *impl, int64_t deadline);
/** Jobs are forgotten; all images must have been finished. */
void copy_engine_finish(struct copy_engine *engine);
/** 0 or negative errno of the duplication. */
int copy_image_init(struct copy_image *image, struct copy_engine *engine,
	const struct dmabuf *dmabuf, unsigned use);
void copy_image_finish(struct copy_image *image);
/**
 * For `reads`: describes a picture of this format and layout that has no memory, of a size that any layout
 * has whole blocks of. False if the format is unknown.
 */
bool copy_trial_init(struct dmabuf *dmabuf, uint32_t fourcc, uint64_t modifier);
