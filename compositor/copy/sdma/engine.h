#pragma once

/**
 * The copy engine of AMD's GPUs, driven through libdrm_amdgpu: SDMA 4.0 (GFX9) to 7.0 (GFX12).
 * It reads and writes linear pictures and those tiled the way its own chip does it, not compressed
 * (DCC) ones; from tiled to tiled it does not copy. Exists in builds with libdrm_amdgpu only.
 */

#include "copy/engine.h"

struct sdma_options {
	/**
	 * Opens the GPU's render node anew: a descriptor of its own, that shares handles with nobody,
	 * or negative errno.
	 */
	int (*open_node)(void *data);
	void *data; /* must live as long as the engine */
};

/** 0, or negative errno; -ENOTSUP if the kernel offers no SDMA ring, or one that is not spoken. */
int sdma_engine_create(const struct sdma_options *options, struct copy_engine **engine);
