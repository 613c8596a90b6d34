/* SPDX-License-Identifier: MIT */
/* GPUs: found through udev, opened by their first user and closed after the last. */

#include "gpu/gpu.h"
#include "gpu/version.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <gbm.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VENDOR_AMD_GPU 0x1002
#define VENDOR_AMD_CPU 0x1022
#define VENDOR_NVIDIA 0x10de
#define VENDOR_INTEL 0x8086
/* Of virtual machines. */
#define VENDOR_QEMU 0x1234
#define VENDOR_VMWARE 0x15ad
#define VENDOR_VIRTIO 0x1af4
#define VENDOR_QXL 0x1b36

/* Only attributes that the PCI core answers from memory: a driver's own may wake the device. */
static uint32_t read_number(struct udev_device *device, const char *attribute)
{
	const char *value = udev_device_get_sysattr_value(device, attribute);
	return value ? (uint32_t)strtoul(value, NULL, 0) : 0;
}

/* Returns the GPU's own PCI device, or NULL; a USB adapter's bus is not one. */
static struct udev_device *find_pci(struct udev_device *device)
{
	const char *subsystem = udev_device_get_subsystem(device);
	if (subsystem && strcmp(subsystem, "virtio") == 0) {
		device = udev_device_get_parent(device);
		subsystem = device ? udev_device_get_subsystem(device) : NULL;
	}
	return subsystem && strcmp(subsystem, "pci") == 0 ? device : NULL;
}

/* Returns the name in the form of DRI_PRIME: pci-0000_03_00_0, platform-fd4a0000_gpu. */
static char *make_bus_id(struct udev_device *device, struct udev_device *pci)
{
	const char *tag = udev_device_get_property_value(device, "ID_PATH_TAG");
	char *id;
	if (pci) {
		id = xasprintf("pci-%s", udev_device_get_sysname(pci));
	} else if (tag) {
		id = xstrdup(tag);
	} else {
		const char *subsystem = udev_device_get_subsystem(device);
		id = xasprintf("%s-%s", subsystem ? subsystem : "virtual",
			udev_device_get_sysname(device));
	}
	for (char *c = id; *c != '\0'; c++) {
		if (*c == ':' || *c == '.') {
			*c = '_';
		}
	}
	return id;
}

/* An AMD processor's own GPU shares its slot with functions of the processor's vendor id. */
static bool has_processor_sibling(struct udev *udev, struct udev_device *pci)
{
	const char *path = udev_device_get_syspath(pci);
	size_t length = strlen(path);
	bool found = false;
	for (char function = '1'; function <= '7' && !found; function++) {
		char *sibling_path = xasprintf("%.*s%c", (int)length - 1, path, function);
		struct udev_device *sibling = udev_device_new_from_syspath(udev, sibling_path);
		if (sibling) {
			found = read_number(sibling, "vendor") == VENDOR_AMD_CPU;
			udev_device_unref(sibling);
		}
		free(sibling_path);
	}
	return found;
}

static bool guess_integrated(struct udev *udev, struct gpu *gpu, struct udev_device *pci)
{
	unsigned domain = 0, bus = 0;
	if (!pci) {
		return true; /* on a system-on-chip, or rendered by the CPU */
	}
	sscanf(udev_device_get_sysname(pci), "%x:%x:", &domain, &bus);
	switch (gpu->vendor) {
	case VENDOR_NVIDIA: return false;
	case VENDOR_AMD_GPU: return has_processor_sibling(udev, pci);
	case VENDOR_QEMU:
	case VENDOR_VMWARE:
	case VENDOR_VIRTIO:
	case VENDOR_QXL: return true;
	case VENDOR_INTEL: /* the processor's own is always 0000:00:02.0 */
	default: return bus == 0;
	}
}

struct gpu *gpu_list_find_bus_id(const struct gpu_list *list, const char *bus_id)
{
	struct gpu *gpu;
	wl_list_for_each (gpu, &list->gpus, link) {
		if (strcmp(gpu->bus_id, bus_id) == 0) {
			return gpu;
		}
	}
	return NULL;
}

bool gpu_has_one_memory(const struct gpu *gpu)
{
	return strcmp(gpu->driver, "virtio_gpu") != 0 && strcmp(gpu->driver, "vmwgfx") != 0;
}

static enum gpu_sg_display read_sg_display(const struct gpu *gpu)
{
	char text[16] = "";
	int fd = strcmp(gpu->driver, "amdgpu") == 0
			 ? open("/sys/module/amdgpu/parameters/sg_display", O_RDONLY | O_CLOEXEC)
			 : -1;
	ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	fd_close(&fd);
	return length <= 0 || text[0] == '-' ? GPU_SG_DISPLAY_AUTO
	       : text[0] == '0'              ? GPU_SG_DISPLAY_OFF
					     : GPU_SG_DISPLAY_ON;
}

static struct gpu *create(struct udev *udev, struct udev_device *parent, char *bus_id)
{
	struct gpu *gpu = xcalloc(1, sizeof(*gpu));
	struct udev_device *pci = find_pci(parent);
	const char *driver = udev_device_get_driver(parent);
	gpu->bus_id = bus_id;
	gpu->fd = -1;
	if (!driver || strcmp(driver, "faux_driver") == 0) {
		/* Software drivers such as vkms have none, or that of all faux devices. */
		driver = udev_device_get_sysname(parent);
	}
	/*
	 * virtio's GPU is on a bus of its own, below the PCI device, whose driver is not the GPU's.
	 */
	gpu->driver = xstrdup(strcmp(driver, "virtio-pci") == 0 ? "virtio_gpu" : driver);
	gpu->driver_version = gpu_read_driver_version(gpu->driver);
	if (pci) {
		gpu->vendor = read_number(pci, "vendor");
		gpu->device = read_number(pci, "device");
		gpu->boot_vga = read_number(pci, "boot_vga") == 1;
	}
	gpu->integrated = guess_integrated(udev, gpu, pci);
	gpu->sg_display = read_sg_display(gpu);
	wl_signal_init(&gpu->events.gone);
	return gpu;
}

static void release(struct gpu *gpu)
{
	assert(gpu->n_users == 0);
	wl_list_remove(&gpu->link);
	free(gpu->primary_path);
	free(gpu->render_path);
	free(gpu->driver);
	free(gpu->driver_version);
	free(gpu->bus_id);
	free(gpu->seat);
	free(gpu);
}

static void say_gone(struct gpu *gpu)
{
	gpu->gone = true;
	signal_emit(&gpu->events.gone, gpu);
	assert(wl_list_empty(&gpu->events.gone.listener_list));
}

static void add_node(struct gpu_list *list, struct udev *udev, struct udev_device *node)
{
	const char *name = udev_device_get_sysname(node);
	const char *path = udev_device_get_devnode(node);
	/* Devices without a bus, such as some virtual ones, are their own parent. */
	struct udev_device *parent = udev_device_get_parent(node);
	bool render = strncmp(name, "renderD", 7) == 0;
	/* Connectors are devices of the subsystem too, without a node. */
	if (!path || (!render && strncmp(name, "card", 4) != 0)) {
		return;
	}
	parent = parent ? parent : node;
	char *bus_id = make_bus_id(parent, find_pci(parent));
	struct gpu *gpu = gpu_list_find_bus_id(list, bus_id);
	if (gpu) {
		free(bus_id);
	} else {
		gpu = create(udev, parent, bus_id);
		wl_list_insert(list->gpus.prev, &gpu->link);
	}
	const char *seat = udev_device_get_property_value(node, "ID_SEAT");
	if (!gpu->seat || (seat && !render)) {
		free(gpu->seat);
		gpu->seat = xstrdup(seat ? seat : "seat0");
	}
	if (render && !gpu->render_path) {
		gpu->render_path = xstrdup(path);
		gpu->render_dev = udev_device_get_devnum(node);
	} else if (!render && !gpu->primary_path) {
		gpu->primary_path = xstrdup(path);
		gpu->primary_dev = udev_device_get_devnum(node);
	}
}

/* Minor numbers of primary nodes ascend with the node's number; GPUs without one come last. */
static bool is_before(const struct gpu *a, const struct gpu *b)
{
	if (a->primary_dev == 0 || b->primary_dev == 0) {
		return a->primary_dev != 0;
	}
	return a->primary_dev < b->primary_dev;
}

static void sort(struct gpu_list *list)
{
	struct wl_list sorted;
	wl_list_init(&sorted);
	while (!wl_list_empty(&list->gpus)) {
		struct gpu *gpu = wl_container_of(list->gpus.next, gpu, link);
		struct wl_list *place = &sorted;
		struct gpu *other;
		wl_list_for_each (other, &sorted, link) {
			if (is_before(gpu, other)) {
				break;
			}
			place = &other->link;
		}
		wl_list_remove(&gpu->link);
		wl_list_insert(place, &gpu->link);
	}
	wl_list_insert_list(&list->gpus, &sorted);
}

static void add_nodes(struct gpu_list *list, struct udev *udev)
{
	struct udev_enumerate *enumerate = udev_enumerate_new(udev);
	struct udev_list_entry *entry;
	if (!enumerate) {
		return;
	}
	udev_enumerate_add_match_subsystem(enumerate, "drm");
	udev_enumerate_scan_devices(enumerate);
	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(enumerate))
	{
		struct udev_device *node =
			udev_device_new_from_syspath(udev, udev_list_entry_get_name(entry));
		if (node) {
			add_node(list, udev, node);
			udev_device_unref(node);
		}
	}
	udev_enumerate_unref(enumerate);
}

static void find_all(struct gpu_list *list)
{
	struct udev *udev = udev_new();
	wl_list_init(&list->gpus);
	if (!udev) {
		log_warn("cannot open udev: no GPU can be found");
		return;
	}
	add_nodes(list, udev);
	udev_unref(udev);
	sort(list);
}

static void describe(const struct gpu *gpu)
{
	log_debug(LOG_GPU, "%s: %s, %04x:%04x, %s%s, nodes %s and %s", gpu->bus_id, gpu->driver,
		gpu->vendor, gpu->device, gpu->integrated ? "integrated" : "discrete",
		gpu->boot_vga ? ", boot display" : "",
		gpu->primary_path ? gpu->primary_path : "none",
		gpu->render_path ? gpu->render_path : "none");
}

void gpu_list_init(struct gpu_list *list)
{
	struct gpu *gpu;
	wl_list_init(&list->gone);
	signals_init(&list->events, sizeof(list->events));
	find_all(list);
	wl_list_for_each (gpu, &list->gpus, link) {
		describe(gpu);
	}
}

/* Returns the GPU with the same device and nodes: another device may have reused them. */
static struct gpu *find_same(const struct gpu_list *list, const struct gpu *like)
{
	struct gpu *gpu = gpu_list_find_bus_id(list, like->bus_id);
	return gpu && gpu->primary_dev == like->primary_dev && gpu->render_dev == like->render_dev
		       ? gpu
		       : NULL;
}

void gpu_list_count_loss(struct gpu_list *list, struct gpu *gpu)
{
	gpu->n_losses++;
	signal_emit(&list->events.lost, gpu);
}

void gpu_list_remove(struct gpu_list *list, struct gpu *gpu)
{
	log_debug(LOG_GPU, "%s: gone", gpu->bus_id);
	wl_list_remove(&gpu->link);
	wl_list_insert(&list->gone, &gpu->link);
	say_gone(gpu);
}

void gpu_list_refresh(struct gpu_list *list)
{
	struct gpu_list now;
	struct gpu *gpu, *next;
	bool changed = false;
	wl_list_init(&now.gone);
	find_all(&now);
	wl_list_for_each_safe (gpu, next, &list->gpus, link) {
		if (!find_same(&now, gpu)) {
			gpu_list_remove(list, gpu);
			changed = true;
		}
	}
	wl_list_for_each_safe (gpu, next, &now.gpus, link) {
		if (find_same(list, gpu)) {
			release(gpu);
			continue;
		}
		describe(gpu);
		wl_list_remove(&gpu->link);
		wl_list_insert(list->gpus.prev, &gpu->link);
		changed = true;
	}
	sort(list);
	if (changed) {
		signal_emit(&list->events.changed, list);
	}
}

void gpu_list_finish(struct gpu_list *list)
{
	struct gpu *gpu, *next;
	wl_list_for_each_safe (gpu, next, &list->gpus, link) {
		say_gone(gpu);
		release(gpu);
	}
	wl_list_for_each_safe (gpu, next, &list->gone, link) {
		release(gpu);
	}
}

struct gpu *gpu_list_find(const struct gpu_list *list, dev_t dev)
{
	struct gpu *gpu;
	if (dev == 0) {
		return NULL; /* the value of missing nodes */
	}
	wl_list_for_each (gpu, &list->gpus, link) {
		if (gpu->primary_dev == dev || gpu->render_dev == dev) {
			return gpu;
		}
	}
	return NULL;
}

/* Takes over fd, also on failure. */
static int open_with(struct gpu *gpu, int fd)
{
	errno = 0;
	gpu->gbm = gbm_create_device(fd);
	if (!gpu->gbm) {
		int error = error_may_pass(-errno) ? -errno : -ENOTSUP;
		log_debug(LOG_GPU, "%s: cannot create a GBM device", gpu->bus_id);
		fd_close(&fd);
		return error;
	}
	gpu->fd = fd;
	gpu->n_users = 1;
	log_debug(LOG_GPU, "%s: opened", gpu->bus_id);
	return 0;
}

int gpu_open(struct gpu *gpu)
{
	const char *path = gpu->render_path ? gpu->render_path : gpu->primary_path;
	if (gpu->gone) {
		return -ENODEV;
	}
	if (gpu->n_users > 0) {
		gpu->n_users++;
		return 0;
	}
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 ? -errno : open_with(gpu, fd);
}

int gpu_open_fd(struct gpu *gpu, int fd)
{
	if (gpu->gone) {
		return -ENODEV;
	}
	if (gpu->n_users > 0) {
		gpu->n_users++;
		return 0;
	}
	int copy = fd_dup(fd);
	return copy < 0 ? copy : open_with(gpu, copy);
}

void gpu_close(struct gpu *gpu)
{
	assert(gpu->n_users > 0);
	gpu->n_users--;
	if (gpu->n_users > 0) {
		return;
	}
	gbm_device_destroy(gpu->gbm);
	gpu->gbm = NULL;
	fd_close(&gpu->fd);
	log_debug(LOG_GPU, "%s: closed", gpu->bus_id);
}

struct gpu *gpu_copy(const struct gpu *gpu)
{
	struct gpu *copy = xcalloc(1, sizeof(*copy));
	*copy = (struct gpu){
		.primary_dev = gpu->primary_dev,
		.render_dev = gpu->render_dev,
		.primary_path = xstrdup(gpu->primary_path),
		.render_path = xstrdup(gpu->render_path),
		.driver = xstrdup(gpu->driver),
		.driver_version = xstrdup(gpu->driver_version),
		.bus_id = xstrdup(gpu->bus_id),
		.seat = xstrdup(gpu->seat),
		.vendor = gpu->vendor,
		.device = gpu->device,
		.boot_vga = gpu->boot_vga,
		.integrated = gpu->integrated,
		.sg_display = gpu->sg_display,
		.fd = -1,
		.gone = gpu->gone,
	};
	wl_list_init(&copy->link);
	wl_signal_init(&copy->events.gone);
	return copy;
}

void gpu_copy_destroy(struct gpu *copy)
{
	if (copy) {
		release(copy);
	}
}

dev_t gpu_dev(const struct gpu *gpu)
{
	return gpu->render_path ? gpu->render_dev : gpu->primary_dev;
}
