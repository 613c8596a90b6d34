/* SPDX-License-Identifier: MIT */
#pragma once

/** Internal interfaces of the shell's files. */

#include "shell/geometry/facts.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/tile.h"
#include "shell/geometry/window_fit.h"
#include "shell/shell.h"
#include <pixman.h>

struct seat_press;

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
/** Moves the window immediately; keeps `home` and `saved`. */
void window_set_position(struct window *window, int x, int y);

/** Shows the window unless it is minimised or hidden by its layout. */
void window_update_visibility(struct window *window);
/** Updates the black rectangle behind a fullscreen window. */
void window_update_backdrop(struct window *window);

/* rules.c */
/** Collects the settings of all rules that match a window. Their strings are the configuration's. */
void rules_find(const struct window *window, struct config_window *found);
/** Returns the workspace for a new window. */
struct workspace *rules_workspace(const struct window *window, const struct config_window *rule);
/** Applies the settings that determine the first configure. */
void rules_apply_initial(struct window *window);
/** Applies the other settings to a window that was just placed. */
void rules_apply_mapped(struct window *window, const struct config_window *rule);

/* tiling.c */
/** Adds the window to the columns of its workspace or removes it, as its states require. */
void tiling_update(struct window *window);
/** Makes a tiled window the active one of its columns. */
void tiling_focus(struct window *window);
/** Moves and resizes the tiled windows of a workspace, or of all. */
void tiling_arrange(struct workspace *workspace);
void tiling_arrange_all(struct shell *shell);
/** Arranges all windows whose position depends on the outputs. */
void windows_arrange(struct shell *shell);

/** Put off all arrangements of columns until as many calls of tiling_resume(). */
void tiling_defer(struct shell *shell);
void tiling_resume(struct shell *shell);

/* resize_transaction.c */
void transactions_init(struct shell *shell);
void transactions_finish(struct shell *shell);
bool transaction_is_active(const struct shell *shell);
/**
 * Start a transaction, add windows whose tile may have changed, and end the additions. The windows
 * move to their tiles when all clients have drawn their new sizes, or at a time limit.
 */
void transaction_begin(struct shell *shell);
void transaction_add(struct window *window);
void transaction_end(struct shell *shell);
/** Handles an acknowledgement, for windows whose updates are not held. */
void transaction_answered(struct window *window, uint32_t acked);
/**
 * Stop waiting for a window that leaves its columns. Its held update applies with the others: at
 * once, that or a later update could unmap the window while the caller works with it.
 */
void transaction_leave(struct window *window);
/** Remove an unmapped window, and apply its held update. */
void transaction_forget(struct window *window);

/* tile_border.c */
void tile_border_update(struct window *window);
/** Destroys border and tab. */
void tile_border_destroy(struct window *window);
/** Places the tab bars of a workspace's columns. */
void tabs_update(struct workspace *workspace);

/* layout.c: position and size of window states */
/** Configures a window to the size and position of its states. */
void window_arrange(struct window *window);
/** Arranges the windows whose states give them a place, except tiles. */
void layout_arrange(struct shell *shell);
/** Chooses the initial position of a window. */
void window_place(struct window *window);
/** Saves the box of a floating window, unless it is still to be restored to it. */
void window_save_box(struct window *window);
/** Returns the part of the area for a window with these WINDOW_TILED states; all of it without. */
struct box layout_tile_box(const struct box *area, uint32_t states);

/* stack.c */
/** Raises a window and its transients above all others of their kind. */
void window_raise(struct window *window);
/** Moves the window and its transients to the scene tree of their kind. */
void window_restack(struct window *window);
/** Returns true if the window lies above the tiles of its workspace: a fullscreen one, or a maximised tile. */
bool stack_covers(const struct window *window);
/** Returns the window that covers a tile, used last of several; NULL: none, or `window` is no tile below others. */
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
/** Moves a window to the shown workspace of the output that it is on. */
void window_follow_output(struct window *window);
/** Moves the window and its family to a workspace, and to the workspace's output. */
void shell_move_to_workspace(
	struct shell *shell, struct window *window, struct workspace *workspace);

/* outputs.c */
void outputs_init(struct shell *shell);
void outputs_finish(struct shell *shell);

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
 * Handles another size that the client has drawn: the title bar stays in reach. `upward`: the window
 * has grown at its top; otherwise, a title bar that is partly above the work area stays there.
 */
void home_resized(struct window *window, bool upward);
/** Moves a window to the output of its workspace. Before that changes, home_keep() records its place. */
void home_move(struct window *window);

/* reserve.c */
/** Removes the space that windows reserve. */
void reserve_exclude(struct shell *shell, const struct scene_output *output, struct box *usable);

/* layer.c */
void layers_init(struct shell *shell);
void layers_finish(struct shell *shell);
void layers_output_removed(struct shell *shell, struct scene_output *output);

/* decoration.c */
void decorations_init(struct shell *shell);
void decorations_finish(struct shell *shell);
/** Redraws the frame. */
void decoration_update(struct window *window);
enum decoration_part {
	DECORATION_NONE,
	DECORATION_TITLE,
	DECORATION_BUTTON,
	DECORATION_EDGE,
};
/** Returns the part of the frame at a point. *edges gets bits of enum xdg_toplevel_resize_edge. */
enum decoration_part decoration_at(
	const struct window *window, struct coord_global at, uint32_t *edges);

/* title_bar.c: texts, icons and buttons of title bars */
void title_bars_init(struct shell *shell);
void title_bars_finish(struct shell *shell);
/** Drops all images: the configuration has changed. Call decoration_update() for all windows. */
void title_bars_reset(struct shell *shell);
/** Returns the button at a point of the title bar, or CONFIG_BUTTON_NONE. */
enum config_button title_bar_button_at(const struct window *window, struct coord_global at);
/**
 * Highlights the button under the pointer; NULL: none. `pressed` while it is held by a button of
 * the pointer.
 */
void title_bar_hover(
	struct shell *shell, struct window *window, enum config_button button, bool pressed);

/* title_touch.c */
/** Follows a touch of a title bar: a drag moves the window, a long press opens the menu. */
void title_touch_start(struct window *window, const struct seat_press *press);

/* title_button.c */
/** Follows a press on a button: the action runs if the release is on the same button. */
void title_button_press(struct window *window, const struct seat_press *press);

/* pointer.c */
void presses_init(struct shell *shell);
void presses_finish(struct shell *shell);

/* hover.c */
/** Sets a resize cursor while the pointer is over an edge of a frame. */
void pointer_hover(struct shell *shell);

/* drop_hint.c */
/** Shows where a window will be dropped; an empty box: nowhere. Creates the hint if it is NULL. */
void drop_hint_show(struct shell *shell, struct scene_rect **hint, const struct box *box);
/** `hint` may be NULL. */
void drop_hint_destroy(struct scene_rect *hint);

/* tile_grab.c */
/**
 * Starts a drag of a tiled window by the pointer or a touch: of its edges (bits of enum
 * xdg_toplevel_resize_edge), or 0: to another place, where a box shows the position.
 */
void tile_grab_start(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);
/** Ends the drag and drop that a window moves along with, and puts the window among the tiles at a point. */
void tile_drop(struct window *window, struct coord_global at);

/* cycle.c */
#define DROPPED_KEYS_MAX 8
/** Keys whose press a grab of the shell kept from clients. */
struct dropped_keys {
	uint32_t codes[DROPPED_KEYS_MAX];
	int n;
};
struct input_key_event;
/** Returns false for the release of a key whose press the focus got: it must get the release, too. */
bool dropped_keys_take(struct dropped_keys *keys, const struct input_key_event *event);
/** Selects the next window, or focuses it if no modifier is held. */
void cycle_step(struct shell *shell, bool back);
/** End the switching: with the focus of the selected window, or as before. */
void cycle_finish(struct shell *shell);
void cycle_cancel(struct shell *shell);
/** Handles a key during the switching. Returns false if it has no meaning there. */
bool cycle_key(struct shell *shell, xkb_keysym_t sym);
/** Selects the pressed window; a press elsewhere cancels. Returns true for a press on the panel. */
bool cycle_press(struct shell *shell, const struct seat_press *press);
/** Selects the window under the pointer. */
void cycle_hover(struct shell *shell);

/* app_icon.c */
void app_icons_init(struct shell *shell);
void app_icons_finish(struct shell *shell);
/**
 * Draws the icon of a window at `size` pixels: the client's, else that of the icon theme. Returns a
 * reference to an image that must not be changed; NULL: there is none, or it is being read, and
 * title bar and switcher will draw it again.
 */
pixman_image_t *app_icon_draw(const struct window *window, int size);

/* menu.c */
void menu_close(struct shell *shell);
/** Handles a key while a menu is open. Returns false if it has no meaning there. */
bool menu_key(struct shell *shell, xkb_keysym_t sym);
/**
 * Runs the item pressed by touch or tablet, for which there is no grab; a press elsewhere closes the
 * menu. Returns false without menu.
 */
bool menu_press(struct shell *shell, const struct seat_press *press);

/* overview.c */
/** Shows all workspaces, until the user has chosen one or leaves. */
void overview_open(struct shell *shell);
void overview_close(struct shell *shell);
/** Handles a key while the overview is open. Returns false if it has no meaning there. */
bool overview_key(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym);
/** Chooses the pressed window or workspace. Returns false without overview. */
bool overview_press(struct shell *shell, const struct seat_press *press);
/** Selects the item under the pointer. */
void overview_hover(struct shell *shell);

/* bell.c */
void bell_init(struct shell *shell);
void bell_finish(struct shell *shell);

/* shell.c */
/** Sets the background to the configured colour, or black while locked. */
void shell_update_background(struct shell *shell);

/* message.c */
void messages_init(struct shell *shell);
void messages_finish(struct shell *shell);
/** Hides the pressed message. Returns false if `data` of the scene hit is no message. */
bool message_press(struct shell *shell, void *data);

/* wallpaper.c */
void wallpapers_init(struct shell *shell);
void wallpapers_finish(struct shell *shell);
/** Applies the configuration to the backgrounds of all outputs. */
void wallpapers_update(struct shell *shell);

/* help.c */
/** Selects the bindings of a mode, and shows its name; NULL: those of [keys]. */
void shell_set_mode(struct shell *shell, const char *name);
/** Returns a list of the key bindings, one per line, newly allocated. */
char *help_bindings(const struct config *config);

/* lock_lost.c */
void lock_lost_init(struct shell *shell);
void lock_lost_finish(struct shell *shell);

/* bindings.c */
void bindings_init(struct shell *shell);
/** Runs the action of a button, wheel or gesture. Returns false if it has none. */
bool bindings_press(struct shell *shell, uint32_t modifiers, uint32_t button);
/** Returns the binding of a button, wheel or gesture that applies now, or NULL. */
const struct config_key *bindings_find(
	const struct shell *shell, uint32_t modifiers, uint32_t button);

/* quit.c */
/** Asks for the end of the session on the screen; ends it if that question is shown already. */
void quit_ask(struct shell *shell);
/** Hides the question. */
void quit_cancel(struct shell *shell);
/**
 * Handles a key while the question is shown: Return confirms, any other key but that of the action
 * cancels. `binding` is the one of the key, or NULL. Returns whether the key is consumed.
 */
bool quit_key(struct shell *shell, xkb_keysym_t sym, const struct config_key *binding);

/* pointer_bindings.c */
void pointer_bindings_init(struct shell *shell);
void pointer_bindings_finish(struct shell *shell);

/* power.c */
/** Stops waiting for input; outputs stay as they are. */
void shell_power_finish(struct shell *shell);
/** Powers the outputs off until there is input, or on. */
void shell_set_dark(struct shell *shell, bool dark);

/* magnifier.c */
void magnifier_finish(struct shell *shell);

/* screenshot.c */
void screenshots_init(struct shell *shell);
void screenshots_finish(struct shell *shell);
void bindings_finish(struct shell *shell);
