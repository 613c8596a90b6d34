/* SPDX-License-Identifier: MIT */
#pragma once

/** A thread that keeps the graphics queue of a GPU busy, while other queues are measured. */

struct gpu;
struct load;

/** Starts copies by GLES, one after another. Returns NULL if the GPU has no such engine. */
struct load *load_start(const struct gpu *gpu);
/** Stops and frees it. Accepts NULL. */
void load_stop(struct load *load);
