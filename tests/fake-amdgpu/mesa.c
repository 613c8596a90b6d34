/* SPDX-License-Identifier: MIT */
/* Emulated GPUs that Mesa's own drivers open. */

#include "mesa.h"
#include "gpu/gbm.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <gbm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The emulated chips that the engine accepts. */
static const char *const chips[MESA_CHIPS] = {
	"vega10", "raven", "navi10", "navi21", "navi24", "vangogh", "navi31", "strix", "navi48"};

static void add(struct mesa_gpu *gpu, const char *chip, unsigned minor)
{
	*gpu = (struct mesa_gpu){.chip = chip, .fake = fake_gpu_create(fake_chip_find(chip))};
	snprintf(gpu->path, sizeof(gpu->path), "/dev/dri/renderD%u", minor);
	fake_gpu_set_path(gpu->fake, gpu->path);
	gpu->base = (struct gpu){
		.render_path = gpu->path,
		.render_dev = makedev(226, minor),
		.driver = xstrdup("amdgpu"),
		.bus_id = xasprintf("emulated-%s", chip),
		.fd = -1,
	};
	wl_signal_init(&gpu->base.events.gone);
}

static bool open_gpu(struct mesa_gpu *gpu)
{
	if (gpu_open(&gpu->base) < 0) {
		return false;
	}
	gpu->egl = egl_create(&gpu->base);
	if (!gpu->egl || !strstr((const char *)glGetString(GL_RENDERER), "AMD")) {
		return false;
	}
	gpu->sdma = dmabuf_image_engine(gpu->fake);
	return true;
}

bool mesa_start(struct mesa_gpu gpus[static MESA_CHIPS])
{
	bool all = true;

	for (unsigned i = 0; i < MESA_CHIPS; i++) {
		add(&gpus[i], chips[i], 128 + i);
	}
	for (unsigned i = 0; i < MESA_CHIPS && all; i++) {
		all = open_gpu(&gpus[i]);
	}
	return all;
}

void mesa_finish(struct mesa_gpu gpus[static MESA_CHIPS])
{
	for (unsigned i = 0; i < MESA_CHIPS; i++) {
		copy_engine_destroy(gpus[i].sdma);
		egl_destroy(gpus[i].egl);
		if (gpus[i].base.n_users > 0) {
			gpu_close(&gpus[i].base);
		}
		free(gpus[i].base.driver);
		free(gpus[i].base.bus_id);
	}
	fake_reset_all();
}

void mesa_map(struct dmabuf_image *image)
{
	image->size = (size_t)lseek(image->dmabuf.fd[0], 0, SEEK_END);
	image->map =
		mmap(NULL, image->size, PROT_READ | PROT_WRITE, MAP_SHARED, image->dmabuf.fd[0], 0);
	assert_true(image->map != MAP_FAILED);
}

bool mesa_allocate(struct mesa_gpu *gpu, int width, int height, uint32_t format, uint64_t modifier,
	struct dmabuf_image *image)
{
	struct gbm_bo *bo = gbm_bo_create_with_modifiers2(gpu->base.gbm, (uint32_t)width,
		(uint32_t)height, format, &modifier, 1, GBM_BO_USE_RENDERING);

	if (!bo) {
		return false;
	}
	dmabuf_init(&image->dmabuf);
	assert_int_equal(gbm_export_planes(bo, &image->dmabuf), 0);
	image->dmabuf.width = width;
	image->dmabuf.height = height;
	image->dmabuf.format = format;
	image->dmabuf.modifier = gbm_bo_get_modifier(bo);
	gbm_bo_destroy(bo);
	mesa_map(image);
	return true;
}

void mesa_free(struct dmabuf_image *image)
{
	munmap(image->map, image->size);
	dmabuf_finish(&image->dmabuf);
}

bool mesa_is_plain(uint32_t fourcc)
{
	const struct pixel_format *format = pixel_format_get(fourcc);

	return format && format->n_planes == 1 &&
	       (format->bytes[0] & (format->bytes[0] - 1)) == 0 && !format->yuv;
}
