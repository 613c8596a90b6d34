/* SPDX-License-Identifier: MIT */
/* Staging of the pixman renderer: memory that threads convert pixels to. */

#include "render/pixman/pixman_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>

uint32_t pixman_staging_format(const struct renderer *renderer, struct buffer *buffer)
{
	/* Other buffers are read in place. */
	return pixman_format_from_drm(buffer->format) ? 0 : convert_format(buffer->format);
}

struct render_staging *pixman_staging_create(struct renderer *renderer, struct buffer *buffer,
	const struct render_source *source, const struct box *box)
{
	struct render_staging *staging = xcalloc(1, sizeof(*staging));
	if (render_staging_init(staging, renderer, buffer, source, box)) {
		/* The client chooses the size: failure must not abort. */
		staging->data = calloc((size_t)box->height, staging->stride);
	}
	if (!staging->data) {
		pixman_staging_destroy(staging);
		return NULL;
	}
	return staging;
}

bool pixman_staging_upload(struct render_staging *staging, struct texture **slot, int32_t width,
	int32_t height, const pixman_region32_t *region)
{
	return pixman_texture_stage(slot, staging, width, height, region);
}

void pixman_staging_destroy(struct render_staging *staging)
{
	render_staging_finish(staging);
	free(staging->data);
	free(staging);
}
