/* SPDX-License-Identifier: MIT */
/* Emulated fences and their sync_files. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define FENCES_MAX 4096

/* Fences by the inodes of their pipes; the newest of a list come first. */
#define N_BUCKETS 1024

struct wl_list fake_fences = {&fake_fences, &fake_fences};
static int n_fences;
static struct wl_list merged = {&merged, &merged}; /* pending ones */
static struct fake_fence *buckets[N_BUCKETS];

static void forget_inode(ino_t inode)
{
	struct fake_fence *fence;

	for (fence = buckets[inode % N_BUCKETS]; fence; fence = fence->next) {
		if (fence->inode == inode) {
			fence->inode = 0; /* the kernel reused its inode number for another pipe */
		}
	}
}

static void add_fence(struct fake_fence *fence)
{
	struct fake_fence **bucket = &buckets[fence->inode % N_BUCKETS];

	fence->bucket = (int)(fence->inode % N_BUCKETS);
	fence->next = *bucket;
	*bucket = fence;
	wl_list_insert(&fake_fences, &fence->link);
	wl_list_init(&fence->merged);
	n_fences++;
}

static void free_fence(struct fake_fence *fence)
{
	struct fake_fence **at = &buckets[fence->bucket];

	while (*at != fence) {
		at = &(*at)->next;
	}
	*at = fence->next;
	wl_list_remove(&fence->link);
	wl_list_remove(&fence->merged);
	n_fences--;
	free(fence);
}

/* Frees signalled fences without references; their descriptors are assumed to be closed. */
static void forget_oldest(void)
{
	struct fake_fence *fence, *next;

	if (n_fences < FENCES_MAX) {
		return;
	}
	wl_list_for_each_reverse_safe (fence, next, &fake_fences, link) {
		if (fence->refs == 0 && fence->status != 0) {
			free_fence(fence);
			return;
		}
	}
}

struct fake_fence *fake_fence_new(void)
{
	struct fake_fence *fence = calloc(1, sizeof(*fence));
	struct rlimit limit = fake_limit_lift();
	struct stat stat;

	forget_oldest();
	assert(fence && pipe2(fence->ends, O_CLOEXEC | O_NONBLOCK) == 0);
	fence->ends[0] = fake_limit_keep(&limit, fence->ends[0]);
	fence->ends[1] = fake_limit_keep(&limit, fence->ends[1]);
	setrlimit(RLIMIT_NOFILE, &limit);
	assert(fstat(fence->ends[0], &stat) == 0);
	forget_inode(stat.st_ino);
	fence->inode = stat.st_ino;
	fence->refs = 1;
	add_fence(fence);
	return fence;
}

struct fake_fence *fake_fence_ref(struct fake_fence *fence)
{
	fence->refs++;
	return fence;
}

static void close_ends(struct fake_fence *fence)
{
	for (int i = 0; i < 2; i++) {
		if (fence->ends[i] >= 0) {
			close(fence->ends[i]);
			fence->ends[i] = -1;
		}
	}
}

/* Keeps the record, since descriptors of it may still be open. */
void fake_fence_unref(struct fake_fence *fence)
{
	if (fence && --fence->refs == 0 && fence->status != 0) {
		close_ends(fence);
	}
}

static void update_merged(void)
{
	struct fake_fence *fence;
	bool again = true;

	while (again) {
		again = false;
		wl_list_for_each (fence, &merged, merged) {
			struct fake_fence **parts = fence->parts;

			if (parts[0]->status && parts[1]->status) {
				int error =
					parts[0]->status < 0 ? parts[0]->status : parts[1]->status;

				fake_fence_unref(parts[0]);
				fake_fence_unref(parts[1]);
				parts[0] = parts[1] = NULL;
				wl_list_remove(&fence->merged);
				wl_list_init(&fence->merged);
				fake_fence_set(fence, error);
				again = true;
				break;
			}
		}
	}
}

void fake_fence_set(struct fake_fence *fence, int status)
{
	if (fence->status != 0) {
		return;
	}
	fence->status = status;
	assert(write(fence->ends[1], "", 1) == 1);
	if (fence->refs == 0) {
		close_ends(fence);
	}
	update_merged();
}

struct fake_fence *fake_fence_find(int fd)
{
	struct fake_fence *fence;
	struct stat stat;

	if (fstat(fd, &stat) < 0 || !S_ISFIFO(stat.st_mode)) {
		return NULL;
	}
	for (fence = buckets[stat.st_ino % N_BUCKETS]; fence; fence = fence->next) {
		if (fence->inode == stat.st_ino) {
			return fence;
		}
	}
	return NULL;
}

int fake_fence_export(struct fake_fence *fence)
{
	int fd = fcntl(fence->ends[0], F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

struct fake_fence *fake_fence_both(struct fake_fence *a, struct fake_fence *b)
{
	struct fake_fence *both = fake_fence_new();

	both->parts[0] = fake_fence_ref(a);
	both->parts[1] = fake_fence_ref(b);
	wl_list_insert(&merged, &both->merged);
	update_merged();
	return both;
}

static int merge(struct fake_fence *a, struct sync_merge_data *data)
{
	struct fake_fence *b = fake_fence_find(data->fd2), *merged;

	if (!b) {
		return -EBADF;
	}
	merged = fake_fence_both(a, b);
	data->fence = fake_fence_export(merged);
	fake_fence_unref(merged); /* stays open until it has signalled */
	return data->fence < 0 ? data->fence : 0;
}

int fake_fence_ioctl(struct fake_fence *fence, unsigned long request, void *argument)
{
	struct sync_file_info *info = argument;

	switch (request) {
	case SYNC_IOC_FILE_INFO:
		info->status = fence->status;
		info->num_fences = 1;
		return 0;
	case SYNC_IOC_MERGE: return merge(fence, argument);
	default: return -ENOTTY;
	}
}

int fake_fence_create(void)
{
	int fd;

	fake_lock();
	fd = fake_fence_export(fake_fence_new());
	fake_unlock();
	return fd;
}

void fake_fence_signal(int fd, int status)
{
	struct fake_fence *fence;

	fake_lock();
	fence = fake_fence_find(fd);
	assert(fence);
	fake_fence_set(fence, status);
	fake_progress();
	fake_unlock();
}

void fake_fences_forget(void)
{
	struct fake_fence *fence, *next;

	wl_list_for_each_safe (fence, next, &fake_fences, link) {
		close_ends(fence);
		free_fence(fence);
	}
}
