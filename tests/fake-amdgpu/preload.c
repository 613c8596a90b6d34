/*
 * Emulated GPUs for a compositor that knows nothing of them: a library that is loaded before its own. It
 * tells by libudev that they are there, answers for them at the ioctl boundary, and leaves in
 * $XDG_CACHE_HOME what they would say that they render to, since there is no driver to ask.
 */

#include "copy/modifiers.h"
#include "emulated.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As AMD's copy engine reads them, and the CPU, to which emulated memory is open. */
static void add_layout(struct gpu_facts *facts, uint32_t format, uint64_t modifier)
{
	format_set_add(&facts->sampling, format, modifier);
	for (int i = 0; i < facts->n_readers && !modifier_is_compressed(modifier); i++) {
		format_set_add(&facts->readers[i].layouts, format, modifier);
	}
}

static void save_facts(const struct emulated_gpu *emulated)
{
	static const uint32_t formats[] = {DRM_FORMAT_XRGB8888, DRM_FORMAT_ARGB8888};
	char driver[] = "amdgpu";
	struct gpu gpu = {.driver = driver, .vendor = EMULATED_VENDOR, .device = emulated->device};
	struct gpu_facts facts = {0};
	struct gpu_look look;

	copy_modifiers_look(&look, VULKAN_QUEUE_TRANSFER);
	gpu_facts_add_reader(&facts, "sdma");
	gpu_facts_add_reader(&facts, "cpu");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		for (int m = 0; emulated->modifiers[m]; m++) {
			add_layout(&facts, formats[i], emulated->modifiers[m]);
		}
		add_layout(&facts, formats[i], DRM_FORMAT_MOD_LINEAR);
	}
	char *path = format_cache_path(&gpu), *key = format_cache_key(&gpu, look.variant);
	if (!path || format_cache_save(path, key, &facts) < 0) {
		fputs("emulated GPUs: what is known of them cannot be saved\n", stderr);
	}
	gpu_facts_finish(&facts);
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
		save_facts(gpu);
	}
}
