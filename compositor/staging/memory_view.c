/* SPDX-License-Identifier: MIT */
/* Memory views: images in the memory of another buffer. */

#include "staging/memory_view.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

struct memory_view {
	struct buffer base;
	struct buffer *memory;
	struct dmabuf dmabuf;
};

static struct memory_view *from_buffer(struct buffer *buffer)
{
	struct memory_view *view = wl_container_of(buffer, view, base);
	return view;
}

static void destroy(struct buffer *buffer)
{
	struct memory_view *view = from_buffer(buffer);
	buffer_finish(buffer);
	dmabuf_finish(&view->dmabuf);
	buffer_drop(view->memory);
	free(view);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &from_buffer(buffer)->dmabuf;
}

/* The first planes of both start at the same byte. */
static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	return buffer_begin_access(from_buffer(buffer)->memory, access, data, stride);
}

static bool end_access(struct buffer *buffer)
{
	return buffer_end_access(from_buffer(buffer)->memory);
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

int memory_view_create(struct buffer *memory, const struct dmabuf *description, struct buffer **out)
{
	struct memory_view *view = xcalloc(1, sizeof(*view));
	int error = dmabuf_copy(&view->dmabuf, description);
	if (error < 0) {
		free(view);
		buffer_drop(memory);
		return error;
	}
	view->memory = memory;
	buffer_init(
		&view->base, &impl, description->width, description->height, description->format);
	view->base.home = memory->home;
	*out = &view->base;
	return 0;
}
