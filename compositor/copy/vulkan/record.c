/* SPDX-License-Identifier: MIT */
/* Command recording: checks that the queue supports copies, and adds barriers. */

#include "copy/vulkan/record.h"
#include <errno.h>

/* Maximum number of regions in a command. */
#define BATCH 64
/* Alignment of buffer offsets on transfer-only queues. */
#define WORD 4

/* A rectangle in elements of a plane, copied from x, y to x + dx, y + dy. */
struct area {
	int32_t x, y, dx, dy;
	uint32_t width, height;
};

static VkDeviceSize buffer_offset(const struct vulkan_plane *surface, int32_t x, int32_t y)
{
	return surface->offset + (VkDeviceSize)y * surface->stride +
	       (VkDeviceSize)x * surface->bytes;
}

static int32_t align_down(int32_t value, uint32_t to)
{
	return to > 1 ? value - value % (int32_t)to : value;
}

static int32_t align_up(int32_t value, uint32_t to, uint32_t most)
{
	int64_t aligned = to > 1 ? ((int64_t)value + to - 1) / to * to : value;
	return aligned < most ? (int32_t)aligned : (int32_t)most;
}

/* Expands to the queue's granularity, or to the edge of the image. */
static bool fit_image(const struct vulkan_device *device, const struct vulkan_plane *surface,
	struct area *area, int32_t dx, int32_t dy)
{
	const VkExtent3D *unit = &device->granularity;
	uint32_t unit_x = unit->width ? unit->width : surface->width;
	uint32_t unit_y = unit->height ? unit->height : surface->height;
	int32_t x1 = align_down(area->x + dx, unit_x), y1 = align_down(area->y + dy, unit_y);
	int32_t x2 = align_up(area->x + dx + (int32_t)area->width, unit_x, surface->width);
	int32_t y2 = align_up(area->y + dy + (int32_t)area->height, unit_y, surface->height);
	area->x = x1 - dx;
	area->y = y1 - dy;
	area->width = (uint32_t)(x2 - x1);
	area->height = (uint32_t)(y2 - y1);
	return area->x >= 0 && area->y >= 0;
}

/* Moves the left edge to a word-aligned buffer offset, by the granularity of the image. */
static bool fit_buffer(const struct vulkan_device *device, const struct vulkan_plane *buffer,
	struct area *area, int32_t dx, int32_t dy)
{
	const int32_t step = (int32_t)device->granularity.width;
	while (device->transfers_only &&
		buffer_offset(buffer, area->x + dx, area->y + dy) % WORD != 0) {
		if (step == 0 || area->x < step || area->x + area->dx < step) {
			return false;
		}
		area->x -= step;
		area->width += (uint32_t)step;
	}
	return true;
}

static bool inside(
	const struct vulkan_plane *surface, const struct area *area, int32_t dx, int32_t dy)
{
	return area->x + dx >= 0 && area->y + dy >= 0 &&
	       (uint32_t)(area->x + dx) + area->width <= surface->width &&
	       (uint32_t)(area->y + dy) + area->height <= surface->height;
}

static bool fit(const struct vulkan_device *device, const struct vulkan_copy *copy,
	const pixman_box32_t *box, struct area *area)
{
	const struct vulkan_plane *from = copy->source, *to = copy->destination;
	int32_t h = from->hsub, v = from->vsub;
	bool good = true;
	*area = (struct area){
		.x = box->x1 / h,
		.y = box->y1 / v,
		.dx = copy->dx / h,
		.dy = copy->dy / v,
		.width = (uint32_t)((box->x2 + h - 1) / h - box->x1 / h),
		.height = (uint32_t)((box->y2 + v - 1) / v - box->y1 / v),
	};
	if (from->image && to->image) {
		struct area both;
		good = fit_image(device, from, area, 0, 0) &&
		       fit_image(device, to, area, area->dx, area->dy);
		both = *area;
		good = good && fit_image(device, from, area, 0, 0) && area->x == both.x &&
		       area->y == both.y && area->width == both.width &&
		       area->height == both.height;
	} else if (from->image) {
		good = fit_image(device, from, area, 0, 0) &&
		       fit_buffer(device, to, area, area->dx, area->dy);
	} else if (to->image) {
		good = fit_image(device, to, area, area->dx, area->dy) &&
		       fit_buffer(device, from, area, 0, 0);
	}
	return good && inside(from, area, 0, 0) && inside(to, area, area->dx, area->dy);
}

int vulkan_copy_check(const struct vulkan_device *device, const struct vulkan_copy *copy)
{
	const struct vulkan_plane *from = copy->source, *to = copy->destination;
	const struct vulkan_plane *buffer = from->image ? to : from;
	bool mixed = !from->image != !to->image;
	struct area area;
	/* Copies between images and buffers need whole elements. */
	if (mixed && (buffer->stride % buffer->bytes != 0 || buffer->offset % buffer->bytes != 0)) {
		return -ENOTSUP;
	}
	for (int i = 0; i < copy->n_boxes; i++) {
		if (!fit(device, copy, &copy->boxes[i], &area)) {
			return -ENOTSUP;
		}
	}
	return 0;
}

static const VkImageSubresourceLayers colour = {
	.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
	.layerCount = 1,
};

static VkBufferImageCopy between(
	const struct vulkan_plane *buffer, const struct area *area, bool from_image)
{
	int32_t dx = area->dx, dy = area->dy;
	return (VkBufferImageCopy){
		.bufferOffset = buffer_offset(
			buffer, area->x + (from_image ? dx : 0), area->y + (from_image ? dy : 0)),
		.bufferRowLength = (uint32_t)(buffer->stride / buffer->bytes),
		.imageSubresource = colour,
		.imageOffset = {area->x + (from_image ? 0 : dx), area->y + (from_image ? 0 : dy)},
		.imageExtent = {area->width, area->height, 1},
	};
}

/* One side is an image, the other a buffer. */
static void record_mixed(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copy)
{
	bool from_image = copy->source->image;
	const struct vulkan_plane *buffer = from_image ? copy->destination : copy->source;
	VkBufferImageCopy regions[BATCH];
	uint32_t n = 0;
	for (int i = 0; i < copy->n_boxes; i++) {
		struct area area;
		fit(device, copy, &copy->boxes[i], &area);
		regions[n++] = between(buffer, &area, from_image);
		if (n < BATCH && i + 1 < copy->n_boxes) {
			continue;
		}
		if (from_image) {
			device->call.CmdCopyImageToBuffer(commands, copy->source->image,
				VK_IMAGE_LAYOUT_GENERAL, buffer->buffer, n, regions);
		} else {
			device->call.CmdCopyBufferToImage(commands, buffer->buffer,
				copy->destination->image, VK_IMAGE_LAYOUT_GENERAL, n, regions);
		}
		n = 0;
	}
}

static void record_images(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copy)
{
	for (int i = 0; i < copy->n_boxes; i++) {
		struct area area;
		VkImageCopy region;
		fit(device, copy, &copy->boxes[i], &area);
		region = (VkImageCopy){
			.srcSubresource = colour,
			.srcOffset = {area.x, area.y},
			.dstSubresource = colour,
			.dstOffset = {area.x + area.dx, area.y + area.dy},
			.extent = {area.width, area.height, 1},
		};
		device->call.CmdCopyImage(commands, copy->source->image, VK_IMAGE_LAYOUT_GENERAL,
			copy->destination->image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	}
}

/* Copies row by row, except whole rows of equal stride. */
static void record_buffers_box(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copy, const struct area *area)
{
	const struct vulkan_plane *from = copy->source, *to = copy->destination;
	VkDeviceSize row = (VkDeviceSize)area->width * from->bytes;
	bool whole = from->stride == to->stride && row == from->stride;
	uint32_t rows = whole ? 1 : area->height, n = 0;
	VkBufferCopy regions[BATCH];
	for (uint32_t i = 0; i < rows; i++) {
		int32_t y = area->y + (int32_t)i;
		regions[n++] = (VkBufferCopy){
			.srcOffset = buffer_offset(from, area->x, y),
			.dstOffset = buffer_offset(to, area->x + area->dx, y + area->dy),
			.size = whole ? row * area->height : row,
		};
		if (n == BATCH || i + 1 == rows) {
			device->call.CmdCopyBuffer(commands, from->buffer, to->buffer, n, regions);
			n = 0;
		}
	}
}

static void record_copy(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copy)
{
	if (copy->source->image && copy->destination->image) {
		record_images(device, commands, copy);
	} else if (copy->source->image || copy->destination->image) {
		record_mixed(device, commands, copy);
	} else {
		for (int i = 0; i < copy->n_boxes; i++) {
			struct area area;
			fit(device, copy, &copy->boxes[i], &area);
			record_buffers_box(device, commands, copy, &area);
		}
	}
}

/* Barriers of a submission, in one command, since each pauses the queue. */
struct barriers {
	VkMemoryBarrier memory;
	VkBufferMemoryBarrier buffers[2 * VULKAN_COPIES_MAX];
	VkImageMemoryBarrier images[2 * VULKAN_COPIES_MAX];
	uint32_t n_memory, n_buffers, n_images;
};

/* Transfers ownership to this queue or back. */
static void hand_over(struct barriers *barriers, const struct vulkan_device *device,
	const struct vulkan_plane *surface, VkAccessFlags access, bool back)
{
	uint32_t from = back ? device->family : surface->owner;
	uint32_t to = back ? surface->owner : device->family;
	if (surface->owner == VK_QUEUE_FAMILY_IGNORED) {
		return;
	}
	if (surface->buffer) {
		barriers->buffers[barriers->n_buffers++] = (VkBufferMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
			.srcAccessMask = back ? access : 0,
			.dstAccessMask = back ? 0 : access,
			.srcQueueFamilyIndex = from,
			.dstQueueFamilyIndex = to,
			.buffer = surface->buffer,
			.size = VK_WHOLE_SIZE,
		};
	} else {
		barriers->images[barriers->n_images++] = (VkImageMemoryBarrier){
			.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
			.srcAccessMask = back ? access : 0,
			.dstAccessMask = back ? 0 : access,
			.oldLayout = VK_IMAGE_LAYOUT_GENERAL,
			.newLayout = VK_IMAGE_LAYOUT_GENERAL,
			.srcQueueFamilyIndex = from,
			.dstQueueFamilyIndex = to,
			.image = surface->image,
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
		};
	}
}

static void hand_over_all(struct barriers *barriers, const struct vulkan_device *device,
	const struct vulkan_copy *copies, int n, bool back)
{
	for (int i = 0; i < n; i++) {
		hand_over(barriers, device, copies[i].source, VK_ACCESS_TRANSFER_READ_BIT, back);
		hand_over(barriers, device, copies[i].destination, VK_ACCESS_TRANSFER_WRITE_BIT,
			back);
	}
}

static void emit(const struct barriers *barriers, const struct vulkan_device *device,
	VkCommandBuffer commands, VkPipelineStageFlags before, VkPipelineStageFlags after)
{
	if (barriers->n_memory + barriers->n_buffers + barriers->n_images > 0) {
		device->call.CmdPipelineBarrier(commands, before, after, 0, barriers->n_memory,
			&barriers->memory, barriers->n_buffers, barriers->buffers,
			barriers->n_images, barriers->images);
	}
}

/* Waits for copies in flight, if any. */
static void begin_copies(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copies, int n, bool first)
{
	struct barriers barriers = {
		.n_memory = first ? 0 : 1,
		.memory =
			{
				.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
				.dstAccessMask =
					VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
			},
	};
	hand_over_all(&barriers, device, copies, n, false);
	emit(&barriers, device, commands,
		first ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
		VK_PIPELINE_STAGE_TRANSFER_BIT);
}

/*
 * Memory without another owner must be made visible to the CPU; other owners synchronise
 * themselves.
 */
static void end_copies(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copies, int n)
{
	bool own = copies[0].destination->owner == VK_QUEUE_FAMILY_IGNORED;
	struct barriers barriers = {
		.n_memory = own ? 1 : 0,
		.memory =
			{
				.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
				.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
			},
	};
	hand_over_all(&barriers, device, copies, n, true);
	emit(&barriers, device, commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
		own ? VK_PIPELINE_STAGE_HOST_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
}

int vulkan_record(const struct vulkan_device *device, VkCommandBuffer commands,
	const struct vulkan_copy *copies, int n_copies, bool first, bool once)
{
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = once ? VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT : 0,
	};
	VkResult result = device->call.BeginCommandBuffer(commands, &begin);
	if (result != VK_SUCCESS) {
		return vulkan_error(result);
	}
	begin_copies(device, commands, copies, n_copies, first);
	for (int i = 0; i < n_copies; i++) {
		record_copy(device, commands, &copies[i]);
	}
	end_copies(device, commands, copies, n_copies);
	return vulkan_error(device->call.EndCommandBuffer(commands));
}
