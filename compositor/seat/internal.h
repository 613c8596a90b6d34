/* SPDX-License-Identifier: MIT */
#pragma once

/** Types and functions shared by the files of seat/. */

#include "seat/seat.h"
#include <linux/input-event-codes.h>

struct seat_keymap;

/** An input device of a seat. */
struct seat_device {
	struct wl_list link; /* seat.devices */
	struct seat *seat;
	struct input_device *device;
	/** Pressed keys and buttons: bits, by evdev code. */
	uint32_t down[(KEY_CNT + 31) / 32];
	/** Keymap sent by a virtual keyboard; NULL: none. */
	struct seat_keymap *keymap;
	/** Configured keymap, shared with devices of equal settings; NULL: the seat's own. */
	struct seat_keymap *configured;
	int32_t repeat_rate, repeat_delay; /* below 0: the seat's own */
	/** Last absolute position, for relative motion while the pointer is locked. */
	struct coord_global absolute;
	bool has_absolute;
	struct wl_listener key, keymap_changed, modifiers, motion, motion_absolute, button, axis,
		frame, touch_down, touch_motion, touch_up, touch_cancel, touch_frame, gesture, tool,
		pad, destroy;
};

/** device.c */
bool seat_device_is_keyboard(const struct seat_device *device);
/**
 * Marks the code as pressed or released on the device. Returns true if this is the first press, or
 * the last release, across the seat's devices; false for codes outside evdev's range.
 */
bool seat_device_set_down(struct seat_device *device, uint32_t code, bool down);
/**
 * Maps a position of 0..1 to the output configured for the device, else to `output`, else (NULL or
 * not found) to the whole layout. On a turned output, positions are those of the panel, unless the
 * device's are logical.
 */
struct coord_global seat_map_absolute(
	struct seat_device *device, const char *output, double x, double y);

/** serial.c: records the serial of an event that allows a client to act. */
void seat_remember_serial(struct seat *seat, uint32_t serial);

/** passed_key.c: releases the key if it was passed to a program. */
void keyboard_release_passed(struct seat *seat, const struct input_key_event *event);

void pointer_init(struct seat *seat);
void pointer_finish(struct seat *seat);
/** Hides the seat's cursor while a tool shows its own; pointer motion shows it again. */
void pointer_show_cursor(struct seat *seat, bool show);
/** Forgets the last press that was sent to a client. */
void pointer_forget_press(struct seat *seat);
void pointer_handle_motion(struct seat_device *device, const struct input_motion_event *event);
void pointer_handle_motion_absolute(
	struct seat_device *device, const struct input_motion_absolute_event *event);
void pointer_handle_button(struct seat_device *device, const struct input_button_event *event);
void pointer_handle_axis(struct seat_device *device, const struct input_axis_event *event);
void pointer_handle_frame(struct seat_device *device);

/** Offset from evdev codes to xkb keycodes. */
#define XKB_OFFSET 8

void keyboard_init(struct seat *seat);
void keyboard_finish(struct seat *seat);
/** Sets the LEDs of all keyboards, new ones included. */
void keyboard_update_leds(struct seat *seat);
void keyboard_handle_key(struct seat_device *device, const struct input_key_event *event);
void keyboard_handle_keymap(struct seat_device *device, struct input_keymap_event *event);
void keyboard_handle_modifiers(
	struct seat_device *device, const struct input_modifiers_event *event);
/** Forgets the device's keymap; if it was in use, the seat's own replaces it. */
void keyboard_forget_keymap(struct seat_device *device);
/** Returns the keymap of a keyboard: its client's, its configured one, or the seat's. */
struct seat_keymap *keyboard_keymap_of(struct seat_device *device);
/** Replaces a keymap for the seat, clients and the input method, where it is in use. */
void keyboard_replace_keymap(
	struct seat *seat, struct seat_keymap *old, struct seat_keymap *keymap);
/**
 * Keeps locked modifiers, and those held on a keyboard that gets the new keymap: `only` that one,
 * or (NULL) all that have the old one.
 */
void keyboard_carry_over(struct seat *seat, struct seat_keymap *from, struct seat_keymap *to,
	const struct seat_device *only);
/** Sends keymap and modifiers to clients if they changed. */
void keyboard_catch_up(struct seat *seat);

/** input_method_send.c: the following three send only changes. */
void input_method_grab_send_keymap(
	struct input_method_grab *grab, const struct seat_keymap *keymap);
void input_method_grab_send_repeat(struct input_method_grab *grab, int32_t rate, int32_t delay);
void input_method_grab_send_modifiers(
	struct input_method_grab *grab, const struct input_modifiers_event *modifiers);
/** Sends the modifiers of the keymap that the grab was sent last. */
void input_method_grab_resend_modifiers(struct input_method_grab *grab);

/** input_method.c: handles a change of the active field. */
void input_method_update(struct seat *seat);
/** Sends changes of the active field; `anew`: as if it were activated again. */
void input_method_changed(struct seat *seat, bool anew);

/**
 * shortcut.c: gets the key's names for bindings, without modifiers; XKB_KEY_NoSymbol if it has no
 * (second) name.
 */
void shortcut_names(
	const struct seat_keyboard *keyboard, uint32_t key, xkb_keysym_t names[static 2]);

void touch_finish(struct seat *seat);
void touch_handle_down(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_motion(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_up(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_cancel(struct seat_device *device);
void touch_handle_frame(struct seat_device *device);

void gesture_handle(struct seat_device *device, const struct input_gesture_event *event);
/** Sends a cancelled end of the gesture; its remaining events are dropped. */
void gesture_cancel(struct seat *seat);
/** Like gesture_cancel(), and accepts gestures of other devices again. */
void gesture_forget(struct seat_device *device);

/** tablet.c */
void tablets_init(struct seat *seat);
void tablets_finish(struct seat *seat);
void tablet_add(struct seat_device *device);
/** Ignores devices that are not tablets. */
void tablet_remove(struct seat_device *device);
void tablet_handle_tool(struct seat_device *device, const struct input_tool_event *event);
/** Updates the focus of tools after surfaces moved. */
void tablets_refocus(struct seat *seat);
/** Moves all tools out of their focus; events are dropped until the tip and all buttons are up. */
void tablets_interrupt(struct seat *seat);
/** Returns true for the serial of a tool's press, and hands the tool over to the pointer. */
bool tablets_claim_press(struct seat *seat, uint32_t serial, struct surface *surface);

/** tablet_pad.c */
void pads_init(struct seat *seat);
void pads_finish(struct seat *seat);
void pad_add(struct seat_device *device);
/** Ignores devices that are not pads. */
void pad_remove(struct seat_device *device);
void pad_handle(struct seat_device *device, const struct input_pad_event *event);
void pads_forget_tablet(struct seat *seat, const struct seat_tablet *tablet);
void pads_forget_sink(struct seat *seat);
