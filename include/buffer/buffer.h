#pragma once

/**
 * A buffer: a picture in memory that somebody produced and others read. Clients' shm and dma-buf
 * buffers, single colours, and the compositor's own (swapchains, cursors) all are.
 *
 * Life: created with the producer's reference; readers hold locks. When the producer drops its
 * reference and no lock is left, it is destroyed. When the last lock goes while the producer still
 * holds it, `release` is emitted: the producer may write again (wl_buffer.release).
 */

#include "gpu/coding.h"
#include "gpu/dmabuf.h"
#include "util/addon.h"
#include <pixman.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct account;
struct buffer;
struct gpu;

enum buffer_access {
	BUFFER_READ = 1 << 0,
	BUFFER_WRITE = 1 << 1,
};

struct buffer_impl {
	/** Mandatory. Calls buffer_finish() and frees; called once nobody refers to the buffer. */
	void (*destroy)(struct buffer *buffer);
	/** Optional: the dma-buf description, owned by the buffer and valid as long as it is. */
	const struct dmabuf *(*dmabuf)(struct buffer *buffer);
	/**
	 * Optional: CPU access. On success *data and *stride (bytes) are valid until end_access().
	 * Negative errno otherwise. Accesses may nest, also of different buffers. Never used on
	 * memory of a discrete GPU: reading it through the bus is slower than any other road.
	 */
	int (*begin_access)(struct buffer *buffer, unsigned access, void **data, size_t *stride);
	/**
	 * Optional, with begin_access: false if the memory behind the buffer was missing meanwhile
	 * (a client truncated its pool); what was read there is zeros.
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
	 * The GPU that made it and alone may import it natively; NULL: none (shm, memory files) or
	 * unknown. See "Home" in the design.
	 */
	struct gpu *home;
	/** What its surface says of its colours (wp_color_representation); of no meaning for RGB. */
	struct color_coding coding;
	int n_locks;
	bool dropped;
	bool releasing; /* within events.release */
	bool unhurried; /* within events.release: its client need not be woken for this alone */
	struct addon_set addons;
	struct account *account; /* charged by buffer_charge(); NULL: none */
	int n_descriptors; /* charged */
	struct {
		struct wl_signal release; /* data: the buffer */
		/**
		 * A screen has the only lock left, and is done with it when a fence signals; data: int *,
		 * that fence, which stays the emitter's. `release` comes after that. Not every screen
		 * can say so.
		 */
		struct wl_signal leaving;
		struct wl_signal destroy;
	} events;
};

void buffer_init(struct buffer *buffer, const struct buffer_impl *impl, int32_t width,
	int32_t height, uint32_t format);
/** For impl.destroy: finishes addons, emits destroy, asserts that nobody listens any more. */
void buffer_finish(struct buffer *buffer);
/**
 * Charges the buffer and its planes' descriptors to `account` for as long as it lives, which may be longer
 * than its client does. Once per buffer; a NULL account is legal.
 */
void buffer_charge(struct buffer *buffer, struct account *account);
/** The producer lets go; NULL is legal. */
void buffer_drop(struct buffer *buffer);
/** Returns its argument. NULL is legal. */
struct buffer *buffer_lock(struct buffer *buffer);
void buffer_unlock(struct buffer *buffer);
/**
 * The same by who knows that the buffer's client is soon told something else, as that a frame was shown: it
 * can hear of the release along with that.
 */
void buffer_unlock_unhurried(struct buffer *buffer);
/** Makes *slot hold a lock on `buffer` in place of what it held. */
void buffer_replace(struct buffer **slot, struct buffer *buffer);

const struct dmabuf *buffer_dmabuf(struct buffer *buffer);
/** One thread at a time for all buffers of a pool, here and at the end. -ENOTSUP: there is no CPU access. */
int buffer_begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride);
bool buffer_end_access(struct buffer *buffer);
#define BUFFER_MAX_PLANES 3
struct buffer_plane {
	const uint8_t *data;
	size_t stride; /* bytes */
};
/**
 * The planes of its format within what buffer_begin_access() gave. Where nobody describes them, as in shm
 * pools, they follow each other, and the rows of the others are as long as the first plane's with as many
 * pixels. False: they are not in one piece of memory.
 */
bool buffer_planes(struct buffer *buffer, void *data, size_t stride,
	struct buffer_plane planes[static BUFFER_MAX_PLANES]);
/**
 * Only these pixels will be written until the next end_access(); without this, all may be. Saves
 * work where CPU access is to a copy.
 */
void buffer_will_write(struct buffer *buffer, const pixman_region32_t *region);
bool buffer_color(struct buffer *buffer, float rgba[static 4]);
/** No pixel of it can be translucent. */
bool buffer_is_opaque(struct buffer *buffer);
