/* SPDX-License-Identifier: MIT */
/*
 * X displays: lock files and sockets, by the conventions of X servers, so that all X servers of the
 * machine respect each other.
 */

#include "display.h"
#include "cookie.h"
#include "util/fd.h"
#include "util/random_name.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define LAST_DISPLAY 63
/** Lock files hold a pid as "%10d\n". */
#define LOCK_SIZE 11

/** Returns NULL, or the fault of the folder for sockets. */
static const char *judge_folder(const char *path)
{
	struct stat status;
	if (mkdir(path, S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO) == 0) {
		chmod(path, S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO); /* despite the umask */
	}
	if (lstat(path, &status) < 0) {
		return strerror(errno);
	}
	if (!S_ISDIR(status.st_mode)) {
		return "it is not a folder";
	}
	if (status.st_uid != 0 && status.st_uid != geteuid()) {
		return "it belongs to another user; root must own it";
	}
	if ((status.st_mode & (S_IWGRP | S_IWOTH)) && !(status.st_mode & S_ISVTX)) {
		return "others can replace files in it; its mode must be 1777";
	}
	return NULL;
}

/** Opens a lock file. Returns the descriptor or -errno. */
static int open_lock(const char *path)
{
	/* Another user's file may be a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/** Returns the pid in a lock file, or 0 if it is malformed. */
static pid_t read_lock(int fd)
{
	struct stat status;
	char text[LOCK_SIZE + 1] = {0}, *end;
	ssize_t length =
		fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? read(fd, text, LOCK_SIZE) : -1;
	long pid = strtol(text, &end, 10);
	return length == LOCK_SIZE && *end == '\n' && pid > 0 && pid <= INT32_MAX ? (pid_t)pid : 0;
}

static bool is_alive(pid_t pid)
{
	return pid > 0 && (kill(pid, 0) == 0 || errno != ESRCH);
}

static bool is_named(int fd, const char *path)
{
	struct stat file, named;
	return fstat(fd, &file) == 0 && lstat(path, &named) == 0 && file.st_dev == named.st_dev &&
	       file.st_ino == named.st_ino;
}

/**
 * Returns whether the lock file was of a dead X server, and is removed. Another session may be
 * about to replace the same file: it is removed only while its advisory lock is held, and only if
 * it still has the name, which belongs to that session's own file otherwise.
 */
static bool remove_stale(const char *path)
{
	int fd = open_lock(path);
	if (fd < 0) {
		return fd == -ENOENT;
	}
	bool removed = flock(fd, LOCK_EX | LOCK_NB) == 0 && !is_alive(read_lock(fd)) &&
		       is_named(fd, path) && unlink(path) == 0;
	close(fd);
	return removed;
}

/** Writes a file with our pid, which must not exist yet. Returns 0 or -errno. */
static int write_lock(const char *path)
{
	char text[LOCK_SIZE + 1];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		S_IRUSR | S_IRGRP | S_IROTH);
	if (fd < 0) {
		return -errno;
	}
	snprintf(text, sizeof(text), "%10d\n", (int)getpid());
	int error = write(fd, text, LOCK_SIZE) == LOCK_SIZE ? 0 : -(errno ? errno : EIO);
	close(fd);
	if (error < 0) {
		unlink(path);
	}
	return error;
}

/* The lock appears under its name with its content: a reader never finds it empty. */
static int lock(struct x_display *display, const char *folder)
{
	char *temporary = xasprintf("%s/.tX%d-%d-lock", folder, display->number, (int)getpid());
	unlink(temporary);
	int error = write_lock(temporary);
	if (error == 0) {
		error = link(temporary, display->lock_path) < 0 ? -errno : 0;
		if (error == -EEXIST && remove_stale(display->lock_path)) {
			error = link(temporary, display->lock_path) < 0 ? -errno : 0;
		}
		unlink(temporary);
	}
	free(temporary);
	return error == -EEXIST ? -EADDRINUSE : error;
}

/** Binds the abstract socket of the display. Returns the descriptor or -errno. */
static int bind_abstract(const struct x_display *display)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(display->socket_path);
	if (length + 1 > sizeof(address.sun_path)) {
		return -ENAMETOOLONG;
	}
	memcpy(address.sun_path + 1, display->socket_path, length);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		return -errno;
	}
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
	if (bind(fd, (struct sockaddr *)&address, size) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	return fd;
}

/*
 * libxcb prefers abstract sockets. A display whose abstract socket belongs to another process is
 * left alone, or programs would send that process our cookie.
 */
static int open_abstract(struct x_display *display, bool keep)
{
	int fd = bind_abstract(display);
	if (fd < 0) {
		return fd;
	}
	if (!keep) {
		close(fd);
		return 0;
	}
	if (listen(fd, SOMAXCONN) < 0) {
		int error = errno;
		close(fd);
		return -error;
	}
	display->fds[display->n_fds++] = fd;
	return 0;
}

/** The lock is held, so the file of the socket is stale. Returns 0 or -errno. */
static int listen_anew(struct x_display *display, bool abstract)
{
	int error = open_abstract(display, abstract);
	if (error < 0) {
		return error;
	}
	if (unlink(display->socket_path) < 0 && errno != ENOENT) {
		return errno == EPERM ? -EADDRINUSE : -errno; /* another user's */
	}
	int fd = fd_listen(display->socket_path, S_IRWXU);
	if (fd >= 0) {
		display->fds[display->n_fds++] = fd;
	}
	return fd < 0 ? fd : 0;
}

static void discard(struct x_display *display)
{
	for (int i = 0; i < display->n_fds; i++) {
		fd_close(&display->fds[i]);
	}
	if (display->cookie_path) {
		unlink(display->cookie_path);
	}
	fd_close(&display->cookie_fd);
	free(display->cookie_path);
	free(display->socket_path);
	free(display->lock_path);
	free(display);
}

/** Returns NULL with *error a negative errno. */
static struct x_display *try(const char *folder, int number, bool abstract, int *error)
{
	struct x_display *display = xcalloc(1, sizeof(*display));
	display->number = number;
	display->cookie_fd = -1;
	display->lock_path = xasprintf("%s/.X%d-lock", folder, number);
	display->socket_path = xasprintf("%s/.X11-unix/X%d", folder, number);
	*error = lock(display, folder);
	if (*error == 0) {
		*error = listen_anew(display, abstract);
		if (*error == 0) {
			return display;
		}
		unlink(display->lock_path);
	}
	discard(display);
	return NULL;
}

struct x_display *x_display_open(const char *folder, bool abstract, char **error)
{
	char *sockets = xasprintf("%s/.X11-unix", folder);
	const char *fault = judge_folder(sockets);
	struct x_display *display = NULL;
	int code = -EADDRINUSE;
	for (int i = 0; !fault && !display && i <= LAST_DISPLAY && code == -EADDRINUSE; i++) {
		display = try(folder, i, abstract, &code);
	}
	if (fault) {
		*error = xasprintf(
			"cannot use the folder of X servers' sockets, %s: %s", sockets, fault);
	} else if (!display && code == -EADDRINUSE) {
		*error = xasprintf("the displays :0 to :%d are all in use", LAST_DISPLAY);
	} else if (!display) {
		*error = xasprintf("cannot open a display in %s: %s", sockets, strerror(-code));
	}
	free(sockets);
	return display;
}

bool x_display_write_cookie(struct x_display *display, char **error)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (!runtime || !*runtime) {
		*error = xstrdup("XDG_RUNTIME_DIR is not set: it is the folder for X cookies");
		return false;
	}
	/* Programs of a closed display must not get the cookie of a later one with its number. */
	char name[RANDOM_NAME_SIZE];
	random_name(name);
	display->cookie_path =
		xasprintf("%s/" X_COOKIE_PREFIX "%d-%s.auth", runtime, display->number, name);
	int result = x_cookie_write(display->cookie_path, display->number);
	display->cookie_fd = result < 0 ? result : x_cookie_hold(display->cookie_path);
	if (display->cookie_fd < 0) {
		*error = xasprintf("cannot write the cookie file %s: %s", display->cookie_path,
			strerror(-display->cookie_fd));
		return false;
	}
	return true;
}

void x_display_close(struct x_display *display)
{
	if (!display) {
		return;
	}
	/*
	 * X servers that take no advisory locks may have replaced the lock: the files are theirs
	 * then.
	 */
	int fd = open_lock(display->lock_path);
	if (fd >= 0 && read_lock(fd) == getpid()) {
		unlink(display->socket_path);
		unlink(display->lock_path);
	}
	fd_close(&fd);
	discard(display);
}

void x_display_refuse(const struct x_display *display)
{
	for (int i = 0; i < display->n_fds; i++) {
		/* Xwayland shares O_NONBLOCK of the socket, and may have cleared it. */
		struct pollfd waiting = {.fd = display->fds[i], .events = POLLIN};
		for (int n = 0; n <= SOMAXCONN && poll(&waiting, 1, 0) > 0; n++) {
			int fd = accept4(display->fds[i], NULL, NULL, SOCK_CLOEXEC);
			if (fd < 0) {
				break;
			}
			close(fd);
		}
	}
}
