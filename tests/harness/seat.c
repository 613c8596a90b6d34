/* SPDX-License-Identifier: MIT */
/* Seats for tests: outputs, devices, surfaces, and a sink that records events. */

#include "harness/seat.h"
#include "buffer/allocator.h"
#include "util/signal.h"
#include <drm_fourcc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sink. */

void tell(struct seat *seat, const char *format, ...)
{
	struct seat_fixture *fixture = seat->sink_data;
	size_t length = strlen(fixture->log);
	va_list args;
	va_start(args, format);
	int n = vsnprintf(fixture->log + length, sizeof(fixture->log) - length, format, args);
	va_end(args);
	assert_true(n >= 0 && length + (size_t)n < sizeof(fixture->log));
}

const char *name(const struct surface *surface)
{
	return surface->data;
}

static uint32_t next_serial(struct seat *seat)
{
	struct seat_fixture *fixture = seat->sink_data;
	return ++fixture->serial;
}

static void pointer_enter(struct seat *seat, struct surface *surface, struct coord_surface at)
{
	tell(seat, "enter %s %g %g; ", name(surface), at.x, at.y);
}

static void pointer_leave(struct seat *seat, struct surface *surface)
{
	tell(seat, "leave %s; ", name(surface));
}

static void pointer_motion(
	struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at)
{
	tell(seat, "motion %s %g %g; ", name(surface), at.x, at.y);
}

static uint32_t pointer_button(
	struct seat *seat, struct surface *surface, const struct input_button_event *event)
{
	tell(seat, "%s %s %x; ", event->pressed ? "press" : "release", name(surface),
		event->button);
	return next_serial(seat);
}

static void pointer_axis(
	struct seat *seat, struct surface *surface, const struct input_axis_event *event)
{
	tell(seat, "axis %s %g; ", name(surface), event->value);
}

static void pointer_frame(struct seat *seat, struct surface *surface)
{
	tell(seat, "frame %s; ", name(surface));
}

static void sink_gesture(
	struct seat *seat, struct surface *surface, const struct input_gesture_event *event)
{
	static const char *const gestures[] = {"swipe", "pinch", "hold"};
	const char *gesture = gestures[event->gesture];
	switch (event->phase) {
	case INPUT_BEGIN: tell(seat, "%s %s %u; ", gesture, name(surface), event->fingers); break;
	case INPUT_UPDATE:
		tell(seat, "%s %s by %g %g; ", gesture, name(surface), event->dx, event->dy);
		break;
	case INPUT_END:
		tell(seat, "%s %s %s; ", gesture, name(surface),
			event->cancelled ? "cancelled" : "ends");
		break;
	}
}

static void keyboard_enter(struct seat *seat, struct surface *surface)
{
	tell(seat, "keys %s [", name(surface));
	for (int i = 0; i < seat->keyboard.n_keys; i++) {
		tell(seat, i ? " %u" : "%u", seat->keyboard.keys[i]);
	}
	tell(seat, "]; ");
}

static void keyboard_leave(struct seat *seat, struct surface *surface)
{
	tell(seat, "nokeys %s; ", name(surface));
}

static uint32_t keyboard_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	tell(seat, "%s %s %u; ", event->pressed ? "down" : "up", name(surface), event->key);
	return next_serial(seat);
}

static void keyboard_modifiers(struct seat *seat, struct surface *surface)
{
	tell(seat, "mods %s %x %x; ", name(surface), seat->keyboard.modifiers.depressed,
		seat->keyboard.modifiers.locked);
}

static bool key_pass(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	tell(seat, "pass %s %s %u; ", event->pressed ? "down" : "up", surface ? name(surface) : "X",
		event->key);
	return true;
}

static uint32_t sink_touch_down(struct seat *seat, struct surface *surface, int64_t time,
	int32_t id, struct coord_surface at)
{
	tell(seat, "touch %s %d %g %g; ", name(surface), id, at.x, at.y);
	return next_serial(seat);
}

static uint32_t sink_touch_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id)
{
	tell(seat, "lift %s %d; ", name(surface), id);
	return next_serial(seat);
}

static void sink_touch_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
	tell(seat, "slide %s %d %g %g; ", name(surface), id, at.x, at.y);
}

static void sink_touch_frame(struct seat *seat, struct surface *surface)
{
	tell(seat, "tframe %s; ", name(surface));
}

static void sink_touch_cancel(struct seat *seat, struct surface *surface)
{
	tell(seat, "cancel %s; ", name(surface));
}

static void keymap(struct seat *seat)
{
	tell(seat, "keymap; ");
}

static void repeat(struct seat *seat)
{
	tell(seat, "repeat %d %d; ", seat->keyboard.repeat_rate, seat->keyboard.repeat_delay);
}

static void capabilities(struct seat *seat)
{
	tell(seat, "capabilities %u; ", seat->capabilities);
}

static const struct seat_sink_impl sink = {
	.pointer_enter = pointer_enter,
	.pointer_leave = pointer_leave,
	.pointer_motion = pointer_motion,
	.pointer_button = pointer_button,
	.pointer_axis = pointer_axis,
	.pointer_frame = pointer_frame,
	.gesture = sink_gesture,
	.keyboard_enter = keyboard_enter,
	.keyboard_leave = keyboard_leave,
	.keyboard_key = keyboard_key,
	.keyboard_modifiers = keyboard_modifiers,
	.key_pass = key_pass,
	.touch_down = sink_touch_down,
	.touch_up = sink_touch_up,
	.touch_motion = sink_touch_motion,
	.touch_frame = sink_touch_frame,
	.touch_cancel = sink_touch_cancel,
	.keymap = keymap,
	.repeat = repeat,
	.capabilities = capabilities,
};

void heard_at(struct seat_fixture *fixture, const char *expected, const char *file, int line)
{
	if (strcmp(fixture->log, expected) != 0) {
		print_error("expected \"%s\"\n   heard \"%s\"\n", expected, fixture->log);
		_fail(file, line);
	}
	forget(fixture);
}

void forget(struct seat_fixture *fixture)
{
	fixture->log[0] = '\0';
}

/* The fixture. */

int seat_setup(void **state)
{
	static const char *const names[] = {"LEFT", "RIGHT"};
	struct seat_fixture *fixture = calloc(1, sizeof(*fixture));
	/* No cursor theme, to be independent of the machine. */
	setenv("XCURSOR_PATH", "/nonexistent", 1);
	fixture->clock = clock_create_test(INT64_C(1000000000));
	fixture->loop = wl_event_loop_create();
	fixture->scene = scene_create();
	for (int i = 0; i < 2; i++) {
		struct output *output = &fixture->outputs[i];
		output_init(output, &dark_output_impl, names[i]);
		output->enabled = true;
		output->mode = (struct output_mode){OUTPUT_WIDTH, OUTPUT_HEIGHT, 60000, true};
		fixture->shown[i] = scene_output_create(fixture->scene, output);
		scene_output_set_position(fixture->shown[i], i * OUTPUT_WIDTH, 0);
	}
	fixture->seat = seat_create("test", fixture->scene, fixture->clock, &sink, fixture);
	input_device_init(&fixture->pointer, INPUT_POINTER, "pointer");
	input_device_init(&fixture->keyboard, INPUT_KEYBOARD, "keyboard");
	input_device_init(&fixture->touch, INPUT_TOUCH, "touch");
	seat_add_device(fixture->seat, &fixture->pointer);
	seat_add_device(fixture->seat, &fixture->keyboard);
	seat_add_device(fixture->seat, &fixture->touch);
	forget(fixture);
	*state = fixture;
	return 0;
}

int seat_teardown(void **state)
{
	struct seat_fixture *fixture = *state;
	for (int i = 0; i < SURFACES_MAX; i++) {
		destroy_surface(fixture, i);
	}
	input_device_finish(&fixture->pointer);
	input_device_finish(&fixture->keyboard);
	input_device_finish(&fixture->touch);
	seat_destroy(fixture->seat);
	for (int i = 0; i < 2; i++) {
		scene_output_destroy(fixture->shown[i]);
		output_finish(&fixture->outputs[i]);
	}
	scene_destroy(fixture->scene);
	clock_destroy(fixture->clock);
	wl_event_loop_destroy(fixture->loop);
	free(fixture);
	return 0;
}

struct surface *show(
	struct seat_fixture *fixture, int index, int client, int x, int y, int width, int height)
{
	static char names[SURFACES_MAX][2] = {"A", "B", "C", "D"};
	struct surface *surface = surface_create(fixture->loop, &fixture->clients[client]);
	surface->data = names[index];
	struct buffer *buffer = memory_buffer_create(width, height, DRM_FORMAT_XRGB8888);
	buffer_replace(&surface->pending.buffer, buffer);
	surface->pending.fields |= SURFACE_BUFFER;
	derive_and_commit(surface);
	buffer_drop(buffer);
	fixture->surfaces[index] = surface;
	fixture->trees[index] = scene_surface_tree_create(&fixture->scene->root, surface);
	scene_node_set_position(&fixture->trees[index]->node, x, y);
	surface_map(surface);
	update(fixture);
	return surface;
}

void destroy_surface(struct seat_fixture *fixture, int index)
{
	struct surface *surface = fixture->surfaces[index];
	fixture->surfaces[index] = NULL;
	fixture->trees[index] = NULL;
	if (surface) {
		surface_destroy(surface);
	}
}

void move_surface(struct seat_fixture *fixture, int index, int x, int y)
{
	scene_node_set_position(&fixture->trees[index]->node, x, y);
	update(fixture);
}

void update(struct seat_fixture *fixture)
{
	scene_update(fixture->scene);
}

/* Devices. */

static void pointer_device_frame(struct seat_fixture *fixture)
{
	signal_emit(&fixture->pointer.events.frame, NULL);
}

void move_to(struct seat_fixture *fixture, double x, double y)
{
	struct input_motion_absolute_event event = {.time = clock_now(fixture->clock),
		.x = x / (2 * OUTPUT_WIDTH),
		.y = y / OUTPUT_HEIGHT};
	signal_emit(&fixture->pointer.events.motion_absolute, &event);
	pointer_device_frame(fixture);
}

void move_by(struct seat_fixture *fixture, double dx, double dy)
{
	struct input_motion_event event = {.time = clock_now(fixture->clock),
		.dx = dx,
		.dy = dy,
		.dx_unaccel = dx,
		.dy_unaccel = dy};
	signal_emit(&fixture->pointer.events.motion, &event);
	pointer_device_frame(fixture);
}

static void button(struct seat_fixture *fixture, uint32_t button, bool pressed)
{
	struct input_button_event event = {clock_now(fixture->clock), button, pressed};
	signal_emit(&fixture->pointer.events.button, &event);
	pointer_device_frame(fixture);
}

void press(struct seat_fixture *fixture, uint32_t code)
{
	button(fixture, code, true);
}

void release(struct seat_fixture *fixture, uint32_t code)
{
	button(fixture, code, false);
}

void key(struct input_device *device, uint32_t code, bool pressed)
{
	struct input_key_event event = {INT64_C(1000000000), code, pressed};
	signal_emit(&device->events.key, &event);
}

static struct input_touch_event touch_event(int32_t id, double x, double y)
{
	return (struct input_touch_event){.time = INT64_C(1000000000),
		.id = id,
		.x = x / (2 * OUTPUT_WIDTH),
		.y = y / OUTPUT_HEIGHT};
}

void touch_down(struct input_device *device, int32_t id, double x, double y)
{
	struct input_touch_event event = touch_event(id, x, y);
	signal_emit(&device->events.touch_down, &event);
}

void touch_motion(struct input_device *device, int32_t id, double x, double y)
{
	struct input_touch_event event = touch_event(id, x, y);
	signal_emit(&device->events.touch_motion, &event);
}

void touch_up(struct input_device *device, int32_t id)
{
	struct input_touch_event event = touch_event(id, 0, 0);
	signal_emit(&device->events.touch_up, &event);
}

void touch_frame(struct input_device *device)
{
	signal_emit(&device->events.touch_frame, NULL);
}
