#pragma once

/**
 * Shared-memory pools and the buffers in them, safe against clients that truncate their files: an
 * access either is to memory that the kernel guarantees (sealed memfd) or runs under a guard that
 * turns SIGBUS into zeros and an error.
 */

#include "buffer/buffer.h"
#include <stdint.h>

struct account;
struct shm_pool;

/**
 * Maps `size` bytes of a memory file (fd_is_memory()), which it takes over (also on failure). The file may be
 * shorter than that: then access to the missing part fails, not the pool. NULL with errno set, EINVAL for other
 * files.
 */
struct shm_pool *shm_pool_create(int fd, int32_t size);
/**
 * Creates a pending pool: its file is being examined, and its buffers read as zeros and cannot be written until
 * shm_pool_open(). NULL with errno set.
 */
struct shm_pool *shm_pool_create_pending(int32_t size);
/** Maps the file of a pending pool, and takes it over unless that fails. 0 or negative errno. */
int shm_pool_open(struct shm_pool *pool, int fd);
/**
 * Charges the pool's descriptor and mappings to `account` for as long as they are there, which may be longer
 * than both the wl_shm_pool and its client are. Once per pool; a NULL account is legal.
 */
void shm_pool_charge(struct shm_pool *pool, struct account *account);
struct shm_pool *shm_pool_ref(struct shm_pool *pool);
void shm_pool_unref(struct shm_pool *pool);
/** Pools only grow. 0 or negative errno (-EINVAL: smaller than it is). */
int shm_pool_resize(struct shm_pool *pool, int32_t size);
int32_t shm_pool_size(const struct shm_pool *pool);

/**
 * A buffer in the pool, which it keeps alive. Parameters must have been checked with
 * shm_buffer_check(). `format` is a DRM fourcc, see pixel_format_from_shm().
 */
struct buffer *shm_buffer_create(struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format);
/** NULL if the parameters are good, else what is wrong, as a static string. */
const char *shm_buffer_check(const struct shm_pool *pool, int32_t offset, int32_t width,
	int32_t height, int32_t stride, uint32_t format);
/**
 * The memory behind a buffer as it is now, for another thread to read while the pool is resized. Whoever
 * holds it keeps the buffer locked.
 */
struct shm_hold;

/** On the event loop's thread. *stride is in bytes, from row to row of *data. */
struct shm_hold *shm_buffer_hold(struct buffer *buffer, const void **data, size_t *stride);
/** Around reads, on the thread that reads. False: too many accesses are nested. */
bool shm_hold_begin(struct shm_hold *hold);
/** False if memory was missing: what was read there is zeros. */
bool shm_hold_end(struct shm_hold *hold);
/** On the event loop's thread, after its last end; NULL is legal. */
void shm_hold_release(struct shm_hold *hold);

/** The file that it lies in, which is its pool's; where its first row begins there and how far the next, bytes. */
int shm_buffer_place(struct buffer *buffer, int32_t *offset, int32_t *stride);
/** A descriptor, the caller's, that is readable once the buffer's pool is open; negative if it is. */
int shm_buffer_ready_fd(struct buffer *buffer);
/** True for buffers that shm_buffer_create() made. */
bool buffer_is_shm(const struct buffer *buffer);
/** An access found memory missing since the last call; the client deserves its error. */
bool shm_buffer_take_fault(struct buffer *buffer);
/**
 * How many accesses, of any buffer, have found memory missing so far; wraps. While it stays the same,
 * no buffer needs to be asked.
 */
unsigned shm_n_faults(void);
