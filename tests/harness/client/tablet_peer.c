/* SPDX-License-Identifier: MIT */
/* Peer of tablet tests: listeners for all tablet events, and the devices. */

#include "harness/client/tablet_peer.h"
#include "backend/headless.h"
#include "seat/seat.h"
#include "util/signal.h"
#include <linux/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* zwp_tablet_v2 */

static void handle_name(void *data, struct zwp_tablet_v2 *tablet, const char *name)
{
	note(data, "name %s; ", name);
}

static void handle_id(void *data, struct zwp_tablet_v2 *tablet, uint32_t vendor, uint32_t product)
{
	note(data, "id %x:%x; ", vendor, product);
}

static void handle_path(void *data, struct zwp_tablet_v2 *tablet, const char *path)
{
	note(data, "path %s; ", path);
}

static void handle_done(void *data, struct zwp_tablet_v2 *tablet)
{
	note(data, "done; ");
}

static void handle_removed(void *data, struct zwp_tablet_v2 *tablet)
{
	note(data, "tablet goes; ");
}

static void handle_bustype(void *data, struct zwp_tablet_v2 *tablet, uint32_t bus)
{
	note(data, "bus %u; ", bus);
}

static const struct zwp_tablet_v2_listener tablet_listener = {
	.name = handle_name,
	.id = handle_id,
	.path = handle_path,
	.done = handle_done,
	.removed = handle_removed,
	.bustype = handle_bustype,
};

/* zwp_tablet_tool_v2 */

static void handle_type(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t type)
{
	note(data, "type %x; ", type);
}

static void handle_hardware_serial(
	void *data, struct zwp_tablet_tool_v2 *tool, uint32_t high, uint32_t low)
{
	note(data, "serial %x %x; ", high, low);
}

static void handle_hardware_id(
	void *data, struct zwp_tablet_tool_v2 *tool, uint32_t high, uint32_t low)
{
	note(data, "wacom %x %x; ", high, low);
}

static void handle_capability(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t capability)
{
	note(data, "can %u; ", capability);
}

static void handle_tool_done(void *data, struct zwp_tablet_tool_v2 *tool)
{
	note(data, "done; ");
}

static void handle_tool_removed(void *data, struct zwp_tablet_tool_v2 *tool)
{
	note(data, "tool goes; ");
}

static void handle_in(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t serial,
	struct zwp_tablet_v2 *tablet, struct wl_surface *surface)
{
	struct test *test = data;
	assert_ptr_equal(tablet, test->tablet_object);
	test->serial = serial;
	note(test, "in; ");
}

static void handle_out(void *data, struct zwp_tablet_tool_v2 *tool)
{
	note(data, "out; ");
}

static void handle_down(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t serial)
{
	struct test *test = data;
	assert_int_not_equal(serial, test->serial);
	note(test, "down; ");
}

static void handle_up(void *data, struct zwp_tablet_tool_v2 *tool)
{
	note(data, "up; ");
}

static void handle_motion(void *data, struct zwp_tablet_tool_v2 *tool, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "at %g %g; ", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_pressure(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t pressure)
{
	note(data, "pressure %u; ", pressure);
}

static void handle_distance(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t distance)
{
	note(data, "distance %u; ", distance);
}

static void handle_tilt(void *data, struct zwp_tablet_tool_v2 *tool, wl_fixed_t x, wl_fixed_t y)
{
	note(data, "tilt %g %g; ", wl_fixed_to_double(x), wl_fixed_to_double(y));
}

static void handle_rotation(void *data, struct zwp_tablet_tool_v2 *tool, wl_fixed_t degrees)
{
	note(data, "rotation %g; ", wl_fixed_to_double(degrees));
}

static void handle_slider(void *data, struct zwp_tablet_tool_v2 *tool, int32_t position)
{
	note(data, "slider %d; ", position);
}

static void handle_wheel(
	void *data, struct zwp_tablet_tool_v2 *tool, wl_fixed_t degrees, int32_t clicks)
{
	note(data, "wheel %g %d; ", wl_fixed_to_double(degrees), clicks);
}

static void handle_button(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t serial,
	uint32_t button, uint32_t state)
{
	note(data, "%s %x; ", state ? "press" : "release", button);
}

static void handle_frame(void *data, struct zwp_tablet_tool_v2 *tool, uint32_t time)
{
	note(data, "/ ");
}

static const struct zwp_tablet_tool_v2_listener tool_listener = {
	.type = handle_type,
	.hardware_serial = handle_hardware_serial,
	.hardware_id_wacom = handle_hardware_id,
	.capability = handle_capability,
	.done = handle_tool_done,
	.removed = handle_tool_removed,
	.proximity_in = handle_in,
	.proximity_out = handle_out,
	.down = handle_down,
	.up = handle_up,
	.motion = handle_motion,
	.pressure = handle_pressure,
	.distance = handle_distance,
	.tilt = handle_tilt,
	.rotation = handle_rotation,
	.slider = handle_slider,
	.wheel = handle_wheel,
	.button = handle_button,
	.frame = handle_frame,
};

/* Pads */

static void handle_ring_source(void *data, struct zwp_tablet_pad_ring_v2 *ring, uint32_t source)
{
	note(data, "source %u; ", source);
}

static void handle_ring_angle(void *data, struct zwp_tablet_pad_ring_v2 *ring, wl_fixed_t degrees)
{
	note(data, "angle %g; ", wl_fixed_to_double(degrees));
}

static void handle_ring_stop(void *data, struct zwp_tablet_pad_ring_v2 *ring)
{
	note(data, "stop; ");
}

static void handle_ring_frame(void *data, struct zwp_tablet_pad_ring_v2 *ring, uint32_t time)
{
	note(data, "/ ");
}

static const struct zwp_tablet_pad_ring_v2_listener ring_listener = {
	.source = handle_ring_source,
	.angle = handle_ring_angle,
	.stop = handle_ring_stop,
	.frame = handle_ring_frame,
};

static void handle_strip_source(void *data, struct zwp_tablet_pad_strip_v2 *strip, uint32_t source)
{
	note(data, "source %u; ", source);
}

static void handle_strip_position(
	void *data, struct zwp_tablet_pad_strip_v2 *strip, uint32_t position)
{
	note(data, "position %u; ", position);
}

static void handle_strip_stop(void *data, struct zwp_tablet_pad_strip_v2 *strip)
{
	note(data, "stop; ");
}

static void handle_strip_frame(void *data, struct zwp_tablet_pad_strip_v2 *strip, uint32_t time)
{
	note(data, "/ ");
}

static const struct zwp_tablet_pad_strip_v2_listener strip_listener = {
	.source = handle_strip_source,
	.position = handle_strip_position,
	.stop = handle_strip_stop,
	.frame = handle_strip_frame,
};

static void handle_dial_delta(void *data, struct zwp_tablet_pad_dial_v2 *dial, int32_t value120)
{
	note(data, "delta %d; ", value120);
}

static void handle_dial_frame(void *data, struct zwp_tablet_pad_dial_v2 *dial, uint32_t time)
{
	note(data, "/ ");
}

static const struct zwp_tablet_pad_dial_v2_listener dial_listener = {
	.delta = handle_dial_delta,
	.frame = handle_dial_frame,
};

static void handle_group_buttons(
	void *data, struct zwp_tablet_pad_group_v2 *group, struct wl_array *buttons)
{
	const uint32_t *button;
	note(data, "buttons");
	wl_array_for_each (button, buttons) {
		note(data, " %u", *button);
	}
	note(data, "; ");
}

static void handle_group_ring(
	void *data, struct zwp_tablet_pad_group_v2 *group, struct zwp_tablet_pad_ring_v2 *ring)
{
	struct test *test = data;
	test->ring_object = ring;
	zwp_tablet_pad_ring_v2_add_listener(ring, &ring_listener, test);
	note(test, "ring; ");
}

static void handle_group_strip(
	void *data, struct zwp_tablet_pad_group_v2 *group, struct zwp_tablet_pad_strip_v2 *strip)
{
	struct test *test = data;
	test->strip_object = strip;
	zwp_tablet_pad_strip_v2_add_listener(strip, &strip_listener, test);
	note(test, "strip; ");
}

static void handle_group_modes(void *data, struct zwp_tablet_pad_group_v2 *group, uint32_t modes)
{
	note(data, "modes %u; ", modes);
}

static void handle_group_done(void *data, struct zwp_tablet_pad_group_v2 *group)
{
	note(data, "done; ");
}

static void handle_mode_switch(void *data, struct zwp_tablet_pad_group_v2 *group, uint32_t time,
	uint32_t serial, uint32_t mode)
{
	struct test *test = data;
	test->mode_serial = serial;
	note(test, "mode %u; ", mode);
}

static void handle_group_dial(
	void *data, struct zwp_tablet_pad_group_v2 *group, struct zwp_tablet_pad_dial_v2 *dial)
{
	struct test *test = data;
	test->dial_object = dial;
	zwp_tablet_pad_dial_v2_add_listener(dial, &dial_listener, test);
	note(test, "dial; ");
}

static const struct zwp_tablet_pad_group_v2_listener group_listener = {
	.buttons = handle_group_buttons,
	.ring = handle_group_ring,
	.strip = handle_group_strip,
	.modes = handle_group_modes,
	.done = handle_group_done,
	.mode_switch = handle_mode_switch,
	.dial = handle_group_dial,
};

static void handle_pad_group(
	void *data, struct zwp_tablet_pad_v2 *pad, struct zwp_tablet_pad_group_v2 *group)
{
	struct test *test = data;
	test->group_object = group;
	zwp_tablet_pad_group_v2_add_listener(group, &group_listener, test);
	note(test, "group; ");
}

static void handle_pad_path(void *data, struct zwp_tablet_pad_v2 *pad, const char *path)
{
	note(data, "path %s; ", path);
}

static void handle_pad_buttons(void *data, struct zwp_tablet_pad_v2 *pad, uint32_t buttons)
{
	note(data, "%u buttons; ", buttons);
}

static void handle_pad_done(void *data, struct zwp_tablet_pad_v2 *pad)
{
	note(data, "done; ");
}

static void handle_pad_button(
	void *data, struct zwp_tablet_pad_v2 *pad, uint32_t time, uint32_t button, uint32_t state)
{
	note(data, "%s %u; ", state ? "press" : "release", button);
}

static void handle_pad_enter(void *data, struct zwp_tablet_pad_v2 *pad, uint32_t serial,
	struct zwp_tablet_v2 *tablet, struct wl_surface *surface)
{
	struct test *test = data;
	assert_ptr_equal(tablet, test->tablet_object);
	assert_ptr_equal(surface, test->window->surface);
	note(test, "enter; ");
}

static void handle_pad_leave(
	void *data, struct zwp_tablet_pad_v2 *pad, uint32_t serial, struct wl_surface *surface)
{
	note(data, "leave; ");
}

static void handle_pad_removed(void *data, struct zwp_tablet_pad_v2 *pad)
{
	note(data, "pad goes; ");
}

static const struct zwp_tablet_pad_v2_listener pad_listener = {
	.group = handle_pad_group,
	.path = handle_pad_path,
	.buttons = handle_pad_buttons,
	.done = handle_pad_done,
	.button = handle_pad_button,
	.enter = handle_pad_enter,
	.leave = handle_pad_leave,
	.removed = handle_pad_removed,
};

/* zwp_tablet_seat_v2 */

static void handle_tablet_added(
	void *data, struct zwp_tablet_seat_v2 *seat, struct zwp_tablet_v2 *tablet)
{
	struct test *test = data;
	test->tablet_object = tablet;
	zwp_tablet_v2_add_listener(tablet, &tablet_listener, test);
	note(test, "tablet; ");
}

static void handle_tool_added(
	void *data, struct zwp_tablet_seat_v2 *seat, struct zwp_tablet_tool_v2 *tool)
{
	struct test *test = data;
	test->tool_object = tool;
	zwp_tablet_tool_v2_add_listener(tool, &tool_listener, test);
	note(test, "tool; ");
}

static void handle_pad_added(
	void *data, struct zwp_tablet_seat_v2 *seat, struct zwp_tablet_pad_v2 *pad)
{
	struct test *test = data;
	test->pad_object = pad;
	zwp_tablet_pad_v2_add_listener(pad, &pad_listener, test);
	note(test, "pad; ");
}

const struct zwp_tablet_seat_v2_listener seat_listener = {
	.tablet_added = handle_tablet_added,
	.tool_added = handle_tool_added,
	.pad_added = handle_pad_added,
};

/* Fixture */

void plug_in(struct test *test)
{
	input_device_init(&test->tablet, INPUT_TABLET, "Tablet");
	test->tablet.vendor = 0x56a;
	test->tablet.product = 0x26;
	test->tablet.bus = BUS_USB;
	test->tablet.path = strdup("/dev/input/event9");
	seat_add_device(test->fixture->server->seat, &test->tablet);
	input_device_init(&test->pad, INPUT_PAD, "Pad");
	test->parts = (struct input_pad){.n_buttons = 4,
		.n_rings = 1,
		.n_strips = 1,
		.n_dials = 1,
		.n_groups = 1,
		.groups = {{.buttons = 13, .rings = 1, .strips = 1, .dials = 1, .n_modes = 2}}};
	test->pad.pad = &test->parts;
	test->pad.path = strdup("/dev/input/event10");
	seat_add_device(test->fixture->server->seat, &test->pad);
	test->unplugged = false;
}

void unplug(struct test *test)
{
	if (!test->unplugged) {
		input_device_finish(&test->pad);
		input_device_finish(&test->tablet);
	}
	test->unplugged = true;
}

void bind_tablets(struct test *test, uint32_t version)
{
	test->manager = peer_bind(test->peer, &zwp_tablet_manager_v2_interface, version);
	test->seat = zwp_tablet_manager_v2_get_tablet_seat(test->manager, test->peer->seat);
	zwp_tablet_seat_v2_add_listener(test->seat, &seat_listener, test);
}

int setup(void **state)
{
	struct test *test = calloc(1, sizeof(*test));
	test->fixture = fixture_create(NULL);
	headless_add_input(test->fixture->server->backend, INPUT_KEYBOARD, "keyboard");
	test->pen = (struct input_tool){.type = BTN_TOOL_PEN,
		.serial = UINT64_C(0x100000002),
		.hardware_id = 0x802,
		.axes = INPUT_TILT | INPUT_PRESSURE};
	wl_signal_init(&test->pen.events.destroy);
	test->eraser = (struct input_tool){.type = BTN_TOOL_RUBBER};
	wl_signal_init(&test->eraser.events.destroy);
	test->notes.fixture = test->fixture;
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff336699);
	plug_in(test);
	*state = test;
	return 0;
}

int teardown(void **state)
{
	struct test *test = *state;
	signal_emit(&test->pen.events.destroy, &test->pen);
	signal_emit(&test->eraser.events.destroy, &test->eraser);
	unplug(test);
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

void emit(struct test *test, struct input_tool_event event, double x, double y)
{
	event.time = INT64_C(7000000);
	event.tool = event.tool ? event.tool : &test->pen;
	event.x = x / WIDTH;
	event.y = y / HEIGHT;
	signal_emit(&test->tablet.events.tool, &event);
	fixture_pump(test->fixture);
}

void act(struct test *test, enum input_tool_action action, double x, double y)
{
	emit(test, (struct input_tool_event){.action = action}, x, y);
}

void come_in(struct test *test)
{
	bind_tablets(test, 0);
	fixture_pump(test->fixture);
	act(test, INPUT_TOOL_IN, 10, 20);
	forget(test);
}
