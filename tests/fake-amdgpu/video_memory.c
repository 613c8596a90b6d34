/* SPDX-License-Identifier: MIT */
/* Images of any format in emulated video memory, and an allocator of them. */

#include "video_memory.h"
#include "fake.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Elements of linear rows: enough for the alignment of each driver. */
#define ROW_UNIT 64

/* The software renderer accesses blocks of so many rows, also at the bottom of an image. */
#define BLOCK_ROWS 64

void plane_layout_init(struct plane_layout *plane, const struct pixel_format *format, int i,
	int32_t width, int32_t height, uint64_t modifier)
{
	*plane = (struct plane_layout){
		.bytes = format->bytes[i],
		.width = (uint32_t)pixel_format_min_stride(format, i, width) / format->bytes[i],
		.height = (uint32_t)pixel_format_plane_height(format, i, height),
		.tiled = modifier != DRM_FORMAT_MOD_LINEAR && modifier != DRM_FORMAT_MOD_INVALID,
	};
	struct tiling_mode mode;
	if (plane->tiled && !(tiling_mode_from_modifier(&mode, modifier) &&
				    tiling_init(&plane->tiling, &mode,
					    (unsigned)__builtin_ctz(plane->bytes)))) {
		char name[5];
		fail_msg("%s has no layout 0x%llx", pixel_format_name(format->fourcc, name),
			(unsigned long long)modifier);
	}
}

size_t plane_layout_place(struct plane_layout *plane, size_t offset, uint32_t unit)
{
	unit = plane->tiled ? plane->tiling.block_width : unit;
	uint32_t pitch = (plane->width + unit - 1) / unit * unit;
	plane->offset = offset;
	plane->stride = (size_t)pitch * plane->bytes;
	/* At least as much as the compositor requires of any layout. */
	size_t least = plane->stride * plane->height;
	size_t size = plane->tiled ? tiling_size(&plane->tiling, pitch, plane->height) : least;
	return size < least ? least : size;
}

size_t plane_layout_at(const struct plane_layout *plane, uint32_t x, uint32_t y)
{
	return plane->offset +
	       (plane->tiled ? tiling_offset(&plane->tiling,
				       (uint32_t)(plane->stride / plane->bytes), x, y)
			     : y * plane->stride + x * plane->bytes);
}

/* Images */

static struct video_image *from_buffer(struct buffer *buffer)
{
	struct video_image *image = wl_container_of(buffer, image, base);
	return image;
}

static void destroy_image(struct buffer *buffer)
{
	struct video_image *image = from_buffer(buffer);
	buffer_finish(buffer);
	dmabuf_finish(&image->dmabuf);
	free(image->linear);
	free(image);
}

static const struct dmabuf *describe(struct buffer *buffer)
{
	return &from_buffer(buffer)->dmabuf;
}

/* Planes and rows of the linear pixels are where those of the image are. */
static void remove_tiling(struct video_image *image)
{
	image->linear = image->linear ? image->linear : xcalloc(1, image->size);
	for (int i = 0; i < image->dmabuf.n_planes; i++) {
		const struct plane_layout *plane = &image->planes[i];
		for (uint32_t y = 0; y < plane->height; y++) {
			uint8_t *row = image->linear + plane->offset + y * plane->stride;
			for (uint32_t x = 0; x < plane->width; x++) {
				memcpy(row + x * plane->bytes,
					image->map + plane_layout_at(plane, x, y), plane->bytes);
			}
		}
	}
}

static int begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	struct video_image *image = from_buffer(buffer);
	bool tiled = image->planes[0].tiled;
	if (tiled && access & BUFFER_WRITE) {
		return -ENOTSUP;
	}
	if (tiled) {
		remove_tiling(image);
	}
	*data = tiled ? image->linear : image->map;
	*stride = image->planes[0].stride;
	return 0;
}

static bool end_access(struct buffer *buffer)
{
	return true;
}

static const struct buffer_impl image_impl = {
	.destroy = destroy_image,
	.dmabuf = describe,
	.begin_access = begin_access,
	.end_access = end_access,
};

struct video_image *video_image_create(
	const struct pixel_format *format, int32_t width, int32_t height, uint64_t modifier)
{
	struct video_image *image = xcalloc(1, sizeof(*image));
	void *map;
	dmabuf_init(&image->dmabuf);
	image->dmabuf.width = width;
	image->dmabuf.height = height;
	image->dmabuf.format = format->fourcc;
	image->dmabuf.modifier = modifier;
	image->dmabuf.n_planes = format->n_planes;
	for (int i = 0; i < format->n_planes; i++) {
		struct plane_layout *plane = &image->planes[i];
		plane_layout_init(plane, format, i, width, height, modifier);
		image->size += plane_layout_place(plane, image->size, ROW_UNIT);
		image->dmabuf.offset[i] = (uint32_t)plane->offset;
		image->dmabuf.stride[i] = (uint32_t)plane->stride;
	}
	const struct plane_layout *last = &image->planes[format->n_planes - 1];
	size_t more = last->tiled ? 0 : last->stride * (-last->height % BLOCK_ROWS);
	int fd = fake_dmabuf_create(image->size + more, &map);
	assert_true(fd >= 0);
	for (int i = 0; i < format->n_planes; i++) {
		image->dmabuf.fd[i] = i > 0 ? dup(fd) : fd;
	}
	image->map = map;
	buffer_init(&image->base, &image_impl, width, height, format->fourcc);
	return image;
}

/* Allocator */

struct video_memory {
	struct allocator base;
	struct gpu *home;
	bool mappable;
};

/* Returns the layout for an image: the first tiled one, else linear. */
static uint64_t choose_layout(const struct format_modifiers *format)
{
	for (size_t i = 0; i < format->n_modifiers; i++) {
		if (format->modifiers[i] != DRM_FORMAT_MOD_LINEAR &&
			format->modifiers[i] != DRM_FORMAT_MOD_INVALID) {
			return format->modifiers[i];
		}
	}
	return DRM_FORMAT_MOD_LINEAR;
}

static struct buffer *create_buffer(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	const struct video_memory *memory = wl_container_of(allocator, memory, base);
	const struct pixel_format *known = pixel_format_get(format->format);
	uint64_t modifier = choose_layout(format);
	bool odd = known->bytes[0] & (known->bytes[0] - 1);
	if (known->n_planes > 1 || (odd && modifier != DRM_FORMAT_MOD_LINEAR)) {
		errno = EINVAL;
		return NULL;
	}
	struct video_image *image = video_image_create(known, width, height, modifier);
	image->base.home = memory->home;
	if (memory->mappable && modifier == DRM_FORMAT_MOD_LINEAR) {
		assert_int_equal(fcntl(image->dmabuf.fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
	}
	return &image->base;
}

static void destroy(struct allocator *allocator)
{
	struct video_memory *memory = wl_container_of(allocator, memory, base);
	free(memory);
}

static const struct allocator_impl allocator_impl = {create_buffer, destroy};

struct allocator *video_memory_create(struct gpu *home, bool mappable)
{
	struct video_memory *memory = xcalloc(1, sizeof(*memory));
	memory->base.impl = &allocator_impl;
	memory->home = home;
	memory->mappable = mappable;
	return &memory->base;
}
