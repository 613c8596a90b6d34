/* SPDX-License-Identifier: MIT */
/* Processes: identity and ancestors, read from /proc. */

#include "util/process.h"
#include "util/fd.h"
#include "util/process_text.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77 /* since Linux 6.5; asm-generic/socket.h */
#endif

#define ANCESTORS_MAX 32
/* Most bytes read of a command line or an environment: enough for rules. */
#define TEXT_BYTES_MAX 16384

/** Reads the beginning of a process's file, ended by a zero byte; NULL on failure. */
static char *read_file(pid_t pid, const char *name, size_t *length)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		return NULL;
	}
	char *text = xcalloc(TEXT_BYTES_MAX + 1, 1);
	size_t n = 0;
	ssize_t more;
	while (n < TEXT_BYTES_MAX && (more = read(fd, text + n, TEXT_BYTES_MAX - n)) > 0) {
		n += (size_t)more;
	}
	close(fd);
	*length = n;
	return text;
}

/** Returns false if there is no such process. */
static bool read_stat(pid_t pid, pid_t *parent, uint64_t *start)
{
	size_t length;
	char *text = read_file(pid, "stat", &length);
	bool found = text && process_text_stat(text, parent, start);
	free(text);
	return found;
}

uint64_t process_start_time(pid_t pid)
{
	pid_t parent;
	uint64_t start;
	return pid > 0 && read_stat(pid, &parent, &start) ? start : 0;
}

static char *read_exe(pid_t pid)
{
	char link[32], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	if (length < 0) {
		return NULL;
	}
	path[length] = '\0';
	/* Rules match an upgraded program by its original path. */
	char *deleted = length > 10 ? path + length - 10 : NULL;
	if (deleted && strcmp(deleted, " (deleted)") == 0) {
		*deleted = '\0';
	}
	return xstrdup(path);
}

static char *read_cmdline(pid_t pid)
{
	size_t length;
	char *text = read_file(pid, "cmdline", &length);
	char *line = text ? process_text_cmdline(text, length) : NULL;
	free(text);
	return line;
}

static char *read_unit(pid_t pid)
{
	size_t length;
	char *text = read_file(pid, "cgroup", &length);
	char *unit = text ? process_text_unit(text) : NULL;
	free(text);
	return unit;
}

/** Reads variables, and the desktop file that launchers with GLib name for a process. */
static void read_environment(struct process *process)
{
	size_t length;
	char *text = read_file(process->pid, "environ", &length);
	if (!text) {
		return;
	}
	const char *file = process_text_variable(text, length, "GIO_LAUNCHED_DESKTOP_FILE");
	const char *pid = process_text_variable(text, length, "GIO_LAUNCHED_DESKTOP_FILE_PID");
	process->wish = xstrdup(process_text_variable(text, length, "CAUSEWAY_GPU"));
	process->rule = xstrdup(process_text_variable(text, length, "CAUSEWAY_RULE"));
	process->wine_prefix = xstrdup(process_text_variable(text, length, "WINEPREFIX"));
	process->x_window = xstrdup(process_text_variable(text, length, "XSCREENSAVER_WINDOW"));
	if (file && pid && atol(pid) == process->pid) {
		process->desktop_id = process_text_desktop_id(file);
	}
	free(text);
}

/** Reads one process, without ancestors. */
static struct process *read_one(pid_t pid, unsigned facts, pid_t *parent)
{
	uint64_t start, start_after;
	pid_t parent_after;
	if (pid <= 0 || !read_stat(pid, parent, &start)) {
		return NULL;
	}
	struct process *process = xcalloc(1, sizeof(*process));
	process->pid = pid;
	process->start = start;
	process->exe = facts & PROCESS_EXE ? read_exe(pid) : NULL;
	process->cmdline = facts & PROCESS_CMDLINE ? read_cmdline(pid) : NULL;
	process->unit = facts & PROCESS_UNIT ? read_unit(pid) : NULL;
	if (facts & PROCESS_ENVIRONMENT) {
		read_environment(process);
	}
	/* If the same process still exists, all facts are its own. */
	if (!read_stat(pid, &parent_after, &start_after) || start_after != start) {
		process_destroy(process);
		return NULL;
	}
	return process;
}

/**
 * A process keeps its parent for the parent's lifetime: with the same parent afterwards, the facts
 * read in between are the parent's.
 */
static bool is_still_child(const struct process *process, pid_t parent)
{
	pid_t now;
	uint64_t start;
	return read_stat(process->pid, &now, &start) && start == process->start && now == parent;
}

struct process *process_read(pid_t pid, pid_t stop, unsigned facts)
{
	pid_t parent;
	struct process *first = read_one(pid, facts, &parent), *last = first;
	int n = facts & PROCESS_ANCESTORS ? ANCESTORS_MAX : 0;
	for (int i = 0; last && parent > 1 && parent != stop && i < n; i++) {
		pid_t next;
		struct process *process = read_one(parent, facts, &next);
		if (!process || !is_still_child(last, parent)) {
			process_destroy(process);
			break;
		}
		last->parent = process;
		last = process;
		parent = next;
	}
	return first;
}

static bool has_ended(int pidfd)
{
	struct pollfd pollfd = {.fd = pidfd, .events = POLLIN};
	return poll(&pollfd, 1, 0) != 0;
}

/** Returns true if the socket's peer has closed the connection. */
static bool is_abandoned(int socket_fd)
{
	struct pollfd pollfd = {.fd = socket_fd};
	return poll(&pollfd, 1, 0) > 0 && (pollfd.revents & (POLLHUP | POLLERR));
}

/** Returns a pidfd of the peer; -ENOPROTOOPT if the kernel lacks SO_PEERPIDFD. */
static int open_peer(int socket_fd)
{
	int pidfd = -1;
	socklen_t size = sizeof(pidfd);
	return getsockopt(socket_fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) == 0 ? pidfd : -errno;
}

bool process_peers_are_pinned(int socket_fd)
{
	int pidfd = open_peer(socket_fd);
	if (pidfd >= 0) {
		close(pidfd);
	}
	return pidfd >= 0;
}

bool process_peer_open(int socket_fd, struct process_peer *peer)
{
	struct ucred credentials = {0};
	socklen_t size = sizeof(credentials);
	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) {
		return false;
	}
	int pidfd = open_peer(socket_fd);
	if (pidfd < 0 && pidfd != -ENOPROTOOPT) {
		return false;
	}
	*peer = (struct process_peer){.pid = credentials.pid, .pidfd = pidfd < 0 ? -1 : pidfd};
	return true;
}

struct process *process_peer_read(const struct process_peer *peer, pid_t stop, unsigned facts)
{
	struct process *process = process_read(peer->pid, stop, facts);
	/* A pidfd of a live process proves that its pid was not reused. */
	if (peer->pidfd >= 0 && has_ended(peer->pidfd)) {
		process_destroy(process);
		return NULL;
	}
	return process;
}

void process_peer_close(struct process_peer *peer)
{
	fd_close(&peer->pidfd);
}

struct process *process_read_peer(int socket_fd, pid_t stop, unsigned facts)
{
	struct process_peer peer;
	if (!process_peer_open(socket_fd, &peer)) {
		return NULL;
	}
	struct process *process = process_peer_read(&peer, stop, facts);
	if (peer.pidfd < 0 && is_abandoned(socket_fd)) {
		process_destroy(process);
		process = NULL;
	}
	process_peer_close(&peer);
	return process;
}

void process_destroy(struct process *process)
{
	while (process) {
		struct process *next = process->parent;
		if (process->peer) {
			struct process *last = process->peer;
			while (last->parent) {
				last = last->parent;
			}
			last->parent = next;
			next = process->peer;
		}
		free(process->exe);
		free(process->cmdline);
		free(process->unit);
		free(process->wish);
		free(process->desktop_id);
		free(process->rule);
		free(process->wine_prefix);
		free(process->x_window);
		free(process);
		process = next;
	}
}
