#pragma once

/**
 * Which layouts of a GPU's own copies can be made of. Each of its engines says what it reads; that is found
 * out once, while the GPU is looked at (gpu/probe.h), and kept with what else is known of it, so that no
 * GPU has to be awake for it.
 */

#include "copy/copier.h"
#include "gpu/probe.h"

/** To be given to gpu_probe_start(): asks the engines that there are, with this queue of Vulkan's. */
void copy_modifiers_look(struct gpu_look *look, enum vulkan_queue_kind queue);
/**
 * The pairs of facts->sampling that imports may have that are copied: those that are linear, which any GPU
 * reads by itself if nobody copies them, and those that an engine reads which may be used and was not lost.
 * Where AMD's copy engine is to be had nothing compressed is among them, though others could read it: a
 * window would finish_opening their slower road for it. `out` must be empty.
 */
void copy_modifiers_find(struct copier *copier, const struct gpu *gpu,
	const struct gpu_facts *facts, struct format_set *out);
