/* SPDX-License-Identifier: MIT */
#pragma once

/** Image planes in the terms of a chip's SDMA engine. */

#include "copy/amd/dcc.h"
#include "copy/sdma/packet.h"
#include "gpu/dmabuf.h"
#include <stdbool.h>
#include <stdint.h>

/** Chip properties that determine tiled layouts, besides the modifier. */
struct sdma_chip {
	unsigned version; /* SDMA_VERSION() */
	unsigned tile_version; /* of its own modifiers */
	unsigned pipe_xor, bank_xor, packers; /* that its modifiers carry */
};

/** One plane. */
struct sdma_plane {
	uint64_t va; /* of the plane's first byte */
	uint64_t offset, size; /* bytes in its memory */
	unsigned log2_bytes; /* of an element */
	uint32_t elements; /* per pixel (or chroma sample) */
	uint32_t width, height; /* elements */
	uint32_t stride; /* bytes */
	unsigned hsub, vsub; /* of the image's pixels */
	uint32_t group; /* pixels that share chroma within the plane: whole groups are copied */
	bool tiled;
	uint32_t pitch, block_width; /* elements; if tiled */
	unsigned swizzle_mode; /* if tiled, as this chip's engine numbers them */
	uint64_t alignment; /* bytes of the address */
	bool compressed; /* from here on: if compressed */
	struct sdma_compression compression; /* except its address */
	struct dcc dcc; /* metadata in memory; size 0: none */
};

/** Returns false for unknown versions. `gb_addr_config` is the chip's register. */
bool sdma_chip_init(struct sdma_chip *chip, unsigned version, uint32_t gb_addr_config);
/**
 * Describes a plane except its address. Returns 0, or -ENOTSUP or -EINVAL with a phrase in *reason.
 */
int sdma_plane_init(struct sdma_plane *surface, const struct sdma_chip *chip,
	const struct dmabuf *dmabuf, int plane, const char **reason);
/** Returns the number of elements of a row that hold its first `pixels`, in whole groups. */
uint32_t sdma_plane_end(const struct sdma_plane *surface, int32_t pixels);
/**
 * Checks the dma-buf's plane of metadata, if the surface has one in memory, except its end. Returns
 * as sdma_plane_init().
 */
int sdma_plane_check_metadata(
	const struct sdma_plane *surface, const struct dmabuf *dmabuf, const char **reason);
