/* SPDX-License-Identifier: MIT */
/*
 * press MODIFIER+KEY: presses and releases a combination of keys on a virtual keyboard. press -:
 * keeps the keyboard, and presses each combination read from standard input, one a line.
 */

#include "virtual-keyboard-unstable-v1-client-protocol.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>
#include <xkbcommon/xkbcommon.h>

#define EVDEV_OFFSET 8
#define KEYS_MAX 8

struct globals {
	struct wl_seat *seat;
	struct zwp_virtual_keyboard_manager_v1 *manager;
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct globals *globals = data;
	if (strcmp(interface, "wl_seat") == 0) {
		globals->seat = wl_registry_bind(registry, name, &wl_seat_interface, 1);
	} else if (strcmp(interface, "zwp_virtual_keyboard_manager_v1") == 0) {
		globals->manager = wl_registry_bind(
			registry, name, &zwp_virtual_keyboard_manager_v1_interface, 1);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

static uint32_t now_ms(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint32_t)(time.tv_sec * 1000 + time.tv_nsec / 1000000);
}

/**
 * Returns the key that types this symbol on the first level of the first layout; 0 if there is
 * none.
 */
static xkb_keycode_t find_key(struct xkb_keymap *keymap, const char *name)
{
	const char *real = strcmp(name, "Super") == 0   ? "Super_L"
			   : strcmp(name, "Ctrl") == 0  ? "Control_L"
			   : strcmp(name, "Alt") == 0   ? "Alt_L"
			   : strcmp(name, "Shift") == 0 ? "Shift_L"
							: name;
	xkb_keysym_t wanted = xkb_keysym_from_name(real, XKB_KEYSYM_CASE_INSENSITIVE);
	for (xkb_keycode_t key = xkb_keymap_min_keycode(keymap);
		key <= xkb_keymap_max_keycode(keymap); key++) {
		const xkb_keysym_t *syms;
		if (xkb_keymap_key_get_syms_by_level(keymap, key, 0, 0, &syms) == 1 &&
			syms[0] == wanted) {
			return key;
		}
	}
	return 0;
}

static void send_keymap(struct zwp_virtual_keyboard_v1 *keyboard, struct xkb_keymap *keymap)
{
	char *text = xkb_keymap_get_as_string(keymap, XKB_KEYMAP_FORMAT_TEXT_V1);
	size_t size = strlen(text) + 1;
	int fd = memfd_create("keymap", MFD_CLOEXEC);
	if (fd < 0 || write(fd, text, size) != (ssize_t)size) {
		perror("press: keymap");
		exit(EXIT_FAILURE);
	}
	zwp_virtual_keyboard_v1_keymap(
		keyboard, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, (uint32_t)size);
	close(fd);
	free(text);
}

static void send_modifiers(struct zwp_virtual_keyboard_v1 *keyboard, struct xkb_state *state)
{
	zwp_virtual_keyboard_v1_modifiers(
		keyboard, xkb_state_serialize_mods(state, XKB_STATE_MODS_DEPRESSED), 0, 0, 0);
}

static void send_key(struct zwp_virtual_keyboard_v1 *keyboard, struct xkb_state *state,
	xkb_keycode_t key, bool pressed)
{
	zwp_virtual_keyboard_v1_key(keyboard, now_ms(), key - EVDEV_OFFSET, pressed);
	xkb_state_update_key(state, key, pressed ? XKB_KEY_DOWN : XKB_KEY_UP);
	send_modifiers(keyboard, state);
}

struct keyboard {
	struct wl_display *display;
	struct xkb_keymap *keymap;
	struct xkb_state *state;
	struct zwp_virtual_keyboard_v1 *proxy;
};

static bool press(struct keyboard *keyboard, char *combination)
{
	xkb_keycode_t keys[KEYS_MAX];
	int n = 0;
	for (char *name = strtok(combination, "+\n"); name && n < KEYS_MAX;
		name = strtok(NULL, "+\n")) {
		keys[n] = find_key(keyboard->keymap, name);
		if (!keys[n++]) {
			fprintf(stderr, "press: no key types %s\n", name);
			return false;
		}
	}
	for (int i = 0; i < n; i++) {
		send_key(keyboard->proxy, keyboard->state, keys[i], true);
	}
	for (int i = n - 1; i >= 0; i--) {
		send_key(keyboard->proxy, keyboard->state, keys[i], false);
	}
	if (wl_display_roundtrip(keyboard->display) < 0) {
		perror("press: the connection ended");
		return false;
	}
	return true;
}

static bool press_lines(struct keyboard *keyboard)
{
	char line[256];
	wl_display_roundtrip(keyboard->display);
	while (fgets(line, sizeof(line), stdin)) {
		if (!press(keyboard, line)) {
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct globals globals = {0};
	struct keyboard keyboard = {0};
	if (argc != 2) {
		fputs("usage: press MODIFIER+KEY | -\n", stderr);
		return 2;
	}
	keyboard.display = wl_display_connect(NULL);
	if (!keyboard.display) {
		perror("press: no display");
		return EXIT_FAILURE;
	}
	struct wl_registry *registry = wl_display_get_registry(keyboard.display);
	wl_registry_add_listener(registry, &registry_listener, &globals);
	wl_display_roundtrip(keyboard.display);
	if (!globals.seat || !globals.manager) {
		fputs("press: no seat, or no virtual keyboards\n", stderr);
		return EXIT_FAILURE;
	}
	struct xkb_context *context = xkb_context_new(XKB_CONTEXT_NO_FLAGS);
	keyboard.keymap = xkb_keymap_new_from_names(context, NULL, XKB_KEYMAP_COMPILE_NO_FLAGS);
	keyboard.state = xkb_state_new(keyboard.keymap);
	keyboard.proxy = zwp_virtual_keyboard_manager_v1_create_virtual_keyboard(
		globals.manager, globals.seat);
	send_keymap(keyboard.proxy, keyboard.keymap);
	bool done = strcmp(argv[1], "-") == 0 ? press_lines(&keyboard) : press(&keyboard, argv[1]);
	zwp_virtual_keyboard_v1_destroy(keyboard.proxy);
	done = wl_display_roundtrip(keyboard.display) >= 0 && done;
	xkb_state_unref(keyboard.state);
	xkb_keymap_unref(keyboard.keymap);
	xkb_context_unref(context);
	wl_display_disconnect(keyboard.display);
	return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
