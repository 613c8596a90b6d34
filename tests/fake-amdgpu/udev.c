/* SPDX-License-Identifier: MIT */
/*
 * libudev of a preloaded compositor: adds the emulated GPUs to devices of subsystem drm; other
 * calls reach the real library.
 */

#include "emulated.h"
#include <dlfcn.h>
#include <libudev.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define VISIBLE __attribute__((visibility("default")))
#define VENDOR_AMD_CPU 0x1022

/* Entry that replaces the library's own; callers treat both as opaque. */
struct entry {
	char path[64];
};

enum part {
	PART_NODE,
	PART_GPU, /* the PCI function of the node */
	PART_SIBLING, /* the processor's function in the slot of an integrated GPU */
	PART_COUNT,
};

struct device {
	const struct emulated_gpu *gpu;
	enum part part;
	char path[64], value[16];
};

static struct entry entries[EMULATED_MAX];
static struct device devices[EMULATED_MAX][PART_COUNT];
static unsigned n_gpus;
/* The last list of subsystem drm; callers walk it before they request another. */
static const struct udev_enumerate *drm_list;
static const struct udev_list_entry *drm_tail;

void emulated_udev_start(void)
{
	const struct emulated_gpu *gpu;

	while ((gpu = emulated_at(n_gpus))) {
		struct device *all = devices[n_gpus];
		int length = (int)strlen(gpu->slot) - 1;

		for (int part = 0; part < PART_COUNT; part++) {
			all[part].gpu = gpu;
			all[part].part = (enum part)part;
		}
		snprintf(all[PART_GPU].path, sizeof(all->path), "/sys/devices/emulated/%s",
			gpu->slot);
		snprintf(all[PART_NODE].path, sizeof(all->path), "/sys/devices/emulated/renderD%u",
			gpu->minor);
		snprintf(all[PART_SIBLING].path, sizeof(all->path), "/sys/devices/emulated/%.*s1",
			length, gpu->slot);
		memcpy(entries[n_gpus].path, all[PART_NODE].path, sizeof(all->path));
		n_gpus++;
	}
}

/* The real library's function of the same name and type. */
#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

static struct device *ours(struct udev_device *device)
{
	struct device *first = &devices[0][0], *own = (struct device *)(void *)device;

	return own >= first && own < first + EMULATED_MAX * PART_COUNT ? own : NULL;
}

/* Lists */

static struct udev_list_entry *entry_at(unsigned i)
{
	return i < n_gpus ? (struct udev_list_entry *)(void *)&entries[i] : NULL;
}

static int index_of(const struct udev_list_entry *entry)
{
	const struct entry *own = (const struct entry *)(const void *)entry;

	return own >= entries && own < entries + EMULATED_MAX ? (int)(own - entries) : -1;
}

VISIBLE int udev_enumerate_add_match_subsystem(struct udev_enumerate *list, const char *subsystem)
{
	if (strcmp(subsystem, "drm") == 0) {
		drm_list = list;
		drm_tail = NULL;
	}
	return REAL(udev_enumerate_add_match_subsystem)(list, subsystem);
}

VISIBLE struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *list)
{
	struct udev_list_entry *first = REAL(udev_enumerate_get_list_entry)(list), *last, *next;

	if (list != drm_list) {
		return first;
	}
	for (last = first; last && (next = REAL(udev_list_entry_get_next)(last));) {
		last = next;
	}
	drm_tail = last;
	return first ? first : entry_at(0);
}

VISIBLE struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry)
{
	int index = index_of(entry);

	if (index >= 0) {
		return entry_at((unsigned)index + 1);
	}
	return entry && entry == drm_tail ? entry_at(0) : REAL(udev_list_entry_get_next)(entry);
}

VISIBLE const char *udev_list_entry_get_name(struct udev_list_entry *entry)
{
	int index = index_of(entry);

	return index >= 0 ? entries[index].path : REAL(udev_list_entry_get_name)(entry);
}

VISIBLE struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *list)
{
	if (list == drm_list) {
		drm_list = NULL;
		drm_tail = NULL;
	}
	return REAL(udev_enumerate_unref)(list);
}

/* Devices */

VISIBLE struct udev_device *udev_device_new_from_syspath(struct udev *udev, const char *path)
{
	for (unsigned i = 0; i < n_gpus; i++) {
		for (int part = 0; part < PART_COUNT; part++) {
			if (strcmp(devices[i][part].path, path) == 0) {
				return part == PART_SIBLING && !devices[i][part].gpu->integrated
					       ? NULL
					       : (struct udev_device *)(void *)&devices[i][part];
			}
		}
	}
	return REAL(udev_device_new_from_syspath)(udev, path);
}

VISIBLE struct udev_device *udev_device_unref(struct udev_device *device)
{
	return ours(device) ? NULL : REAL(udev_device_unref)(device);
}

VISIBLE struct udev_device *udev_device_get_parent(struct udev_device *device)
{
	struct device *own = ours(device);

	if (!own) {
		return REAL(udev_device_get_parent)(device);
	}
	return own->part == PART_NODE
		       ? (struct udev_device *)(void *)&devices[own->gpu - emulated_at(0)][PART_GPU]
		       : NULL;
}

VISIBLE const char *udev_device_get_syspath(struct udev_device *device)
{
	struct device *own = ours(device);

	return own ? own->path : REAL(udev_device_get_syspath)(device);
}

VISIBLE const char *udev_device_get_sysname(struct udev_device *device)
{
	struct device *own = ours(device);

	return own ? strrchr(own->path, '/') + 1 : REAL(udev_device_get_sysname)(device);
}

VISIBLE const char *udev_device_get_devnode(struct udev_device *device)
{
	struct device *own = ours(device);

	if (!own) {
		return REAL(udev_device_get_devnode)(device);
	}
	return own->part == PART_NODE ? own->gpu->path : NULL;
}

VISIBLE dev_t udev_device_get_devnum(struct udev_device *device)
{
	struct device *own = ours(device);

	if (!own) {
		return REAL(udev_device_get_devnum)(device);
	}
	return own->part == PART_NODE ? makedev(226, own->gpu->minor) : 0;
}

VISIBLE const char *udev_device_get_subsystem(struct udev_device *device)
{
	struct device *own = ours(device);

	if (!own) {
		return REAL(udev_device_get_subsystem)(device);
	}
	return own->part == PART_NODE ? "drm" : "pci";
}

VISIBLE const char *udev_device_get_driver(struct udev_device *device)
{
	struct device *own = ours(device);

	if (!own) {
		return REAL(udev_device_get_driver)(device);
	}
	return own->part == PART_GPU ? own->gpu->driver : NULL;
}

VISIBLE const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
	return ours(device) ? NULL : REAL(udev_device_get_property_value)(device, key);
}

VISIBLE const char *udev_device_get_sysattr_value(struct udev_device *device, const char *key)
{
	struct device *own = ours(device);
	uint32_t vendor;

	if (!own) {
		return REAL(udev_device_get_sysattr_value)(device, key);
	}
	vendor = own->part == PART_SIBLING ? VENDOR_AMD_CPU : own->gpu->vendor;
	if (own->part == PART_NODE || (strcmp(key, "vendor") != 0 && strcmp(key, "device") != 0)) {
		return NULL;
	}
	snprintf(own->value, sizeof(own->value), "0x%04x",
		strcmp(key, "vendor") == 0 ? vendor : own->gpu->device);
	return own->value;
}
