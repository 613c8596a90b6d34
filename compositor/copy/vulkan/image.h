/* SPDX-License-Identifier: MIT */
#pragma once

/** A plane in Vulkan: a buffer if it is linear, else an image. */

#include "copy/vulkan/device.h"
#include "gpu/dmabuf.h"

struct pixel_format;

struct vulkan_plane {
	VkBuffer buffer; /* linear */
	VkImage image; /* tiled, in layout GENERAL */
	VkDeviceMemory memory;
	uint32_t bytes; /* per element */
	uint8_t hsub, vsub; /* elements per pixel, inverse */
	uint32_t width, height; /* elements */
	VkDeviceSize offset, stride; /* bytes in the buffer */
	/** Owner between our copies, a queue family; IGNORED: none. */
	uint32_t owner;
};

/** As copy_engine_ask(), for one plane of such images. */
int vulkan_plane_ask(const struct vulkan_device *device, const struct pixel_format *format,
	int plane, uint64_t modifier);
/** Returns 0 if such a plane can be imported, or an error with a phrase in *reason. */
int vulkan_plane_check(const struct vulkan_device *device, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int plane, unsigned use, const char **reason);
/** Imports a plane that passed the check. Returns 0 or -errno. Duplicates descriptors. */
int vulkan_plane_import(struct vulkan_plane *surface, const struct vulkan_device *device,
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane, unsigned use);
/** Frees the plane, which no copy in flight uses. */
void vulkan_plane_finish(struct vulkan_plane *surface, const struct vulkan_device *device);
