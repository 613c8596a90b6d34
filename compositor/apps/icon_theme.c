/* SPDX-License-Identifier: MIT */
/* Icons of programs: lookup in icon themes, by name or desktop file. */

#include "apps/icon_theme.h"
#include "apps/desktop_entry.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Maximum number of data folders. */
#define FOLDERS_MAX 32

bool icon_theme_name_valid(const char *name)
{
	if (!name || name[0] == '\0' || name[0] == '.' || strlen(name) > ICON_NAME_MAX) {
		return false;
	}
	for (; *name; name++) {
		if (*name == '/' || (unsigned char)*name < ' ') {
			return false;
		}
	}
	return true;
}

static char *try_path(char *path)
{
	if (access(path, R_OK) == 0) {
		return path;
	}
	free(path);
	return NULL;
}

/*
 * Finds the icon in a theme of a data folder: the smallest one that is large enough, or the
 * largest.
 */
static char *find_in_theme(const char *folder, const char *theme, const char *name, int size)
{
	static const int sizes[] = {16, 22, 24, 32, 36, 42, 48, 64, 72, 96, 128, 192, 256, 512};
	static const char *const contexts[] = {"apps", "legacy"};
	const int n = sizeof(sizes) / sizeof(sizes[0]);
	int first = 0;
	while (first < n - 1 && sizes[first] < size) {
		first++;
	}
	for (int i = 0; i < n; i++) {
		/* Upward from the first, then downward. */
		const int at = first + i < n ? first + i : n - 1 - i;
		for (int j = 0; j < 2; j++) {
			char *found = try_path(xasprintf("%s/icons/%s/%dx%d/%s/%s.png", folder,
				theme, sizes[at], sizes[at], contexts[j], name));
			if (found) {
				return found;
			}
		}
	}
	return NULL;
}

static char *find_in(const char *folder, const char *name, int size)
{
	char *found = find_in_theme(folder, "hicolor", name, size);
	found = found ? found : find_in_theme(folder, "Adwaita", name, size);
	return found ? found : try_path(xasprintf("%s/pixmaps/%s.png", folder, name));
}

char *icon_theme_find(const char *name, int size)
{
	const char *home = getenv("HOME"), *own = getenv("XDG_DATA_HOME");
	const char *shared = getenv("XDG_DATA_DIRS");
	if (!icon_theme_name_valid(name)) {
		return NULL;
	}
	char *folder = own && own[0] == '/' ? xstrdup(own)
		       : home               ? xasprintf("%s/.local/share", home)
					    : NULL;
	char *found = folder ? find_in(folder, name, size) : NULL;
	free(folder);
	shared = shared && shared[0] ? shared : "/usr/local/share:/usr/share";
	for (int i = 0; !found && *shared && i < FOLDERS_MAX; i++) {
		const size_t length = strcspn(shared, ":");
		folder = xasprintf("%.*s", (int)length, shared);
		found = folder[0] == '/' ? find_in(folder, name, size) : NULL;
		free(folder);
		shared += length + (shared[length] == ':');
	}
	return found;
}

static struct picture read_at(const char *path, int size)
{
	struct picture read = {NULL};
	char *error = picture_read(path, ICON_FILE_SIZE_MAX, &read);
	free(error); /* a broken file is no icon */
	if (!read.image) {
		return read;
	}
	const struct picture_place place =
		picture_place(PICTURE_STRETCH, pixman_image_get_width(read.image),
			pixman_image_get_height(read.image), size, size);
	struct picture scaled = picture_scale(&read, &place);
	picture_finish(&read);
	return scaled;
}

static struct picture read_named(const char *name, int size)
{
	/* Desktop files of the system and the user may name a file. */
	char *path = name[0] == '/' ? xstrdup(name) : icon_theme_find(name, size);
	struct picture picture = path ? read_at(path, size) : (struct picture){NULL};
	free(path);
	return picture;
}

/* Returns the icon of the desktop file with this id; NULL: there is none. */
static char *icon_of_desktop_file(const char *id)
{
	struct desktop_entry entry;
	char *file = xasprintf("%s.desktop", id), *error = NULL, *icon = NULL;
	if (desktop_entry_find(&entry, file, &error)) {
		icon = entry.icon ? xstrdup(entry.icon) : NULL;
		desktop_entry_finish(&entry);
	}
	free(error);
	free(file);
	return icon;
}

static char *lower(const char *text)
{
	char *copy = xstrdup(text);
	for (char *c = copy; *c; c++) {
		*c = (char)tolower((unsigned char)*c);
	}
	return copy;
}

struct picture icon_theme_read(const char *name, const char *app_id, int size)
{
	struct picture picture = {NULL};
	if (icon_theme_name_valid(name)) {
		picture = read_named(name, size);
	}
	if (picture.image || !icon_theme_name_valid(app_id)) {
		return picture;
	}
	/* X11 programs write their class in capitals. */
	char *small = lower(app_id), *icon = icon_of_desktop_file(app_id);
	icon = icon ? icon : icon_of_desktop_file(small);
	picture = read_named(icon ? icon : small, size);
	free(icon);
	free(small);
	return picture;
}
