/*
 * Where the emulated amdgpu meets the program: ioctl() and mmap() as libdrm calls them. What is not
 * of an emulated device goes on to the kernel.
 */

#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

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
	struct fake_fence *fence;
	struct fake_file *file;
	struct fake_bo *bo;
	void *argument;
	va_list list;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	/* Mind the type: a descriptor of anything may be asked anything. */
	switch (_IOC_TYPE(request)) {
	case 'd':
		file = fake_file_find(fd);
		if (file) {
			return answer(fake_file_ioctl(file, request, argument));
		}
		break;
	case '>':
		fence = fake_fence_find(fd);
		if (fence) {
			return answer(fake_fence_ioctl(fence, request, argument));
		}
		break;
	case 'b':
		bo = fake_bo_find(fd);
		if (bo) {
			return answer(fake_bo_ioctl(bo, request, argument));
		}
		break;
	default: break;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

VISIBLE int open64(const char *path, int flags, ...)
{
	struct fake_gpu *gpu;
	mode_t mode = 0;
	va_list list;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(list, flags);
		mode = va_arg(list, mode_t);
		va_end(list);
	}
	wl_list_for_each (gpu, &fake_gpus, link) {
		if (gpu->path && strcmp(gpu->path, path) == 0) {
			return answer(fake_gpu_open(gpu));
		}
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The offset that GEM_MMAP gave is the handle, in pages. */
VISIBLE void *mmap64(
	void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
	struct fake_file *file = fd >= 0 && offset != 0 ? fake_file_find(fd) : NULL;

	if (file) {
		uint64_t handle = (uint64_t)offset / FAKE_PAGE;
		struct fake_bo *bo = handle < FAKE_MAX_HANDLES ? file->handles[handle] : NULL;

		if (!bo) {
			errno = EINVAL;
			return MAP_FAILED;
		}
		fd = bo->fd;
		offset = 0;
	}
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
