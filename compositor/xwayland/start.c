/* SPDX-License-Identifier: MIT */
/* The start of an X server behind a channel: a filter for its system calls, by seccomp(2). */

#include "xwayland/start.h"
#include "channel.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5) /* since Linux 5.19 */
#endif

/* The system call table whose numbers this program was compiled with. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define NATIVE_ARCH AUDIT_ARCH_RISCV64
#elif defined(__loongarch64)
#define NATIVE_ARCH AUDIT_ARCH_LOONGARCH64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_ARCH AUDIT_ARCH_PPC64LE
#else
#define NATIVE_ARCH 0 /* unknown, or accept() has no system call of its own */
#endif

/* Where the filter finds the lower half of the first argument. */
#define FIRST_ARGUMENT                                                                             \
	(offsetof(struct seccomp_data, args) +                                                     \
		(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof(uint32_t)))

static int install(struct sock_fprog *program, unsigned long flags)
{
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
		SECCOMP_FILTER_FLAG_NEW_LISTENER | flags, program);
}

/** Returns the notification descriptor, or -errno. */
static int install_filter(uint32_t listen)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 0, 6),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept4, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIRST_ARGUMENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, listen, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
	if (NATIVE_ARCH == 0) {
		return -ENOSYS;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		return -errno;
	}
	/* Signals but the fatal ones wait for an answer that is on its way. */
	int fd = install(&program, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	if (fd < 0 && errno == EINVAL) {
		fd = install(&program, 0);
	}
	return fd < 0 ? -errno : fd;
}

/** Accepts a connection. Returns 0, or -errno if the acceptor installed none. */
static int test(int listen)
{
	struct pollfd pollfd = {.fd = listen, .events = POLLIN};
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	if (poll(&pollfd, 1, -1) < 0) {
		return -errno;
	}
	int type = 0, fd = accept(listen, (struct sockaddr *)&address, &size);
	if (fd < 0) {
		return -errno;
	}
	size = sizeof(type);
	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM
		       ? 0
		       : -EPROTO;
}

int x_start(int argc, char **argv)
{
	int control, listen;
	if (argc < 2 || sscanf(argv[1], X_START_ARGUMENT "%d,%d", &control, &listen) != 2) {
		return EINVAL;
	}
	const int notifications = install_filter((uint32_t)listen);
	int error = notifications < 0 ? notifications : x_channel_send_fd(control, notifications);
	if (error < 0) {
		return -error;
	}
	close(notifications);
	close(control);
	if (argc == 2) {
		return -test(listen);
	}
	execvp(argv[2], argv + 2);
	error = errno;
	fprintf(stderr, "causeway: %s: %s\n", argv[2], strerror(error));
	return error;
}
