/* SPDX-License-Identifier: MIT */
/*
 * Recorded copies, executed in plain memory: images and buffers with any padding, subsampled
 * planes, queues that want aligned rectangles. The driver is a table.
 */

#include "copy/vulkan/record.h"
#include "harness/unit.h"
#include <errno.h>
#include <string.h>

#define SIDE 48 /* elements at most */
#define BYTES_MAX 8
#define MEMORY ((SIDE + 16) * (SIDE + 1) * BYTES_MAX)
#define BOXES_MAX 80 /* more than a command has regions */
#define ROUNDS 6000

/* An image's elements lie in rows without padding. */
struct surface {
	struct vulkan_plane plane;
	uint8_t memory[MEMORY];
};

static struct surface surfaces[2], expected;
static const struct vulkan_device *queue;
static int n_regions;

static struct surface *of_image(VkImage image)
{
	struct surface *found = surfaces[0].plane.image == image ? &surfaces[0] : &surfaces[1];
	assert_true(image && found->plane.image == image);
	return found;
}

static struct surface *of_buffer(VkBuffer buffer)
{
	struct surface *found = surfaces[0].plane.buffer == buffer ? &surfaces[0] : &surfaces[1];
	assert_true(buffer && found->plane.buffer == buffer);
	return found;
}

static uint8_t *texel(struct surface *surface, int32_t x, int32_t y)
{
	const struct vulkan_plane *plane = &surface->plane;
	assert_in_range(x, 0, plane->width - 1);
	assert_in_range(y, 0, plane->height - 1);
	return surface->memory + ((size_t)y * plane->width + (size_t)x) * plane->bytes;
}

/* Returns the element of a plane, wherever it is stored. */
static uint8_t *element(struct surface *surface, int32_t x, int32_t y)
{
	const struct vulkan_plane *plane = &surface->plane;
	return plane->image ? texel(surface, x, y)
			    : surface->memory + plane->offset + (size_t)y * plane->stride +
				      (size_t)x * plane->bytes;
}

/* Fails unless the queue may copy the rectangle of the image. */
static void check_image(const struct surface *surface, VkOffset3D at, VkExtent3D size)
{
	const VkExtent3D *unit = &queue->granularity;
	const uint32_t x = (uint32_t)at.x, y = (uint32_t)at.y;
	const uint32_t width = surface->plane.width, height = surface->plane.height;
	const uint32_t unit_x = unit->width ? unit->width : width;
	const uint32_t unit_y = unit->height ? unit->height : height;
	assert_true(x % unit_x == 0 && y % unit_y == 0);
	assert_true(size.width % unit_x == 0 || x + size.width == width);
	assert_true(size.height % unit_y == 0 || y + size.height == height);
	n_regions++;
}

static void copy_mixed(VkImage image, VkBuffer buffer, uint32_t n, const VkBufferImageCopy *regions,
	bool from_image)
{
	struct surface *tiled = of_image(image), *linear = of_buffer(buffer);
	const size_t bytes = tiled->plane.bytes;
	for (uint32_t i = 0; i < n; i++) {
		const VkBufferImageCopy *region = &regions[i];
		check_image(tiled, region->imageOffset, region->imageExtent);
		assert_true(!queue->transfers_only || region->bufferOffset % 4 == 0);
		assert_int_equal(region->bufferOffset % bytes, 0);
		for (uint32_t y = 0; y < region->imageExtent.height; y++) {
			for (uint32_t x = 0; x < region->imageExtent.width; x++) {
				uint8_t *a = texel(tiled, region->imageOffset.x + (int32_t)x,
					region->imageOffset.y + (int32_t)y);
				uint8_t *b = linear->memory + region->bufferOffset +
					     ((size_t)y * region->bufferRowLength + x) * bytes;
				memcpy(from_image ? b : a, from_image ? a : b, bytes);
			}
		}
	}
}

static void copy_image_to_buffer(VkCommandBuffer commands, VkImage image, VkImageLayout layout,
	VkBuffer buffer, uint32_t n, const VkBufferImageCopy *regions)
{
	copy_mixed(image, buffer, n, regions, true);
}

static void copy_buffer_to_image(VkCommandBuffer commands, VkBuffer buffer, VkImage image,
	VkImageLayout layout, uint32_t n, const VkBufferImageCopy *regions)
{
	copy_mixed(image, buffer, n, regions, false);
}

static void copy_image(VkCommandBuffer commands, VkImage from, VkImageLayout from_layout,
	VkImage to, VkImageLayout to_layout, uint32_t n, const VkImageCopy *regions)
{
	struct surface *source = of_image(from), *destination = of_image(to);
	for (uint32_t i = 0; i < n; i++) {
		const VkImageCopy *region = &regions[i];
		check_image(source, region->srcOffset, region->extent);
		check_image(destination, region->dstOffset, region->extent);
		for (int32_t y = 0; y < (int32_t)region->extent.height; y++) {
			for (int32_t x = 0; x < (int32_t)region->extent.width; x++) {
				memcpy(texel(destination, region->dstOffset.x + x,
					       region->dstOffset.y + y),
					texel(source, region->srcOffset.x + x,
						region->srcOffset.y + y),
					source->plane.bytes);
			}
		}
	}
}

static void copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t n,
	const VkBufferCopy *regions)
{
	for (uint32_t i = 0; i < n; i++) {
		assert_in_range(regions[i].srcOffset + regions[i].size, 1, MEMORY);
		assert_in_range(regions[i].dstOffset + regions[i].size, 1, MEMORY);
		memcpy(of_buffer(to)->memory + regions[i].dstOffset,
			of_buffer(from)->memory + regions[i].srcOffset, regions[i].size);
	}
}

static void barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
	VkPipelineStageFlags after, VkDependencyFlags flags, uint32_t n_memory,
	const VkMemoryBarrier *memory, uint32_t n_buffers, const VkBufferMemoryBarrier *buffers,
	uint32_t n_images, const VkImageMemoryBarrier *images)
{
}

static VkResult begin_commands(VkCommandBuffer commands, const VkCommandBufferBeginInfo *info)
{
	return VK_SUCCESS;
}

static VkResult end_commands(VkCommandBuffer commands)
{
	return VK_SUCCESS;
}

static struct vulkan_device choose_queue(void)
{
	static const uint32_t units[] = {1, 1, 4, 8, 0};
	const uint32_t unit = units[random_between(0, 4)];
	return (struct vulkan_device){
		.granularity = {unit, unit, 1},
		.transfers_only = random_between(0, 1),
		.call =
			{
				.CmdCopyImageToBuffer = copy_image_to_buffer,
				.CmdCopyBufferToImage = copy_buffer_to_image,
				.CmdCopyImage = copy_image,
				.CmdCopyBuffer = copy_buffer,
				.CmdPipelineBarrier = barrier,
				.BeginCommandBuffer = begin_commands,
				.EndCommandBuffer = end_commands,
			},
	};
}

/* The offset and the padding of rows are multiples of the element, or of a word. */
static void choose_surface(struct surface *surface, uint32_t bytes, int hsub, int vsub)
{
	const uint32_t unit = random_between(0, 1) && bytes < 4 ? 4 : bytes;
	uintptr_t handle = (uintptr_t)surface;
	surface->plane = (struct vulkan_plane){
		.bytes = bytes,
		.hsub = (uint8_t)hsub,
		.vsub = (uint8_t)vsub,
		.width = (uint32_t)random_between(8, SIDE),
		.height = (uint32_t)random_between(8, SIDE),
		.offset = unit * (uint32_t)random_between(0, 7),
		.owner = VK_QUEUE_FAMILY_IGNORED,
	};
	if (random_between(0, 1)) {
		memcpy(&surface->plane.image, &handle, sizeof(surface->plane.image));
	} else {
		memcpy(&surface->plane.buffer, &handle, sizeof(surface->plane.buffer));
	}
	const uint32_t row = surface->plane.width * bytes;
	surface->plane.stride =
		(row + unit - 1) / unit * unit + unit * (uint32_t)random_between(0, 7);
	for (size_t i = 0; i < MEMORY; i++) {
		surface->memory[i] = (uint8_t)random_between(0, 255);
	}
}

static int least(uint32_t a, uint32_t b)
{
	return (int)(a < b ? a : b);
}

/* Chooses the box within both planes, in pixels of the source. */
static pixman_box32_t choose_box(int width, int height, int hsub, int vsub)
{
	const int x = random_between(0, width - 1), y = random_between(0, height - 1);
	return (pixman_box32_t){x * hsub, y * vsub, random_between(x + 1, width) * hsub,
		random_between(y + 1, height) * vsub};
}

/* Fails unless boxes were copied, and other elements are those of before or of the source. */
static void check(const struct vulkan_copy *copy, int dx, int dy)
{
	struct surface *from = &surfaces[0], *to = &surfaces[1];
	const struct vulkan_plane *plane = &to->plane;
	for (int y = 0; y < (int)plane->height; y++) {
		for (int x = 0; x < (int)plane->width; x++) {
			bool due = false;
			for (int i = 0; i < copy->n_boxes && !due; i++) {
				const pixman_box32_t *box = &copy->boxes[i];
				due = (x - dx) * plane->hsub >= box->x1 &&
				      (x - dx) * plane->hsub < box->x2 &&
				      (y - dy) * plane->vsub >= box->y1 &&
				      (y - dy) * plane->vsub < box->y2;
			}
			const bool inside = x >= dx && y >= dy && x - dx < (int)from->plane.width &&
					    y - dy < (int)from->plane.height;
			const uint8_t *now = element(to, x, y);
			const bool copied = inside && memcmp(now, element(from, x - dx, y - dy),
							      plane->bytes) == 0;
			const bool kept = memcmp(now, expected.memory + (now - to->memory),
						  plane->bytes) == 0;
			assert_true(due ? copied : copied || kept);
		}
	}
}

static void recorded_copies_cover_their_boxes(void **state)
{
	static const uint32_t sizes[] = {1, 2, 4, 8};
	int n_copied = 0, n_refused = 0;
	for (int round = 0; round < ROUNDS; round++) {
		const struct vulkan_device device = choose_queue();
		const uint32_t bytes = sizes[random_between(0, 3)];
		const int hsub = random_between(1, 2), vsub = random_between(1, 2);
		pixman_box32_t boxes[BOXES_MAX];
		queue = &device;
		n_regions = 0;
		for (int i = 0; i < 2; i++) {
			choose_surface(&surfaces[i], bytes, hsub, vsub);
		}
		expected = surfaces[1];
		const struct vulkan_plane *from = &surfaces[0].plane, *to = &surfaces[1].plane;
		const int width = least(from->width, to->width);
		const int height = least(from->height, to->height);
		const int dx = random_between(0, (int)to->width - width);
		const int dy = random_between(0, (int)to->height - height);
		const struct vulkan_copy copy = {
			.source = from,
			.destination = to,
			.boxes = boxes,
			.n_boxes = random_between(0, 9) ? random_between(1, 4) : BOXES_MAX,
			.dx = dx * hsub,
			.dy = dy * vsub,
		};
		for (int i = 0; i < copy.n_boxes; i++) {
			boxes[i] = choose_box(width, height, hsub, vsub);
		}
		const int error = vulkan_copy_check(&device, &copy);
		if (error < 0) {
			assert_int_equal(error, -ENOTSUP);
			n_refused++;
			continue;
		}
		assert_int_equal(vulkan_record(&device, VK_NULL_HANDLE, &copy, 1, true, true), 0);
		check(&copy, dx, dy);
		n_copied++;
	}
	assert_true(n_copied > ROUNDS / 3 && n_refused > ROUNDS / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_copies_cover_their_boxes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
