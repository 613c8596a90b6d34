/* SPDX-License-Identifier: MIT */
/* Image buffers: pixels in private memory, for the compositor's text and buttons. */

#include "buffer/image_buffer.h"
#include "buffer/buffer.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdlib.h>

struct image_buffer {
	struct buffer base;
	pixman_image_t *image;
};

static struct image_buffer *image_from_buffer(struct buffer *buffer)
{
	struct image_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy(struct buffer *buffer)
{
	struct image_buffer *self = image_from_buffer(buffer);
	buffer_finish(buffer);
	pixman_image_unref(self->image);
	free(self);
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct image_buffer *self = image_from_buffer(buffer);
	*data = pixman_image_get_data(self->image);
	*stride = (size_t)pixman_image_get_stride(self->image);
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.begin_access = begin_access,
	.end_access = end_access,
};

static struct buffer *create(pixman_image_t *image, uint32_t format)
{
	struct image_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &impl, pixman_image_get_width(image),
		pixman_image_get_height(image), format);
	self->image = image;
	return &self->base;
}

struct buffer *image_buffer_create(pixman_image_t *image)
{
	return create(image, DRM_FORMAT_ARGB8888);
}

struct buffer *image_buffer_create_opaque(pixman_image_t *image)
{
	return create(image, DRM_FORMAT_XRGB8888);
}
