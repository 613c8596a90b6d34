/* The copy engines that this build has, in the order in which they are tried. */

#include "copy/copier.h"
#include "copy/cpu.h"
#include "copy/gles.h"
#include "copy/vulkan.h"
#include "gpu/gpu.h"
#include <errno.h>
#ifdef CAUSEWAY_SDMA
#include "copy/sdma.h"

static int create_sdma(const struct copier *copier, struct gpu *gpu, int (*open_node)(void *data),
	void *data, struct copy_engine **engine)
{
	struct sdma_options options = {.open_node = open_node, .data = data};

	return sdma_engine_create(&options, engine);
}
#endif

#ifdef CAUSEWAY_VULKAN
static int create_vulkan(const struct copier *copier, struct gpu *gpu, int (*open_node)(void *data),
	void *data, struct copy_engine **engine)
{
	struct vulkan_options options = {
		.kernel_driver = gpu->driver,
		.render_dev = gpu->render_dev,
		.queue = copier->queue,
	};

	return gpu->render_dev ? vulkan_engine_create(&options, engine) : -ENODEV;
}
#endif

/* Has the GPU open, as whoever draws there. */
static int create_gles(const struct copier *copier, struct gpu *gpu, int (*open_node)(void *data),
	void *data, struct copy_engine **engine)
{
	return gles_engine_create(gpu, engine);
}

/* Needs no node. */
static int create_cpu(const struct copier *copier, struct gpu *gpu, int (*open_node)(void *data),
	void *data, struct copy_engine **engine)
{
	return cpu_engine_create(engine);
}

static const struct copy_maker makers[] = {
#ifdef CAUSEWAY_SDMA
	{"sdma", COST_SDMA, create_sdma},
#endif
#ifdef CAUSEWAY_VULKAN
	{"vulkan", COST_TRANSFER, create_vulkan},
#endif
	{"gles", COST_GRAPHICS, create_gles},
	{"cpu", COST_CPU, create_cpu},
};

const struct copy_maker *copy_makers(size_t *n)
{
	*n = sizeof(makers) / sizeof(makers[0]);
	return makers;
}
