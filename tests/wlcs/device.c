/* SPDX-License-Identifier: MIT */
/* The pointer and the touch screen that wlcs controls: input devices of the headless backend. */

#include "backend/headless.h"
#include "module.h"
#include "scene/output.h"
#include "util/clock.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>

/** An input device, and a command to run on the server's thread. */
struct device {
	WlcsPointer pointer;
	WlcsTouch touch;
	struct module *module;
	struct input_device *device;
	int32_t id; /* of the touch point */
	bool down; /* the touch point is down */
};

enum action {
	MOVE_ABSOLUTE,
	MOVE_RELATIVE,
	BUTTON,
	TOUCH_DOWN,
	TOUCH_MOVE,
	TOUCH_UP,
};

struct event {
	struct device *device;
	enum action action;
	double x, y;
	uint32_t button;
	bool pressed;
};

/** Positions are fractions of the whole layout, 0..1. */
static void to_layout(struct module *module, double *x, double *y)
{
	struct box layout = scene_layout_box(module->server->scene);
	*x = (*x - layout.x) / layout.width;
	*y = (*y - layout.y) / layout.height;
}

static void emit_pointer(struct module *module, const struct event *event, int64_t now)
{
	struct input_device *device = event->device->device;
	double x = event->x, y = event->y;
	if (event->action == MOVE_ABSOLUTE) {
		to_layout(module, &x, &y);
		struct input_motion_absolute_event motion = {.time = now, .x = x, .y = y};
		signal_emit(&device->events.motion_absolute, &motion);
	} else if (event->action == MOVE_RELATIVE) {
		struct input_motion_event motion = {
			.time = now, .dx = x, .dy = y, .dx_unaccel = x, .dy_unaccel = y};
		signal_emit(&device->events.motion, &motion);
	} else {
		struct input_button_event button = {
			.time = now, .button = event->button, .pressed = event->pressed};
		signal_emit(&device->events.button, &button);
	}
	signal_emit(&device->events.frame, NULL);
}

static void emit_touch(struct module *module, const struct event *event, int64_t now)
{
	struct input_device *device = event->device->device;
	struct input_touch_event touch = {
		.time = now, .id = event->device->id, .x = event->x, .y = event->y};
	to_layout(module, &touch.x, &touch.y);
	struct wl_signal *signal = event->action == TOUCH_DOWN   ? &device->events.touch_down
				   : event->action == TOUCH_MOVE ? &device->events.touch_motion
								 : &device->events.touch_up;
	event->device->down = event->action != TOUCH_UP;
	signal_emit(signal, &touch);
	signal_emit(&device->events.touch_frame, NULL);
}

static void emit(struct module *module, void *data)
{
	const struct event *event = data;
	int64_t now = clock_now(module->server->clock);
	if (event->action >= TOUCH_DOWN) {
		emit_touch(module, event, now);
	} else {
		emit_pointer(module, event, now);
	}
}

static void send(struct device *device, struct event event)
{
	event.device = device;
	module_call(device->module, emit, &event);
}

static struct device *from_pointer(WlcsPointer *pointer)
{
	struct device *device = wl_container_of(pointer, device, pointer);
	return device;
}

static struct device *from_touch(WlcsTouch *touch)
{
	struct device *device = wl_container_of(touch, device, touch);
	return device;
}

static void move_absolute(WlcsPointer *pointer, wl_fixed_t x, wl_fixed_t y)
{
	send(from_pointer(pointer), (struct event){.action = MOVE_ABSOLUTE,
					    .x = wl_fixed_to_double(x),
					    .y = wl_fixed_to_double(y)});
}

static void move_relative(WlcsPointer *pointer, wl_fixed_t dx, wl_fixed_t dy)
{
	send(from_pointer(pointer), (struct event){.action = MOVE_RELATIVE,
					    .x = wl_fixed_to_double(dx),
					    .y = wl_fixed_to_double(dy)});
}

static void button_up(WlcsPointer *pointer, int button)
{
	send(from_pointer(pointer), (struct event){.action = BUTTON, .button = (uint32_t)button});
}

static void button_down(WlcsPointer *pointer, int button)
{
	send(from_pointer(pointer),
		(struct event){.action = BUTTON, .button = (uint32_t)button, .pressed = true});
}

/* The header says wl_fixed_t, but wlcs up to 1.5 passes whole pixels. */
static void touch_down(WlcsTouch *touch, wl_fixed_t x, wl_fixed_t y)
{
	send(from_touch(touch), (struct event){.action = TOUCH_DOWN, .x = x, .y = y});
}

static void touch_move(WlcsTouch *touch, wl_fixed_t x, wl_fixed_t y)
{
	send(from_touch(touch), (struct event){.action = TOUCH_MOVE, .x = x, .y = y});
}

static void touch_up(WlcsTouch *touch)
{
	send(from_touch(touch), (struct event){.action = TOUCH_UP});
}

static void remove_device(struct module *module, void *data)
{
	headless_remove_input(data);
}

static void destroy(struct device *device)
{
	module_call(device->module, remove_device, device->device);
	free(device);
}

static void destroy_pointer(WlcsPointer *pointer)
{
	destroy(from_pointer(pointer));
}

/*
 * wlcs clients cannot handle touch cancel, which would be sent if the output went during a touch.
 */
static void destroy_touch(WlcsTouch *touch)
{
	if (from_touch(touch)->down) {
		touch_up(touch);
	}
	destroy(from_touch(touch));
}

static void add_pointer(struct module *module, void *data)
{
	struct device *device = data;
	device->device = headless_add_input(module->server->backend, INPUT_POINTER, "wlcs pointer");
}

static void add_touch(struct module *module, void *data)
{
	struct device *device = data;
	device->device = headless_add_input(module->server->backend, INPUT_TOUCH, "wlcs touch");
	device->id = module->n_touches++;
}

static struct device *create(
	WlcsDisplayServer *base, void (*add)(struct module *module, void *data))
{
	struct device *device = xcalloc(1, sizeof(*device));
	device->module = wl_container_of(base, device->module, base);
	module_call(device->module, add, device);
	return device;
}

WlcsPointer *module_create_pointer(WlcsDisplayServer *base)
{
	struct device *device = create(base, add_pointer);
	device->pointer = (WlcsPointer){
		.version = WLCS_POINTER_VERSION,
		.move_absolute = move_absolute,
		.move_relative = move_relative,
		.button_up = button_up,
		.button_down = button_down,
		.destroy = destroy_pointer,
	};
	return &device->pointer;
}

WlcsTouch *module_create_touch(WlcsDisplayServer *base)
{
	struct device *device = create(base, add_touch);
	device->touch = (WlcsTouch){
		.version = WLCS_TOUCH_VERSION,
		.touch_down = touch_down,
		.touch_move = touch_move,
		.touch_up = touch_up,
		.destroy = destroy_touch,
	};
	return &device->touch;
}
