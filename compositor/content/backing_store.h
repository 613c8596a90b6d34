/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Backing stores: copies of surfaces for clients that wait for their only buffer, in system memory
 * or on a GPU.
 */

#include "content/content.h"
#include "surface/frame_wait.h"
#include "util/addon.h"
#include "util/clock.h"
#include "util/fd_watch.h"

/** Copies of client buffers on the GPU that reads them in place (gpu_copy.c). */
struct gpu_copy {
	struct swapchain *chain; /* NULL: none */
	struct render_device *device; /* that draws them */
	bool alone; /* no other device reads them */
	uint32_t format; /* of the client's buffers */
	int64_t charged; /* bytes of ACCOUNT_PIXELS */
	struct buffer *shown; /* the copy that became the current buffer; not locked; NULL: none */
	struct buffer *buffer; /* being drawn to, locked; NULL: none */
	struct buffer *of; /* the client's, locked */
	int fence;
	struct fd_watch watch;
};

enum gpu_copy_status {
	GPU_COPY_IMPOSSIBLE,
	GPU_COPY_FAILED, /* memory is short */
	GPU_COPY_PENDING, /* it is drawn, or the buffer was replaced at once */
};

/** Result of a copy that is to release the client's buffer. */
enum saved {
	SAVED_ALL, /* and released the buffer */
	SAVED_PART,
	SAVED_NONE, /* memory is short */
};

struct backing_store;

/** A buffer of a client. */
struct client_buffer {
	struct backing_store *store;
	struct buffer *buffer; /* not locked; NULL: none, or destroyed */
	struct wl_listener destroyed;
};

/** Copy in system memory, for a client that draws into its only buffer again (backing_store.c). */
struct backing_store {
	struct addon addon; /* on the surface */
	struct surface *surface;
	/** A device whose peers can show the surface; NULL: only those with contents do. */
	struct render_device *device;
	/** content_prepare() and content_get(), which call this store. */
	enum content_status (*prepare)(struct content *content, const pixman_region32_t *needed);
	struct content *(*get_content)(struct surface *surface, struct render_device *device);
	struct wl_list contents; /* content.store_link */
	struct account *account;
	int64_t charged; /* bytes of ACCOUNT_PIXELS */
	struct gpu_copy gpu;
	/** The GPU's copy has replaced the client's buffer. */
	void (*replaced)(struct backing_store *store);
	struct buffer *copy; /* NULL: none */
	pixman_region32_t missing; /* pixels of the current buffer that the copy lacks */
	struct client_buffer buffers[2], *last, *other; /* the latest two */
	bool eager; /* the client waits for its buffer before it draws */
	/** The client has another buffer, or nothing more can be done to release this one. */
	bool tried;
	/** ns; time of the last update with the only buffer, or of its frame callback */
	int64_t changed;
	struct frame_wait called; /* for callbacks of the client, which may wait for them */
	int64_t released; /* ns; time of the release after a wait; 0: not released so */
	int64_t retry; /* ns; wait after the last copy that failed; 0: none did */
	struct timer timer; /* ends the wait; .clock is NULL if the surface has none */
	struct wl_listener applied; /* while `contents` is empty */
};

/* copy_buffer.c */

/**
 * Creates a buffer in system memory. Returns NULL without memory, because the client chooses the
 * size.
 */
struct buffer *copy_buffer_create(int32_t width, int32_t height, uint32_t fourcc);
/**
 * Copies a region within both buffers, which have the same format. Returns false if the CPU cannot
 * read `from`.
 */
bool copy_buffer_copy(struct buffer *to, struct buffer *from, const pixman_region32_t *region);

/* cpu_copy.c */

/** Copies the pixels that devices miss of the current buffer, at most about `bytes`. */
enum saved cpu_copy_save(struct backing_store *store, int64_t bytes);
/** Frees the copy. */
void cpu_copy_drop(struct backing_store *store);

/* gpu_copy.c */

void gpu_copy_init(struct backing_store *store);
/** Returns whether a device can read the buffer in place, and may copy it. */
bool gpu_copy_is_possible(const struct backing_store *store, struct buffer *buffer);
/** Returns whether the surface's current buffer is a copy. */
bool gpu_copy_is_shown(const struct backing_store *store);
/** Starts to copy the current buffer, which the copy will replace. */
enum gpu_copy_status gpu_copy_begin(struct backing_store *store);
/** Abandons the copy that is drawn: another buffer was attached. */
void gpu_copy_end(struct gpu_copy *copy);
/** Frees the copies, except one that is shown. */
void gpu_copy_drop(struct backing_store *store);

/* backing_store.c */

/** Returns the surface's backing store, which is created if there is none. */
struct backing_store *backing_store_get(struct surface *surface);
/** Adds the content to the backing store of its surface. */
void backing_store_join(struct content *content);
void backing_store_leave(struct content *content);
/** Handles an applied update. The first content of the store calls it, if there is one. */
void backing_store_applied(struct backing_store *store);
/**
 * Returns whether the client waits for a buffer that backing stores cannot copy: all of its pixels
 * are to be prepared.
 */
bool backing_store_takes_all(const struct content *content);
/**
 * Returns whether the client waits for a buffer that is read in place: a plane would keep it.
 */
bool backing_store_reads_in_place(const struct content *content);
/**
 * If the client waits for its buffer, copies the pixels that devices miss, and releases it. Call it
 * after the content was prepared. Returns whether the buffer was released: prepare the content
 * again.
 */
bool backing_store_update(struct content *content);
/**
 * Returns the copy, if it has all pixels of `needed` (NULL: all) that the content misses; else
 * NULL.
 */
struct buffer *backing_store_buffer(const struct content *content, const pixman_region32_t *needed);
