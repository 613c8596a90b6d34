/* SPDX-License-Identifier: MIT */
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
/**
 * Opens /dev/null for standard input, output and error as far as they are closed, so that no later
 * descriptor becomes one of them. Returns false with errno set on failure.
 */
bool fd_open_standard(void);
/** Reserves a descriptor for fd_dup_into(). Returns -errno on failure. */
int fd_reserve(void);
/**
 * Returns 0 if another descriptor could be opened, else -errno: the cause of a failure in a library
 * that does not report it.
 */
int fd_check_room(void);
/**
 * Duplicates with close-on-exec onto an open descriptor, which cannot fail for lack of descriptors.
 */
bool fd_dup_into(int fd, int place);
/** Closes a valid descriptor and sets *fd to -1; ignores negative ones. */
void fd_close(int *fd);
/** Returns whether the kernel guarantees at least `size` bytes (sealed memfd). */
bool fd_cannot_shrink_below(int fd, off_t size);
/** Like fd_cannot_shrink_below(), for seals already read (F_GET_SEALS); negative: none. */
bool fd_seals_keep(int fd, int seals, off_t size);
/**
 * Types of descriptors from clients, found by calls that reach no file system: on a file of a FUSE
 * file system (or of an overlay on one) even fstat(), lseek(), ioctl(), poll() and close() wait for
 * the program that serves it.
 */
/**
 * Returns whether it is a file of tmpfs, memfd, shm_open() or huge pages: calls on it never wait
 * for another program.
 */
bool fd_is_memory(int fd);
/**
 * Returns the page size of a memory file, bytes: mappings of huge pages begin and end at their
 * multiples. Requires fd_is_memory(), or a file that cannot block.
 */
size_t fd_page_size(int fd);
/** Rounds `size` up to whole pages. */
static inline size_t fd_whole_pages(size_t size, size_t page)
{
	return (size + page - 1) / page * page;
}
/**
 * Returns whether it is a pipe or FIFO: poll() and close() return at once, but fstat() of a FIFO
 * asks its file system, and reads and writes wait unless made as in util/fd_stream.h.
 */
bool fd_is_pipe(int fd);
/** Returns whether it is a socket of the local domain; other sockets may linger in close(). */
bool fd_is_local_socket(int fd);
/** Returns whether it is a dma-buf; false also without /proc. */
bool fd_is_dmabuf(int fd);
/** Returns whether it is one of the above, so that close() returns at once. */
bool fd_closes_at_once(int fd);
bool fd_set_nonblocking(int fd);
/**
 * Creates a listening socket at a free path, with file mode `mode` from the start; 0: as by umask.
 * Close-on-exec, nonblocking. Returns the descriptor or -errno.
 */
int fd_listen(const char *path, mode_t mode);
