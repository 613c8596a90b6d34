/* SPDX-License-Identifier: MIT */
/* Slides of workspaces: one leaves its output at a side, and the next one follows it. */

#include "motion.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "workspaces.h"
#include <math.h>

#define TREES 5

static void list_trees(const struct workspace *workspace, struct scene_tree *trees[static TREES])
{
	trees[0] = workspace->tiled_tree;
	trees[1] = workspace->tree;
	trees[2] = workspace->top_tree;
	trees[3] = workspace->fullscreen_tree;
	trees[4] = workspace->bottom_tree;
}

static void show(void *data, const struct motion_look *look)
{
	const struct workspace *workspace = data;
	struct scene_tree *trees[TREES];
	list_trees(workspace, trees);
	for (int i = 0; i < TREES; i++) {
		scene_tree_set_shift(trees[i], (int)lround(look->x), (int)lround(look->y));
	}
}

/*
 * Draws a workspace within its output only, a hidden one as well; or as usual. A hidden workspace
 * gets no input.
 */
static void set_sliding(const struct workspace *workspace, bool sliding)
{
	struct scene_tree *trees[TREES];
	list_trees(workspace, trees);
	for (int i = 0; i < TREES; i++) {
		bool clips = sliding || trees[i] == workspace->tiled_tree;
		scene_tree_set_output(trees[i], clips ? workspace->output : NULL);
		scene_node_set_enabled(&trees[i]->node, sliding || workspace->shown);
		trees[i]->no_input = sliding && !workspace->shown;
	}
}

static void end(void *data)
{
	struct workspace *workspace = data;
	workspace->motion = NULL;
	set_sliding(workspace, false);
}

static const struct motion_impl impl = {.show = show, .end = end};

static void start(
	struct workspace *workspace, const struct motion_look *from, const struct motion_look *to)
{
	set_sliding(workspace, true);
	workspace->motion =
		motion_start(workspace->shell, workspace->output, &impl, workspace, from, to);
}

static bool is_before(const struct workspace *workspace, const struct workspace *other)
{
	const struct workspace *each;
	wl_list_for_each (each, &workspace->shell->workspaces, link) {
		if (each == workspace || each == other) {
			return each == workspace;
		}
	}
	return false;
}

void workspace_stop(const struct workspace *workspace)
{
	const struct workspace *each;
	wl_list_for_each (each, &workspace->shell->workspaces, link) {
		if (each->output == workspace->output) {
			motion_end(each->motion);
		}
	}
}

void workspace_set_shown(struct workspace *workspace, bool shown)
{
	if (workspace->shown != shown) {
		signal_emit(&workspace->shell->events.interrupt_swipe, NULL);
	}
	motion_end(workspace->motion);
	workspace->shown = shown;
	if (shown) {
		workspace->shown_last = ++workspace->shell->private->n_shown;
	}
	scene_node_set_enabled(&workspace->tiled_tree->node, shown);
	scene_node_set_enabled(&workspace->bottom_tree->node, shown);
	scene_node_set_enabled(&workspace->tree->node, shown);
	scene_node_set_enabled(&workspace->top_tree->node, shown);
	scene_node_set_enabled(&workspace->fullscreen_tree->node, shown);
}

void workspace_slide(struct workspace *from, struct workspace *to)
{
	struct shell *shell = from->shell;
	struct motion_look now = motion_get(from->motion), beside = motion_get(to->motion),
			   out = motion_rest;
	if (!to->motion) {
		const int width = from->output ? scene_output_box(from->output).width : 0;
		beside.x = now.x + (is_before(from, to) ? width : -width);
		beside.y = now.y;
	}
	workspace_stop(from);
	workspace_set_shown(from, false);
	workspace_set_shown(to, true);
	if (!motion_is_wanted(shell, from->output)) {
		return;
	}
	out.x = now.x - beside.x;
	out.y = now.y - beside.y;
	start(from, &now, &out);
	start(to, &beside, &motion_rest);
}

static void hold(struct workspace *workspace, int x, int y)
{
	const struct motion_look look = {x, y, 1};
	if (!motion_move(workspace->motion, &look)) {
		motion_end(workspace->motion);
		set_sliding(workspace, true);
		workspace->motion = motion_hold(workspace->shell, &impl, workspace, &look);
	}
}

void workspace_drag(struct workspace *workspace, struct workspace *beside, int x, int y)
{
	const struct box box = scene_output_box(workspace->output);
	struct workspace *each;
	wl_list_for_each (each, &workspace->shell->workspaces, link) {
		if (each->output == workspace->output && each != workspace && each != beside) {
			motion_end(each->motion);
		}
	}
	hold(workspace, x, y);
	if (beside) {
		hold(beside,
			x == 0  ? 0
			: x < 0 ? x + box.width
				: x - box.width,
			y == 0  ? 0
			: y < 0 ? y + box.height
				: y - box.height);
	}
}

void workspace_return(struct workspace *workspace)
{
	const struct motion_look now = motion_get(workspace->motion);
	struct workspace *each;
	wl_list_for_each (each, &workspace->shell->workspaces, link) {
		if (each->output == workspace->output && each->motion) {
			const struct motion_look from = motion_get(each->motion);
			const struct motion_look to = {from.x - now.x, from.y - now.y, 1};
			motion_end(each->motion);
			start(each, &from, &to);
		}
	}
}
