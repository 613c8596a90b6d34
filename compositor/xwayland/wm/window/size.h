/* SPDX-License-Identifier: MIT */
#pragma once

/** Sizes of managed X windows. */

#include "xwayland/wm/base/xwin.h"

/** Returns true if neither a state nor a layout gives the window its size. */
bool xwin_is_floating(const struct xwin *window);
/** Computes the size that the X window should have now, at `box`, and its logical size. */
void xwin_choose_size(struct xwin *window, struct box *box);
/** Stores the size that the X window has, or will have at the end of the turn. */
void xwin_next_size(struct xwin *window, int32_t *width, int32_t *height);
/** Gives the window a size as its client chose it. */
void xwin_set_client_size(struct xwin *window, int32_t width, int32_t height);
