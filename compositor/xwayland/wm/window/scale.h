/* SPDX-License-Identifier: MIT */
#pragma once

/** Scales: positions on the X screen, and sizes of X windows, against logical pixels. */

#include "xwayland/wm/base/xwin.h"

/** Convert a position, which is clamped, between logical pixels and the X screen. */
int32_t xwm_to_root(const struct xwm *wm, double logical);
int32_t xwm_from_root(const struct xwm *wm, int32_t position);
/** Returns the frame of a managed window in pixels of the X screen. */
struct frame_extents xwin_frame(const struct xwin *window);
/** Estimates the frame of a window that is not managed yet; `floats`: outside of layouts. */
struct frame_extents xwm_frame_estimate(const struct xwm *wm, bool floats);
/** Converts the logical size of a managed window at x, y (logical) to pixels of the window. */
void xwin_size_to_window(
	struct xwin *window, bool floating, int32_t x, int32_t y, int32_t *width, int32_t *height);
int32_t xwin_size_from_window(const struct xwin *window, int32_t size);
/** Adjusts a logical size to the hints of the window. */
void xwin_constrain(const struct xwin *window, int32_t *width, int32_t *height);
/** Applies the limits of a managed window's size, in logical pixels. */
void xwin_limits_apply(struct xwin *window);
/** Sets the density of a managed window by its rules. */
void xwin_density_update(struct xwin *window);
/** Places the tree of an override-redirect window, and sets its density. */
void xwin_place_unmanaged(struct xwin *window);
/** Follows changes of scales. */
void xwm_rescale(struct xwm *wm);
