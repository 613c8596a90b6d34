/* SPDX-License-Identifier: MIT */
#pragma once

/** For causeway-run: the session of Causeway that it runs in, and the X server of a GPU there. */

/**
 * Sets DISPLAY and XAUTHORITY for programs on a GPU (a selector; NULL: the default one) if this is
 * a session of Causeway, and if $DISPLAY names a local X server or none.
 */
void run_choose_x_server(const char *gpu);
/**
 * In a session of Causeway: sets missing variables of the desktop, by which portals find it, and
 * DESKTOP_STARTUP_ID to the activation token of the launcher, which X11 programs know by it.
 */
void run_join_session(void);
