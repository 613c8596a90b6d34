#pragma once

/**
 * A diversion of the keyboard: an input method hears of keys in place of the focus. Bindings and grabs
 * come before it. Keys that its own client plays pass by it: that is how it types what is none of its
 * business.
 *
 * It hears of the releases of those keys that it heard pressed, and the focus of the rest: keys that were
 * down when it began come up there.
 */

#include "backend/input.h"
#include <stdint.h>

struct keyboard_diversion;
struct seat;
struct seat_keymap;

#define SEAT_MAX_KEYS 32

/** All mandatory. */
struct keyboard_diversion_impl {
	/** fd is -1 if there is no keymap at all; it stays the seat's. */
	void (*keymap)(struct keyboard_diversion *diversion, int fd, uint32_t size);
	/** Per second, ms. */
	void (*repeat)(struct keyboard_diversion *diversion, int32_t rate, int32_t delay);
	void (*key)(struct keyboard_diversion *diversion, const struct input_key_event *event);
	void (*modifiers)(struct keyboard_diversion *diversion,
		const struct input_modifiers_event *modifiers);
};

struct keyboard_diversion {
	const struct keyboard_diversion_impl *impl;
	struct seat *seat;
	const void *player; /* input_device.player of what passes by */
	/** As it was told last. */
	const struct seat_keymap *keymap;
	int32_t repeat_rate, repeat_delay;
	struct input_modifiers_event modifiers;
	uint32_t keys[SEAT_MAX_KEYS]; /* evdev codes that it knows as pressed */
	int n_keys;
};

void keyboard_diversion_init(struct keyboard_diversion *diversion, struct seat *seat,
	const void *player, const struct keyboard_diversion_impl *impl);
/** Tells repeat and keymap; keys go where they went. */
void keyboard_diversion_introduce(struct keyboard_diversion *diversion);
/** Begins; one that is on ends. Tells keymap and modifiers, and the repeat if that is news. */
void keyboard_divert(struct keyboard_diversion *diversion);
/** Nothing happens if it is not on. */
void keyboard_undivert(struct keyboard_diversion *diversion);
