/* SPDX-License-Identifier: MIT */
#pragma once

/** Headless outputs with overlay and cursor planes, and a driver that refuses one surface. */

#include "backend/output.h"

struct surface;

/** Pixels of a side of the largest cursor image. */
#define PLANE_SCREEN_CURSOR 64

/** Replaces the driver of the output, one at a time. Screenshots fail until the end. */
void plane_screen_begin(struct output *output);
/** Restores the driver, before the output is destroyed. */
void plane_screen_end(struct output *output);
/** Adds an overlay or a cursor plane, at most one of each. */
void plane_screen_add(struct output *output, enum plane_type type);
/** Refuses the surface's buffers on all planes from now on; NULL: none. */
void plane_screen_refuse(const struct surface *surface);
