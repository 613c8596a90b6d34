/* SPDX-License-Identifier: MIT */
#pragma once

/** A Vulkan driver (ICD), loaded without the loader. */

#define VK_NO_PROTOTYPES
#include <stdbool.h>
#include <vulkan/vulkan_core.h>

struct vulkan_driver {
	bool found; /* there is one, whether or not it can be loaded */
	void *library;
	PFN_vkGetInstanceProcAddr get;
};

/**
 * Loads the nth Vulkan driver (from 0) for a kernel driver (NULL: the software renderer). Returns
 * 0, -ENOENT if there are fewer, -ENOTSUP if it cannot be used, or a transient error.
 */
int vulkan_driver_init(struct vulkan_driver *driver, const char *kernel_driver, unsigned nth);
void vulkan_driver_finish(struct vulkan_driver *driver);
