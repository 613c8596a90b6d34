#pragma once

/** What the files of shell/ share. */

#include "shell/shell.h"

struct seat_press;

/** Room that a frame takes around the window geometry, logical pixels. */
struct frame_extents {
	int top, right, bottom, left;
};

/* shell.c */
/** Logical pixels of the frame's edge. */
int shell_border(const struct shell *shell);
/** Usable area of the output; an empty box if there is none. */
struct box shell_usable(const struct shell *shell, const struct scene_output *output);

/* window.c */
/** Sends a configure made of states and wanted size. */
uint32_t window_configure(struct window *window);
/** As above, if it would say something new. */
void window_update(struct window *window);
/** It moves to x, y when the client answers the last configure; at once if it has answered. */
void window_move_on_ack(struct window *window, int x, int y);
/** At once; keeps its home and saved box. */
void window_set_position(struct window *window, int x, int y);

/* layout.c: what states mean for position and size */
/** Wants size and position that its states ask for, and configures it. */
void window_arrange(struct window *window);
/** All windows whose place depends on the outputs. */
void windows_arrange(struct shell *shell);
/** Where its pixels go first. */
void window_place(struct window *window);
/** Moves a floating window down if its top edge is above the usable area. */
void window_keep_title_on_screen(struct window *window);
/** What is black behind a fullscreen window follows it. */
void window_update_backdrop(struct window *window);
bool window_floating(const struct window *window);
void window_save_box(struct window *window);

/* stack.c */
/** Above all others of its kind, its transients above it. */
void window_raise(struct window *window);
/** Puts the window and its transients into the tree of their kind. */
void window_restack(struct window *window);
/** Fullscreen windows cover the panels unless something else on their output has the focus. */
void stack_update(struct shell *shell);
/** Move the window to the front or to the back of the order in which windows were used. */
void window_used_last(struct window *window);
void window_used_first(struct window *window);
/** Makes the children of the window those of its parent, or of none. */
void window_hand_on_children(struct window *window);
bool window_is_ancestor(const struct window *ancestor, const struct window *window);

/* focus.c */
void focus_init(struct shell *shell);
void focus_finish(struct shell *shell);
/** Whoever should have the keyboard gets it. */
void focus_update_keyboard(struct shell *shell);
/** No window, or this one, without raising; NULL: none. */
void focus_set(struct shell *shell, struct window *window);
void focus_layer(struct shell *shell, struct layer *layer);
/** Focuses and raises a window that was just mapped. */
void focus_new_window(struct window *window);
/** The window can no longer have the focus: finds another. */
void focus_lost(struct window *window);
/** Seen by the user, if outputs and stacking let it. */
bool window_shown(const struct window *window);

/* workspace.c */
void workspaces_init(struct shell *shell, int n);
void workspaces_resize(struct shell *shell, int n);
void workspaces_finish(struct shell *shell);
void window_set_workspace(struct window *window, struct workspace *workspace);
void shell_move_to_workspace(struct shell *shell, struct window *window, int index);

/* outputs.c */
void outputs_init(struct shell *shell);
void outputs_finish(struct shell *shell);

/* placement.c: pure */
/**
 * Where a window of this size overlaps others least, the middle of the area preferred. The area's
 * top left corner is never left of or above the result.
 */
void placement_find(const struct box *area, int width, int height, const struct box *others,
	int n_others, int *x, int *y);
/** Moves the box so that at least a grip of it lies inside of the area. */
void placement_keep_reachable(const struct box *area, struct box *box);

/* layer_arrange.c: pure */
/** Where a layer surface goes within the output and what is left of it. */
struct box layer_place(
	const struct layer *layer, const struct box *output, const struct box *usable);
/** Takes its exclusive zone from the usable area. */
void layer_exclude(const struct layer *layer, struct box *usable);

/* layer.c */
/** The layer surface that must have the keyboard, or NULL. */
struct layer *layer_exclusive(struct shell *shell);
void layers_output_removed(struct shell *shell, struct scene_output *output);

/* decoration.c */
struct frame_extents window_frame(const struct window *window);
/** Size, place or focus of the window changed. */
void decoration_update(struct window *window);
void decoration_destroy(struct decoration *decoration);
enum decoration_part {
	DECORATION_NONE,
	DECORATION_TITLE,
	DECORATION_CLOSE,
	DECORATION_EDGE,
};
/** What of the frame is at the point; *edges gets bits of enum xdg_toplevel_resize_edge. */
enum decoration_part decoration_at(
	const struct window *window, struct coord_global at, uint32_t *edges);

/* pointer.c */
/** A press on the window or its frame: true if it moves or resizes the window. */
bool pointer_press(struct shell *shell, struct window *window, const struct seat_press *press);
/** The cursor tells what the edge under it would do. */
void pointer_hover(struct shell *shell);

/* grab.c */
void grab_cancel(struct shell *shell);
void grab_forget(struct window *window);

/* resize.c: pure */
/** Size of an interactive resize that has come this far. */
void resize_size(
	const struct window *window, double dx, double dy, int32_t *width, int32_t *height);
/** Top left corner that keeps the edges opposite to those that are dragged. */
void resize_anchor(const struct window *window, int *x, int *y);
const char *resize_cursor(uint32_t edges);

/* cycle.c */
void cycle_step(struct shell *shell, bool back);
void cycle_finish(struct shell *shell);
void cycle_forget(struct window *window);

/* shell.c */
/** The background is as configured, or black while locked. */
void shell_update_background(struct shell *shell);

/* action.c */
/** Runs a command line by the user's shell; logs a failure. */
void shell_spawn(struct shell *shell, const char *command);

/* message.c */
void messages_init(struct shell *shell);
void messages_finish(struct shell *shell);
/** Hides the message that was pressed. Returns false if `data` of the hit is none. */
bool message_press(struct shell *shell, void *data);

/* lock_lost.c */
void lock_lost_init(struct shell *shell);
void lock_lost_finish(struct shell *shell);

/* bindings.c */
void bindings_init(struct shell *shell);
void bindings_finish(struct shell *shell);
