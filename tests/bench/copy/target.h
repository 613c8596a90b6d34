#pragma once

/** What is copied: images and memory of the GPU's and of the machine's, without imports. */

#include "copy/vulkan/queue.h"

#define TARGET_MAX_MODIFIERS 64

/** A device with a queue of some kind, opened by the code of the engine. */
struct target_gpu {
	struct vulkan_device device;
	struct vulkan_queue queue;
};

enum target_memory {
	TARGET_VRAM, /* not mapped */
	TARGET_BAR, /* VRAM that is mapped */
	TARGET_CACHED, /* the machine's */
	TARGET_UNCACHED,
	TARGET_MEMORIES,
};

struct target_linear {
	struct vulkan_plane surface;
	uint8_t *map; /* NULL for VRAM */
	size_t size;
};

const char *target_memory_name(enum target_memory memory);

/** 0 or negative errno, as vulkan_device_init(). */
int target_gpu_init(struct target_gpu *gpu, const struct vulkan_options *options);
void target_gpu_finish(struct target_gpu *gpu);

/** Modifiers that copy both ways and have no second plane; not the linear one. Their number. */
uint32_t target_modifiers(const struct vulkan_device *device, VkFormat format,
	uint64_t modifiers[static TARGET_MAX_MODIFIERS]);
/** Images are used in layout GENERAL; the queue's next job comes after this. */
void target_enter_layout(struct target_gpu *gpu, VkImage image);
/** A tiled image in VRAM, laid out by a modifier where the driver has them. Negative errno. */
int target_image_init(struct vulkan_plane *surface, struct target_gpu *gpu, VkFormat format,
	uint32_t bytes, uint32_t width, uint32_t height);
/** Copies have ended. */
void target_image_finish(struct vulkan_plane *surface, struct target_gpu *gpu);
/** Rows without gaps. -ENOTSUP: there is no such memory. */
int target_linear_init(struct target_linear *linear, struct target_gpu *gpu,
	enum target_memory memory, uint32_t bytes, uint32_t width, uint32_t height);
/** As that, in memory of the caller's: whole pages that outlive it. */
int target_host_init(struct target_linear *linear, struct target_gpu *gpu, void *pages, size_t size,
	uint32_t bytes, uint32_t width, uint32_t height);
void target_linear_finish(struct target_linear *linear, struct target_gpu *gpu);

/** Copies boxes and waits: ends the program if that fails. */
void target_copy(struct target_gpu *gpu, const struct vulkan_plane *from,
	const struct vulkan_plane *to, const pixman_box32_t *boxes, int n_boxes);
/** As random as need be, and no two neighbours alike. */
void target_scramble(void *memory, size_t size, uint64_t seed);
/** ns of the monotonic clock. */
int64_t target_now(void);
/** Ends the program with a message. */
void target_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
