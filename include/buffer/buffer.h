/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Buffers: pixels in memory, with one producer and several readers: clients' shm and dma-buf
 * buffers, single colours, and the compositor's own (swapchains, cursors).
 *
 * Lifetime: created with the producer's reference; readers hold locks. A buffer is destroyed once
 * the producer has dropped its reference and all locks are released. When the last lock is released
 * while the producer holds its reference, `release` is emitted: the producer may write again
 * (wl_buffer.release).
 */

#include "gpu/color_coding.h"
#include "gpu/dmabuf.h"
#include "util/addon.h"
#include "util/signal.h"
#include <pixman.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct account;
struct buffer;
struct gpu;

enum buffer_access {
	BUFFER_READ = 1 << 0,
	BUFFER_WRITE = 1 << 1,
};

struct buffer_impl {
	/**
	 * Mandatory. Calls buffer_finish() and frees the buffer; called without references and
	 * locks.
	 */
	void (*destroy)(struct buffer *buffer);
	/** Optional: returns the dma-buf description, owned by the buffer. */
	const struct dmabuf *(*dmabuf)(struct buffer *buffer);
	/**
	 * Optional: begins CPU access. Returns 0 with *data and *stride (bytes) valid until
	 * end_access(), or -errno. Accesses may nest, also of different buffers. Never used on
	 * memory of a discrete GPU: every other route is faster than reads over the bus.
	 */
	int (*begin_access)(struct buffer *buffer, unsigned access, void **data, size_t *stride);
	/**
	 * Optional, with begin_access: ends CPU access. Returns false if memory was missing during
	 * the access (a client truncated its pool); it reads as zeros.
	 */
	bool (*end_access)(struct buffer *buffer);
	/** Optional, with begin_access: see buffer_will_write(). */
	void (*will_write)(struct buffer *buffer, const pixman_region32_t *region);
	/** Optional: one colour, premultiplied RGBA in 0..1; then there are no pixels to access. */
	bool (*color)(struct buffer *buffer, float rgba[static 4]);
};

struct buffer {
	const struct buffer_impl *impl;
	int32_t width, height; /* pixels */
	uint32_t format; /* DRM fourcc */
	/**
	 * The GPU that allocated it and alone may import it natively; NULL: none (shm, memory
	 * files) or unknown. See "Home" in the design.
	 */
	struct gpu *home;
	/** A GPU's kernel driver could not map its memory: renderers must not use it. */
	bool unmappable;
	/** Of a dma-buf that cannot be imported: its client is not at fault. */
	bool placeholder;
	/** A thread is finding out `home`: no GPU may use the buffer before events.known. */
	bool pending;
	/**
	 * By which renderers read YUV: that of the last update of a surface with the buffer. Planes
	 * get the coding of their surface.
	 */
	struct color_coding coding;
	int n_locks;
	bool dropped;
	bool releasing; /* within events.release */
	bool unhurried; /* within events.release: it may wait for the client's next event */
	struct addon_set addons;
	struct account *account; /* charged by buffer_charge(); NULL: none */
	int n_descriptors; /* charged */
	struct {
		struct wl_signal release; /* data: the buffer */
		/**
		 * An output holds the only lock, and releases it when a fence signals. data: int *,
		 * that fence, owned by the emitter. `release` follows. Optional for outputs.
		 */
		struct wl_signal leaving;
		/** `pending` became false. data: the buffer, which the emitter has locked. */
		struct wl_signal known;
		struct wl_signal destroy;
	} events;
};

void buffer_init(struct buffer *buffer, const struct buffer_impl *impl, int32_t width,
	int32_t height, uint32_t format);
/** For impl.destroy: finishes addons, emits destroy, asserts that no listeners are left. */
void buffer_finish(struct buffer *buffer);
/**
 * Charges the buffer and its planes' descriptors to `account` for the buffer's lifetime, which may
 * be longer than its client's. Once per buffer; accepts a NULL account.
 */
void buffer_charge(struct buffer *buffer, struct account *account);
/** Drops the producer's reference. Accepts NULL. */
void buffer_drop(struct buffer *buffer);
/** Locks the buffer and returns it. Accepts NULL. */
struct buffer *buffer_lock(struct buffer *buffer);
void buffer_unlock(struct buffer *buffer);
/**
 * Like buffer_unlock(), if the client will soon get another event, such as a frame callback: the
 * release is sent along with it.
 */
void buffer_unlock_unhurried(struct buffer *buffer);
/** Replaces the lock in *slot by a lock on `buffer`. */
void buffer_replace(struct buffer **slot, struct buffer *buffer);

const struct dmabuf *buffer_dmabuf(struct buffer *buffer);
/**
 * Begins CPU access, on one thread at a time for all buffers of a pool until its end. Returns
 * -ENOTSUP without CPU access.
 */
int buffer_begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride);
bool buffer_end_access(struct buffer *buffer);
#define BUFFER_PLANES_MAX 3
struct buffer_plane {
	const uint8_t *data;
	size_t stride; /* bytes */
};
/**
 * Stores the planes within the memory that buffer_begin_access() returned. Without a description,
 * as in shm pools, planes follow each other, with rows proportional to the first plane's. Returns
 * false if they are in separate memory.
 */
bool buffer_planes(struct buffer *buffer, const void *data, size_t stride,
	struct buffer_plane planes[static BUFFER_PLANES_MAX]);
/**
 * Limits writes until the next end_access() to a region, which saves work if CPU access uses a
 * copy.
 */
void buffer_will_write(struct buffer *buffer, const pixman_region32_t *region);
bool buffer_color(struct buffer *buffer, float rgba[static 4]);
/** Returns whether all pixels are opaque. */
bool buffer_is_opaque(struct buffer *buffer);
