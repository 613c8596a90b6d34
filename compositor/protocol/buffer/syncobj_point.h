/* SPDX-License-Identifier: MIT */
#pragma once

/** Points of DRM syncobj timelines, as used by linux-drm-syncobj. */

#include "protocol/protocol.h"

struct timeline;
struct update;

struct syncobj_point {
	struct timeline *timeline; /* referenced; NULL: not set */
	uint64_t value;
};

void syncobj_point_unset(struct syncobj_point *point);
/**
 * Makes the update wait until the point has a fence that has signalled. If waiting is impossible,
 * the update loses its buffer. Takes over the point.
 */
void syncobj_point_await(struct update *update, struct syncobj_point *point);
/**
 * Signals the point when all locks of the buffer are released and the GPU work that reads it has
 * ended. Takes over the point.
 */
void syncobj_point_signal_released(
	struct protocols *protocols, struct buffer *buffer, struct syncobj_point *point);
