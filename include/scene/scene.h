#pragma once

/**
 * The scene: a tree of nodes in the global space, drawn back to front in child order.
 *
 * For each output the scene keeps a flat list of what shows there (struct scene_entry), in the
 * output's own pixels, top first, with what each entry really shows after occlusion. Changes of
 * structure or geometry only mark outputs; the list is rebuilt by scene_update() before a frame,
 * and what differs from the old list becomes damage. Changes of content alone never rebuild it.
 */

#include "scene/output.h"
#include "surface/surface.h"
#include "util/box.h"
#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

enum scene_node_type {
	SCENE_TREE,
	SCENE_SURFACE,
	SCENE_RECT,
	SCENE_IMAGE,
};

struct scene_tree;

struct scene_node {
	enum scene_node_type type;
	struct scene *scene;
	struct scene_tree *parent; /* NULL for the root */
	struct wl_list link; /* scene_tree.children, bottom first */
	bool enabled;
	int x, y; /* logical pixels, relative to the parent */
	/** For whoever made it; hit tests look upward for the nearest one that has it. */
	void *data;
	/** scene_output.index -> index in its entries, -1 where it cannot be seen. */
	int32_t entry_index[SCENE_MAX_OUTPUTS];
	/** Its look changed as a whole: all of it is damage at the next scene_update(). */
	bool changed;
	struct {
		struct wl_signal destroy;
	} events;
};

struct scene_tree {
	struct scene_node node;
	struct wl_list children; /* scene_node.link */
	/** The surface it was made for by scene_surface_tree_create(); NULL for others. */
	struct scene_surface *content;
};

/** One surface with its subsurfaces around it, which come and go by themselves. */
struct scene_surface {
	struct scene_node node; /* of the surface's own pixels; its parent is a tree made for it */
	struct surface *surface;
	struct subsurface *subsurface; /* whose place in the parent it follows; NULL for a root */
	/** Damage since the last scene_update(), buffer pixels; link is empty when there is none.
	 */
	pixman_region32_t damage;
	struct wl_list damage_link; /* scene.damaged */
	/**
	 * Its client waits for a frame: callbacks, feedback or a barrier (surface.h). Link is empty when
	 * it does not.
	 */
	struct wl_list waiting_link; /* scene_output.waiting of the primary one, or scene.hidden */
	/** An update has applied since the last frame that showed it. Link is empty when none has. */
	struct wl_list unshown_link; /* scene_output.unshown of the primary one, or scene.unshown */
	/** Its current buffer is a GPU's (buffer.home). Link is empty when it is not. */
	struct wl_list homed_link; /* scene.homed */
	/**
	 * Index of the output that shows most of it, by area, among those that are awake: its client
	 * goes by the frames of that one. -1: it can be seen nowhere.
	 */
	int primary_output;
	/** Geometry and opacity as the lists know them: a commit that keeps them rebuilds nothing.
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
	/** frame/'s: which plane shows it, or could if its buffers were made for that. */
	struct scene_candidate {
		bool told; /* by events.candidate: it is one */
		int output, plane; /* scene_output.index, index in output.planes */
		int64_t since, seen; /* ns; 0: it is none */
	} candidate;
	struct wl_listener applied, map, unmap, destroy, new_subsurface, subsurface_destroy;
	struct addon addon; /* on the surface */
};

struct scene_rect {
	struct scene_node node;
	int width, height; /* logical */
	float color[4]; /* premultiplied RGBA */
};

/** A picture of the compositor's own: a cursor image. */
struct scene_image {
	struct scene_node node;
	struct buffer *buffer; /* locked; NULL: shows nothing */
	int width, height; /* logical */
	enum wl_output_transform transform;
};

struct scene {
	struct scene_tree root;
	/** Above everything, not hit by tests, and left out of captures that ask so. */
	struct scene_tree cursor;
	struct scene_output *outputs[SCENE_MAX_OUTPUTS];
	bool dirty; /* an output's list must be rebuilt */
	bool cursor_dirty; /* or just the cursors in it */
	/** Where the pointer is, global: what a cursor's picture points to. */
	struct coord_global pointer;
	struct wl_list damaged; /* scene_surface.damage_link */
	struct wl_list hidden; /* scene_surface.waiting_link of what can be seen nowhere */
	struct wl_list unshown; /* scene_surface.unshown_link of the same */
	struct wl_list homed; /* scene_surface.homed_link */
	float background[4]; /* premultiplied, opaque */
	struct {
		struct wl_signal output_added; /* struct scene_output */
		struct wl_signal output_removed; /* struct scene_output; still valid */
		struct wl_signal layout_changed; /* boxes or scales of outputs changed */
		struct wl_signal updated; /* what lies where changed: focus may have to follow */
		struct wl_signal
			candidate; /* struct scene_surface: its candidate is another, or none */
		/** struct scene_surface: it was put on the list of that name; NULL: one left it. */
		struct wl_signal hidden;
	} events;
};

struct scene *scene_create(void);
/** All nodes but root and cursor must be gone, and all outputs. */
void scene_destroy(struct scene *scene);

struct scene_tree *scene_tree_create(struct scene_tree *parent);
/**
 * A tree that shows the surface and its subsurfaces. The node belongs to the surface's life: it is
 * destroyed with the surface. Shows while the surface is mapped.
 */
struct scene_tree *scene_surface_tree_create(struct scene_tree *parent, struct surface *surface);
struct scene_rect *scene_rect_create(
	struct scene_tree *parent, int width, int height, const float color[static 4]);
void scene_rect_set_size(struct scene_rect *rect, int width, int height);
void scene_rect_set_color(struct scene_rect *rect, const float color[static 4]);
struct scene_image *scene_image_create(struct scene_tree *parent, struct buffer *buffer);
/** Locks it; the whole image is damaged. width and height are logical. */
void scene_image_set(struct scene_image *image, struct buffer *buffer, int width, int height);

void scene_node_destroy(struct scene_node *node);
void scene_node_set_position(struct scene_node *node, int x, int y);
void scene_node_set_enabled(struct scene_node *node, bool enabled);
void scene_node_raise_to_top(struct scene_node *node);
void scene_node_lower_to_bottom(struct scene_node *node);
void scene_node_place_above(struct scene_node *node, struct scene_node *sibling);
void scene_node_place_below(struct scene_node *node, struct scene_node *sibling);
void scene_node_reparent(struct scene_node *node, struct scene_tree *parent);
/** Global position; false if it or a parent is disabled. */
bool scene_node_coords(const struct scene_node *node, int *x, int *y);
struct scene_tree *scene_tree_from_node(struct scene_node *node);
struct scene_surface *scene_surface_from_node(struct scene_node *node);
/** The scene_surface that shows this surface (one scene per surface), or NULL. */
struct scene_surface *scene_surface_find(const struct surface *surface);
/** The plane that it is told to be a candidate for, and the output that has it; NULL: none. */
const struct plane *scene_surface_candidate(
	const struct scene_surface *content, const struct output **output);

/** Pixels of its buffer look different although its state is the same: a copy of them has come. */
void scene_surface_damage(struct scene_surface *surface, const pixman_region32_t *damage);

/** What is hit at a point. */
struct scene_hit {
	struct surface *surface; /* NULL: nothing that takes input */
	struct coord_surface at; /* in that surface */
	void *data; /* nearest node data upward from it, NULL if none */
};

struct scene_hit scene_at(struct scene *scene, struct coord_global at);
/** The point in the surface's coordinates, wherever the pointer is; false if it is not shown. */
bool scene_to_surface(
	const struct surface *surface, struct coord_global at, struct coord_surface *out);

/** Something lies or looks elsewhere since the last scene_update(), which `updated` will tell. */
bool scene_is_dirty(const struct scene *scene);
/** Rebuilds the lists that changed and turns content damage into output damage. */
void scene_update(struct scene *scene);
