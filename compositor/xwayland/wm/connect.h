/* SPDX-License-Identifier: MIT */
#pragma once

/** Connection of the X window manager. */

#include <stdbool.h>

struct xwm;
struct xwm_connect;

/**
 * Connects to the X server by `fd`, which it takes over, and becomes its window manager. Calls
 * `handle` in a later turn; its error is NULL on success.
 */
bool xwm_connect(struct xwm *wm, int fd, void (*handle)(struct xwm *wm, const char *error));
/** Stops connecting, without waiting for the X server. Accepts NULL. */
void xwm_connect_cancel(struct xwm_connect *connect);
