/* SPDX-License-Identifier: MIT */
/*
 * Home of a dma-buf, found without importing it: an import on the wrong GPU makes the kernel move
 * it to system memory for good.
 */

#include "gpu/home.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include <stdio.h>
#include <string.h>

bool dmabuf_read_exporter(int fd, char name[static DMABUF_EXPORTER_SIZE])
{
	static const char key[] = "exp_name:";
	char path[64], line[256];
	bool found = false;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	FILE *file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, sizeof(key) - 1) == 0) {
			const char *value = line + sizeof(key) - 1;
			value += strspn(value, " \t");
			snprintf(name, DMABUF_EXPORTER_SIZE, "%.*s", (int)strcspn(value, "\n"),
				value);
			found = true;
		}
	}
	if (file) {
		fclose(file);
	}
	return found;
}

/* Modules are called amdgpu and virtio_gpu, drivers at times virtio-gpu. */
static bool is_same_name(const char *a, const char *b)
{
	while (*a != '\0' && (*a == *b || ((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))) {
		a++;
		b++;
	}
	return *a == *b;
}

/*
 * Returns whether buffers of the GPU may have this exporter. Most drivers leave the export to the
 * kernel's common code, which names itself (drm_prime.c); i915 does not (i915_gem_dmabuf.c). The
 * resource manager of NVIDIA's driver, and CUDA, export as "nv_dmabuf" (nv-dmabuf.c).
 */
static bool exports_as(const struct gpu *gpu, const char *exporter)
{
	if (strcmp(exporter, "drm") == 0) {
		return strcmp(gpu->driver, "i915") != 0;
	}
	return is_same_name(gpu->driver, exporter) ||
	       (strcmp(exporter, "nv_dmabuf") == 0 && gpu_is_nvidia(gpu));
}

struct gpu *gpu_find_home(const struct gpu_list *list, struct gpu *told, const char *exporter)
{
	struct gpu *gpu, *found = NULL;
	int n = 0;
	if (!exporter || (told && exports_as(told, exporter))) {
		return told;
	}
	if (!told && strcmp(exporter, "drm") == 0) {
		return NULL;
	}
	wl_list_for_each (gpu, &list->gpus, link) {
		if (exports_as(gpu, exporter)) {
			found = gpu;
			n++;
		}
	}
	return n == 1 ? found : NULL;
}

struct gpu *gpu_list_find_nvidia(const struct gpu_list *list, int *n)
{
	struct gpu *gpu, *found = NULL;
	*n = 0;
	wl_list_for_each (gpu, &list->gpus, link) {
		if (gpu_is_nvidia(gpu)) {
			found = gpu;
			(*n)++;
		}
	}
	return found;
}
