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
	const struct pixel_format *format = pixel_format_get(fourcc);
	/* pixman requires rows aligned to 32 bits, in each plane. */
	size_t stride = ((size_t)pixel_format_min_stride(format, 0, width) + 15) & ~(size_t)15;
	uint8_t *data = calloc(1, (size_t)pixel_format_size(format, stride, height));
	if (!data) {
		return NULL;
	}
	struct copy_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &buffer_impl, width, height, fourcc);
	self->data = data;
	self->stride = stride;
	return &self->base;
}

/* Copies the samples of one plane that belong to the pixels of the box. */
static void copy_samples(const struct buffer_plane *to, const struct buffer_plane *from,
	const pixman_box32_t *box, size_t bytes, int hsub, int vsub)
{
	const size_t x1 = (size_t)(box->x1 / hsub), x2 = (size_t)((box->x2 + hsub - 1) / hsub);
	const size_t y1 = (size_t)(box->y1 / vsub), y2 = (size_t)((box->y2 + vsub - 1) / vsub);
	uint8_t *out = (uint8_t *)to->data;
	for (size_t y = y1; y < y2; y++) {
		memcpy(out + y * to->stride + x1 * bytes,
			from->data + y * from->stride + x1 * bytes, (x2 - x1) * bytes);
	}
}

static void copy_box(const struct pixel_format *format, const struct buffer_plane *to,
	const struct buffer_plane *from, pixman_box32_t box)
{
	if (format->yuv && format->n_planes == 1) {
		/* Two pixels share their chroma. */
		box.x1 -= box.x1 % 2;
		box.x2 += box.x2 % 2;
	}
	for (int i = 0; i < format->n_planes; i++) {
		copy_samples(&to[i], &from[i], &box, format->bytes[i], i ? format->hsub : 1,
			i ? format->vsub : 1);
	}
}

bool copy_buffer_copy(struct buffer *to, struct buffer *from, const pixman_region32_t *region)
{
	struct copy_buffer *self = wl_container_of(to, self, base);
	const struct pixel_format *format = pixel_format_get(from->format);
	struct buffer_plane out[BUFFER_PLANES_MAX], in[BUFFER_PLANES_MAX];
	size_t stride;
	void *data;
	int n;
	const pixman_box32_t *boxes = pixman_region32_rectangles((pixman_region32_t *)region, &n);
	if (buffer_begin_access(from, BUFFER_READ, &data, &stride) < 0) {
		return false;
	}
	const bool found = buffer_planes(to, self->data, self->stride, out) &&
			   buffer_planes(from, data, stride, in);
	for (int i = 0; found && i < n; i++) {
		copy_box(format, out, in, boxes[i]);
	}
	/* Pages missing from the client's pool read as zeros; the client gets a protocol error. */
	buffer_end_access(from);
	return found;
}
