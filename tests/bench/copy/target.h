/* SPDX-License-Identifier: MIT */
#pragma once

/** Images and memory for copies, in VRAM and in system memory, without imports. */

#include "copy/vulkan/queue.h"

#define TARGET_MODIFIERS_MAX 64

/** Device with a queue of one kind, opened by the engine's code. */
struct target_gpu {
	struct vulkan_device device;
	struct vulkan_queue queue;
};

enum target_memory {
	TARGET_VRAM, /* not mapped */
	TARGET_BAR, /* mapped VRAM */
	TARGET_CACHED, /* system memory */
	TARGET_UNCACHED,
	TARGET_MEMORIES,
};

struct target_linear {
	struct vulkan_plane surface;
	uint8_t *map; /* NULL for VRAM */
	size_t size;
};

const char *target_memory_name(enum target_memory memory);

/** Returns 0 or a negative errno, as vulkan_device_init() does. */
int target_gpu_init(struct target_gpu *gpu, const struct vulkan_options *options);
void target_gpu_finish(struct target_gpu *gpu);

/** Lists tiled modifiers with one plane that can be copied both ways. Returns their number. */
uint32_t target_modifiers(const struct vulkan_device *device, VkFormat format,
	uint64_t modifiers[static TARGET_MODIFIERS_MAX]);
/** Moves the image to layout GENERAL before the queue's next job. */
void target_enter_layout(struct target_gpu *gpu, VkImage image);
/**
 * Creates a tiled image in VRAM, with a modifier if the driver has them. Returns a negative errno
 * on failure.
 */
int target_image_init(struct vulkan_plane *surface, struct target_gpu *gpu, VkFormat format,
	uint32_t bytes, uint32_t width, uint32_t height);
/** Destroys an image without pending copies. */
void target_image_finish(struct vulkan_plane *surface, struct target_gpu *gpu);
/** Allocates rows without padding. Returns -ENOTSUP if the kind of memory does not exist. */
int target_linear_init(struct target_linear *linear, struct target_gpu *gpu,
	enum target_memory memory, uint32_t bytes, uint32_t width, uint32_t height);
/** Like target_linear_init(), in whole pages of the caller that outlive it. */
int target_host_init(struct target_linear *linear, struct target_gpu *gpu, void *pages, size_t size,
	uint32_t bytes, uint32_t width, uint32_t height);
void target_linear_finish(struct target_linear *linear, struct target_gpu *gpu);

/** Copies boxes and waits; exits on failure. */
void target_copy(struct target_gpu *gpu, const struct vulkan_plane *from,
	const struct vulkan_plane *to, const pixman_box32_t *boxes, int n_boxes);
/** Fills memory with random values whose neighbors differ. */
void target_scramble(void *memory, size_t size, uint64_t seed);
/** CLOCK_MONOTONIC in ns. */
int64_t target_now(void);
/** Prints the message and exits. */
void target_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
