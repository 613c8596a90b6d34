/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * SDMA packets, from version 4.0 (GFX9) to 7.0 (GFX12): pure functions from a copy to the words of
 * a command stream. Field positions differ by version; the code comments on differences between
 * packets of a version.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDMA_VERSION(major, minor) ((major) << 8 | (minor))

/** Limits of a version. */
struct sdma_limits {
	uint32_t linear_bytes; /* of one linear copy */
	uint32_t extent; /* elements: width and height of surfaces and rectangles, linear pitch */
};

/** Output of the encoders. `length` counts on past `capacity`, without writing. */
struct sdma_stream {
	uint32_t *words;
	size_t length, capacity; /* words */
};

/** How the pixels of a tiled source are compressed (DCC), in the hardware's numbers. */
struct sdma_compression {
	uint64_t va; /* of the metadata; ignored by 7.0, which finds it through the page tables */
	unsigned data_format, number_type;
	unsigned max_block; /* AMD_FMT_MOD_DCC_BLOCK_* */
};

/** One rectangle; x, y, pitches and sizes in elements of 1 << log2_bytes bytes. */
struct sdma_tiled {
	uint64_t va; /* of the surface; aligned to its swizzle block */
	uint32_t x, y;
	uint32_t width, height; /* of the whole surface */
	uint32_t pitch; /* used by 4.x only, the others compute it from the width */
	unsigned swizzle_mode; /* as this version numbers them */
	const struct sdma_compression *compression; /* NULL: none; only to be read, from 5.2 on */
};

struct sdma_linear {
	uint64_t va;
	uint32_t x, y;
	uint32_t pitch;
	uint64_t slice; /* pitch times rows */
};

bool sdma_version_known(unsigned version);
struct sdma_limits sdma_limits_get(unsigned version);
/** Returns the number of elements that the linear pitch must be a multiple of. */
uint32_t sdma_pitch_alignment(unsigned version, unsigned log2_bytes, bool tiled);

void sdma_emit_nop(struct sdma_stream *stream);
/** Pads with NOPs to a multiple of 16 words, as command buffers require. */
void sdma_emit_padding(struct sdma_stream *stream);
/** Encodes a linear copy of any size in as many packets as necessary. */
void sdma_emit_linear(struct sdma_stream *stream, unsigned version, uint64_t source,
	uint64_t destination, uint64_t bytes);
void sdma_emit_window(struct sdma_stream *stream, unsigned version, unsigned log2_bytes,
	const struct sdma_linear *source, const struct sdma_linear *destination, uint32_t width,
	uint32_t height);
/** Encodes a copy from tiled to linear (`detile`), or from linear to tiled. */
void sdma_emit_tiled(struct sdma_stream *stream, unsigned version, unsigned log2_bytes, bool detile,
	const struct sdma_tiled *tiled, const struct sdma_linear *linear, uint32_t width,
	uint32_t height);
