#pragma once

/** From rectangles of two surfaces to the packets that copy them. */

#include "copy/sdma/image.h"
#include "copy/sdma/packet.h"
#include <pixman.h>

/** 0 if copies from one to the other can be planned: at most one side is tiled. Else -ENOTSUP. */
int sdma_plan_check(const struct sdma_surface *source, const struct sdma_surface *destination);
/**
 * Appends what copies `box` (pixels of the source picture) to where dx, dy moves it. Both surfaces
 * are the same plane of pictures of one format, and the box lies inside of both.
 */
void sdma_plan_box(struct sdma_stream *stream, unsigned version, const struct sdma_surface *source,
	const struct sdma_surface *destination, const pixman_box32_t *box, int32_t dx, int32_t dy);
