/* SPDX-License-Identifier: MIT */
/* A seat's keyboard: all keyboard devices combined, with focus, keymap and modifiers. */

#include "seat/internal.h"
#include "seat/keymap.h"
#include "util/log.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void handle_focus_gone(struct seat *seat)
{
	keyboard_set_focus(seat, NULL);
}

static void handle_focus_destroy(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, keyboard.focus_destroy);
	handle_focus_gone(seat);
}

static void handle_focus_unmap(struct wl_listener *listener, void *data)
{
	struct seat *seat = wl_container_of(listener, seat, keyboard.focus_unmap);
	handle_focus_gone(seat);
}

/* xkbcommon's messages about clients' keymaps are for debugging only. */
__attribute__((format(printf, 3, 0))) static void handle_xkb_log(
	struct xkb_context *context, enum xkb_log_level level, const char *format, va_list args)
{
	char line[512];
	if (log_scopes & LOG_SEAT) {
		vsnprintf(line, sizeof(line), format, args);
		line[strcspn(line, "\n")] = '\0';
		log_debug_write(LOG_SEAT, "xkbcommon: %s", line);
	}
}

void keyboard_init(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	keyboard->keymap_fd = -1;
	keyboard->repeat_rate = keyboard->own_rate = 25;
	keyboard->repeat_delay = keyboard->own_delay = 600;
	signals_init(&keyboard->events, sizeof(keyboard->events));
	wl_list_init(&keyboard->focus_destroy.link);
	wl_list_init(&keyboard->focus_unmap.link);
	keyboard->context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
	if (!keyboard->context) {
		/* xkb-data is not installed: keymaps of clients still work. */
		keyboard->context = xkb_context_new(XKB_CONTEXT_NO_DEFAULT_INCLUDES);
	}
	if (keyboard->context) {
		xkb_context_set_log_fn(keyboard->context, handle_xkb_log);
	}
	keyboard->keymap_due = true;
}

/* Compiling the keymap is the slowest part of startup: it waits for a keyboard or a client. */
void keyboard_need_keymap(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (!keyboard->keymap_due) {
		return;
	}
	keyboard->keymap_due = false;
	if (!keyboard->context || !seat_set_keymap(seat, &(struct seat_keymap_names){0})) {
		log_warn("no default keymap (is xkb-data installed?): keys have no symbols");
	}
}

void keyboard_finish(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	keyboard_end_grab(seat);
	keyboard_set_focus(seat, NULL);
	seat_keymap_unref(keyboard->keymap_own);
	xkb_context_unref(keyboard->context);
}

uint32_t seat_modifiers(const struct seat *seat)
{
	struct xkb_state *state = seat->keyboard.state;
	return state ? xkb_state_serialize_mods(state, XKB_STATE_MODS_EFFECTIVE) : 0;
}

/* Returns true if keys of the device go to the input-method grab. */
static bool grab_takes(const struct seat_device *device)
{
	const struct input_method_grab *grab = device->seat->keyboard.input_method_grab;
	return grab && device->device->client != grab->client;
}

static uint32_t active_leds(struct seat_keyboard *keyboard)
{
	/* Bits of libinput's enum libinput_led. */
	static const char *const names[] = {
		XKB_LED_NAME_NUM, XKB_LED_NAME_CAPS, XKB_LED_NAME_SCROLL};
	uint32_t leds = 0;
	for (uint32_t i = 0; i < 3; i++) {
		if (xkb_state_led_name_is_active(keyboard->state, names[i]) > 0) {
			leds |= 1u << i;
		}
	}
	return leds;
}

void keyboard_update_leds(struct seat *seat)
{
	uint32_t leds = seat->keyboard.state ? active_leds(&seat->keyboard) : 0;
	struct seat_device *entry;
	wl_list_for_each (entry, &seat->devices, link) {
		struct input_device *device = entry->device;
		if (device->type == INPUT_KEYBOARD && device->set_leds && device->leds != leds) {
			device->leds = leds;
			device->set_leds(device, leds);
		}
	}
}

static void announce_modifiers(struct seat *seat)
{
	struct keyboard_grab *grab = seat->keyboard.grab;
	if (grab) {
		grab->impl->modifiers(grab);
	} else {
		keyboard_send_modifiers(seat);
	}
}

static bool same_modifiers(
	const struct input_modifiers_event *a, const struct input_modifiers_event *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* Reads the modifiers from the xkb state; returns true if they changed. */
static bool read_modifiers(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	struct input_modifiers_event old = keyboard->modifiers;
	if (keyboard->state) {
		keyboard->modifiers = seat_keymap_modifiers(keyboard->keymap_active);
		keyboard_update_leds(seat);
	}
	if (keyboard->modifiers.group != old.group) {
		signal_emit(&keyboard->events.changed, NULL);
	}
	return !same_modifiers(&old, &keyboard->modifiers);
}

/* Sends the focus the releases of modifiers, but no new ones during an input-method grab. */
static void send_released(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	const struct input_modifiers_event now = keyboard->modifiers;
	keyboard->modifiers = keyboard->modifiers_sent;
	keyboard->modifiers.depressed &= now.depressed;
	keyboard->modifiers.latched &= now.latched;
	if (!same_modifiers(&keyboard->modifiers, &keyboard->modifiers_sent)) {
		keyboard_send_modifiers(seat);
	}
	keyboard->modifiers = now;
}

/* Sends changed modifiers to the grab or to the focus. */
static void refresh_modifiers(const struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_keyboard *keyboard = &seat->keyboard;
	bool changed = read_modifiers(seat), grabbed = grab_takes(device);
	if (grabbed) {
		input_method_grab_send_modifiers(keyboard->input_method_grab, &keyboard->modifiers);
	}
	if (changed && keyboard->grab) {
		keyboard->grab->impl->modifiers(keyboard->grab); /* may end it */
	}
	if (keyboard->grab) {
		return;
	}
	if (!grabbed && !same_modifiers(&keyboard->modifiers, &keyboard->modifiers_sent)) {
		keyboard_send_modifiers(seat);
	} else if (grabbed && keyboard->keymap_sent == keyboard->keymap_active) {
		send_released(seat);
	}
}

void keyboard_send_modifiers(struct seat *seat)
{
	seat->keyboard.modifiers_sent = seat->keyboard.modifiers;
	if (seat->keyboard.focus) {
		seat->sink->keyboard_modifiers(seat, seat->keyboard.focus);
	}
}

static void use_keymap(struct seat *seat, struct seat_keymap *keymap)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (keyboard->keymap_active != keymap) {
		keyboard->keymap_active = keymap;
		keyboard->keymap = keymap ? keymap->keymap : NULL;
		keyboard->state = keymap ? keymap->state : NULL;
	}
}

static void tell_keymap(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	struct seat_keymap *old = keyboard->keymap_sent, *keymap = keyboard->keymap_active;
	if (keymap == old) {
		return;
	}
	bool same = old && keymap && old->keymap == keymap->keymap;
	keyboard->keymap_sent = keymap;
	keyboard->keymap_string = keymap ? keymap->string : NULL;
	keyboard->keymap_fd = keymap ? keymap->fd : -1;
	keyboard->keymap_size = keymap ? keymap->size : 0;
	if (!same) {
		seat->sink->keymap(seat);
	}
	/* Masks depend on the keymap: send them again, even if equal. */
	read_modifiers(seat);
	if (!same || !same_modifiers(&keyboard->modifiers, &keyboard->modifiers_sent)) {
		announce_modifiers(seat);
	}
}

void keyboard_replace_keymap(struct seat *seat, struct seat_keymap *old, struct seat_keymap *keymap)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	struct input_method_grab *grab = keyboard->input_method_grab;
	struct seat_keymap *active =
		keyboard->keymap_active == old ? keymap : keyboard->keymap_active;
	if (keyboard->keymap_sent == old) {
		use_keymap(seat, keymap);
		tell_keymap(seat);
	}
	use_keymap(seat, active);
	read_modifiers(seat);
	signal_emit(&keyboard->events.changed, NULL);
	if (grab && grab->keymap == old) {
		input_method_grab_send_keymap(grab, keymap);
	}
}

struct seat_keymap *keyboard_keymap_of(struct seat_device *device)
{
	return device->keymap       ? device->keymap
	       : device->configured ? device->configured
				    : device->seat->keyboard.keymap_own;
}

static void use_repeat(struct seat *seat, int32_t rate, int32_t delay)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (keyboard->repeat_rate != rate || keyboard->repeat_delay != delay) {
		keyboard->repeat_rate = rate;
		keyboard->repeat_delay = delay;
		seat->sink->repeat(seat);
	}
}

/* Uses the keymap and repeat of the last used keyboard. */
static void use_device(struct seat_device *device)
{
	struct seat *seat = device->seat;
	struct seat_keyboard *keyboard = &seat->keyboard;
	int32_t rate = device->repeat_rate >= 0 ? device->repeat_rate : keyboard->own_rate;
	int32_t delay = device->repeat_delay >= 0 ? device->repeat_delay : keyboard->own_delay;
	use_keymap(seat, keyboard_keymap_of(device));
	keyboard->physical = device->device->client ? keyboard->physical : device;
	if (grab_takes(device)) {
		input_method_grab_send_keymap(keyboard->input_method_grab, keyboard->keymap_active);
		input_method_grab_send_repeat(keyboard->input_method_grab, rate, delay);
	} else {
		tell_keymap(seat);
		use_repeat(seat, rate, delay);
	}
}

void keyboard_catch_up(struct seat *seat)
{
	const struct seat_keyboard *keyboard = &seat->keyboard;
	if (keyboard->grab) {
		return; /* the grab has the keyboard; its end calls this again */
	}
	tell_keymap(seat);
	if (!same_modifiers(&keyboard->modifiers, &keyboard->modifiers_sent)) {
		keyboard_send_modifiers(seat);
	}
}

/* Returns whether the key is down on a keyboard that goes over to the new keymap. */
static bool is_down(const struct seat *seat, const struct seat_keymap *from,
	const struct seat_device *only, uint32_t code)
{
	struct seat_device *device;
	wl_list_for_each (device, &seat->devices, link) {
		const bool goes = only ? device == only
				       : seat_device_is_keyboard(device) &&
						  keyboard_keymap_of(device) == from;
		if (goes && device->down[code / 32] & 1u << code % 32) {
			return true;
		}
	}
	return false;
}

void keyboard_carry_over(struct seat *seat, struct seat_keymap *from, struct seat_keymap *to,
	const struct seat_device *only)
{
	xkb_mod_mask_t locked = xkb_state_serialize_mods(from->state, XKB_STATE_MODS_LOCKED);
	xkb_state_update_mask(to->state, 0, 0, locked, 0, 0, 0);
	for (uint32_t code = 0; code < KEY_CNT; code++) {
		if (is_down(seat, from, only, code)) {
			xkb_state_update_key(to->state, code + XKB_OFFSET, XKB_KEY_DOWN);
		}
	}
}

bool seat_set_keymap(struct seat *seat, const struct seat_keymap_names *names)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (keyboard->keymap_due ? seat_keymap_names_default(names)
				 : seat_keymap_is(keyboard->keymap_own, names)) {
		return true;
	}
	struct seat_keymap *keymap = seat_keymap_compile(keyboard->context, names);
	if (!keymap) {
		return false;
	}
	struct seat_keymap *old = keyboard->keymap_own;
	if (old) {
		keyboard_carry_over(seat, old, keymap, NULL);
	}
	keyboard->keymap_own = keymap;
	keyboard->keymap_due = false;
	keyboard_replace_keymap(seat, old, keymap);
	seat_keymap_unref(old);
	return true;
}

void seat_set_repeat(struct seat *seat, int32_t rate, int32_t delay)
{
	seat->keyboard.own_rate = rate;
	seat->keyboard.own_delay = delay;
	use_repeat(seat, rate, delay);
	if (seat->keyboard.input_method_grab) {
		input_method_grab_send_repeat(seat->keyboard.input_method_grab, rate, delay);
	}
}

void keyboard_handle_modifiers(
	struct seat_device *device, const struct input_modifiers_event *event)
{
	struct seat *seat = device->seat;
	use_device(device);
	if (!seat->keyboard.state) {
		return;
	}
	xkb_state_update_mask(seat->keyboard.state, event->depressed, event->latched, event->locked,
		0, 0, event->group);
	refresh_modifiers(device);
}

void seat_next_layout(struct seat *seat)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	struct seat_keymap *keymap =
		keyboard->physical ? keyboard_keymap_of(keyboard->physical) : keyboard->keymap_own;
	struct xkb_state *state = keymap ? keymap->state : NULL;
	xkb_layout_index_t n = state ? xkb_keymap_num_layouts(xkb_state_get_keymap(state)) : 0;
	if (n < 2) {
		return;
	}
	xkb_layout_index_t now = xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_LOCKED);
	xkb_state_update_mask(state, xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED),
		xkb_state_serialize_mods(state, XKB_STATE_MODS_LATCHED),
		xkb_state_serialize_mods(state, XKB_STATE_MODS_LOCKED),
		xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_DEPRESSED),
		xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_LATCHED), (now + 1) % n);
	use_keymap(seat, keymap);
	read_modifiers(seat);
	if (keyboard->input_method_grab) {
		input_method_grab_send_keymap(keyboard->input_method_grab, keymap);
		input_method_grab_send_modifiers(keyboard->input_method_grab, &keyboard->modifiers);
	}
	keyboard_catch_up(seat);
}

static bool has_code(const uint32_t *codes, int n, uint32_t code)
{
	for (int i = 0; i < n; i++) {
		if (codes[i] == code) {
			return true;
		}
	}
	return false;
}

/* Returns false if the list is full: the key is ignored. */
static bool add_code(uint32_t *codes, int *n, uint32_t code)
{
	if (has_code(codes, *n, code)) {
		return true; /* also held on a virtual keyboard */
	}
	if (*n == SEAT_KEYS_MAX) {
		return false;
	}
	codes[(*n)++] = code;
	return true;
}

static bool take_code(uint32_t *codes, int *n, uint32_t code)
{
	for (int i = 0; i < *n; i++) {
		if (codes[i] == code) {
			/* Keep the order of presses. */
			memmove(&codes[i], &codes[i + 1], sizeof(codes[0]) * (size_t)(*n - i - 1));
			(*n)--;
			return true;
		}
	}
	return false;
}

/* Asks the filter by each of the key's names. */
static bool is_taken(struct seat *seat, const struct input_key_event *event)
{
	const struct seat_keyboard *keyboard = &seat->keyboard;
	if (!keyboard->filter) {
		return false;
	}
	xkb_keysym_t names[2];
	shortcut_names(keyboard, event->key, names);
	uint32_t modifiers = seat_modifiers(seat);
	return keyboard->filter(keyboard->filter_data, seat, modifiers, names[0], event) ||
	       (names[1] != XKB_KEY_NoSymbol &&
		       keyboard->filter(keyboard->filter_data, seat, modifiers, names[1], event));
}

void keyboard_send_key(struct seat *seat, const struct input_key_event *event)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (!keyboard->focus) {
		return;
	}
	uint32_t serial = seat->sink->keyboard_key(seat, keyboard->focus, event);
	seat_remember_serial(seat, serial);
	if (event->pressed) {
		keyboard->press_serial = serial;
	}
}

/* Sends the key to the grab, else to the focus. */
static void pass_key(struct seat *seat, const struct input_key_event *event)
{
	struct keyboard_grab *grab = seat->keyboard.grab;
	if (grab) {
		grab->impl->key(grab, event);
	} else {
		keyboard_send_key(seat, event);
	}
}

void keyboard_consume_key(struct seat *seat, uint32_t code)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (take_code(keyboard->keys, &keyboard->n_keys, code)) {
		add_code(keyboard->consumed, &keyboard->n_consumed, code);
	}
}

static void press(struct seat_device *device, const struct input_key_event *event)
{
	struct seat_keyboard *keyboard = &device->seat->keyboard;
	if (!keyboard->grab && grab_takes(device)) {
		struct input_method_grab *grab = keyboard->input_method_grab;
		if (add_code(grab->keys, &grab->n_keys, event->key)) {
			grab->impl->key(grab, event);
		}
	} else if (add_code(keyboard->keys, &keyboard->n_keys, event->key)) {
		pass_key(device->seat, event);
	}
}

/* Sends the release to the receiver of the press. */
static void release(struct seat_device *device, const struct input_key_event *event)
{
	struct seat_keyboard *keyboard = &device->seat->keyboard;
	struct input_method_grab *grab = keyboard->input_method_grab;
	keyboard_release_passed(device->seat, event);
	if (take_code(keyboard->consumed, &keyboard->n_consumed, event->key) && keyboard->filter) {
		keyboard->filter(keyboard->filter_data, device->seat, seat_modifiers(device->seat),
			XKB_KEY_NoSymbol, event);
	}
	if (grab_takes(device) && take_code(grab->keys, &grab->n_keys, event->key)) {
		grab->impl->key(grab, event);
	} else if (take_code(keyboard->keys, &keyboard->n_keys, event->key)) {
		pass_key(device->seat, event);
	}
}

void keyboard_handle_key(struct seat_device *device, const struct input_key_event *event)
{
	struct seat *seat = device->seat;
	struct seat_keyboard *keyboard = &seat->keyboard;
	if (!seat_device_set_down(device, event->key, event->pressed)) {
		return;
	}
	use_device(device);
	bool taken = event->pressed && is_taken(seat, event);
	/* Devices with their own keymap send their modifiers, too. */
	if (keyboard->state && !device->keymap) {
		xkb_state_update_key(keyboard->state, event->key + XKB_OFFSET,
			event->pressed ? XKB_KEY_DOWN : XKB_KEY_UP);
	}
	if (taken) {
		add_code(keyboard->consumed, &keyboard->n_consumed, event->key);
	} else if (event->pressed) {
		press(device, event);
	} else {
		release(device, event);
	}
	refresh_modifiers(device);
}

void keyboard_set_focus(struct seat *seat, struct surface *surface)
{
	struct seat_keyboard *keyboard = &seat->keyboard;
	struct surface *old = keyboard->focus;
	if (surface == old) {
		return;
	}
	wl_list_remove(&keyboard->focus_destroy.link);
	wl_list_remove(&keyboard->focus_unmap.link);
	wl_list_init(&keyboard->focus_destroy.link);
	wl_list_init(&keyboard->focus_unmap.link);
	if (old) {
		text_fields_leave(seat);
		seat->sink->keyboard_leave(seat, old);
	}
	keyboard->focus = surface;
	if (surface) {
		signal_add(
			&surface->events.destroy, &keyboard->focus_destroy, handle_focus_destroy);
		signal_add(&surface->events.unmap, &keyboard->focus_unmap, handle_focus_unmap);
		/* Clients get the selection before their first key can paste it. */
		signal_emit(&keyboard->events.focus, surface);
		if (keyboard->focus == surface) {
			seat->sink->keyboard_enter(seat, surface);
			keyboard_send_modifiers(seat);
			text_fields_enter(seat, surface);
		}
	} else {
		signal_emit(&keyboard->events.focus, NULL);
	}
}

static void finish_grab(struct seat *seat)
{
	struct keyboard_grab *grab = seat->keyboard.grab;
	if (grab) {
		seat->keyboard.grab = NULL;
		grab->impl->end(grab);
		if (!seat->keyboard.input_method_grab) {
			keyboard_catch_up(seat);
		}
	}
}

void keyboard_start_grab(struct seat *seat, struct keyboard_grab *grab)
{
	finish_grab(seat);
	grab->seat = seat;
	seat->keyboard.grab = grab;
}

void keyboard_end_grab(struct seat *seat)
{
	finish_grab(seat);
}
