/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Lookup of icon files in two ways. Both functions return the path of the file that is best for an
 * icon of `size` pixels, newly allocated, or NULL; `svg` allows SVG files. `folders` ends with
 * NULL; each path ends with a slash and has themes as folders, and icons without theme as files.
 */

#include <stdbool.h>

#define ICON_THEME "Adwaita"

/** Looks into folders of the usual names and sizes, without the indexes of themes. */
char *icon_lookup_usual(char *const *folders, const char *name, int size, bool svg);
/**
 * Looks up with libsfdo, by the index of the theme and of those that it inherits. Returns NULL
 * without the library.
 */
char *icon_lookup_sfdo(char *const *folders, const char *name, int size, bool svg);
/** Returns whether icon_lookup_sfdo() has its library. */
bool icon_lookup_has_sfdo(void);
