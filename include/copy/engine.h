/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Copy engines: copy rectangles of pixels between two dma-bufs, asynchronously and ordered by
 * fences. An engine belongs to one GPU and has its own imports; it shares nothing with the
 * renderer.
 *
 * A dma-buf is imported once, as an image. The image keeps the memory alive: buffer, surface and
 * client may be destroyed at any time. A dropped image is freed when the last copy that uses it has
 * ended.
 *
 * Copies of one engine run in the order of submission. A copy counts as a write to its source too
 * (amdgpu records it so), which orders later work of the client on that buffer after the copy.
 *
 * Errors, everywhere:
 *   -ENOTSUP the engine can never do it (format, modifier, size, placement)
 *   -EINVAL the request is invalid: rectangles outside of an image, different formats
 *   -EBUSY too many jobs are in flight: skip this copy, never wait
 *   -ENOMEM memory cannot be mapped or made resident: for a short time, or never, since imports
 *   of another GPU's memory may succeed although it has no pages (nvidia-drm)
 *   -ENODEV the engine is lost; destroy it and transient errors of the system: error_may_pass()
 *   (util/error.h). An engine whose GPU was reset is lost with copy_engine.reset set: a new one in
 *   its place will work. Jobs in flight have failed; their fences have an error status.
 */

#include "gpu/dmabuf.h"
#include "util/signal.h"
#include <pixman.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct copy_engine;
struct copy_image;
struct copy_request;

/**
 * Maximum number of jobs in flight on an engine. amdgpu limits a context to 32 (amdgpu_ctx.c,
 * amdgpu_ctx_wait_prev_fence(); sched_jobs): the next submission waits for the oldest job, which
 * may hang.
 */
#define COPY_JOBS_MAX 24

/**
 * Time (ns) after which an unfinished copy means that its engine hangs: ten times the longest
 * frame; the kernel's own watchdog takes seconds. Until then the previous content is shown.
 */
#define COPY_DEADLINE INT64_C(500000000)
/** The same for copies by the CPU, which other work delays and no other engine could replace. */
#define COPY_DEADLINE_CPU INT64_C(4000000000)

enum copy_use {
	COPY_SOURCE = 1 << 0, /* mapped read-only, to protect the client's memory */
	COPY_DESTINATION = 1 << 1,
};

/** Members are mandatory unless marked optional. Call them through the functions below. */
struct copy_engine_impl {
	const char *name; /* "sdma" */
	/**
	 * Frees the engine; slow drivers may block. Creation and destruction may run on another
	 * thread than the other members, one after the other.
	 */
	void (*destroy)(struct copy_engine *engine);
	/** Optional: releases thread-local state, before another thread destroys the engine. */
	void (*leave)(struct copy_engine *engine);
	/** Returns 0, or an error and its reason. Without side effects. */
	int (*check)(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
		const char **reason);
	/** As copy_engine_ask(). */
	int (*ask)(struct copy_engine *engine, uint32_t format, uint64_t modifier);
	size_t image_size; /* of a structure that begins with a struct copy_image */
	/**
	 * Imports image->dmabuf, which passed `check`, into an image that is zero beyond its base.
	 */
	int (*import)(struct copy_engine *engine, struct copy_image *image);
	/** Releases the import of an image that no job in flight uses; the caller frees it. */
	void (*forget)(struct copy_engine *engine, struct copy_image *image);
	/** Starts a copy and stores its fence, which the caller owns; -1: it has ended already. */
	int (*submit)(struct copy_engine *engine, const struct copy_request *request, int *fence);
	/**
	 * Optional: submits a command buffer that does nothing but require the image's memory, and
	 * stores its fence. The kernel maps the memory before it returns.
	 */
	int (*prove)(struct copy_engine *engine, struct copy_image *image, int *fence);
	/**
	 * Optional: called after a copy failed because of its images; all jobs have been forgotten.
	 */
	void (*recover)(struct copy_engine *engine);
	/** Recycles the resources of the oldest job, which has ended. */
	void (*retire)(struct copy_engine *engine);
	/**
	 * Optional: allocates a linear image in system memory that the engine writes and the CPU
	 * reads (cached, coherent) at full speed; rows start at multiples of `alignment` bytes. The
	 * caller owns *dmabuf.
	 */
	int (*allocate)(struct copy_engine *engine, int32_t width, int32_t height, uint32_t format,
		uint32_t alignment, struct dmabuf *dmabuf);
};

/** A dma-buf that an engine has imported. Read-only for its users. */
struct copy_image {
	struct copy_engine *engine;
	struct dmabuf dmabuf; /* with duplicated descriptors */
	unsigned use; /* enum copy_use */
	int n_jobs; /* in flight */
	bool dropped;
	struct wl_list link; /* copy_engine.images */
};

struct copy_stats {
	uint64_t submissions, rectangles, bytes; /* accepted; bytes read */
	uint64_t failures; /* fences that signalled an error */
};

struct copy_engine {
	const struct copy_engine_impl *impl;
	struct wl_list images; /* copy_image.link */
	struct wl_list jobs; /* in flight, oldest first; private */
	int n_jobs;
	int64_t deadline; /* ns that a copy may take before the engine counts as hung */
	bool lost;
	bool reset; /* lost by a GPU reset: a new engine will work */
	const char *lost_why; /* a phrase; set when lost */
	pixman_box32_t *boxes; /* of the last request; private */
	int max_boxes;
	struct copy_stats stats;
	struct {
		struct wl_signal lost; /* emitted once, after a reset or a hang */
	} events;
};

struct copy_request {
	struct copy_image *source; /* imported by this engine for COPY_SOURCE */
	struct copy_image *destination; /* imported by this engine for COPY_DESTINATION */
	/** Source pixels, inside both images. */
	const pixman_region32_t *damage;
	/** Position of the source's 0,0 in the destination; even for subsampled formats. */
	int32_t dx, dy;
	/** Fence to wait for, on the GPU if possible, or -1. Not consumed. */
	int wait_fd;
	int64_t now; /* ns of the caller's clock, for the deadline */
};

/** Destroys the engine without waiting for jobs, which go on in the kernel. Accepts NULL. */
void copy_engine_destroy(struct copy_engine *engine);
/**
 * Returns 0 if such images can be imported; else an error, with a phrase in *reason (may be NULL).
 */
int copy_engine_check(
	struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use, const char **reason);
/**
 * Returns 1 if images of this format and modifier can be sources, size and memory aside; 0 if they
 * cannot; or an error if the driver did not answer.
 */
int copy_engine_ask(struct copy_engine *engine, uint32_t format, uint64_t modifier);
/** Returns whether the answer is 1. */
bool copy_engine_reads(struct copy_engine *engine, uint32_t format, uint64_t modifier);
/** Imports the dma-buf, duplicating its descriptors. Returns 0 or an error. */
int copy_engine_import(struct copy_engine *engine, const struct dmabuf *dmabuf, unsigned use,
	struct copy_image **image);
/** Frees the image when the last job that uses it has ended. Accepts NULL. */
void copy_image_drop(struct copy_image *image);
/**
 * Starts a copy. Returns 0 and a fence that the caller owns, or -1 if the damage is empty or the
 * copy has ended already; or an error, if nothing was started.
 *
 * The fence is a descriptor that becomes readable or hung up when the copy has ended;
 * fence_status() returns the outcome. It is a sync_file if a kernel driver copies: GPUs can wait
 * for it, and it may be merged. It is a pipe, for the event loop only, if a thread watches the copy
 * (cpu; drivers without sync files).
 */
int copy_engine_submit(struct copy_engine *engine, const struct copy_request *request, int *fence);
/**
 * Returns 0 if the kernel can map the image's memory for the engine, else -ENOMEM; -ENOTSUP if the
 * engine cannot find out; or another error of copy_engine_submit(). `now`: ns of the caller's
 * clock.
 */
int copy_engine_prove(struct copy_engine *engine, struct copy_image *image, int64_t now);
/**
 * Retires jobs that have ended and frees dropped images. Call when a fence of this engine signals.
 * Returns the number of jobs in flight, or -ENODEV if the engine is lost: its GPU was reset, or a
 * job is past its deadline, whose fence may never signal.
 */
int copy_engine_reap(struct copy_engine *engine, int64_t now);
/**
 * Returns the deadline of the oldest job in flight, ns of the caller's clock; INT64_MAX without
 * jobs.
 */
int64_t copy_engine_overdue(const struct copy_engine *engine);

/** For engines: common state. */
void copy_engine_init(
	struct copy_engine *engine, const struct copy_engine_impl *impl, int64_t deadline);
/**
 * For `submit`: returns the request's damage as rectangles, joined across pixman's bands. They stay
 * until the next request.
 */
const pixman_box32_t *copy_engine_boxes(
	struct copy_engine *engine, const struct copy_request *request, int *n_boxes);
/** All jobs have been forgotten, and all images finished. */
void copy_engine_finish(struct copy_engine *engine);
/**
 * For `ask`: describes an image of this format and modifier without memory, whose size is a
 * multiple of any tiling's block. Returns false if the format is unknown.
 */
bool copy_trial_init(struct dmabuf *dmabuf, uint32_t fourcc, uint64_t modifier);
