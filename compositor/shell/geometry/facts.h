/* SPDX-License-Identifier: MIT */
#pragma once

/** Facts about windows, workspaces and outputs; others are in shell.h and window.h. */

#include "shell/window.h"

/** Returns the usable area of an output, or an empty box for NULL. */
struct box shell_usable(const struct shell *shell, const struct scene_output *output);
/** Returns the output nearest to the middle of a box; NULL: no outputs. */
struct scene_output *shell_nearest_output(const struct shell *shell, const struct box *box);
/** Returns the workspace that an output shows, or NULL. */
struct workspace *workspace_on(struct shell *shell, const struct scene_output *output);
bool window_floating(const struct window *window);
/** Bits of enum xdg_toplevel_resize_edge. */
#define EDGES_UPRIGHT UINT32_C(3)
#define EDGES_SIDEWAYS UINT32_C(12)
/**
 * Returns the edges that a window with these WINDOW_TILED states shares with those beside it: bits
 * of enum xdg_toplevel_resize_edge.
 */
uint32_t window_tile_edges(uint32_t states);
/** The same for a window; 0 unless it is shown in such a place. */
uint32_t window_inner_edges(const struct window *window);
/** Returns true if the window is mapped, on a shown workspace and not minimised. */
bool window_shown(const struct window *window);
bool window_is_ancestor(const struct window *ancestor, const struct window *window);
/**
 * Returns the extents of a floating window around its geometry: of the shell's frame, or of a frame
 * that the client draws with subsurfaces beside its declared geometry. Subsurfaces that overlap the
 * geometry are content or shadows, and are ignored.
 */
struct frame_extents window_outer_extents(const struct window *window);
/**
 * Returns the output of a name, or the next one to the "left", "right", "up" or "down" of the
 * active output; NULL: none.
 */
struct scene_output *shell_find_output(struct shell *shell, const char *name);
/** Returns whether an output has the name, or the name is a direction, in which none need be. */
bool shell_knows_output(const struct shell *shell, const char *name);
/** Returns the box of a fullscreen window whose own output is `output`. */
struct box window_fullscreen_box(const struct window *window, const struct scene_output *output);
