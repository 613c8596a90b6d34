/* SPDX-License-Identifier: MIT */
/* Shells for tests: outputs, devices, and windows of cooperative clients. */

#include "harness/shell.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plug_at(struct shell_fixture *fixture, int index, const struct box *box)
{
	static const char *const names[OUTPUTS] = {"LEFT", "RIGHT", "THIRD"};
	struct test_output *output = &fixture->outputs[index];
	output_init(&output->output, &dark_output_impl, output->name ? output->name : names[index]);
	output->output.serial = output->serial ? xstrdup(output->serial) : NULL;
	output->output.enabled = true;
	output->output.mode = (struct output_mode){box->width, box->height, 60000, true};
	output->shown = scene_output_create(fixture->scene, &output->output);
	scene_output_set_position(output->shown, box->x, box->y);
}

void plug(struct shell_fixture *fixture, int index, int x)
{
	plug_at(fixture, index, &(struct box){x, 0, 1000, 600});
}

void unplug(struct shell_fixture *fixture, int index)
{
	struct test_output *output = &fixture->outputs[index];
	scene_output_destroy(output->shown);
	output->shown = NULL;
	output_finish(&output->output);
}

/* A sink that drops all events. */

static void enter_pointer(struct seat *seat, struct surface *surface, struct coord_surface at)
{
}

static void on_surface(struct seat *seat, struct surface *surface)
{
}

static void move_pointer(
	struct seat *seat, struct surface *surface, int64_t time, struct coord_surface at)
{
}

static uint32_t press_button(
	struct seat *seat, struct surface *surface, const struct input_button_event *event)
{
	return 1;
}

static void turn_axis(
	struct seat *seat, struct surface *surface, const struct input_axis_event *event)
{
}

static void do_gesture(
	struct seat *seat, struct surface *surface, const struct input_gesture_event *event)
{
}

static uint32_t press_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	return 1;
}

static uint32_t touch_down(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
	return 1;
}

static uint32_t touch_up(struct seat *seat, struct surface *surface, int64_t time, int32_t id)
{
	return 1;
}

static void touch_motion(struct seat *seat, struct surface *surface, int64_t time, int32_t id,
	struct coord_surface at)
{
}

static bool pass_key(
	struct seat *seat, struct surface *surface, const struct input_key_event *event)
{
	return false;
}

static void on_seat(struct seat *seat)
{
}

static const struct seat_sink_impl sink = {
	.keymap = on_seat,
	.repeat = on_seat,
	.capabilities = on_seat,
	.pointer_enter = enter_pointer,
	.pointer_leave = on_surface,
	.pointer_motion = move_pointer,
	.pointer_button = press_button,
	.pointer_axis = turn_axis,
	.pointer_frame = on_surface,
	.gesture = do_gesture,
	.keyboard_enter = on_surface,
	.keyboard_leave = on_surface,
	.keyboard_key = press_key,
	.keyboard_modifiers = on_surface,
	.key_pass = pass_key,
	.touch_down = touch_down,
	.touch_up = touch_up,
	.touch_motion = touch_motion,
	.touch_frame = on_surface,
	.touch_cancel = on_surface,
};

/* Windows. */

static uint32_t configure(struct window *window, const struct window_configure *configure)
{
	struct test_window *self = window->data;
	self->configure = *configure;
	self->n_configures++;
	return ++self->serial;
}

static void close_window(struct window *window)
{
}

static void dismiss_popups(struct window *window)
{
	struct test_window *self = window->data;
	self->n_dismissed++;
}

static void count_move(struct window *window)
{
	struct test_window *self = window->data;
	self->n_moved++;
}

static void round_size(const struct window *window, int32_t *width, int32_t *height)
{
	const struct test_window *self = window->data;
	if (self->increment > 0) {
		*width -= *width % self->increment;
		*height -= *height % self->increment;
	}
}

static const struct window_impl window_impl = {
	.configure = configure,
	.close = close_window,
	.dismiss_popups = dismiss_popups,
	.moved = count_move,
	.constrain = round_size,
};

void make(struct shell_fixture *fixture, int index)
{
	struct test_window *self = &fixture->windows[index];
	self->surface = surface_create(NULL, NULL);
	self->window = window_create(fixture->shell, self->surface, &window_impl, self);
}

void draw(struct test_window *self, int width, int height)
{
	struct surface_state *state = &self->surface->current;
	state->has_content = true;
	state->width = width;
	state->height = height;
	window_applied(self->window, &(struct box){0, 0, width, height}, self->serial);
}

void obey(struct test_window *self)
{
	struct box now = window_box(self->window);
	draw(self, self->configure.width ? self->configure.width : now.width,
		self->configure.height ? self->configure.height : now.height);
}

struct window *map(struct shell_fixture *fixture, int index, int width, int height)
{
	struct test_window *self = &fixture->windows[index];
	if (!self->window) {
		make(fixture, index);
	}
	window_initial_commit(self->window);
	draw(self, width, height);
	surface_map(self->surface);
	window_map(self->window);
	return self->window;
}

void unmap(struct shell_fixture *fixture, int index)
{
	struct test_window *self = &fixture->windows[index];
	window_unmap(self->window);
	surface_unmap(self->surface);
}

static void destroy(struct test_window *self)
{
	if (self->window) {
		window_unmap(self->window);
		surface_unmap(self->surface);
		window_destroy(self->window);
		surface_destroy(self->surface);
	}
}

bool is_above(const struct window *a, const struct window *b)
{
	struct scene_node *node;
	assert_ptr_equal(a->tree->node.parent, b->tree->node.parent);
	wl_list_for_each (node, &a->tree->node.parent->children, link) {
		if (node == &a->tree->node) {
			return false;
		}
		if (node == &b->tree->node) {
			return true;
		}
	}
	return false;
}

void assert_box(const struct window *window, int x, int y, int width, int height)
{
	struct box box = window_box(window), expected = {x, y, width, height};
	if (!box_equal(&box, &expected)) {
		fail_msg("%d,%d %dx%d instead of %d,%d %dx%d", box.x, box.y, box.width, box.height,
			x, y, width, height);
	}
}

void move_to(struct shell_fixture *fixture, double x, double y)
{
	struct box layout = scene_layout_box(fixture->scene);
	struct input_motion_absolute_event event = {
		.x = (x - layout.x) / layout.width, .y = (y - layout.y) / layout.height};
	signal_emit(&fixture->pointer.events.motion_absolute, &event);
	signal_emit(&fixture->pointer.events.frame, NULL);
}

void button(struct shell_fixture *fixture, uint32_t code, bool pressed)
{
	struct input_button_event event = {.button = code, .pressed = pressed};
	signal_emit(&fixture->pointer.events.button, &event);
	signal_emit(&fixture->pointer.events.frame, NULL);
}

void key(struct shell_fixture *fixture, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	signal_emit(&fixture->keyboard.events.key, &event);
}

void press(struct shell_fixture *fixture, uint32_t code)
{
	key(fixture, code, true);
	key(fixture, code, false);
}

void configure_shell(struct shell_fixture *fixture, const char *text)
{
	char *error = NULL;
	FILE *stream = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	struct config *config = config_parse("test.ini", stream, &error);
	fclose(stream);
	if (!config) {
		fail_msg("%s", error);
	}
	shell_set_config(fixture->shell, config);
}

int workspace(struct shell_fixture *fixture)
{
	return shell_workspace(fixture->shell)->number;
}

/* The fixture. */

int set_up_shell(void **state)
{
	static const struct shell_host host = {0};
	struct shell_fixture *fixture = calloc(1, sizeof(*fixture));
	fixture->clock = clock_create_test(1000000000);
	fixture->scene = scene_create();
	fixture->seat = seat_create("test", fixture->scene, fixture->clock, &sink, NULL);
	fixture->shell = shell_create(
		fixture->scene, fixture->seat, fixture->clock, &host, config_create_default());
	input_device_init(&fixture->pointer, INPUT_POINTER, "pointer");
	input_device_init(&fixture->keyboard, INPUT_KEYBOARD, "keyboard");
	seat_add_device(fixture->seat, &fixture->pointer);
	seat_add_device(fixture->seat, &fixture->keyboard);
	plug(fixture, 0, 0);
	move_to(fixture, 5, 5);
	*state = fixture;
	return 0;
}

int tear_down_shell(void **state)
{
	struct shell_fixture *fixture = *state;
	for (int i = 0; i < WINDOWS; i++) {
		destroy(&fixture->windows[i]);
	}
	for (int i = 0; i < OUTPUTS; i++) {
		if (fixture->outputs[i].shown) {
			unplug(fixture, i);
		}
	}
	input_device_finish(&fixture->pointer);
	input_device_finish(&fixture->keyboard);
	shell_destroy(fixture->shell);
	seat_destroy(fixture->seat);
	scene_destroy(fixture->scene);
	clock_destroy(fixture->clock);
	free(fixture);
	return 0;
}

bool run(struct shell_fixture *fixture, const char *action, const char *argument)
{
	return shell_run_action(fixture->shell, action, argument);
}

int set_up_tiles(void **state)
{
	set_up_shell(state);
	struct shell_fixture *fixture = *state;
	workspace_set_layout(shell_workspace(fixture->shell), CONFIG_LAYOUT_COLUMNS);
	return 0;
}

void obey_all(struct shell_fixture *fixture, int64_t time)
{
	for (int i = 0; i < WINDOWS; i++) {
		if (fixture->windows[i].window && fixture->windows[i].window->mapped) {
			obey(&fixture->windows[i]);
		}
	}
	clock_advance(fixture->clock, time);
}

void settle_tiles(struct shell_fixture *fixture)
{
	for (int round = 0; round < 4; round++) {
		obey_all(fixture, 1);
	}
	assert_false(transaction_is_active(fixture->shell));
}

struct window *add_tile(struct shell_fixture *fixture, int index)
{
	struct window *window = map(fixture, index, 300, 200);
	settle_tiles(fixture);
	return window;
}
