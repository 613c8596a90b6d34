#pragma once

/**
 * Copies by drawing: the GPU's graphics queue samples the source and draws it into the destination.
 * For GPUs without a queue of their own for it, and for buffers that nothing else can read. Copies
 * take turns with whatever else draws there. The bytes of formats that are drawn exactly stay what
 * they are: unorm of 5 to 16 bits, and half floats but for what is not a number.
 */

#include "copy/engine.h"

struct gpu;

/**
 * The engine is a user of the gpu, which must outlive it; NULL: the software renderer. No context is
 * current afterwards. 0, or negative errno: -ENODEV if it does not draw, -ENOTSUP if it cannot import, or has no fences to poll.
 */
int gles_engine_create(struct gpu *gpu, struct copy_engine **engine);
