#pragma once

/** What the files of seat/ share. */

#include "seat/seat.h"
#include <linux/input-event-codes.h>

/** An input device of a seat. */
struct seat_device {
	struct wl_list link; /* seat.devices */
	struct seat *seat;
	struct input_device *device;
	/** Keys and buttons that are down on it: bits, by evdev code. */
	uint32_t down[(KEY_CNT + 31) / 32];
	/** That it brought along; NULL: none. */
	struct seat_keymap *keymap;
	/** That it has by configuration, shared with its like; NULL: the seat's own. */
	struct seat_keymap *configured;
	int32_t repeat_rate, repeat_delay; /* below 0: the seat's own */
	/** Where it last said to be, outright: what moves are told from while it is locked. */
	struct coord_global absolute;
	bool has_absolute;
	struct wl_listener key, keymap_changed, modifiers, motion, motion_absolute, button, axis,
		frame, touch_down, touch_motion, touch_up, touch_cancel, touch_frame, gesture, tool,
		pad, destroy;
};

/** keymap.c: a compiled keymap with a state and the file that clients map. */
struct seat_keymap {
	int n_refs;
	char *names; /* that it was made of, joined; NULL: it was brought along */
	struct xkb_keymap *keymap;
	struct xkb_state *state;
	char *string;
	int fd;
	uint32_t size; /* with the final NUL */
};

/** Takes over a reference of `keymap`; NULL if it cannot be had as a file. */
struct seat_keymap *seat_keymap_create(struct xkb_keymap *keymap);
/** Compiles a keymap of a client. Returns NULL if the text has errors. */
struct seat_keymap *seat_keymap_parse(struct xkb_context *context, const char *text);
/** From names; NULL if there is no such keymap. */
struct seat_keymap *seat_keymap_compile(
	struct xkb_context *context, const struct seat_keymap_names *names);
bool seat_keymap_names_default(const struct seat_keymap_names *names);
/** Was it made of these? */
bool seat_keymap_is(const struct seat_keymap *keymap, const struct seat_keymap_names *names);
/** Another state of the same keymap; NULL if it cannot be had as a file. */
struct seat_keymap *seat_keymap_clone(const struct seat_keymap *keymap);
struct input_modifiers_event seat_keymap_modifiers(const struct seat_keymap *keymap);
/** NULL is legal. */
void seat_keymap_unref(struct seat_keymap *keymap);

/**
 * Marks the code as down or up on the device. Returns whether this changes what the devices of the seat
 * say together: the first press, the last release. Codes that evdev does not have never do.
 */
bool seat_device_set_down(struct seat_device *device, uint32_t code, bool down);
/** The serial of an event that may let a client act. */
void seat_remember_serial(struct seat *seat, uint32_t serial);
void seat_active(struct seat *seat);

void pointer_init(struct seat *seat);
void pointer_finish(struct seat *seat);
/** It is hidden while a tool has a cursor of its own, until it moves. */
void pointer_show_cursor(struct seat *seat, bool show);
/** Forgets the last press that reached a client. */
void pointer_forget_press(struct seat *seat);
void pointer_handle_motion(struct seat_device *device, const struct input_motion_event *event);
void pointer_handle_motion_absolute(
	struct seat_device *device, const struct input_motion_absolute_event *event);
void pointer_handle_button(struct seat_device *device, const struct input_button_event *event);
void pointer_handle_axis(struct seat_device *device, const struct input_axis_event *event);
void pointer_handle_frame(struct seat_device *device);

/** evdev codes to those of xkb. */
#define XKB_OFFSET 8

void keyboard_init(struct seat *seat);
void keyboard_finish(struct seat *seat);
/** Keyboards show what is locked; a new one does not yet. */
void keyboard_update_leds(struct seat *seat);
void keyboard_handle_key(struct seat_device *device, const struct input_key_event *event);
void keyboard_handle_keymap(struct seat_device *device, struct input_keymap_event *event);
void keyboard_handle_modifiers(
	struct seat_device *device, const struct input_modifiers_event *event);
/** The device's keymap goes: the seat's own is in use again if that was. */
void keyboard_forget_keymap(struct seat_device *device);
/** Clients are told of the keymap in use and its modifiers, so far as they do not know them. */
void keyboard_catch_up(struct seat *seat);

/** diversion.c: keys of the device are for the diversion that there is. */
bool diversion_takes(const struct seat_device *device);
/** They tell it what it was not told yet. */
void diversion_use_keymap(struct keyboard_diversion *diversion, const struct seat_keymap *keymap);
void diversion_use_repeat(struct keyboard_diversion *diversion, int32_t rate, int32_t delay);
void diversion_use_modifiers(
	struct keyboard_diversion *diversion, const struct input_modifiers_event *modifiers);

/** input_method.c: there is an active field, or none any more. */
void input_method_update(struct seat *seat);
/** The active field has told more; `anew`: as if it were another one. */
void input_method_changed(struct seat *seat, bool anew);

/** shortcut.c: what the key is called, without modifiers; XKB_KEY_NoSymbol where there is no (other) name. */
void shortcut_names(
	const struct seat_keyboard *keyboard, uint32_t key, xkb_keysym_t names[static 2]);

void touch_finish(struct seat *seat);
void touch_handle_down(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_motion(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_up(struct seat_device *device, const struct input_touch_event *event);
void touch_handle_cancel(struct seat_device *device);
void touch_handle_frame(struct seat_device *device);

void gesture_handle(struct seat_device *device, const struct input_gesture_event *event);
/** Whoever hears of a gesture hears that it was none; the rest of it is for nobody. */
void gesture_cancel(struct seat *seat);
/** As above, and the device does none any more. */
void gesture_forget(struct seat_device *device);

/** tablet.c */
void tablets_init(struct seat *seat);
void tablets_finish(struct seat *seat);
void tablet_add(struct seat_device *device);
/** Nothing happens if it is no tablet. */
void tablet_remove(struct seat_device *device);
void tablet_handle_tool(struct seat_device *device, const struct input_tool_event *event);
/** What tools are over may have changed. */
void tablets_refocus(struct seat *seat);
/** Whoever hears of a tool hears that it went; of what is down, nobody hears any more. */
void tablets_interrupt(struct seat *seat);
/** If it is the serial of a tool's touch that its client got, the pointer stands for the tool now. */
bool tablets_claim_press(struct seat *seat, uint32_t serial, struct surface *surface);

/** tablet_pad.c */
void pads_init(struct seat *seat);
void pads_finish(struct seat *seat);
void pad_add(struct seat_device *device);
/** Nothing happens if it is no pad. */
void pad_remove(struct seat_device *device);
void pad_handle(struct seat_device *device, const struct input_pad_event *event);
void pads_forget_tablet(struct seat *seat, const struct seat_tablet *tablet);
void pads_forget_sink(struct seat *seat);

/**
 * A position of 0..1 of the output that the device is mapped to, else of `output`, or of the layout if
 * that is NULL or not there.
 */
struct coord_global seat_map_absolute(
	struct seat_device *device, const char *output, double x, double y);
