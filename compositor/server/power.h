/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Battery state of the machine: reported by UPower, or without it read from the kernel's power
 * supplies at the start and on udev events. Neither is polled.
 */

#include "util/signal.h"
#include <stdbool.h>

struct power {
	bool on_battery;
	struct upower *upower; /* NULL: built without */
	struct udev *udev;
	struct udev_monitor *monitor; /* NULL: udev is unavailable */
	struct wl_event_source *source;
	struct {
		struct wl_signal changed; /* on_battery has changed */
	} events;
};

void power_init(struct power *power, struct wl_event_loop *loop);
void power_finish(struct power *power);

/**
 * Reads the supplies in a directory such as /sys/class/power_supply. Returns true if no charger is
 * online and a battery of the machine itself is discharging; false without supplies.
 */
bool power_read(const char *folder);
