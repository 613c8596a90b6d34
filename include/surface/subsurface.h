#pragma once

/** Subsurfaces: a surface placed relative to its parent. Order and position are the parent's state.
 */

#include "surface/surface.h"

struct subsurface {
	struct surface *surface;
	struct surface *parent; /* NULL once the parent is gone */
	bool sync; /* as requested; see subsurface_is_sync() */
	int32_t x, y; /* current */
	struct wl_list held_link; /* surface.held of the parent; empty when nothing is held */
	/** Its place in the parent's state took effect. */
	bool added;
	void *data; /* protocol: the resource */
	struct wl_listener parent_destroy, parent_map, parent_unmap;
	struct {
		struct wl_signal destroy;
	} events;
};

extern const struct surface_role subsurface_role;

/** Levels of a tree of subsurfaces: what walks one may do so by recursion. */
#define SUBSURFACE_LEVELS_MAX 128
/** False if the tree would become too deep. */
bool subsurface_fits(const struct surface *surface, const struct surface *parent);
/** Surfaces in a tree of subsurfaces: a commit of the root may take time for each of them. */
#define SUBSURFACE_TREE_MAX 4096
/** False if the tree would have too many surfaces. */
bool subsurface_tree_has_room(const struct surface *surface, struct surface *parent);

/** NULL if `surface` cannot take the role; the caller has checked for loops and depth. */
struct subsurface *subsurface_create(struct surface *surface, struct surface *parent);
/**
 * Takes it out of pending, current and every queued update of the parent at once; what its surface
 * had waiting applies or goes on its own.
 */
void subsurface_destroy(struct subsurface *subsurface);
/** These are pending in the parent until it commits. */
void subsurface_set_position(struct subsurface *subsurface, int32_t x, int32_t y);
/** Next to `sibling` (the parent counts); false if it is neither. */
bool subsurface_place(struct subsurface *subsurface, struct surface *sibling, bool above);
/** Leaving sync mode applies what was held back. */
void subsurface_set_sync(struct subsurface *subsurface, bool sync);
/** It or an ancestor is in sync mode. */
bool subsurface_is_sync(const struct subsurface *subsurface);
