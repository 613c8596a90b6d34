#pragma once

/**
 * Pictures for tests of the copy engines, and what a copy makes of them. They are in udmabufs where the kernel
 * makes them, else in sealed memory files, which engines take for dma-bufs.
 */

#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stddef.h>

struct copy_picture {
	struct dmabuf dmabuf;
	uint8_t *map;
	size_t size; /* bytes */
};

/** Planes lie behind each other, with strides and starts that are `unit` bytes times something odd. */
void copy_picture_init_linear(
	struct copy_picture *picture, uint32_t fourcc, int width, int height, unsigned unit);
/** In one of AMD's layouts. */
void copy_picture_init_tiled(
	struct copy_picture *picture, uint32_t format, int width, int height, uint64_t modifier);
void copy_picture_finish(struct copy_picture *picture);
/** Other content than before, with which every picture begins. */
void copy_picture_scramble(struct copy_picture *picture);
/** Does to `memory`, laid out as the destination's, what a copy of the box by dx, dy is to do. */
void copy_picture_expect(uint8_t *memory, const struct copy_picture *source,
	const struct copy_picture *destination, const pixman_box32_t *box, int dx, int dy);
/** As the pictures' memory; if it is not sealed it could be taken away. */
int copy_picture_memory(size_t size, bool sealed);
