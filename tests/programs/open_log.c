/* SPDX-License-Identifier: MIT */
/*
 * GPUs of a program under test, as a preloaded library: libdrm lists the GPUs of OPEN_LOG_GPUS
 * ("8086:46a6=/dev/dri/renderD191 ..."), and each open() of their nodes fails after its path was
 * appended to the file OPEN_LOG. With OPEN_LOG_REAL, the nodes are files, of which the log has
 * those that the kernel opened, and "refused" for each that it did not.
 */

/* Both open() and open64() are defined. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xf86drm.h>

#define VISIBLE __attribute__((visibility("default")))
#define GPUS_MAX 4

struct listed_gpu {
	drmDevice device;
	drmPciBusInfo bus;
	drmPciDeviceInfo ids;
	char *nodes[DRM_NODE_MAX];
	char path[32];
};

static struct listed_gpu gpus[GPUS_MAX];
static int n_gpus;

static void __attribute__((constructor)) start(void)
{
	const char *list = getenv("OPEN_LOG_GPUS");
	char *copy = list ? strdup(list) : NULL, *rest = NULL;
	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && n_gpus < GPUS_MAX;
		word = strtok_r(NULL, " ", &rest)) {
		struct listed_gpu *gpu = &gpus[n_gpus];
		unsigned vendor, device;
		if (sscanf(word, "%x:%x=%31s", &vendor, &device, gpu->path) != 3) {
			abort();
		}
		gpu->ids = (drmPciDeviceInfo){
			.vendor_id = (uint16_t)vendor, .device_id = (uint16_t)device};
		gpu->bus.bus = (uint8_t)n_gpus;
		gpu->nodes[DRM_NODE_RENDER] = gpu->path;
		gpu->device = (drmDevice){
			.nodes = gpu->nodes,
			.available_nodes = 1 << DRM_NODE_RENDER,
			.bustype = DRM_BUS_PCI,
			.businfo = {.pci = &gpu->bus},
			.deviceinfo = {.pci = &gpu->ids},
		};
		n_gpus++;
	}
	free(copy);
}

VISIBLE int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max_devices)
{
	(void)flags;
	for (int i = 0; devices && i < n_gpus && i < max_devices; i++) {
		devices[i] = &gpus[i].device;
	}
	return devices && max_devices < n_gpus ? max_devices : n_gpus;
}

VISIBLE void drmFreeDevices(drmDevicePtr devices[], int count)
{
	(void)devices;
	(void)count;
}

VISIBLE void drmFreeDevice(drmDevicePtr *device)
{
	*device = NULL;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
	const char *name = getenv("OPEN_LOG");
	for (int i = 0; i < n_gpus; i++) {
		if (strcmp(path, gpus[i].path) == 0) {
			int log = name ? (int)syscall(SYS_openat, AT_FDCWD, name,
						 O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
				       : -1;
			const char *said = path;
			if (getenv("OPEN_LOG_REAL")) {
				int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
				said = fd < 0 && errno == EACCES ? "refused" : path;
				close(fd);
			}
			if (log < 0 || dprintf(log, "%s\n", said) < 0) {
				abort();
			}
			close(log);
			errno = ENODEV;
			return -1;
		}
	}
	return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list list)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

#define OPEN(name)                                                                                 \
	VISIBLE int name(const char *path, int flags, ...)                                         \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, flags);                                                             \
		mode_t mode = mode_of(flags, list);                                                \
		va_end(list);                                                                      \
		return open_at(AT_FDCWD, path, flags, mode);                                       \
	}

#define OPENAT(name)                                                                               \
	VISIBLE int name(int folder, const char *path, int flags, ...)                             \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, flags);                                                             \
		mode_t mode = mode_of(flags, list);                                                \
		va_end(list);                                                                      \
		return open_at(folder, path, flags, mode);                                         \
	}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
