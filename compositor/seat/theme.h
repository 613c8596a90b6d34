/* SPDX-License-Identifier: MIT */
#pragma once

/** Cursor themes: images by shape and size, from Xcursor files or drawn as a fallback. */

#include "buffer/allocator.h"
#include "buffer/buffer.h"
#include <stddef.h>
#include <stdint.h>
#include <wayland-util.h>

struct cursor_frame {
	struct buffer *buffer;
	int hotspot_x, hotspot_y; /* pixels, within the image */
	int32_t delay; /* ms until the next frame */
};

struct cursor_animation {
	struct wl_list link; /* of the theme's cache */
	char *shape;
	int wanted_size; /* pixels, as requested */
	int size; /* nominal, of these images */
	struct cursor_frame *frames;
	int n_frames; /* at least 1 */
	bool fallback; /* for lack of descriptors or memory: tried again */
};

struct cursor_theme;

/** Creates a theme without loading it. */
struct cursor_theme *cursor_theme_create(const char *name);
void cursor_theme_destroy(struct cursor_theme *theme);
/**
 * Returns an animation of the theme, valid until two others were requested. `size` is in pixels.
 * For lack of descriptors or memory, returns another image, or NULL.
 */
const struct cursor_animation *cursor_theme_get(
	struct cursor_theme *theme, const char *shape, int size);

/** xcursor.c */

/**
 * Reads the images of the nominal size nearest to `size` from an Xcursor file. Returns false if it
 * is malformed or too large, with `out` unchanged. On success, the caller frees `out` with
 * cursor_animation_finish().
 */
bool xcursor_parse(const void *data, size_t length, int size, struct cursor_animation *out);
/** Like xcursor_parse(), for a path; sets errno on failure. */
bool xcursor_load(const char *path, int size, struct cursor_animation *out);
void cursor_animation_finish(struct cursor_animation *animation);
/**
 * Returns the value of "Inherits" in the text of an index.theme, newly allocated: names separated
 * by commas, semicolons or blanks. NULL if there is none. Overwrites `text`.
 */
char *xcursor_parse_index(char *text);
/**
 * Returns the path of the file for an X11 cursor name in the theme or one that it inherits; NULL:
 * none.
 */
char *xcursor_find(const char *theme, const char *name);
/** Returns true if the theme, or one that it inherits, has at least an arrow. */
bool xcursor_has_theme(const char *theme);

/** fallback_cursor.c: draws the fallback cursor. */
bool cursor_draw_fallback(int size, struct cursor_animation *out);
