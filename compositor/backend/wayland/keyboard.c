/* SPDX-License-Identifier: MIT */
/*
 * Keyboards of the host. Keymap and modifiers are forwarded unchanged, so that keys mean the same
 * inside and outside of the window; clients repeat keys themselves.
 */

#include "util/log.h"
#include "wayland.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/** Bytes; a keymap has about 60 KiB. */
#define KEYMAP_MAX (1 << 24)

static void send_key(struct wayland_keyboard *keyboard, int64_t time, uint32_t key, bool pressed)
{
	struct input_key_event event = {.time = time, .key = key, .pressed = pressed};
	signal_emit(&keyboard->device->events.key, &event);
}

static void handle_keymap(
	void *data, struct wl_keyboard *proxy, uint32_t format, int32_t fd, uint32_t size)
{
	struct wayland_seat *seat = data;
	if (format != WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1 || size == 0 || size > KEYMAP_MAX) {
		close(fd);
		return;
	}
	char *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (text == MAP_FAILED) {
		log_warn("cannot map the host's keymap");
		return;
	}
	if (memchr(text, '\0', size)) {
		struct input_keymap_event event = {.keymap = text};
		signal_emit(&seat->keyboard.device->events.keymap, &event);
	} else {
		log_warn("the host's keymap is not NUL-terminated");
	}
	munmap(text, size);
}

static void handle_enter(void *data, struct wl_keyboard *proxy, uint32_t serial,
	struct wl_surface *surface, struct wl_array *keys)
{
	/* Keys held on enter were pressed for another window. */
}

static void send_modifiers(struct wayland_keyboard *keyboard)
{
	signal_emit(&keyboard->device->events.modifiers, &keyboard->modifiers);
}

static void release_all(struct wayland_seat *seat)
{
	struct wayland_keyboard *keyboard = &seat->keyboard;
	while (keyboard->n_keys > 0) {
		uint32_t key = keyboard->keys[--keyboard->n_keys];
		send_key(keyboard, clock_now(seat->backend->clock), key, false);
	}
}

static void handle_leave(
	void *data, struct wl_keyboard *proxy, uint32_t serial, struct wl_surface *surface)
{
	struct wayland_seat *seat = data;
	struct wayland_keyboard *keyboard = &seat->keyboard;
	release_all(seat);
	/*
	 * Locked modifiers stay; held ones count as released, since their release will not arrive.
	 */
	keyboard->modifiers.depressed = 0;
	keyboard->modifiers.latched = 0;
	send_modifiers(keyboard);
}

/** Returns false if the key was in that state already. */
static bool track(struct wayland_keyboard *keyboard, uint32_t key, bool pressed)
{
	int i = 0;
	while (i < keyboard->n_keys && keyboard->keys[i] != key) {
		i++;
	}
	if (pressed) {
		if (i < keyboard->n_keys ||
			i == (int)(sizeof(keyboard->keys) / sizeof(keyboard->keys[0]))) {
			return false;
		}
		keyboard->keys[keyboard->n_keys++] = key;
		return true;
	}
	if (i == keyboard->n_keys) {
		return false;
	}
	keyboard->keys[i] = keyboard->keys[--keyboard->n_keys];
	return true;
}

static void handle_key(void *data, struct wl_keyboard *proxy, uint32_t serial, uint32_t time,
	uint32_t key, uint32_t state)
{
	struct wayland_seat *seat = data;
	bool pressed = state == WL_KEYBOARD_KEY_STATE_PRESSED;
	if (track(&seat->keyboard, key, pressed)) {
		send_key(&seat->keyboard, wayland_time(seat->backend, time), key, pressed);
	}
}

static void handle_modifiers(void *data, struct wl_keyboard *proxy, uint32_t serial,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	struct wayland_seat *seat = data;
	seat->keyboard.modifiers = (struct input_modifiers_event){
		.depressed = depressed,
		.latched = latched,
		.locked = locked,
		.group = group,
	};
	send_modifiers(&seat->keyboard);
}

static void handle_repeat_info(void *data, struct wl_keyboard *proxy, int32_t rate, int32_t delay)
{
	/* Key repeat follows our own configuration. */
}

static const struct wl_keyboard_listener listener = {
	.keymap = handle_keymap,
	.enter = handle_enter,
	.leave = handle_leave,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.repeat_info = handle_repeat_info,
};

void wayland_keyboard_create(struct wayland_seat *seat)
{
	struct wayland_keyboard *keyboard = &seat->keyboard;
	*keyboard = (struct wayland_keyboard){0};
	keyboard->device = wayland_device_create(seat, INPUT_KEYBOARD, "keyboard");
	keyboard->proxy = wl_seat_get_keyboard(seat->proxy);
	wl_keyboard_add_listener(keyboard->proxy, &listener, seat);
	signal_emit(&seat->backend->base.events.new_input, keyboard->device);
}

void wayland_keyboard_destroy(struct wayland_seat *seat)
{
	struct wayland_keyboard *keyboard = &seat->keyboard;
	if (!keyboard->proxy) {
		return;
	}
	if (wl_keyboard_get_version(keyboard->proxy) >= WL_KEYBOARD_RELEASE_SINCE_VERSION) {
		wl_keyboard_release(keyboard->proxy);
	} else {
		wl_keyboard_destroy(keyboard->proxy);
	}
	keyboard->proxy = NULL;
	wayland_device_destroy(&keyboard->device);
}
