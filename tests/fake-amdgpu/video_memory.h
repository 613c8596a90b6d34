/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Images of any format in emulated video memory, linear or tiled, and an allocator of them. The
 * CPU's renderer reads tiled ones, too: as through an aperture that removes the tiling.
 */

#include "buffer/allocator.h"
#include "copy/amd/tiling.h"
#include "gpu/format.h"

/** A plane of an image, by the image's description. */
struct plane_layout {
	struct tiling tiling;
	bool tiled;
	uint32_t bytes, width, height; /* bytes of an element; elements */
	size_t offset, stride; /* bytes */
};

/** Describes plane `i`, without its place. Fails the test if the layout does not exist. */
void plane_layout_init(struct plane_layout *plane, const struct pixel_format *format, int i,
	int32_t width, int32_t height, uint64_t modifier);
/**
 * Places the plane at `offset` (bytes), with rows of a multiple of `unit` elements, or of whole
 * blocks if it is tiled. Returns the plane's size (bytes).
 */
size_t plane_layout_place(struct plane_layout *plane, size_t offset, uint32_t unit);
/** Returns the offset (bytes) of an element in the image's memory. */
size_t plane_layout_at(const struct plane_layout *plane, uint32_t x, uint32_t y);

struct video_image {
	struct buffer base;
	struct dmabuf dmabuf;
	struct plane_layout planes[3];
	uint8_t *map;
	size_t size; /* bytes */
	uint8_t *linear; /* the pixels of a tiled image during CPU access; NULL before */
};

/** Creates an image with successive planes. Its memory is empty. */
struct video_image *video_image_create(
	const struct pixel_format *format, int32_t width, int32_t height, uint64_t modifier);

/**
 * Creates an allocator that makes images as GBM does: of one plane only, and none in tiled layouts
 * of three bytes. The first tiled layout that it is offered is preferred. `home`: whose memory
 * it is, or NULL. `mappable`: drivers and copy engines may map linear images for the CPU.
 */
struct allocator *video_memory_create(struct gpu *home, bool mappable);
