/* The stack: which window lies above which. */

#include "internal.h"
#include "util/signal.h"

bool window_is_ancestor(const struct window *ancestor, const struct window *window)
{
	while (window && window != ancestor) {
		window = window->parent;
	}
	return window != NULL;
}

/* The window of the family that everything else in it lies above. */
static struct window *root_of(struct window *window)
{
	while (window->parent && window->parent->mapped &&
		window->parent->workspace == window->workspace) {
		window = window->parent;
	}
	return window;
}

/* Transients follow their parent, those used last on top. */
static void raise_family(struct window *window)
{
	scene_node_raise_to_top(&window->tree->node);
	struct window *child;
	wl_list_for_each_reverse (child, &window->shell->windows, link) {
		if (child->parent == window && child->workspace == window->workspace) {
			raise_family(child);
		}
	}
}

void window_raise(struct window *window)
{
	if (window->mapped) {
		raise_family(root_of(window));
	}
}

/* A window that has the focus, or something of whose family has. */
static bool family_focused(const struct window *window)
{
	const struct window *focus = window->shell->focus;
	return focus && (window_is_ancestor(window, focus) || window_is_ancestor(focus, window));
}

/* Does the fullscreen window cover the panels? */
static bool covers(const struct window *window)
{
	const struct window *focus = window->shell->focus;
	return !focus || family_focused(window) || window_output(focus) != window_output(window);
}

static struct scene_tree *tree_for(const struct window *window)
{
	for (const struct window *up = window; up; up = up->parent) {
		if (up->mapped && (up->states & WINDOW_FULLSCREEN) &&
			up->workspace == window->workspace && covers(up)) {
			return window->workspace->fullscreen_tree;
		}
	}
	return window->workspace->tree;
}

/* True if it changed trees. */
static bool restack(struct window *window)
{
	struct scene_tree *tree = tree_for(window);
	if (window->tree->node.parent == tree) {
		return false;
	}
	scene_node_reparent(&window->tree->node, tree);
	return true;
}

void window_restack(struct window *window)
{
	if (!window->mapped) {
		return;
	}
	bool moved = restack(window);
	struct window *child;
	wl_list_for_each (child, &window->shell->windows, link) {
		if (child->parent && window_is_ancestor(window, child) &&
			child->workspace == window->workspace) {
			moved = restack(child) || moved;
		}
	}
	if (moved) {
		window_raise(window);
	}
}

void stack_update(struct shell *shell)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->states & WINDOW_FULLSCREEN) {
			window_restack(window);
		}
	}
	if (shell->focus) {
		window_raise(shell->focus);
	}
}

void window_set_parent(struct window *window, struct window *parent)
{
	if (window->parent == parent) {
		return;
	}
	window->parent = parent;
	if (window->mapped && parent && parent->mapped) {
		window_set_workspace(window, parent->workspace);
		window_restack(window);
		window_raise(parent);
	}
	signal_emit(&window->events.parent, window);
}
