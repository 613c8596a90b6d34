/* SPDX-License-Identifier: MIT */
/*
 * zwp_input_method_keyboard_grab_v2: keyboard input for an input method. Keys are sent only while
 * the input method is active, so that it cannot read text typed outside of text fields.
 */

#include "input-method-unstable-v2-protocol.h"
#include "input_method.h"
#include "seat/seat.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <stdlib.h>

struct input_keyboard {
	struct input_method_grab grab;
	struct input_agent *agent;
	struct wl_resource *resource;
};

static uint32_t next_serial(const struct input_keyboard *keyboard)
{
	return wl_display_next_serial(keyboard->agent->protocols->display);
}

static void send_keymap(struct input_method_grab *grab, int fd, uint32_t size)
{
	const struct input_keyboard *keyboard = wl_container_of(grab, keyboard, grab);
	client_charge_queued_descriptor(wl_resource_get_client(keyboard->resource));
	if (fd >= 0) {
		zwp_input_method_keyboard_grab_v2_send_keymap(
			keyboard->resource, WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1, fd, size);
		return;
	}
	int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (none >= 0) {
		zwp_input_method_keyboard_grab_v2_send_keymap(
			keyboard->resource, WL_KEYBOARD_KEYMAP_FORMAT_NO_KEYMAP, none, 0);
		fd_close(&none);
	}
}

static void send_repeat(struct input_method_grab *grab, int32_t rate, int32_t delay)
{
	const struct input_keyboard *keyboard = wl_container_of(grab, keyboard, grab);
	zwp_input_method_keyboard_grab_v2_send_repeat_info(keyboard->resource, rate, delay);
}

static void send_key(struct input_method_grab *grab, const struct input_key_event *event)
{
	const struct input_keyboard *keyboard = wl_container_of(grab, keyboard, grab);
	zwp_input_method_keyboard_grab_v2_send_key(keyboard->resource, next_serial(keyboard),
		clock_ms(event->time), event->key,
		event->pressed ? WL_KEYBOARD_KEY_STATE_PRESSED : WL_KEYBOARD_KEY_STATE_RELEASED);
}

static void send_modifiers(
	struct input_method_grab *grab, const struct input_modifiers_event *modifiers)
{
	const struct input_keyboard *keyboard = wl_container_of(grab, keyboard, grab);
	zwp_input_method_keyboard_grab_v2_send_modifiers(keyboard->resource, next_serial(keyboard),
		modifiers->depressed, modifiers->latched, modifiers->locked, modifiers->group);
}

static const struct input_method_grab_impl grab_impl = {
	.keymap = send_keymap,
	.repeat = send_repeat,
	.key = send_key,
	.modifiers = send_modifiers,
};

static const struct zwp_input_method_keyboard_grab_v2_interface resource_impl = {
	.release = resource_handle_destroy,
};

void input_keyboard_update(struct input_agent *agent)
{
	if (agent->keyboard && agent->method.active) {
		input_method_grab_start(&agent->keyboard->grab);
	} else if (agent->keyboard) {
		input_method_grab_end(&agent->keyboard->grab);
	}
}

void input_keyboard_orphan(struct input_agent *agent)
{
	struct input_keyboard *keyboard = agent->keyboard;
	if (keyboard) {
		input_method_grab_end(&keyboard->grab);
		wl_resource_set_user_data(keyboard->resource, NULL);
		agent->keyboard = NULL;
		free(keyboard);
	}
}

static void destroy(struct wl_resource *resource)
{
	struct input_keyboard *keyboard = wl_resource_get_user_data(resource);
	if (keyboard) {
		input_keyboard_orphan(keyboard->agent);
	}
}

void input_keyboard_create(
	struct input_agent *agent, struct wl_client *client, int version, uint32_t id)
{
	struct wl_resource *resource =
		resource_create(client, &zwp_input_method_keyboard_grab_v2_interface, version, id,
			&resource_impl, NULL, destroy);
	if (!resource) {
		return;
	}
	if (!agent) {
		return;
	}
	input_keyboard_orphan(agent);
	struct input_keyboard *keyboard = xcalloc(1, sizeof(*keyboard));
	keyboard->agent = agent;
	keyboard->resource = resource;
	wl_resource_set_user_data(resource, keyboard);
	agent->keyboard = keyboard;
	input_method_grab_init(
		&keyboard->grab, agent->method.seat, client_from_wl(client), &grab_impl);
	if (agent->method.active) {
		input_method_grab_start(&keyboard->grab);
	} else {
		input_method_grab_introduce(&keyboard->grab);
	}
}
