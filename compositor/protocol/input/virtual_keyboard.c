/* SPDX-License-Identifier: MIT */
/* zwp_virtual_keyboard: keyboards simulated by clients, with keymaps of their own. */

#include "protocol/client/client_fd.h"
#include "protocol/protocol.h"
#include "seat/seat.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-protocol.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Maximum size (bytes) of a keymap; the largest of xkeyboard-config have about 100 KiB. */
#define KEYMAP_SIZE_MAX (4 * 1024 * 1024)

/**
 * Charge (bytes) for a virtual keyboard and its queued requests, in addition to twice the size of
 * the keymap's text.
 */
#define KEYBOARD_BYTES (64 * 1024)

/**
 * Maximum number of requests queued while a keymap is read; wtype sends a key press and release
 * after each keymap.
 */
#define HELD_MAX 1024

/* A key event or, without `is_key`, a change of modifiers. */
struct held {
	bool is_key;
	struct input_key_event key;
	struct input_modifiers_event modifiers;
};

struct virtual_keyboard {
	struct input_device device;
	struct wl_resource *resource;
	bool has_keymap;
	int64_t keymap_bytes; /* charged to the account */
	struct client_fd_task
		*reading; /* the keymap is read from a file that may block; NULL: none is */
	struct wl_array held; /* struct held: requests queued since */
};

/* Returns NULL after posting an error. */
static char *check_keymap(struct wl_resource *resource, char *text, ssize_t length, uint32_t size)
{
	if (text && length == (ssize_t)size) {
		text = xrealloc(text, (size_t)size + 1, 1);
		text[size] = '\0';
		return text;
	}
	wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
		"cannot read %u bytes of keymap from the file", size);
	free(text);
	return NULL;
}

/*
 * Reads the keymap; mapping it would be unsafe, because the client could truncate the file. Returns
 * NULL after posting an error.
 */
static char *read_memory(struct wl_resource *resource, int fd, uint32_t size)
{
	char *text = malloc(size);
	size_t length = 0;
	ssize_t n = 1;
	if (!text) {
		wl_resource_post_no_memory(resource);
		return NULL;
	}
	while (length < size && n > 0) {
		n = pread(fd, text + length, size - length, (off_t)length);
		length += n > 0 ? (size_t)n : 0;
	}
	return check_keymap(resource, text, (ssize_t)length, size);
}

static void charge_keymap(struct virtual_keyboard *keyboard, const char *text)
{
	struct account *account =
		client_from_wl(wl_resource_get_client(keyboard->resource))->account;
	account_uncharge(account, ACCOUNT_BYTES, keyboard->keymap_bytes);
	keyboard->keymap_bytes = (int64_t)strlen(text) * 2;
	account_charge(account, ACCOUNT_BYTES, keyboard->keymap_bytes);
}

/* Takes over `text`. Returns false after posting an error. */
static bool use_keymap(struct virtual_keyboard *keyboard, char *text)
{
	charge_keymap(keyboard, text);
	struct input_keymap_event event = {.keymap = text};
	signal_emit(&keyboard->device.events.keymap, &event);
	keyboard->has_keymap = keyboard->has_keymap || !event.refused;
	free(text);
	if (event.refused) {
		wl_resource_post_error(keyboard->resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"cannot compile the keymap");
	}
	return !event.refused;
}

static void play(struct virtual_keyboard *keyboard, struct held *held)
{
	if (held->is_key) {
		signal_emit(&keyboard->device.events.key, &held->key);
	} else {
		signal_emit(&keyboard->device.events.modifiers, &held->modifiers);
	}
}

static void handle_read(void *owner, char *data, ssize_t length, size_t size)
{
	struct virtual_keyboard *keyboard = owner;
	keyboard->reading = NULL;
	char *text = check_keymap(keyboard->resource, data, length, (uint32_t)size);
	if (!text || !use_keymap(keyboard, text)) {
		client_fd_disconnect(wl_resource_get_client(keyboard->resource));
		return;
	}
	struct held *held;
	wl_array_for_each (held, &keyboard->held) {
		play(keyboard, held);
	}
	wl_array_release(&keyboard->held);
	wl_array_init(&keyboard->held);
}

static bool check_size(struct wl_resource *resource, uint32_t format, uint32_t size)
{
	if (format != WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"invalid keymap format %u", format);
		return false;
	}
	if (size == 0 || size > KEYMAP_SIZE_MAX) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"invalid keymap size %u", size);
		return false;
	}
	return true;
}

static void handle_keymap(struct wl_client *client, struct wl_resource *resource, uint32_t format,
	int32_t fd, uint32_t size)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (!check_size(resource, format, size) || !keyboard) {
		client_fd_close(client, fd);
	} else if (keyboard->reading) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"keymap request while the previous keymap is being read");
		client_fd_close(client, fd);
	} else if (fd_is_memory(fd)) {
		char *text = read_memory(resource, fd, size);
		close(fd);
		if (text) {
			use_keymap(keyboard, text);
		}
	} else {
		keyboard->reading = client_fd_read(client, fd, size, handle_read, keyboard);
	}
}

/* Plays the event now or, while a keymap is being read, afterwards. */
static void play_in_turn(struct virtual_keyboard *keyboard, struct held *held)
{
	if (!keyboard->reading) {
		play(keyboard, held);
		return;
	}
	struct held *place = keyboard->held.size < HELD_MAX * sizeof(*held)
				     ? wl_array_add(&keyboard->held, sizeof(*held))
				     : NULL;
	if (!place) {
		wl_resource_post_no_memory(keyboard->resource);
		return;
	}
	*place = *held;
}

/* Returns NULL for an inert device or after posting an error. */
static struct virtual_keyboard *ready(struct wl_resource *resource)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (keyboard && !keyboard->has_keymap && !keyboard->reading) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"key or modifiers before a keymap was set");
		return NULL;
	}
	return keyboard;
}

static void handle_key(struct wl_client *client, struct wl_resource *resource, uint32_t time,
	uint32_t key, uint32_t state)
{
	struct virtual_keyboard *keyboard = ready(resource);
	if (keyboard) {
		struct held held = {
			.is_key = true,
			.key =
				{
					.time = (int64_t)time * 1000000,
					.key = key,
					.pressed = state != WL_KEYBOARD_KEY_STATE_RELEASED,
				},
		};
		play_in_turn(keyboard, &held);
	}
}

static void handle_modifiers(struct wl_client *client, struct wl_resource *resource,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	struct virtual_keyboard *keyboard = ready(resource);
	if (keyboard) {
		struct held held = {.modifiers = {depressed, latched, locked, group}};
		play_in_turn(keyboard, &held);
	}
}

static const struct zwp_virtual_keyboard_v1_interface keyboard_impl = {
	.keymap = handle_keymap,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.destroy = resource_handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (keyboard) {
		struct account *account = client_from_wl(wl_resource_get_client(resource))->account;
		account_uncharge(account, ACCOUNT_BYTES, KEYBOARD_BYTES + keyboard->keymap_bytes);
		account_uncharge(account, ACCOUNT_DESCRIPTORS, 1);
		client_fd_abandon(keyboard->reading);
		wl_array_release(&keyboard->held);
		input_device_finish(&keyboard->device);
		free(keyboard);
	}
}

static void handle_create(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t id)
{
	/* The global is hidden from sandboxed clients, but its name can be guessed. */
	if (client_from_wl(client)->sandboxed) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_MANAGER_V1_ERROR_UNAUTHORIZED,
			"virtual keyboards are not available to sandboxed clients");
		return;
	}
	struct seat *seat = seat_from_resource(seat_resource);
	struct virtual_keyboard *keyboard = seat ? xcalloc(1, sizeof(*keyboard)) : NULL;
	struct wl_resource *created = resource_create_child(resource,
		&zwp_virtual_keyboard_v1_interface, id, &keyboard_impl, keyboard, destroy);
	if (created && keyboard) {
		input_device_init(&keyboard->device, INPUT_KEYBOARD, "virtual keyboard");
		keyboard->resource = created;
		wl_array_init(&keyboard->held);
		keyboard->device.client = client_from_wl(client);
		account_charge(client_from_wl(client)->account, ACCOUNT_BYTES, KEYBOARD_BYTES);
		account_charge(client_from_wl(client)->account, ACCOUNT_DESCRIPTORS, 1);
		seat_add_device(seat, &keyboard->device);
	}
}

static const struct zwp_virtual_keyboard_manager_v1_interface manager_impl = {
	.create_virtual_keyboard = handle_create,
};

void virtual_keyboard_create(struct protocols *protocols)
{
	seat_announce(protocols->server->seat, WL_SEAT_CAPABILITY_KEYBOARD);
	protocols_add_global(protocols, &zwp_virtual_keyboard_manager_v1_interface, 1,
		&manager_impl, protocols, GLOBAL_PRIVILEGED);
}
