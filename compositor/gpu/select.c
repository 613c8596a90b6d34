/* SPDX-License-Identifier: MIT */
/* GPU selectors, as in DRI_PRIME; opens no GPU. */

#include "gpu/gpu.h"
#include <stdio.h>
#include <string.h>

bool gpu_matches(const struct gpu *gpu, const char *selector)
{
	char ids[16];
	const char *node = gpu->render_path ? strrchr(gpu->render_path, '/') : NULL;
	snprintf(ids, sizeof(ids), "%04x:%04x", gpu->vendor & 0xffff, gpu->device & 0xffff);
	return strcmp(selector, gpu->integrated ? "integrated" : "discrete") == 0 ||
	       (gpu->bus_id && strcmp(selector, gpu->bus_id) == 0) ||
	       (gpu->vendor != 0 && strcmp(selector, ids) == 0) ||
	       (node && strcmp(selector, node + 1) == 0);
}

struct gpu *gpu_list_select(const struct gpu_list *list, const char *selector)
{
	struct gpu *gpu;
	wl_list_for_each (gpu, &list->gpus, link) {
		if (gpu->render_path && gpu_matches(gpu, selector)) {
			return gpu;
		}
	}
	return NULL;
}
