/* The copy engines that this build has, in the order in which they are tried. */

#include "copy/copier.h"
#include "copy/cpu.h"
#include "copy/gles.h"
#include "copy/vulkan.h"
#include "gpu/gpu.h"
#include <errno.h>
#include <fcntl.h>
#ifdef CAUSEWAY_SDMA
#include "copy/sdma.h"

static int open_node(void *data)
{
	const struct copy_place *place = data;
	int fd;

	if (!place->gpu->render_path) {
		return -ENODEV;
	}
	fd = open(place->gpu->render_path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int create_sdma(struct copy_place *place, struct copy_engine **engine)
{
	struct sdma_options options = {.open_node = open_node, .data = place};

	return sdma_engine_create(&options, engine);
}
#endif

#ifdef CAUSEWAY_VULKAN
static int create_vulkan(struct copy_place *place, struct copy_engine **engine)
{
	struct vulkan_options options = {
		.kernel_driver = place->gpu->driver,
		.render_dev = place->gpu->render_dev,
		.queue = place->queue,
	};

	int error = options.render_dev ? vulkan_engine_create(&options, engine) : -ENODEV;

	if (error < 0 && place->queue == VULKAN_QUEUE_ANY) {
		/* The driver that renders in software, which reads what can be mapped. */
		options = (struct vulkan_options){.queue = place->queue};
		error = vulkan_engine_create(&options, engine);
	}
	return error;
}
#endif

static int create_gles(struct copy_place *place, struct copy_engine **engine)
{
	return gles_engine_create(place->gpu, engine);
}

static int create_cpu(struct copy_place *place, struct copy_engine **engine)
{
	return cpu_engine_create(engine);
}

static const struct copy_maker makers[] = {
#ifdef CAUSEWAY_SDMA
	{"sdma", COST_SDMA, false, create_sdma},
#endif
#ifdef CAUSEWAY_VULKAN
	{"vulkan", COST_TRANSFER, false, create_vulkan},
#endif
	{"gles", COST_GRAPHICS, false, create_gles},
	{"cpu", COST_CPU, true, create_cpu},
};

const struct copy_maker *copy_makers(size_t *n)
{
	*n = sizeof(makers) / sizeof(makers[0]);
	return makers;
}
