/* SPDX-License-Identifier: MIT */
/* Streams: pipes, sockets and files that clients share, written without blocking the event loop. */

#include "util/fd_stream.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/task.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct fd_stream {
	struct wl_event_loop *loop;
	struct tasks *tasks;
	struct task_quota *quota;
	int fd;
	ssize_t (*write)(struct fd_stream *stream, const char *data, size_t size);
	void (*ready)(void *data);
	void *data;

	/** Pipes and sockets. */
	struct wl_event_source *writable; /* set while data is left */
	/** Pipes: data passes through this one, which keeps the bytes that find no room. */
	int own[2];
	size_t held; /* bytes */
	/** Files. */
	struct task *task; /* set while a thread writes */
	ssize_t result; /* of the last task, to be returned; 0: none */
};

/* Pipes */

static ssize_t write_pipe(struct fd_stream *stream, const char *data, size_t size)
{
	/* The first bytes of `data` are still held since the last call. */
	if (stream->held < size) {
		ssize_t n = write(stream->own[1], data + stream->held, size - stream->held);
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return -errno;
		}
		stream->held += n > 0 ? (size_t)n : 0;
	}
	ssize_t n = splice(stream->own[0], NULL, stream->fd, NULL, stream->held, SPLICE_F_NONBLOCK);
	if (n < 0) {
		return -errno;
	}
	stream->held -= (size_t)n;
	return n;
}

/* Sockets */

static ssize_t write_socket(struct fd_stream *stream, const char *data, size_t size)
{
	ssize_t n = send(stream->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

static int handle_writable(int fd, uint32_t mask, void *data)
{
	struct fd_stream *stream = data;
	stream->ready(stream->data);
	return 0;
}

/* Returns false with errno set on failure. */
static bool await_room(struct fd_stream *stream)
{
	if (!stream->writable) {
		stream->writable = wl_event_loop_add_fd(
			stream->loop, stream->fd, WL_EVENT_WRITABLE, handle_writable, stream);
	}
	return stream->writable;
}

static void stop_waiting(struct fd_stream *stream)
{
	event_source_remove(&stream->writable);
}

static ssize_t write_now(struct fd_stream *stream, const char *data, size_t size)
{
	sigset_t signals;
	thread_block_sigpipe(&signals);
	ssize_t n = stream->write(stream, data, size);
	thread_unblock_sigpipe(&signals);
	if (n == -EAGAIN || n == -EINTR) {
		n = 0;
	}
	if (n < 0 || n == (ssize_t)size) {
		stop_waiting(stream);
	} else if (!await_room(stream)) {
		return -errno;
	}
	return n;
}

/* Files */

struct file_write {
	int fd; /* a duplicate: the stream may be destroyed first */
	char *data;
	size_t size;
	int error;
};

static void run_write(void *data)
{
	struct file_write *write_data = data;
	size_t done = 0;
	while (done < write_data->size && write_data->error == 0) {
		ssize_t n = write(write_data->fd, write_data->data + done, write_data->size - done);
		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			write_data->error = n == 0 ? -EIO : -errno;
		}
	}
	fd_close(&write_data->fd);
}

static void handle_written(void *owner, void *data, int error)
{
	struct fd_stream *stream = owner;
	const struct file_write *write_data = data;
	stream->task = NULL;
	stream->result = write_data->error < 0 ? write_data->error : (ssize_t)write_data->size;
	stream->ready(stream->data);
}

static void free_write(void *data)
{
	struct file_write *write_data = data;
	fd_close(&write_data->fd);
	free(write_data->data);
	free(write_data);
}

static const struct task_impl write_impl = {run_write, handle_written, free_write};

static ssize_t write_file(struct fd_stream *stream, const char *data, size_t size)
{
	if (stream->task) {
		return 0;
	}
	if (stream->result != 0) {
		ssize_t result = stream->result;
		stream->result = 0;
		return result;
	}
	if (!task_quota_has_room(stream->quota)) {
		return -EBUSY;
	}
	int fd = fd_dup(stream->fd);
	if (fd < 0) {
		return fd;
	}
	struct file_write *write_data = xcalloc(1, sizeof(*write_data));
	write_data->fd = fd;
	write_data->size = size;
	write_data->data = memcpy(xrealloc(NULL, size, 1), data, size);
	stream->task = task_start(stream->tasks, stream->quota, &write_impl, write_data, stream, 0);
	return 0;
}

struct fd_stream *fd_stream_create(struct wl_event_loop *loop, struct tasks *tasks,
	struct task_quota *quota, int fd, void (*ready)(void *data), void *data)
{
	int own[2] = {-1, -1};
	const bool pipe = fd_is_pipe(fd);
	if (pipe && pipe2(own, O_CLOEXEC | O_NONBLOCK) < 0) {
		return NULL;
	}
	struct fd_stream *stream = xcalloc(1, sizeof(*stream));
	*stream = (struct fd_stream){
		.loop = loop,
		.tasks = tasks,
		.quota = quota,
		.fd = fd,
		.write = pipe                     ? write_pipe
			 : fd_is_local_socket(fd) ? write_socket
						  : write_file,
		.ready = ready,
		.data = data,
		.own = {own[0], own[1]},
	};
	return stream;
}

void fd_stream_destroy(struct fd_stream *stream)
{
	if (!stream) {
		return;
	}
	stop_waiting(stream);
	task_abandon(stream->task);
	fd_close(&stream->own[0]);
	fd_close(&stream->own[1]);
	close(stream->fd);
	free(stream);
}

ssize_t fd_stream_write(struct fd_stream *stream, const void *data, size_t size)
{
	if (size == 0) {
		return 0;
	}
	return stream->write == write_file ? write_file(stream, data, size)
					   : write_now(stream, data, size);
}
