/* SPDX-License-Identifier: MIT */
/* The acceptor: answers to notifications of accept() calls: see seccomp_unotify(2). */

#include "acceptor.h"
#include "channel.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wayland-util.h>

/* Since Linux 6.6; linux/seccomp.h of Debian 12 lacks them. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

/* One process. Lives until it has ended. */
struct subject {
	struct wl_list link;
	int process; /* pidfd */
	int control; /* until the notification descriptor has arrived; then -1 */
	int notifications; /* -1: not arrived */
	struct x_channel channel;
	int taken; /* from the channel, while the call that it answers was interrupted; -1: none */
};

struct x_acceptor {
	pthread_t thread;
	int epoll, wake;
	pthread_mutex_t lock;
	struct wl_list subjects; /* subject.link, under the lock */
};

/** Adds a descriptor of a subject to the thread's wait. Returns 0 or -errno. */
static int watch(const struct x_acceptor *acceptor, struct subject *subject, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = subject}};
	return epoll_ctl(acceptor->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/**
 * Removes a descriptor from the wait, and closes it. The kernel would do the former by itself only
 * with the last copy: a child that is starting has one of each descriptor until it executes its
 * program, and events of this one would name a subject that is freed.
 */
static void unwatch(const struct x_acceptor *acceptor, int *fd)
{
	if (*fd >= 0) {
		epoll_ctl(acceptor->epoll, EPOLL_CTL_DEL, *fd, NULL);
		fd_close(fd);
	}
}

static void destroy_subject(const struct x_acceptor *acceptor, struct subject *subject)
{
	if (subject->taken >= 0) {
		/* The server's next process gets it. */
		x_channel_send(&subject->channel, subject->taken);
		fd_close(&subject->taken);
	}
	unwatch(acceptor, &subject->control);
	unwatch(acceptor, &subject->notifications);
	fd_close(&subject->process);
	x_channel_close(&subject->channel);
	free(subject);
}

static void drop(struct x_acceptor *acceptor, struct subject *subject)
{
	pthread_mutex_lock(&acceptor->lock);
	wl_list_remove(&subject->link);
	pthread_mutex_unlock(&acceptor->lock);
	destroy_subject(acceptor, subject);
}

/**
 * Ends a process whose calls nobody would answer: the kernel fails them, and Xwayland would repeat
 * them for ever.
 */
static void end_process(const struct subject *subject)
{
	syscall(SYS_pidfd_send_signal, subject->process, SIGTERM, NULL, 0);
}

/**
 * Receives the notification descriptor. Returns false if the process ended without sending it, or
 * if it is lost (EMFILE).
 */
static bool receive_notifications(struct x_acceptor *acceptor, struct subject *subject)
{
	uint64_t flags = SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP;
	int fd = x_channel_receive_fd(subject->control);
	if (fd == -EAGAIN) {
		return true;
	}
	if (fd < 0) {
		end_process(subject);
		return false;
	}
	unwatch(acceptor, &subject->control);
	subject->notifications = fd;
	/* Older kernels answer more slowly. */
	ioctl(fd, SECCOMP_IOCTL_NOTIF_SET_FLAGS, flags);
	if (watch(acceptor, subject, fd) < 0) {
		end_process(subject);
		return false;
	}
	return true;
}

/**
 * Writes the address that accept() returns for a peer without a name: its family alone. Xwayland
 * copies as many bytes as the length says out of a smaller block, so the length must be this short.
 * Fails with Yama's ptrace_scope of 2 or 3: then Xwayland reads up to 110 bytes, and ignores them.
 */
static void write_address(const struct seccomp_notif *call)
{
	sa_family_t family = AF_UNIX;
	socklen_t size = sizeof(family);
	const struct iovec ours[] = {{&family, sizeof(family)}, {&size, sizeof(size)}};
	const struct iovec theirs[] = {
		{(void *)(uintptr_t)call->data.args[1], sizeof(family)},
		{(void *)(uintptr_t)call->data.args[2], sizeof(size)},
	};
	if (call->data.args[1] && call->data.args[2]) {
		process_vm_writev((pid_t)call->pid, ours, 2, theirs, 2, 0);
	}
}

static void refuse(const struct subject *subject, const struct seccomp_notif *call, int error)
{
	struct seccomp_notif_resp response = {.id = call->id, .error = -error};
	ioctl(subject->notifications, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

/** Answers a call with a connection, or with EAGAIN without one. */
static void answer(struct subject *subject, const struct seccomp_notif *call)
{
	int fd = subject->taken >= 0 ? subject->taken : x_channel_take(&subject->channel);
	subject->taken = -1;
	if (fd < 0) {
		refuse(subject, call, EAGAIN);
		return;
	}
	const bool cloexec =
		call->data.nr == SYS_accept4 && (call->data.args[3] & SOCK_CLOEXEC) != 0;
	struct seccomp_notif_addfd addition = {
		.id = call->id,
		.flags = SECCOMP_ADDFD_FLAG_SEND,
		.srcfd = (uint32_t)fd,
		.newfd_flags = cloexec ? O_CLOEXEC : 0,
	};
	write_address(call);
	if (ioctl(subject->notifications, SECCOMP_IOCTL_NOTIF_ADDFD, &addition) >= 0) {
		close(fd);
	} else if (errno == ENOENT || errno == EINPROGRESS) {
		subject->taken = fd; /* a signal ended the call, which is made again */
	} else {
		const int error = errno; /* EMFILE: the X server has too many files open */
		close(fd);
		refuse(subject, call, error);
	}
}

/** Handles the events of a subject. Returns false once its process has ended. */
static bool handle_events(struct x_acceptor *acceptor, struct subject *subject, uint32_t events)
{
	if (subject->control >= 0) {
		return receive_notifications(acceptor, subject);
	}
	if (events & EPOLLIN) {
		struct seccomp_notif call = {0};
		if (ioctl(subject->notifications, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) {
			answer(subject, &call);
		} else if (errno != ENOENT && errno != EINTR) {
			return false;
		}
		return true;
	}
	return !(events & (EPOLLHUP | EPOLLERR));
}

static void *run(void *data)
{
	struct x_acceptor *acceptor = data;
	struct epoll_event event;
	for (;;) {
		if (epoll_wait(acceptor->epoll, &event, 1, -1) != 1) {
			continue; /* EINTR, by a debugger */
		}
		if (!event.data.ptr) {
			return NULL;
		}
		if (!handle_events(acceptor, event.data.ptr, event.events)) {
			drop(acceptor, event.data.ptr);
		}
	}
}

/** Starts the thread, without signals. Returns 0 or a positive errno. */
static int start(struct x_acceptor *acceptor)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&acceptor->thread, NULL, run, acceptor);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

struct x_acceptor *x_acceptor_create(void)
{
	struct x_acceptor *acceptor = xcalloc(1, sizeof(*acceptor));
	int error;
	wl_list_init(&acceptor->subjects);
	pthread_mutex_init(&acceptor->lock, NULL);
	acceptor->epoll = epoll_create1(EPOLL_CLOEXEC);
	acceptor->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = acceptor->epoll < 0 || acceptor->wake < 0 ? errno
							  : -watch(acceptor, NULL, acceptor->wake);
	error = error ? error : start(acceptor);
	if (error) {
		fd_close(&acceptor->epoll);
		fd_close(&acceptor->wake);
		pthread_mutex_destroy(&acceptor->lock);
		free(acceptor);
		errno = error;
		return NULL;
	}
	return acceptor;
}

void x_acceptor_destroy(struct x_acceptor *acceptor)
{
	if (!acceptor) {
		return;
	}
	eventfd_write(acceptor->wake, 1);
	pthread_join(acceptor->thread, NULL);
	struct subject *subject, *next;
	wl_list_for_each_safe (subject, next, &acceptor->subjects, link) {
		fd_close(&subject->taken); /* no process comes next */
		drop(acceptor, subject);
	}
	fd_close(&acceptor->epoll);
	fd_close(&acceptor->wake);
	pthread_mutex_destroy(&acceptor->lock);
	free(acceptor);
}

int x_acceptor_add(
	struct x_acceptor *acceptor, pid_t pid, int control, const struct x_channel *channel)
{
	struct subject *subject = xcalloc(1, sizeof(*subject));
	subject->control = control;
	subject->notifications = subject->taken = -1;
	subject->channel = (struct x_channel){{-1, -1}};
	subject->process = (int)syscall(SYS_pidfd_open, pid, 0);
	int error = subject->process < 0 ? -errno : x_channel_copy(&subject->channel, channel);
	if (error < 0) {
		destroy_subject(acceptor, subject);
		return error;
	}
	pthread_mutex_lock(&acceptor->lock);
	wl_list_insert(&acceptor->subjects, &subject->link);
	error = watch(acceptor, subject, control);
	pthread_mutex_unlock(&acceptor->lock);
	if (error < 0) {
		drop(acceptor, subject);
	}
	return error;
}
