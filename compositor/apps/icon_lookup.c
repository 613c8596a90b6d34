/* SPDX-License-Identifier: MIT */
/* Lookup of icons in the folders that themes usually have. */

#include "apps/icon_lookup.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

/** Pixels by which a file may be larger than the icon before an SVG file is better. */
#define THRESHOLD 2
/** Size of the folders `scalable`. */
#define SCALABLE 0

/* Returns the path if it can be read, else frees it. */
static char *try_path(char *path)
{
	if (access(path, R_OK) == 0) {
		return path;
	}
	free(path);
	return NULL;
}

static char *try_extensions(const char *stem, bool svg)
{
	char *found = try_path(xasprintf("%s.png", stem));
	return !found && svg ? try_path(xasprintf("%s.svg", stem)) : found;
}

/* Finds the icon in the folders of one size. */
static char *find_of_size(
	char *const *folders, const char *theme, const char *name, int size, bool svg)
{
	static const char *const contexts[] = {"apps", "legacy"};
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++) {
		for (int j = 0; folders[j]; j++) {
			char *stem = size == SCALABLE
					     ? xasprintf("%s%s/scalable/%s/%s", folders[j], theme,
						       contexts[i], name)
					     : xasprintf("%s%s/%dx%d/%s/%s", folders[j], theme,
						       size, size, contexts[i], name);
			char *found = try_extensions(stem, svg);
			free(stem);
			if (found) {
				return found;
			}
		}
	}
	return NULL;
}

/*
 * Finds the smallest file that is large enough, an SVG file instead of a much larger one, or else
 * the largest file.
 */
static char *find_in_theme(
	char *const *folders, const char *theme, const char *name, int size, bool svg)
{
	static const int sizes[] = {16, 22, 24, 32, 36, 42, 48, 64, 72, 96, 128, 192, 256, 512};
	const int n = sizeof(sizes) / sizeof(sizes[0]);
	char *found = NULL;
	int first = 0, i;
	while (first < n && sizes[first] < size) {
		first++;
	}
	for (i = first; !found && i < n && sizes[i] <= size + THRESHOLD; i++) {
		found = find_of_size(folders, theme, name, sizes[i], svg);
	}
	found = found ? found : find_of_size(folders, theme, name, SCALABLE, svg);
	for (; !found && i < n; i++) {
		found = find_of_size(folders, theme, name, sizes[i], svg);
	}
	for (i = first; !found && i > 0; i--) {
		found = find_of_size(folders, theme, name, sizes[i - 1], svg);
	}
	return found;
}

char *icon_lookup_usual(char *const *folders, const char *name, int size, bool svg)
{
	static const char *const themes[] = {ICON_THEME, ICON_THEME "Legacy", "hicolor"};
	char *found = NULL;
	for (size_t i = 0; !found && i < sizeof(themes) / sizeof(themes[0]); i++) {
		found = find_in_theme(folders, themes[i], name, size, svg);
	}
	for (int i = 0; !found && folders[i]; i++) {
		char *stem = xasprintf("%s%s", folders[i], name);
		found = try_extensions(stem, svg);
		free(stem);
	}
	return found;
}
