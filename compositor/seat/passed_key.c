/* SPDX-License-Identifier: MIT */
/* Keys that are passed to a program without the focus, such as push-to-talk. */

#include "seat/internal.h"

bool keyboard_pass(struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	for (int i = 0; i < keyboard->n_passed; i++) {
		if (keyboard->passed[i] == event->key) {
			return seat->sink->key_pass(seat, surface, event);
		}
	}
	if (keyboard->n_passed == SEAT_PASSED_MAX || !seat->sink->key_pass(seat, surface, event)) {
		return false;
	}
	keyboard->passed[keyboard->n_passed++] = event->key;
	return true;
}

void keyboard_release_passed(struct seat *seat, const struct input_key_event *event)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	for (int i = 0; i < keyboard->n_passed; i++) {
		if (keyboard->passed[i] == event->key) {
			keyboard->passed[i] = keyboard->passed[--keyboard->n_passed];
			seat->sink->key_pass(seat, NULL, event);
			return;
		}
	}
}

void keyboard_end_passed(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	while (keyboard->n_passed > 0) {
		const struct input_key_event event = {
			.time = clock_now(seat->clock), .key = keyboard->passed[0]};
		keyboard_release_passed(seat, &event);
	}
}
