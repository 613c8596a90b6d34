/* SPDX-License-Identifier: MIT */
/* Cropped buffers: a view of a wider buffer, whose padding aligns the rows. */

#include "staging/cropped_buffer.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

struct cropped_buffer {
	struct buffer base;
	struct buffer *wide;
	struct dmabuf dmabuf;
};

static struct cropped_buffer *from_buffer(struct buffer *buffer)
{
	struct cropped_buffer *cropped = wl_container_of(buffer, cropped, base);
	return cropped;
}

static void destroy(struct buffer *buffer)
{
	struct cropped_buffer *cropped = from_buffer(buffer);
	buffer_finish(buffer);
	dmabuf_finish(&cropped->dmabuf);
	buffer_drop(cropped->wide);
	free(cropped);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &from_buffer(buffer)->dmabuf;
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	return buffer_begin_access(from_buffer(buffer)->wide, access, data, stride);
}

static bool end_access(struct buffer *buffer)
{
	return buffer_end_access(from_buffer(buffer)->wide);
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

int cropped_buffer_create(struct buffer *wide, int32_t width, struct buffer **out)
{
	struct cropped_buffer *cropped = xcalloc(1, sizeof(*cropped));
	const struct dmabuf *dmabuf = buffer_dmabuf(wide);
	int error = dmabuf ? dmabuf_copy(&cropped->dmabuf, dmabuf) : -ENOTSUP;
	if (error < 0) {
		free(cropped);
		buffer_drop(wide);
		return error;
	}
	cropped->dmabuf.width = width;
	cropped->wide = wide;
	buffer_init(&cropped->base, &impl, width, wide->height, wide->format);
	cropped->base.home = wide->home;
	*out = &cropped->base;
	return 0;
}
