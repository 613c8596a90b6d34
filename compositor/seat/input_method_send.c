/* SPDX-License-Identifier: MIT */
/* Keymap, repeat and modifiers of an input-method keyboard grab, sent when they change. */

#include "seat/input_method_grab.h"
#include "seat/internal.h"
#include "seat/keymap.h"
#include <string.h>

void input_method_grab_resend_modifiers(struct input_method_grab *grab)
{
	const struct seat_keymap *keymap = grab->keymap;
	grab->modifiers =
		keymap ? seat_keymap_modifiers(keymap) : (struct input_modifiers_event){0};
	grab->impl->modifiers(grab, &grab->modifiers);
}

void input_method_grab_send_keymap(struct input_method_grab *grab, const struct seat_keymap *keymap)
{
	if (grab->keymap != keymap) {
		grab->keymap = keymap;
		grab->impl->keymap(grab, keymap ? keymap->fd : -1, keymap ? keymap->size : 0);
		/* Masks depend on the keymap: send them again, even if equal. */
		input_method_grab_resend_modifiers(grab);
	}
}

void input_method_grab_send_repeat(struct input_method_grab *grab, int32_t rate, int32_t delay)
{
	if (grab->repeat_rate != rate || grab->repeat_delay != delay) {
		grab->repeat_rate = rate;
		grab->repeat_delay = delay;
		grab->impl->repeat(grab, rate, delay);
	}
}

void input_method_grab_send_modifiers(
	struct input_method_grab *grab, const struct input_modifiers_event *modifiers)
{
	if (memcmp(&grab->modifiers, modifiers, sizeof(*modifiers)) != 0) {
		grab->modifiers = *modifiers;
		grab->impl->modifiers(grab, modifiers);
	}
}
