#pragma once

/** A point of a timeline, as clients of linux-drm-syncobj name them. */

#include "protocol.h"

struct timeline;
struct update;

struct syncobj_point {
	struct timeline *timeline; /* referenced; NULL: not set */
	uint64_t value;
};

void syncobj_point_unset(struct syncobj_point *point);
/**
 * The update waits until the point has a fence, and that has signalled; if that cannot be waited for it does
 * not wait. Takes the point over.
 */
void syncobj_point_await(struct update *update, struct syncobj_point *point);
/** Signals it when nobody holds the buffer any more and what was begun on it has ended. Takes the point over. */
void syncobj_point_signal_released(
	struct protocols *protocols, struct buffer *buffer, struct syncobj_point *point);
