/* SPDX-License-Identifier: MIT */
/* Emulated /sys/class/drm: a private folder with the connectors of the emulated cards. */

#include "state.h"
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL "/sys/class/drm"

static char folder[64];

/* ext4 writes a file that replaces another one to the disk. */
const char *fake_folder(void)
{
	return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static void ensure_folder(void)
{
	if (folder[0] == '\0') {
		snprintf(folder, sizeof(folder), "%s/fake-kms-XXXXXX", fake_folder());
		assert(mkdtemp(folder));
	}
}

const char *fake_sysfs_path(const char *path)
{
	static char elsewhere[512];

	if (strncmp(path, REAL, strlen(REAL)) != 0) {
		return NULL;
	}
	ensure_folder();
	snprintf(elsewhere, sizeof(elsewhere), "%s%s", folder, path + strlen(REAL));
	return elsewhere;
}

static void connector_folder(
	char path[160], const struct fake_card *card, const struct fake_object *connector)
{
	snprintf(path, 160, "%s/card%d-%s", folder, card->number, connector->name);
}

void fake_sysfs_update(struct fake_card *card)
{
	char path[160], status[192];

	ensure_folder();
	for (int i = 0; i < card->n_objects; i++) {
		struct fake_object *object = &card->objects[i];
		const struct fake_screen *screen = object->screen;
		const char *text;
		int fd;

		if (object->type != DRM_MODE_OBJECT_CONNECTOR) {
			continue;
		}
		/* The screens of a test that has ended are gone when its cards are removed. */
		text = card->removed || object->gone ? NULL
		       : !screen                     ? "disconnected\n"
		       : screen->unknown             ? "unknown\n"
						     : "connected\n";
		if (object->status == text) {
			continue;
		}
		object->status = text;
		connector_folder(path, card, object);
		snprintf(status, sizeof(status), "%s/status", path);
		if (!text) {
			unlink(status);
			rmdir(path);
			continue;
		}
		mkdir(path, 0700);
		fd = open(status, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		assert(fd >= 0 && write(fd, text, strlen(text)) > 0);
		close(fd);
	}
}

void fake_sysfs_remove(void)
{
	if (folder[0] != '\0') {
		rmdir(folder);
		folder[0] = '\0';
	}
}
