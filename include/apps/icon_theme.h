/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Icons of programs: PNG and SVG files of icon themes, found by the icon's name or by the
 * desktop file. Everything here reads files: call it from a thread.
 */

#include "render/picture.h"

/** Maximum length of names, and maximum width and height of files, pixels. */
#define ICON_NAME_MAX 128
#define ICON_FILE_SIZE_MAX 1024

/** Returns true if the name can be looked up: without slashes, dots at its begin, or controls. */
bool icon_theme_name_valid(const char *name);
/**
 * Returns the path of the file of this name that is best for `size` pixels, newly allocated; NULL:
 * there is none. `svg` allows SVG files. Themes are Adwaita, those that it inherits, and hicolor;
 * files without theme come last.
 */
char *icon_theme_find(const char *name, int size, bool svg);
/**
 * Reads the icon `name`, or if NULL that of the program's desktop file, at size x size pixels. The
 * picture has no image if there is none. `program` is the helper process for SVG files; NULL: SVG
 * files are ignored.
 */
struct picture icon_theme_read(const char *name, const char *app_id, int size, const char *program);
