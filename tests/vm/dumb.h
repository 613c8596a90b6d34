/* SPDX-License-Identifier: MIT */
#pragma once

/** Linear dma-bufs allocated by a display device. */

#include "linux-dmabuf-v1-client-protocol.h"
#include <stddef.h>
#include <stdint.h>

struct dumb {
	struct wl_buffer *buffer;
	uint32_t *pixels; /* mapped; the caller unmaps it */
	size_t size, stride; /* bytes */
};

/** Allocates a buffer with 32 bits per pixel. Returns NULL, or an error message. */
const char *dumb_create(struct dumb *dumb, int device, struct zwp_linux_dmabuf_v1 *dmabuf,
	int32_t width, int32_t height, uint32_t format);
