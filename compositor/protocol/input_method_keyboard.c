/*
 * zwp_input_method_keyboard_grab_v2: the keys of the user, for an input method. It hears of them while it
 * is active and at no other time, so that it learns nothing of what is typed where no text field is.
 */

#include "input-method-unstable-v2-protocol.h"
#include "input_method.h"
#include "seat/seat.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <fcntl.h>
#include <stdlib.h>

struct input_keyboard {
	struct keyboard_diversion diversion;
	struct input_agent *agent;
	struct wl_resource *resource;
};

static uint32_t next_serial(const struct input_keyboard *keyboard)
{
	return wl_display_next_serial(keyboard->agent->protocols->display);
}

static void send_keymap(struct keyboard_diversion *diversion, int fd, uint32_t size)
{
	const struct input_keyboard *keyboard = wl_container_of(diversion, keyboard, diversion);
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

static void send_repeat(struct keyboard_diversion *diversion, int32_t rate, int32_t delay)
{
	const struct input_keyboard *keyboard = wl_container_of(diversion, keyboard, diversion);
	zwp_input_method_keyboard_grab_v2_send_repeat_info(keyboard->resource, rate, delay);
}

static void send_key(struct keyboard_diversion *diversion, const struct input_key_event *event)
{
	const struct input_keyboard *keyboard = wl_container_of(diversion, keyboard, diversion);
	zwp_input_method_keyboard_grab_v2_send_key(keyboard->resource, next_serial(keyboard),
		clock_ms(event->time), event->key,
		event->pressed ? WL_KEYBOARD_KEY_STATE_PRESSED : WL_KEYBOARD_KEY_STATE_RELEASED);
}

static void send_modifiers(
	struct keyboard_diversion *diversion, const struct input_modifiers_event *modifiers)
{
	const struct input_keyboard *keyboard = wl_container_of(diversion, keyboard, diversion);
	zwp_input_method_keyboard_grab_v2_send_modifiers(keyboard->resource, next_serial(keyboard),
		modifiers->depressed, modifiers->latched, modifiers->locked, modifiers->group);
}

static const struct keyboard_diversion_impl diversion_impl = {
	.keymap = send_keymap,
	.repeat = send_repeat,
	.key = send_key,
	.modifiers = send_modifiers,
};

static void handle_release(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct zwp_input_method_keyboard_grab_v2_interface resource_impl = {
	.release = handle_release,
};

void input_keyboard_update(struct input_agent *agent)
{
	if (agent->keyboard && agent->method.active) {
		keyboard_divert(&agent->keyboard->diversion);
	} else if (agent->keyboard) {
		keyboard_undivert(&agent->keyboard->diversion);
	}
}

void input_keyboard_orphan(struct input_agent *agent)
{
	struct input_keyboard *keyboard = agent->keyboard;
	if (keyboard) {
		keyboard_undivert(&keyboard->diversion);
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
	struct wl_resource *resource = wl_resource_create(
		client, &zwp_input_method_keyboard_grab_v2_interface, version, id);
	if (!resource) {
		wl_client_post_no_memory(client);
		return;
	}
	wl_resource_set_implementation(resource, &resource_impl, NULL, destroy);
	if (!agent) {
		return;
	}
	input_keyboard_orphan(agent);
	struct input_keyboard *keyboard = xcalloc(1, sizeof(*keyboard));
	keyboard->agent = agent;
	keyboard->resource = resource;
	wl_resource_set_user_data(resource, keyboard);
	agent->keyboard = keyboard;
	keyboard_diversion_init(
		&keyboard->diversion, agent->method.seat, client_from_wl(client), &diversion_impl);
	if (agent->method.active) {
		keyboard_divert(&keyboard->diversion);
	} else {
		keyboard_diversion_introduce(&keyboard->diversion);
	}
}
