/* SPDX-License-Identifier: MIT */
/* Device nodes that libinput opens in the session. */

#include "backend/session.h"
#include "libinput.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct libinput_file {
	struct wl_list link; /* libinput_backend.files */
	int fd;
	char *name; /* of the device node, without its folder */
};

int libinput_file_open(const char *path, int flags, void *data)
{
	struct libinput_backend *backend = data;
	int fd = session_open_device(backend->session, path);
	if (fd >= 0) {
		const char *slash = strrchr(path, '/');
		struct libinput_file *file = xcalloc(1, sizeof(*file));
		file->fd = fd;
		file->name = xstrdup(slash ? slash + 1 : path);
		wl_list_insert(&backend->files, &file->link);
	}
	return fd;
}

void libinput_file_close(int fd, void *data)
{
	struct libinput_backend *backend = data;
	struct libinput_file *file, *next;
	wl_list_for_each_safe (file, next, &backend->files, link) {
		if (file->fd == fd) {
			wl_list_remove(&file->link);
			free(file->name);
			free(file);
		}
	}
	session_close_device(backend->session, fd);
}

int libinput_file_find(const struct libinput_backend *backend, struct libinput_device *device)
{
	const struct libinput_file *file;
	wl_list_for_each (file, &backend->files, link) {
		if (strcmp(file->name, libinput_device_get_sysname(device)) == 0) {
			return file->fd;
		}
	}
	return -1;
}
