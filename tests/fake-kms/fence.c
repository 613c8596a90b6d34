/* SPDX-License-Identifier: MIT */
/* Emulated sync_files: pipes whose reading end becomes readable when the fence signals. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_fence {
	struct wl_list link;
	int status; /* 0: pending, 1: signalled, negative errno: failed */
	int writer, reader;
	ino_t inode;
	struct fake_fence *parts[2]; /* of a merged fence; else NULL */
};

static struct wl_list fences = {&fences, &fences};

struct fake_fence *fake_fence_make(int *fd)
{
	struct fake_fence *fence = calloc(1, sizeof(*fence));
	struct stat stat;
	int ends[2];

	assert(fence && pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	assert(fstat(ends[0], &stat) == 0);
	fence->reader = ends[0];
	fence->writer = ends[1];
	fence->inode = stat.st_ino;
	wl_list_insert(&fences, &fence->link);
	*fd = fcntl(fence->reader, F_DUPFD_CLOEXEC, 0);
	return fence;
}

int fake_fence_create(void)
{
	int fd;

	fake_fence_make(&fd);
	return fd;
}

struct fake_fence *fake_fence_find(int fd)
{
	struct fake_fence *fence;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || !S_ISFIFO(stat.st_mode)) {
		return NULL;
	}
	wl_list_for_each (fence, &fences, link) {
		if (fence->inode == stat.st_ino) {
			return fence;
		}
	}
	return NULL;
}

int fake_fence_status(const struct fake_fence *fence)
{
	return fence->status;
}

/* Signals the merged fence after the last of its parts, with an error if one of them failed. */
static void settle(struct fake_fence *fence)
{
	const int first = fence->parts[0]->status, second = fence->parts[1]->status;

	if (first != 0 && second != 0) {
		fake_fence_set(fence, first < 0 ? first : second);
	}
}

void fake_fence_set(struct fake_fence *fence, int status)
{
	struct fake_fence *merged;

	if (fence->status != 0) {
		return;
	}
	fence->status = status;
	assert(write(fence->writer, "", 1) == 1);
	wl_list_for_each (merged, &fences, link) {
		if (merged->parts[0] == fence || merged->parts[1] == fence) {
			settle(merged);
		}
	}
}

static int merge(struct fake_fence *fence, struct sync_merge_data *data)
{
	struct fake_fence *other = fake_fence_find(data->fd2);

	if (!other) {
		return -ENOENT;
	}
	struct fake_fence *merged = fake_fence_make(&data->fence);
	merged->parts[0] = fence;
	merged->parts[1] = other;
	settle(merged);
	return 0;
}

void fake_fence_signal(int fd, int status)
{
	struct fake_fence *fence = fake_fence_find(fd);

	assert(fence);
	fake_fence_set(fence, status);
}

int fake_fence_ioctl(struct fake_fence *fence, unsigned long request, void *argument)
{
	struct sync_file_info *info = argument;

	if (request == SYNC_IOC_MERGE) {
		return merge(fence, argument);
	}
	if (request != SYNC_IOC_FILE_INFO) {
		return -ENOTTY;
	}
	info->status = fence->status;
	info->num_fences = 1;
	return 0;
}

void fake_fences_forget(void)
{
	struct fake_fence *fence, *next;

	wl_list_for_each_safe (fence, next, &fences, link) {
		wl_list_remove(&fence->link);
		close(fence->reader);
		close(fence->writer);
		free(fence);
	}
}
