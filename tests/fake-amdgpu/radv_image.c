/* SPDX-License-Identifier: MIT */
/* Images that RADV allocates for a program. */

#include "radv_image.h"
#include "harness/unit.h"
#include "mesa.h"
#include <fcntl.h>

static VkFormat format_of(uint32_t fourcc)
{
	switch (fourcc) {
	case DRM_FORMAT_R8: return VK_FORMAT_R8_UNORM;
	case DRM_FORMAT_RGB565: return VK_FORMAT_R5G6B5_UNORM_PACK16;
	case DRM_FORMAT_XRGB8888: return VK_FORMAT_B8G8R8A8_UNORM;
	default: return VK_FORMAT_R16G16B16A16_SFLOAT;
	}
}

static bool create(
	struct radv_image *image, const VkExtent3D *size, VkFormat format, const uint64_t *modifier)
{
	VkImageDrmFormatModifierListCreateInfoEXT list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
		.drmFormatModifierCount = 1,
		.pDrmFormatModifiers = modifier,
	};
	VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = &list,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
	};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = *size,
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			 VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	return image->device->call.CreateImage(
		       image->device->handle, &info, NULL, &image->plane.image) == VK_SUCCESS;
}

static void allocate(struct radv_image *image)
{
	const struct vulkan_device *device = image->device;
	VkMemoryRequirements requirements;
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.image = image->plane.image,
	};
	VkExportMemoryAllocateInfo exported = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .pNext = &exported};

	device->call.GetImageMemoryRequirements(device->handle, image->plane.image, &requirements);
	info.allocationSize = requirements.size;
	info.memoryTypeIndex = (uint32_t)vulkan_device_memory_type(
		device, requirements.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	assert_int_equal(
		device->call.AllocateMemory(device->handle, &info, NULL, &image->plane.memory),
		VK_SUCCESS);
	assert_int_equal(device->call.BindImageMemory(
				 device->handle, image->plane.image, image->plane.memory, 0),
		VK_SUCCESS);
}

/* As a program describes the image to the compositor. */
static void export(struct radv_image *image, int n_planes)
{
	const struct vulkan_device *device = image->device;
	struct dmabuf *dmabuf = &image->image.dmabuf;
	PFN_vkGetMemoryFdKHR get_fd = (PFN_vkGetMemoryFdKHR)device->call.GetDeviceProcAddr(
		device->handle, "vkGetMemoryFdKHR");
	PFN_vkGetImageSubresourceLayout get_layout =
		(PFN_vkGetImageSubresourceLayout)device->call.GetDeviceProcAddr(
			device->handle, "vkGetImageSubresourceLayout");
	VkMemoryGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.memory = image->plane.memory,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
	};

	dmabuf->n_planes = n_planes;
	for (int i = 0; i < n_planes; i++) {
		VkImageSubresource plane = {
			.aspectMask = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT << i};
		VkSubresourceLayout layout;

		get_layout(device->handle, image->plane.image, &plane, &layout);
		dmabuf->offset[i] = (uint32_t)layout.offset;
		dmabuf->stride[i] = (uint32_t)layout.rowPitch;
		assert_int_equal(get_fd(device->handle, &info, &dmabuf->fd[i]), VK_SUCCESS);
	}
	mesa_map(&image->image);
	/* Dma-bufs cannot shrink; the file behind an emulated one can. */
	assert_int_equal(fcntl(dmabuf->fd[0], F_ADD_SEALS, F_SEAL_SHRINK), 0);
}

bool radv_image_create(struct radv_image *image, const struct vulkan_device *device, int width,
	int height, uint32_t format, uint64_t modifier)
{
	*image = (struct radv_image){
		.device = device,
		.plane = {.bytes = pixel_format_get(format)->bytes[0],
			.hsub = 1,
			.vsub = 1,
			.width = (uint32_t)width,
			.height = (uint32_t)height,
			.owner = VK_QUEUE_FAMILY_IGNORED},
	};
	const VkExtent3D size = {(uint32_t)width, (uint32_t)height, 1};
	if (!create(image, &size, format_of(format), &modifier)) {
		return false;
	}
	allocate(image);
	dmabuf_init(&image->image.dmabuf);
	image->image.dmabuf.width = width;
	image->image.dmabuf.height = height;
	image->image.dmabuf.format = format;
	image->image.dmabuf.modifier = modifier;
	export(image, 1 + modifier_is_compressed(modifier));
	return true;
}

void radv_image_destroy(struct radv_image *image)
{
	mesa_free(&image->image);
	vulkan_plane_finish(&image->plane, image->device);
}
