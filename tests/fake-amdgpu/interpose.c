/* SPDX-License-Identifier: MIT */
/*
 * Interposed libc calls: ioctl() and mmap() of emulated devices, as libdrm calls them; other files
 * reach the kernel.
 */

#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void fake_lock(void)
{
	pthread_mutex_lock(&mutex);
}

void fake_unlock(void)
{
	pthread_mutex_unlock(&mutex);
}

/* Returns false for files of the kernel. */
static bool answer_ioctl(int fd, unsigned long request, void *argument, int *result)
{
	struct fake_fence *fence;
	struct fake_file *file;
	struct fake_bo *bo;

	/* The type matters: programs may call any ioctl on any descriptor. */
	switch (_IOC_TYPE(request)) {
	case 'd':
		file = fake_file_find(fd);
		*result = file ? fake_file_ioctl(file, request, argument) : 0;
		return file;
	case '>':
		fence = fake_fence_find(fd);
		*result = fence ? fake_fence_ioctl(fence, request, argument) : 0;
		return fence;
	case 'b':
		bo = fake_bo_find(fd);
		*result = bo ? fake_bo_ioctl(bo, request, argument) : 0;
		return bo;
	default: return false;
	}
}

static int answer(int result)
{
	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

VISIBLE int ioctl(int fd, unsigned long request, ...)
{
	void *argument;
	va_list list;
	bool ours;
	int result;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	pthread_mutex_lock(&mutex);
	ours = answer_ioctl(fd, request, argument, &result);
	pthread_mutex_unlock(&mutex);
	if (ours) {
		return answer(result);
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

VISIBLE int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list list;
	int fd;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	pthread_mutex_lock(&mutex);
	fd = fake_open(path);
	pthread_mutex_unlock(&mutex);
	if (fd != -ENOENT) {
		return answer(fd);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The offset from GEM_MMAP is the buffer's handle, in pages. */
VISIBLE void *mmap64(
	void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
	struct fake_file *file;

	pthread_mutex_lock(&mutex);
	file = fd >= 0 && offset != 0 ? fake_file_find(fd) : NULL;
	if (file) {
		uint64_t handle = (uint64_t)offset / FAKE_PAGE;
		struct fake_bo *bo = handle < FAKE_HANDLES_MAX ? file->handles[handle] : NULL;

		fd = bo ? bo->fd : -1; /* with -1, the kernel returns an error */
		offset = 0;
	}
	pthread_mutex_unlock(&mutex);
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
