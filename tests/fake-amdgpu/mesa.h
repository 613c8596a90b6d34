/* SPDX-License-Identifier: MIT */
#pragma once

/** Emulated GPUs that Mesa's own drivers (radeonsi, RADV) open, and images that they allocate. */

#include "dmabuf_image.h"
#include "fake.h"
#include "gpu/egl.h"
#include "gpu/gpu.h"

#define MESA_CHIPS 9

struct mesa_gpu {
	const char *chip;
	struct fake_gpu *fake;
	struct gpu base; /* open */
	struct egl *egl; /* NULL unless asked for */
	struct copy_engine *sdma;
	char path[32];
};

/**
 * Adds an emulated GPU of each generation and opens them by radeonsi, with a context and an SDMA
 * engine. Returns false if radeonsi is not installed. Used once per program, since drivers keep
 * state.
 */
bool mesa_start(struct mesa_gpu gpus[static MESA_CHIPS]);
void mesa_finish(struct mesa_gpu gpus[static MESA_CHIPS]);

/** Allocates an image by GBM, which the CPU maps. Returns false if the driver refuses. */
bool mesa_allocate(struct mesa_gpu *gpu, int width, int height, uint32_t format, uint64_t modifier,
	struct dmabuf_image *image);
/** Maps the memory of image->dmabuf, which must be emulated. */
void mesa_map(struct dmabuf_image *image);
void mesa_free(struct dmabuf_image *image);

/** Returns whether SDMA packets know the format's pixels: one plane of 1, 2, 4 or 8 bytes. */
bool mesa_is_plain(uint32_t format);
