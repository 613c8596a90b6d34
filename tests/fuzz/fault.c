/* SPDX-License-Identifier: MIT */
/* Fault injection by wrapped calls; meson.build lists them. */

#include "fuzz/fault.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/mman.h>

/* Set in the thread that enabled faults; calls of other threads succeed. */
static _Thread_local struct random *random_numbers;
static _Thread_local int percent_now;
static struct wl_client *spared;

void fault_set(struct random *random, int percent)
{
	random_numbers = random;
	percent_now = percent;
}

void fault_spare(struct wl_client *client)
{
	spared = client;
}

static bool fails(int error)
{
	if (percent_now == 0 || !random_chance(random_numbers, percent_now)) {
		return false;
	}
	errno = error;
	return true;
}

#define WRAP(type, name, error, failed, parameters, arguments)                                     \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(error) ? failed : __real_##name arguments;                            \
	}

WRAP(struct wl_event_source *, wl_event_loop_add_fd, EMFILE, NULL,
	(struct wl_event_loop * loop, int fd, uint32_t mask, wl_event_loop_fd_func_t func,
		void *data),
	(loop, fd, mask, func, data))
WRAP(int, memfd_create, EMFILE, -1, (const char *name, unsigned flags), (name, flags))
WRAP(int, pipe2, EMFILE, -1, (int fds[2], int flags), (fds, flags))
WRAP(int, eventfd, EMFILE, -1, (unsigned value, int flags), (value, flags))
WRAP(int, accept4, EMFILE, -1, (int fd, void *address, void *size, int flags),
	(fd, address, size, flags))
WRAP(int, ftruncate64, ENOSPC, -1, (int fd, off_t size), (fd, size))
WRAP(void *, mmap64, ENOMEM, MAP_FAILED,
	(void *address, size_t size, int protection, int flags, int fd, off_t offset),
	(address, size, protection, flags, fd, offset))
WRAP(int, pthread_create, EAGAIN, EAGAIN,
	(pthread_t * created, const pthread_attr_t *attributes, void *(*run)(void *), void *data),
	(created, attributes, run, data))

/* The third argument is a pointer or a number, depending on the command. */
int __real_fcntl64(int fd, int command, void *argument);
int __wrap_fcntl64(int fd, int command, ...);
int __wrap_fcntl64(int fd, int command, ...)
{
	va_list args;
	va_start(args, command);
	void *argument = va_arg(args, void *);
	va_end(args);
	return command == F_DUPFD_CLOEXEC && fails(EMFILE) ? -1
							   : __real_fcntl64(fd, command, argument);
}

int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return fails(EMFILE) ? -1 : __real_open64(path, flags, mode);
}

struct wl_resource *__real_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id);
struct wl_resource *__wrap_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id);
struct wl_resource *__wrap_wl_resource_create(
	struct wl_client *client, const struct wl_interface *interface, int version, uint32_t id)
{
	/* A failure ends the client, so keep it rare. */
	return client != spared && random_numbers && random_chance(random_numbers, 10) &&
			       fails(ENOMEM)
		       ? NULL
		       : __real_wl_resource_create(client, interface, version, id);
}
