/* SPDX-License-Identifier: MIT */
/* Families of windows: parents and their transients. */

#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "tiling.h"
#include "windows.h"
#include "workspaces.h"

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
	/* A window that moves within its family is counted twice, which only overestimates. */
	return levels <= WINDOW_LEVELS_MAX &&
	       top->private->n_below + window->private->n_below + 2 <= WINDOW_FAMILY_MAX;
}

static void count_below(struct window *parent, int n)
{
	for (; parent; parent = parent->parent) {
		parent->private->n_below += n;
	}
}

static void link_parent(struct window *window, struct window *parent)
{
	count_below(window->parent, -(window->private->n_below + 1));
	wl_list_remove(&window->sibling_link);
	wl_list_init(&window->sibling_link);
	window->parent = parent;
	if (!parent) {
		return;
	}
	count_below(parent, window->private->n_below + 1);
	struct wl_list *at = &parent->children;
	const struct window *sibling;
	wl_list_for_each (sibling, &parent->children, sibling_link) {
		if (sibling->private->used < window->private->used) {
			break;
		}
		at = at->next;
	}
	wl_list_insert(at, &window->sibling_link);
}

/* Returns true if the parent must be raised. */
static bool join(struct window *window, struct window *parent)
{
	bool both = window->mapped && parent && parent->mapped;
	link_parent(window, parent);
	if (both) {
		window_set_workspace(window, parent->workspace);
		window_restack(window);
	}
	tiling_update(window);
	signal_emit(&window->events.parent, window);
	focus_modal(window);
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
