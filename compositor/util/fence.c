/* SPDX-License-Identifier: MIT */
/* Fences: sync_file descriptors, and implicit fences of dma-bufs. */

#include "util/fence.h"
#include "util/fd.h"
#include <errno.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int call(int fd, unsigned long request, void *argument)
{
	int result;
	do {
		result = ioctl(fd, request, argument);
	} while (result < 0 && (errno == EINTR || errno == EAGAIN));
	return result < 0 ? -errno : 0;
}

static int poll_status(int fd)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	if (poll(&poller, 1, 0) < 0) {
		return errno == EINTR ? 0 : -errno;
	}
	if (poller.revents & POLLNVAL) {
		return -EBADF;
	}
	/* A failed task closes its pipe without data. */
	if (poller.revents & POLLERR || (poller.revents & (POLLHUP | POLLIN)) == POLLHUP) {
		return -EIO;
	}
	return poller.revents != 0;
}

int fence_status(int fd)
{
	/* Without space for fences, the kernel returns only their number and the overall status. */
	struct sync_file_info info = {0};
	if (fd < 0) {
		return 1;
	}
	int error = call(fd, SYNC_IOC_FILE_INFO, &info);
	if (error < 0) {
		return error == -EBADF ? error : poll_status(fd);
	}
	return info.status;
}

/* More fences than a pass ever has; others are ignored. */
#define FENCES_MAX 16

int64_t fence_time(int fd)
{
	if (fd < 0) {
		return 0;
	}
	struct sync_fence_info fences[FENCES_MAX] = {0};
	struct sync_file_info info = {
		.num_fences = FENCES_MAX,
		.sync_fence_info = (uintptr_t)fences,
	};
	uint64_t latest = 0;
	if (call(fd, SYNC_IOC_FILE_INFO, &info) < 0 || info.status != 1) {
		return 0;
	}
	for (uint32_t i = 0; i < info.num_fences && i < FENCES_MAX; i++) {
		latest = fences[i].timestamp_ns > latest ? fences[i].timestamp_ns : latest;
	}
	return (int64_t)latest;
}

int fence_merge(int a, int b)
{
	struct sync_merge_data merge = {.name = "causeway", .fd2 = b};
	if (a < 0 && b < 0) {
		return -1;
	}
	if (a < 0 || b < 0) {
		return fd_dup(a < 0 ? b : a);
	}
	int error = call(a, SYNC_IOC_MERGE, &merge);
	return error < 0 ? error : merge.fence;
}

int fence_export_dmabuf(int dmabuf_fd, bool write)
{
	/* The flags describe the caller's access: a reader waits for writers only. */
	struct dma_buf_export_sync_file request = {
		.flags = write ? DMA_BUF_SYNC_WRITE : DMA_BUF_SYNC_READ,
		.fd = -1,
	};
	int error = call(dmabuf_fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &request);
	if (error < 0) {
		/* Kernels and files without support differ in their error. */
		return error == -EINVAL ? -ENOTTY : error;
	}
	if (fence_status(request.fd) == 1) {
		close(request.fd);
		return -1;
	}
	return request.fd;
}

bool fence_dmabuf_is_ready(int dmabuf_fd, bool write)
{
	int fence = fence_export_dmabuf(dmabuf_fd, write);
	if (fence >= 0) {
		bool pending = fence_status(fence) == 0;
		close(fence);
		return !pending;
	}
	/* No descriptor may be left for a fence. */
	struct pollfd poller = {.fd = dmabuf_fd, .events = write ? POLLOUT : POLLIN};
	return fence == -1 || poll(&poller, 1, 0) > 0;
}

int fence_dmabuf_access(int dmabuf_fd, uint64_t flags)
{
	struct dma_buf_sync sync = {.flags = flags};
	return call(dmabuf_fd, DMA_BUF_IOCTL_SYNC, &sync);
}
