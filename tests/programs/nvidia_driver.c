/* SPDX-License-Identifier: MIT */
/*
 * Replacement for NVIDIA's Vulkan and EGL drivers: opens the GPU when a loader initializes it, as
 * they do, then reports that it cannot be used.
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VISIBLE PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
VISIBLE unsigned __egl_Main(uint32_t version, const void *exports, void *vendor, void *imports);

static void open_gpu(void)
{
	const char *node = getenv("NVIDIA_NODE");
	int fd = node ? open(node, O_RDWR | O_CLOEXEC) : -1;
	if (fd >= 0) {
		close(fd);
	}
}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	(void)version;
	open_gpu();
	return VK_ERROR_INCOMPATIBLE_DRIVER;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	(void)instance;
	(void)name;
	return NULL;
}

/* The entry point of GLVND's vendor libraries; returns EGL_FALSE. */
unsigned __egl_Main(uint32_t version, const void *exports, void *vendor, void *imports)
{
	(void)version;
	(void)exports;
	(void)vendor;
	(void)imports;
	open_gpu();
	return 0;
}
