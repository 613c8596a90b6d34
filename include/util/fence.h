/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Fences as sync_file descriptors, and the implicit fences of a dma-buf. -1 means "already
 * signalled" everywhere; returned fences are owned by the caller.
 */

#include <stdbool.h>
#include <stdint.h>

/**
 * Returns 1 if signalled, 0 if pending, -errno if the fence ended in an error (SYNC_IOC_FILE_INFO's
 * status). A descriptor other than a sync_file (a dma-buf polled as its own fence) is polled:
 * readable is signalled; an error, or hung up without data, is -EIO.
 */
int fence_status(int fd);

/**
 * Returns when the fence signalled, ns of CLOCK_MONOTONIC; 0 if it is pending or unknown (-1, not a
 * sync_file). The kernel records it for each driver's fence, see dma_fence_signal_timestamp().
 */
int64_t fence_time(int fd);

/** Returns a fence that signals after both, which are not consumed; or -errno. */
int fence_merge(int a, int b);

/**
 * Returns the fence that a reader (write = false) or writer of the dma-buf must wait for, as a new
 * sync_file; -1 for none; -ENOTTY without DMA_BUF_IOCTL_EXPORT_SYNC_FILE (before Linux 6.0) or if
 * the descriptor is not a dma-buf: then poll() the dma-buf itself, POLLIN for a reader, POLLOUT for
 * a writer.
 */
int fence_export_dmabuf(int dmabuf_fd, bool write);

/**
 * Returns whether a reader (write = false) or writer of the dma-buf has no fence to wait for. A
 * fence that ended in an error counts as signalled.
 */
bool fence_dmabuf_is_ready(int dmabuf_fd, bool write);

/**
 * Begins (DMA_BUF_SYNC_START) or ends an access of the CPU to the dma-buf, as DMA_BUF_IOCTL_SYNC
 * does. The beginning waits for fences without a limit: on the event loop, see
 * fence_dmabuf_is_ready() first. Returns 0 or -errno.
 */
int fence_dmabuf_access(int dmabuf_fd, uint64_t flags);
