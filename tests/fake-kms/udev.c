/* SPDX-License-Identifier: MIT */
/* Emulated libudev for the compositor and libinput: emulated cards without input devices. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

struct udev {
	int refs;
};

struct udev_list_entry {
	char name[64];
	struct udev_list_entry *next;
};

struct udev_enumerate {
	bool drm;
	struct udev_list_entry *first;
};

struct udev_device {
	int refs;
	bool bus; /* the PCI device; properties are copied since the card can be destroyed first */
	char path[64], devnode[32], action[16], connector[16];
	int number;
	uint32_t vendor, device;
	bool boot_vga, lease;
	const char *driver, *seat;
	char value[16];
	struct udev_device *parent; /* owned */
	struct wl_list link; /* in udev_monitor.queue */
};

struct udev_monitor {
	struct wl_list link; /* in monitors */
	bool drm;
	int fd;
	struct wl_list queue;
};

/* Guarded by fake_lock(), as their queues: any thread may find that a lessee has ended. */
static struct wl_list monitors = {&monitors, &monitors};

VISIBLE struct udev *udev_new(void)
{
	struct udev *udev = calloc(1, sizeof(*udev));

	assert(udev);
	udev->refs = 1;
	return udev;
}

VISIBLE struct udev *udev_ref(struct udev *udev)
{
	udev->refs++;
	return udev;
}

VISIBLE struct udev *udev_unref(struct udev *udev)
{
	if (udev && --udev->refs == 0) {
		free(udev);
	}
	return NULL;
}

/* Devices */

static struct udev_device *make(const struct fake_card *card, bool bus)
{
	struct udev_device *device = calloc(1, sizeof(*device));

	assert(device);
	device->refs = 1;
	device->bus = bus;
	device->number = card->number;
	device->vendor = card->kind->vendor;
	device->device = card->kind->device;
	device->boot_vga = card->kind->boot_vga;
	device->driver = card->kind->driver ? card->kind->driver : card->kind->name;
	device->seat = card->seat;
	wl_list_init(&device->link);
	if (bus) {
		snprintf(device->path, sizeof(device->path), "/sys/devices/0000:%02x:00.0",
			card->number + 1);
	} else {
		snprintf(device->path, sizeof(device->path), "/sys/devices/card%d", card->number);
		snprintf(device->devnode, sizeof(device->devnode), "%s", card->path);
		device->parent = make(card, true);
	}
	return device;
}

VISIBLE struct udev_device *udev_device_new_from_syspath(struct udev *udev, const char *path)
{
	const struct fake_card *card;
	char name[64];

	wl_list_for_each (card, &fake_cards, link) {
		snprintf(name, sizeof(name), "/sys/devices/card%d", card->number);
		if (!card->removed && strcmp(name, path) == 0) {
			return make(card, false);
		}
	}
	return NULL;
}

VISIBLE struct udev_device *udev_device_ref(struct udev_device *device)
{
	device->refs++;
	return device;
}

VISIBLE struct udev_device *udev_device_unref(struct udev_device *device)
{
	if (device && --device->refs == 0) {
		udev_device_unref(device->parent);
		free(device);
	}
	return NULL;
}

VISIBLE struct udev_device *udev_device_get_parent(struct udev_device *device)
{
	return device->parent;
}

VISIBLE const char *udev_device_get_syspath(struct udev_device *device)
{
	return device->path;
}

VISIBLE const char *udev_device_get_sysname(struct udev_device *device)
{
	return strrchr(device->path, '/') + 1;
}

VISIBLE const char *udev_device_get_devnode(struct udev_device *device)
{
	return device->bus ? NULL : device->devnode;
}

VISIBLE dev_t udev_device_get_devnum(struct udev_device *device)
{
	return device->bus ? 0 : makedev(226, (unsigned)device->number);
}

VISIBLE const char *udev_device_get_subsystem(struct udev_device *device)
{
	return device->bus ? (device->vendor ? "pci" : "platform") : "drm";
}

VISIBLE const char *udev_device_get_driver(struct udev_device *device)
{
	return device->bus ? device->driver : NULL;
}

VISIBLE const char *udev_device_get_action(struct udev_device *device)
{
	return device->action[0] ? device->action : NULL;
}

VISIBLE const char *udev_device_get_property_value(struct udev_device *device, const char *key)
{
	if (strcmp(key, "CONNECTOR") == 0 && device->connector[0]) {
		return device->connector;
	}
	if (strcmp(key, "LEASE") == 0 && device->lease) {
		return "1";
	}
	if (strcmp(key, "ID_SEAT") == 0) {
		return device->seat;
	}
	return strcmp(key, "HOTPLUG") == 0 && device->connector[0] ? "1" : NULL;
}

VISIBLE const char *udev_device_get_sysattr_value(struct udev_device *device, const char *key)
{
	uint32_t number = strcmp(key, "vendor") == 0     ? device->vendor
			  : strcmp(key, "device") == 0   ? device->device
			  : strcmp(key, "boot_vga") == 0 ? device->boot_vga
							 : 0;

	snprintf(device->value, sizeof(device->value), "0x%04x", number);
	return device->bus ? device->value : NULL;
}

/* Lists */

VISIBLE struct udev_enumerate *udev_enumerate_new(struct udev *udev)
{
	return calloc(1, sizeof(struct udev_enumerate));
}

VISIBLE int udev_enumerate_add_match_subsystem(struct udev_enumerate *list, const char *subsystem)
{
	list->drm |= strcmp(subsystem, "drm") == 0;
	return 0;
}

VISIBLE int udev_enumerate_scan_devices(struct udev_enumerate *list)
{
	const struct fake_card *card;

	wl_list_for_each_reverse (card, &fake_cards, link) {
		struct udev_list_entry *entry;

		if (!list->drm || card->removed) {
			continue;
		}
		entry = calloc(1, sizeof(*entry));
		assert(entry);
		snprintf(entry->name, sizeof(entry->name), "/sys/devices/card%d", card->number);
		entry->next = list->first;
		list->first = entry;
	}
	return 0;
}

VISIBLE struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *list)
{
	return list->first;
}

VISIBLE struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *list)
{
	while (list->first) {
		struct udev_list_entry *next = list->first->next;

		free(list->first);
		list->first = next;
	}
	free(list);
	return NULL;
}

VISIBLE struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry)
{
	return entry->next;
}

VISIBLE const char *udev_list_entry_get_name(struct udev_list_entry *entry)
{
	return entry->name;
}

/* Monitors */

VISIBLE struct udev_monitor *udev_monitor_new_from_netlink(struct udev *udev, const char *name)
{
	struct udev_monitor *monitor = calloc(1, sizeof(*monitor));

	assert(monitor);
	monitor->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	wl_list_init(&monitor->queue);
	fake_lock();
	wl_list_insert(&monitors, &monitor->link);
	fake_unlock();
	return monitor;
}

VISIBLE int udev_monitor_filter_add_match_subsystem_devtype(
	struct udev_monitor *monitor, const char *subsystem, const char *devtype)
{
	monitor->drm |= strcmp(subsystem, "drm") == 0;
	return 0;
}

VISIBLE int udev_monitor_enable_receiving(struct udev_monitor *monitor)
{
	return 0;
}

VISIBLE int udev_monitor_get_fd(struct udev_monitor *monitor)
{
	return monitor->fd;
}

VISIBLE struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor)
{
	struct udev_device *device;
	eventfd_t value;

	if (eventfd_read(monitor->fd, &value) < 0) {
		return NULL;
	}
	fake_lock();
	device = wl_container_of(monitor->queue.next, device, link);
	wl_list_remove(&device->link);
	fake_unlock();
	return device;
}

VISIBLE struct udev_monitor *udev_monitor_unref(struct udev_monitor *monitor)
{
	struct udev_device *device, *next;

	if (monitor) {
		fake_lock();
		wl_list_for_each_safe (device, next, &monitor->queue, link) {
			udev_device_unref(device);
		}
		wl_list_remove(&monitor->link);
		fake_unlock();
		close(monitor->fd);
		free(monitor);
	}
	return NULL;
}

void fake_udev_send(struct fake_card *card, const char *action, uint32_t connector, bool lease)
{
	struct udev_monitor *monitor;

	fake_lock();
	wl_list_for_each (monitor, &monitors, link) {
		struct udev_device *device;

		if (!monitor->drm) {
			continue;
		}
		device = make(card, false);
		snprintf(device->action, sizeof(device->action), "%s", action);
		if (connector) {
			snprintf(device->connector, sizeof(device->connector), "%u", connector);
		}
		device->lease = lease;
		wl_list_insert(monitor->queue.prev, &device->link);
		eventfd_write(monitor->fd, 1);
	}
	fake_unlock();
}

/* Functions used by libinput only: there are no input devices. */

VISIBLE struct udev_device *udev_device_new_from_devnum(struct udev *udev, char type, dev_t number)
{
	return NULL;
}

VISIBLE int udev_device_get_is_initialized(struct udev_device *device)
{
	return 1;
}

VISIBLE struct udev *udev_device_get_udev(struct udev_device *device)
{
	return NULL;
}

VISIBLE struct udev_device *udev_device_get_parent_with_subsystem_devtype(
	struct udev_device *device, const char *subsystem, const char *devtype)
{
	return NULL;
}
