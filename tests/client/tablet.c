/* zwp_tablet_v2: what clients hear of tablets, tools and pads, their cursors, and what they may not do. */

#include "backend/headless.h"
#include "backend/input_tablet.h"
#include "cursor-shape-v1-client-protocol.h"
#include "harness/peer.h"
#include "tablet-v2-client-protocol.h"
#include "util/signal.h"
#include <linux/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 320
#define HEIGHT 240

struct test {
	struct fixture *fixture;
	struct input_device tablet, pad;
	bool unplugged;
	struct input_pad parts;
	struct input_tool pen, eraser;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	struct zwp_tablet_manager_v2 *manager;
	struct zwp_tablet_seat_v2 *seat;
	/** The last of each kind that was announced. */
	struct zwp_tablet_v2 *tablet_object;
	struct zwp_tablet_tool_v2 *tool_object;
	struct zwp_tablet_pad_v2 *pad_object;
	struct zwp_tablet_pad_group_v2 *group_object;
	struct zwp_tablet_pad_ring_v2 *ring_object;
	struct zwp_tablet_pad_strip_v2 *strip_object;
	struct zwp_tablet_pad_dial_v2 *dial_object;
	uint32_t serial, mode_serial;
	char log[4096];
};

__attribute__((format(printf, 2, 3))) static void note(struct test *test, const char *format, ...)
{
	size_t length = strlen(test->log);
	va_list args;
	va_start(args, format);
	vsnprintf(test->log + length, sizeof(test->log) - length, format, args);
	va_end(args);
}

static void heard_at(struct test *test, const char *expected, int line)
{
	fixture_pump(test->fixture);
	if (strcmp(test->log, expected) != 0) {
		print_error("expected \"%s\"\n   heard \"%s\"\n", expected, test->log);
		_fail(__FILE__, line);
	}
	test->log[0] = '\0';
}

#define heard(test, expected) heard_at(test, expected, __LINE__)

static void forget(struct test *test)
{
	fixture_pump(test->fixture);
	test->log[0] = '\0';
}

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

static const struct zwp_tablet_seat_v2_listener seat_listener = {
	.tablet_added = handle_tablet_added,
	.tool_added = handle_tool_added,
	.pad_added = handle_pad_added,
};

/* Fixture */

static void plug_in(struct test *test)
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

static void unplug(struct test *test)
{
	if (!test->unplugged) {
		input_device_finish(&test->pad);
		input_device_finish(&test->tablet);
	}
	test->unplugged = true;
}

static void bind(struct test *test, uint32_t version)
{
	test->manager = peer_bind(test->peer, &zwp_tablet_manager_v2_interface, version);
	test->seat = zwp_tablet_manager_v2_get_tablet_seat(test->manager, test->peer->seat);
	zwp_tablet_seat_v2_add_listener(test->seat, &seat_listener, test);
}

static int setup(void **state)
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
	test->peer = peer_create(test->fixture);
	test->window = peer_window_create(test->peer, 0, 0, 100, 100, 0xff336699);
	plug_in(test);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct test *test = *state;
	signal_emit(&test->pen.events.destroy, &test->pen);
	signal_emit(&test->eraser.events.destroy, &test->eraser);
	unplug(test);
	fixture_destroy(test->fixture);
	free(test);
	return 0;
}

static void emit(struct test *test, struct input_tool_event event, double x, double y)
{
	event.time = INT64_C(7000000);
	event.tool = event.tool ? event.tool : &test->pen;
	event.x = x / WIDTH;
	event.y = y / HEIGHT;
	signal_emit(&test->tablet.events.tool, &event);
	fixture_pump(test->fixture);
}

static void act(struct test *test, enum input_tool_action action, double x, double y)
{
	emit(test, (struct input_tool_event){.action = action}, x, y);
}

/* The pen over the window, and the client has heard of it. */
static void come_in(struct test *test)
{
	bind(test, 0);
	fixture_pump(test->fixture);
	act(test, INPUT_TOOL_IN, 10, 20);
	forget(test);
}

static void test_announcement(void **state)
{
	struct test *test = *state;
	bind(test, 0);
	assert_int_equal(zwp_tablet_manager_v2_get_version(test->manager), 2);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; enter; mode 0; ");
	act(test, INPUT_TOOL_IN, 10, 20);
	heard(test, "tool; type 140; serial 1 2; wacom 0 802; can 1; can 2; done; in; at 10 20; "
		    "/ ");
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 10, 20);
	heard(test, "tool; type 141; done; in; at 10 20; / ");
	/* Who comes late hears the same. */
	act(test, INPUT_TOOL_OUT, 10, 20);
	forget(test);
	struct zwp_tablet_seat_v2 *second =
		zwp_tablet_manager_v2_get_tablet_seat(test->manager, test->peer->seat);
	zwp_tablet_seat_v2_add_listener(second, &seat_listener, test);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "tool; type 140; serial 1 2; wacom 0 802; can 1; can 2; done; "
		    "tool; type 141; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; ");
}

static void test_version_1(void **state)
{
	struct test *test = *state;
	bind(test, 1);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "modes 2; done; done; enter; mode 0; ");
}

static void test_events(void **state)
{
	struct test *test = *state;
	come_in(test);
	emit(test,
		(struct input_tool_event){.action = INPUT_TOOL_AXIS,
			.changed = INPUT_TILT | INPUT_PRESSURE | INPUT_DISTANCE | INPUT_ROTATION |
				   INPUT_SLIDER | INPUT_WHEEL,
			.tilt_x = -30,
			.tilt_y = 12.5,
			.pressure = 0.5,
			.distance = 2,
			.rotation = 90,
			.slider = -1,
			.wheel = 15,
			.wheel_clicks = 1},
		11, 20);
	heard(test, "at 11 20; pressure 32768; distance 65535; tilt -30 12.5; rotation 90; "
		    "slider -65535; wheel 15 1; / ");
	act(test, INPUT_TOOL_DOWN, 11, 20);
	emit(test,
		(struct input_tool_event){
			.action = INPUT_TOOL_BUTTON, .button = BTN_STYLUS, .pressed = true},
		11, 20);
	heard(test, "down; / press 14b; / ");
	act(test, INPUT_TOOL_OUT, 11, 20);
	heard(test, "release 14b; up; out; / ");
}

static void test_pad(void **state)
{
	struct test *test = *state;
	bind(test, 0);
	forget(test);
	struct input_pad_event event = {.part = INPUT_PAD_BUTTON, .number = 2, .pressed = true};
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_RING, .finger = true, .position = 45};
	signal_emit(&test->pad.events.pad, &event);
	event.position = -1;
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_STRIP, .position = 0.5};
	signal_emit(&test->pad.events.pad, &event);
	event.position = -1;
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_DIAL, .value120 = -30};
	signal_emit(&test->pad.events.pad, &event);
	event = (struct input_pad_event){.part = INPUT_PAD_BUTTON, .mode = 1};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "press 2; source 1; angle 45; / source 1; stop; / position 32768; / stop; / "
		    "delta -30; / mode 1; release 0; ");
	/* Whatever it says things do, with whatever serial. */
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 2, "Undo", test->mode_serial);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 1, "reserved", test->mode_serial);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 4000000000, "none", 0);
	zwp_tablet_pad_ring_v2_set_feedback(test->ring_object, "Zoom", test->mode_serial);
	zwp_tablet_pad_strip_v2_set_feedback(test->strip_object, "Scroll", 1);
	zwp_tablet_pad_dial_v2_set_feedback(test->dial_object, "Turn", test->mode_serial);
	assert_true(peer_alive(test->peer));
	/* Parts that it destroyed are not heard of; nor is anything of a pad that it destroyed. */
	zwp_tablet_pad_dial_v2_destroy(test->dial_object);
	zwp_tablet_pad_group_v2_destroy(test->group_object);
	fixture_pump(test->fixture);
	event = (struct input_pad_event){.part = INPUT_PAD_DIAL, .value120 = 120};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "");
	zwp_tablet_pad_v2_destroy(test->pad_object);
	fixture_pump(test->fixture);
	event = (struct input_pad_event){.part = INPUT_PAD_RING, .position = 1};
	signal_emit(&test->pad.events.pad, &event);
	zwp_tablet_pad_ring_v2_set_feedback(test->ring_object, "Zoom", test->mode_serial);
	zwp_tablet_pad_ring_v2_destroy(test->ring_object);
	zwp_tablet_pad_strip_v2_destroy(test->strip_object);
	heard(test, "");
	assert_true(peer_alive(test->peer));
}

static void test_unplug(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	forget(test);
	unplug(test);
	heard(test, "leave; pad goes; up; out; / tablet goes; ");
	signal_emit(&test->pen.events.destroy, &test->pen);
	heard(test, "tool goes; ");
	/* What is left is of no harm. */
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	zwp_tablet_pad_v2_set_feedback(test->pad_object, 0, "x", test->mode_serial);
	assert_true(peer_alive(test->peer));
	plug_in(test);
	heard(test, "tablet; name Tablet; id 56a:26; path /dev/input/event9; bus 3; done; "
		    "pad; path /dev/input/event10; 4 buttons; group; buttons 0 2 3; ring; strip; "
		    "dial; modes 2; done; done; enter; mode 0; ");
	zwp_tablet_tool_v2_destroy(test->tool_object);
	assert_true(peer_alive(test->peer));
}

/* Without its tablet or tool object, the client hears of a pointer. */
static void test_destroyed_objects(void **state)
{
	struct test *test = *state;
	struct seat *seat = test->fixture->server->seat;
	come_in(test);
	zwp_tablet_v2_destroy(test->tablet_object);
	fixture_pump(test->fixture);
	act(test, INPUT_TOOL_AXIS, 12, 20);
	heard(test, "out; / ");
	assert_ptr_equal(seat->pointer.focus, peer_surface_find(test->peer, test->window->surface));
	assert_true(seat->pointer.at.x == 12);
	zwp_tablet_tool_v2_destroy(test->tool_object);
	zwp_tablet_seat_v2_destroy(test->seat);
	zwp_tablet_manager_v2_destroy(test->manager);
	fixture_pump(test->fixture);
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 14, 20);
	act(test, INPUT_TOOL_OUT, 14, 20);
	heard(test, "");
	assert_true(peer_alive(test->peer));
}

static struct seat_tool *seat_tool(struct test *test)
{
	struct seat_tablets *tablets = &test->fixture->server->seat->tablets;
	return wl_container_of(tablets->tools.next, (struct seat_tool *)NULL, link);
}

static void test_cursor(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct cursor *cursor = &seat_tool(test)->cursor;
	assert_true(cursor->visible);
	assert_string_equal(cursor->shape, "default");
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	/* Not the serial of the tool's coming in. */
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial + 1, surface, 1, 1);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 1, 2);
	fixture_pump(test->fixture);
	assert_non_null(cursor->surface);
	assert_int_equal(cursor->hotspot_y, 2);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 3, 3);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, NULL, 0, 0);
	fixture_pump(test->fixture);
	assert_null(cursor->surface);
	assert_null(cursor->shape);

	struct wp_cursor_shape_manager_v1 *shapes =
		peer_bind(test->peer, &wp_cursor_shape_manager_v1_interface, 0);
	struct wp_cursor_shape_device_v1 *shape =
		wp_cursor_shape_manager_v1_get_tablet_tool_v2(shapes, test->tool_object);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial + 1, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_null(cursor->shape);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_TEXT);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	/* The pointer's own is another. */
	assert_string_equal(test->fixture->server->seat->cursor.shape, "default");
	/* Gone out, it has no say. */
	act(test, INPUT_TOOL_OUT, 10, 20);
	assert_false(cursor->visible);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	zwp_tablet_tool_v2_destroy(test->tool_object);
	wp_cursor_shape_device_v1_set_shape(
		shape, test->serial, WP_CURSOR_SHAPE_DEVICE_V1_SHAPE_MOVE);
	fixture_pump(test->fixture);
	assert_string_equal(cursor->shape, "text");
	assert_true(peer_alive(test->peer));
}

static void test_cursor_of_window(void **state)
{
	struct test *test = *state;
	come_in(test);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, test->window->surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

static void test_cursor_of_pointer(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct wl_pointer *pointer = wl_seat_get_pointer(test->peer->seat);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	wl_pointer_set_cursor(pointer, 0, surface, 0, 0);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

static void test_pointer_with_cursor_of_tool(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct wl_pointer *pointer = wl_seat_get_pointer(test->peer->seat);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(test->tool_object, test->serial, surface, 0, 0);
	wl_pointer_set_cursor(pointer, 0, surface, 0, 0);
	peer_expect_error(test->peer, &wl_pointer_interface, WL_POINTER_ERROR_ROLE);
}

static void test_cursor_of_other_tool(void **state)
{
	struct test *test = *state;
	come_in(test);
	struct zwp_tablet_tool_v2 *first = test->tool_object;
	emit(test, (struct input_tool_event){.tool = &test->eraser}, 14, 20);
	struct wl_surface *surface = wl_compositor_create_surface(test->peer->compositor);
	zwp_tablet_tool_v2_set_cursor(first, 0, surface, 0, 0);
	assert_true(peer_alive(test->peer));
	zwp_tablet_tool_v2_set_cursor(test->tool_object, 0, surface, 0, 0);
	peer_expect_error(test->peer, &zwp_tablet_tool_v2_interface, ZWP_TABLET_TOOL_V2_ERROR_ROLE);
}

/* Its window is moved by the pen, as by a mouse. */
static void test_move(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	uint32_t serial = seat_tool(test)->press_serial;
	xdg_toplevel_move(test->window->toplevel, test->peer->seat, serial);
	heard(test, "down; / up; out; / ");
	act(test, INPUT_TOOL_AXIS, 40, 25);
	struct window *window = peer_window_find(test->window);
	assert_int_equal(window->x, 30);
	assert_int_equal(window->y, 5);
	act(test, INPUT_TOOL_UP, 40, 25);
	act(test, INPUT_TOOL_AXIS, 60, 25);
	assert_int_equal(window->x, 30);
	heard(test, "in; at 10 20; / at 30 20; / ");
}

static void test_locked(void **state)
{
	struct test *test = *state;
	struct shell *shell = test->fixture->server->shell;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	forget(test);
	shell_lock(shell);
	heard(test, "up; out; / leave; ");
	act(test, INPUT_TOOL_AXIS, 30, 20);
	act(test, INPUT_TOOL_UP, 30, 20);
	act(test, INPUT_TOOL_DOWN, 30, 20);
	act(test, INPUT_TOOL_OUT, 30, 20);
	act(test, INPUT_TOOL_IN, 30, 20);
	struct input_pad_event event = {.part = INPUT_PAD_BUTTON, .mode = 1};
	signal_emit(&test->pad.events.pad, &event);
	heard(test, "");
	assert_null(test->fixture->server->seat->pointer.focus);
	shell_unlock(shell);
	act(test, INPUT_TOOL_AXIS, 31, 20);
	heard(test, "enter; mode 1; in; at 31 20; / ");
}

static void test_crash(void **state)
{
	struct test *test = *state;
	come_in(test);
	act(test, INPUT_TOOL_DOWN, 10, 20);
	peer_destroy(test->peer);
	act(test, INPUT_TOOL_AXIS, 12, 20);
	act(test, INPUT_TOOL_UP, 12, 20);
	assert_null(seat_tool(test)->focus);
	struct peer *other = peer_create(test->fixture);
	assert_true(peer_alive(other));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_announcement),
		TEST(test_version_1),
		TEST(test_events),
		TEST(test_pad),
		TEST(test_unplug),
		TEST(test_destroyed_objects),
		TEST(test_cursor),
		TEST(test_cursor_of_window),
		TEST(test_cursor_of_pointer),
		TEST(test_pointer_with_cursor_of_tool),
		TEST(test_cursor_of_other_tool),
		TEST(test_move),
		TEST(test_locked),
		TEST(test_crash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
