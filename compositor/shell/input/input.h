/* SPDX-License-Identifier: MIT */
#pragma once

/** Keys, buttons, gestures and drags of the user. */

#include "shell/shell.h"
#include <xkbcommon/xkbcommon.h>

struct config_key;
struct input_gesture_event;
struct input_key_event;
struct seat_press;

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

/* tile_grab.c */
/**
 * Starts a drag of a tiled window by the pointer or a touch: of its edges (bits of enum
 * xdg_toplevel_resize_edge), or 0: to another place, where a box shows the position.
 */
void tile_grab_start(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);
/**
 * Ends the drag and drop that a window moves along with, and puts the window among the tiles at a
 * point.
 */
void tile_drop(struct window *window, struct coord_global at);

/* split_grab.c */
/**
 * Starts a drag of the edges (bits of enum xdg_toplevel_resize_edge) that a window tiled to a half
 * or quarter shares with others; no drag if none of them is shared.
 */
void split_grab_start(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id);

/* menu.c */
void menu_close(struct shell *shell);
/** Handles a key while a menu is open. Returns false if it has no meaning there. */
bool menu_key(struct shell *shell, xkb_keysym_t sym);
/**
 * Runs the item pressed by touch or tablet, for which there is no grab; a press elsewhere closes
 * the menu. Returns false without menu.
 */
bool menu_press(struct shell *shell, const struct seat_press *press);

/* bindings.c */
void bindings_init(struct shell *shell);
void bindings_finish(struct shell *shell);
/**
 * Runs the action of a button, wheel or gesture. Returns false if it has none, at the release of
 * the button neither.
 */
bool bindings_press(struct shell *shell, uint32_t modifiers, uint32_t button);
/** Runs the action of the release of a key or button whose press had an action or awaited it. */
void bindings_release(struct shell *shell, uint32_t code);
/** Returns the binding of a button, wheel or gesture that applies now, or NULL. */
const struct config_key *bindings_find(
	const struct shell *shell, uint32_t modifiers, uint32_t button);

/* pass.c */
/** Passes the press of a key to the program of a window whose application id matches a pattern. */
void pass_key(struct shell *shell, const char *pattern, const struct input_key_event *event);
/** Passes the press of a key to X programs if it is one of [xwayland] global-keys. */
void pass_global_keys(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym,
	const struct input_key_event *event);

/* pointer_bindings.c */
void pointer_bindings_init(struct shell *shell);
void pointer_bindings_finish(struct shell *shell);

/* power.c */
void shell_power_init(struct shell *shell);
/** Stops waiting for input; outputs stay as they are. */
void shell_power_finish(struct shell *shell);
/** Powers the outputs off until there is input, or on. */
void shell_set_dark(struct shell *shell, bool dark);

/* magnifier.c */
/** Returns the factor by which an output is magnified, or 1. */
double magnifier_factor(const struct shell *shell);
void magnifier_finish(struct shell *shell);

/* missing.c */
/** Looks for the program of a command, off the loop, and says on the screen if there is none. */
void missing_check(struct shell *shell, const char *command);
void missing_init(struct shell *shell);
void missing_finish(struct shell *shell);

/* screenshot.c */
void screenshots_init(struct shell *shell);
void screenshots_finish(struct shell *shell);

/* swipe.c */
/** Distance of the fingers that moves to the next workspace or column, logical pixels. */
#define SWIPE_FULL 400.0
/**
 * Returns -1 or 1 if fingers that moved by a distance, with this speed (per s) at the end, have
 * chosen the next workspace or column in that direction, else 0. Pure.
 */
int swipe_result(double distance, double speed);
/** Handles a motion of the fingers or its end. Returns false for swipes that drag nothing. */
bool swipe_handle(struct shell *shell, const struct input_gesture_event *event);
void swipe_init(struct shell *shell);
void swipe_finish(struct shell *shell);
