/* SPDX-License-Identifier: MIT */
/*
 * Tablets of a seat: focus of tools and pads, and pointer emulation for clients without tablet
 * support.
 */

#include "harness/seat.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>
#include <stdio.h>
#include <string.h>

static struct input_device tablet;
static struct input_tool pen;

/* The sink: client 0 supports tablets, client 1 does not. */

static bool is_knower(struct seat *seat, const struct surface *surface)
{
	struct seat_fixture *fixture = seat->sink_data;
	return surface->client == &fixture->clients[0];
}

static bool supports_tool(struct seat_tool *tool, struct surface *surface)
{
	return is_knower(tool->seat, surface);
}

static bool supports_pad(struct seat_pad *pad, struct surface *surface)
{
	return is_knower(pad->seat, surface);
}

static void tablet_added(struct seat_tablet *added)
{
	tell(added->seat, "+%s; ", added->device->name);
}

static void tablet_removed(struct seat_tablet *removed)
{
	tell(removed->seat, "-%s; ", removed->device->name);
}

static void tool_added(struct seat_tool *tool)
{
	tell(tool->seat, "+tool; ");
}

static void tool_removed(struct seat_tool *tool)
{
	tell(tool->seat, "-tool; ");
}

static void pad_added(struct seat_pad *pad)
{
	tell(pad->seat, "+%s; ", pad->device->name);
}

static void pad_removed(struct seat_pad *pad)
{
	tell(pad->seat, "-%s; ", pad->device->name);
}

static void tool_in(struct seat_tool *tool, struct surface *surface)
{
	tell(tool->seat, "in %s; ", name(surface));
}

static void tool_out(struct seat_tool *tool, struct surface *surface)
{
	tell(tool->seat, "out %s; ", name(surface));
}

static void tool_motion(struct seat_tool *tool, struct surface *surface, struct coord_surface at)
{
	tell(tool->seat, "at %s %g %g; ", name(surface), at.x, at.y);
}

static void tool_axes(
	struct seat_tool *tool, struct surface *surface, const struct input_tool_event *event)
{
	tell(tool->seat, "axes %s %x; ", name(surface), event->changed);
}

static uint32_t next_serial(struct seat *seat)
{
	struct seat_fixture *fixture = seat->sink_data;
	return ++fixture->serial;
}

static uint32_t tool_down(struct seat_tool *tool, struct surface *surface)
{
	tell(tool->seat, "tip %s; ", name(surface));
	return next_serial(tool->seat);
}

static uint32_t tool_button(
	struct seat_tool *tool, struct surface *surface, uint32_t button, bool pressed)
{
	tell(tool->seat, "%s %s %x; ", pressed ? "push" : "free", name(surface), button);
	return next_serial(tool->seat);
}

static void tool_up(struct seat_tool *tool, struct surface *surface)
{
	tell(tool->seat, "untip %s; ", name(surface));
}

static void tool_frame(struct seat_tool *tool, struct surface *surface, int64_t time)
{
	tell(tool->seat, "/ ");
}

static void pad_enter(struct seat_pad *pad, struct surface *surface)
{
	tell(pad->seat, "%s enters %s with %s; ", pad->device->name, name(surface),
		pad->tablet->device->name);
}

static void pad_leave(struct seat_pad *pad, struct surface *surface)
{
	tell(pad->seat, "%s leaves %s; ", pad->device->name, name(surface));
}

static void pad_mode(struct seat_pad *pad, struct surface *surface, int group, int64_t time)
{
	tell(pad->seat, "mode %d of %d; ", (int)pad->device->pad->groups[group].mode, group);
}

static void pad_event(
	struct seat_pad *pad, struct surface *surface, const struct input_pad_event *event)
{
	tell(pad->seat, "pad %d %u on %s; ", event->part, event->number, name(surface));
}

static const struct seat_tablet_sink_impl sink = {
	.supports_tool = supports_tool,
	.supports_pad = supports_pad,
	.tablet_added = tablet_added,
	.tablet_removed = tablet_removed,
	.tool_added = tool_added,
	.tool_removed = tool_removed,
	.pad_added = pad_added,
	.pad_removed = pad_removed,
	.tool_in = tool_in,
	.tool_out = tool_out,
	.tool_motion = tool_motion,
	.tool_axes = tool_axes,
	.tool_down = tool_down,
	.tool_button = tool_button,
	.tool_up = tool_up,
	.tool_frame = tool_frame,
	.pad_enter = pad_enter,
	.pad_leave = pad_leave,
	.pad_mode = pad_mode,
	.pad_event = pad_event,
};

/* A at 100,100 and C at 300,100 support tablets, B at 200,100 does not; each is 50x50. */
static int setup(void **state)
{
	seat_setup(state);
	struct seat_fixture *fixture = *state;
	seat_set_tablet_sink(fixture->seat, &sink, NULL);
	input_device_init(&tablet, INPUT_TABLET, "tablet");
	seat_add_device(fixture->seat, &tablet);
	pen = (struct input_tool){.type = BTN_TOOL_PEN};
	wl_signal_init(&pen.events.destroy);
	show(fixture, 0, 0, 100, 100, 50, 50);
	show(fixture, 1, 1, 200, 100, 50, 50);
	show(fixture, 2, 0, 300, 100, 50, 50);
	move_to(fixture, 10, 10);
	forget(fixture);
	return 0;
}

static int teardown(void **state)
{
	signal_emit(&pen.events.destroy, &pen);
	input_device_finish(&tablet);
	return seat_teardown(state);
}

static void act_button(
	enum input_tool_action action, double x, double y, uint32_t button, bool pressed)
{
	struct input_tool_event event = {.tool = &pen,
		.action = action,
		.x = x / (2 * OUTPUT_WIDTH),
		.y = y / OUTPUT_HEIGHT,
		.button = button,
		.pressed = pressed};
	signal_emit(&tablet.events.tool, &event);
}

static void act(enum input_tool_action action, double x, double y)
{
	act_button(action, x, y, 0, false);
}

static void tool_focus_follows_the_tool(void **state)
{
	struct seat_fixture *fixture = *state;
	assert_false(seat_has_focus(fixture->seat, &fixture->clients[0]));
	act(INPUT_TOOL_IN, 110, 110);
	heard(fixture, "+tool; in A; at A 10 10; / ");
	assert_true(seat_has_focus(fixture->seat, &fixture->clients[0]));
	/* The pointer's cursor is hidden until the pointer moves. */
	assert_false(fixture->seat->cursor.visible);
	move_by(fixture, 1, 0);
	move_by(fixture, -1, 0);
	assert_true(fixture->seat->cursor.visible);
	act(INPUT_TOOL_AXIS, 120, 110);
	heard(fixture, "at A 20 10; / ");
	struct input_tool_event press = {.tool = &pen,
		.action = INPUT_TOOL_AXIS,
		.x = 120. / (2 * OUTPUT_WIDTH),
		.y = 110. / OUTPUT_HEIGHT,
		.changed = INPUT_PRESSURE};
	signal_emit(&tablet.events.tool, &press);
	heard(fixture, "axes A 2; / ");
	act(INPUT_TOOL_DOWN, 120, 110);
	heard(fixture, "tip A; / ");
	/* The surface keeps the tool's focus until the tip is up. */
	act(INPUT_TOOL_AXIS, 310, 110);
	act(INPUT_TOOL_UP, 310, 110);
	heard(fixture, "at A 210 10; / untip A; / out A; / in C; at C 10 10; / ");
	act_button(INPUT_TOOL_BUTTON, 310, 110, BTN_STYLUS, true);
	act_button(INPUT_TOOL_BUTTON, 310, 110, BTN_STYLUS, true);
	heard(fixture, "push C 14b; / / ");
	act_button(INPUT_TOOL_BUTTON, 310, 110, BTN_STYLUS, false);
	act(INPUT_TOOL_OUT, 310, 110);
	heard(fixture, "free C 14b; / out C; / ");
	/* The pointer has not moved. */
	assert_true(fixture->seat->pointer.at.x == 10);
	act(INPUT_TOOL_IN, 310, 110);
	heard(fixture, "in C; at C 10 10; / ");
}

static void tool_moves_the_pointer_for_other_clients(void **state)
{
	struct seat_fixture *fixture = *state;
	act(INPUT_TOOL_IN, 210, 110);
	heard(fixture, "+tool; enter B 10 10; frame B; ");
	act(INPUT_TOOL_DOWN, 211, 110);
	act(INPUT_TOOL_AXIS, 110, 110);
	act(INPUT_TOOL_UP, 110, 110);
	heard(fixture, "motion B 11 10; frame B; press B 110; frame B; motion B -90 10; frame B; "
		       "release B 110; frame B; leave B; frame B; enter A 10 10; frame A; "
		       "in A; at A 10 10; / ");
	act(INPUT_TOOL_AXIS, 210, 110);
	act_button(INPUT_TOOL_BUTTON, 210, 110, BTN_STYLUS, true);
	heard(fixture, "out A; / leave A; frame A; enter B 10 10; frame B; press B 111; frame B; ");
	act(INPUT_TOOL_OUT, 210, 110);
	heard(fixture, "release B 111; frame B; ");
	assert_int_equal(fixture->seat->pointer.n_buttons, 0);
}

static struct pointer_grab grab;
static int n_grab_buttons;
static struct coord_global grab_at;

static void grab_motion(struct pointer_grab *self, int64_t time)
{
	grab_at = self->seat->pointer.at;
}

static void grab_button(struct pointer_grab *self, const struct input_button_event *event)
{
	n_grab_buttons++;
	if (!event->pressed) {
		pointer_end_grab(self->seat);
	}
}

static void grab_end(struct pointer_grab *self)
{
}

static const struct pointer_grab_impl grab_impl = {
	.motion = grab_motion,
	.button = grab_button,
	.end = grab_end,
};

static void take_press(struct wl_listener *listener, void *data)
{
	struct seat_press *press = data;
	grab.impl = &grab_impl;
	pointer_start_grab(grab.seat, &grab);
	press->consumed = true;
}

/* The shell consumes the press, as for moving a window with the pen. */
static void consumed_press_reaches_no_client(void **state)
{
	struct seat_fixture *fixture = *state;
	struct wl_listener listener = {.notify = take_press};
	act(INPUT_TOOL_IN, 110, 110);
	wl_signal_add(&fixture->seat->events.press, &listener);
	grab.seat = fixture->seat;
	n_grab_buttons = 0;
	forget(fixture);
	act(INPUT_TOOL_DOWN, 110, 110);
	heard(fixture, "out A; / ");
	act(INPUT_TOOL_AXIS, 150, 120);
	assert_true(grab_at.x == 150 && grab_at.y == 120);
	wl_list_remove(&listener.link);
	act(INPUT_TOOL_UP, 140, 120);
	assert_int_equal(n_grab_buttons, 1);
	assert_null(fixture->seat->pointer.grab);
	heard(fixture, "enter A 40 20; frame A; in A; at A 40 20; / ");
}

/* A client requests an interactive move with the serial of the tip's press. */
static void press_serial_starts_a_pointer_grab(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	act(INPUT_TOOL_IN, 110, 110);
	act(INPUT_TOOL_DOWN, 110, 110);
	forget(fixture);
	assert_true(seat_validate_serial(seat, fixture->serial));
	assert_false(seat_claim_press(seat, fixture->serial + 1, fixture->surfaces[0]));
	assert_false(seat_claim_press(seat, fixture->serial, fixture->surfaces[1]));
	heard(fixture, "");
	assert_true(seat_claim_press(seat, fixture->serial, fixture->surfaces[0]));
	heard(fixture, "untip A; out A; / ");
	assert_true(seat->pointer.at.x == 110 && seat->pointer.n_buttons == 1);
	assert_false(seat_claim_press(seat, fixture->serial, fixture->surfaces[0]));
	act(INPUT_TOOL_UP, 110, 110);
	assert_int_equal(seat->pointer.n_buttons, 0);
}

static void destroyed_focus_drops_the_stroke(void **state)
{
	struct seat_fixture *fixture = *state;
	act(INPUT_TOOL_IN, 110, 110);
	act(INPUT_TOOL_DOWN, 110, 110);
	forget(fixture);
	surface_unmap(fixture->surfaces[0]);
	heard(fixture, "untip A; out A; / ");
	/* The remaining events of the stroke are dropped. */
	act(INPUT_TOOL_AXIS, 310, 110);
	act_button(INPUT_TOOL_BUTTON, 310, 110, BTN_STYLUS, true);
	heard(fixture, "");
	act_button(INPUT_TOOL_BUTTON, 310, 110, BTN_STYLUS, false);
	act(INPUT_TOOL_UP, 310, 110);
	heard(fixture, "in C; at C 10 10; / ");
	destroy_surface(fixture, 2);
	heard(fixture, "out C; / ");
	act(INPUT_TOOL_AXIS, 310, 110);
	act(INPUT_TOOL_OUT, 310, 110);
	heard(fixture, "");
}

static void moved_window_gets_the_focus(void **state)
{
	struct seat_fixture *fixture = *state;
	act(INPUT_TOOL_IN, 110, 110);
	forget(fixture);
	move_surface(fixture, 2, 90, 90);
	heard(fixture, "out A; / in C; at C 20 20; / ");
	move_surface(fixture, 2, 300, 100);
	heard(fixture, "out C; / in A; at A 10 10; / ");
	move_surface(fixture, 0, 500, 100);
	heard(fixture, "out A; / ");
}

static void interruption_lifts_the_tool(void **state)
{
	struct seat_fixture *fixture = *state;
	act(INPUT_TOOL_IN, 110, 110);
	act(INPUT_TOOL_DOWN, 110, 110);
	act_button(INPUT_TOOL_BUTTON, 110, 110, BTN_STYLUS2, true);
	forget(fixture);
	seat_interrupt(fixture->seat);
	heard(fixture, "free A 14c; untip A; out A; / ");
	act(INPUT_TOOL_AXIS, 120, 110);
	heard(fixture, "");
	act_button(INPUT_TOOL_BUTTON, 120, 110, BTN_STYLUS2, false);
	act(INPUT_TOOL_UP, 120, 110);
	heard(fixture, "in A; at A 20 10; / ");
}

static void removed_tablet_removes_its_tools(void **state)
{
	struct seat_fixture *fixture = *state;
	act(INPUT_TOOL_IN, 110, 110);
	act(INPUT_TOOL_DOWN, 110, 110);
	forget(fixture);
	input_device_finish(&tablet);
	heard(fixture, "untip A; out A; / -tablet; ");
	input_device_init(&tablet, INPUT_TABLET, "tablet");
	seat_add_device(fixture->seat, &tablet);
	act(INPUT_TOOL_IN, 110, 110);
	heard(fixture, "+tablet; in A; at A 10 10; / ");
	signal_emit(&pen.events.destroy, &pen);
	heard(fixture, "out A; / -tool; ");
	/* During pointer emulation. */
	act(INPUT_TOOL_IN, 210, 110);
	act(INPUT_TOOL_DOWN, 210, 110);
	forget(fixture);
	input_device_finish(&tablet);
	heard(fixture, "release B 110; frame B; -tablet; ");
	input_device_init(&tablet, INPUT_TABLET, "tablet");
}

static void tablet_is_mapped_to_its_output(void **state)
{
	struct seat_fixture *fixture = *state;
	input_device_set_output(&tablet, "RIGHT");
	show(fixture, 3, 0, 1100, 100, 50, 50);
	act(INPUT_TOOL_IN, 210, 110);
	heard(fixture, "+tool; in D; at D 5 10; / ");
}

static void pads_follow_the_keyboard_focus(void **state)
{
	struct seat_fixture *fixture = *state;
	struct seat *seat = fixture->seat;
	struct input_pad parts = {.n_buttons = 2, .n_groups = 1, .groups = {{.n_modes = 2}}};
	struct input_device pad, other;
	int hardware;
	input_device_init(&other, INPUT_TABLET, "other");
	other.group = &hardware;
	seat_add_device(seat, &other);
	input_device_init(&pad, INPUT_PAD, "pad");
	pad.pad = &parts;
	pad.group = &hardware;
	seat_add_device(seat, &pad);
	heard(fixture, "+other; +pad; ");
	keyboard_set_focus(seat, fixture->surfaces[0]);
	heard(fixture, "pad enters A with other; keys A []; mods A 0 0; ");
	struct input_pad_event event = {.part = INPUT_PAD_BUTTON, .number = 1, .pressed = true};
	signal_emit(&pad.events.pad, &event);
	event.mode = 1;
	signal_emit(&pad.events.pad, &event);
	heard(fixture, "pad 0 1 on A; mode 1 of 0; pad 0 1 on A; ");
	keyboard_set_focus(seat, fixture->surfaces[1]);
	heard(fixture, "nokeys A; pad leaves A; keys B []; mods B 0 0; ");
	signal_emit(&pad.events.pad, &event);
	heard(fixture, "");
	/* A pad without its own tablet is paired with the remaining one. */
	keyboard_set_focus(seat, fixture->surfaces[2]);
	forget(fixture);
	input_device_finish(&other);
	heard(fixture, "pad leaves C; -other; pad enters C with tablet; ");
	destroy_surface(fixture, 2);
	heard(fixture, "nokeys C; pad leaves C; ");
	keyboard_set_focus(seat, fixture->surfaces[0]);
	forget(fixture);
	input_device_finish(&pad);
	heard(fixture, "pad leaves A; -pad; ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(tool_focus_follows_the_tool),
		TEST(tool_moves_the_pointer_for_other_clients),
		TEST(consumed_press_reaches_no_client),
		TEST(press_serial_starts_a_pointer_grab),
		TEST(destroyed_focus_drops_the_stroke),
		TEST(moved_window_gets_the_focus),
		TEST(interruption_lifts_the_tool),
		TEST(removed_tablet_removes_its_tools),
		TEST(tablet_is_mapped_to_its_output),
		TEST(pads_follow_the_keyboard_focus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
