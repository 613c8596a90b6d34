#pragma once

/** Copies as commands in a command buffer. */

#include "copy/vulkan/image.h"
#include <pixman.h>

#define VULKAN_MAX_COPIES 3 /* planes */

/** One plane's part of a submission. */
struct vulkan_copy {
	const struct vulkan_surface *source, *destination; /* elements of one size */
	const pixman_box32_t *boxes; /* pixels of the source, inside of both */
	int n_boxes;
	int32_t dx, dy; /* pixels */
};

/**
 * 0, or -ENOTSUP if the queue cannot do this copy. It may copy more than the boxes: their edges move
 * outwards to where the queue can start and end.
 */
int vulkan_copy_check(const struct vulkan_device *device, const struct vulkan_copy *copy);
/**
 * The whole command buffer: copies that were checked, VULKAN_MAX_COPIES at most. `first`: none is under
 * way on the queue when it is submitted, else these come after those. `once`: it is submitted once.
 * Negative errno.
 */
int vulkan_record(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copies, int n_copies, bool first, bool once);
