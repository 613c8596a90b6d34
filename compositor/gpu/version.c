/* SPDX-License-Identifier: MIT */
/* Versions of GPU drivers, found without opening a GPU. */

#include "gpu/version.h"
#include "gpu/gpu.h"
#include "gpu/library.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <gbm.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

char *gpu_read_driver_version(const char *driver)
{
	/* Read from memory: wakes no device. */
	char version[64] = "", *path = xasprintf("/sys/module/%s/version", driver);
	FILE *stream = fopen(path, "re");
	free(path);
	if (!stream) {
		return NULL;
	}
	bool good = fgets(version, sizeof(version), stream) != NULL;
	fclose(stream);
	version[strcspn(version, "\n")] = '\0';
	for (char *at = version; *at; at++) {
		*at = isgraph((unsigned char)*at) ? *at : '-';
	}
	return good && *version ? xstrdup(version) : NULL;
}

char *gpu_driver_version(const struct gpu *gpu)
{
	return gpu->driver_version ? xasprintf("%s-%s", gpu->driver, gpu->driver_version)
				   : xstrdup(gpu->driver);
}

/* Prefixes of the libraries of drivers, in the folder of libgbm and in its subfolders. */
static const char *const prefixes[] = {
	"libgallium", "libEGL_mesa", "libGLX_mesa", "libvulkan_", "libgbm.", NULL};
static const char *const all[] = {"", NULL};

static bool is_driver(const char *name, const char *const *of)
{
	bool found = false;
	for (; *of && !found; of++) {
		found = strncmp(name, *of, strlen(*of)) == 0;
	}
	return found && strstr(name, ".so");
}

/* Adds up the libraries of a folder: in any order. */
static uint64_t add_folder(uint64_t sum, const char *folder, const char *const *of)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	while (dir && (entry = readdir(dir))) {
		if (is_driver(entry->d_name, of)) {
			char *path = xasprintf("%s/%s", folder, entry->d_name);
			uint64_t file = library_identify(path);
			sum += library_hash(file, entry->d_name, strlen(entry->d_name));
			free(path);
		}
	}
	if (dir) {
		closedir(dir);
	}
	return sum;
}

/* Adds folders of a colon-separated list. */
static uint64_t add_list(uint64_t sum, const char *list)
{
	char *copy = xstrdup(list ? list : ""), *rest;
	for (char *folder = strtok_r(copy, ":", &rest); folder;
		folder = strtok_r(NULL, ":", &rest)) {
		sum = add_folder(sum, folder, all);
	}
	free(copy);
	return sum;
}

uint64_t gpu_identify_drivers(const char *folder)
{
	char *gbm = xasprintf("%s/gbm", folder), *dri = xasprintf("%s/dri", folder);
	uint64_t sum = add_folder(0, folder, prefixes);
	sum = add_folder(sum, gbm, all);
	/* Before libgallium, each file was a link to one library. */
	sum = add_folder(sum, dri, all);
	free(gbm);
	free(dri);
	return sum;
}

/* Drivers of systems whose libgbm is a package of its own. */
#define SYSTEM_DRIVERS "/run/opengl-driver/lib"

char *gpu_software_version(void)
{
	Dl_info library;
	struct utsname system = {0};
	uint64_t sum = gpu_identify_drivers(SYSTEM_DRIVERS);
	/* libgbm is part of Mesa and lies beside its drivers. */
	__typeof__(&gbm_create_device) function = gbm_create_device;
	void *address;
	memcpy(&address, &function, sizeof(address));
	if (dladdr(address, &library) != 0) {
		const char *slash = strrchr(library.dli_fname, '/');
		char *folder = xasprintf(
			"%.*s", slash ? (int)(slash - library.dli_fname) : 0, library.dli_fname);
		sum += library_identify(library.dli_fname) + gpu_identify_drivers(folder);
		free(folder);
	}
	sum = add_list(sum, getenv("GBM_BACKENDS_PATH"));
	sum = add_list(sum, getenv("LIBGL_DRIVERS_PATH"));
	uname(&system);
	return xasprintf("drivers %016" PRIx64 " kernel %s", sum, system.release);
}
