/* SPDX-License-Identifier: MIT */
/*
 * Verification of copies of imported memory, in every layout that the driver lists: images are
 * exported, and imported as the engine does it, as source and as destination. Without dma-bufs (on
 * machines without DRM nodes), the driver's own descriptors are used.
 */

#include "bench.h"
#include "copy/vulkan/image.h"
#include "gpu/format.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sizes that are aligned for no layout. */
#define WIDTH 318
#define HEIGHT 131

static const struct {
	VkFormat format;
	uint32_t fourcc;
} formats[] = {
	{VK_FORMAT_R8_UNORM, DRM_FORMAT_R8},
	{VK_FORMAT_R5G6B5_UNORM_PACK16, DRM_FORMAT_RGB565},
	{VK_FORMAT_B8G8R8A8_UNORM, DRM_FORMAT_XRGB8888},
	{VK_FORMAT_A2B10G10R10_UNORM_PACK32, DRM_FORMAT_XBGR2101010},
	{VK_FORMAT_R16G16B16A16_UNORM, DRM_FORMAT_XBGR16161616},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

struct calls {
	PFN_vkGetMemoryFdKHR get_fd; /* NULL: exports are unsupported */
	PFN_vkGetImageSubresourceLayout get_layout;
};

static struct calls calls_of(const struct vulkan_device *device)
{
	return (struct calls){
		.get_fd = (PFN_vkGetMemoryFdKHR)device->call.GetDeviceProcAddr(
			device->handle, "vkGetMemoryFdKHR"),
		.get_layout = (PFN_vkGetImageSubresourceLayout)device->call.GetDeviceProcAddr(
			device->handle, "vkGetImageSubresourceLayout"),
	};
}

static int create_image(struct vulkan_plane *surface, const struct vulkan_device *device,
	VkFormat format, uint64_t modifier)
{
	VkImageDrmFormatModifierListCreateInfoEXT list = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT,
		.drmFormatModifierCount = 1,
		.pDrmFormatModifiers = &modifier,
	};
	VkExternalMemoryImageCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
		.pNext = &list,
		.handleTypes = device->handle_type,
	};
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.pNext = &external,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {WIDTH, HEIGHT, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};

	return vulkan_error(device->call.CreateImage(device->handle, &info, NULL, &surface->image));
}

static int allocate(struct vulkan_plane *surface, const struct vulkan_device *device)
{
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.image = surface->image,
	};
	VkExportMemoryAllocateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
		.pNext = &dedicated,
		.handleTypes = device->handle_type,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = &export,
	};
	VkMemoryRequirements requirements;
	int type, error;

	device->call.GetImageMemoryRequirements(device->handle, surface->image, &requirements);
	type = vulkan_device_memory_type(device, requirements.memoryTypeBits, 0);
	if (type < 0) {
		return -ENOTSUP;
	}
	info.allocationSize = requirements.size;
	info.memoryTypeIndex = (uint32_t)type;
	error = vulkan_error(
		device->call.AllocateMemory(device->handle, &info, NULL, &surface->memory));
	return error < 0 ? error
			 : vulkan_error(device->call.BindImageMemory(
				   device->handle, surface->image, surface->memory, 0));
}

/* Creates an image and exports its memory with its layout. */
static int export_image(struct vulkan_plane *surface, struct dmabuf *dmabuf, struct target_gpu *gpu,
	const struct calls *calls, size_t format, uint64_t modifier)
{
	const struct vulkan_device *device = &gpu->device;
	VkImageSubresource plane = {.aspectMask = VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT};
	VkSubresourceLayout layout;
	VkMemoryGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.handleType = device->handle_type,
	};
	int error;

	*surface = (struct vulkan_plane){
		.bytes = pixel_format_get(formats[format].fourcc)->bytes[0],
		.hsub = 1,
		.vsub = 1,
		.width = WIDTH,
		.height = HEIGHT,
		.owner = VK_QUEUE_FAMILY_IGNORED,
	};
	dmabuf_init(dmabuf);
	error = create_image(surface, device, formats[format].format, modifier);
	if (error == 0) {
		error = allocate(surface, device);
	}
	if (error < 0) {
		vulkan_plane_finish(surface, device);
		return error;
	}
	target_enter_layout(gpu, surface->image);
	calls->get_layout(device->handle, surface->image, &plane, &layout);
	dmabuf->width = WIDTH;
	dmabuf->height = HEIGHT;
	dmabuf->format = formats[format].fourcc;
	dmabuf->modifier = modifier;
	dmabuf->n_planes = 1;
	dmabuf->offset[0] = (uint32_t)layout.offset;
	dmabuf->stride[0] = (uint32_t)layout.rowPitch;
	get.memory = surface->memory;
	if (calls->get_fd(device->handle, &get, &dmabuf->fd[0]) != VK_SUCCESS) {
		target_fail("cannot export an image");
	}
	return 0;
}

static const char *import(struct vulkan_plane *surface, const struct vulkan_device *device,
	const struct dmabuf *dmabuf, unsigned use)
{
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	const char *reason;

	if (vulkan_plane_ask(device, format, 0, dmabuf->modifier) <= 0) {
		return "the engine reports it as unreadable";
	}
	if (vulkan_plane_check(device, dmabuf, format, 0, use, &reason) < 0) {
		return reason;
	}
	return vulkan_plane_import(surface, device, dmabuf, format, 0, use) < 0
		       ? "cannot import it after a successful check"
		       : NULL;
}

/*
 * Copies into the image through one of the two, and out through the other. Returns NULL or an error
 * message.
 */
static const char *check_once(struct target_gpu *gpu, const struct calls *calls, size_t format,
	uint64_t modifier, bool in)
{
	static const pixman_box32_t all = {0, 0, WIDTH, HEIGHT};
	uint32_t bytes = pixel_format_get(formats[format].fourcc)->bytes[0];
	struct vulkan_plane exported, imported;
	struct target_linear from, to;
	struct dmabuf dmabuf;
	const char *wrong;

	if (export_image(&exported, &dmabuf, gpu, calls, format, modifier) < 0) {
		return "cannot create an image of it";
	}
	wrong = import(&imported, &gpu->device, &dmabuf, in ? COPY_DESTINATION : COPY_SOURCE);
	if (!wrong) {
		if (target_linear_init(&from, gpu, TARGET_CACHED, bytes, WIDTH, HEIGHT) < 0 ||
			target_linear_init(&to, gpu, TARGET_CACHED, bytes, WIDTH, HEIGHT) < 0) {
			target_fail("no memory");
		}
		target_scramble(from.map, from.size, modifier + format);
		target_copy(gpu, &from.surface, in ? &imported : &exported, &all, 1);
		target_copy(gpu, in ? &exported : &imported, &to.surface, &all, 1);
		wrong = memcmp(from.map, to.map, from.size) == 0 ? NULL : "the copy is wrong";
		target_linear_finish(&from, gpu);
		target_linear_finish(&to, gpu);
		target_image_finish(&imported, gpu);
	}
	target_image_finish(&exported, gpu);
	dmabuf_finish(&dmabuf);
	return wrong;
}

static int check_format(
	struct target_gpu *gpu, const struct calls *calls, size_t format, int *n_failed)
{
	uint64_t modifiers[TARGET_MODIFIERS_MAX];
	int n = (int)target_modifiers(&gpu->device, formats[format].format, modifiers);

	for (int i = 0; i < 2 * n; i++) {
		const char *wrong = check_once(gpu, calls, format, modifiers[i / 2], i % 2 == 1);

		if (wrong) {
			fprintf(stderr, "%s queue, format %zu, modifier %#llx, %s: %s\n",
				vulkan_queue_kind_name(gpu->device.kind), format,
				(unsigned long long)modifiers[i / 2], i % 2 ? "written" : "read",
				wrong);
			++*n_failed;
		}
	}
	return 2 * n;
}

int bench_import(struct bench *bench)
{
	int n = 0, n_failed = 0;
	bool dmabufs = false;

	for (int kind = 0; kind < BENCH_KINDS; kind++) {
		struct vulkan_device *device = &bench->gpus[kind].device;
		bool has_dmabuf = device->has.dmabuf;
		struct calls calls = {0};

		if (bench->has[kind] && device->has.modifiers) {
			calls = calls_of(device);
		}
		if (!calls.get_fd) {
			continue;
		}
		if (!has_dmabuf) {
			device->handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
			device->has.dmabuf = true;
		}
		dmabufs |= has_dmabuf;
		for (size_t i = 0; i < N_FORMATS; i++) {
			n += check_format(&bench->gpus[kind], &calls, i, &n_failed);
		}
		device->has.dmabuf = has_dmabuf;
		device->handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
	}
	if (n == 0) {
		printf("\nimports of layouts skipped: the driver has no modifiers\n");
	} else {
		printf("\n%d imports of layouts, as %s, %d of them failed\n", n,
			dmabufs ? "dma-bufs" : "the driver's own descriptors", n_failed);
	}
	return n_failed;
}
