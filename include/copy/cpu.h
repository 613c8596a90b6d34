/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * CPU copy engine, the last resort: a thread that reads by streaming loads. It copies mappable
 * memory: linear images, and AMD's tiled ones unless compressed, also sealed memory files. Needs no
 * GPU.
 */

#include "copy/engine.h"

/** Creates an engine. Returns 0, or -ENOMEM if its thread cannot be started. */
int cpu_engine_create(struct copy_engine **engine);
