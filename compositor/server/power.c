/* SPDX-License-Identifier: MIT */
/*
 * Battery state: from UPower if it runs (upower.c), else from the sysfs files documented in Linux's
 * Documentation/ABI/testing/sysfs-class-power.
 */

#include "power.h"
#include "upower.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUPPLIES "/sys/class/power_supply"

/* Reads the first line of a file; empty if unreadable. */
static void read_line(const char *folder, const char *supply, const char *name, char out[static 32])
{
	char *path = xasprintf("%s/%s/%s", folder, supply, name);
	FILE *file = fopen(path, "re");
	out[0] = '\0';
	if (file) {
		if (fgets(out, 32, file)) {
			out[strcspn(out, "\n")] = '\0';
		}
		fclose(file);
	}
	free(path);
}

bool power_read(const char *folder)
{
	bool charger = false, discharging = false;
	DIR *supplies = opendir(folder);
	if (!supplies) {
		return false;
	}
	const struct dirent *entry;
	while ((entry = readdir(supplies))) {
		char type[32], value[32];
		read_line(folder, entry->d_name, "type", type);
		if (strcmp(type, "Battery") == 0) {
			/* Batteries of mice and headphones have the scope "Device". */
			read_line(folder, entry->d_name, "scope", value);
			if (strcmp(value, "Device") != 0) {
				read_line(folder, entry->d_name, "status", value);
				discharging |= strcmp(value, "Discharging") == 0;
			}
		} else if (type[0] != '\0') {
			read_line(folder, entry->d_name, "online", value);
			charger |= strcmp(value, "1") == 0;
		}
	}
	closedir(supplies);
	return discharging && !charger;
}

/* Reads the sysfs files only without UPower, since some drivers answer slowly. */
static bool is_on_battery(const struct power *power)
{
	enum upower_state state = upower_state(power->upower);
	return state == UPOWER_UNKNOWN ? power_read(SUPPLIES) : state == UPOWER_BATTERY;
}

static void update(struct power *power)
{
	bool on_battery = is_on_battery(power);
	if (on_battery != power->on_battery) {
		power->on_battery = on_battery;
		log_info(on_battery ? "on battery" : "on mains");
		signal_emit(&power->events.changed, NULL);
	}
}

static void handle_word(void *data)
{
	update(data);
}

static int handle_monitor(int fd, uint32_t mask, void *data)
{
	struct power *power = data;
	struct udev_device *device;
	bool heard = false;
	while ((device = udev_monitor_receive_device(power->monitor))) {
		udev_device_unref(device);
		heard = true;
	}
	if (heard) {
		upower_retry(power->upower);
		update(power);
	}
	return 0;
}

void power_init(struct power *power, struct wl_event_loop *loop)
{
	*power = (struct power){.udev = udev_new()};
	wl_signal_init(&power->events.changed);
	power->upower = upower_create(loop, handle_word, power);
	power->on_battery = is_on_battery(power);
	power->monitor = power->udev ? udev_monitor_new_from_netlink(power->udev, "udev") : NULL;
	/* The kernel filters out events of other devices, which would wake the compositor. */
	if (!power->monitor ||
		udev_monitor_filter_add_match_subsystem_devtype(
			power->monitor, "power_supply", NULL) < 0 ||
		udev_monitor_enable_receiving(power->monitor) < 0) {
		log_debug(LOG_BACKEND, "cannot monitor the power supply with udev");
		return;
	}
	power->source = wl_event_loop_add_fd(loop, udev_monitor_get_fd(power->monitor),
		WL_EVENT_READABLE, handle_monitor, power);
}

void power_finish(struct power *power)
{
	event_source_remove(&power->source);
	upower_destroy(power->upower);
	udev_monitor_unref(power->monitor);
	udev_unref(power->udev);
}
