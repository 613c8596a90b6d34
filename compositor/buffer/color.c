/* SPDX-License-Identifier: MIT */
/* Colour buffers: one premultiplied colour, no pixels. */

#include "buffer/color.h"
#include "gpu/format.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct color_buffer {
	struct buffer base;
	float rgba[4];
};

static struct color_buffer *color_from_buffer(struct buffer *buffer)
{
	struct color_buffer *self = wl_container_of(buffer, self, base);
	return self;
}

static void destroy(struct buffer *buffer)
{
	buffer_finish(buffer);
	free(color_from_buffer(buffer));
}

static bool color(struct buffer *buffer, float rgba[static 4])
{
	memcpy(rgba, color_from_buffer(buffer)->rgba, 4 * sizeof(*rgba));
	return true;
}

static const struct buffer_impl impl = {
	.destroy = destroy,
	.color = color,
};

static float to_float(uint32_t channel)
{
	return (float)((double)channel / UINT32_MAX);
}

struct buffer *color_buffer_create_placeholder(int32_t width, int32_t height)
{
	struct color_buffer *color = xcalloc(1, sizeof(*color));
	buffer_init(&color->base, &impl, width, height, DRM_FORMAT_ARGB8888);
	color->base.placeholder = true;
	return &color->base;
}

struct buffer *color_buffer_create(uint32_t r, uint32_t g, uint32_t b, uint32_t a)
{
	struct color_buffer *color = xcalloc(1, sizeof(*color));
	buffer_init(&color->base, &impl, 1, 1, DRM_FORMAT_ARGB8888);
	color->rgba[0] = to_float(r);
	color->rgba[1] = to_float(g);
	color->rgba[2] = to_float(b);
	color->rgba[3] = to_float(a);
	return &color->base;
}
