/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The scene: a tree of nodes in the global space, drawn back to front in child order.
 *
 * For each output the scene keeps a flat list of entries (struct scene_entry), topmost first, in
 * the output's pixels, each with the region that remains visible after occlusion. Changes of
 * structure or geometry only mark outputs dirty; scene_update() rebuilds their lists before a
 * frame, and the difference from the old list becomes damage. Changes of content alone never
 * rebuild a list.
 */

#include "scene/output.h"
#include "surface/surface.h"
#include "util/box.h"
#include "util/signal.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>

enum scene_node_type {
	SCENE_TREE,
	SCENE_SURFACE,
	SCENE_RECT,
	SCENE_IMAGE,
	SCENE_PREVIEW,
};

struct scene_tree;

struct scene_node {
	enum scene_node_type type;
	/** Destroys a preview or the tree of a surface; NULL for other nodes. */
	void (*destroy)(struct scene_node *node);
	struct scene *scene;
	struct scene_tree *parent; /* NULL for the root */
	struct wl_list link; /* scene_tree.children, bottom first */
	bool enabled;
	int x, y; /* logical pixels, relative to the parent */
	bool reaches; /* scene_node_set_reach() */
	/** Set by the node's creator; hit tests return the nearest one, from the node upward. */
	void *data;
	/** Index of the node's entry by scene_output.index, -1 where it is invisible. */
	int32_t entry_index[SCENE_OUTPUTS_MAX];
	/** The whole node is to be damaged by the next scene_update(). */
	bool changed;
	struct {
		struct wl_signal destroy;
	} events;
};

struct scene_tree {
	struct scene_node node;
	struct wl_list children; /* scene_node.link */
	/** Set for trees made by scene_surface_tree_create(), else NULL. */
	struct scene_surface *content;
	/** Set by scene_tree_set_output(): nothing of the tree shows elsewhere. NULL: anywhere. */
	const struct scene_output *output;
	bool no_input; /* hit tests pass over the tree */
	float opacity; /* of everything in the tree: scene_tree_set_opacity() */
	int shift_x, shift_y; /* scene_tree_set_shift() */
	bool snapped; /* scene_tree_snap() */
	bool secret; /* black in captures */
};

/**
 * A surface in the scene. The trees of its subsurfaces are its siblings; they are added and removed
 * automatically.
 */
struct scene_surface {
	struct scene_node node; /* the surface's own pixels; the parent is a tree made for it */
	struct surface *surface;
	/** Subsurface object whose position it follows; NULL for a root. */
	struct subsurface *subsurface;
	/**
	 * Damage since the last scene_update(), in buffer pixels. `damage_link` is empty if there
	 * is none.
	 */
	pixman_region32_t damage;
	struct wl_list damage_link; /* scene.damaged */
	/**
	 * Linked while the client waits for a frame: callbacks, feedback or a barrier (surface.h).
	 */
	/** scene_output.waiting of the output `pace_output`, or scene.hidden */
	struct wl_list waiting_link;
	/** frame/throttle.c: while in scene.hidden, times of the next ones, ns; 0: none. */
	int64_t callback_due, barrier_due;
	/** Linked from the application of an update until the first frame with it. */
	/** scene_output.unshown of the primary output, or scene.unshown */
	struct wl_list unshown_link;
	/** Linked while the current buffer belongs to a GPU (buffer.home). */
	struct wl_list homed_link; /* scene.homed */
	/**
	 * Index of the awake output with the largest visible area of the surface: the client is
	 * throttled by its frames. -1: invisible everywhere.
	 */
	int primary_output;
	/**
	 * Index of the output whose frames call the surface's callbacks: `primary_output`, or, if
	 * other surfaces of its window cover the surface, that of one of them. -1: invisible.
	 */
	int pace_output;
	/**
	 * Geometry and opacity as of the last commit: lists are rebuilt only if a commit changes
	 * them.
	 */
	struct scene_look {
		int width, height; /* logical */
		int buffer_width, buffer_height;
		enum wl_output_transform transform;
		struct fbox src;
		float alpha;
		bool shown;
	} look;
	pixman_region32_t opaque; /* logical */
	struct wl_list previews; /* scene_preview.link */
	struct wl_listener applied, map, unmap, destroy, new_subsurface, subsurface_destroy;
	struct addon addon; /* on the surface */
};

struct scene_rect {
	struct scene_node node;
	int width, height; /* logical */
	float color[4]; /* premultiplied RGBA */
	/** Colour of the bottom row, towards which the rectangle changes in steps of 1/255. */
	float bottom[4];
	bool gradient; /* `bottom` differs from `color` */
};

/** An image of the compositor's own: a cursor, text, or a button. */
struct scene_image {
	struct scene_node node;
	struct buffer *buffer; /* locked; NULL: invisible */
	int width, height; /* logical */
	/**
	 * Output pixels per logical pixel that the image was drawn for; 0: any. Outputs of this
	 * scale show each pixel of the buffer as one pixel, cropped to the node's size; other
	 * outputs scale the buffer to that size.
	 */
	double scale;
	enum wl_output_transform transform;
};

/**
 * A scaled copy of a surface's current pixels, which sends the client nothing: neither outputs nor
 * frames.
 */
struct scene_preview {
	struct scene_node node; /* in the tree of scene_preview_create() */
	struct scene_surface *source; /* NULL: destroyed */
	struct wl_list link; /* scene_surface.previews */
	const struct scene_tree *root; /* contains the source; valid while there is one */
	struct box part; /* of the root, logical */
	int width, height; /* logical, of all of `part` */
};

struct scene {
	struct scene_tree root;
	/** Above everything else, ignored by hit tests, and optional in captures. */
	struct scene_tree cursor;
	struct scene_output *outputs[SCENE_OUTPUTS_MAX];
	bool dirty; /* an output's list must be rebuilt */
	bool input_dirty; /* an input region has changed */
	bool cursor_dirty; /* the cursors in an output's list must be rebuilt */
	/** Global position of the pointer, which is the hotspot of a cursor image. */
	struct coord_global pointer;
	struct wl_list damaged; /* scene_surface.damage_link */
	struct wl_list hidden; /* scene_surface.waiting_link of invisible surfaces */
	struct wl_list unshown; /* scene_surface.unshown_link of invisible surfaces */
	struct wl_list homed; /* scene_surface.homed_link */
	float background[4]; /* premultiplied, opaque */
	struct {
		struct wl_signal output_added; /* struct scene_output */
		struct wl_signal output_removed; /* struct scene_output; still valid */
		struct wl_signal layout_changed; /* boxes or scales of outputs changed */
		/** Positions, visibility or input changed: pointer focus may have to follow. */
		struct wl_signal updated;
		/**
		 * NULL: existing trees were restacked, reparented, enabled or disabled; not for
		 * each frame, but at once.
		 */
		struct wl_signal restacked;
		/**
		 * struct scene_surface: added to the list `hidden`; NULL: one was removed from it.
		 */
		struct wl_signal hidden;
		/**
		 * struct scene_animation: a frame of an animated output begins, and nodes may
		 * change.
		 */
		struct wl_signal animate;
	} events;
};

struct scene_animation {
	struct scene_output *output;
	int64_t when; /* expected presentation of the frame, ns */
	bool continues; /* set by listeners: another frame follows */
};

struct scene *scene_create(void);
/**
 * Destroys the scene. All outputs and all nodes but `root` and `cursor` must be destroyed before.
 */
void scene_destroy(struct scene *scene);

struct scene_tree *scene_tree_create(struct scene_tree *parent);
/**
 * Creates a tree for the surface and its subsurfaces, visible while the surface is mapped. The tree
 * is destroyed together with the surface.
 */
struct scene_tree *scene_surface_tree_create(struct scene_tree *parent, struct surface *surface);
/**
 * Clips the tree to the box of an output, which must outlive the setting; NULL: does not clip.
 * Nested trees are clipped to all of their settings.
 */
void scene_tree_set_output(struct scene_tree *tree, const struct scene_output *output);
/** Draws everything in the tree black in captures. */
void scene_tree_set_secret(struct scene_tree *tree, bool secret);
/**
 * Draws the tree at a distance from its place, in logical pixels. Hit tests, coordinates and
 * captures of the tree ignore it.
 */
void scene_tree_set_shift(struct scene_tree *tree, int x, int y);
/**
 * Draws the tree at the whole pixel that is nearest to its place, on each output. All positions and
 * sizes in the tree are rounded as if the tree were at 0, 0, so that they do not depend on its
 * place. Trees of surfaces that are no subsurfaces always are.
 */
void scene_tree_snap(struct scene_tree *tree);
/** Multiplies the alpha of everything in the tree by `opacity`, from 0 to 1. */
void scene_tree_set_opacity(struct scene_tree *tree, float opacity);
struct scene_rect *scene_rect_create(
	struct scene_tree *parent, int width, int height, const float color[static 4]);
void scene_rect_set_size(struct scene_rect *rect, int width, int height);
/** Converts 0xRRGGBB to an opaque colour. */
void scene_color(uint32_t rgb, float color[static 4]);
/** Set an opaque colour 0xRRGGBB, or those of the top and bottom rows. */
void scene_rect_set_color(struct scene_rect *rect, uint32_t rgb);
void scene_rect_set_gradient(struct scene_rect *rect, uint32_t top, uint32_t bottom);
struct scene_image *scene_image_create(struct scene_tree *parent, struct buffer *buffer);
/** Sets and locks the buffer, and damages the whole image. `width` and `height` are logical. */
void scene_image_set(struct scene_image *image, struct buffer *buffer, int width, int height);
/** As above, for an image drawn for outputs of this scale. NULL: makes the node invisible. */
void scene_image_set_drawn(
	struct scene_image *image, struct buffer *buffer, int width, int height, double scale);

/** Maximum number of surfaces in a preview; others are left out. */
#define SCENE_PREVIEW_MAX 64
/**
 * Creates a tree with scaled copies of the surfaces that are in `root` now, disabled or not.
 * `part`, in coordinates of `root`, fills width x height (logical); other parts are cut off. The
 * copies follow the surfaces' content and position; destroyed surfaces disappear. The caller
 * destroys the tree.
 */
struct scene_tree *scene_preview_create(struct scene_tree *parent, struct scene_tree *root,
	const struct box *part, int width, int height);
/** Returns the mask, by scene_output.index, of outputs that show a preview of the surface. */
uint32_t scene_previews_outputs(const struct scene_surface *surface);
/** Returns the surface whose pixels an entry shows, as itself or as a preview; NULL: none. */
struct scene_surface *scene_entry_surface(const struct scene_entry *entry);

void scene_node_destroy(struct scene_node *node);
void scene_node_set_position(struct scene_node *node, int x, int y);
void scene_node_set_enabled(struct scene_node *node, bool enabled);
/**
 * Sets whether a surface or rect also covers the pixels that it would have if no tree were snapped:
 * those between two windows that touch.
 */
void scene_node_set_reach(struct scene_node *node, bool reaches);
void scene_node_raise_to_top(struct scene_node *node);
void scene_node_lower_to_bottom(struct scene_node *node);
void scene_node_place_above(struct scene_node *node, struct scene_node *sibling);
void scene_node_reparent(struct scene_node *node, struct scene_tree *parent);
/** Computes the global position. Returns false if the node or an ancestor is disabled. */
bool scene_node_coords(const struct scene_node *node, int *x, int *y);
struct scene_tree *scene_tree_from_node(struct scene_node *node);
struct scene_surface *scene_surface_from_node(struct scene_node *node);
/** Returns the scene_surface of this surface, of which there is at most one, or NULL. */
struct scene_surface *scene_surface_find(const struct surface *surface);

/**
 * Sets how many surface coordinates make a logical pixel, for X windows in device pixels: an output
 * of this scale shows each of them as one pixel. The content begins at the node's position plus
 * the shift (logical), which only serves positions between logical pixels. The surface may be
 * outside of the scene.
 */
void scene_surface_set_density(
	struct surface *surface, double density, double shift_x, double shift_y);
/**
 * Clips drawing and input of a surface, without its subsurfaces, to a region in surface
 * coordinates: the shape of an X window. The caller keeps the region unchanged until the next call;
 * NULL: no clip. The surface may be outside of the scene.
 */
void scene_surface_set_clip(struct surface *surface, const pixman_region32_t *clip);
/**
 * Replaces the input region of a surface, without its subsurfaces: the input shape of an X window.
 * The caller keeps the region unchanged until the next call; NULL: the client's counts.
 */
void scene_surface_set_input(struct surface *surface, const pixman_region32_t *input);
/**
 * Adds the surface to the list of those that wait for a frame, and requests one, if its client
 * waits for callbacks, feedback or a barrier.
 */
void scene_surface_wait(struct scene_surface *surface);
/** Damages `damage` (buffer pixels) without a commit: e.g. a copy of the buffer has completed. */
void scene_surface_damage(struct scene_surface *surface, const pixman_region32_t *damage);

/** Result of a hit test. */
struct scene_hit {
	struct surface *surface; /* NULL: no surface takes input at the point */
	struct coord_surface at; /* in that surface */
	void *data; /* `data` of the nearest ancestor, inclusive; NULL if none */
};

struct scene_hit scene_at(struct scene *scene, struct coord_global at);
/**
 * Converts the point to the surface's coordinates, also outside of it. Returns false if the surface
 * is not visible.
 */
bool scene_to_surface(
	const struct surface *surface, struct coord_global at, struct coord_surface *out);

/**
 * Returns whether structure or geometry changed since the last scene_update(): the next one will
 * emit `updated`.
 */
bool scene_is_dirty(const struct scene *scene);
/** Rebuilds dirty lists and turns surface damage into output damage. */
void scene_update(struct scene *scene);
