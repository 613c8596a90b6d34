#pragma once

/** File descriptors: shared memory files, duplication, and checks that never block. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Creates an anonymous, close-on-exec memory file of `size` bytes, named for /proc; sealed against
 * shrinking and further sealing if `sealed`. Returns -errno on failure.
 */
int fd_create_memory(const char *name, off_t size, bool sealed);
/** Duplicates with close-on-exec. Returns -errno on failure. */
int fd_dup(int fd);
/** Reserves a descriptor for fd_dup_into(). Returns -errno on failure. */
int fd_reserve(void);
/**
 * Duplicates with close-on-exec onto an open descriptor, which cannot fail for lack of descriptors.
 */
bool fd_dup_into(int fd, int place);
/** Closes a valid descriptor and sets *fd to -1; ignores negative ones. */
void fd_close(int *fd);
/** Returns whether the kernel guarantees at least `size` bytes (sealed memfd). */
bool fd_cannot_shrink_below(int fd, off_t size);
/** As above, with the file's seals (F_GET_SEALS); negative: none. */
bool fd_seals_keep(int fd, int seals, off_t size);
/**
 * What a descriptor from a client is, told by calls that reach no file system: on a file of a FUSE file system (or
 * of an overlay on one) even fstat(), lseek(), ioctl(), poll() and close() wait for the program that serves it.
 */
/** A file of tmpfs, memfd, shm_open() or huge pages: no call on it waits for another program. */
bool fd_is_memory(int fd);
/**
 * The size of a memory file's pages in bytes: mappings of huge pages begin and end at multiples of theirs. `fd` must
 * be fd_is_memory(), or else a file that may be asked.
 */
size_t fd_page_size(int fd);
/** `size` rounded up to whole pages. */
static inline size_t fd_whole_pages(size_t size, size_t page)
{
	return (size + page - 1) / page * page;
}
/** A pipe or FIFO: safe to read, write, poll and close, but fstat() of a FIFO asks its file system. */
bool fd_is_pipe(int fd);
/** A socket of the local domain; other sockets may linger in close(). */
bool fd_is_local_socket(int fd);
/** A dma-buf. False also if /proc is missing. */
bool fd_is_dmabuf(int fd);
/** One of the above, so that close() returns at once. */
bool fd_closes_at_once(int fd);
bool fd_set_nonblocking(int fd);
/**
 * A listening socket at a path where nothing is, of that mode from the start; 0: as umask has it. Close-on-exec,
 * nonblocking. Negative errno.
 */
int fd_listen(const char *path, mode_t mode);
