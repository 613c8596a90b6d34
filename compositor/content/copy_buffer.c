/* SPDX-License-Identifier: MIT */
/* Buffers in system memory of the compositor, for copies of clients' shm. */

#include "buffer/buffer.h"
#include "gpu/format.h"
#include "internal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* GPUs cannot import it, but it can be uploaded. */
struct copy_buffer {
	struct buffer base;
	size_t stride; /* bytes */
	uint8_t *data;
};

static void destroy_buffer(struct buffer *buffer)
{
	struct copy_buffer *self = wl_container_of(buffer, self, base);
	buffer_finish(buffer);
	free(self->data);
	free(self);
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	const struct copy_buffer *self = wl_container_of(buffer, self, base);
	*data = self->data;
	*stride = self->stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl buffer_impl = {
	.destroy = destroy_buffer,
	.begin_access = begin_access,
	.end_access = end_access,
};

struct buffer *copy_buffer_create(int32_t width, int32_t height, uint32_t fourcc)
{
	/* pixman requires rows aligned to 32 bits. */
	size_t stride = ((size_t)width * pixel_format_get(fourcc)->bytes[0] + 3) & ~(size_t)3;
	uint8_t *data = calloc((size_t)height, stride);
	if (!data) {
		return NULL;
	}
	struct copy_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &buffer_impl, width, height, fourcc);
	self->data = data;
	self->stride = stride;
	return &self->base;
}

bool copy_buffer_copy(struct buffer *to, struct buffer *from, const pixman_region32_t *region)
{
	struct copy_buffer *self = wl_container_of(to, self, base);
	size_t bytes = pixel_format_get(from->format)->bytes[0], stride;
	const uint8_t *data;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	if (buffer_begin_access(from, BUFFER_READ, (void **)&data, &stride) < 0) {
		return false;
	}
	for (int i = 0; i < n; i++) {
		size_t x = (size_t)boxes[i].x1 * bytes;
		size_t length = (size_t)(boxes[i].x2 - boxes[i].x1) * bytes;
		for (size_t y = (size_t)boxes[i].y1; y < (size_t)boxes[i].y2; y++) {
			memcpy(self->data + y * self->stride + x, data + y * stride + x, length);
		}
	}
	/* Pages missing from the client's pool read as zeros; the client gets a protocol error. */
	buffer_end_access(from);
	return true;
}
