/* SPDX-License-Identifier: MIT */
#pragma once

/** Workspaces, and their slides. */

#include "shell/shell.h"

/* workspace.c */
void workspaces_init(struct shell *shell);
void workspaces_finish(struct shell *shell);
/** Returns the number that a name stands for, from 1 to 99, or 0. */
int workspace_number(const char *name);
/** Destroys hidden workspaces without windows. */
void workspaces_prune(struct shell *shell);
/** Moves the windows of workspaces with greater numbers to others of their output. */
void workspaces_limit(struct shell *shell, int most);
/** Applies a new configuration. */
void workspaces_configure(struct shell *shell);
void workspaces_add_output(struct shell *shell, struct scene_output *output);
void workspaces_remove_output(struct shell *shell, struct scene_output *output);
/** Returns whether shell_get_workspace() would return a workspace; creates none. */
bool workspace_is_possible(struct shell *shell, const char *name);
/** Returns the next workspace of the active output, in a circle. */
struct workspace *workspace_step(struct shell *shell, bool back);
void window_set_workspace(struct window *window, struct workspace *workspace);
/** Moves a window to the workspace that an output shows, and keeps its place. */
void window_join_output(struct window *window, struct scene_output *output);
/** As above, for the output that the window is on. */
void window_follow_output(struct window *window);
/** Moves the window and its family to a workspace, and to the workspace's output. */
void shell_move_to_workspace(
	struct shell *shell, struct window *window, struct workspace *workspace);

/* workspace_motion.c */
/** Shows or hides a workspace at once, and ends its motion and swipes. */
void workspace_set_shown(struct workspace *workspace, bool shown);
/** Shows another workspace of an output instead of one, and animates that. */
void workspace_slide(struct workspace *from, struct workspace *to);
/**
 * Draws the shown workspace of an output at a distance from its place, logical pixels, until it
 * slides or returns. `beside` (NULL: none), of the same output, follows on the side that becomes
 * free.
 */
void workspace_drag(struct workspace *workspace, struct workspace *beside, int x, int y);
/** Ends the motions of all workspaces of this workspace's output. */
void workspace_stop(const struct workspace *workspace);
/** Animates the return of a workspace that was dragged. */
void workspace_return(struct workspace *workspace);
