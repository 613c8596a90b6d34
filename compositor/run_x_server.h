/* SPDX-License-Identifier: MIT */
#pragma once

/** For causeway-run: the X server of a GPU, by the control socket of a running Causeway. */

/**
 * Sets DISPLAY and XAUTHORITY for programs on a GPU (a selector; NULL: the default one) if this is
 * a session of Causeway, and if $DISPLAY names a local X server or none.
 */
void run_choose_x_server(const char *gpu);
