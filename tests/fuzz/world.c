/* SPDX-License-Identifier: MIT */
/* Environment of hostile clients: input, output changes and lost renderers. */

#include "fuzz/world.h"
#include "content/device.h"
#include "render/render.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/clock.h"
#include "util/signal.h"
#include <linux/input-event-codes.h>

#define OUTPUTS_MAX 3

struct server *world_server(const struct world *world)
{
	return world->fixture->server;
}

static double fraction(struct world *world)
{
	return random_between(&world->random, 0, 1000) / 1000.0;
}

static const uint32_t keys[] = {KEY_A, KEY_ENTER, KEY_LEFTSHIFT, KEY_LEFTALT, KEY_ESC, KEY_TAB,
	KEY_LEFTMETA, KEY_H, KEY_M, KEY_F, KEY_2, KEY_1, KEY_LEFT, KEY_Q};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static void inject_key(struct world *world, int64_t now)
{
	struct input_key_event event = {now, keys[random_between(&world->random, 0, N_KEYS - 1)],
		random_chance(&world->random, 50)};
	wl_signal_emit(&world->devices[INPUT_KEYBOARD]->events.key, &event);
}

static void inject_pointer(struct world *world, int64_t now)
{
	struct input_device *device = world->devices[INPUT_POINTER];
	struct input_motion_absolute_event at = {
		.time = now, .x = fraction(world), .y = fraction(world)};
	struct input_motion_event by = {.time = now,
		.dx = random_between(&world->random, -200, 200),
		.dy = random_between(&world->random, -200, 200)};
	struct input_button_event button = {now,
		random_chance(&world->random, 80) ? BTN_LEFT : BTN_RIGHT,
		random_chance(&world->random, 55)};
	struct input_axis_event axis = {
		.time = now, .value = random_between(&world->random, -15, 15)};
	struct input_gesture_event gesture = {.time = now,
		.gesture = (enum input_gesture)random_between(&world->random, 0, 2),
		.phase = (enum input_phase)random_between(&world->random, 0, 2),
		.fingers = 3,
		.scale = 1};
	switch (random_between(&world->random, 0, 6)) {
	case 6: wl_signal_emit(&device->events.gesture, &gesture); break;
	case 0: wl_signal_emit(&device->events.motion, &by); break;
	case 1: wl_signal_emit(&device->events.axis, &axis); break;
	case 2: wl_signal_emit(&device->events.motion_absolute, &at); break;
	default: wl_signal_emit(&device->events.button, &button); break;
	}
	wl_signal_emit(&device->events.frame, NULL);
}

static void inject_touch(struct world *world, int64_t now)
{
	struct input_device *device = world->devices[INPUT_TOUCH];
	struct input_touch_event event = {.time = now,
		.id = random_between(&world->random, 0, 2),
		.x = fraction(world),
		.y = fraction(world)};
	switch (random_between(&world->random, 0, 6)) {
	case 0:
	case 1: wl_signal_emit(&device->events.touch_down, &event); break;
	case 2:
	case 3: wl_signal_emit(&device->events.touch_motion, &event); break;
	case 4: wl_signal_emit(&device->events.touch_up, &event); break;
	case 5: wl_signal_emit(&device->events.touch_cancel, &event); break;
	default: break;
	}
	wl_signal_emit(&device->events.touch_frame, NULL);
}

static void inject_tablet(struct world *world, int64_t now)
{
	struct input_tool_event event = {.time = now,
		.tool = &world->tool,
		.action = (enum input_tool_action)random_between(&world->random, 0, 5),
		.x = fraction(world),
		.y = fraction(world),
		.changed = random_next(&world->random) & world->tool.axes,
		.pressure = fraction(world),
		.button = BTN_STYLUS,
		.pressed = random_chance(&world->random, 50)};
	struct input_pad_event turn = {.time = now,
		.part = (enum input_pad_part)random_between(&world->random, 0, 3),
		.position = fraction(world),
		.mode = (uint32_t)random_between(&world->random, 0, 1)};
	if (random_chance(&world->random, 80)) {
		signal_emit(&world->devices[INPUT_TABLET]->events.tool, &event);
	} else {
		signal_emit(&world->pad.events.pad, &turn);
	}
}

static void add_pad(struct world *world)
{
	world->parts = (struct input_pad){.n_buttons = 1,
		.n_rings = 1,
		.n_strips = 1,
		.n_dials = 1,
		.n_groups = 1,
		.groups = {{.buttons = 1, .rings = 1, .strips = 1, .dials = 1, .n_modes = 2}}};
	input_device_init(&world->pad, INPUT_PAD, "pad");
	world->pad.pad = &world->parts;
	seat_add_device(world_server(world)->seat, &world->pad);
}

/** Returns a random output, or NULL. */
static struct scene_output *pick_output(struct world *world, int *n)
{
	struct scene_output *picked = NULL;
	*n = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct scene_output *output = world_server(world)->scene->outputs[i];
		if (output && random_between(&world->random, 0, (*n)++) == 0) {
			picked = output;
		}
	}
	return picked;
}

static void add_output(struct world *world)
{
	headless_add_output(world_server(world)->backend, world->width, world->height, 60000);
}

static void change_outputs(struct world *world)
{
	int n;
	struct scene_output *output = pick_output(world, &n);
	world->changed = true;
	if (output && random_chance(&world->random, 50)) {
		headless_remove_output(output->output);
	} else if (n < OUTPUTS_MAX) {
		add_output(world);
	}
}

static void replug(struct world *world)
{
	static const char *const names[] = {"keyboard", "pointer", "touch", "tablet"};
	int type = random_between(&world->random, 0, 3);
	headless_remove_input(world->devices[type]);
	world->devices[type] = headless_add_input(
		world_server(world)->backend, (enum input_type)type, names[type]);
}

static void lose_renderer(struct world *world)
{
	struct renderer *renderer = world_server(world)->device->renderer;
	if (renderer && renderer->impl->lose) {
		renderer->impl->lose(renderer);
	}
}

void world_happen(struct world *world)
{
	int64_t now = clock_now(world->fixture->clock);
	int die = random_between(&world->random, 0, 999);
	if (die < 80) {
		inject_key(world, now);
	} else if (die < 250) {
		inject_pointer(world, now);
	} else if (die < 320) {
		inject_touch(world, now);
	} else if (die < 400) {
		inject_tablet(world, now);
	} else if (die < 405) {
		change_outputs(world);
	} else if (die < 408) {
		replug(world);
	} else if (die < 411) {
		lose_renderer(world);
	} else if (die < 416) {
		fixture_sleep(world->fixture, world->nap);
	} else if (die < 520) {
		fixture_frames(world->fixture, 1);
	} else {
		fixture_pump(world->fixture);
	}
}

void world_calm_down(struct world *world)
{
	int64_t now = clock_now(world->fixture->clock);
	struct input_device *pointer = world->devices[INPUT_POINTER];
	for (uint32_t code = BTN_LEFT; code <= BTN_RIGHT; code++) {
		wl_signal_emit(
			&pointer->events.button, &((struct input_button_event){now, code, false}));
	}
	wl_signal_emit(&pointer->events.frame, NULL);
	/* The window switcher ends with its keys. */
	for (size_t i = 0; i < N_KEYS; i++) {
		wl_signal_emit(&world->devices[INPUT_KEYBOARD]->events.key,
			&((struct input_key_event){now, keys[i], false}));
	}
	wl_signal_emit(&world->devices[INPUT_TOUCH]->events.touch_cancel,
		&((struct input_touch_event){.time = now}));
	signal_emit(&world->devices[INPUT_TABLET]->events.tool,
		&((struct input_tool_event){
			.time = now, .tool = &world->tool, .action = INPUT_TOOL_OUT}));
	/* Like a lock client that ends without unlocking. */
	shell_unlock(world_server(world)->shell);
	/* Replace all outputs by one of known position and size. */
	struct scene_output *output;
	int n;
	while ((output = pick_output(world, &n))) {
		headless_remove_output(output->output);
	}
	fixture_frames(world->fixture, 1);
	add_output(world);
	world->changed = false;
	fixture_frames(world->fixture, 2);
	/* Into the corner, where the cursor covers no pixel that is checked. */
	struct input_motion_absolute_event corner = {.time = now, .x = 0.999, .y = 0.999};
	wl_signal_emit(&pointer->events.motion_absolute, &corner);
	wl_signal_emit(&pointer->events.frame, NULL);
}

void world_init(struct world *world)
{
	struct backend *backend = world_server(world)->backend;
	world->devices[INPUT_KEYBOARD] = headless_add_input(backend, INPUT_KEYBOARD, "keyboard");
	world->devices[INPUT_POINTER] = headless_add_input(backend, INPUT_POINTER, "pointer");
	world->devices[INPUT_TOUCH] = headless_add_input(backend, INPUT_TOUCH, "touch");
	world->devices[INPUT_TABLET] = headless_add_input(backend, INPUT_TABLET, "tablet");
	world->tool = (struct input_tool){.type = BTN_TOOL_PEN, .axes = 63};
	wl_signal_init(&world->tool.events.destroy);
	add_pad(world);
}

void world_finish(struct world *world)
{
	input_device_finish(&world->pad);
	signal_emit(&world->tool.events.destroy, &world->tool);
	fixture_destroy(world->fixture);
}
