/* SPDX-License-Identifier: MIT */
/* Workspaces: sets of windows, one of which is visible. */

#include "internal.h"
#include "util/xalloc.h"
#include <stdlib.h>

void workspaces_init(struct shell *shell, int n)
{
	workspaces_resize(shell, n);
}

static void destroy(struct workspace *workspace)
{
	scene_node_destroy(&workspace->tree->node);
	scene_node_destroy(&workspace->fullscreen_tree->node);
}

/* Reallocates the array; windows of removed workspaces join the last one. */
void workspaces_resize(struct shell *shell, int n)
{
	if (n < 1) {
		n = 1;
	}
	struct workspace *old = shell->workspaces;
	const int old_n = shell->n_workspaces;
	struct workspace *workspaces = xcalloc((size_t)n, sizeof(*workspaces));
	for (int i = 0; i < n; i++) {
		struct workspace *workspace = &workspaces[i];
		if (i < old_n) {
			*workspace = old[i];
			continue;
		}
		workspace->index = i;
		workspace->tree = scene_tree_create(shell->layers[SHELL_WINDOWS]);
		workspace->fullscreen_tree = scene_tree_create(shell->layers[SHELL_FULLSCREEN]);
		scene_node_set_enabled(&workspace->tree->node, i == shell->active_workspace);
		scene_node_set_enabled(
			&workspace->fullscreen_tree->node, i == shell->active_workspace);
	}
	shell->workspaces = workspaces;
	shell->n_workspaces = n;

	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		int index = window->workspace->index;
		window->workspace = &workspaces[index < n ? index : n - 1];
		window_restack(window);
	}
	if (shell->active_workspace >= n) {
		shell_switch_workspace(shell, n - 1);
	}
	for (int i = n; i < old_n; i++) {
		destroy(&old[i]);
	}
	free(old);
}

void workspaces_finish(struct shell *shell)
{
	for (int i = 0; i < shell->n_workspaces; i++) {
		destroy(&shell->workspaces[i]);
	}
	free(shell->workspaces);
}

void window_set_workspace(struct window *window, struct workspace *workspace)
{
	if (window->workspace == workspace) {
		return;
	}
	window->workspace = workspace;
	if (!workspace) {
		scene_node_reparent(&window->tree->node, window->shell->layers[SHELL_WINDOWS]);
		return;
	}
	window_restack(window);
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		if (child->mapped) {
			window_set_workspace(child, workspace);
		}
	}
}

static void show(struct workspace *workspace, bool shown)
{
	scene_node_set_enabled(&workspace->tree->node, shown);
	scene_node_set_enabled(&workspace->fullscreen_tree->node, shown);
}

void shell_switch_workspace(struct shell *shell, int index)
{
	if (index < 0 || index >= shell->n_workspaces || index == shell->active_workspace) {
		return;
	}
	grab_cancel(shell);
	if (shell->active_workspace < shell->n_workspaces) {
		show(&shell->workspaces[shell->active_workspace], false);
	}
	shell->active_workspace = index;
	show(&shell->workspaces[index], true);
	shell_refocus(shell);
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		window_update(window);
	}
}

void shell_move_to_workspace(struct shell *shell, struct window *window, int index)
{
	if (index < 0 || index >= shell->n_workspaces || !window->mapped) {
		return;
	}
	/* A transient moves with its family. */
	while (window->parent && window->parent->mapped) {
		window = window->parent;
	}
	window_set_workspace(window, &shell->workspaces[index]);
	window_raise(window);
	if (shell->focus && !window_shown(shell->focus)) {
		shell_refocus(shell);
	}
	struct window *other;
	wl_list_for_each (other, &shell->windows, link) {
		window_update(other);
	}
}
