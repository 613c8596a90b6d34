#pragma once

/**
 * The cursor of a seat: a themed shape, a client's surface, or hidden; shown at the pointer by
 * nodes in scene.cursor. Theme images are loaded on first use, at the scale of the output they are
 * on. Animated ones move only while they can be seen.
 */

#include "scene/scene.h"
#include "util/clock.h"
#include <stdint.h>

struct cursor_animation;
struct cursor_theme;

/** The largest nominal size that can be asked for, logical. */
#define CURSOR_MAX_SIZE 256

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
	double scale; /* of the output that the images are for */
	const struct cursor_animation *animation; /* of shape; owned by the theme */
	int frame;
	struct timer timer; /* armed while an animation is seen */
	bool visible; /* there is a pointer */
	struct coord_global at;
	struct wl_listener surface_destroy, surface_applied, layout_changed;
	struct {
		struct wl_signal moved; /* it is, or its picture lies, somewhere else */
		struct wl_signal changed; /* it looks different, or shows no more */
	} events;
};

extern const struct surface_role cursor_role;

void cursor_init(struct cursor *cursor, struct scene *scene, struct clock *clock);
void cursor_finish(struct cursor *cursor);
/** theme NULL: $XCURSOR_THEME or "default"; size 0: $XCURSOR_SIZE or 24. */
void cursor_set_theme(struct cursor *cursor, const char *theme, int size);
void cursor_move(struct cursor *cursor, struct coord_global at);
/** A CSS name such as "default" or "text"; NULL hides it. Unknown names give the default. */
void cursor_set_shape(struct cursor *cursor, const char *shape);
/** A client's surface in the cursor role, NULL hides it. */
void cursor_set_surface(
	struct cursor *cursor, struct surface *surface, int hotspot_x, int hotspot_y);
/** Logical size of what it shows; false if that is nothing. */
bool cursor_size(const struct cursor *cursor, int *width, int *height);
void cursor_set_visible(struct cursor *cursor, bool visible);
