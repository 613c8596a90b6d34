/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Mapped dma-bufs for tests of copy engines, and a reference implementation of a copy. Memory comes
 * from udmabufs if the kernel supports them, else from sealed memory files, which the engines
 * accept as dma-bufs.
 */

#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stddef.h>

struct mapped_dmabuf {
	struct dmabuf dmabuf;
	uint8_t *map;
	size_t size; /* bytes */
};

/**
 * Creates a linear buffer of random content with successive planes, in one memory or in one each;
 * strides and offsets are multiples of `unit` bytes with random padding, or none.
 */
void mapped_dmabuf_init_linear(
	struct mapped_dmabuf *buffer, uint32_t fourcc, int width, int height, unsigned unit);
/** Creates a buffer of random content in one of AMD's tilings. */
void mapped_dmabuf_init_tiled(
	struct mapped_dmabuf *buffer, uint32_t format, int width, int height, uint64_t modifier);
void mapped_dmabuf_finish(struct mapped_dmabuf *buffer);
/** Fills the buffer with new random content. */
void mapped_dmabuf_scramble(struct mapped_dmabuf *buffer);
/** Applies the copy of a box, moved by dx, dy, to `memory`, which has the destination's layout. */
void mapped_dmabuf_expect(uint8_t *memory, const struct mapped_dmabuf *source,
	const struct mapped_dmabuf *destination, const pixman_box32_t *box, int dx, int dy);
/**
 * Returns a new descriptor of `size` bytes, as for a buffer; if not `sealed`, its owner can
 * truncate it.
 */
int mapped_dmabuf_memory(size_t size, bool sealed);
