/* Sources: client dma-bufs imported as a texture, and shm buffers uploaded to one. */

#include "internal.h"

static enum content_status prepare(
	struct content *content, struct buffer *buffer, const pixman_region32_t *needed)
{
	content_update_texture(content, buffer, needed);
	return content_texture_status(content);
}

const struct content_source_impl content_source_import = {
	.source = SOURCE_CLIENT,
	.prepare = prepare,
};

const struct content_source_impl content_source_upload = {
	.source = SOURCE_UPLOAD,
	.prepare = prepare,
};
