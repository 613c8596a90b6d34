#pragma once

/** Cursor themes: pictures by shape and size, from Xcursor files or drawn by us. */

#include "buffer/allocator.h"
#include "buffer/buffer.h"
#include <stddef.h>
#include <stdint.h>
#include <wayland-util.h>

struct cursor_frame {
	struct buffer *buffer;
	int hotspot_x, hotspot_y; /* pixels, inside of the picture */
	int32_t delay; /* ms until the next one */
};

struct cursor_animation {
	struct wl_list link; /* of the theme's cache */
	char *shape;
	int wanted_size; /* pixels, as asked */
	int size; /* nominal, of these pictures */
	struct cursor_frame *frames;
	int n_frames; /* at least 1 */
	bool makeshift; /* descriptors or memory were out: it is looked for again when asked for */
};

struct cursor_theme;

/** Nothing is read yet. */
struct cursor_theme *cursor_theme_create(const char *name);
void cursor_theme_destroy(struct cursor_theme *theme);
/**
 * The theme's; valid until two others have been asked for. `size` is in pixels. While descriptors or memory are out,
 * it may be another picture, or NULL.
 */
const struct cursor_animation *cursor_theme_get(
	struct cursor_theme *theme, const char *shape, int size);

/** xcursor.c */

/**
 * Reads the pictures of the nominal size nearest to `size` out of an Xcursor file. False if it is
 * malformed or beyond the bounds; then `out` is unchanged. On success the caller frees with
 * cursor_animation_finish().
 */
bool xcursor_parse(const void *data, size_t length, int size, struct cursor_animation *out);
/** The same, from a path; errno is set if it cannot be read. */
bool xcursor_load(const char *path, int size, struct cursor_animation *out);
void cursor_animation_finish(struct cursor_animation *animation);
/**
 * Returns the value of "Inherits" in the text of an index.theme, newly allocated: names separated by
 * commas, semicolons or blanks. NULL if there is none. Overwrites `text`.
 */
char *xcursor_parse_index(char *text);
/** Path of the file for an X11 cursor name in the theme or those it inherits from; NULL: none. */
char *xcursor_find(const char *theme, const char *name);
/** Whether it, or what it inherits from, has at least an arrow. */
bool xcursor_has_theme(const char *theme);

/** arrow.c: the picture for want of a theme. */
bool cursor_draw_arrow(int size, struct cursor_animation *out);
