#pragma once

/** One Vulkan driver, loaded by itself. */

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

struct vulkan_driver {
	void *library;
	PFN_vkGetInstanceProcAddr get;
};

/**
 * Loads the nth driver (0 is the first) that belongs to a kernel driver (NULL: the software one). 0,
 * -ENOENT when there are no more, or -ENOTSUP if this one cannot be used.
 */
int vulkan_driver_init(struct vulkan_driver *driver, const char *kernel_driver, unsigned nth);
void vulkan_driver_finish(struct vulkan_driver *driver);
