/* SPDX-License-Identifier: MIT */
/* Slides of workspaces: one leaves its output at a side, and the next one follows it. */

#include "internal.h"
#include "motion.h"
#include <math.h>

#define TREES 4

static void list_trees(const struct workspace *workspace, struct scene_tree *trees[static TREES])
{
	trees[0] = workspace->tiled_tree;
	trees[1] = workspace->tree;
	trees[2] = workspace->top_tree;
	trees[3] = workspace->fullscreen_tree;
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
 * Draws a workspace within its output only, a hidden one as well; or as usual. A hidden workspace gets
 * no input.
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

void workspace_slide(struct workspace *from, struct workspace *to)
{
	static const struct motion_look rest = {.opacity = 1};
	struct shell *shell = from->shell;
	const struct motion_look now = motion_get(from->motion);
	struct workspace *each;
	wl_list_for_each (each, &shell->workspaces, link) {
		if (each->output == from->output) {
			motion_end(each->motion);
		}
	}
	workspace_set_shown(from, false);
	workspace_set_shown(to, true);
	if (!motion_is_wanted(shell, from->output)) {
		return;
	}
	const int width = scene_output_box(from->output).width;
	const int side = is_before(from, to) ? 1 : -1;
	struct motion_look beside = now, out = rest;
	beside.x += side * width;
	out.x = -side * width;
	start(from, &now, &out);
	start(to, &beside, &rest);
}
