#pragma once

/**
 * The last resort among copy engines: the CPU, on a thread of its own. It reads by streaming loads,
 * and takes what can be mapped: linear pictures, and tiled ones of AMD's GPUs that are not
 * compressed. Works on sealed memory files too. It needs no GPU and opens none.
 */

#include "copy/engine.h"

/** 0, or negative errno if there is no thread to be had. */
int cpu_engine_create(struct copy_engine **engine);
