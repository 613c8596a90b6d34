/* SPDX-License-Identifier: MIT */
/* A Vulkan device with one queue. */

#include "copy/vulkan/device.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define FAMILIES_MAX 16
#define GPUS_MAX 16

int vulkan_error(VkResult result)
{
	switch (result) {
	case VK_SUCCESS: return 0;
	case VK_ERROR_DEVICE_LOST: return -ENODEV;
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
	case VK_ERROR_TOO_MANY_OBJECTS: return -ENOMEM;
	/* Of a driver without its device, or one that is being reset: Vulkan tells no more. */
	case VK_ERROR_INITIALIZATION_FAILED: return -ENODEV;
	case VK_ERROR_INCOMPATIBLE_DRIVER:
	case VK_ERROR_EXTENSION_NOT_PRESENT:
	case VK_ERROR_FEATURE_NOT_PRESENT:
	case VK_ERROR_LAYER_NOT_PRESENT:
	case VK_ERROR_FORMAT_NOT_SUPPORTED:
	case VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT:
	case VK_ERROR_INVALID_EXTERNAL_HANDLE: return -ENOTSUP;
	default: return -EIO;
	}
}

const char *vulkan_queue_kind_name(enum vulkan_queue_kind kind)
{
	static const char *const names[] = {
		[VULKAN_QUEUE_TRANSFER] = "transfer",
		[VULKAN_QUEUE_COMPUTE] = "compute",
		[VULKAN_QUEUE_GRAPHICS] = "graphics",
		[VULKAN_QUEUE_ANY] = "any",
	};
	return names[kind];
}

static int init_instance(struct vulkan_device *device)
{
	PFN_vkCreateInstance create =
		(PFN_vkCreateInstance)device->driver.get(NULL, "vkCreateInstance");
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "causeway",
		.apiVersion = VK_API_VERSION_1_1,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	VkResult result =
		create ? create(&info, NULL, &device->instance) : VK_ERROR_INCOMPATIBLE_DRIVER;
	if (result != VK_SUCCESS) {
		device->instance = VK_NULL_HANDLE;
		return vulkan_error(result);
	}
#define X(name) device->call.name = (PFN_vk##name)device->driver.get(device->instance, "vk" #name);
	VULKAN_CALLS(X)
#undef X
	return 0;
}

struct extensions {
	VkExtensionProperties *list;
	uint32_t n;
	VkResult result;
};

static struct extensions list_extensions(struct vulkan_device *device, VkPhysicalDevice physical)
{
	struct extensions extensions = {0};
	device->call.EnumerateDeviceExtensionProperties(physical, NULL, &extensions.n, NULL);
	extensions.list = xcalloc(extensions.n + 1, sizeof(*extensions.list));
	extensions.result = device->call.EnumerateDeviceExtensionProperties(
		physical, NULL, &extensions.n, extensions.list);
	return extensions;
}

static bool has(const struct extensions *extensions, const char *name)
{
	for (uint32_t i = 0; i < extensions->n; i++) {
		if (strcmp(extensions->list[i].extensionName, name) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_node(struct vulkan_device *device, VkPhysicalDevice physical, dev_t dev)
{
	VkPhysicalDeviceDrmPropertiesEXT drm = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &drm};
	struct extensions extensions = list_extensions(device, physical);
	bool known = has(&extensions, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME);
	free(extensions.list);
	if (!known) {
		return false;
	}
	device->call.GetPhysicalDeviceProperties2(physical, &properties);
	return drm.hasRender && drm.renderMajor == major(dev) && drm.renderMinor == minor(dev);
}

static int choose_gpu(struct vulkan_device *device, const struct vulkan_options *options)
{
	VkPhysicalDevice gpus[GPUS_MAX];
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
	uint32_t n = GPUS_MAX;
	VkResult result = device->call.EnumeratePhysicalDevices(device->instance, &n, gpus);
	if (result < 0) {
		return vulkan_error(result);
	}
	for (uint32_t i = 0; i < n; i++) {
		if (options->render_dev ? is_node(device, gpus[i], options->render_dev)
					: i == options->index) {
			device->physical = gpus[i];
			device->call.GetPhysicalDeviceProperties2(gpus[i], &properties);
			memcpy(device->name, properties.properties.deviceName,
				sizeof(device->name));
			return properties.properties.apiVersion < VK_API_VERSION_1_1 ? -ENOTSUP : 0;
		}
	}
	/* Drivers skip GPUs whose nodes they cannot open. */
	int room = fd_check_room();
	return room < 0 ? room : -ENODEV;
}

/* Video queues can transfer, too, but belong to other engines. */
static bool is_kind(VkQueueFlags flags, enum vulkan_queue_kind kind)
{
	bool draws = flags & VK_QUEUE_GRAPHICS_BIT, computes = flags & VK_QUEUE_COMPUTE_BIT;
	VkQueueFlags other = ~(VkQueueFlags)(VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT |
					     VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT |
					     VK_QUEUE_PROTECTED_BIT);
	switch (kind) {
	case VULKAN_QUEUE_TRANSFER:
		return flags & VK_QUEUE_TRANSFER_BIT && !draws && !computes && !(flags & other);
	case VULKAN_QUEUE_COMPUTE: return computes && !draws;
	default: return draws;
	}
}

static int choose_family(struct vulkan_device *device, enum vulkan_queue_kind wanted)
{
	VkQueueFamilyProperties families[FAMILIES_MAX];
	bool any = wanted == VULKAN_QUEUE_ANY;
	enum vulkan_queue_kind first = any ? VULKAN_QUEUE_TRANSFER : wanted,
			       last = any ? VULKAN_QUEUE_GRAPHICS : wanted;
	uint32_t n = FAMILIES_MAX;
	device->call.GetPhysicalDeviceQueueFamilyProperties(device->physical, &n, families);
	for (enum vulkan_queue_kind kind = first; kind <= last; kind++) {
		for (uint32_t i = 0; i < n; i++) {
			if (is_kind(families[i].queueFlags, kind)) {
				device->kind = kind;
				device->family = i;
				device->granularity = families[i].minImageTransferGranularity;
				device->transfers_only = kind == VULKAN_QUEUE_TRANSFER;
				return 0;
			}
		}
	}
	return -ENOTSUP;
}

static void look_for_sync_files(struct vulkan_device *device)
{
	VkPhysicalDeviceExternalSemaphoreInfo info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkExternalSemaphoreProperties properties = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
	device->call.GetPhysicalDeviceExternalSemaphoreProperties(
		device->physical, &info, &properties);
	VkExternalSemaphoreFeatureFlags features = properties.externalSemaphoreFeatures;
	device->has.wait_sync_file = features & VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
	device->has.make_sync_file = features & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

/* Collects the useful extensions of the device, and stores their number. */
static VkResult choose_extensions(
	struct vulkan_device *device, const char **names, uint32_t *n_names)
{
	struct extensions all = list_extensions(device, device->physical);
	bool fd = has(&all, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
	uint32_t n = 0;
	device->has.dmabuf = fd && has(&all, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
	/* Vulkan 1.1 needs VK_KHR_image_format_list as well. */
	device->has.modifiers = has(&all, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME) &&
				has(&all, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME);
	device->has.foreign = has(&all, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME);
	device->has.host_memory = has(&all, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
	if (fd) {
		names[n++] = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
	}
	if (device->has.dmabuf) {
		names[n++] = VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME;
	}
	if (device->has.modifiers) {
		names[n++] = VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME;
		names[n++] = VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME;
	}
	if (device->has.foreign) {
		names[n++] = VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME;
	}
	if (device->has.host_memory) {
		names[n++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
	}
	if (has(&all, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)) {
		names[n++] = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;
		look_for_sync_files(device);
	}
	free(all.list);
	*n_names = n;
	return all.result;
}

static int create_device(struct vulkan_device *device)
{
	const char *names[8];
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = device->family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
		.ppEnabledExtensionNames = names,
	};
	VkResult result = choose_extensions(device, names, &info.enabledExtensionCount);
	if (result == VK_SUCCESS) {
		result = device->call.CreateDevice(device->physical, &info, NULL, &device->handle);
	}
	if (result != VK_SUCCESS) {
		device->handle = VK_NULL_HANDLE;
		return vulkan_error(result);
	}
#define X(name)                                                                                    \
	device->call.name =                                                                        \
		(PFN_vk##name)device->call.GetDeviceProcAddr(device->handle, "vk" #name);
	VULKAN_DEVICE_CALLS(X)
	VULKAN_OPTIONAL_CALLS(X)
#undef X
	device->call.GetDeviceQueue(device->handle, device->family, 0, &device->queue);
	device->call.GetPhysicalDeviceMemoryProperties(device->physical, &device->memory);
	return 0;
}

static int try_driver(
	struct vulkan_device *device, const struct vulkan_options *options, unsigned nth)
{
	*device = (struct vulkan_device){
		.handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT};
	int error = vulkan_driver_init(&device->driver, options->kernel_driver, nth);
	if (error < 0) {
		return error;
	}
	error = init_instance(device);
	if (error == 0) {
		error = choose_gpu(device, options);
	}
	if (error == 0) {
		error = choose_family(device, options->queue);
	}
	if (error == 0) {
		error = create_device(device);
	}
	if (error < 0) {
		vulkan_device_finish(device);
	}
	return error;
}

int vulkan_device_init(struct vulkan_device *device, const struct vulkan_options *options)
{
	int error = -ENOENT;
	/* Some kernel drivers have two Vulkan drivers, for GPUs of different age. */
	for (unsigned nth = 0;; nth++) {
		int result = try_driver(device, options, nth);
		if (result == 0) {
			return 0;
		}
		bool last = !device->driver.found;
		/* A driver that failed for a moment may have been the GPU's. */
		if (!error_may_pass(error) && result != -ENOENT) {
			error = result;
		}
		if (last) {
			return error;
		}
	}
}

void vulkan_device_finish(struct vulkan_device *device)
{
	if (device->handle) {
		device->call.DestroyDevice(device->handle, NULL);
	}
	if (device->instance) {
		device->call.DestroyInstance(device->instance, NULL);
	}
	vulkan_driver_finish(&device->driver);
}

int vulkan_device_memory_type(
	const struct vulkan_device *device, uint32_t bits, VkMemoryPropertyFlags flags)
{
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		if (bits & 1u << i &&
			(device->memory.memoryTypes[i].propertyFlags & flags) == flags) {
			return (int)i;
		}
	}
	return -1;
}
