/* SPDX-License-Identifier: MIT */
/* Vulkan image planes: dma-bufs imported as buffers and images. */

#include "copy/vulkan/image.h"
#include "copy/amd/tiling.h"
#include "gpu/format.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Compressed layouts depend on the order of channels, so use the exact format where Vulkan has it;
 * planes of YUV images are images of one or two channels.
 */
static VkFormat format_of(const struct pixel_format *format, int plane)
{
	static const struct {
		uint32_t fourcc; /* without alpha */
		VkFormat format;
	} formats[] = {
		{DRM_FORMAT_XRGB8888, VK_FORMAT_B8G8R8A8_UNORM},
		{DRM_FORMAT_XBGR8888, VK_FORMAT_R8G8B8A8_UNORM},
		{DRM_FORMAT_XRGB2101010, VK_FORMAT_A2R10G10B10_UNORM_PACK32},
		{DRM_FORMAT_XBGR2101010, VK_FORMAT_A2B10G10R10_UNORM_PACK32},
		{DRM_FORMAT_XBGR16161616, VK_FORMAT_R16G16B16A16_UNORM},
		{DRM_FORMAT_XBGR16161616F, VK_FORMAT_R16G16B16A16_SFLOAT},
		{DRM_FORMAT_RGB565, VK_FORMAT_R5G6B5_UNORM_PACK16},
		{DRM_FORMAT_BGR565, VK_FORMAT_B5G6R5_UNORM_PACK16},
		{DRM_FORMAT_GR88, VK_FORMAT_R8G8_UNORM},
		{DRM_FORMAT_R8, VK_FORMAT_R8_UNORM},
	};
	if (format->yuv && format->n_planes > 1) {
		switch (format->bytes[plane]) {
		case 1: return VK_FORMAT_R8_UNORM;
		case 2: return format->depth > 8 ? VK_FORMAT_R16_UNORM : VK_FORMAT_R8G8_UNORM;
		default: return VK_FORMAT_R16G16_UNORM;
		}
	}
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (formats[i].fourcc == format->opaque) {
			return formats[i].format;
		}
	}
	return VK_FORMAT_UNDEFINED;
}

static uint32_t divide_up(uint32_t value, uint32_t by)
{
	return (value + by - 1) / by;
}

static void describe(struct vulkan_plane *surface, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int plane)
{
	*surface = (struct vulkan_plane){
		.bytes = format->bytes[plane],
		.hsub = plane > 0 ? format->hsub : 1,
		.vsub = plane > 0 ? format->vsub : 1,
		.offset = dmabuf->offset[plane],
		.stride = dmabuf->stride[plane],
	};
	surface->width = divide_up((uint32_t)dmabuf->width, surface->hsub);
	surface->height = divide_up((uint32_t)dmabuf->height, surface->vsub);
}

static VkDeviceSize end_of(const struct vulkan_plane *surface)
{
	return surface->offset + surface->stride * (surface->height - 1) +
	       (VkDeviceSize)surface->width * surface->bytes;
}

/*
 * Returns the number of memory planes: the plane, and those that the modifier adds to single-plane
 * images.
 */
static int memory_planes(const struct dmabuf *dmabuf, const struct pixel_format *format)
{
	return format->n_planes == 1 ? dmabuf->n_planes : 1;
}

/* Returns the number of memory planes if the driver copies such images, else 0. */
static uint32_t planes_of(const struct vulkan_device *device, VkFormat format, uint64_t modifier,
	VkFormatFeatureFlags features)
{
	VkDrmFormatModifierPropertiesListEXT list = {
		.sType = VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
	VkFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &list};
	uint32_t n = 0;
	device->call.GetPhysicalDeviceFormatProperties2(device->physical, format, &properties);
	VkDrmFormatModifierPropertiesEXT *modifiers =
		xcalloc(list.drmFormatModifierCount + 1, sizeof(*modifiers));
	list.pDrmFormatModifierProperties = modifiers;
	device->call.GetPhysicalDeviceFormatProperties2(device->physical, format, &properties);
	for (uint32_t i = 0; i < list.drmFormatModifierCount; i++) {
		if (modifiers[i].drmFormatModifier == modifier &&
			(modifiers[i].drmFormatModifierTilingFeatures & features) == features) {
			n = modifiers[i].drmFormatModifierPlaneCount;
		}
	}
	free(modifiers);
	return n;
}

static VkImageUsageFlags usage_of(unsigned use)
{
	return (use & COPY_SOURCE ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT : 0) |
	       (use & COPY_DESTINATION ? VK_IMAGE_USAGE_TRANSFER_DST_BIT : 0);
}

/* Returns 0 if the driver imports such images, -ENOTSUP if it does not, or another error. */
static int check_import(const struct vulkan_device *device, VkFormat format, uint64_t modifier,
	unsigned use, const struct vulkan_plane *surface)
{
	VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT,
		.drmFormatModifier = modifier,
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
	};
	VkPhysicalDeviceExternalImageFormatInfo external_info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
		.pNext = &modifier_info,
		.handleType = device->handle_type,
	};
	VkPhysicalDeviceImageFormatInfo2 info = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
		.pNext = &external_info,
		.format = format,
		.type = VK_IMAGE_TYPE_2D,
		.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
		.usage = usage_of(use),
	};
	VkExternalImageFormatProperties external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
	VkImageFormatProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, .pNext = &external};
	VkResult result = device->call.GetPhysicalDeviceImageFormatProperties2(
		device->physical, &info, &properties);
	if (result != VK_SUCCESS) {
		return vulkan_error(result);
	}
	VkExtent3D most = properties.imageFormatProperties.maxExtent;
	return surface->width <= most.width && surface->height <= most.height &&
			       external.externalMemoryProperties.externalMemoryFeatures &
				       VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT
		       ? 0
		       : -ENOTSUP;
}

/*
 * RADV's transfer queue copies compressed pixels of GFX9 and GFX10 as they are, since the SDMA
 * engines do not read metadata (radv_sdma.c, radv_sdma_get_metadata_config()).
 */
static bool reads_metadata(const struct vulkan_device *device, uint64_t modifier)
{
	struct tiling_mode mode;
	return !device->transfers_only || !tiling_mode_from_modifier(&mode, modifier) ||
	       !mode.dcc || mode.version >= AMD_FMT_MOD_TILE_VER_GFX10_RBPLUS;
}

int vulkan_plane_ask(const struct vulkan_device *device, const struct pixel_format *format,
	int plane, uint64_t modifier)
{
	VkFormat vulkan_format = format_of(format, plane);
	struct vulkan_plane trial = {.width = 1, .height = 1};
	if (!device->has.dmabuf || modifier == DRM_FORMAT_MOD_INVALID) {
		return 0;
	}
	if (modifier == DRM_FORMAT_MOD_LINEAR) {
		return 1;
	}
	if (!device->has.modifiers || vulkan_format == VK_FORMAT_UNDEFINED ||
		!reads_metadata(device, modifier)) {
		return 0;
	}
	uint32_t n = planes_of(device, vulkan_format, modifier, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT);
	/* Images of several planes have no room for a modifier's additional planes. */
	if (n == 0 || (n > 1 && format->n_planes > 1)) {
		return 0;
	}
	int error = check_import(device, vulkan_format, modifier, COPY_SOURCE, &trial);
	return error == 0 ? 1 : error == -ENOTSUP ? 0 : error;
}

static int check_image(const struct vulkan_device *device, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int plane, unsigned use,
	const struct vulkan_plane *surface, const char **reason)
{
	VkFormat vulkan_format = format_of(format, plane);
	VkFormatFeatureFlags features =
		(use & COPY_SOURCE ? VK_FORMAT_FEATURE_TRANSFER_SRC_BIT : 0) |
		(use & COPY_DESTINATION ? VK_FORMAT_FEATURE_TRANSFER_DST_BIT : 0);
	int n = memory_planes(dmabuf, format);
	*reason = "the driver does not support modifiers";
	if (!device->has.modifiers) {
		return -ENOTSUP;
	}
	*reason = "the driver cannot copy this format and modifier";
	if (vulkan_format == VK_FORMAT_UNDEFINED || !reads_metadata(device, dmabuf->modifier) ||
		planes_of(device, vulkan_format, dmabuf->modifier, features) != (uint32_t)n) {
		return -ENOTSUP;
	}
	int error = check_import(device, vulkan_format, dmabuf->modifier, use, surface);
	if (error < 0) {
		*reason = error == -ENOTSUP ? *reason : "the driver failed to describe it";
		return error;
	}
	*reason = "its planes are in separate memory";
	for (int i = 1; i < n; i++) {
		if (!dmabuf_same_file(dmabuf->fd[0], dmabuf->fd[i])) {
			return -ENOTSUP;
		}
	}
	return 0;
}

int vulkan_plane_check(const struct vulkan_device *device, const struct dmabuf *dmabuf,
	const struct pixel_format *format, int plane, unsigned use, const char **reason)
{
	struct vulkan_plane surface;
	describe(&surface, dmabuf, format, plane);
	*reason = "the driver cannot import memory";
	if (!device->has.dmabuf) {
		return -ENOTSUP;
	}
	*reason = "its modifier is implicit";
	if (dmabuf->modifier == DRM_FORMAT_MOD_INVALID) {
		return -ENOTSUP;
	}
	if (dmabuf->modifier != DRM_FORMAT_MOD_LINEAR) {
		return check_image(device, dmabuf, format, plane, use, &surface, reason);
	}
	*reason = "its stride is too small";
	if ((uint64_t)surface.width * surface.bytes > surface.stride) {
		return -ENOTSUP;
	}
	/* A software driver would get SIGBUS if the memory file's owner shrank it. */
	*reason = "its memory is too small";
	if (!dmabuf_memory_stays(dmabuf->fd[plane], (int64_t)end_of(&surface))) {
		return -ENOTSUP;
	}
	return 0;
}

/*
 * Returns the memory types that a dma-buf may have; any, for software drivers, which do not answer.
 */
static uint32_t types_of(const struct vulkan_device *device, int fd)
{
	VkMemoryFdPropertiesKHR properties = {.sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
	if (device->handle_type != VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT ||
		device->call.GetMemoryFdPropertiesKHR(
			device->handle, device->handle_type, fd, &properties) != VK_SUCCESS ||
		properties.memoryTypeBits == 0) {
		return UINT32_MAX;
	}
	return properties.memoryTypeBits;
}

/*
 * Returns the size of the memory behind the descriptor, or the required size if only the driver
 * knows it.
 */
static off_t size_of(
	const struct vulkan_device *device, int fd, const VkMemoryRequirements *requirements)
{
	return device->handle_type == VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
		       ? lseek(fd, 0, SEEK_END)
		       : (off_t)requirements->size;
}

/* Imports the memory of the dma-buf for a buffer or image. */
static int import_memory(struct vulkan_plane *surface, const struct vulkan_device *device,
	int dmabuf_fd, const VkMemoryRequirements *requirements)
{
	off_t size = size_of(device, dmabuf_fd, requirements);
	/* Dedicated memory, which some drivers require for images. */
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.image = surface->image,
	};
	VkImportMemoryFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.pNext = surface->image ? &dedicated : NULL,
		.handleType = device->handle_type,
		.fd = -1,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &import,
		.allocationSize = surface->image ? requirements->size : (VkDeviceSize)size,
	};
	int type = vulkan_device_memory_type(
		device, requirements->memoryTypeBits & types_of(device, dmabuf_fd), 0);
	if (type < 0 || size < 0 || (VkDeviceSize)size < requirements->size) {
		return -ENOTSUP;
	}
	info.memoryTypeIndex = (uint32_t)type;
	import.fd = fd_dup(dmabuf_fd);
	if (import.fd < 0) {
		return import.fd;
	}
	VkResult result =
		device->call.AllocateMemory(device->handle, &info, NULL, &surface->memory);
	if (result != VK_SUCCESS) {
		surface->memory = VK_NULL_HANDLE;
		close(import.fd); /* the driver owns it only on success */
		return vulkan_error(result);
	}
	return 0;
}

static int import_buffer(
	struct vulkan_plane *surface, const struct vulkan_device *device, int fd, unsigned use)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = device->handle_type,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = end_of(surface),
		.usage = (use & COPY_SOURCE ? VK_BUFFER_USAGE_TRANSFER_SRC_BIT : 0) |
			 (use & COPY_DESTINATION ? VK_BUFFER_USAGE_TRANSFER_DST_BIT : 0),
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
	};
	VkResult result = device->call.CreateBuffer(device->handle, &info, NULL, &surface->buffer);
	VkMemoryRequirements requirements;
	if (result != VK_SUCCESS) {
		surface->buffer = VK_NULL_HANDLE;
		return vulkan_error(result);
	}
	device->call.GetBufferMemoryRequirements(device->handle, surface->buffer, &requirements);
	int error = import_memory(surface, device, fd, &requirements);
	return error < 0 ? error
			 : vulkan_error(device->call.BindBufferMemory(
				   device->handle, surface->buffer, surface->memory, 0));
}

static int import_image(struct vulkan_plane *surface, const struct vulkan_device *device,
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane, unsigned use)
{
	VkSubresourceLayout layouts[DMABUF_PLANES_MAX] = {0};
	VkImageDrmFormatModifierExplicitCreateInfoEXT modifier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT,
		.drmFormatModifier = dmabuf->modifier,
		.drmFormatModifierPlaneCount = (uint32_t)memory_planes(dmabuf, format),
		.pPlaneLayouts = layouts,
	};
	VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = &modifier,
		.handleTypes = device->handle_type,
	};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format_of(format, plane),
		.extent = {surface->width, surface->height, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
		.usage = usage_of(use),
		.sharingMode = VK_SHARING_MODE_EXCLUSIVE,
	};
	VkMemoryRequirements requirements;
	for (int i = 0; i < memory_planes(dmabuf, format); i++) {
		layouts[i].offset = dmabuf->offset[plane + i];
		layouts[i].rowPitch = dmabuf->stride[plane + i];
	}
	VkResult result = device->call.CreateImage(device->handle, &info, NULL, &surface->image);
	if (result != VK_SUCCESS) {
		/* The driver rejects unsupported strides and offsets only here. */
		surface->image = VK_NULL_HANDLE;
		return vulkan_error(result);
	}
	device->call.GetImageMemoryRequirements(device->handle, surface->image, &requirements);
	int error = import_memory(surface, device, dmabuf->fd[plane], &requirements);
	return error < 0 ? error
			 : vulkan_error(device->call.BindImageMemory(
				   device->handle, surface->image, surface->memory, 0));
}

int vulkan_plane_import(struct vulkan_plane *surface, const struct vulkan_device *device,
	const struct dmabuf *dmabuf, const struct pixel_format *format, int plane, unsigned use)
{
	int error;
	describe(surface, dmabuf, format, plane);
	surface->owner =
		device->has.foreign ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_EXTERNAL;
	if (dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		error = import_buffer(surface, device, dmabuf->fd[plane], use);
	} else {
		error = import_image(surface, device, dmabuf, format, plane, use);
	}
	if (error < 0) {
		vulkan_plane_finish(surface, device);
	}
	return error;
}

void vulkan_plane_finish(struct vulkan_plane *surface, const struct vulkan_device *device)
{
	device->call.DestroyBuffer(device->handle, surface->buffer, NULL);
	device->call.DestroyImage(device->handle, surface->image, NULL);
	device->call.FreeMemory(device->handle, surface->memory, NULL);
	*surface = (struct vulkan_plane){0};
}
