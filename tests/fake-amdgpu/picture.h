#pragma once

/** Pictures in dma-bufs of the emulated amdgpu, and what a copy should make of them. */

#include "copy/amd/tiling.h"
#include "copy/sdma/engine.h"
#include "fake.h"
#include "gpu/dmabuf.h"

struct picture {
	struct dmabuf dmabuf; /* one plane, or two of one memory */
	uint8_t *map;
	size_t size;
};

/** The format that the tests use for elements of 1 << log2_bytes bytes. */
uint32_t picture_format(unsigned log2_bytes);
/** Random content. `extra` bytes are added to the smallest stride, `offset` lies before it. */
void picture_init_linear(struct picture *picture, uint32_t format, int width, int height,
	uint32_t extra, uint32_t offset);
/** `more`: blocks by which the pitch is wider than need be. */
void picture_init_tiled(struct picture *picture, uint32_t format, int width, int height,
	uint64_t modifier, uint32_t more);
void picture_finish(struct picture *picture);
/** Where an element is, by the equations and not by how a copy would walk. */
uint8_t *picture_element(const struct picture *picture, uint32_t x, uint32_t y);
/** Fills memory anew. */
void picture_scramble(struct picture *picture);

/** An engine on the GPU; ends the test if there is none. */
struct copy_engine *picture_engine(struct fake_gpu *gpu);
/** A copy of these rectangles that must be good and exact, and touch nothing else. */
void picture_check_copy(struct copy_engine *engine, struct fake_gpu *gpu, struct picture *source,
	struct picture *destination, const pixman_region32_t *damage, int dx, int dy);
