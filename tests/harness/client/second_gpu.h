/* SPDX-License-Identifier: MIT */
#pragma once

/** The second GPU of a gpu_world: facts about its layouts, and outputs that it drives. */

#include "harness/client/gpu_world.h"
#include "protocol/server_device.h"
#include <drm_fourcc.h>

#define TILED_AMD                                                                                  \
	(AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE_VERSION, AMD_FMT_MOD_TILE_VER_GFX10) |                 \
		AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_S))
#define COMPRESSED_AMD (TILED_AMD | AMD_FMT_MOD_SET(DCC, 1))

/** Adds a reader of `layouts`, which ends with 0 and may be empty. */
void facts_add_reader(struct gpu_facts *facts, const char *name, const uint64_t *layouts);
/** Adds `layouts`, which ends with 0, and linear buffers to the formats that the GPU samples. */
void facts_add_made(struct gpu_facts *facts, const uint64_t *layouts);
/** Adds the same to a set of formats. */
void pairs_add_made(struct format_set *formats, const uint64_t *layouts);
/** Adds a format in all layouts: linear, both of AMD, and the implicit one. */
void pairs_add_all(struct format_set *formats, uint32_t of);

/**
 * Adds an output of `display`, which a device shows these pairs on. `gpu`: as for
 * second_device_add().
 */
struct output *output_light(struct gpu_world *world, struct gpu *display, struct gpu *gpu,
	const struct format_set *formats, struct server_device **device);
/** Adds an output that the second GPU drives and composes. */
struct output *output_light_second(struct gpu_world *world, struct server_device **device);
/** Takes the output's GPU away, and removes its device. */
void output_darken_second(
	struct gpu_world *world, struct output *output, struct server_device *device);
