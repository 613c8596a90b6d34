/* SPDX-License-Identifier: MIT */
#pragma once

/** Cookies: the files by which X programs prove that they may connect. */

/**
 * Writes a file of mode 0600 with a new random cookie for the display ":NUMBER", as XAUTHORITY
 * names it. Replaces a file of this path. Returns 0 or -errno.
 */
int x_cookie_write(const char *path, int number);
/**
 * Marks a file as in use until the descriptor is closed, also by the end of the process. Returns
 * the descriptor or -errno.
 */
int x_cookie_hold(const char *path);
/** Removes files of sessions that have crashed: those named X_COOKIE_PREFIX* that none holds. */
void x_cookie_clean(const char *folder);

#define X_COOKIE_PREFIX "causeway-x11-"
