/* SPDX-License-Identifier: MIT */
/*
 * The display socket. Its name is locked as in libwayland, so that all compositors respect each
 * other.
 */

#include "util/display_socket.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LAST_DISPLAY 32

/** Returns 0, -EADDRINUSE if another process has the name, or another -errno. */
static int lock(struct display_socket *display)
{
	display->lock_fd = open(display->lock_path, O_CREAT | O_CLOEXEC | O_RDWR,
		S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP);
	if (display->lock_fd < 0) {
		return -errno;
	}
	if (flock(display->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		int error = errno == EWOULDBLOCK ? EADDRINUSE : errno;
		fd_close(&display->lock_fd);
		return -error;
	}
	return 0;
}

/** The lock is held, so the file at the path is stale. */
static int listen_anew(struct display_socket *display)
{
	if (unlink(display->path) < 0 && errno != ENOENT) {
		return -errno;
	}
	display->fd = fd_listen(display->path, 0);
	return display->fd < 0 ? display->fd : 0;
}

static void discard(struct display_socket *display)
{
	fd_close(&display->fd);
	fd_close(&display->lock_fd);
	free(display->name);
	free(display->path);
	free(display->lock_path);
	free(display);
}

/** Returns NULL with *error a negative errno. */
static struct display_socket *try(const char *folder, const char *name, int *error)
{
	struct display_socket *display = xcalloc(1, sizeof(*display));
	display->fd = display->lock_fd = -1;
	display->name = xstrdup(name);
	display->path = xasprintf("%s/%s", folder, name);
	display->lock_path = xasprintf("%s.lock", display->path);
	*error = lock(display);
	if (*error == 0) {
		*error = listen_anew(display);
		if (*error == 0) {
			return display;
		}
		unlink(display->lock_path);
	}
	discard(display);
	return NULL;
}

static const char *remedy(int error)
{
	switch (error) {
	case -EADDRINUSE:
		return ": another compositor uses it; choose another name with --socket=NAME";
	case -ENOENT:
	case -ENOTDIR: return ": XDG_RUNTIME_DIR must be an existing folder";
	case -EACCES:
	case -EPERM:
	case -EROFS: return ": XDG_RUNTIME_DIR must be a folder of yours, and writable";
	case -ENOSPC:
	case -EDQUOT: return ": make room in XDG_RUNTIME_DIR";
	case -EMFILE:
	case -ENFILE: return ": raise the limit of open files (ulimit -n)";
	case -ENAMETOOLONG: return ": the path of XDG_RUNTIME_DIR is too long";
	default: return "";
	}
}

struct display_socket *display_socket_open(const char *name, char **error)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	char found[16];
	int code = -EADDRINUSE;
	if (!folder || !*folder) {
		*error = xstrdup("XDG_RUNTIME_DIR is not set: it is the folder for the socket");
		return NULL;
	}
	struct display_socket *display = NULL;
	if (name) {
		display = try(folder, name, &code);
	}
	for (int i = 1; !name && !display && i <= LAST_DISPLAY && code == -EADDRINUSE; i++) {
		snprintf(found, sizeof(found), "wayland-%d", i);
		display = try(folder, found, &code);
	}
	if (!display) {
		*error = xasprintf("cannot open the socket %s/%s: %s%s", folder,
			name ? name : found, strerror(-code), remedy(code));
	}
	return display;
}

void display_socket_close(struct display_socket *display)
{
	if (!display) {
		return;
	}
	unlink(display->path);
	unlink(display->lock_path);
	discard(display);
}
