/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Icons of programs: PNG files of the icon theme specification, found by the icon's name or by the
 * desktop file. Everything here reads files: call it from a thread.
 */

#include "render/picture.h"

/** Maximum length of names, and maximum width and height of files, pixels. */
#define ICON_NAME_MAX 128
#define ICON_FILE_SIZE_MAX 1024

/** Returns true if the name can be looked up: without slashes, dots at its begin, or controls. */
bool icon_theme_name_valid(const char *name);
/**
 * Returns the path of the PNG file of this name whose size is best for `size` pixels, newly
 * allocated; NULL: there is none. Themes are hicolor, then Adwaita, then the folder pixmaps.
 */
char *icon_theme_find(const char *name, int size);
/**
 * Reads the icon `name`, or if NULL that of the program's desktop file, at size x size pixels. The
 * picture has no image if there is none.
 */
struct picture icon_theme_read(const char *name, const char *app_id, int size);
