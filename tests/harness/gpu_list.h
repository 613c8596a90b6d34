/* SPDX-License-Identifier: MIT */
#pragma once

/** Lists of GPUs for tests. */

#include "gpu/gpu.h"

/** Appends a GPU. The strings are borrowed; `driver` and `node` (the render node) may be NULL. */
void gpu_list_append(struct gpu_list *list, struct gpu *gpu, const char *driver, const char *bus_id,
	uint32_t vendor, uint32_t device, bool integrated, const char *node);
