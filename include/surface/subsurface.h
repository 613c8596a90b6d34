/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Subsurfaces: surfaces placed relative to a parent. Order and position are part of the parent's
 * state.
 */

#include "surface/surface.h"

struct subsurface {
	struct surface *surface;
	struct surface *parent; /* NULL once the parent is destroyed */
	bool sync; /* as requested; see subsurface_is_sync() */
	int32_t x, y; /* in the parent's current state */
	struct wl_list held_link; /* surface.held of the parent; empty if no update is held */
	/** The parent has applied a state that includes this subsurface. */
	bool added;
	void *data; /* wl_subsurface resource, set by protocol/ */
	struct wl_listener parent_destroy, parent_map, parent_unmap;
	struct {
		struct wl_signal destroy;
	} events;
};

extern const struct surface_role subsurface_role;

/** Maximum depth of a tree of subsurfaces, so that code may recurse over it. */
#define SUBSURFACE_LEVELS_MAX 128
/** Returns false if the tree would become too deep. */
bool subsurface_fits(const struct surface *surface, const struct surface *parent);
/**
 * Maximum number of surfaces in a tree of subsurfaces: a commit of the root may visit each of them.
 */
#define SUBSURFACE_TREE_MAX 4096
/** Returns false if the tree would have too many surfaces. */
bool subsurface_tree_has_room(const struct surface *surface, struct surface *parent);

/**
 * Makes `surface` a subsurface of `parent`, in sync mode. Returns NULL if it has another role or
 * role object. The caller has checked for loops and depth.
 */
struct subsurface *subsurface_create(struct surface *surface, struct surface *parent);
/**
 * Removes the subsurface from the pending, current and queued states of the parent at once. Updates
 * of its surface that waited for the parent apply on their own.
 */
void subsurface_destroy(struct subsurface *subsurface);
/** Position and order stay pending in the parent until it commits. */
void subsurface_set_position(struct subsurface *subsurface, int32_t x, int32_t y);
/**
 * Moves the subsurface next to `sibling`, a child of the same parent or the parent itself; returns
 * false for any other surface.
 */
bool subsurface_place(struct subsurface *subsurface, struct surface *sibling, bool above);
/** Sets the requested mode. Leaving sync mode applies the updates held back. */
void subsurface_set_sync(struct subsurface *subsurface, bool sync);
/** Returns whether the subsurface or one of its ancestors is in sync mode. */
bool subsurface_is_sync(const struct subsurface *subsurface);
