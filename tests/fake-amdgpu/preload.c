/* SPDX-License-Identifier: MIT */
/*
 * Emulated GPUs in an unmodified compositor, as a preloaded library: libudev lists them, ioctls
 * reach the emulator, and their formats are saved in $XDG_CACHE_HOME, since there is no driver to
 * query. With CAUSEWAY_EMULATED_PROBE they are not saved: the program that it names, or if it is
 * empty the compositor without emulated GPUs, is started to find them.
 */

#include "copy/modifiers.h"
#include "emulated.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include <dlfcn.h>
#include <drm_fourcc.h>
#include <gbm.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_VARIABLE "CAUSEWAY_EMULATED_PROBE"

/* Replaces the program of a probe. */
__attribute__((visibility("default"))) int posix_spawn(pid_t *pid, const char *path,
	const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
	char *const argv[], char *const envp[])
{
	__typeof__(&posix_spawn) real =
		(__typeof__(&posix_spawn))(uintptr_t)dlsym(RTLD_NEXT, "posix_spawn");
	const char *program = getenv(PROBE_VARIABLE);
	bool replaced = program && *program && strcmp(path, "/proc/self/exe") == 0;
	return real(pid, replaced ? program : path, actions, attributes, argv, envp);
}

/* The call of every user of a GPU that comes before EGL. */
__attribute__((visibility("default"))) struct gbm_device *gbm_create_device(int fd)
{
	__typeof__(&gbm_create_device) real =
		(__typeof__(&gbm_create_device))(uintptr_t)dlsym(RTLD_NEXT, "gbm_create_device");
	if (getenv(PROBE_VARIABLE)) {
		fputs("emulated GPUs: a GPU is opened by the session\n", stderr);
	}
	return real(fd);
}

/*
 * Layouts that AMD's copy engine reads; the CPU reads them too, since emulated memory is mappable.
 */
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
	char driver[16];
	struct gpu gpu = {.driver = driver, .vendor = emulated->vendor, .device = emulated->device};
	struct gpu_facts facts = {0};
	struct gpu_look look;

	snprintf(driver, sizeof(driver), "%s", emulated->driver);
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
		fputs("emulated GPUs: cannot save their formats\n", stderr);
	}
	gpu_facts_finish(&facts);
	free(path);
	free(key);
}

static void __attribute__((constructor)) start(void)
{
	const struct emulated_gpu *gpu;

	/* Programs started by the compositor do not preload the library. */
	unsetenv("LD_PRELOAD");
	if (!getenv("XDG_CACHE_HOME")) {
		fputs("emulated GPUs: XDG_CACHE_HOME must be a folder for this run alone\n",
			stderr);
		exit(EXIT_FAILURE);
	}
	emulated_start();
	emulated_udev_start();
	for (unsigned i = 0; !getenv(PROBE_VARIABLE) && (gpu = emulated_at(i)); i++) {
		save_facts(gpu);
	}
}
