/* SPDX-License-Identifier: MIT */
#pragma once

/** State of the shell that other folders do not see. */

#include "shell/shell.h"

/** State of the shell that its files share, and state that belongs to one of them. */
struct shell_private {
	/** In SHELL_WINDOWS, bottom to top: parents of these trees of all workspaces. */
	struct scene_tree *bottom_layer, *tiled_layer, *floating_layer, *top_layer;
	struct wl_list all_windows; /* window.created_link */
	int64_t first_used, last_used; /* bounds of window.used */
	int n_reserving; /* windows with window.reserves */
	int n_workspaces;
	char *previous_workspace; /* name of the workspace used before; NULL: none */
	/** Output of the last focus, workspace switch or pointer crossing; NULL: no outputs. */
	struct scene_output *output;
	struct scene_output *pointer_output; /* that the pointer was on when it moved last */
	/** Boxes of the scene outputs before the change of the layout that is being handled. */
	struct box output_boxes[SCENE_OUTPUTS_MAX];
	/**
	 * A window that never gets the focus, and was clicked since the last text was typed:
	 * actions apply to it, not to the focused one. NULL: none.
	 */
	struct window *clicked;
	struct layer *layer_focus; /* has the keyboard instead of the window */
	struct popup_focus *popup_focus;
	/** Time of the last key typed into `focus`, ns; 0: none since it has the focus. */
	int64_t typed;
	int n_deferrals; /* tiling_defer() without tiling_resume() */
	struct transactions *transactions;
	struct motions *motions;
	struct closings *closings; /* pictures of windows that close */
	struct decorations *decorations;
	struct title_bars *title_bars; /* images of buttons, and the hovered button */
	struct shell_icons *icons; /* of the icon theme */
	struct shell_wallpapers *wallpapers;
	struct shell_messages *messages;
	struct bell *bell;
	struct presses *presses;
	bool cursor_image; /* the cursor is a resize cursor of a frame's edge */
	struct held_keys *held_keys;
	struct pointing *pointing; /* wheels and gestures */
	struct tile_grab *tile_grab; /* drag of a tiled window; NULL: none */
	struct shell_grab *grab; /* interactive move or resize; NULL: none */
	struct shell_cycle *cycle; /* while Super+Tab is held; else NULL */
	struct shell_menu *menu; /* of a window; NULL: none is open */
	struct shell_overview *overview; /* NULL: closed */
	struct magnifier *magnifier; /* NULL: off */
	struct wl_list screenshots; /* by screenshot.c, while their programs are looked for */
	struct outputs *outputs;
	struct layers *layer_list; /* layer.c */
	struct lock_lost *lock_lost;
	struct power *power;
};
