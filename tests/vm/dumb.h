#pragma once

/** Linear dma-bufs that a display device makes. */

#include "linux-dmabuf-v1-client-protocol.h"
#include <stddef.h>
#include <stdint.h>

struct dumb {
	struct wl_buffer *buffer;
	uint32_t *pixels; /* mapped; the caller's to unmap */
	size_t size, stride; /* bytes */
};

/** Of 32 bits a pixel. NULL if all is well, else what is not. */
const char *dumb_create(struct dumb *dumb, int device, struct zwp_linux_dmabuf_v1 *dmabuf,
	int32_t width, int32_t height, uint32_t format);
