/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * DCC metadata of the emulated GPU: equations of addrlib, and the meaning of the bytes as far as
 * Mesa's drivers write them: clear codes and uncompressed blocks.
 */

#include "copy/amd/dcc.h"

#define FAKE_UNCOMPRESSED 0xff

struct fake_metadata {
	struct dcc layout;
	struct tiling equation; /* of the metadata: its bytes are the elements */
	unsigned version; /* AMD_FMT_MOD_TILE_VER_* */
	unsigned log2_bytes; /* of a pixel */
};

/** Returns false for modes without metadata in memory, or whose equation is unknown. */
bool fake_metadata_init(struct fake_metadata *metadata, const struct tiling_mode *mode,
	unsigned log2_bytes, uint32_t width, uint32_t height);
/** Returns the place of the byte that describes a pixel. */
uint64_t fake_metadata_offset(const struct fake_metadata *metadata, uint32_t x, uint32_t y);
/**
 * Replaces a pixel that was read as uncompressed. `block`: the 256 bytes of memory around it;
 * `config`: the packet's word. Returns false unless drivers document the byte.
 */
bool fake_metadata_decode(const struct fake_metadata *metadata, uint8_t key, uint32_t config,
	const uint8_t *block, uint8_t *pixel);
/** Returns whether drivers send such a word to an SDMA of this major version. */
bool fake_metadata_check_config(uint32_t config, unsigned major);
