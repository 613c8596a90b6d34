/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A seat's cursor: a themed shape, a client's surface, or hidden; nodes in scene.cursor show it at
 * the pointer. Theme images are loaded on first use, for the scale of the output under the pointer.
 * Animations run only while the cursor is visible on an output.
 */

#include "scene/scene.h"
#include "util/clock.h"

struct cursor_animation;
struct cursor_theme;

/** Largest nominal size, logical. */
#define CURSOR_SIZE_MAX 256

struct cursor {
	struct scene *scene;
	struct clock *clock;
	struct scene_tree *tree;
	struct scene_image *image;
	struct surface *surface; /* NULL: a shape or hidden */
	struct scene_tree *surface_tree;
	int hotspot_x, hotspot_y; /* logical */
	char *shape; /* NULL: a surface or hidden */
	struct cursor_theme *theme;
	int size; /* logical, nominal */
	double scale; /* of the output that the images were loaded for */
	const struct cursor_animation *animation; /* of shape; owned by the theme */
	int frame;
	struct timer timer; /* armed while an animation is visible */
	bool visible; /* a pointer exists */
	struct coord_global at;
	struct wl_listener surface_destroy, surface_applied, layout_changed;
	struct {
		struct wl_signal moved; /* the position or the hotspot changed */
		struct wl_signal changed; /* the image changed or was hidden */
	} events;
};

extern const struct surface_role cursor_role;

void cursor_init(struct cursor *cursor, struct scene *scene, struct clock *clock);
void cursor_finish(struct cursor *cursor);
/** theme NULL: $XCURSOR_THEME or "default"; size 0: $XCURSOR_SIZE or 24. */
void cursor_set_theme(struct cursor *cursor, const char *theme, int size);
void cursor_move(struct cursor *cursor, struct coord_global at);
/**
 * Shows a CSS shape such as "default" or "text"; NULL hides the cursor. Unknown names show the
 * default.
 */
void cursor_set_shape(struct cursor *cursor, const char *shape);
/** Shows a surface with the cursor role; NULL hides the cursor. */
void cursor_set_surface(
	struct cursor *cursor, struct surface *surface, int hotspot_x, int hotspot_y);
/** Gets the logical size of the image; returns false if the cursor is hidden. */
bool cursor_size(const struct cursor *cursor, int *width, int *height);
void cursor_set_visible(struct cursor *cursor, bool visible);
