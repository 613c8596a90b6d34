#pragma once

/**
 * Packets of AMD's SDMA engines, from version 4.0 (GFX9) to 7.0 (GFX12): pure functions from what
 * is to be copied to the words of a command stream. Which field is where differs by version; what
 * differs between the packets of one version is said beside the code.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SDMA_VERSION(major, minor) ((major) << 8 | (minor))

/** What the engines of a version take. */
struct sdma_limits {
	uint32_t linear_bytes; /* of one linear copy */
	uint32_t extent; /* elements: width and height of surfaces and rectangles, linear pitch */
};

/** Words that an encoder appends to; `length` goes on past `capacity`, nothing is written there. */
struct sdma_stream {
	uint32_t *words;
	size_t length, capacity; /* words */
};

/** One rectangle; x, y, pitches and sizes in elements of 1 << log2_bytes bytes. */
struct sdma_tiled {
	uint64_t va; /* of the surface; aligned to its swizzle block */
	uint32_t x, y;
	uint32_t width, height; /* of the whole surface */
	uint32_t pitch; /* used by 4.x only, the others compute it from the width */
	unsigned swizzle_mode; /* as this version numbers them */
};

struct sdma_linear {
	uint64_t va;
	uint32_t x, y;
	uint32_t pitch;
	uint64_t slice; /* pitch times rows */
};

bool sdma_version_known(unsigned version);
struct sdma_limits sdma_limits_get(unsigned version);
/** The pitch of the linear side must be a multiple of this many elements. */
uint32_t sdma_pitch_alignment(unsigned version, unsigned log2_bytes, bool tiled);

void sdma_emit_nop(struct sdma_stream *stream);
/** Fills up with NOPs to a multiple of 16 words, which command buffers must be. */
void sdma_emit_padding(struct sdma_stream *stream);
/** Any number of bytes, in as many packets as the version needs. */
void sdma_emit_linear(struct sdma_stream *stream, unsigned version, uint64_t source,
	uint64_t destination, uint64_t bytes);
void sdma_emit_window(struct sdma_stream *stream, unsigned version, unsigned log2_bytes,
	const struct sdma_linear *source, const struct sdma_linear *destination, uint32_t width,
	uint32_t height);
/** `detile`: from tiled to linear, else from linear to tiled. */
void sdma_emit_tiled(struct sdma_stream *stream, unsigned version, unsigned log2_bytes, bool detile,
	const struct sdma_tiled *tiled, const struct sdma_linear *linear, uint32_t width,
	uint32_t height);
