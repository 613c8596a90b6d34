#pragma once

/** Pictures as the SDMA engine of one chip sees them: what it can address, and how. */

#include "copy/amd/tiling.h"
#include "gpu/dmabuf.h"
#include <stdbool.h>
#include <stdint.h>

/** What decides on the layout of tiled surfaces, besides the modifier. */
struct sdma_chip {
	unsigned version; /* SDMA_VERSION() */
	unsigned tile_version; /* of its own modifiers */
	unsigned pipe_xor, bank_xor, packers; /* that its modifiers carry */
};

/** One plane. */
struct sdma_surface {
	uint64_t va; /* of the plane's first byte */
	uint64_t offset, size; /* bytes in its memory */
	unsigned log2_bytes; /* of an element */
	uint32_t elements; /* per pixel (or chroma sample) */
	uint32_t width, height; /* elements */
	uint32_t stride; /* bytes */
	unsigned hsub, vsub; /* of the picture's pixels */
	bool tiled;
	uint32_t pitch, block_width; /* elements; if tiled */
	unsigned swizzle_mode; /* if tiled, as this chip's engine numbers them */
	uint64_t alignment; /* bytes of the address */
};

/** False for a version that this code does not speak. `gb_addr_config` is the chip's register. */
bool sdma_chip_init(struct sdma_chip *chip, unsigned version, uint32_t gb_addr_config);
/** 0, or -ENOTSUP or -EINVAL and a phrase that says why. The address is left to be filled in. */
int sdma_surface_init(struct sdma_surface *surface, const struct sdma_chip *chip,
	const struct dmabuf *dmabuf, int plane, const char **reason);
