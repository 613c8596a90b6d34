/* SPDX-License-Identifier: MIT */
/* SDMA packets. Many fields store the value minus 1, to reach one further. */

#include "copy/sdma/packet.h"
#include <assert.h>

enum {
	OPCODE_COPY = 1,
	COPY_LINEAR = 0,
	COPY_LINEAR_WINDOW = 4,
	COPY_TILED_WINDOW = 5,
	DIMENSION_2D = 1,
	POLICY_READ = 4, /* LRU in the GPU's cache, none in the last level */
	POLICY_WRITE = 6, /* none in either */
};

#define PADDING 16

bool sdma_version_known(unsigned version)
{
	return version >= SDMA_VERSION(4, 0) && version <= SDMA_VERSION(7, 0);
}

struct sdma_limits sdma_limits_get(unsigned version)
{
	/* The engine drops the last 255 bytes of the longest copies: stay below by 256. */
	return (struct sdma_limits){
		.linear_bytes = version >= SDMA_VERSION(5, 2) ? 0x3fffff00 : 0x3fff00,
		.extent = version >= SDMA_VERSION(7, 0) ? 1 << 16 : 1 << 14,
	};
}

uint32_t sdma_pitch_alignment(unsigned version, unsigned log2_bytes, bool tiled)
{
	/* Rows start on words; SDMA 4 wants groups of four elements next to a tiled surface. */
	if (tiled && version < SDMA_VERSION(5, 0)) {
		return 4;
	}
	return log2_bytes < 2 ? 4u >> log2_bytes : 1;
}

static void emit(struct sdma_stream *stream, uint32_t word)
{
	if (stream->length < stream->capacity) {
		stream->words[stream->length] = word;
	}
	stream->length++;
}

static void emit_address(struct sdma_stream *stream, uint64_t va)
{
	emit(stream, (uint32_t)va);
	emit(stream, (uint32_t)(va >> 32));
}

/* Two coordinates or sizes, 16 bits apart in all versions. */
static void emit_pair(struct sdma_stream *stream, uint32_t low, uint32_t high)
{
	assert(low < 1 << 16 && high < 1 << 16);
	emit(stream, low | high << 16);
}

void sdma_emit_nop(struct sdma_stream *stream)
{
	emit(stream, 0);
}

void sdma_emit_padding(struct sdma_stream *stream)
{
	while (stream->length % PADDING) {
		sdma_emit_nop(stream);
	}
}

static void emit_linear_packet(
	struct sdma_stream *stream, uint64_t source, uint64_t destination, uint32_t bytes)
{
	emit(stream, OPCODE_COPY | COPY_LINEAR << 8);
	emit(stream, bytes - 1);
	emit(stream, 0);
	emit_address(stream, source);
	emit_address(stream, destination);
}

void sdma_emit_linear(struct sdma_stream *stream, unsigned version, uint64_t source,
	uint64_t destination, uint64_t bytes)
{
	uint32_t most = sdma_limits_get(version).linear_bytes;
	bool words = ((source | destination) & 3) == 0;
	while (bytes > 0) {
		uint32_t part = bytes < most ? (uint32_t)bytes : most;
		/* Whole words are fast: odd trailing bytes get their own packet. */
		if (words && part > 4 && part % 4) {
			part -= part % 4;
		}
		emit_linear_packet(stream, source, destination, part);
		source += part;
		destination += part;
		bytes -= part;
	}
}

static void emit_linear_window(
	struct sdma_stream *stream, unsigned version, const struct sdma_linear *linear)
{
	unsigned shift = version >= SDMA_VERSION(7, 0) ? 16 : 13;
	emit_address(stream, linear->va);
	emit_pair(stream, linear->x, linear->y);
	emit(stream, (linear->pitch - 1) << shift);
	emit(stream, (uint32_t)(linear->slice - 1));
}

void sdma_emit_window(struct sdma_stream *stream, unsigned version, unsigned log2_bytes,
	const struct sdma_linear *source, const struct sdma_linear *destination, uint32_t width,
	uint32_t height)
{
	emit(stream, OPCODE_COPY | COPY_LINEAR_WINDOW << 8 | log2_bytes << 29);
	emit_linear_window(stream, version, source);
	emit_linear_window(stream, version, destination);
	emit_pair(stream, width - 1, height - 1);
	emit(stream, 0); /* one slice; caches as the kernel set them up */
}

static uint32_t tiling_word(unsigned version, unsigned log2_bytes, const struct sdma_tiled *tiled)
{
	uint32_t word = log2_bytes | tiled->swizzle_mode << 3;
	if (version < SDMA_VERSION(7, 0)) {
		word |= DIMENSION_2D << 9;
	}
	if (version < SDMA_VERSION(5, 0)) {
		word |= (tiled->pitch - 1) << 16;
	}
	return word;
}

/*
 * Random pixels were wrong on 5.2 with the kernel's cache policies (Mesa, ac_cmdbuf_sdma.c): the
 * GPU's cache keeps reads by LRU, and no writes; neither goes to the last level.
 */
static bool needs_policies(unsigned version, const struct sdma_tiled *tiled)
{
	return tiled->compression && version == SDMA_VERSION(5, 2);
}

static void emit_compression(
	struct sdma_stream *stream, unsigned version, const struct sdma_compression *compression)
{
	if (version >= SDMA_VERSION(7, 0)) {
		emit(stream, 2u << 16); /* decompress what the page tables mark as compressed */
		return;
	}
	/* GFX11 no longer asks where alpha is. All formats in use have it in the highest bits. */
	bool alpha_on_msb = version < SDMA_VERSION(6, 0);
	uint32_t uncompressed_block = 2, pipe_aligned = 1;
	emit_address(stream, compression->va);
	emit(stream, compression->data_format | (uint32_t)alpha_on_msb << 8 |
			     compression->number_type << 9 | compression->max_block << 24 |
			     uncompressed_block << 26 | pipe_aligned << 31);
}

void sdma_emit_tiled(struct sdma_stream *stream, unsigned version, unsigned log2_bytes, bool detile,
	const struct sdma_tiled *tiled, const struct sdma_linear *linear, uint32_t width,
	uint32_t height)
{
	bool compressed = tiled->compression, policies = needs_policies(version, tiled);
	assert(!compressed || (detile && version >= SDMA_VERSION(5, 2)));
	emit(stream, OPCODE_COPY | COPY_TILED_WINDOW << 8 | (uint32_t)compressed << 19 |
			     (uint32_t)policies << 28 | (uint32_t)detile << 31);
	emit_address(stream, tiled->va);
	emit_pair(stream, tiled->x, tiled->y);
	emit_pair(stream, 0, tiled->width - 1);
	emit_pair(stream, tiled->height - 1, 0);
	emit(stream, tiling_word(version, log2_bytes, tiled));
	emit_address(stream, linear->va);
	emit_pair(stream, linear->x, linear->y);
	/* At bit 16 in all versions, unlike in the packet for linear windows. */
	emit_pair(stream, 0, linear->pitch - 1);
	emit(stream, (uint32_t)(linear->slice - 1));
	emit_pair(stream, width - 1, height - 1);
	emit(stream, policies ? (uint32_t)POLICY_READ << 26 | (uint32_t)POLICY_WRITE << 18 : 0);
	if (compressed) {
		emit_compression(stream, version, tiled->compression);
	}
}
