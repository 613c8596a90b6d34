/* SPDX-License-Identifier: MIT */
/* Versions of GPU drivers, found without opening a GPU. */

#include "gpu/version.h"
#include "gpu/gpu.h"
#include "util/xalloc.h"
#include <ctype.h>
#include <dlfcn.h>
#include <gbm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

char *gpu_software_version(void)
{
	Dl_info library;
	struct stat file = {0};
	struct utsname system = {0};
	/* libgbm is part of Mesa and replaced with it. */
	__typeof__(&gbm_create_device) function = gbm_create_device;
	void *address;
	memcpy(&address, &function, sizeof(address));
	if (dladdr(address, &library) != 0) {
		stat(library.dli_fname, &file);
	}
	uname(&system);
	return xasprintf("mesa %lld.%lld kernel %s", (long long)file.st_size,
		(long long)file.st_mtime, system.release);
}
