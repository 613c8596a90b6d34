/*
 * Emulated GPUs for a compositor that knows nothing of them: a library that is loaded before its own. It
 * tells by libudev that they are there, answers for them at the ioctl boundary, and leaves in
 * $XDG_CACHE_HOME what they would say that they render to, since there is no driver to ask.
 */

#include "emulated.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void save_formats(const struct emulated_gpu *emulated)
{
	static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};
	char driver[] = "amdgpu";
	struct gpu gpu = {.driver = driver, .vendor = EMULATED_VENDOR, .device = emulated->device};
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu);
	struct format_set set = {0};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (int m = 0; emulated->modifiers[m]; m++) {
			format_set_add(&set, formats[i], emulated->modifiers[m]);
		}
		format_set_add(&set, formats[i], DRM_FORMAT_MOD_LINEAR);
	}
	if (!path || format_cache_save(path, key, &set) < 0) {
		fputs("emulated GPUs: their formats cannot be saved\n", stderr);
	}
	format_set_finish(&set);
	free(path);
	free(key);
}

static void __attribute__((constructor)) start(void)
{
	const struct emulated_gpu *gpu;

	/* Not for what the compositor starts. */
	unsetenv("LD_PRELOAD");
	if (!getenv("XDG_CACHE_HOME")) {
		fputs("emulated GPUs: XDG_CACHE_HOME must be a folder for this run alone\n",
			stderr);
		exit(EXIT_FAILURE);
	}
	emulated_start();
	emulated_udev_start();
	for (unsigned i = 0; (gpu = emulated_at(i)); i++) {
		save_formats(gpu);
	}
}
