/* SPDX-License-Identifier: MIT */
/*
 * Emulated libinput: devices with keys, motion and switches. Suspended, it removes its devices, as
 * libinput does; added again, a switch that is on is reported only if it is reliable.
 */

#include "fake.h"
#include "state.h"
#include <assert.h>
#include <fcntl.h>
#include <libinput.h>
#include <linux/input.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))
/* Nodes that can be opened, one for each device. */
static const char *const nodes[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/urandom"};
#define N_NODES (sizeof(nodes) / sizeof(nodes[0]))

struct libinput_device {
	struct wl_list link; /* devices, or removed */
	char name[32];
	const char *node;
	uint32_t roles; /* enum fake_input_role */
	uint32_t on; /* bits of enum libinput_switch */
	bool reliable;
	bool added;
	int fd; /* -1: closed */
	uint32_t mode;
	bool left_handed;
};

struct libinput_event {
	struct wl_list link; /* libinput.events */
	enum libinput_event_type type;
	struct libinput_device *device;
	uint32_t code;
	bool pressed;
	double dx, dy;
};

struct libinput {
	const struct libinput_interface *interface;
	void *data;
	int fd; /* an eventfd: readable while there are events */
	struct wl_list events;
	bool assigned, suspended;
};

static struct wl_list devices = {&devices, &devices};
static struct wl_list removed = {&removed, &removed}; /* events may refer to them */
static struct libinput *context;

static struct libinput_event *send(struct libinput_device *device, enum libinput_event_type type)
{
	struct libinput_event *event = calloc(1, sizeof(*event));

	assert(event && context);
	event->type = type;
	event->device = device;
	if (wl_list_empty(&context->events)) {
		eventfd_write(context->fd, 1);
	}
	wl_list_insert(context->events.prev, &event->link);
	return event;
}

static void send_switch(struct libinput_device *device, enum libinput_switch type)
{
	struct libinput_event *event = send(device, LIBINPUT_EVENT_SWITCH_TOGGLE);

	event->code = type;
	event->pressed = device->on >> type & 1;
}

static void add(struct libinput_device *device)
{
	if (!context || !context->assigned || context->suspended || device->added) {
		return;
	}
	device->added = true;
	device->mode = 0;
	device->fd = context->interface->open_restricted(device->node, O_RDWR, context->data);
	send(device, LIBINPUT_EVENT_DEVICE_ADDED);
	for (enum libinput_switch type = LIBINPUT_SWITCH_LID; type <= LIBINPUT_SWITCH_TABLET_MODE;
		type++) {
		if (device->reliable && device->on >> type & 1) {
			send_switch(device, type);
		}
	}
}

static void take(struct libinput_device *device)
{
	if (device->added) {
		device->added = false;
		context->interface->close_restricted(device->fd, context->data);
		device->fd = -1;
		send(device, LIBINPUT_EVENT_DEVICE_REMOVED);
	}
}

struct libinput_device *fake_input_add(const char *name, uint32_t roles)
{
	struct libinput_device *device = calloc(1, sizeof(*device));

	assert(device);
	strncpy(device->name, name, sizeof(device->name) - 1);
	device->roles = roles;
	device->reliable = true;
	device->fd = -1;
	device->node = nodes[wl_list_length(&devices) % (int)N_NODES];
	wl_list_insert(devices.prev, &device->link);
	add(device);
	return device;
}

void fake_input_distrust(struct libinput_device *device)
{
	device->reliable = false;
}

void fake_input_throw(struct libinput_device *device, uint32_t role, bool on)
{
	enum libinput_switch type =
		role == FAKE_LID ? LIBINPUT_SWITCH_LID : LIBINPUT_SWITCH_TABLET_MODE;
	bool before = device->on >> type & 1;

	device->on = on ? device->on | 1u << type : device->on & ~(1u << type);
	if (device->added && on != before) {
		send_switch(device, type);
	}
}

void fake_input_key(struct libinput_device *device, uint32_t key, bool pressed)
{
	if (device->added && device->mode != LIBINPUT_CONFIG_SEND_EVENTS_DISABLED) {
		struct libinput_event *event = send(device, LIBINPUT_EVENT_KEYBOARD_KEY);
		event->code = key;
		event->pressed = pressed;
	}
}

void fake_input_move(struct libinput_device *device, double dx, double dy)
{
	if (device->added && device->mode != LIBINPUT_CONFIG_SEND_EVENTS_DISABLED) {
		struct libinput_event *event = send(device, LIBINPUT_EVENT_POINTER_MOTION);
		event->dx = dx;
		event->dy = dy;
	}
}

void fake_input_remove(struct libinput_device *device)
{
	wl_list_remove(&device->link);
	wl_list_insert(&removed, &device->link);
	take(device);
}

uint32_t fake_input_mode(const struct libinput_device *device)
{
	return device->mode;
}

bool fake_input_is_left_handed(const struct libinput_device *device)
{
	return device->left_handed;
}

void fake_inputs_forget(void)
{
	struct libinput_device *device, *next;

	wl_list_insert_list(&devices, &removed);
	wl_list_init(&removed);
	wl_list_for_each_safe (device, next, &devices, link) {
		wl_list_remove(&device->link);
		free(device);
	}
}

bool fake_input_read_switches(int fd, void *bits)
{
	const struct libinput_device *device;

	wl_list_for_each (device, &devices, link) {
		if (device->added && device->fd == fd) {
			bool lid = device->on >> LIBINPUT_SWITCH_LID & 1;
			bool tablet = device->on >> LIBINPUT_SWITCH_TABLET_MODE & 1;
			*(unsigned char *)bits =
				(unsigned char)(lid << SW_LID | tablet << SW_TABLET_MODE);
			return true;
		}
	}
	return false;
}

/* libinput's functions */

VISIBLE struct libinput *libinput_udev_create_context(
	const struct libinput_interface *interface, void *data, struct udev *udev)
{
	struct libinput *self = calloc(1, sizeof(*self));

	assert(self && !context);
	self->interface = interface;
	self->data = data;
	self->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	wl_list_init(&self->events);
	context = self;
	return self;
}

VISIBLE int libinput_udev_assign_seat(struct libinput *self, const char *seat)
{
	struct libinput_device *device;

	self->assigned = true;
	wl_list_for_each (device, &devices, link) {
		add(device);
	}
	return 0;
}

VISIBLE int libinput_get_fd(struct libinput *self)
{
	return self->fd;
}

VISIBLE int libinput_dispatch(struct libinput *self)
{
	eventfd_t value;

	eventfd_read(self->fd, &value);
	return 0;
}

VISIBLE struct libinput_event *libinput_get_event(struct libinput *self)
{
	struct libinput_event *event;

	if (wl_list_empty(&self->events)) {
		return NULL;
	}
	event = wl_container_of(self->events.next, event, link);
	wl_list_remove(&event->link);
	return event;
}

VISIBLE void libinput_event_destroy(struct libinput_event *event)
{
	free(event);
}

VISIBLE void libinput_suspend(struct libinput *self)
{
	struct libinput_device *device;

	self->suspended = true;
	wl_list_for_each (device, &devices, link) {
		take(device);
	}
}

VISIBLE int libinput_resume(struct libinput *self)
{
	struct libinput_device *device;

	self->suspended = false;
	wl_list_for_each (device, &devices, link) {
		add(device);
	}
	return 0;
}

VISIBLE struct libinput *libinput_unref(struct libinput *self)
{
	struct libinput_event *event, *next;
	struct libinput_device *device;

	wl_list_for_each (device, &devices, link) {
		take(device);
	}
	wl_list_for_each_safe (event, next, &self->events, link) {
		free(event);
	}
	close(self->fd);
	free(self);
	context = NULL;
	return NULL;
}

VISIBLE void libinput_log_set_handler(struct libinput *self, libinput_log_handler handler)
{
}

VISIBLE void libinput_log_set_priority(struct libinput *self, enum libinput_log_priority priority)
{
}

VISIBLE enum libinput_event_type libinput_event_get_type(struct libinput_event *event)
{
	return event->type;
}

VISIBLE struct libinput_device *libinput_event_get_device(struct libinput_event *event)
{
	return event->device;
}

VISIBLE struct libinput_device *libinput_device_ref(struct libinput_device *device)
{
	return device;
}

VISIBLE struct libinput_device *libinput_device_unref(struct libinput_device *device)
{
	return NULL;
}

VISIBLE const char *libinput_device_get_name(struct libinput_device *device)
{
	return device->name;
}

VISIBLE const char *libinput_device_get_sysname(struct libinput_device *device)
{
	return strrchr(device->node, '/') + 1;
}

VISIBLE const char *libinput_device_get_output_name(struct libinput_device *device)
{
	return NULL;
}

VISIBLE unsigned int libinput_device_get_id_vendor(struct libinput_device *device)
{
	return 1;
}

VISIBLE unsigned int libinput_device_get_id_product(struct libinput_device *device)
{
	return 2;
}

VISIBLE struct libinput_device_group *libinput_device_get_device_group(
	struct libinput_device *device)
{
	return NULL;
}

VISIBLE struct udev_device *libinput_device_get_udev_device(struct libinput_device *device)
{
	return NULL;
}

VISIBLE int libinput_device_has_capability(
	struct libinput_device *device, enum libinput_device_capability capability)
{
	switch (capability) {
	case LIBINPUT_DEVICE_CAP_KEYBOARD: return (device->roles & FAKE_KEYBOARD) != 0;
	case LIBINPUT_DEVICE_CAP_POINTER: return (device->roles & FAKE_MOUSE) != 0;
	case LIBINPUT_DEVICE_CAP_SWITCH:
		return (device->roles & (FAKE_LID | FAKE_TABLET_MODE)) != 0;
	default: return 0;
	}
}

VISIBLE void libinput_device_led_update(struct libinput_device *device, enum libinput_led leds)
{
}

VISIBLE struct libinput_event_switch *libinput_event_get_switch_event(struct libinput_event *event)
{
	return (struct libinput_event_switch *)event;
}

VISIBLE enum libinput_switch libinput_event_switch_get_switch(struct libinput_event_switch *event)
{
	return (enum libinput_switch)((struct libinput_event *)event)->code;
}

VISIBLE enum libinput_switch_state libinput_event_switch_get_switch_state(
	struct libinput_event_switch *event)
{
	return ((struct libinput_event *)event)->pressed ? LIBINPUT_SWITCH_STATE_ON
							 : LIBINPUT_SWITCH_STATE_OFF;
}

VISIBLE uint64_t libinput_event_switch_get_time_usec(struct libinput_event_switch *event)
{
	return 1;
}

VISIBLE struct libinput_event_keyboard *libinput_event_get_keyboard_event(
	struct libinput_event *event)
{
	return (struct libinput_event_keyboard *)event;
}

VISIBLE uint32_t libinput_event_keyboard_get_key(struct libinput_event_keyboard *event)
{
	return ((struct libinput_event *)event)->code;
}

VISIBLE enum libinput_key_state libinput_event_keyboard_get_key_state(
	struct libinput_event_keyboard *event)
{
	return ((struct libinput_event *)event)->pressed ? LIBINPUT_KEY_STATE_PRESSED
							 : LIBINPUT_KEY_STATE_RELEASED;
}

VISIBLE uint64_t libinput_event_keyboard_get_time_usec(struct libinput_event_keyboard *event)
{
	return 1;
}

VISIBLE struct libinput_event_pointer *libinput_event_get_pointer_event(
	struct libinput_event *event)
{
	return (struct libinput_event_pointer *)event;
}

VISIBLE uint64_t libinput_event_pointer_get_time_usec(struct libinput_event_pointer *event)
{
	return 1;
}

VISIBLE double libinput_event_pointer_get_dx(struct libinput_event_pointer *event)
{
	return ((struct libinput_event *)event)->dx;
}

VISIBLE double libinput_event_pointer_get_dy(struct libinput_event_pointer *event)
{
	return ((struct libinput_event *)event)->dy;
}

VISIBLE double libinput_event_pointer_get_dx_unaccelerated(struct libinput_event_pointer *event)
{
	return ((struct libinput_event *)event)->dx;
}

VISIBLE double libinput_event_pointer_get_dy_unaccelerated(struct libinput_event_pointer *event)
{
	return ((struct libinput_event *)event)->dy;
}

VISIBLE enum libinput_config_status libinput_device_config_send_events_set_mode(
	struct libinput_device *device, uint32_t mode)
{
	device->mode = mode;
	return LIBINPUT_CONFIG_STATUS_SUCCESS;
}

VISIBLE uint32_t libinput_device_config_send_events_get_default_mode(struct libinput_device *device)
{
	return LIBINPUT_CONFIG_SEND_EVENTS_ENABLED;
}

/* The devices have none of these settings. */

VISIBLE int libinput_device_config_tap_get_finger_count(struct libinput_device *device)
{
	return 0;
}

VISIBLE int libinput_device_config_accel_is_available(struct libinput_device *device)
{
	return 0;
}

VISIBLE int libinput_device_config_scroll_has_natural_scroll(struct libinput_device *device)
{
	return 0;
}

VISIBLE uint32_t libinput_device_config_scroll_get_methods(struct libinput_device *device)
{
	return LIBINPUT_CONFIG_SCROLL_NO_SCROLL;
}

VISIBLE uint32_t libinput_device_config_click_get_methods(struct libinput_device *device)
{
	return LIBINPUT_CONFIG_CLICK_METHOD_NONE;
}

VISIBLE int libinput_device_config_middle_emulation_is_available(struct libinput_device *device)
{
	return 0;
}

VISIBLE int libinput_device_config_dwt_is_available(struct libinput_device *device)
{
	return 0;
}

VISIBLE int libinput_device_config_left_handed_is_available(struct libinput_device *device)
{
	return (device->roles & FAKE_MOUSE) != 0;
}

VISIBLE int libinput_device_config_left_handed_get_default(struct libinput_device *device)
{
	return 0;
}

VISIBLE enum libinput_config_status libinput_device_config_left_handed_set(
	struct libinput_device *device, int left)
{
	device->left_handed = left;
	return LIBINPUT_CONFIG_STATUS_SUCCESS;
}

VISIBLE int libinput_device_config_calibration_has_matrix(struct libinput_device *device)
{
	return 0;
}
