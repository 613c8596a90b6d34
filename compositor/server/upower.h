/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Battery state from UPower: its property OnBattery on the D-Bus system bus, followed by signals.
 * Bus and service may start late, stop and restart. The implementation never blocks, polls or
 * starts a service.
 */

#include <wayland-server-core.h>

struct upower;

enum upower_state {
	UPOWER_UNKNOWN, /* not running, or not answered yet */
	UPOWER_MAINS,
	UPOWER_BATTERY,
};

/**
 * Creates the watcher. Returns NULL in builds without sd-bus. Calls `changed` from the event loop
 * when upower_state() changed.
 */
struct upower *upower_create(struct wl_event_loop *loop, void (*changed)(void *data), void *data);
/** Destroys the watcher. NULL is allowed. */
void upower_destroy(struct upower *upower);
/** Returns the battery state; UPOWER_UNKNOWN for NULL. */
enum upower_state upower_state(const struct upower *upower);
/**
 * Tries to connect again if there is no bus: for callers that are awake anyway. NULL is allowed.
 * May call `changed`.
 */
void upower_retry(struct upower *upower);
