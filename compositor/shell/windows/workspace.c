/* SPDX-License-Identifier: MIT */
/*
 * Workspaces: named sets of windows. Each output shows one of its workspaces; hidden workspaces
 * without windows are destroyed.
 */

#include "motion.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/geometry/screen_key.h"
#include "tiling.h"
#include "util/xalloc.h"
#include "windows.h"
#include "workspaces.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int workspace_number(const char *name)
{
	size_t length = strlen(name);
	if (length < 1 || length > 2 || strspn(name, "0123456789") != length || *name == '0') {
		return 0;
	}
	return (int)strtol(name, NULL, 10);
}

static void changed(struct shell *shell)
{
	signal_emit(&shell->events.workspaces, NULL);
}

/* Returns the place of a workspace in the list: numbers in order, then names by age. */
static struct wl_list *place_of(struct shell *shell, int number)
{
	struct workspace *other;
	if (number > 0) {
		wl_list_for_each (other, &shell->workspaces, link) {
			if (other->number == 0 || other->number > number) {
				return other->link.prev;
			}
		}
	}
	return shell->workspaces.prev;
}

static void set_output(struct workspace *workspace, struct scene_output *output)
{
	workspace->output = output;
	scene_tree_set_output(workspace->tiled_tree, output);
}

static struct workspace *create(struct shell *shell, const char *name, struct scene_output *output)
{
	struct workspace *workspace = xcalloc(1, sizeof(*workspace));
	workspace->shell = shell;
	workspace->name = xstrdup(name);
	workspace->number = workspace_number(name);
	workspace->split = (struct edge_split){0.5, 0.5};
	workspace->columns = xcalloc(1, sizeof(*workspace->columns));
	workspace->layout = workspace->configured_layout = config_layout_find(shell->config, name);
	workspace->tiled_tree = scene_tree_create(shell->private->tiled_layer);
	workspace->bottom_tree = scene_tree_create(shell->private->bottom_layer);
	workspace->tree = scene_tree_create(shell->private->floating_layer);
	workspace->top_tree = scene_tree_create(shell->private->top_layer);
	workspace->fullscreen_tree = scene_tree_create(shell->layers[SHELL_FULLSCREEN]);
	workspace_set_shown(workspace, false);
	set_output(workspace, output);
	wl_signal_init(&workspace->events.destroy);
	wl_list_insert(place_of(shell, workspace->number), &workspace->link);
	shell->private->n_workspaces++;
	signal_emit(&shell->events.new_workspace, workspace);
	return workspace;
}

static void destroy(struct workspace *workspace)
{
	motion_end(workspace->motion);
	signal_emit(&workspace->events.destroy, workspace);
	workspace->shell->private->n_workspaces--;
	wl_list_remove(&workspace->link);
	scene_node_destroy(&workspace->tiled_tree->node);
	scene_node_destroy(&workspace->bottom_tree->node);
	scene_node_destroy(&workspace->tree->node);
	scene_node_destroy(&workspace->top_tree->node);
	scene_node_destroy(&workspace->fullscreen_tree->node);
	columns_finish(workspace->columns);
	free(workspace->columns);
	free(workspace->name);
	free(workspace->home);
	free(workspace);
}

void workspaces_init(struct shell *shell)
{
	wl_list_init(&shell->workspaces);
	struct workspace *first = create(shell, "1", NULL);
	workspace_set_shown(first, true);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			workspaces_add_output(shell, shell->scene->outputs[i]);
		}
	}
}

void workspaces_finish(struct shell *shell)
{
	struct workspace *workspace, *next;
	wl_list_for_each_safe (workspace, next, &shell->workspaces, link) {
		destroy(workspace);
	}
	free(shell->private->previous_workspace);
}

void workspaces_prune(struct shell *shell)
{
	struct workspace *workspace, *next;
	bool any = false;
	wl_list_for_each_safe (workspace, next, &shell->workspaces, link) {
		if (!workspace->shown && workspace->n_windows == 0) {
			destroy(workspace);
			any = true;
		}
	}
	if (any) {
		changed(shell);
	}
}

struct workspace *shell_find_workspace(struct shell *shell, const char *name)
{
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (strcmp(workspace->name, name) == 0) {
			return workspace;
		}
	}
	return NULL;
}

/* Returns the output for a new workspace: the configured one, else the active one. */
static struct scene_output *output_for(struct shell *shell, const char *name)
{
	const struct config_workspace *rule = config_workspace_find(shell->config, name);
	struct scene_output *output =
		rule && rule->output ? scene_output_find_name(shell->scene, rule->output) : NULL;
	return output ? output : shell_active_output(shell);
}

bool workspace_is_possible(struct shell *shell, const char *name)
{
	return shell_find_workspace(shell, name) ||
	       (*name != '\0' && strlen(name) <= WORKSPACE_NAME_MAX &&
		       shell->private->n_workspaces < WORKSPACES_MAX &&
		       workspace_number(name) <= shell->config->look.workspaces);
}

struct workspace *shell_get_workspace(struct shell *shell, const char *name)
{
	struct workspace *workspace = shell_find_workspace(shell, name);
	if (workspace || !workspace_is_possible(shell, name)) {
		return workspace;
	}
	return create(shell, name, output_for(shell, name));
}

/* Moves sticky windows to the workspace that their output shows now. */
static void carry_sticky(struct workspace *from, struct workspace *to)
{
	struct window *window;
	wl_list_for_each (window, &to->shell->windows, link) {
		if (window->sticky && window->workspace == from) {
			window_set_workspace(window, to);
			window_stay(window);
		}
	}
}

static void update_windows(struct shell *shell)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		window_update(window);
	}
}

/* Updates focus, windows and observers after a change of several workspaces. */
static void settle(struct shell *shell)
{
	if (shell->focus && !window_shown(shell->focus)) {
		shell_refocus(shell);
	}
	update_windows(shell);
	changed(shell);
	workspaces_prune(shell);
}

static void remember_previous(struct shell *shell, const struct workspace *workspace)
{
	const struct workspace *now = shell_workspace(shell);
	if (now != workspace) {
		free(shell->private->previous_workspace);
		shell->private->previous_workspace = xstrdup(now->name);
	}
}

/* Shows a workspace, without a change of focus. */
static void workspace_show(struct workspace *workspace)
{
	struct shell *shell = workspace->shell;
	struct workspace *old = workspace_on(shell, workspace->output);
	remember_previous(shell, workspace);
	if (workspace->output) {
		shell->private->output = workspace->output;
	}
	if (old == workspace) {
		return;
	}
	signal_emit(&shell->events.interrupt, NULL);
	if (old) {
		workspace_slide(old, workspace);
		carry_sticky(old, workspace);
	} else {
		workspace_set_shown(workspace, true);
	}
}

void shell_show_workspace(struct shell *shell, struct workspace *workspace)
{
	if (workspace == shell_workspace(shell)) {
		return;
	}
	workspace_show(workspace);
	shell_refocus(shell);
	update_windows(shell);
	changed(shell);
	workspaces_prune(shell);
}

bool shell_switch_workspace(struct shell *shell, const char *name)
{
	struct workspace *workspace = shell_get_workspace(shell, name);
	if (workspace) {
		shell_show_workspace(shell, workspace);
	}
	return workspace;
}

struct workspace *workspace_step(struct shell *shell, bool back)
{
	struct workspace *now = shell_workspace(shell);
	struct wl_list *at = &now->link;
	for (int i = 0; i < shell->private->n_workspaces + 1; i++) {
		at = back ? at->prev : at->next;
		if (at == &shell->workspaces) {
			continue;
		}
		struct workspace *workspace = wl_container_of(at, workspace, link);
		if (workspace->output == now->output) {
			return workspace;
		}
	}
	return now;
}

static void charge(struct workspace *workspace, int n)
{
	if (workspace) {
		workspace->n_windows += n;
	}
}

void window_set_workspace(struct window *window, struct workspace *workspace)
{
	if (window->workspace == workspace) {
		return;
	}
	struct workspace *before = window->workspace;
	charge(before, -1);
	charge(workspace, 1);
	window->workspace = workspace;
	tiling_update(window);
	if (before && (window->states & WINDOW_TILED)) {
		edge_tiles_update(before);
	}
	if (before && workspace && window_is_edge_tile(window)) {
		edge_tiles_update(workspace);
	}
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

/* Calls a function for the windows of a family that are on one workspace. */
static void for_family(struct window *window, void (*call)(struct window *window))
{
	call(window);
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		if (child->mapped && child->workspace == window->workspace) {
			for_family(child, call);
		}
	}
}

/* Moves the windows of a family from an output to that of their workspace. */
static void shift(struct window *window, const struct scene_output *from)
{
	const struct scene_output *to = window->workspace->output;
	if (from != to && from && to) {
		window->private->fullscreen_output = NULL;
		window_clear_span(window);
		for_family(window, home_move);
	}
}

void shell_move_to_workspace(
	struct shell *shell, struct window *window, struct workspace *workspace)
{
	if (!window->mapped) {
		return;
	}
	/* A transient moves with its family. */
	while (window->parent && window->parent->mapped) {
		window = window->parent;
	}
	struct scene_output *from = window->workspace->output;
	if (workspace->output != from) {
		for_family(window, home_keep); /* a new layout may give them another place */
	}
	window_set_workspace(window, workspace);
	shift(window, from);
	windows_arrange(shell);
	window_raise(window);
	settle(shell);
}

void window_follow_output(struct window *window)
{
	const struct workspace *workspace = window->workspace;
	if (workspace && (workspace->shown || window->private->drag.active)) {
		window_join_output(window, window_output(window));
	}
}

void window_join_output(struct window *window, struct scene_output *output)
{
	struct workspace *other = output ? workspace_on(window->shell, output) : NULL;
	if (other && other != window->workspace) {
		window_set_workspace(window, other);
		window_raise(window);
		if (window->shell->focus == window) {
			window->shell->private->output = output;
		}
		changed(window->shell);
	}
}

bool workspace_is_urgent(const struct workspace *workspace)
{
	const struct window *window;
	wl_list_for_each (window, &workspace->shell->windows, link) {
		if (window->urgent && window->workspace == workspace) {
			return true;
		}
	}
	return false;
}

/* Outputs */

/* Shows the last shown workspace of an output that shows none; creates one if it has none. */
static void fill(struct shell *shell, struct scene_output *output)
{
	struct workspace *workspace, *last = NULL;
	if (workspace_on(shell, output)) {
		return;
	}
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (workspace->output == output &&
			(!last || workspace->shown_last > last->shown_last)) {
			last = workspace;
		}
	}
	if (last) {
		workspace_set_shown(last, true);
		return;
	}
	char name[4] = "";
	for (int i = 1; i < 100; i++) {
		snprintf(name, sizeof(name), "%d", i);
		const struct config_workspace *rule = config_workspace_find(shell->config, name);
		if (!shell_find_workspace(shell, name) &&
			(!rule || !rule->output ||
				strcmp(rule->output, output->output->name) == 0)) {
			break;
		}
	}
	workspace_set_shown(create(shell, name, output), true);
}

/* Returns how well the new output fits the one that a workspace was moved from. */
static enum screen_fit best_fit(const struct shell *shell, const struct scene_output *output)
{
	const struct workspace *workspace;
	enum screen_fit best = SCREEN_OTHER;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		const enum screen_fit fit =
			workspace->home ? screen_key_fit(workspace->home, output->output)
					: SCREEN_OTHER;
		best = fit > best ? fit : best;
	}
	return best;
}

/*
 * Returns true if the workspace belongs on a new output. Those of equal screens differ by their
 * connectors.
 */
static bool belongs(
	const struct workspace *workspace, const struct scene_output *output, enum screen_fit best)
{
	if (!workspace->home) {
		return !workspace->output;
	}
	return best > SCREEN_OTHER && screen_key_fit(workspace->home, output->output) == best;
}

void workspaces_add_output(struct shell *shell, struct scene_output *output)
{
	struct workspace *workspace, *shown = NULL;
	const enum screen_fit best = best_fit(shell, output);
	wl_list_for_each (workspace, &shell->workspaces, link) {
		bool returns = belongs(workspace, output, best);
		if (!returns && workspace->output) {
			continue;
		}
		if (workspace->shown && (!shown || workspace->home_shown)) {
			shown = workspace;
		} else if (returns && workspace->home_shown) {
			shown = workspace;
		}
		set_output(workspace, output);
		workspace_set_shown(workspace, false);
		if (returns) {
			free(workspace->home);
			workspace->home = NULL;
			workspace->home_shown = false;
		}
	}
	if (shown) {
		workspace_set_shown(shown, true);
	}
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			fill(shell, shell->scene->outputs[i]);
		}
	}
	settle(shell);
}

void workspaces_remove_output(struct shell *shell, struct scene_output *output)
{
	struct scene_output *other = NULL;
	for (int i = 0; i < SCENE_OUTPUTS_MAX && !other; i++) {
		other = shell->scene->outputs[i] != output ? shell->scene->outputs[i] : NULL;
	}
	struct workspace *workspace, *used = NULL;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		if (workspace->output != output) {
			continue;
		}
		if (workspace->shown && shell->focus && shell->focus->workspace == workspace) {
			used = workspace;
		}
		if (!workspace->home) {
			workspace->home = screen_key(output->output);
			workspace->home_shown = workspace->shown;
		}
		set_output(workspace, other);
		if (other) {
			workspace_set_shown(workspace, false);
		}
	}
	if (shell->private->output == output) {
		shell->private->output = other;
	}
	if (used && other) {
		/* Unplugging a screen must not hide the window that is in use. */
		struct workspace *covered = workspace_on(shell, other);
		if (covered) {
			workspace_set_shown(covered, false);
		}
		workspace_set_shown(used, true);
	}
	settle(shell);
}

void workspace_move_to_output(struct workspace *workspace, struct scene_output *output)
{
	struct shell *shell = workspace->shell;
	struct scene_output *from = workspace->output;
	if (from == output) {
		return;
	}
	signal_emit(&shell->events.interrupt, NULL);
	signal_emit(&shell->events.interrupt_swipe, NULL);
	struct workspace *covered = workspace_on(shell, output);
	if (covered) {
		workspace_set_shown(covered, false);
	}
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->workspace == workspace) {
			home_keep(window);
		}
	}
	set_output(workspace, output);
	free(workspace->home);
	workspace->home = NULL;
	workspace_set_shown(workspace, true);
	wl_list_for_each (window, &shell->windows, link) {
		bool root = !window->parent || window->parent->workspace != workspace;
		if (window->workspace == workspace && root) {
			shift(window, from);
		}
	}
	workspaces_prune(shell); /* the covered workspace may be empty: its number is free */
	if (from) {
		fill(shell, from);
	}
	shell->private->output = output;
	windows_arrange(shell);
	settle(shell);
}

/* Returns a workspace of the same output with a number up to `most`, or NULL. */
static struct workspace *replacement(const struct workspace *workspace, int most)
{
	struct workspace *other, *last = NULL;
	wl_list_for_each (other, &workspace->shell->workspaces, link) {
		if (other->output == workspace->output && other->number > 0 &&
			other->number <= most) {
			last = other;
		}
	}
	return last;
}

void workspaces_configure(struct shell *shell)
{
	struct workspace *workspace;
	wl_list_for_each (workspace, &shell->workspaces, link) {
		int layout = config_layout_find(shell->config, workspace->name);
		if (layout != workspace->configured_layout) {
			workspace->configured_layout = layout;
			workspace_set_layout(workspace, layout);
		}
	}
	tiling_arrange_all(shell);
}

void workspaces_limit(struct shell *shell, int most)
{
	struct scene_output *output = shell->private->output;
	struct workspace *workspace;
	tiling_defer(shell);
	wl_list_for_each (workspace, &shell->workspaces, link) {
		struct workspace *to =
			workspace->number > most ? replacement(workspace, most) : NULL;
		struct window *window;
		if (!to) {
			continue;
		}
		wl_list_for_each (window, &shell->windows, link) {
			if (window->workspace == workspace) {
				window_set_workspace(window, to);
			}
		}
		if (workspace->shown) {
			workspace_show(to);
		}
	}
	shell->private->output = output; /* the user stays there */
	tiling_resume(shell);
	settle(shell);
}
