/* SPDX-License-Identifier: MIT */
#pragma once

/** State of the shell and of its windows that other folders do not see. */

#include "shell/shell.h"

/** State of the shell that its files share, and state that belongs to one of them. */
struct shell_private {
	/** In SHELL_WINDOWS, bottom to top: parents of these trees of all workspaces. */
	struct scene_tree *bottom_layer, *tiled_layer, *floating_layer, *top_layer;
	struct wl_list all_windows; /* window_private.created_link */
	int64_t first_used, last_used; /* bounds of window_private.used */
	int n_reserving; /* windows with window_private.reserves */
	int n_workspaces;
	uint64_t n_shown; /* counts the times that workspaces were shown */
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
	/** Time of the last key of any kind, ns; 0: the same. */
	int64_t pressed;
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
	struct window *flashing; /* its title bar, by the bell; NULL: none */
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
	struct missing *missing; /* missing.c: the search for the program of a command */
	struct wl_list screenshots; /* by screenshot.c, while their programs are looked for */
	struct outputs *outputs;
	struct layers *layer_list; /* layer.c */
	struct lock_lost *lock_lost;
	struct power *power;
};

/** A drag and drop that the window moves along with. */
struct window_drag {
	bool active;
	struct coord_global at; /* of the drag */
	int x, y; /* place of the drag in the geometry */
};

/** Position to move to once the client has acknowledged the configure with the new size. */
struct window_target {
	bool pending;
	bool center; /* in the middle of its place, by a size that the client chooses */
	bool held; /* dragged, with such a size: `grip` of the box `from` is held at x, y */
	int x, y;
	struct box from;
	struct coord_global grip;
	uint32_t serial;
};

/** Part of a window in the transaction of its layout (resize_transaction.c). */
struct window_transaction {
	struct wl_list link; /* the windows of the transaction */
	struct wl_listener ready; /* of the surface, while `listening` */
	struct window_hold *hold; /* blocks the update with the new size; NULL: none */
	uint32_t serial; /* of the last configure with the size of a tile */
	int64_t asked; /* time of that configure, ns */
	bool waiting, listening;
	bool drawn; /* by the client, but the upload or copy is not complete */
	bool late; /* missed the time limit, and has answered none in time since */
	bool left; /* the columns, since it was added */
};

/**
 * Place that the user or the client chose for the floating window, while the shell moves it
 * because outputs or panels change (home.c).
 */
struct window_home {
	char *output; /* its name; NULL: none, and the rest is unset */
	int x, y; /* of the geometry, from the corner of the output */
	int output_width, output_height; /* of the output then */
	int width, height; /* of the geometry before the shell shrank it; 0: it has not */
	bool left; /* the output has had no room for it, or another size, since then */
};

/** State of a window that the shell's files share. */
struct window_private {
	struct window *window;
	struct wl_list created_link; /* shell_private.all_windows */
	/** Order of shell.windows: greater means focused later. */
	int64_t used;
	int n_below; /* number of descendants */
	struct wl_listener icon_changed; /* on the icon */
	/** Black rectangle behind a fullscreen window; else NULL. */
	struct scene_rect *backdrop;
	/** Stands for the content while the client has no surface for the window; else NULL. */
	struct scene_rect *cover;
	bool decorated; /* has a frame, drawn by the shell */
	struct decoration *decoration; /* that frame; NULL: none */
	struct motion *motion; /* NULL: drawn at its place */
	struct closing *closing; /* follows the updates of the mapped window; NULL: unmapped */
	struct window_drag drag;

	bool on_bottom; /* below windows that are not */
	bool floats; /* is not tiled by the layout of its workspace */
	bool scratchpad; /* in the scratchpad: minimised windows of it show with its key only */
	bool modal; /* gets the focus instead of its parent */
	bool may_focus; /* the client activated it with a valid token before it was mapped */
	bool no_focus; /* never gets the keyboard focus */
	bool inhibits_idle; /* while it is visible */
	bool wants_floating; /* outside of layouts, unless a rule decides */
	bool dock; /* a panel: outside of layouts, on all workspaces, above others */
	int decoration_rule; /* of the configuration: INPUT_ON or INPUT_OFF; 0: the client's wish */
	int64_t requested; /* when the user asked for it, ns; 0: unknown */
	/** Space at the edges of its output, logical pixels: window_reserve(). */
	struct frame_extents reserved;
	bool reserves; /* `reserved` is not empty */
	bool placed; /* keeps its position: chosen by the client, or since it was mapped floating */
	bool returns; /* was unmapped: keeps its position if it opens on the same output again */
	/** The client set no geometry: the bounding box of the surface tree is used. */
	bool implied_geometry;
	struct window_limits limits;
	struct box saved; /* floating box, to be restored; width 0: not known yet */
	struct scene_output *fullscreen_output; /* NULL: the current one */
	struct scene_output *span[WINDOW_SPAN]; /* window_set_span(); NULL: `fullscreen_output` */

	/** Requested size; 0: the client's choice. */
	int32_t want_width, want_height;
	struct window_configure sent;
	uint32_t configure_serial; /* of the last configure; 0: none */
	bool answers; /* acknowledged a configure since it was mapped */
	struct window_target target;

	/**
	 * Edges dragged by an interactive resize; the opposite edges stay in place until the last
	 * size is committed. Bits of enum xdg_toplevel_resize_edge.
	 */
	uint32_t resize_edges;
	struct box resize_from;
	uint32_t resize_serial; /* of the resize's last configure; 0: none */
	bool resize_waiting; /* a configure of the resize is unanswered */

	/** Workspace whose columns contain the window; NULL: none. */
	struct workspace *tiled;
	/** Of a tiled window, after the current transaction: box with border, logical global. */
	struct box tile;
	int tile_border_width; /* logical pixels */
	bool predicted; /* its first configure was that of a tile */
	bool tile_covered; /* by another tab, or not arranged yet */
	bool tile_visible; /* false: covered by another tab, or scrolled out of the output */
	bool tile_shown; /* `tile_visible` before the current transaction */
	bool tile_placed; /* has been at a tile of this workspace */
	bool leaves; /* drawn until its motion ends, although its tile is outside of the output */
	struct tile_border *tile_border; /* NULL: none */
	struct scene_rect *tab; /* in the tab bar of its column; NULL: none */
	struct window_transaction transaction;

	struct window_home home;
};
