/* SPDX-License-Identifier: MIT */
#pragma once

/** Images that RADV allocates for a program, and exports as dma-bufs. */

#include "copy/vulkan/image.h"
#include "dmabuf_image.h"

struct radv_image {
	const struct vulkan_device *device;
	struct vulkan_plane plane; /* the driver's own image */
	struct dmabuf_image image; /* the exported one, mapped */
};

/**
 * Creates a render target of one of the formats of dmabuf_image_format() with this modifier, for
 * which RADV chooses stride, offsets and size. Returns false if the driver refuses.
 */
bool radv_image_create(struct radv_image *image, const struct vulkan_device *device, int width,
	int height, uint32_t format, uint64_t modifier);
void radv_image_destroy(struct radv_image *image);
