/* SPDX-License-Identifier: MIT */
/*
 * Interposed libc calls: open(), opendir(), ioctl() and mmap() of emulated cards; other files reach
 * the kernel.
 */

/* With 64-bit offsets, open() and open64() would be one symbol. */
#undef _FILE_OFFSET_BITS

#include "state.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/udmabuf.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void fake_lock(void)
{
	pthread_mutex_lock(&lock);
}

void fake_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static int answer(int result)
{
	if (result < 0) {
		errno = -result;
		return -1;
	}
	return result;
}

/* The system's own device otherwise. */
static atomic_bool has_udmabuf;

void fake_udmabuf_allow(void)
{
	has_udmabuf = true;
}

void fake_udmabuf_forget(void)
{
	has_udmabuf = false;
}

/* drivers/dma-buf/udmabuf.c, udmabuf_create() */
static int make_udmabuf(const struct udmabuf_create *create)
{
	int seals = fcntl((int)create->memfd, F_GET_SEALS);
	uint64_t unaligned = (create->offset | create->size) % FAKE_PAGE;

	if (unaligned || create->size == 0 || create->offset > 0 || seals < 0 ||
		!(seals & F_SEAL_SHRINK) || seals & F_SEAL_WRITE) {
		return -EINVAL;
	}
	return fcntl((int)create->memfd, F_DUPFD_CLOEXEC, 0);
}

VISIBLE int ioctl(int fd, unsigned long request, ...)
{
	struct fake_fence *fence;
	struct fake_file *file;
	void *argument;
	va_list list;
	bool coherent;
	int result;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	/* The type matters: programs may call any ioctl on any descriptor. */
	switch (_IOC_TYPE(request)) {
	case 'd':
		fake_lock();
		file = fake_file_find(fd);
		result = file ? fake_file_ioctl(file, request, argument) : 0;
		fake_unlock();
		if (file) {
			return answer(result);
		}
		break;
	case '>':
		fake_lock();
		fence = fake_fence_find(fd);
		result = fence ? fake_fence_ioctl(fence, request, argument) : 0;
		fake_unlock();
		if (fence) {
			return answer(result);
		}
		break;
	case 'b':
		fake_lock();
		coherent = fake_bo_find(fd);
		fake_unlock();
		if (coherent) {
			return 0; /* as emulated memory is */
		}
		break;
	case 'E':
		if (_IOC_NR(request) == _IOC_NR(EVIOCGSW(0)) &&
			fake_input_read_switches(fd, argument)) {
			return 0;
		}
		break;
	case 'u':
		if (has_udmabuf && request == UDMABUF_CREATE) {
			return answer(make_udmabuf(argument));
		}
		break;
	default: break;
	}
	return (int)syscall(SYS_ioctl, fd, request, argument);
}

VISIBLE int close(int fd)
{
	const bool matters = fake_file_begin_close(fd);
	int result = (int)syscall(SYS_close, fd);

	if (matters) {
		fake_file_end_close();
	}
	return result;
}

/* Returns whether a test wants a signal during this read of a card's events. */
static bool is_interrupted(int fd)
{
	struct fake_card *card;
	bool interrupted = false;

	wl_list_for_each (card, &fake_cards, link) {
		interrupted |= card->interrupted;
	}
	if (interrupted) {
		struct fake_file *file = fake_file_find(fd);
		interrupted = file && file->card->interrupted;
		if (interrupted) {
			file->card->interrupted = false;
		}
	}
	return interrupted;
}

VISIBLE ssize_t read(int fd, void *data, size_t size)
{
	fake_lock();
	const bool interrupted = is_interrupted(fd);
	fake_unlock();
	return interrupted ? answer(-EINTR) : syscall(SYS_read, fd, data, size);
}

/* The offset from MAP_DUMB is the buffer's handle, in pages. */
VISIBLE void *mmap64(
	void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
	struct fake_file *file = NULL;

	if (fd >= 0 && offset != 0) {
		fake_lock();
		file = fake_file_find(fd);
		fake_unlock();
	}
	if (file) {
		uint64_t handle = (uint64_t)offset / FAKE_PAGE;
		struct fake_bo *bo = handle < FAKE_HANDLES_MAX ? file->handles[handle] : NULL;

		if (!bo) {
			errno = EINVAL;
			return MAP_FAILED;
		}
		fd = bo->fd;
		offset = 0;
	}
	return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
}

/* Returns the file of the card with that node, or a negative errno; 0 without such a card. */
static int open_card(const char *path)
{
	struct fake_card *card;
	int fd = 0;

	fake_lock();
	wl_list_for_each (card, &fake_cards, link) {
		if (strcmp(card->path, path) == 0) {
			fd = fake_file_open(card, NULL);
			break;
		}
	}
	fake_unlock();
	return fd;
}

static int open_any(const char *path, int flags, mode_t mode)
{
	const char *elsewhere = fake_sysfs_path(path);
	const int card = open_card(path);

	if (card != 0) {
		return answer(card);
	}
	if (has_udmabuf && strcmp(path, "/dev/udmabuf") == 0) {
		path = "/dev/null";
	}
	if (strncmp(path, "/dev/dri/", 9) == 0) {
		return answer(-ENOENT); /* no entry */
	}
	return (int)syscall(SYS_openat, AT_FDCWD, elsewhere ? elsewhere : path, flags, mode);
}

VISIBLE int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list list;

	va_start(list, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	return open_any(path, flags, mode);
}

VISIBLE int open64(const char *path, int flags, ...)
{
	mode_t mode;
	va_list list;

	va_start(list, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	return open_any(path, flags, mode);
}

VISIBLE DIR *opendir(const char *path)
{
	int fd = open_any(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);

	return fd >= 0 ? fdopendir(fd) : NULL;
}
