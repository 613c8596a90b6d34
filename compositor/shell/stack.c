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
	wl_list_for_each_reverse (child, &window->children, sibling_link) {
		if (child->mapped && child->workspace == window->workspace) {
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

/* True if any of them changed trees. */
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

/* Families */

void window_used_last(struct window *window)
{
	struct shell *shell = window->shell;
	wl_list_remove(&window->link);
	wl_list_insert(&shell->windows, &window->link);
	window->used = ++shell->last_used;
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
	window->used = --shell->first_used;
	if (window->parent) {
		wl_list_remove(&window->sibling_link);
		wl_list_insert(window->parent->children.prev, &window->sibling_link);
	}
}

static int levels_of(const struct window *window)
{
	int most = 0;
	const struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		int levels = levels_of(child);
		most = levels > most ? levels : most;
	}
	return most + 1;
}

bool window_family_has_room(const struct window *window, const struct window *parent)
{
	int levels = levels_of(window);
	const struct window *top = parent;
	for (const struct window *up = parent; up; up = up->parent) {
		levels++;
		top = up;
	}
	/* One that moves within its family is counted twice, which is an error on the safe side. */
	return levels <= WINDOW_LEVELS_MAX &&
	       top->n_below + window->n_below + 2 <= WINDOW_FAMILY_MAX;
}

static void count_below(struct window *parent, int n)
{
	for (; parent; parent = parent->parent) {
		parent->n_below += n;
	}
}

static void link_parent(struct window *window, struct window *parent)
{
	count_below(window->parent, -(window->n_below + 1));
	wl_list_remove(&window->sibling_link);
	wl_list_init(&window->sibling_link);
	window->parent = parent;
	if (!parent) {
		return;
	}
	count_below(parent, window->n_below + 1);
	struct wl_list *at = &parent->children;
	const struct window *sibling;
	wl_list_for_each (sibling, &parent->children, sibling_link) {
		if (sibling->used < window->used) {
			break;
		}
		at = at->next;
	}
	wl_list_insert(at, &window->sibling_link);
}

/* True if the parent is to be raised. */
static bool join(struct window *window, struct window *parent)
{
	bool both = window->mapped && parent && parent->mapped;
	link_parent(window, parent);
	if (both) {
		window_set_workspace(window, parent->workspace);
		window_restack(window);
	}
	signal_emit(&window->events.parent, window);
	return both;
}

void window_set_parent(struct window *window, struct window *parent)
{
	if (window->parent != parent && join(window, parent)) {
		window_raise(parent);
	}
}

void window_hand_on_children(struct window *window)
{
	struct window *parent = window->parent;
	bool raise = false;
	while (!wl_list_empty(&window->children)) {
		struct window *child = wl_container_of(window->children.next, child, sibling_link);
		raise = join(child, parent) || raise;
	}
	if (raise) {
		window_raise(parent);
	}
}
