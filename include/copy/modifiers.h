/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Modifiers that a GPU's copy engines can read. They are found when the GPU is probed (gpu/probe.h)
 * and cached with its other facts, so that a sleeping GPU stays asleep.
 */

#include "copy/copier.h"
#include "gpu/probe.h"

/**
 * Fills in a look for gpu_probe_start() that asks every engine of this build, Vulkan's on this
 * queue.
 */
void copy_modifiers_look(struct gpu_look *look, enum vulkan_queue_kind queue);
/** Adds to `out` the linear pairs of `formats` that each kind of engine copies. */
void copy_modifiers_find_linear(const struct format_set *formats, struct format_set *out);
/**
 * Adds to `out`, which must be empty, the pairs of facts->sampling that can be copied to another
 * GPU: those that an allowed engine reads which was not lost, or failed to open for a moment;
 * without such an engine, those of copy_modifiers_find_linear(). Compressed ones are left out where
 * AMD's SDMA is available but does not read them, or copier->compressed is not set, since a copy by
 * a slower engine costs more than compression saves.
 */
void copy_modifiers_find(struct copier *copier, const struct gpu *gpu,
	const struct gpu_facts *facts, struct format_set *out);
