/* SPDX-License-Identifier: MIT */
/* Keymaps of single keyboards: from the configuration, or from the client of a virtual keyboard. */

#include "internal.h"
#include "keymap.h"
#include "util/log.h"
#include <string.h>

static struct seat_device *find_device(struct seat *seat, const struct input_device *input)
{
	struct seat_device *device;
	wl_list_for_each (device, &seat->devices, link) {
		if (device->device == input) {
			return device;
		}
	}
	return NULL;
}

/*
 * Returns a reference to an equal keymap of another device, or to a new one; NULL if the names are
 * invalid.
 */
static struct seat_keymap *share_keymap(struct seat *seat, const struct seat_keymap_names *names)
{
	struct seat_device *device;
	wl_list_for_each (device, &seat->devices, link) {
		if (seat_keymap_is(device->configured, names)) {
			device->configured->n_refs++;
			return device->configured;
		}
	}
	return seat_keymap_compile(seat->keyboard.context, names);
}

static void set_configured(struct seat_device *device, struct seat_keymap *keymap)
{
	struct seat *seat = device->seat;
	struct seat_keymap *old = device->configured;
	device->configured = keymap;
	if (old && seat->keyboard.keymap_active == old) {
		keyboard_carry_over(seat, old, keyboard_keymap_of(device), device);
	}
	if (old) {
		keyboard_replace_keymap(seat, old, keyboard_keymap_of(device));
	}
	seat_keymap_unref(old);
}

bool seat_configure_keyboard(struct seat *seat, const struct input_device *input,
	const struct seat_keymap_names *names, int32_t rate, int32_t delay)
{
	struct seat_device *device = find_device(seat, input);
	if (!device) {
		return false;
	}
	device->repeat_rate = rate;
	device->repeat_delay = delay;
	if (!names || seat_keymap_is(seat->keyboard.keymap_own, names)) {
		set_configured(device, NULL);
		return true;
	}
	if (seat_keymap_is(device->configured, names)) {
		return true;
	}
	struct seat_keymap *keymap = share_keymap(seat, names);
	if (!keymap) {
		return false;
	}
	set_configured(device, keymap);
	return true;
}

/* An input method's virtual keyboard sends the seat's keymap back: clients have it already. */
static struct seat_keymap *read_keymap(struct seat *seat, const char *text)
{
	const struct seat_keymap *active = seat->keyboard.keymap_active;
	if (active && strcmp(active->string, text) == 0) {
		return seat_keymap_clone(active);
	}
	return seat_keymap_parse(seat->keyboard.context, text);
}

void keyboard_handle_keymap(struct seat_device *device, struct input_keymap_event *event)
{
	struct seat *seat = device->seat;
	struct seat_keymap *keymap = read_keymap(seat, event->keymap);
	if (!keymap) {
		log_debug(LOG_SEAT, "%s: invalid keymap of device %s", seat->name,
			device->device->name);
		event->refused = true;
		return;
	}
	struct seat_keymap *old = device->keymap;
	device->keymap = keymap;
	if (old) {
		keyboard_replace_keymap(seat, old, keymap);
	}
	seat_keymap_unref(old);
}

void keyboard_forget_keymap(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_keymap *keymap = device->keymap;
	if (seat->keyboard.physical == device) {
		seat->keyboard.physical = NULL;
	}
	device->keymap = NULL;
	if (device->configured) {
		keyboard_replace_keymap(seat, device->configured, seat->keyboard.keymap_own);
	}
	seat_keymap_unref(device->configured);
	device->configured = NULL;
	if (keymap) {
		keyboard_replace_keymap(seat, keymap, seat->keyboard.keymap_own);
	}
	seat_keymap_unref(keymap);
}

void seat_each_keyboard(struct seat *seat,
	void (*visit)(void *data, const struct input_device *device, struct xkb_state *state),
	void *data)
{
	struct seat_device *device;
	wl_list_for_each (device, &seat->devices, link) {
		if (device->device->type == INPUT_KEYBOARD && !device->device->client) {
			const struct seat_keymap *keymap = keyboard_keymap_of(device);
			visit(data, device->device, keymap ? keymap->state : NULL);
		}
	}
}
