#pragma once

/** One plane of a picture, as Vulkan has it: a buffer if it is linear, else an image. */

#include "copy/vulkan/device.h"
#include "gpu/dmabuf.h"

struct pixel_format;

struct vulkan_surface {
	VkBuffer buffer; /* either this */
	VkImage image; /* or that, in layout GENERAL */
	VkDeviceMemory memory;
	uint32_t bytes; /* per element */
	uint8_t hsub, vsub; /* elements of the picture's pixels */
	uint32_t width, height; /* elements */
	VkDeviceSize offset, stride; /* bytes in the buffer */
	/** The queue family that has it between our copies; IGNORED: nobody else does. */
	uint32_t owner;
};

/** Whether the driver copies from planes of such pictures, as far as it can be asked without one. */
bool vulkan_surface_reads(const struct vulkan_device *device, const struct pixel_format *format,
	int plane, uint64_t modifier);
/** 0 if such a plane can be imported, or -ENOTSUP and a phrase. */
int vulkan_surface_check(const struct vulkan_device *device, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int plane, unsigned use, const char **reason);
/** Imports what the check has passed. 0 or negative errno. The descriptors stay the caller's. */
int vulkan_surface_import(struct vulkan_surface *surface, const struct vulkan_device *device,
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane, unsigned use);
/** No copy in flight uses it. */
void vulkan_surface_finish(struct vulkan_surface *surface, const struct vulkan_device *device);
