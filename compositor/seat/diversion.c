/* The diversion of a keyboard: what an input method hears in place of the focus. */

#include "seat/diversion.h"
#include "seat/internal.h"
#include <string.h>

bool diversion_takes(const struct seat_device *device)
{
	const struct keyboard_diversion *diversion = device->seat->keyboard.diversion;
	return diversion && device->device->player != diversion->player;
}

void diversion_use_keymap(struct keyboard_diversion *diversion, const struct seat_keymap *keymap)
{
	if (diversion->keymap != keymap) {
		diversion->keymap = keymap;
		diversion->impl->keymap(
			diversion, keymap ? keymap->fd : -1, keymap ? keymap->size : 0);
	}
}

void diversion_use_repeat(struct keyboard_diversion *diversion, int32_t rate, int32_t delay)
{
	if (diversion->repeat_rate != rate || diversion->repeat_delay != delay) {
		diversion->repeat_rate = rate;
		diversion->repeat_delay = delay;
		diversion->impl->repeat(diversion, rate, delay);
	}
}

void diversion_use_modifiers(
	struct keyboard_diversion *diversion, const struct input_modifiers_event *modifiers)
{
	if (memcmp(&diversion->modifiers, modifiers, sizeof(*modifiers)) != 0) {
		diversion->modifiers = *modifiers;
		diversion->impl->modifiers(diversion, modifiers);
	}
}

/* The keymap that was used last by what does not pass by. */
static const struct seat_keymap *find_keymap(const struct keyboard_diversion *diversion)
{
	const struct seat_keyboard *keyboard = &diversion->seat->keyboard;
	const struct seat_device *device;
	wl_list_for_each (device, &diversion->seat->devices, link) {
		if (device->keymap && device->keymap == keyboard->keymap_active &&
			device->device->player == diversion->player) {
			return keyboard->keymap_own;
		}
	}
	return keyboard->keymap_active;
}

void keyboard_diversion_init(struct keyboard_diversion *diversion, struct seat *seat,
	const void *player, const struct keyboard_diversion_impl *impl)
{
	*diversion = (struct keyboard_diversion){
		.impl = impl, .seat = seat, .player = player, .repeat_rate = -1};
}

void keyboard_diversion_introduce(struct keyboard_diversion *diversion)
{
	const struct seat_keyboard *keyboard = &diversion->seat->keyboard;
	diversion_use_repeat(diversion, keyboard->repeat_rate, keyboard->repeat_delay);
	const struct seat_keymap *keymap = find_keymap(diversion);
	diversion->impl->keymap(diversion, keymap ? keymap->fd : -1, keymap ? keymap->size : 0);
	diversion->keymap = keymap;
}

void keyboard_divert(struct keyboard_diversion *diversion)
{
	struct seat_keyboard *keyboard = &diversion->seat->keyboard;
	if (keyboard->diversion == diversion) {
		return;
	}
	keyboard_undivert(keyboard->diversion);
	keyboard->diversion = diversion;
	diversion->n_keys = 0;
	keyboard_diversion_introduce(diversion);
	const struct seat_keymap *keymap = diversion->keymap;
	diversion->modifiers =
		keymap ? seat_keymap_modifiers(keymap) : (struct input_modifiers_event){0};
	diversion->impl->modifiers(diversion, &diversion->modifiers);
}

void keyboard_undivert(struct keyboard_diversion *diversion)
{
	if (diversion && diversion->seat->keyboard.diversion == diversion) {
		diversion->seat->keyboard.diversion = NULL;
		keyboard_catch_up(diversion->seat);
	}
}
