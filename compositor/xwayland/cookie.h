/* SPDX-License-Identifier: MIT */
#pragma once

/** Cookies: the files by which X programs prove that they may connect. */

/**
 * Writes a file of mode 0600 with a new random cookie for the display ":NUMBER", as XAUTHORITY
 * names it. Replaces a file of this path. Returns 0 or -errno.
 */
int x_cookie_write(const char *path, int number);
