#pragma once

/**
 * UPower's word on whether the machine runs on battery: its property OnBattery, asked for once and followed
 * by its signals over the system's D-Bus, when the two are there: they may come late, go, and come back.
 * Nothing here blocks, polls, or starts a service that does not run.
 */

#include <wayland-server-core.h>

struct upower;

enum upower_word {
	UPOWER_SILENT, /* it does not run, or has not answered yet */
	UPOWER_MAINS,
	UPOWER_BATTERY,
};

/**
 * NULL in builds without sd-bus. `changed` is called from the loop when what upower_word() says is another.
 */
struct upower *upower_create(struct wl_event_loop *loop, void (*changed)(void *data), void *data);
/** NULL is legal. */
void upower_destroy(struct upower *upower);
/** NULL: UPOWER_SILENT. */
enum upower_word upower_word(const struct upower *upower);
/** Tries once more where there is no bus: for whoever is awake anyway. NULL is legal. May call `changed`. */
void upower_look(struct upower *upower);
