/* Buffers that are seen less wide than they were made, so that their rows begin where they should. */

#include "copy/narrow.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

struct narrowed {
	struct buffer base;
	struct buffer *wide;
	struct dmabuf dmabuf;
};

static struct narrowed *from_buffer(struct buffer *buffer)
{
	struct narrowed *narrowed = wl_container_of(buffer, narrowed, base);

	return narrowed;
}

static void destroy(struct buffer *buffer)
{
	struct narrowed *narrowed = from_buffer(buffer);

	buffer_finish(buffer);
	dmabuf_finish(&narrowed->dmabuf);
	buffer_drop(narrowed->wide);
	free(narrowed);
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

struct buffer *copy_narrow(struct buffer *wide, int32_t width)
{
	struct narrowed *narrowed = xcalloc(1, sizeof(*narrowed));
	const struct dmabuf *dmabuf = buffer_dmabuf(wide);
	int error = dmabuf ? dmabuf_copy(&narrowed->dmabuf, dmabuf) : -ENOTSUP;

	if (error < 0) {
		free(narrowed);
		buffer_drop(wide);
		errno = -error;
		return NULL;
	}
	narrowed->dmabuf.width = width;
	narrowed->wide = wide;
	buffer_init(&narrowed->base, &impl, width, wide->height, wide->format);
	narrowed->base.home = wide->home;
	return &narrowed->base;
}
