/* SPDX-License-Identifier: MIT */
/* Icons of programs: lookup in icon themes, by name or desktop file. */

#include "apps/icon_theme.h"
#include "apps/desktop_entry.h"
#include "apps/icon_lookup.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* A list of folders that ends with NULL. */
struct folders {
	char *paths[2 * FOLDERS_MAX + 2];
	int n;
};

static void add(struct folders *folders, char *path)
{
	folders->paths[folders->n++] = path;
}

/* Adds the folder of this name in each data folder. */
static void add_of_data(struct folders *folders, const char *name)
{
	const char *home = getenv("HOME"), *own = getenv("XDG_DATA_HOME");
	const char *shared = getenv("XDG_DATA_DIRS");
	if (own && own[0] == '/') {
		add(folders, xasprintf("%s/%s/", own, name));
	} else if (home) {
		add(folders, xasprintf("%s/.local/share/%s/", home, name));
	}
	shared = shared && shared[0] ? shared : "/usr/local/share:/usr/share";
	for (int i = 1; *shared && i < FOLDERS_MAX; i++) {
		const size_t length = strcspn(shared, ":");
		if (shared[0] == '/') {
			add(folders, xasprintf("%.*s/%s/", (int)length, shared, name));
		}
		shared += length + (shared[length] == ':');
	}
}

/* Returns the name without the extension that some desktop files add. */
static char *stem_of(const char *name)
{
	static const char *const extensions[] = {".png", ".svg", ".xpm"};
	const size_t length = strlen(name);
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		if (length > 4 && strcmp(name + length - 4, extensions[i]) == 0) {
			return xasprintf("%.*s", (int)length - 4, name);
		}
	}
	return xstrdup(name);
}

char *icon_theme_find(const char *name, int size, bool svg)
{
	const char *home = getenv("HOME");
	struct folders folders = {{NULL}, 0};
	if (!icon_theme_name_valid(name)) {
		return NULL;
	}
	if (home) {
		add(&folders, xasprintf("%s/.icons/", home));
	}
	add_of_data(&folders, "icons");
	add_of_data(&folders, "pixmaps");
	char *stem = stem_of(name);
	char *found = icon_lookup_sfdo(folders.paths, stem, size, svg);
	found = found ? found : icon_lookup_usual(folders.paths, stem, size, svg);
	free(stem);
	for (int i = 0; i < folders.n; i++) {
		free(folders.paths[i]);
	}
	return found;
}

static bool is_svg(const char *path)
{
	const size_t length = strlen(path);
	return length > 4 && strcmp(path + length - 4, ".svg") == 0;
}

static struct picture read_at(const char *path, int size, const char *program)
{
	struct picture read = {NULL};
	char *error = !is_svg(path) ? picture_read(path, ICON_FILE_SIZE_MAX, &read)
		      : program     ? picture_read_svg(path, size, program, &read)
				    : NULL;
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

static struct picture read_found(const char *name, int size, const char *program)
{
	/* Desktop files of the system and the user may name a file. */
	char *path = name[0] == '/' ? xstrdup(name) : icon_theme_find(name, size, program);
	struct picture picture = path ? read_at(path, size, program) : (struct picture){NULL};
	free(path);
	return picture;
}

/* Reads a file of another format if an SVG file cannot be drawn. */
static struct picture read_named(const char *name, int size, const char *program)
{
	struct picture picture = read_found(name, size, program);
	return picture.image || !program ? picture : read_found(name, size, NULL);
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

struct picture icon_theme_read(const char *name, const char *app_id, int size, const char *program)
{
	struct picture picture = {NULL};
	program = picture_svg_is_built() ? program : NULL;
	if (icon_theme_name_valid(name)) {
		picture = read_named(name, size, program);
	}
	if (picture.image || !icon_theme_name_valid(app_id)) {
		return picture;
	}
	/* X11 programs write their class in capitals. */
	char *small = lower(app_id), *icon = icon_of_desktop_file(app_id);
	icon = icon ? icon : icon_of_desktop_file(small);
	picture = read_named(icon ? icon : small, size, program);
	free(icon);
	free(small);
	return picture;
}
