/* SPDX-License-Identifier: MIT */
/* File descriptors from clients: closed, examined and read on threads wherever that may block. */

#include "client_fd.h"
#include "protocol/protocol.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Not defined in linux/magic.h. */
#define BCACHEFS_MAGIC 0xca451a4e
#define EXFAT_MAGIC 0x2011bab0
#define ZFS_MAGIC 0x2fc12fc1

struct client_fd_task {
	struct task *task;
	int fd; /* -1: closed */
	int error;
	char *data;
	size_t size, length;
	void *owner;
	void (*vetted)(void *owner, int fd);
	void (*read)(void *owner, char *data, ssize_t length, size_t size);
};

/* Returns true for file systems that the kernel serves from memory or a local disk. */
static bool is_local(const struct statfs *system)
{
	switch ((unsigned long)system->f_type) {
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case HUGETLBFS_MAGIC:
	case EXT4_SUPER_MAGIC: /* ext2 and ext3, too */
	case BTRFS_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case BCACHEFS_MAGIC:
	case MSDOS_SUPER_MAGIC:
	case EXFAT_MAGIC:
	case ZFS_MAGIC: return true;
	/* FUSE, network file systems, and overlays, whose layers may be on those */
	default: return false;
	}
}

static void run_close(void *data)
{
	struct client_fd_task *task = data;
	fd_close(&task->fd);
}

static void run_vet(void *data)
{
	struct client_fd_task *task = data;
	struct stat status;
	struct statfs system;
	if (fstat(task->fd, &status) < 0 || !S_ISREG(status.st_mode) ||
		fstatfs(task->fd, &system) < 0 || !is_local(&system)) {
		fd_close(&task->fd);
		task->error = -EINVAL;
	}
}

/*
 * Takes bytes without waiting, although the client shares the file: it can clear O_NONBLOCK, and
 * read the bytes between poll() and this call. Those of a pipe pass through the empty pipe `own`.
 */
static ssize_t take(int fd, const int own[2], char *data, size_t size)
{
	if (own[0] < 0) {
		return recv(fd, data, size, MSG_DONTWAIT);
	}
	ssize_t n = splice(fd, NULL, own[1], NULL, size, SPLICE_F_NONBLOCK);
	return n > 0 ? read(own[0], data, (size_t)n) : n;
}

/* Reads a pipe or socket. Its client cannot occupy the thread longer than CLIENT_FD_TIMEOUT. */
static int read_stream(int fd, const int own[2], char *data, size_t size, size_t *length)
{
	struct pollfd poller = {.fd = fd, .events = POLLIN};
	const int64_t end = clock_monotonic() / 1000000 + CLIENT_FD_TIMEOUT / 1000000;
	for (int64_t left; *length < size && (left = end - clock_monotonic() / 1000000) > 0;) {
		ssize_t n = take(fd, own, data + *length, size - *length);
		if (n == 0) {
			return 0;
		} else if (n > 0) {
			*length += (size_t)n;
		} else if (errno == EAGAIN) {
			poll(&poller, 1, (int)left);
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return *length < size ? -ETIMEDOUT : 0;
}

static int read_pipe(int fd, char *data, size_t size, size_t *length)
{
	int own[2];
	if (pipe2(own, O_CLOEXEC | O_NONBLOCK) < 0) {
		return -errno;
	}
	int error = read_stream(fd, own, data, size, length);
	close(own[0]);
	close(own[1]);
	return error;
}

/* Of other types, reads of devices may wait for ever, and those of directories fail. */
static int read_file(int fd, char *data, size_t size, size_t *length)
{
	struct stat status;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		return -EINVAL;
	}
	while (*length < size) {
		ssize_t n = pread(fd, data + *length, size - *length, (off_t)*length);
		if (n == 0) {
			return 0;
		} else if (n > 0) {
			*length += (size_t)n;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int read_start(int fd, char *data, size_t size, size_t *length)
{
	static const int none[2] = {-1, -1};
	return fd_is_pipe(fd)           ? read_pipe(fd, data, size, length)
	       : fd_is_local_socket(fd) ? read_stream(fd, none, data, size, length)
					: read_file(fd, data, size, length);
}

static void run_read(void *data)
{
	struct client_fd_task *task = data;
	task->error = read_start(task->fd, task->data, task->size, &task->length);
	fd_close(&task->fd);
}

static void handle_done(void *owner, void *data, int error)
{
	struct client_fd_task *task = owner;
	task->task = NULL;
	error = error < 0 ? error : task->error;
	if (task->vetted) {
		int fd = error < 0 ? error : task->fd;
		/* After a deadline the thread closes the descriptor. */
		if (error == 0) {
			task->fd = -1;
		}
		task->vetted(task->owner, fd);
	} else if (task->read) {
		char *text = error == 0 ? task->data : NULL;
		if (error == 0) {
			task->data = NULL;
		}
		task->read(
			task->owner, text, error < 0 ? error : (ssize_t)task->length, task->size);
	}
}

/* Closes the file of a check that was abandoned. */
static void free_task(void *data)
{
	struct client_fd_task *task = data;
	fd_close(&task->fd);
	free(task->data);
	free(task);
}

static const struct task_impl close_impl = {run_close, handle_done, free_task};
static const struct task_impl vet_impl = {run_vet, handle_done, free_task};
static const struct task_impl read_impl = {run_read, handle_done, free_task};

static void start(struct wl_client *client, struct client_fd_task *task,
	const struct task_impl *impl, int64_t timeout)
{
	struct tasks *tasks = client_protocols(client)->server->tasks;
	task->task = task_start(tasks, client_task_quota(client), impl, task, task, timeout);
}

static void close_on_thread(struct wl_client *client, int fd)
{
	struct client_fd_task *task = xcalloc(1, sizeof(*task));
	task->fd = fd;
	start(client, task, &close_impl, 0);
	task_abandon(task->task);
}

static bool has_room(struct wl_client *client)
{
	bool room = task_quota_has_room(client_task_quota(client));
	if (!room) {
		wl_client_post_implementation_error(client,
			"%d descriptors of this client do not answer: files must not be on "
			"FUSE or network file systems that hang",
			TASK_QUOTA_MAX);
	}
	return room;
}

void client_fd_close(struct wl_client *client, int fd)
{
	if (fd < 0) {
		return;
	}
	if (fd_closes_at_once(fd)) {
		close(fd);
		return;
	}
	has_room(client);
	close_on_thread(client, fd);
}

struct client_fd_task *client_fd_vet(
	struct wl_client *client, int fd, void (*done)(void *owner, int fd), void *owner)
{
	if (!has_room(client)) {
		close_on_thread(client, fd);
		return NULL;
	}
	struct client_fd_task *task = xcalloc(1, sizeof(*task));
	task->fd = fd;
	task->vetted = done;
	task->owner = owner;
	start(client, task, &vet_impl, CLIENT_FD_TIMEOUT);
	return task;
}

struct client_fd_task *client_fd_read(struct wl_client *client, int fd, size_t size,
	void (*done)(void *owner, char *data, ssize_t length, size_t size), void *owner)
{
	if (!has_room(client)) {
		close_on_thread(client, fd);
		return NULL;
	}
	struct client_fd_task *task = xcalloc(1, sizeof(*task));
	task->fd = fd;
	task->data = xcalloc(1, size);
	task->size = size;
	task->read = done;
	task->owner = owner;
	start(client, task, &read_impl, CLIENT_FD_TIMEOUT);
	return task;
}

void client_fd_disconnect(struct wl_client *client)
{
	wl_client_flush(client);
	wl_client_destroy(client);
}

void client_fd_abandon(struct client_fd_task *task)
{
	if (task) {
		task_abandon(task->task);
	}
}
