/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Input-method keyboard grab: keys go to an input method instead of the focus. Bindings and other
 * keyboard grabs take precedence. Keys from virtual keyboards of the same client pass through, so
 * that the input method can type to the focus.
 *
 * The grab receives the releases of keys whose press it received; all other releases go to the
 * focus, including those of keys held when the grab began.
 */

#include "backend/input.h"
#include <stdint.h>

struct input_method_grab;
struct seat;
struct seat_keymap;

#define SEAT_KEYS_MAX 32

/** All are mandatory. */
struct input_method_grab_impl {
	/** Sends the keymap. fd is -1 if there is none; the seat keeps it. */
	void (*keymap)(struct input_method_grab *grab, int fd, uint32_t size);
	/** Sends the repeat rate (per second) and delay (ms). */
	void (*repeat)(struct input_method_grab *grab, int32_t rate, int32_t delay);
	void (*key)(struct input_method_grab *grab, const struct input_key_event *event);
	void (*modifiers)(
		struct input_method_grab *grab, const struct input_modifiers_event *modifiers);
};

struct input_method_grab {
	const struct input_method_grab_impl *impl;
	struct seat *seat;
	const void *client; /* input_device.client of the devices that pass through */
	/** keymap sent last */
	const struct seat_keymap *keymap;
	int32_t repeat_rate, repeat_delay;
	struct input_modifiers_event modifiers;
	uint32_t keys[SEAT_KEYS_MAX]; /* evdev codes sent as pressed */
	int n_keys;
};

void input_method_grab_init(struct input_method_grab *grab, struct seat *seat, const void *client,
	const struct input_method_grab_impl *impl);
/** Sends repeat and keymap without diverting keys. */
void input_method_grab_introduce(struct input_method_grab *grab);
/**
 * Begins the grab, which ends any other of its kind. Sends keymap and modifiers, and the repeat if
 * it has changed.
 */
void input_method_grab_start(struct input_method_grab *grab);
/** Ends the grab if it is active. */
void input_method_grab_end(struct input_method_grab *grab);
