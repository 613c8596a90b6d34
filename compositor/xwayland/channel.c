/* SPDX-License-Identifier: MIT */
/* Channels: pairs of sockets that carry descriptors. */

#include "channel.h"
#include "util/fd.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The buffer of one message with one descriptor, aligned as the kernel wants it. */
union control {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int x_channel_open(struct x_channel *channel)
{
	/* Messages keep their borders, so that each read takes one connection. */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel->fds) < 0) {
		channel->fds[0] = channel->fds[1] = -1;
		return -errno;
	}
	return 0;
}

void x_channel_close(struct x_channel *channel)
{
	fd_close(&channel->fds[0]);
	fd_close(&channel->fds[1]);
}

int x_channel_copy(struct x_channel *copy, const struct x_channel *channel)
{
	copy->fds[0] = fd_dup(channel->fds[0]);
	copy->fds[1] = fd_dup(channel->fds[1]);
	const int error = copy->fds[0] < 0 ? copy->fds[0] : copy->fds[1] < 0 ? copy->fds[1] : 0;
	if (error < 0) {
		x_channel_close(copy);
	}
	return error;
}

int x_channel_send_fd(int socket_fd, int fd)
{
	char byte = 0;
	struct iovec data = {&byte, sizeof(byte)};
	union control control = {.bytes = {0}};
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return sendmsg(socket_fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int x_channel_receive_fd(int socket_fd)
{
	char byte;
	struct iovec data = {&byte, sizeof(byte)};
	union control control;
	struct msghdr message = {.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	const ssize_t n = recvmsg(socket_fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0) {
		return -errno;
	}
	const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
		header->cmsg_len != CMSG_LEN(sizeof(int))) {
		return n == 0 ? -EPIPE : message.msg_flags & MSG_CTRUNC ? -EMFILE : -EPROTO;
	}
	int fd;
	memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

int x_channel_send(const struct x_channel *channel, int fd)
{
	return x_channel_send_fd(channel->fds[0], fd);
}

int x_channel_take(const struct x_channel *channel)
{
	return x_channel_receive_fd(channel->fds[1]);
}

void x_channel_refuse(const struct x_channel *channel)
{
	int fd;
	do {
		fd = x_channel_take(channel);
		if (fd >= 0) {
			close(fd);
		}
	} while (fd >= 0 || fd == -EMFILE); /* which closes the connection, too */
}
