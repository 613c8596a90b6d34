/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Copies by a Vulkan queue. Most GPUs have a queue family for transfers only, which runs beside
 * graphics. It copies linear images, and those of any modifier of the driver, in any combination.
 * Needs Vulkan's headers at build time.
 *
 * Only the driver of the GPU is loaded, directly by its manifest: without the loader, which would
 * load all drivers, and without the session's layers, one of which would become a client of this
 * compositor. The driver does enumerate all GPUs of its kind.
 */

#include "copy/engine.h"
#include <sys/types.h>

enum vulkan_queue_kind {
	VULKAN_QUEUE_TRANSFER, /* neither graphics nor compute */
	VULKAN_QUEUE_COMPUTE, /* no graphics */
	VULKAN_QUEUE_GRAPHICS,
	VULKAN_QUEUE_ANY, /* the first available of these */
};

struct vulkan_options {
	const char *kernel_driver; /* "amdgpu"; NULL: the software renderer */
	dev_t render_dev; /* selects a GPU of the driver; 0: see `index` */
	unsigned index; /* of the driver's GPUs, if they have no nodes */
	enum vulkan_queue_kind queue;
};

/** Returns "transfer", "compute", "graphics" or "any". */
const char *vulkan_queue_kind_name(enum vulkan_queue_kind kind);
/**
 * Creates an engine. Returns 0 or -errno: -ENOENT without such a driver, -ENODEV if it lacks the
 * GPU, -ENOTSUP without such a queue. Blocks while the driver starts.
 */
int vulkan_engine_create(const struct vulkan_options *options, struct copy_engine **engine);

/** Capabilities of a device, for the hardware report. */
struct vulkan_facts {
	char name[256];
	bool queues[VULKAN_QUEUE_ANY]; /* by kind */
	bool dmabuf, modifiers; /* imports dma-bufs; images by modifier */
	bool host_memory; /* imports memory of the process */
	bool wait_sync_file, make_sync_file;
};

/**
 * Describes the GPU that the options select; their queue is ignored. Returns 0 or -errno as
 * vulkan_engine_create(). Blocks while the driver starts.
 */
int vulkan_describe(const struct vulkan_options *options, struct vulkan_facts *facts);
