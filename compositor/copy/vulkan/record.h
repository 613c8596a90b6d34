/* SPDX-License-Identifier: MIT */
#pragma once

/** Recording of copies in a command buffer. */

#include "copy/vulkan/image.h"
#include <pixman.h>

#define VULKAN_COPIES_MAX 3 /* planes */

/** One plane's part of a submission. */
struct vulkan_copy {
	const struct vulkan_plane *source, *destination; /* elements of one size */
	const pixman_box32_t *boxes; /* pixels of the source, inside of both */
	int n_boxes;
	int32_t dx, dy; /* pixels */
};

/**
 * Returns 0, or -ENOTSUP if the queue cannot do this copy. It may copy more than the boxes, whose
 * edges are expanded to the queue's granularity.
 */
int vulkan_copy_check(const struct vulkan_device *device, const struct vulkan_copy *copy);
/**
 * Records a command buffer of at most VULKAN_COPIES_MAX checked copies. `first`: nothing is in
 * flight on the queue; otherwise they run after earlier copies. `once`: it is submitted once.
 * Returns 0 or -errno.
 */
int vulkan_record(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copies, int n_copies, bool first, bool once);
