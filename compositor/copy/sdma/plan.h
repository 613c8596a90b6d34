/* SPDX-License-Identifier: MIT */
#pragma once

/** SDMA plans: packets that copy rectangles between two surfaces. */

#include "copy/sdma/image.h"
#include "copy/sdma/packet.h"
#include <pixman.h>

/** Returns 0 if copies can be planned (at most one side is tiled), else -ENOTSUP. */
int sdma_plan_check(const struct sdma_plane *source, const struct sdma_plane *destination);
/**
 * Appends packets that copy `box` (pixels of the source) moved by dx, dy. Both surfaces are the
 * same plane of images of one format; the box lies inside of both.
 */
void sdma_plan_box(struct sdma_stream *stream, unsigned version, const struct sdma_plane *source,
	const struct sdma_plane *destination, const pixman_box32_t *box, int32_t dx, int32_t dy);
