/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Shared-memory pools and their buffers, safe against clients that truncate their files: either the
 * kernel guarantees the memory (sealed memfd), or accesses run under a guard that turns SIGBUS into
 * zeros and an error.
 */

#include "buffer/buffer.h"
#include <stdint.h>

struct account;
struct shm_pool;

/**
 * Maps `size` bytes of a memory file (fd_is_memory()), and takes it over, also on failure. A
 * shorter file fails only accesses to its missing part. Returns NULL with errno set; EINVAL for
 * other files.
 */
struct shm_pool *shm_pool_create(int fd, int32_t size);
/**
 * Creates a pending pool, while its file is examined: its buffers read as zeros and cannot be
 * written until shm_pool_open(). Returns NULL with errno set on failure.
 */
struct shm_pool *shm_pool_create_pending(int32_t size);
/** Maps the file of a pending pool, and takes it over on success. Returns 0 or -errno. */
int shm_pool_open(struct shm_pool *pool, int fd);
/**
 * Charges the pool's descriptor and mappings to `account` for their lifetime, which may be longer
 * than that of wl_shm_pool and of the client. Once per pool; accepts a NULL account.
 */
void shm_pool_charge(struct shm_pool *pool, struct account *account);
struct shm_pool *shm_pool_ref(struct shm_pool *pool);
void shm_pool_unref(struct shm_pool *pool);
/** Grows the pool. Returns 0 or -errno (-EINVAL: `size` is smaller than before). */
int shm_pool_resize(struct shm_pool *pool, int32_t size);
int32_t shm_pool_size(const struct shm_pool *pool);

/**
 * Creates a buffer in the pool, which it keeps alive. Check the parameters with shm_buffer_check()
 * before. `format` is a DRM fourcc, see pixel_format_from_shm().
 */
struct buffer *shm_buffer_create(struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format);
/** Returns NULL for valid parameters, else an error message (a static string). */
const char *shm_buffer_check(const struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format);
/**
 * The memory of a buffer, for another thread to read even if the pool is resized. Its owner keeps
 * the buffer locked.
 */
struct shm_hold;

/** Call on the event loop's thread. *stride is in bytes, from row to row of *data. */
struct shm_hold *shm_buffer_hold(struct buffer *buffer, const void **data, size_t *stride);
/** Brackets reads, on the reading thread. Returns false if too many accesses are nested. */
bool shm_hold_begin(struct shm_hold *hold);
/** Returns false if memory was missing; it read as zeros. */
bool shm_hold_end(struct shm_hold *hold);
/** Call on the event loop's thread, after the last end. Accepts NULL. */
void shm_hold_release(struct shm_hold *hold);

/**
 * Returns the descriptor of the pool's file, with the offset of the first row and the stride,
 * bytes.
 */
int shm_buffer_place(struct buffer *buffer, int32_t *offset, int32_t *stride);
/**
 * Returns the signal that the buffer's memory became known: the end of `pending`, or for shared
 * memory shm_pool_open() of a pending pool. Until then the buffer must be neither shown nor
 * written. Its data is unspecified. Returns NULL once the memory is known.
 */
struct wl_signal *buffer_known_signal(struct buffer *buffer);
/** Returns true for buffers of shm_buffer_create(). */
bool buffer_is_shm(const struct buffer *buffer);
/**
 * Returns whether an access found memory missing since the last call; if so, send the client an
 * error.
 */
bool shm_buffer_take_fault(struct buffer *buffer);
/**
 * Returns the number of accesses, of all buffers, that found memory missing; wraps. While it is
 * unchanged, shm_buffer_take_fault() returns false for all.
 */
unsigned shm_n_faults(void);
