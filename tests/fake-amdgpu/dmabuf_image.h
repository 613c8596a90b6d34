/* SPDX-License-Identifier: MIT */
#pragma once

/** Images in dma-bufs of the emulated amdgpu, and checks of copies between them. */

#include "copy/amd/tiling.h"
#include "copy/sdma.h"
#include "fake.h"
#include "gpu/dmabuf.h"

struct dmabuf_image {
	struct dmabuf dmabuf; /* one plane, or two in one memory object */
	uint8_t *map;
	size_t size;
};

/** Returns the format that tests use for elements of 1 << log2_bytes bytes. */
uint32_t dmabuf_image_format(unsigned log2_bytes);
/**
 * Creates a linear image of random content. `extra` bytes are added to the minimum stride, `offset`
 * precedes the image.
 */
void dmabuf_image_init_linear(struct dmabuf_image *image, uint32_t format, int width, int height,
	uint32_t extra, uint32_t offset);
/**
 * Creates a tiled image of random content, with a pitch that is `more` blocks wider than necessary.
 */
void dmabuf_image_init_tiled(struct dmabuf_image *image, uint32_t format, int width, int height,
	uint64_t modifier, uint32_t more);
void dmabuf_image_finish(struct dmabuf_image *image);
/** Returns an element's address according to the tiling equations. */
uint8_t *dmabuf_image_element(const struct dmabuf_image *image, uint32_t x, uint32_t y);
/** Fills the memory with new random content. */
void dmabuf_image_scramble(struct dmabuf_image *image);

/** Creates an SDMA engine on the GPU; ends the test on failure. */
struct copy_engine *dmabuf_image_engine(struct fake_gpu *gpu);
/**
 * Copies these rectangles and fails the test unless the result is exact and all other bytes are
 * unchanged.
 */
void dmabuf_image_check_copy(struct copy_engine *engine, struct fake_gpu *gpu,
	struct dmabuf_image *source, struct dmabuf_image *destination,
	const pixman_region32_t *damage, int dx, int dy);
