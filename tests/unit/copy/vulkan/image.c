/* SPDX-License-Identifier: MIT */
/* Tiled images in Vulkan: which ones a driver reads and imports. The driver is a table. */

#include "copy/vulkan/image.h"
#include "copy/engine.h"
#include "gpu/format.h"
#include "harness/mapped_dmabuf.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <string.h>

#define SIDE 64

#define TILED UINT64_C(0x0200000000000901)
#define COMPRESSED (TILED + 1)
#define READ_ONLY (TILED + 2)
#define SMALL (TILED + 3)
#define PRIVATE (TILED + 4)
#define UNKNOWN (TILED + 5)

/* Modifiers of every format that the driver knows, except RGB565. */
static const struct layout {
	uint64_t modifier;
	uint32_t n_planes;
	VkFormatFeatureFlags features;
	uint32_t most; /* pixels of a side */
	bool importable;
} layouts[] = {
	{TILED, 1, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT, 4096,
		true},
	{COMPRESSED, 2, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_TRANSFER_DST_BIT,
		4096, true},
	{READ_ONLY, 1, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT, 4096, true},
	{SMALL, 1, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT, SIDE - 1, true},
	{PRIVATE, 1, VK_FORMAT_FEATURE_TRANSFER_SRC_BIT, 4096, false},
};

#define N_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

static void get_format_properties(
	VkPhysicalDevice physical, VkFormat format, VkFormatProperties2 *properties)
{
	VkDrmFormatModifierPropertiesListEXT *list = properties->pNext;
	uint32_t n = format == VK_FORMAT_R5G6B5_UNORM_PACK16 ? 0 : N_LAYOUTS;
	assert_int_not_equal(format, VK_FORMAT_UNDEFINED);
	for (uint32_t i = 0; list->pDrmFormatModifierProperties && i < n; i++) {
		list->pDrmFormatModifierProperties[i] = (VkDrmFormatModifierPropertiesEXT){
			layouts[i].modifier, layouts[i].n_planes, layouts[i].features};
	}
	list->drmFormatModifierCount = n;
}

static VkResult failure = VK_SUCCESS; /* of queries of images */

static VkResult get_image_properties(VkPhysicalDevice physical,
	const VkPhysicalDeviceImageFormatInfo2 *info, VkImageFormatProperties2 *properties)
{
	if (failure != VK_SUCCESS) {
		return failure;
	}
	const VkPhysicalDeviceExternalImageFormatInfo *external_info = info->pNext;
	const VkPhysicalDeviceImageDrmFormatModifierInfoEXT *modifier = external_info->pNext;
	VkExternalImageFormatProperties *external = properties->pNext;
	assert_int_equal(info->tiling, VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT);
	assert_int_equal(external_info->handleType, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
	for (size_t i = 0; i < N_LAYOUTS; i++) {
		if (layouts[i].modifier == modifier->drmFormatModifier) {
			properties->imageFormatProperties.maxExtent =
				(VkExtent3D){layouts[i].most, layouts[i].most, 1};
			external->externalMemoryProperties.externalMemoryFeatures =
				layouts[i].importable ? VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT
						      : 0;
			return VK_SUCCESS;
		}
	}
	return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

/* The last image that was asked for, which the driver refuses. */
static VkSubresourceLayout asked[DMABUF_PLANES_MAX];
static uint32_t n_asked;
static VkImageCreateInfo image_asked;

static VkResult create_image(VkDevice handle, const VkImageCreateInfo *info,
	const VkAllocationCallbacks *callbacks, VkImage *image)
{
	const VkExternalMemoryImageCreateInfo *external = info->pNext;
	const VkImageDrmFormatModifierExplicitCreateInfoEXT *modifier = external->pNext;
	image_asked = *info;
	n_asked = modifier->drmFormatModifierPlaneCount;
	memcpy(asked, modifier->pPlaneLayouts, n_asked * sizeof(asked[0]));
	return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

static void destroy_buffer(VkDevice handle, VkBuffer buffer, const VkAllocationCallbacks *callbacks)
{
	assert_true(buffer == VK_NULL_HANDLE);
}

static void destroy_image(VkDevice handle, VkImage image, const VkAllocationCallbacks *callbacks)
{
	assert_true(image == VK_NULL_HANDLE);
}

static void free_memory(
	VkDevice handle, VkDeviceMemory memory, const VkAllocationCallbacks *callbacks)
{
	assert_true(memory == VK_NULL_HANDLE);
}

static const struct vulkan_device device = {
	.has = {.dmabuf = true, .modifiers = true},
	.handle_type = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
	.call =
		{
			.GetPhysicalDeviceFormatProperties2 = get_format_properties,
			.GetPhysicalDeviceImageFormatProperties2 = get_image_properties,
			.CreateImage = create_image,
			.DestroyBuffer = destroy_buffer,
			.DestroyImage = destroy_image,
			.FreeMemory = free_memory,
		},
};

static bool reads(const struct vulkan_device *by, uint32_t format, uint64_t modifier)
{
	int answer = vulkan_plane_ask(by, pixel_format_get(format), 0, modifier);
	assert_in_range(answer, 0, 1);
	return answer;
}

static void driver_reads_its_own_modifiers(void **state)
{
	assert_true(reads(&device, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_true(reads(&device, DRM_FORMAT_XRGB8888, TILED));
	assert_true(reads(&device, DRM_FORMAT_XRGB8888, COMPRESSED));
	assert_true(reads(&device, DRM_FORMAT_XRGB8888, READ_ONLY));
	assert_true(reads(&device, DRM_FORMAT_NV12, TILED));
	/* Images of several planes have no room for more. */
	assert_false(reads(&device, DRM_FORMAT_NV12, COMPRESSED));
	assert_false(reads(&device, DRM_FORMAT_XRGB8888, PRIVATE));
	assert_false(reads(&device, DRM_FORMAT_XRGB8888, UNKNOWN));
	assert_false(reads(&device, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_INVALID));
	assert_false(reads(&device, DRM_FORMAT_RGB565, TILED));
	/* No Vulkan format */
	assert_false(reads(&device, DRM_FORMAT_RGB888, TILED));

	struct vulkan_device plain = device;
	plain.has.modifiers = false;
	assert_false(reads(&plain, DRM_FORMAT_XRGB8888, TILED));
	assert_true(reads(&plain, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	plain.has.dmabuf = false;
	assert_false(reads(&plain, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
}

static void images_are_imported_as_the_driver_allows(void **state)
{
	static const char unsupported[] = "the driver cannot copy this format and modifier";
	static const struct {
		uint32_t format;
		uint64_t modifier;
		int n_planes;
		unsigned use;
		const char *reason; /* NULL: accepted */
	} cases[] = {
		{DRM_FORMAT_XRGB8888, TILED, 1, COPY_SOURCE, NULL},
		{DRM_FORMAT_XRGB8888, TILED, 1, COPY_DESTINATION, NULL},
		{DRM_FORMAT_XRGB8888, READ_ONLY, 1, COPY_SOURCE, NULL},
		{DRM_FORMAT_XRGB8888, READ_ONLY, 1, COPY_DESTINATION, unsupported},
		{DRM_FORMAT_XRGB8888, COMPRESSED, 2, COPY_SOURCE, NULL},
		{DRM_FORMAT_XRGB8888, COMPRESSED, 1, COPY_SOURCE, unsupported},
		{DRM_FORMAT_XRGB8888, TILED, 2, COPY_SOURCE, unsupported},
		{DRM_FORMAT_XRGB8888, SMALL, 1, COPY_SOURCE, unsupported},
		{DRM_FORMAT_XRGB8888, PRIVATE, 1, COPY_SOURCE, unsupported},
		{DRM_FORMAT_XRGB8888, UNKNOWN, 1, COPY_SOURCE, unsupported},
		{DRM_FORMAT_RGB888, TILED, 1, COPY_SOURCE, unsupported},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pixel_format *format = pixel_format_get(cases[i].format);
		struct dmabuf dmabuf;
		const char *reason = NULL;
		dmabuf_init(&dmabuf);
		dmabuf.width = dmabuf.height = SIDE;
		dmabuf.format = cases[i].format;
		dmabuf.modifier = cases[i].modifier;
		dmabuf.n_planes = cases[i].n_planes;
		dmabuf.fd[0] = mapped_dmabuf_memory(SIDE * SIDE * 8, true);
		dmabuf.stride[0] = SIDE * 4;
		if (cases[i].n_planes > 1) {
			dmabuf.fd[1] = fd_dup(dmabuf.fd[0]);
			dmabuf.stride[1] = SIDE;
		}
		int error = vulkan_plane_check(&device, &dmabuf, format, 0, cases[i].use, &reason);
		if (error != (cases[i].reason ? -ENOTSUP : 0) ||
			(error && strcmp(reason, cases[i].reason) != 0)) {
			fail_msg("case %zu: %d, %s", i, error, reason);
		}
		dmabuf_finish(&dmabuf);
	}
}

static struct dmabuf describe_tiled(int32_t width, int32_t height)
{
	struct dmabuf dmabuf;
	dmabuf_init(&dmabuf);
	dmabuf.width = width;
	dmabuf.height = height;
	dmabuf.format = DRM_FORMAT_XRGB8888;
	dmabuf.modifier = TILED;
	dmabuf.n_planes = 1;
	dmabuf.stride[0] = (uint32_t)width * 4;
	return dmabuf;
}

/* Each failure is an answer, about sources and destinations, only if the driver means it. */
static void failure_of_the_driver_is_no_answer(void **state)
{
	static const struct {
		VkResult result;
		int error;
	} cases[] = {
		{VK_SUCCESS, 0},
		{VK_ERROR_FORMAT_NOT_SUPPORTED, -ENOTSUP},
		{VK_ERROR_OUT_OF_HOST_MEMORY, -ENOMEM},
		{VK_ERROR_OUT_OF_DEVICE_MEMORY, -ENOMEM},
		{VK_ERROR_DEVICE_LOST, -ENODEV},
		{VK_ERROR_UNKNOWN, -EIO},
	};
	const struct pixel_format *format = pixel_format_get(DRM_FORMAT_XRGB8888);
	struct dmabuf dmabuf = describe_tiled(SIDE, SIDE);
	const char *reason;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int error = cases[i].error;
		/* Asked again, the driver has answers. */
		for (int n = 0; n < 5; n++) {
			failure = cases[i].result;
			assert_int_equal(vulkan_plane_ask(&device, format, 0, TILED),
				error == 0          ? 1
				: error == -ENOTSUP ? 0
						    : error);
			for (unsigned use = COPY_SOURCE; use <= COPY_DESTINATION; use++) {
				assert_int_equal(vulkan_plane_check(
							 &device, &dmabuf, format, 0, use, &reason),
					error);
			}
			failure = VK_SUCCESS;
			assert_int_equal(vulkan_plane_ask(&device, format, 0, TILED), 1);
			assert_int_equal(vulkan_plane_check(
						 &device, &dmabuf, format, 0, COPY_SOURCE, &reason),
				0);
		}
	}
}

/* In each direction. */
static void images_are_as_large_as_the_driver_allows(void **state)
{
	static const struct {
		int32_t width, height;
		int error;
	} cases[] = {
		{1, 1, 0},
		{4096, 4096, 0},
		{4097, 4096, -ENOTSUP},
		{4096, 4097, -ENOTSUP},
		{1, 4097, -ENOTSUP},
		{4097, 1, -ENOTSUP},
	};
	const struct pixel_format *format = pixel_format_get(DRM_FORMAT_XRGB8888);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dmabuf dmabuf = describe_tiled(cases[i].width, cases[i].height);
		const char *reason;
		assert_int_equal(
			vulkan_plane_check(&device, &dmabuf, format, 0, COPY_SOURCE, &reason),
			cases[i].error);
	}
}

/* Planes of pixels are images of their own; a modifier's further planes belong to the first. */
static void images_have_the_layout_of_their_planes(void **state)
{
	static const struct {
		uint32_t format;
		int n_planes, plane, width, height, n_layouts;
		VkFormat image;
	} cases[] = {
		{DRM_FORMAT_XRGB8888, 1, 0, 33, 31, 1, VK_FORMAT_B8G8R8A8_UNORM},
		{DRM_FORMAT_ABGR8888, 2, 0, 33, 31, 2, VK_FORMAT_R8G8B8A8_UNORM},
		{DRM_FORMAT_ABGR8888, 3, 0, 33, 31, 3, VK_FORMAT_R8G8B8A8_UNORM},
		{DRM_FORMAT_NV12, 2, 0, 33, 31, 1, VK_FORMAT_R8_UNORM},
		{DRM_FORMAT_NV12, 2, 1, 17, 16, 1, VK_FORMAT_R8G8_UNORM},
		{DRM_FORMAT_P010, 2, 0, 33, 31, 1, VK_FORMAT_R16_UNORM},
		{DRM_FORMAT_P010, 2, 1, 17, 16, 1, VK_FORMAT_R16G16_UNORM},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pixel_format *format = pixel_format_get(cases[i].format);
		struct dmabuf dmabuf;
		struct vulkan_plane plane;
		dmabuf_init(&dmabuf);
		dmabuf.width = 33;
		dmabuf.height = 31;
		dmabuf.format = cases[i].format;
		dmabuf.modifier = TILED;
		dmabuf.n_planes = cases[i].n_planes;
		for (int j = 0; j < dmabuf.n_planes; j++) {
			dmabuf.offset[j] = (uint32_t)(65536 * (j + 1));
			dmabuf.stride[j] = (uint32_t)(1024 * (j + 1));
		}
		for (unsigned use = COPY_SOURCE; use <= COPY_DESTINATION; use++) {
			assert_int_equal(vulkan_plane_import(&plane, &device, &dmabuf, format,
						 cases[i].plane, use),
				-ENOMEM);
			assert_int_equal(image_asked.usage,
				use == COPY_SOURCE ? VK_IMAGE_USAGE_TRANSFER_SRC_BIT
						   : VK_IMAGE_USAGE_TRANSFER_DST_BIT);
		}
		assert_int_equal(image_asked.format, cases[i].image);
		assert_int_equal(image_asked.extent.width, cases[i].width);
		assert_int_equal(image_asked.extent.height, cases[i].height);
		assert_int_equal(n_asked, cases[i].n_layouts);
		for (int j = 0; j < cases[i].n_layouts; j++) {
			assert_int_equal(asked[j].offset, 65536 * (cases[i].plane + j + 1));
			assert_int_equal(asked[j].rowPitch, 1024 * (cases[i].plane + j + 1));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(driver_reads_its_own_modifiers),
		cmocka_unit_test(images_are_imported_as_the_driver_allows),
		cmocka_unit_test(failure_of_the_driver_is_no_answer),
		cmocka_unit_test(images_are_as_large_as_the_driver_allows),
		cmocka_unit_test(images_have_the_layout_of_their_planes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
