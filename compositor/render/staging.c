/* SPDX-License-Identifier: MIT */
/* Staging: pixels of shm buffers, copied or converted to memory of the device by any thread. */

#include "render/convert.h"
#include "render/renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

bool render_staging_init(struct render_staging *staging, struct renderer *renderer,
	struct buffer *buffer, const struct render_source *source, const struct box *box)
{
	const uint32_t format = renderer_staging_format(renderer, buffer);
	*staging = (struct render_staging){
		.renderer = renderer,
		.source = *source,
		.box = *box,
		.format = format,
		.stride = (size_t)box->width * pixel_format_get(format)->bytes[0],
	};
	if (format == buffer->format) {
		return true;
	}
	staging->convert = xcalloc(1, sizeof(*staging->convert));
	return convert_init(staging->convert, buffer, source);
}

void render_staging_finish(struct render_staging *staging)
{
	free(staging->convert);
}

void render_staging_write(const struct render_staging *staging, const pixman_box32_t *rect)
{
	const struct render_source *source = &staging->source;
	const size_t pixel = pixel_format_get(staging->format)->bytes[0];
	uint8_t *to = (uint8_t *)staging->data +
		      (size_t)(rect->y1 - staging->box.y) * staging->stride +
		      (size_t)(rect->x1 - staging->box.x) * pixel;
	if (staging->convert) {
		convert_rect(staging->convert, rect, to, staging->stride);
		return;
	}
	const uint8_t *from = (const uint8_t *)source->data + (size_t)rect->x1 * pixel;
	for (int32_t y = rect->y1; y < rect->y2; y++, to += staging->stride) {
		memcpy(to, from + (size_t)y * source->stride,
			(size_t)(rect->x2 - rect->x1) * pixel);
	}
}
