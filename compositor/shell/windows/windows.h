/* SPDX-License-Identifier: MIT */
#pragma once

/** Windows: configures, places, states, stacking and focus. */

#include "shell/shell.h"

/* window_state.c */
/** Sends a configure with the window's states and requested size. Returns its serial. */
uint32_t window_configure(struct window *window);
/** As above, if it differs from the last one sent. */
void window_update(struct window *window);
/**
 * Moves the window to x, y when the client has acknowledged the last configure, or immediately if
 * it has done so already.
 */
void window_move_on_ack(struct window *window, int x, int y);
/**
 * Holds the window, whose client chooses a size by the acknowledgement of the last configure, by
 * this point of its box `from`: the point stays in the window. target.x and y are where it is
 * dragged to until then.
 */
void window_hold(struct window *window, const struct box *from, struct coord_global grip);
/** Moves the window immediately; keeps `home` and `saved`. */
void window_set_position(struct window *window, int x, int y);

/* Actions of the user */
/** Sets whether the window stays out of the layout of its workspace. */
void window_set_floats(struct window *window, bool floats);
/** Sets whether the window follows its output from workspace to workspace. */
void window_set_sticky(struct window *window, bool sticky);
/**
 * Tiles the window to a half or quarter of the usable area. `edges` are three or two bits of
 * WINDOW_TILED; 0: floating.
 */
void window_tile(struct window *window, uint32_t edges);

/** Shows the window unless it is minimised or hidden by its layout. */
void window_update_visibility(struct window *window);
/** Updates the black rectangle behind a fullscreen window. */
void window_update_backdrop(struct window *window);

/* rules.c */
/**
 * Collects the settings of all rules that match a window. Their strings are the configuration's.
 */
void rules_find(const struct window *window, struct config_window *found);
/** Returns the workspace for a new window. */
struct workspace *rules_workspace(const struct window *window, const struct config_window *rule);
/** Applies the settings that determine the first configure. */
void rules_apply_initial(struct window *window);
/** Applies the other settings to a window that was just placed. */
void rules_apply_mapped(struct window *window, const struct config_window *rule);

/* layout.c: position and size of window states */
/** Configures a window to the size and position of its states. */
void window_arrange(struct window *window);
/** Arranges the windows whose states give them a place, except tiles. */
void layout_arrange(struct shell *shell);
/** Chooses the initial position of a window. */
void window_place(struct window *window);
/**
 * Returns the box of a floating window once its client has answered; an empty one if the client
 * will choose the size.
 */
struct box window_floating_box(const struct window *window);
/** Moves a floating window: now, or with the size that its client has yet to draw. */
void window_step_to(struct window *window, int x, int y);
/** Saves that box, if the window floats. */
void window_save_box(struct window *window);
/** Configures a window that does not float if the box of its states has changed. */
void layout_update(struct window *window);
/** The same for a window whose place is decided neither by the user nor by columns. */
void layout_update_fixed(struct window *window);

/* edge_tiles.c: windows tiled to halves and quarters, and the split between them */
/**
 * Handles a change of the states, limits or number of the windows of a workspace: arranges its edge
 * tiles, and resets a split that none of them touches.
 */
void edge_tiles_update(struct workspace *workspace);
/**
 * Moves the split, within the limits of the windows. While clients draw the last one, the sizes
 * follow by edge_tiles_answered() or edge_tiles_finish().
 */
void edge_tiles_split(struct workspace *workspace, const struct edge_split *split);
/** Sends the sizes of the split at once. */
void edge_tiles_finish(struct workspace *workspace);
/** Handles an update of a mapped window. */
void edge_tiles_answered(const struct window *window);

/* stack.c */
/** Raises a window and its transients above all others of their kind. */
void window_raise(struct window *window);
/** Moves the window and its transients to the scene tree of their kind. */
void window_restack(struct window *window);
/**
 * Returns true if the window lies above the tiles of its workspace: a fullscreen one, or a
 * maximised tile.
 */
bool stack_covers(const struct window *window);
/**
 * Returns the window that covers a tile, used last of several; NULL: none, or `window` is no tile
 * below others.
 */
struct window *stack_cover(const struct window *window);
/** Stacks fullscreen windows above panels, unless another window on their output has the focus. */
void stack_update(struct shell *shell);
/** Move a window to the front or to the back of the order of last use. */
void window_used_last(struct window *window);
void window_used_first(struct window *window);

/* family.c */
/** Gives the window's children to its parent, if any. */
void window_hand_on_children(struct window *window);

/* focus.c */
void focus_init(struct shell *shell);
void focus_finish(struct shell *shell);
/** Returns the layer surface with exclusive keyboard interactivity, or NULL. */
struct layer *focus_exclusive_layer(struct shell *shell);
/** Sets the seat's keyboard focus according to locks, popups, layers and windows. */
void focus_update_keyboard(struct shell *shell);
/** Returns the window that gets the focus of `window`: the window, or its last modal dialog. */
struct window *focus_target(struct window *window);
/** Moves the focus from the window's parent to it if it is modal. */
void focus_modal(struct window *window);
/** Returns whether a grabbing popup of the layer has the keyboard. */
bool focus_is_popup_of(const struct layer *layer);
void focus_layer(struct shell *shell, struct layer *layer);
/** Changes the focus for a click on a node with this data. */
void focus_data(struct shell *shell, void *data);
/**
 * Focuses and raises a window that was just mapped. If the user types into another one, marks it
 * urgent, unless `always`.
 */
void focus_new_window(struct window *window, bool always);
/** Focuses another window if this one, which can no longer have the focus, has it. */
void focus_lost(struct window *window);

/* typing.c */
/** Follows a press that no binding consumed. */
void typing_note(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym);

/* states.c */
/** Limits a fullscreen window to one output again. */
void window_clear_span(struct window *window);

/* home.c */
/** Records the place of the window on its output as its home, unless it has one. */
void home_keep(struct window *window);
/** Drops the home: the user or the client chooses another place or size. */
void home_forget(struct window *window);
/**
 * Moves the window, or the box to which it will be restored, to its home on the output of its
 * workspace, fitted to that output.
 */
void home_settle(struct window *window);
/**
 * Handles another size that the client has drawn: a window that was shown whole stays so, of others
 * the title bar stays in reach. `before`: the box of the former size. `upward`: the window has
 * grown at its top; otherwise, a title bar that is partly above the usable area stays there.
 */
void home_resized(struct window *window, const struct box *before, bool upward);
/**
 * Moves a window to the output of its workspace. Before that changes, home_keep() records its
 * place.
 */
void home_move(struct window *window);

/* reserve.c */
/** Removes the space that windows reserve. */
void reserve_exclude(struct shell *shell, const struct scene_output *output, struct box *usable);
