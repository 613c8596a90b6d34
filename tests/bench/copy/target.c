/* SPDX-License-Identifier: MIT */
/* Images and memory of the copy benchmark, allocated where the engine would import them. */

#include "target.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_NS 20000000000

void target_fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("copy-bench: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

int64_t target_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void target_scramble(void *memory, size_t size, uint64_t seed)
{
	uint64_t value = seed << 20 | 1;

	for (size_t i = 0; i + 8 <= size; i += 8) {
		value = value * 6364136223846793005 + 1442695040888963407;
		memcpy((uint8_t *)memory + i, &value, 8);
	}
}

const char *target_memory_name(enum target_memory memory)
{
	static const char *const names[] = {
		[TARGET_VRAM] = "VRAM",
		[TARGET_BAR] = "VRAM through the BAR",
		[TARGET_CACHED] = "system, cached",
		[TARGET_UNCACHED] = "system, uncached type",
	};

	return names[memory];
}

int target_gpu_init(struct target_gpu *gpu, const struct vulkan_options *options)
{
	int error = vulkan_device_init(&gpu->device, options);

	if (error == 0) {
		error = vulkan_queue_init(&gpu->queue, &gpu->device);
		if (error < 0) {
			vulkan_device_finish(&gpu->device);
		}
	}
	return error;
}

void target_gpu_finish(struct target_gpu *gpu)
{
	vulkan_queue_finish(&gpu->queue);
	vulkan_device_finish(&gpu->device);
}

static int allocate(struct vulkan_plane *surface, const struct vulkan_device *device,
	const VkMemoryRequirements *requirements, int type, const void *next)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = next,
		.allocationSize = requirements->size,
		.memoryTypeIndex = (uint32_t)type,
	};

	if (type < 0) {
		return -ENOTSUP;
	}
	return vulkan_error(
		device->call.AllocateMemory(device->handle, &info, NULL, &surface->memory));
}

uint32_t target_modifiers(const struct vulkan_device *device, VkFormat format,
	uint64_t modifiers[static TARGET_MODIFIERS_MAX])
{
	VkDrmFormatModifierPropertiesEXT all[TARGET_MODIFIERS_MAX];
	VkDrmFormatModifierPropertiesListEXT list = {
		.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT,
		.drmFormatModifierCount = TARGET_MODIFIERS_MAX,
		.pDrmFormatModifierProperties = all,
	};
	VkFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
	VkFormatFeatureFlags both =
		VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT;
	uint32_t n = 0;

	if (!device->has.modifiers) {
		return 0;
	}
	device->call.GetPhysicalDeviceFormatProperties2(device->physical, format, &properties);
	for (uint32_t i = 0; i < list.drmFormatModifierCount; i++) {
		if (all[i].drmFormatModifier != DRM_FORMAT_MOD_LINEAR &&
			all[i].drmFormatModifierPlaneCount == 1 &&
			(all[i].drmFormatModifierTilingFeatures & both) == both) {
			modifiers[n++] = all[i].drmFormatModifier;
		}
	}
	return n;
}

void target_enter_layout(struct target_gpu *gpu, VkImage image)
{
	const struct vulkan_device *device = &gpu->device;
	struct vulkan_job *job = &gpu->queue.jobs[0];
	VkCommandBuffer commands = job->commands;
	VkFence fence = job->fence;
	VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	VkSubmitInfo submit = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};

	if (!vulkan_queue_idle(&gpu->queue)) {
		target_fail("an image was created while copies are pending");
	}
	device->call.ResetFences(device->handle, 1, &fence);
	device->call.BeginCommandBuffer(commands, &begin);
	device->call.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	device->call.EndCommandBuffer(commands);
	if (device->call.QueueSubmit(device->queue, 1, &submit, fence) != VK_SUCCESS ||
		device->call.WaitForFences(device->handle, 1, &fence, VK_TRUE, WAIT_NS) !=
			VK_SUCCESS) {
		target_fail("cannot prepare an image");
	}
	device->call.ResetFences(device->handle, 1, &fence);
	job->serial = 0;
	job->n_copies = 0;
}

int target_image_init(struct vulkan_plane *surface, struct target_gpu *gpu, VkFormat format,
	uint32_t bytes, uint32_t width, uint32_t height)
{
	const struct vulkan_device *device = &gpu->device;
	uint64_t modifiers[TARGET_MODIFIERS_MAX];
	VkImageDrmFormatModifierListCreateInfoEXT list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
		.drmFormatModifierCount = target_modifiers(device, format, modifiers),
		.pDrmFormatModifiers = modifiers,
	};
	bool named = list.drmFormatModifierCount > 0;
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = named ? &list : NULL,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {width, height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = named ? VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT : VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements requirements;
	int error;

	*surface = (struct vulkan_plane){
		.bytes = bytes,
		.hsub = 1,
		.vsub = 1,
		.width = width,
		.height = height,
		.owner = VK_QUEUE_FAMILY_IGNORED,
	};
	error = vulkan_error(
		device->call.CreateImage(device->handle, &info, NULL, &surface->image));
	if (error < 0) {
		return error;
	}
	device->call.GetImageMemoryRequirements(device->handle, surface->image, &requirements);
	error = allocate(surface, device, &requirements,
		vulkan_device_memory_type(
			device, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
		NULL);
	if (error == 0) {
		error = vulkan_error(device->call.BindImageMemory(
			device->handle, surface->image, surface->memory, 0));
	}
	if (error < 0) {
		vulkan_plane_finish(surface, device);
		return error;
	}
	target_enter_layout(gpu, surface->image);
	return 0;
}

void target_image_finish(struct vulkan_plane *surface, struct target_gpu *gpu)
{
	vulkan_queue_forget(&gpu->queue, surface);
	vulkan_plane_finish(surface, &gpu->device);
}

/* Returns a memory type of this kind, and of no other where that matters. */
static int choose_type(const struct vulkan_device *device, uint32_t bits, enum target_memory memory)
{
	static const struct {
		VkMemoryPropertyFlags with, without;
	} kinds[] = {
		[TARGET_VRAM] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
		[TARGET_BAR] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
					VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
			0},
		[TARGET_CACHED] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					   VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
					   VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
			0},
		[TARGET_UNCACHED] = {VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
					     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
			VK_MEMORY_PROPERTY_HOST_CACHED_BIT | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
	};

	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;

		if (bits & 1u << i && (flags & kinds[memory].with) == kinds[memory].with &&
			!(flags & kinds[memory].without)) {
			return (int)i;
		}
	}
	return -1;
}

static int create_buffer(struct target_linear *linear, const struct vulkan_device *device,
	uint32_t bytes, uint32_t width, uint32_t height, const void *next,
	VkMemoryRequirements *requirements)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = next,
		.size = (VkDeviceSize)width * height * bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	int error;

	*linear = (struct target_linear){
		.surface =
			{
				.bytes = bytes,
				.hsub = 1,
				.vsub = 1,
				.width = width,
				.height = height,
				.stride = (VkDeviceSize)width * bytes,
				.owner = VK_QUEUE_FAMILY_IGNORED,
			},
		.size = (size_t)info.size,
	};
	error = vulkan_error(
		device->call.CreateBuffer(device->handle, &info, NULL, &linear->surface.buffer));
	if (error == 0) {
		device->call.GetBufferMemoryRequirements(
			device->handle, linear->surface.buffer, requirements);
	}
	return error;
}

int target_linear_init(struct target_linear *linear, struct target_gpu *gpu,
	enum target_memory memory, uint32_t bytes, uint32_t width, uint32_t height)
{
	const struct vulkan_device *device = &gpu->device;
	VkMemoryRequirements requirements;
	int error = create_buffer(linear, device, bytes, width, height, NULL, &requirements);
	void *map = NULL;

	if (error < 0) {
		return error;
	}
	error = allocate(&linear->surface, device, &requirements,
		choose_type(device, requirements.memoryTypeBits, memory), NULL);
	if (error == 0) {
		error = vulkan_error(device->call.BindBufferMemory(
			device->handle, linear->surface.buffer, linear->surface.memory, 0));
	}
	if (error == 0 && memory != TARGET_VRAM) {
		error = vulkan_error(device->call.MapMemory(
			device->handle, linear->surface.memory, 0, VK_WHOLE_SIZE, 0, &map));
		linear->map = map;
	}
	if (error < 0) {
		target_linear_finish(linear, gpu);
	}
	return error;
}

int target_host_init(struct target_linear *linear, struct target_gpu *gpu, void *pages, size_t size,
	uint32_t bytes, uint32_t width, uint32_t height)
{
	const struct vulkan_device *device = &gpu->device;
	VkExternalMemoryHandleTypeFlagBits type =
		VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = type,
	};
	VkImportMemoryHostPointerInfoEXT import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = type,
		.pHostPointer = pages,
	};
	VkMemoryHostPointerPropertiesEXT properties = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
	VkMemoryRequirements requirements;
	int error;

	if (!device->has.host_memory) {
		return -ENOTSUP;
	}
	error = create_buffer(linear, device, bytes, width, height, &external, &requirements);
	if (error == 0) {
		error = vulkan_error(device->call.GetMemoryHostPointerPropertiesEXT(
			device->handle, type, pages, &properties));
	}
	if (error == 0) {
		requirements.size = size;
		error = allocate(&linear->surface, device, &requirements,
			vulkan_device_memory_type(
				device, requirements.memoryTypeBits & properties.memoryTypeBits, 0),
			&import);
	}
	if (error == 0) {
		error = vulkan_error(device->call.BindBufferMemory(
			device->handle, linear->surface.buffer, linear->surface.memory, 0));
	}
	linear->map = pages;
	if (error < 0) {
		target_linear_finish(linear, gpu);
	}
	return error;
}

void target_linear_finish(struct target_linear *linear, struct target_gpu *gpu)
{
	target_image_finish(&linear->surface, gpu);
	*linear = (struct target_linear){0};
}

void target_copy(struct target_gpu *gpu, const struct vulkan_plane *from,
	const struct vulkan_plane *to, const pixman_box32_t *boxes, int n_boxes)
{
	struct vulkan_copy copy = {
		.source = from,
		.destination = to,
		.boxes = boxes,
		.n_boxes = n_boxes,
	};
	struct vulkan_job *job;
	int error = vulkan_copy_check(&gpu->device, &copy);

	if (error == 0) {
		error = vulkan_queue_copy(&gpu->queue, &copy, 1, -1, &job);
	}
	if (error == 0) {
		error = vulkan_job_wait(&gpu->device, job, WAIT_NS);
	}
	if (error < 0) {
		target_fail("a copy failed: %s", strerror(-error));
	}
}
