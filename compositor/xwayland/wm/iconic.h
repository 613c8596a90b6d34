/* SPDX-License-Identifier: MIT */
#pragma once

/** Internal interfaces of the iconic state of X windows. */

#include "xwm.h"

/** Minimises a managed window for its client, which may restore it. */
void x_iconify(struct xwin *window);
/** Restores the window for its client. Returns false unless the client has minimised it. */
bool x_deiconify(struct xwin *window);
/** Notes a property that is about to be read. */
void x_iconic_changed(struct xwin *window, enum x_property property);
/** Reads WM_HINTS, and restores the window if only the initial state was set. */
void x_iconic_read(struct xwin *window, const uint32_t *values, int n);
