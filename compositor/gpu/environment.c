/* SPDX-License-Identifier: MIT */
/* Environment variables that select a GPU, by driver family. */

#include "gpu/environment.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <string.h>

/* Variables of NVIDIA's own drivers; Mesa ignores them. */
static const struct {
	const char *name, *value;
} nvidia_variables[] = {
	{"__NV_PRIME_RENDER_OFFLOAD", "1"}, /* GLX and EGL */
	{"__GLX_VENDOR_LIBRARY_NAME", "nvidia"}, /* libglvnd: which GLX to load */
	{"__VK_LAYER_NV_optimus", "NVIDIA_only"}, /* Vulkan: hide the other devices */
};

/* Vendor and device ids are unique only without two equal GPUs. */
static bool has_unique_ids(const struct gpu_list *list, const struct gpu *gpu)
{
	const struct gpu *other;
	wl_list_for_each (other, &list->gpus, link) {
		if (other != gpu && other->vendor == gpu->vendor && other->device == gpu->device) {
			return false;
		}
	}
	return gpu->vendor != 0;
}

/* Mesa identifies PCI and platform devices by path; it has no names for others. */
static char *make_dri_prime(const struct gpu *gpu)
{
	bool named =
		strncmp(gpu->bus_id, "pci-", 4) == 0 || strncmp(gpu->bus_id, "platform-", 9) == 0;
	return named && !gpu_is_nvidia(gpu) ? xasprintf("DRI_PRIME=%s", gpu->bus_id)
					    : xstrdup("DRI_PRIME");
}

/* The exclamation mark hides the other devices, for programs that look for one by its type. */
static char *make_vk_select(const struct gpu_list *list, const struct gpu *gpu, bool exclusive)
{
	return has_unique_ids(list, gpu)
		       ? xasprintf("MESA_VK_DEVICE_SELECT=%04x:%04x%s", gpu->vendor & 0xffff,
				 gpu->device & 0xffff, exclusive ? "!" : "")
		       : xstrdup("MESA_VK_DEVICE_SELECT");
}

char **gpu_environment(const struct gpu_list *list, const struct gpu *gpu, bool exclusive)
{
	char **changes = strings_add(NULL, make_dri_prime(gpu));
	changes = strings_add(changes, make_vk_select(list, gpu, exclusive));
	for (size_t i = 0; i < sizeof(nvidia_variables) / sizeof(nvidia_variables[0]); i++) {
		const char *name = nvidia_variables[i].name;
		changes = strings_add(changes,
			gpu_is_nvidia(gpu) ? xasprintf("%s=%s", name, nvidia_variables[i].value)
					   : xstrdup(name));
	}
	return changes;
}
