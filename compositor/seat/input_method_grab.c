/* SPDX-License-Identifier: MIT */
/* Input-method keyboard grabs: keys go to an input method instead of the focus. */

#include "seat/input_method_grab.h"
#include "seat/internal.h"
#include "seat/keymap.h"

/* Returns the keymap used last by a device that does not pass through. */
static const struct seat_keymap *find_keymap(const struct input_method_grab *grab)
{
	const struct seat_keyboard *keyboard = &grab->seat->keyboard;
	const struct seat_device *device;
	wl_list_for_each (device, &grab->seat->devices, link) {
		if (device->keymap && device->keymap == keyboard->keymap_active &&
			device->device->client == grab->client) {
			return keyboard->keymap_own;
		}
	}
	return keyboard->keymap_active;
}

void input_method_grab_init(struct input_method_grab *grab, struct seat *seat, const void *client,
	const struct input_method_grab_impl *impl)
{
	*grab = (struct input_method_grab){
		.impl = impl, .seat = seat, .client = client, .repeat_rate = -1};
}

void input_method_grab_introduce(struct input_method_grab *grab)
{
	const struct seat_keyboard *keyboard = &grab->seat->keyboard;
	input_method_grab_send_repeat(grab, keyboard->repeat_rate, keyboard->repeat_delay);
	const struct seat_keymap *keymap = find_keymap(grab);
	grab->impl->keymap(grab, keymap ? keymap->fd : -1, keymap ? keymap->size : 0);
	grab->keymap = keymap;
}

void input_method_grab_start(struct input_method_grab *grab)
{
	struct seat_keyboard *keyboard = &grab->seat->keyboard;
	if (keyboard->input_method_grab == grab) {
		return;
	}
	input_method_grab_end(keyboard->input_method_grab);
	keyboard->input_method_grab = grab;
	grab->n_keys = 0;
	input_method_grab_introduce(grab);
	input_method_grab_resend_modifiers(grab);
}

void input_method_grab_end(struct input_method_grab *grab)
{
	if (grab && grab->seat->keyboard.input_method_grab == grab) {
		grab->seat->keyboard.input_method_grab = NULL;
		keyboard_catch_up(grab->seat);
	}
}
