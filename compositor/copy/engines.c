/* SPDX-License-Identifier: MIT */
/* The copy engines of this build, in order of preference. */

#include "copy/copier.h"
#include "copy/cpu.h"
#include "copy/gles.h"
#include "copy/gpu_engines.h"
#include "copy/vulkan.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "util/error.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#ifdef CAUSEWAY_SDMA
#include "copy/sdma.h"

static int open_node(void *data)
{
	const struct engine_context *context = data;
	if (!context->gpu->render_path) {
		return -ENOTSUP;
	}
	int fd = open(context->gpu->render_path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int create_sdma(struct engine_context *context, struct copy_engine **engine)
{
	struct sdma_options options = {
		.open_node = open_node, .data = context, .compressed = context->compressed};
	return sdma_engine_create(&options, engine);
}
#endif

#ifdef CAUSEWAY_VULKAN
static int create_vulkan(struct engine_context *context, struct copy_engine **engine)
{
	struct vulkan_options options = {
		.kernel_driver = context->gpu->driver,
		.render_dev = context->gpu->render_dev,
		.queue = context->queue,
	};
	int error = options.render_dev ? vulkan_engine_create(&options, engine) : -ENOTSUP;
	if (error < 0 && !error_may_pass(error) && context->queue == VULKAN_QUEUE_ANY) {
		/* The software driver reads any memory that can be mapped. */
		options = (struct vulkan_options){.queue = context->queue};
		error = vulkan_engine_create(&options, engine);
	}
	return error;
}
#endif

static int create_gles(struct engine_context *context, struct copy_engine **engine)
{
	/* Each copy between GPUs would sample system memory, or draw into it. */
	return gpu_samples_foreign_memory(context->gpu) ? gles_engine_create(context->gpu, engine)
							: -ENOTSUP;
}

static int create_cpu(struct engine_context *context, struct copy_engine **engine)
{
	return cpu_engine_create(engine);
}

static const struct engine_type types[] = {
#ifdef CAUSEWAY_SDMA
	{"sdma", COST_SDMA, false, create_sdma},
#endif
#ifdef CAUSEWAY_VULKAN
	{"vulkan", COST_TRANSFER, false, create_vulkan},
#endif
	{"gles", COST_GRAPHICS, false, create_gles},
	{"cpu", COST_CPU, true, create_cpu},
};

const struct engine_type *engine_types(size_t *n)
{
	*n = sizeof(types) / sizeof(types[0]);
	return types;
}

bool copier_allows(const struct copier *copier, const struct engine_type *type)
{
	return !copier->only || strcmp(type->name, copier->only) == 0;
}
