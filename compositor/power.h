#pragma once

/**
 * Whether the machine runs on battery: UPower's word, and where it does not speak, that of the kernel's power
 * supplies, read at the start and whenever udev tells of a change. Neither is polled.
 */

#include <stdbool.h>
#include <wayland-server-core.h>

struct power {
	bool on_battery;
	struct upower *upower; /* NULL: built without */
	struct udev *udev;
	struct udev_monitor *monitor; /* NULL: changes cannot be heard of */
	struct wl_event_source *source;
	struct {
		struct wl_signal changed; /* on_battery has changed */
	} events;
};

void power_init(struct power *power, struct wl_event_loop *loop);
void power_finish(struct power *power);

/**
 * What the supplies in a folder like /sys/class/power_supply say: no charger is on line, and a battery of
 * the machine's own discharges. Without supplies: false.
 */
bool power_read(const char *folder);
