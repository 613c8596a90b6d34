/* SPDX-License-Identifier: MIT */
/* Stacking order of windows and their families. */

#include "shell/stack.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "windows.h"

/* Returns the parent that the window stays above, or NULL. */
static struct window *base_of(const struct window *window)
{
	struct window *parent = window->parent;
	return parent && parent->mapped && parent->workspace == window->workspace ? parent : NULL;
}

/* Returns the root of a window's family: the ancestor below all others. */
static struct window *root_of(struct window *window)
{
	for (struct window *parent = window; parent; parent = base_of(parent)) {
		window = parent;
	}
	return window;
}

/* Raises a window and then its transients, most recently used on top. */
static void raise_family(struct window *window)
{
	scene_node_raise_to_top(&window->tree->node);
	struct window *child;
	wl_list_for_each_reverse (child, &window->children, sibling_link) {
		if (child->mapped && child->workspace == window->workspace) {
			raise_family(child);
		}
	}
}

bool stack_covers(const struct window *window)
{
	return (window->states & WINDOW_FULLSCREEN) ||
	       (window->private->tiled && (window->states & WINDOW_MAXIMIZED));
}

/* Returns true if the window lies on the output of its workspace, which shows the tiles. */
static bool is_at_home(const struct window *window)
{
	const struct scene_output *home = window->workspace->output;
	if (!home || !(window->states & WINDOW_FULLSCREEN)) {
		return true;
	}
	struct box box = window_fullscreen_box(window, window_output(window));
	const struct box own = scene_output_box(home);
	return box_intersect(&box, &box, &own);
}

struct window *stack_cover(const struct window *window)
{
	struct window *other;
	if (!window->private->tiled || stack_covers(window)) {
		return NULL;
	}
	wl_list_for_each (other, &window->shell->windows, link) {
		if (other->workspace == window->workspace && !other->minimized &&
			!other->private->no_focus && stack_covers(other) && is_at_home(other)) {
			return other;
		}
	}
	return NULL;
}

/* Raises the window that covers a tile above it again. */
static void raise_cover(const struct window *tile)
{
	struct window *cover = stack_cover(tile);
	if (cover && cover->tree->node.parent == tile->tree->node.parent) {
		raise_family(root_of(cover));
	}
}

void window_raise(struct window *window)
{
	if (window->mapped) {
		/* A window may reach into another output, and be dragged across it. */
		scene_node_raise_to_top(&window->workspace->bottom_tree->node);
		scene_node_raise_to_top(&window->workspace->tree->node);
		scene_node_raise_to_top(&window->workspace->top_tree->node);
		raise_family(root_of(window));
		raise_cover(root_of(window));
	}
}

/* Returns whether a node is that of a window of a family. */
static bool is_of_family(const struct scene_node *node, const struct window *top)
{
	const struct window *window = window_from_data(node->data);
	return window && (window == top || window_is_ancestor(top, window));
}

/* Returns the topmost node of a family in the tree of its first window. */
static struct scene_node *top_of(const struct window *family)
{
	struct scene_node *node;
	wl_list_for_each_reverse (node, &family->tree->node.parent->children, link) {
		if (is_of_family(node, family)) {
			return node;
		}
	}
	return NULL;
}

/* Returns the node below all others of a family, without those of `skipped`; NULL: none. */
static struct scene_node *below(const struct window *family, const struct window *skipped)
{
	struct scene_node *node, *last = NULL;
	wl_list_for_each (node, &family->tree->node.parent->children, link) {
		if (is_of_family(node, family)) {
			break;
		}
		last = is_of_family(node, skipped) ? last : node;
	}
	return last;
}

/* Places a family above a node of its tree; NULL: at the bottom. Returns its topmost node. */
static struct scene_node *place_family(struct window *window, struct scene_node *above)
{
	struct scene_node *node = &window->tree->node;
	if (above && (above->parent != node->parent || above == node)) {
		return above;
	}
	if (above) {
		scene_node_place_above(node, above);
	} else {
		scene_node_lower_to_bottom(node);
	}
	struct window *child;
	wl_list_for_each_reverse (child, &window->children, sibling_link) {
		if (child->mapped && child->workspace == window->workspace) {
			node = place_family(child, node);
		}
	}
	return node;
}

/* Replaces two windows by their ancestors that have the same parent. Returns false without such. */
static bool find_level(struct window **a, struct window **b)
{
	for (struct window *up = *a; up; up = base_of(up)) {
		for (struct window *other = *b; other; other = base_of(other)) {
			if (up == other) {
				return false;
			}
			if (base_of(up) == base_of(other)) {
				*a = up;
				*b = other;
				return up->tree->node.parent == other->tree->node.parent;
			}
		}
	}
	return false;
}

void window_stack(struct window *window, struct window *sibling, bool above)
{
	const struct window *parent = base_of(window);
	if (!window->mapped || (sibling && !sibling->mapped)) {
		return;
	}
	if (!sibling && above) {
		window_raise(window);
	} else if (!sibling) {
		place_family(window, parent ? &parent->tree->node : NULL);
	} else if (find_level(&window, &sibling)) {
		place_family(window, above ? top_of(sibling) : below(sibling, window));
	}
	raise_cover(root_of(window));
}

/* Returns true if the window, an ancestor or a descendant has the focus. */
static bool family_focused(const struct window *window)
{
	const struct window *focus = window->shell->focus;
	return focus && (window_is_ancestor(window, focus) || window_is_ancestor(focus, window));
}

/* Returns true if the fullscreen window covers the panels. */
static bool covers(const struct window *window)
{
	const struct window *focus = window->shell->focus;
	const struct scene_output *other = focus ? window_output(focus) : NULL;
	const struct scene_output *output = window_output(window);
	if (!focus || family_focused(window) || !other || !output) {
		return true;
	}
	const struct box own = window_fullscreen_box(window, output);
	struct box box = scene_output_box(other);
	return !box_intersect(&box, &box, &own);
}

/* Returns the tree of a window that covers no panels. */
static struct scene_tree *base_tree(const struct window *window)
{
	const struct window *top = window;
	while (!top->private->drag.active && top->parent && top->parent->mapped &&
		top->parent->workspace == window->workspace) {
		top = top->parent;
	}
	return top->on_top || top->private->drag.active ? window->workspace->top_tree
	       : window->private->tiled                 ? window->workspace->tiled_tree
	       : top->private->on_bottom                ? window->workspace->bottom_tree
							: window->workspace->tree;
}

static struct scene_tree *tree_for(const struct window *window)
{
	for (const struct window *up = window; up; up = up->parent) {
		if (up->mapped && (up->states & WINDOW_FULLSCREEN) &&
			up->workspace == window->workspace && covers(up)) {
			return window->workspace->fullscreen_tree;
		}
	}
	return base_tree(window);
}

/* Returns true if the window was in another tree. */
static bool move_to(struct window *window, struct scene_tree *tree)
{
	if (window->tree->node.parent == tree) {
		return false;
	}
	scene_node_reparent(&window->tree->node, tree);
	return true;
}

/* Moves a window to its tree. Returns true if the tree changed. */
static bool restack(struct window *window)
{
	return move_to(window, tree_for(window));
}

/* Moves the descendants to their trees. Returns true if one of them changed trees. */
static bool restack_below(const struct window *window, const struct workspace *workspace)
{
	bool moved = false;
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		if (child->mapped && child->workspace == workspace) {
			moved = restack(child) || moved;
		}
		moved = restack_below(child, workspace) || moved;
	}
	return moved;
}

void window_restack(struct window *window)
{
	if (!window->mapped) {
		return;
	}
	bool moved = restack(window);
	moved = restack_below(window, window->workspace) || moved;
	if (moved) {
		window_raise(window);
	}
}

/* A fullscreen window that covers the panels, among the ancestors of a window to be restacked. */
struct cover {
	const struct workspace *workspace;
	const struct cover *above;
};

static bool is_covered(const struct cover *cover, const struct workspace *workspace)
{
	while (cover && cover->workspace != workspace) {
		cover = cover->above;
	}
	return cover != NULL;
}

/*
 * Moves a window and its descendants to their trees, and raises the families that changed. Visits
 * each window once. Returns true if a window of the family that `window` shares with its parent
 * has moved.
 */
static bool restack_family(struct window *window, const struct cover *above)
{
	struct cover here = {.workspace = window->workspace, .above = above};
	const struct cover *covers_here = above;
	bool moved = false;
	if (window->mapped && (window->states & WINDOW_FULLSCREEN) && covers(window)) {
		covers_here = &here;
	}
	if (window->mapped) {
		struct workspace *workspace = window->workspace;
		moved = move_to(window, is_covered(covers_here, workspace)
						? workspace->fullscreen_tree
						: base_tree(window));
	}
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		moved = restack_family(child, covers_here) || moved;
	}
	if (moved && window->mapped && root_of(window) == window) {
		raise_family(window);
		return false;
	}
	return moved;
}

static bool has_mapped_ancestor(const struct window *window)
{
	const struct window *ancestor = window->parent;
	while (ancestor && !ancestor->mapped) {
		ancestor = ancestor->parent;
	}
	return ancestor;
}

/* At most one of them is true. */
static void set_level(struct window *window, bool on_top, bool on_bottom)
{
	if (window->on_top != on_top || window->private->on_bottom != on_bottom) {
		window->on_top = on_top;
		window->private->on_bottom = on_bottom;
		if (window->mapped) {
			window_restack(window);
			window_raise(window);
			signal_emit(&window->events.states, window);
		}
	}
}

void window_set_on_top(struct window *window, bool on_top)
{
	set_level(window, on_top, window->private->on_bottom && !on_top);
}

void window_set_on_bottom(struct window *window, bool on_bottom)
{
	set_level(window, window->on_top && !on_bottom, on_bottom);
}

void stack_update(struct shell *shell)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		/* A parent may have content that is not applied yet: then it is not in the list. */
		if (!has_mapped_ancestor(window)) {
			restack_family(window, NULL);
		}
	}
	if (shell->focus) {
		window_raise(shell->focus);
	}
}

void window_used_last(struct window *window)
{
	struct shell *shell = window->shell;
	wl_list_remove(&window->link);
	wl_list_insert(&shell->windows, &window->link);
	window->private->used = ++shell->private->last_used;
	if (window->parent) {
		wl_list_remove(&window->sibling_link);
		wl_list_insert(&window->parent->children, &window->sibling_link);
	}
}

void window_used_first(struct window *window)
{
	struct shell *shell = window->shell;
	wl_list_remove(&window->link);
	wl_list_insert(shell->windows.prev, &window->link);
	window->private->used = --shell->private->first_used;
	if (window->parent) {
		wl_list_remove(&window->sibling_link);
		wl_list_insert(window->parent->children.prev, &window->sibling_link);
	}
}
