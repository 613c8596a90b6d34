/* SPDX-License-Identifier: MIT */
#pragma once

/** A Vulkan device with one queue, and the functions of its driver. */

#include "copy/vulkan.h"
#include "copy/vulkan/driver.h"
#include <stdbool.h>

#define VULKAN_CALLS(X)                                                                            \
	X(DestroyInstance)                                                                         \
	X(EnumeratePhysicalDevices)                                                                \
	X(EnumerateDeviceExtensionProperties)                                                      \
	X(GetPhysicalDeviceProperties2)                                                            \
	X(GetPhysicalDeviceQueueFamilyProperties)                                                  \
	X(GetPhysicalDeviceMemoryProperties)                                                       \
	X(GetPhysicalDeviceFormatProperties2)                                                      \
	X(GetPhysicalDeviceImageFormatProperties2)                                                 \
	X(GetPhysicalDeviceExternalSemaphoreProperties)                                            \
	X(CreateDevice)                                                                            \
	X(GetDeviceProcAddr)

#define VULKAN_DEVICE_CALLS(X)                                                                     \
	X(AllocateCommandBuffers)                                                                  \
	X(AllocateMemory)                                                                          \
	X(BeginCommandBuffer)                                                                      \
	X(BindBufferMemory)                                                                        \
	X(BindImageMemory)                                                                         \
	X(CmdCopyBuffer)                                                                           \
	X(CmdCopyBufferToImage)                                                                    \
	X(CmdCopyImage)                                                                            \
	X(CmdCopyImageToBuffer)                                                                    \
	X(CmdPipelineBarrier)                                                                      \
	X(CreateBuffer)                                                                            \
	X(CreateCommandPool)                                                                       \
	X(CreateFence)                                                                             \
	X(CreateImage)                                                                             \
	X(CreateSemaphore)                                                                         \
	X(DestroyBuffer)                                                                           \
	X(DestroyCommandPool)                                                                      \
	X(DestroyDevice)                                                                           \
	X(DestroyFence)                                                                            \
	X(DestroyImage)                                                                            \
	X(DestroySemaphore)                                                                        \
	X(EndCommandBuffer)                                                                        \
	X(FreeMemory)                                                                              \
	X(GetBufferMemoryRequirements)                                                             \
	X(GetDeviceQueue)                                                                          \
	X(GetFenceStatus)                                                                          \
	X(GetImageMemoryRequirements)                                                              \
	X(MapMemory)                                                                               \
	X(QueueSubmit)                                                                             \
	X(ResetFences)                                                                             \
	X(WaitForFences)

/* NULL without the extension. */
#define VULKAN_OPTIONAL_CALLS(X)                                                                   \
	X(GetMemoryFdPropertiesKHR)                                                                \
	X(GetMemoryHostPointerPropertiesEXT)                                                       \
	X(GetSemaphoreFdKHR)                                                                       \
	X(ImportSemaphoreFdKHR)

struct vulkan_device {
	struct vulkan_driver driver;
	VkInstance instance;
	VkPhysicalDevice physical;
	VkDevice handle;
	VkQueue queue;
	enum vulkan_queue_kind kind; /* never ANY */
	uint32_t family;
	VkExtent3D granularity; /* of image copies; 0: whole images only */
	bool transfers_only; /* buffer offsets must be multiples of four */
	VkPhysicalDeviceMemoryProperties memory;
	/** Type of imported memory: dma-bufs; tests choose another for drivers without them. */
	VkExternalMemoryHandleTypeFlagBits handle_type;
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
	struct {
		bool dmabuf, modifiers, foreign, host_memory;
		bool wait_sync_file, make_sync_file;
	} has;
	struct {
#define X(name) PFN_vk##name name;
		VULKAN_CALLS(X)
		VULKAN_DEVICE_CALLS(X)
		VULKAN_OPTIONAL_CALLS(X)
#undef X
	} call;
};

/** Creates a device. Returns as vulkan_engine_create(). */
int vulkan_device_init(struct vulkan_device *device, const struct vulkan_options *options);
/** All objects have been destroyed, and nothing is in flight. */
void vulkan_device_finish(struct vulkan_device *device);
/** Returns the first memory type in `bits` with all properties in `flags`, or -1. */
int vulkan_device_memory_type(
	const struct vulkan_device *device, uint32_t bits, VkMemoryPropertyFlags flags);
/** Maps a VkResult: 0, -ENODEV for a lost device, -ENOMEM, or -EIO. */
int vulkan_error(VkResult result);
