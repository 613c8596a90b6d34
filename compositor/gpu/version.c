/* The versions of what drives GPUs, found without opening any. */

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

/* Drivers that are not the kernel's own are replaced without it. Read from memory: wakes no device. */
static void read_version(const char *driver, char *version, int size)
{
	char *path = xasprintf("/sys/module/%s/version", driver);
	FILE *stream = fopen(path, "re");
	*version = '\0';
	if (stream) {
		if (!fgets(version, size, stream)) {
			*version = '\0';
		}
		fclose(stream);
	}
	for (char *at = version; *at; at++) {
		*at = isgraph((unsigned char)*at) ? *at : '-';
	}
	free(path);
}

char *gpu_driver_version(const struct gpu *gpu)
{
	char version[64];
	read_version(gpu->driver, version, sizeof(version));
	return *version ? xasprintf("%s-%s", gpu->driver, version) : xstrdup(gpu->driver);
}

char *gpu_software_version(void)
{
	Dl_info library;
	struct stat file = {0};
	struct utsname system = {0};
	/* libgbm comes with the drivers, and is replaced with them. */
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
