/* SPDX-License-Identifier: MIT */
/* Lists of GPUs for tests. */

#include "harness/gpu_list.h"

void gpu_list_append(struct gpu_list *list, struct gpu *gpu, const char *driver, const char *bus_id,
	uint32_t vendor, uint32_t device, bool integrated, const char *node)
{
	gpu->driver = (char *)driver;
	gpu->bus_id = (char *)bus_id;
	gpu->vendor = vendor;
	gpu->device = device;
	gpu->integrated = integrated;
	gpu->render_path = (char *)node;
	wl_list_insert(list->gpus.prev, &gpu->link);
}
