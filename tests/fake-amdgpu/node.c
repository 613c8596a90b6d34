/* SPDX-License-Identifier: MIT */
/*
 * Nodes of emulated GPUs for drivers that find devices themselves: stat() and fstat() report
 * character devices, and libdrm lists PCI devices. For programs that load Mesa's own drivers.
 */

#include "state.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <xf86drm.h>

#define VISIBLE __attribute__((visibility("default")))
#define DRM_MAJOR 226
#define VENDOR_AMD 0x1002

static unsigned minor_of(const struct fake_gpu *gpu)
{
	const char *number = gpu->path ? strrchr(gpu->path, 'D') : NULL;

	return number ? (unsigned)strtoul(number + 1, NULL, 10) : 0;
}

static struct fake_gpu *find_minor(dev_t dev)
{
	struct fake_gpu *gpu;

	wl_list_for_each (gpu, &fake_gpus, link) {
		if (gpu->path && dev == makedev(DRM_MAJOR, minor_of(gpu))) {
			return gpu;
		}
	}
	return NULL;
}

/* Files */

static int look(int fd, const char *path, struct stat *stat, int flags)
{
	return (int)syscall(SYS_newfstatat, fd, path, stat, flags);
}

static int stat_node(int fd, struct stat *stat)
{
	int result = look(fd, "", stat, AT_EMPTY_PATH);
	struct fake_file *file;

	if (result == 0 && S_ISREG(stat->st_mode)) {
		fake_lock();
		file = fake_file_with_inode(fd, stat->st_ino);
		if (file && file->gpu->path) {
			stat->st_mode = S_IFCHR | 0666;
			stat->st_rdev = makedev(DRM_MAJOR, minor_of(file->gpu));
		}
		fake_unlock();
	}
	return result;
}

static int stat_path(const char *path, struct stat *stat)
{
	struct fake_gpu *gpu;

	wl_list_for_each (gpu, &fake_gpus, link) {
		if (gpu->path && strcmp(gpu->path, path) == 0) {
			*stat = (struct stat){
				.st_mode = S_IFCHR | 0666,
				.st_rdev = makedev(DRM_MAJOR, minor_of(gpu)),
			};
			return 0;
		}
	}
	return look(AT_FDCWD, path, stat, 0);
}

/* Mesa and libdrm call these; the structures are equal on 64-bit machines. */
VISIBLE int fstat64(int fd, struct stat64 *stat)
{
	return stat_node(fd, (struct stat *)(void *)stat);
}

VISIBLE int stat64(const char *path, struct stat64 *stat)
{
	return stat_path(path, (struct stat *)(void *)stat);
}

/* Devices of libdrm */

/* One allocation, as drmFreeDevice() frees it. */
struct device {
	drmDevice base;
	drmPciBusInfo bus;
	drmPciDeviceInfo info;
	char *nodes[DRM_NODE_MAX];
	char path[64];
};

static drmDevicePtr describe(const struct fake_gpu *gpu)
{
	struct device *device = calloc(1, sizeof(*device));

	if (!device) {
		return NULL;
	}
	strncpy(device->path, gpu->path, sizeof(device->path) - 1);
	device->nodes[DRM_NODE_RENDER] = device->path;
	device->bus = (drmPciBusInfo){.bus = (uint8_t)minor_of(gpu)};
	device->info = (drmPciDeviceInfo){.vendor_id = VENDOR_AMD, .device_id = gpu->chip->device};
	device->base = (drmDevice){
		.nodes = device->nodes,
		.available_nodes = 1 << DRM_NODE_RENDER,
		.bustype = DRM_BUS_PCI,
		.businfo.pci = &device->bus,
		.deviceinfo.pci = &device->info,
	};
	return &device->base;
}

VISIBLE int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int most)
{
	struct fake_gpu *gpu;
	int n = 0;

	wl_list_for_each (gpu, &fake_gpus, link) {
		if (!gpu->path) {
			continue;
		}
		if (devices && n < most) {
			devices[n] = describe(gpu);
		}
		n++;
	}
	return devices && n > most ? most : n;
}

VISIBLE int drmGetDevices(drmDevicePtr devices[], int most)
{
	return drmGetDevices2(0, devices, most);
}

VISIBLE int drmGetDeviceFromDevId(dev_t dev, uint32_t flags, drmDevicePtr *device)
{
	const struct fake_gpu *gpu = find_minor(dev);

	*device = gpu ? describe(gpu) : NULL;
	return *device ? 0 : -ENODEV;
}

static dev_t device_of(int fd)
{
	struct stat stat;

	return stat_node(fd, &stat) == 0 ? stat.st_rdev : 0;
}

VISIBLE int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device)
{
	return drmGetDeviceFromDevId(device_of(fd), flags, device);
}

VISIBLE int drmGetDevice(int fd, drmDevicePtr *device)
{
	return drmGetDevice2(fd, 0, device);
}

VISIBLE int drmGetNodeTypeFromFd(int fd)
{
	return find_minor(device_of(fd)) ? DRM_NODE_RENDER : -1;
}

VISIBLE char *drmGetRenderDeviceNameFromFd(int fd)
{
	const struct fake_gpu *gpu = find_minor(device_of(fd));

	return gpu ? strdup(gpu->path) : NULL;
}

/* libdrm_amdgpu identifies devices by this name; the GPUs have no primary nodes. */
VISIBLE char *drmGetPrimaryDeviceNameFromFd(int fd)
{
	return drmGetRenderDeviceNameFromFd(fd);
}

VISIBLE char *drmGetDeviceNameFromFd2(int fd)
{
	return drmGetRenderDeviceNameFromFd(fd);
}
