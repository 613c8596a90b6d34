/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * AMD's SDMA copy engine, by libdrm_amdgpu: SDMA 4.0 (GFX9) to 7.0 (GFX12). It copies linear images
 * and images tiled for its own chip, and not from tiled to tiled. It writes no compressed (DCC)
 * images. Exists in builds with libdrm_amdgpu.
 */

#include "copy/engine.h"

struct sdma_options {
	/**
	 * Opens the GPU's render node and returns a descriptor with handles of its own, or -errno.
	 */
	int (*open_node)(void *data);
	void *data; /* must live as long as the engine */
	bool compressed; /* read compressed (DCC) images, from SDMA 5.2 on */
};

/** Creates an engine. Returns 0 or -errno; -ENOTSUP without an SDMA ring of a known version. */
int sdma_engine_create(const struct sdma_options *options, struct copy_engine **engine);
