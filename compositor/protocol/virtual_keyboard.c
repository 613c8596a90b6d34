/* zwp_virtual_keyboard: clients that play a keyboard, with a keymap of their own. */

#include "protocol.h"
#include "seat/seat.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "virtual-keyboard-unstable-v1-protocol.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define VERSION 1

/** No keymap comes near to this; the largest of xkeyboard-config have some 100 KiB. */
#define MAX_KEYMAP_SIZE (4 * 1024 * 1024)

struct virtual_keyboard {
	struct input_device device;
	bool has_keymap;
};

/*
 * NULL with errno set if the file does not have that much. It is read, not mapped: its owner could make
 * it shorter at any time.
 */
static char *read_keymap(int fd, uint32_t size)
{
	char *text = malloc((size_t)size + 1);
	if (!text) {
		return NULL;
	}
	size_t length = 0;
	while (length < size) {
		ssize_t n = pread(fd, text + length, size - length, (off_t)length);
		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			free(text);
			errno = n < 0 ? errno : ENODATA;
			return NULL;
		}
		length += (size_t)n;
	}
	text[length] = '\0';
	return text;
}

static void handle_keymap(struct wl_client *client, struct wl_resource *resource, uint32_t format,
	int32_t fd, uint32_t size)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	char *text = NULL;
	if (format != WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"keymap format %u is not known", format);
		goto close;
	}
	if (size == 0 || size > MAX_KEYMAP_SIZE) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"a keymap of %u bytes", size);
		goto close;
	}
	text = read_keymap(fd, size);
	if (!text && errno == ENOMEM) {
		wl_resource_post_no_memory(resource);
		goto close;
	}
	if (!text) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"the file cannot be read, or is shorter than %u bytes", size);
		goto close;
	}
	if (keyboard) {
		struct input_keymap_event event = {.keymap = text};
		signal_emit(&keyboard->device.events.keymap, &event);
		keyboard->has_keymap = keyboard->has_keymap || !event.refused;
		if (event.refused) {
			wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
				"the keymap has errors");
		}
	}

close:
	free(text);
	close(fd);
}

/* NULL for an inert device, and after an error. */
static struct virtual_keyboard *ready(struct wl_resource *resource)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (keyboard && !keyboard->has_keymap) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_V1_ERROR_NO_KEYMAP,
			"there is no keymap yet");
		return NULL;
	}
	return keyboard;
}

static void handle_key(struct wl_client *client, struct wl_resource *resource, uint32_t time,
	uint32_t key, uint32_t state)
{
	struct virtual_keyboard *keyboard = ready(resource);
	if (keyboard) {
		struct input_key_event event = {
			.time = (int64_t)time * 1000000,
			.key = key,
			.pressed = state != WL_KEYBOARD_KEY_STATE_RELEASED,
		};
		signal_emit(&keyboard->device.events.key, &event);
	}
}

static void handle_modifiers(struct wl_client *client, struct wl_resource *resource,
	uint32_t depressed, uint32_t latched, uint32_t locked, uint32_t group)
{
	struct virtual_keyboard *keyboard = ready(resource);
	if (keyboard) {
		struct input_modifiers_event event = {depressed, latched, locked, group};
		signal_emit(&keyboard->device.events.modifiers, &event);
	}
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct zwp_virtual_keyboard_v1_interface keyboard_impl = {
	.keymap = handle_keymap,
	.key = handle_key,
	.modifiers = handle_modifiers,
	.destroy = handle_destroy,
};

static void destroy(struct wl_resource *resource)
{
	struct virtual_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (keyboard) {
		input_device_finish(&keyboard->device);
		free(keyboard);
	}
}

static void handle_create(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t id)
{
	/* The global is hidden from these; a name can be guessed. */
	if (client_from_wl(client)->sandboxed) {
		wl_resource_post_error(resource, ZWP_VIRTUAL_KEYBOARD_MANAGER_V1_ERROR_UNAUTHORIZED,
			"not for clients in a sandbox");
		return;
	}
	struct wl_resource *created = wl_resource_create(
		client, &zwp_virtual_keyboard_v1_interface, wl_resource_get_version(resource), id);
	if (!created) {
		wl_client_post_no_memory(client);
		return;
	}
	struct seat *seat = seat_from_resource(seat_resource);
	struct virtual_keyboard *keyboard = NULL;
	if (seat) {
		keyboard = xcalloc(1, sizeof(*keyboard));
		input_device_init(&keyboard->device, INPUT_KEYBOARD, "virtual keyboard");
		keyboard->device.player = client_from_wl(client);
	}
	wl_resource_set_implementation(created, &keyboard_impl, keyboard, destroy);
	if (seat) {
		seat_add_device(seat, &keyboard->device);
	}
}

static const struct zwp_virtual_keyboard_manager_v1_interface manager_impl = {
	.create_virtual_keyboard = handle_create,
};

static void bind(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource = wl_resource_create(
		client, &zwp_virtual_keyboard_manager_v1_interface, (int)version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &manager_impl, data, NULL);
}

void virtual_keyboard_create(struct protocols *protocols)
{
	protocols_add_global(protocols, &zwp_virtual_keyboard_manager_v1_interface, VERSION,
		protocols, bind, GLOBAL_PRIVILEGED);
}
