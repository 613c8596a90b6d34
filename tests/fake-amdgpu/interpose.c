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

static __thread int depth;
static int (*hook)(enum fake_call call);

void fake_lock(void)
{
	pthread_mutex_lock(&mutex);
	depth++;
}

void fake_unlock(void)
{
	depth--;
	pthread_mutex_unlock(&mutex);
}

bool fake_is_locked(void)
{
	return depth > 0;
}

void fake_set_hook(int (*new_hook)(enum fake_call call))
{
	fake_lock();
	hook = new_hook;
	fake_unlock();
}

int fake_fail_call(enum fake_call call)
{
	return hook ? hook(call) : 0;
}

/*
 * Returns whether the hook knows the ioctl of a node. The library crashes without a version, and
 * calls that free do not fail.
 */
static bool find_call(unsigned long request, const void *argument, enum fake_call *call)
{
	const union drm_amdgpu_ctx *context = argument;
	const struct drm_amdgpu_gem_va *va = argument;
	switch (_IOC_NR(request)) {
	case DRM_COMMAND_BASE + DRM_AMDGPU_INFO: *call = FAKE_CALL_INFO; return true;
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_CREATE: *call = FAKE_CALL_ALLOCATE; return true;
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_MMAP: *call = FAKE_CALL_MAP_CPU; return true;
	case DRM_COMMAND_BASE + DRM_AMDGPU_CS: *call = FAKE_CALL_SUBMIT; return true;
	case DRM_COMMAND_BASE + DRM_AMDGPU_GEM_VA:
		*call = FAKE_CALL_MAP_GPU;
		return va->operation == AMDGPU_VA_OP_MAP;
	case DRM_COMMAND_BASE + DRM_AMDGPU_CTX:
		*call = FAKE_CALL_CONTEXT;
		return context->in.op == AMDGPU_CTX_OP_ALLOC_CTX;
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD): *call = FAKE_CALL_EXPORT; return true;
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE): *call = FAKE_CALL_IMPORT; return true;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE): *call = FAKE_CALL_SYNCOBJ; return true;
	default: return false;
	}
}

static int answer_node(struct fake_file *file, unsigned long request, void *argument)
{
	enum fake_call call;
	int error = find_call(request, argument, &call) ? fake_fail_call(call) : 0;
	return error > 0 ? -error : fake_file_ioctl(file, request, argument);
}

static int fail_fence(void)
{
	return -fake_fail_call(FAKE_CALL_FENCE);
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
		*result = file ? answer_node(file, request, argument) : 0;
		return file;
	case '>':
		fence = fake_fence_find(fd);
		*result = fence ? fail_fence() : 0;
		if (fence && *result == 0) {
			*result = fake_fence_ioctl(fence, request, argument);
		}
		return fence;
	case 'b':
		bo = fake_bo_find(fd);
		*result = bo ? fail_fence() : 0;
		if (bo && *result == 0) {
			*result = fake_bo_ioctl(bo, request, argument);
		}
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
	fake_lock();
	ours = answer_ioctl(fd, request, argument, &result);
	fake_unlock();
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
	fake_lock();
	fd = fake_open(path);
	int error = fd >= 0 ? fake_fail_call(FAKE_CALL_OPEN) : 0;
	if (error > 0) {
		close(fd);
		fd = -error;
	}
	fake_unlock();
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
	bool own = fake_is_locked();

	fake_lock();
	int error = fd >= 0 && !own ? fake_fail_call(FAKE_CALL_MAP_CPU) : 0;
	if (error > 0) {
		fake_unlock();
		errno = error;
		return MAP_FAILED;
	}
	file = fd >= 0 && offset != 0 ? fake_file_find(fd) : NULL;
	if (file) {
		uint64_t handle = (uint64_t)offset / FAKE_PAGE;
		struct fake_bo *bo = handle < FAKE_HANDLES_MAX ? file->handles[handle] : NULL;

		fd = bo ? bo->fd : -1; /* with -1, the kernel returns an error */
		offset = 0;
	}
	fake_unlock();
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}
