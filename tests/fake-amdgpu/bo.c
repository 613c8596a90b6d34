/* SPDX-License-Identifier: MIT */
/* Emulated buffer objects: memory files that are their own dma-bufs. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct wl_list fake_bos = {&fake_bos, &fake_bos};

/* Takes ownership of the descriptor. */
static struct fake_bo *add(int fd, size_t size)
{
	struct fake_bo *bo = calloc(1, sizeof(*bo));
	struct stat stat;

	assert(bo && fd >= 0 && fstat(fd, &stat) == 0);
	bo->size = size;
	bo->fd = fd;
	bo->inode = stat.st_ino;
	bo->map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, bo->fd, 0);
	assert(bo->map != MAP_FAILED);
	wl_list_insert(&fake_bos, &bo->link);
	return bo;
}

struct rlimit fake_limit_lift(void)
{
	struct rlimit before, lifted;

	assert(getrlimit(RLIMIT_NOFILE, &before) == 0);
	lifted = (struct rlimit){before.rlim_max, before.rlim_max};
	assert(setrlimit(RLIMIT_NOFILE, &lifted) == 0);
	return before;
}

int fake_limit_keep(const struct rlimit *before, int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, (int)before->rlim_cur);

	if (high >= 0) {
		close(fd);
	}
	return high >= 0 ? high : fd;
}

static int duplicate(int fd)
{
	struct rlimit limit = fake_limit_lift();
	int copy = fake_limit_keep(&limit, fcntl(fd, F_DUPFD_CLOEXEC, 0));

	setrlimit(RLIMIT_NOFILE, &limit);
	return copy;
}

struct fake_bo *fake_bo_new(size_t size)
{
	struct rlimit limit = fake_limit_lift();
	int fd = fake_limit_keep(&limit, memfd_create("fake-bo", MFD_CLOEXEC | MFD_ALLOW_SEALING));

	setrlimit(RLIMIT_NOFILE, &limit);
	size = (size + FAKE_PAGE - 1) / FAKE_PAGE * FAKE_PAGE;
	assert(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	return add(fd, size);
}

struct fake_bo *fake_bo_find(int fd)
{
	struct fake_bo *bo;
	struct stat stat;

	if (fstat(fd, &stat) < 0) {
		return NULL;
	}
	wl_list_for_each (bo, &fake_bos, link) {
		if (bo->inode == stat.st_ino) {
			return bo;
		}
	}
	return NULL;
}

/* Buffer objects of other processes are identified by the file's name. */
struct fake_bo *fake_bo_import(int fd, bool foreign)
{
	struct fake_bo *bo = fake_bo_find(fd);
	char path[32], name[48] = "";
	off_t size = lseek(fd, 0, SEEK_END);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (bo || size <= 0 || readlink(path, name, sizeof(name) - 1) <= 0) {
		return bo;
	}
	if (strcmp(name, "/memfd:fake-bo (deleted)") == 0) {
		bo = add(duplicate(fd), (size_t)size);
	} else if (foreign && (strcmp(name, "/memfd:causeway-staging (deleted)") == 0 ||
				      strncmp(name, "/dmabuf:", 8) == 0)) {
		bo = add(duplicate(fd), (size_t)size);
		bo->foreign = true;
	}
	return bo;
}

static void prune(struct fake_bo *bo)
{
	size_t kept = 0;

	for (size_t i = 0; i < bo->n_fences; i++) {
		if (bo->fences[i].fence->status != 0) {
			fake_fence_unref(bo->fences[i].fence);
		} else {
			bo->fences[kept++] = bo->fences[i];
		}
	}
	bo->n_fences = kept;
}

void fake_bo_add_fence(struct fake_bo *bo, struct fake_fence *fence, const void *owner, bool write)
{
	prune(bo);
	bo->fences = realloc(bo->fences, (bo->n_fences + 1) * sizeof(*bo->fences));
	assert(bo->fences);
	bo->fences[bo->n_fences++] = (struct fake_bo_fence){fake_fence_ref(fence), owner, write};
}

/* Merges the fences that apply to the requested access. */
static int export_fences(struct fake_bo *bo, struct dma_buf_export_sync_file *request)
{
	struct fake_fence *all = NULL;

	prune(bo);
	for (size_t i = 0; i < bo->n_fences; i++) {
		struct fake_fence *fence = bo->fences[i].fence;

		if (!bo->fences[i].write && !(request->flags & DMA_BUF_SYNC_WRITE)) {
			continue;
		}
		if (all) {
			struct fake_fence *both = fake_fence_both(all, fence);

			fake_fence_unref(all);
			all = both;
		} else {
			all = fake_fence_ref(fence);
		}
	}
	if (!all) {
		all = fake_fence_new();
		fake_fence_set(all, 1);
	}
	request->fd = fake_fence_export(all);
	fake_fence_unref(all);
	return request->fd < 0 ? request->fd : 0;
}

static int import_fence(struct fake_bo *bo, const struct dma_buf_import_sync_file *request)
{
	struct fake_fence *fence = fake_fence_find(request->fd);

	if (!fence) {
		return -EINVAL;
	}
	fake_bo_add_fence(bo, fence, NULL, request->flags & DMA_BUF_SYNC_WRITE);
	return 0;
}

int fake_bo_ioctl(struct fake_bo *bo, unsigned long request, void *argument)
{
	switch (request) {
	case DMA_BUF_IOCTL_EXPORT_SYNC_FILE: return export_fences(bo, argument);
	case DMA_BUF_IOCTL_IMPORT_SYNC_FILE: return import_fence(bo, argument);
	case DMA_BUF_IOCTL_SYNC: return 0;
	default: return -ENOTTY;
	}
}

int fake_dmabuf_create(size_t size, void **map)
{
	fake_lock();
	struct fake_bo *bo = fake_bo_new(size);
	int fd = dup(bo->fd);
	fd = fd < 0 ? -errno : fd;
	*map = bo->map;
	fake_unlock();
	return fd;
}

void fake_dmabuf_write(int fd, int fence)
{
	const struct dma_buf_import_sync_file request = {.flags = DMA_BUF_SYNC_WRITE, .fd = fence};

	fake_lock();
	struct fake_bo *bo = fake_bo_find(fd);
	assert(bo);
	int error = import_fence(bo, &request);
	assert(error == 0);
	(void)error;
	fake_unlock();
}

void fake_dmabuf_drop_pages(int fd)
{
	fake_lock();
	struct fake_bo *bo = fake_bo_find(fd);
	assert(bo);
	bo->pageless = true;
	fake_unlock();
}

void fake_dmabuf_drop_pages_for(const struct fake_gpu *gpu, int fd)
{
	fake_lock();
	struct fake_bo *bo = fake_bo_find(fd);
	assert(bo);
	bo->pageless_for = gpu;
	fake_unlock();
}

void fake_bos_forget(void)
{
	struct fake_bo *bo, *next;

	wl_list_for_each_safe (bo, next, &fake_bos, link) {
		munmap(bo->map, bo->size);
		close(bo->fd);
		free(bo->fences);
		free(bo);
	}
	wl_list_init(&fake_bos);
}
