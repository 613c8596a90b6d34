#pragma once

/**
 * Copies by a Vulkan queue: on most GPUs there is a family of them that only transfers, which runs
 * beside whatever draws. Linear pictures, and those of any modifier that the driver names, from
 * either to either. Exists in builds with Vulkan's headers only.
 *
 * Only the driver that belongs to the GPU is loaded, straight from its manifest: without the
 * loader, which would load and ask all of them, and without the layers of the session, one of which
 * would be a client of ours. That driver looks at all GPUs of its own kind, though.
 */

#include "copy/engine.h"
#include <sys/types.h>

enum vulkan_queue_kind {
	VULKAN_QUEUE_TRANSFER, /* neither draws nor computes */
	VULKAN_QUEUE_COMPUTE, /* does not draw */
	VULKAN_QUEUE_GRAPHICS,
	VULKAN_QUEUE_ANY, /* the first of these that there is */
};

struct vulkan_options {
	const char *kernel_driver; /* "amdgpu"; NULL: the one that renders in software */
	dev_t render_dev; /* which of the driver's GPUs; 0: see `index` */
	unsigned index; /* of the GPUs that the driver shows, where they have no nodes */
	enum vulkan_queue_kind queue;
};

/** "transfer", ... */
const char *vulkan_queue_kind_name(enum vulkan_queue_kind kind);
/**
 * 0, or negative errno: -ENOENT if no such driver is installed, -ENODEV if it does not have the GPU,
 * -ENOTSUP if there is no such queue. Takes as long as the driver takes to start.
 */
int vulkan_engine_create(const struct vulkan_options *options, struct copy_engine **engine);
