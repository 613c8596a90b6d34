/* SPDX-License-Identifier: MIT */
/* Atomic replacement of files, such as caches: written beside the old file, then renamed. */

#include "util/file.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open_regular(const char *path, off_t most)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *stream = NULL;
	if (fd < 0) {
		return NULL;
	}
	errno = EINVAL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		errno = EFBIG;
		stream = status.st_size <= most ? fdopen(fd, "r") : NULL;
	}
	if (!stream) {
		int error = errno;
		close(fd);
		errno = error;
	}
	return stream;
}

char *file_stamp(const char *path)
{
	struct stat status;
	if (stat(path, &status) < 0) {
		return xstrdup("");
	}
	return xasprintf("%ju %ju %jd %jd.%09ld", (uintmax_t)status.st_dev,
		(uintmax_t)status.st_ino, (intmax_t)status.st_size, (intmax_t)status.st_ctim.tv_sec,
		status.st_ctim.tv_nsec);
}

static void make_folders(const char *path)
{
	char *copy = xstrdup(path);
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy,
			0700); /* most folders exist; other errors show when the file is created */
		*slash = '/';
	}
	free(copy);
}

/* Opens a temporary file beside `path`; `template` ends in six X's, which become its name. */
static int create(const char *path, char *template)
{
	int fd = mkostemp(template, O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		make_folders(path);
		memset(template + strlen(template) - 6, 'X', 6);
		fd = mkostemp(template, O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/* Writes the stream and closes `fd`. */
static int fill(int fd, void (*write)(FILE *stream, const void *data), const void *data)
{
	FILE *stream = fdopen(fd, "w");
	int error = 0;
	if (!stream) {
		error = -errno;
		close(fd);
		return error;
	}
	errno = 0;
	write(stream, data);
	if (fflush(stream) != 0 || ferror(stream)) {
		error = errno ? -errno : -EIO;
	}
	if (fclose(stream) != 0 && error == 0) {
		error = -errno;
	}
	return error;
}

int file_replace(const char *path, void (*write)(FILE *stream, const void *data), const void *data)
{
	char *fresh = xasprintf("%s.XXXXXX", path);
	int error, fd = create(path, fresh);
	if (fd < 0) {
		free(fresh);
		return fd;
	}
	error = fill(fd, write, data);
	if (error == 0 && rename(fresh, path) < 0) {
		error = -errno;
	}
	if (error < 0) {
		unlink(fresh);
	}
	free(fresh);
	return error;
}

char *file_cache_path(const char *name)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	/* The base directory specification ignores relative paths. */
	if (cache && *cache == '/') {
		return xasprintf("%s/causeway/%s", cache, name);
	}
	return home && *home ? xasprintf("%s/.cache/causeway/%s", home, name) : NULL;
}

char *file_state_path(const char *name)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	if (state && *state == '/') {
		return xasprintf("%s/causeway/%s", state, name);
	}
	return home && *home ? xasprintf("%s/.local/state/causeway/%s", home, name) : NULL;
}

/** Returns whether the path leads to an executable file: a folder may have the same permission. */
static bool is_program(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

char *file_find_program(const char *name)
{
	const char *folders = getenv("PATH");
	if (strchr(name, '/')) {
		return is_program(name) ? xstrdup(name) : NULL;
	}
	char *all = xstrdup(folders ? folders : "/usr/local/bin:/usr/bin:/bin"), *rest = NULL;
	char *found = NULL;
	for (char *folder = strtok_r(all, ":", &rest); folder && !found;
		folder = strtok_r(NULL, ":", &rest)) {
		char *path = xasprintf("%s/%s", folder, name);
		if (is_program(path)) {
			found = path;
		} else {
			free(path);
		}
	}
	free(all);
	return found;
}

bool file_has_program(const char *name)
{
	char *path = file_find_program(name);
	free(path);
	return path;
}
