/* SPDX-License-Identifier: MIT */
#pragma once

/** Hints of X windows: values of properties, and states. */

#include "xwayland/wm/base/xwin.h"

/* size_hints.c: pure */
/** Reads WM_NORMAL_HINTS of `n` 32-bit values. */
void xwm_size_hints_read(struct x_size_hints *hints, const uint32_t *values, int n);
/** Rounds a size to limits, aspect and increments. */
void xwm_size_hints_constrain(const struct x_size_hints *hints, int32_t *width, int32_t *height);
/**
 * Computes the position of the content from the position that a client asks for, which gravity
 * relates to the frame.
 */
void xwm_size_hints_place(
	uint32_t gravity, const struct frame_extents *frame, int32_t *x, int32_t *y);
/**
 * Returns whether the content's position, from the corner of an output, is that of a program that
 * guesses the frame and asks for the corner, as Wine does for windows without a position.
 */
bool xwm_size_hints_at_corner(
	const struct x_size_hints *hints, const struct frame_extents *frame, int32_t x, int32_t y);

/* mode.c */
/** Reads _XWAYLAND_RANDR_EMU_MONITOR_RECTS. */
void xwin_modes_read(struct xwin *window, const uint32_t *values, int n);
/**
 * Replaces the size of a window that covers the output, in pixels of the X screen, by that of the
 * mode.
 */
void xwin_mode_apply(
	struct xwin *window, const struct box *output, int32_t *width, int32_t *height);

/* state.c */
/** Returns the bit of enum x_state for an atom, or 0. */
uint32_t xwm_state_from_atom(const struct xwm *wm, xcb_atom_t atom);
/** Sends _NET_WM_STATE (enum x_state). */
void xwin_states_send(struct xwin *window, uint32_t states);
/** Sends WM_STATE. */
void xwin_send_wm_state(struct xwin *window, uint32_t state);
/** Sends _NET_WM_ALLOWED_ACTIONS of a managed window if they have changed. */
void xwin_actions_send(struct xwin *window);
/** Sends _NET_FRAME_EXTENTS. */
void xwin_frame_send(struct xwin *window, const struct frame_extents *frame);
/** Sends the state of an unmapped window, and its position without a frame. */
void xwin_send_withdrawn(struct xwin *window);

/* strut.c */
/** Reads _NET_WM_STRUT_PARTIAL or _NET_WM_STRUT of `n` values. */
void xwin_strut_read(struct xwin *window, bool partial, const uint32_t *values, int n);
/** Reserves the space of a managed window, or of all after a change of outputs. */
void xwin_strut_apply(struct xwin *window);
void xwm_struts_update(struct xwm *wm);
