/* SPDX-License-Identifier: MIT */
#pragma once

/** Colours of the frames of windows. */

#include "config/config.h"

struct window;

/** Returns the colours of a frame for the window's state, except while it flashes. */
struct config_frame_colors frame_colors(const struct window *window);
