#pragma once

/** What the files of scene/ share. */

#include "scene/scene.h"

void scene_node_init(struct scene_node *node, enum scene_node_type type, struct scene_tree *parent);
/** Emits destroy, leaves the lists of all outputs and the tree. */
void scene_node_finish(struct scene_node *node);
void scene_tree_init(struct scene_tree *tree, struct scene_tree *parent);
void scene_tree_destroy_children(struct scene_tree *tree);
/** All outputs' lists are out of date. */
void scene_mark_dirty(struct scene *scene);

/** surface_tree.c */
void scene_surface_tree_destroy(struct scene_tree *tree);

/** surface_tree.c: its primary output is another now; what waits goes along. */
void scene_surface_set_primary(struct scene_surface *content, int index);

/** list.c: makes the list of an output anew; output.n_entries must be 0. */
void scene_list_output(struct scene_output *output);
/** list.c: lists the cursors of an output into output.spare; output.n_spare must be 0. */
void scene_list_cursors(struct scene_output *output);
/** entry.c */
/** What of its content an entry shows, once its dst is known. */
void scene_entry_set_source(
	struct scene_entry *entry, const struct fbox *src, enum wl_output_transform transform);
void scene_entry_finish(struct scene_entry *entry);
/** damage.c: a region of what the entry shows or showed changed. */
void scene_damage_entry(struct scene_output *output, const struct scene_entry *entry,
	const pixman_region32_t *region);
/** damage.c: what a surface damaged, on all outputs that show it: they need a frame. */
void scene_surface_damaged(struct scene_surface *surface);
/** damage.c: finds the primary outputs of all surfaces anew. */
void scene_place_surfaces(struct scene *scene);
