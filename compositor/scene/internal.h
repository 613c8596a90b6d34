/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions shared by the files of scene/. */

#include "scene/scene.h"

/**
 * Maximum number of rectangles of damage; more are merged into fewer, larger ones, to bound the
 * cost of each entry.
 */
#define SCENE_DAMAGE_MAX 256

/**
 * opaque.c: computes the pixels of the entry of a surface that are opaque, and stay so if the
 * output magnifies them. `transform` is that of the view.
 */
void scene_opaque_pixels(const struct scene_surface *content, const struct scene_entry *entry,
	enum wl_output_transform transform, bool magnified, pixman_region32_t *out);

void scene_node_init(struct scene_node *node, enum scene_node_type type, struct scene_tree *parent);
/** Emits destroy, and removes the node from the lists of all outputs and from the tree. */
void scene_node_finish(struct scene_node *node);
/** Damages the node's entries and removes the pointers to it. */
void scene_node_forget_entries(struct scene_node *node);
/** view.c: moves the origin of the view to that of the tree, if the tree is snapped. */
void scene_tree_snap_view(const struct scene_tree *tree, struct scene_view *view, int x, int y);
/** entry.c: returns whether the entry has at least as many pixels as its source, on both axes. */
bool scene_entry_enlarges(const struct scene_entry *entry);
/** Marks the lists of all outputs as outdated. */
void scene_mark_dirty(struct scene *scene);

/**
 * surface_tree.c: changes the primary output and the one that paces the surface, and moves the
 * surface to their lists.
 */
void scene_surface_set_primary(struct scene_surface *content, int index, int pace);

/**
 * preview.c: computes the box of a preview and of its clip, logical global. Returns false if
 * hidden.
 */
bool scene_preview_boxes(
	const struct scene_preview *preview, int x, int y, struct box *box, struct box *clip);
/** preview.c: detaches all previews of a surface that is destroyed. */
void scene_previews_forget(struct scene_surface *content);

/** list.c: builds the list of an output; output.n_entries must be 0. */
void scene_list_output(struct scene_output *output);
/** list.c: lists the cursors of an output into output.spare; output.n_spare must be 0. */
void scene_list_cursors(struct scene_output *output);
/** entry.c */
/** Sets the source and transform of an entry; its dst must be set before. */
void scene_entry_set_source(
	struct scene_entry *entry, const struct fbox *src, enum wl_output_transform transform);
void scene_entry_finish(struct scene_entry *entry);
/** Adds a region, simplified, to damage. */
void scene_damage_add(pixman_region32_t *damage, const pixman_region32_t *region);
/**
 * Damages a region that the entry covers or covered. A hole in the composed buffer must follow an
 * underlay's region; other planes leave the composed buffer alone.
 */
void scene_damage_entry(struct scene_output *output, const struct scene_entry *entry,
	const pixman_region32_t *region);
/**
 * primary.c: finds the primary output and preferred scale of each surface of a tree. `rebuilt`: the
 * lists are up to date, so clear scene_node.changed.
 */
void scene_place_surfaces(struct scene_tree *tree, bool rebuilt);
