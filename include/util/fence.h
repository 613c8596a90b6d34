#pragma once

/**
 * Fences as sync_file descriptors, and the implicit fences of a dma-buf.
 * -1 stands for "already signalled" everywhere; functions that return one hand over ownership.
 */

#include <stdbool.h>
#include <stdint.h>

/**
 * 1 signalled, 0 pending, negative errno if the fence ended in an error (SYNC_IOC_FILE_INFO's
 * status). A descriptor that is no sync_file (a dma-buf polled as its own fence) reports by poll():
 * readable is signalled, an error or hung up without anything to read is -EIO.
 */
int fence_status(int fd);

/**
 * When it signalled, ns of CLOCK_MONOTONIC; 0 if it has not, or does not say (-1, no sync_file). The
 * kernel notes it for each driver's fence, see dma_fence_signal_timestamp().
 */
int64_t fence_time(int fd);

/** A fence that signals after both; does not consume its arguments. Negative errno on failure. */
int fence_merge(int a, int b);

/**
 * The fence that a reader (write = false) or writer of the dma-buf must wait for, as a new
 * sync_file; -1 when there is nothing to wait for; -ENOTTY when the kernel has no
 * DMA_BUF_IOCTL_EXPORT_SYNC_FILE (before Linux 6.0) or the fd is no dma-buf: then poll() the
 * dma-buf itself, POLLIN for a reader, POLLOUT for a writer.
 */
int fence_export_dmabuf(int dmabuf_fd, bool write);

/** Adds a fence to the dma-buf as a read or a write, for implicit-sync users. 0 or -errno. */
int fence_import_dmabuf(int dmabuf_fd, int fence_fd, bool write);
