/*
 * The shell with windows that answer as they are told: focus and its order, stacking, states, and
 * outputs that come and go.
 */

#include "unit.h"
#include "util/signal.h"

#include "seat/seat.h"
#include "shell/internal.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>
#include <stdlib.h>

#define WINDOWS 6

struct test_window {
	struct window *window;
	struct surface *surface;
	struct window_configure configure;
	uint32_t serial;
	int n_configures, n_dismissed;
};

struct test_output {
	struct output output;
	struct scene_output *shown;
};

struct fixture {
	struct clock *clock;
	struct scene *scene;
	struct seat *seat;
	struct shell *shell;
	struct input_device pointer, keyboard;
	struct test_output outputs[2];
	struct test_window windows[WINDOWS];
	uint32_t serial;
};

/* Outputs that show nothing */

static void destroy_output(struct output *output)
{
}

static bool take_state(struct output *output, const struct output_state *state)
{
	return true;
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = take_state,
	.commit = commit_state,
};

static void plug(struct fixture *fixture, int index, int x)
{
	static const char *const names[] = {"LEFT", "RIGHT"};
	struct test_output *output = &fixture->outputs[index];
	output_init(&output->output, &output_impl, names[index]);
	output->output.enabled = true;
	output->output.mode = (struct output_mode){1000, 600, 60000, true};
	output->shown = scene_output_create(fixture->scene, &output->output);
	scene_output_set_position(output->shown, x, 0);
}

static void unplug(struct fixture *fixture, int index)
{
	struct test_output *output = &fixture->outputs[index];
	scene_output_destroy(output->shown);
	output->shown = NULL;
	output_finish(&output->output);
}

/* Nobody listens to the seat */

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

static void on_seat(struct seat *seat)
{
}

static const struct seat_sink_impl sink = {
	.keymap = on_seat,
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
	.touch_down = touch_down,
	.touch_up = touch_up,
	.touch_motion = touch_motion,
	.touch_frame = on_surface,
	.touch_cancel = on_surface,
};

/* Windows */

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

static const struct window_impl window_impl = {
	.configure = configure,
	.close = close_window,
	.dismiss_popups = dismiss_popups,
};

static void make(struct fixture *fixture, int index)
{
	struct test_window *self = &fixture->windows[index];
	self->surface = surface_create(NULL, NULL);
	self->window = window_create(fixture->shell, self->surface, &window_impl, self);
}

/* The client draws itself in this size and answers all that it was told. */
static void draw(struct test_window *self, int width, int height)
{
	struct surface_state *state = &self->surface->current;
	state->has_content = true;
	state->width = width;
	state->height = height;
	window_applied(self->window, &(struct box){0, 0, width, height}, self->serial);
}

/* It does as it was told. */
static void obey(struct test_window *self)
{
	struct box now = window_box(self->window);
	draw(self, self->configure.width ? self->configure.width : now.width,
		self->configure.height ? self->configure.height : now.height);
}

static struct window *map(struct fixture *fixture, int index, int width, int height)
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

static void unmap(struct fixture *fixture, int index)
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

/* True if a lies above b. */
static bool is_above(const struct window *a, const struct window *b)
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

static void assert_box(const struct window *window, int x, int y, int width, int height)
{
	struct box box = window_box(window), expected = {x, y, width, height};
	if (!box_equal(&box, &expected)) {
		fail_msg("%d,%d %dx%d instead of %d,%d %dx%d", box.x, box.y, box.width, box.height,
			x, y, width, height);
	}
}

static void move_to(struct fixture *fixture, double x, double y)
{
	struct box layout = scene_layout_box(fixture->scene);
	struct input_motion_absolute_event event = {
		.x = (x - layout.x) / layout.width, .y = (y - layout.y) / layout.height};
	signal_emit(&fixture->pointer.events.motion_absolute, &event);
	signal_emit(&fixture->pointer.events.frame, NULL);
}

static void button(struct fixture *fixture, uint32_t code, bool pressed)
{
	struct input_button_event event = {.button = code, .pressed = pressed};
	signal_emit(&fixture->pointer.events.button, &event);
	signal_emit(&fixture->pointer.events.frame, NULL);
}

static void key(struct fixture *fixture, uint32_t code, bool pressed)
{
	struct input_key_event event = {.key = code, .pressed = pressed};
	signal_emit(&fixture->keyboard.events.key, &event);
}

/* Set up */

static int setup(void **state)
{
	static const struct shell_host host = {0};
	struct fixture *fixture = calloc(1, sizeof(*fixture));
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

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	for (int i = 0; i < WINDOWS; i++) {
		destroy(&fixture->windows[i]);
	}
	for (int i = 0; i < 2; i++) {
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

/* Tests */

static void test_focus_follows_use(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	struct window *c = map(fixture, 2, 100, 100);
	assert_ptr_equal(fixture->shell->focus, c);
	assert_ptr_equal(fixture->seat->keyboard.focus, c->surface);
	assert_true(fixture->windows[2].configure.states & WINDOW_ACTIVATED);
	assert_false(fixture->windows[1].configure.states & WINDOW_ACTIVATED);

	window_focus(a);
	assert_true(is_above(a, c) && is_above(c, b));
	unmap(fixture, 0);
	assert_ptr_equal(fixture->shell->focus, c);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, b);
	unmap(fixture, 1);
	assert_null(fixture->shell->focus);
	assert_null(fixture->seat->keyboard.focus);
}

static void test_click_focuses_and_raises(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	window_move_to(a, 100, 100);
	window_move_to(b, 150, 150);
	move_to(fixture, 110, 110);
	button(fixture, BTN_LEFT, true);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(is_above(a, b));
	button(fixture, BTN_LEFT, false);
}

static void test_transients(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	make(fixture, 2);
	window_set_parent(fixture->windows[2].window, a);
	struct window *dialog = map(fixture, 2, 100, 50);
	/* Over its parent, and above it whatever is raised. */
	assert_box(dialog, a->x + 100, a->y + 75, 100, 50);
	window_focus(b);
	assert_true(is_above(b, dialog) && is_above(dialog, a));
	window_focus(a);
	assert_true(is_above(dialog, a) && is_above(a, b));
	/* The focus goes back to the parent, not to what was used last. */
	window_focus(b);
	window_focus(dialog);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, a);

	map(fixture, 2, 100, 50);
	make(fixture, 3);
	window_set_parent(fixture->windows[3].window, dialog);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->windows[3].window->parent, dialog->parent);
}

static void test_maximise(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 70, 80);
	window_request_maximize(a, true);
	assert_int_equal(self->configure.width, 1000);
	assert_int_equal(self->configure.height, 600);
	assert_true(self->configure.states & WINDOW_MAXIMIZED);
	assert_box(a, 70, 80, 300, 200); /* until it has drawn itself */
	obey(self);
	assert_box(a, 0, 0, 1000, 600);

	window_request_fullscreen(a, true, NULL);
	obey(self);
	assert_ptr_equal(a->tree->node.parent, a->workspace->fullscreen_tree);
	window_request_fullscreen(a, false, NULL);
	assert_true(self->configure.states & WINDOW_MAXIMIZED);
	obey(self);
	assert_ptr_equal(a->tree->node.parent, a->workspace->tree);
	window_request_maximize(a, false);
	assert_int_equal(self->configure.width, 300);
	obey(self);
	assert_box(a, 70, 80, 300, 200);
}

static void test_tile(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 70, 80);
	assert_true(shell_run_action(fixture->shell, "tile-right", NULL));
	assert_int_equal(self->configure.states & WINDOW_TILED,
		WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
	obey(self);
	assert_box(a, 500, 0, 500, 600);
	assert_true(shell_run_action(fixture->shell, "tile-left", NULL));
	obey(self);
	assert_box(a, 0, 0, 500, 600);
	assert_true(shell_run_action(fixture->shell, "tile-left", NULL));
	obey(self);
	assert_box(a, 70, 80, 300, 200);
}

static void test_fullscreen_steps_back(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 100, 100);
	window_request_fullscreen(a, true, NULL);
	window_focus(a);
	assert_ptr_equal(a->tree->node.parent, a->workspace->fullscreen_tree);
	window_focus(b);
	assert_ptr_equal(a->tree->node.parent, b->tree->node.parent);
	assert_true(is_above(b, a));
}

/* A small window in the middle of the screen it fills, with nothing to be seen around it. */
static void test_fullscreen_smaller(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_fullscreen(a, true, NULL);
	draw(&fixture->windows[0], 800, 400);
	assert_box(a, 100, 100, 800, 400);
	assert_non_null(a->backdrop);
	assert_int_equal(a->backdrop->width, 1000);
	assert_int_equal(a->backdrop->height, 600);
	assert_int_equal(a->x + a->backdrop->node.x, 0);
	assert_int_equal(a->y + a->backdrop->node.y, 0);
	window_request_fullscreen(a, false, NULL);
	assert_null(a->backdrop);
}

static void test_minimise(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	window_request_minimize(b);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_true(fixture->windows[1].configure.states & WINDOW_SUSPENDED);
	assert_int_equal(fixture->windows[1].n_dismissed, 1);
	assert_false(b->tree->node.enabled);
	assert_true(shell_run_action(fixture->shell, "restore", NULL));
	assert_ptr_equal(fixture->shell->focus, b);
	assert_true(b->tree->node.enabled);
	assert_false(fixture->windows[1].configure.states & WINDOW_SUSPENDED);
}

static void test_workspaces(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	shell_switch_workspace(fixture->shell, 1);
	assert_null(fixture->shell->focus);
	assert_true(fixture->windows[0].configure.states & WINDOW_SUSPENDED);
	struct window *c = map(fixture, 2, 100, 100);
	assert_int_equal(c->workspace->index, 1);
	assert_true(shell_run_action(fixture->shell, "workspace", "1"));
	assert_ptr_equal(fixture->shell->focus, b);
	assert_false(fixture->windows[0].configure.states & WINDOW_SUSPENDED);

	assert_true(shell_run_action(fixture->shell, "move-to-workspace", "2"));
	assert_int_equal(b->workspace->index, 1);
	assert_ptr_equal(fixture->shell->focus, a);
	window_focus(b); /* goes where it is */
	assert_int_equal(fixture->shell->active_workspace, 1);
	assert_false(shell_run_action(fixture->shell, "workspace", "x"));
	assert_false(shell_run_action(fixture->shell, "no-such-action", NULL));

	/* Fewer workspaces: their windows join the last. */
	struct config *config = config_create_default();
	config->look.workspaces = 1;
	shell_set_config(fixture->shell, config);
	assert_int_equal(fixture->shell->active_workspace, 0);
	assert_int_equal(b->workspace->index, 0);
	assert_true(window_shown(a) && window_shown(b) && window_shown(c));
}

/* With the modifier held, the order stays as it was until it is let go. */
static void test_cycle(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 100, 100), *b = map(fixture, 1, 100, 100);
	struct window *c = map(fixture, 2, 100, 100);
	key(fixture, KEY_LEFTMETA, true);
	key(fixture, KEY_TAB, true);
	key(fixture, KEY_TAB, false);
	assert_ptr_equal(fixture->shell->focus, b);
	key(fixture, KEY_TAB, true);
	key(fixture, KEY_TAB, false);
	assert_ptr_equal(fixture->shell->focus, a);
	assert_non_null(fixture->shell->cycle);
	key(fixture, KEY_LEFTMETA, false);
	assert_null(fixture->shell->cycle);
	/* Used last: a, then c, then b. */
	key(fixture, KEY_LEFTMETA, true);
	key(fixture, KEY_TAB, true);
	key(fixture, KEY_TAB, false);
	key(fixture, KEY_LEFTMETA, false);
	assert_ptr_equal(fixture->shell->focus, c);
	unmap(fixture, 2);
	assert_ptr_equal(fixture->shell->focus, a);
	unmap(fixture, 0);
	assert_ptr_equal(fixture->shell->focus, b);
}

static void test_move(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_move_to(a, 100, 100);
	move_to(fixture, 150, 150);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_non_null(fixture->shell->grab);
	assert_null(fixture->seat->pointer.focus);
	move_to(fixture, 170, 140);
	assert_box(a, 120, 90, 300, 200);
	button(fixture, BTN_LEFT, false);
	assert_null(fixture->shell->grab);
	move_to(fixture, 300, 300);
	assert_box(a, 120, 90, 300, 200);
}

/* What is dragged off the maximised state keeps its place under the pointer. */
static void test_move_maximised(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);
	move_to(fixture, 500, 20);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_LEFT, true);
	assert_false(a->states & WINDOW_MAXIMIZED);
	obey(&fixture->windows[0]);
	assert_box(a, 350, 0, 300, 200);
	move_to(fixture, 510, 40);
	assert_box(a, 360, 20, 300, 200);
	button(fixture, BTN_LEFT, false);
}

static void test_resize_keeps_the_opposite_edges(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_move_to(a, 100, 100);
	move_to(fixture, 110, 110);
	key(fixture, KEY_LEFTMETA, true);
	button(fixture, BTN_RIGHT, true);
	assert_true(self->configure.states & WINDOW_RESIZING);
	move_to(fixture, 90, 130);
	assert_int_equal(self->configure.width, 320);
	assert_int_equal(self->configure.height, 180);
	assert_box(a, 100, 100, 300, 200);
	draw(self, 316, 184); /* as near as it can */
	assert_box(a, 84, 116, 316, 184);

	/* While it draws, motion adds up to one more configure. */
	move_to(fixture, 80, 140);
	int n = self->n_configures;
	move_to(fixture, 70, 150);
	move_to(fixture, 60, 160);
	assert_int_equal(self->n_configures, n);
	draw(self, 330, 170);
	assert_int_equal(self->n_configures, n + 1);
	assert_int_equal(self->configure.width, 350);
	assert_int_equal(self->configure.height, 150);
	button(fixture, BTN_RIGHT, false);
	assert_false(self->configure.states & WINDOW_RESIZING);
	obey(self);
	assert_box(a, 50, 150, 350, 150);
	/* What it does by itself later grows from its top left corner again. */
	draw(self, 100, 100);
	assert_box(a, 50, 150, 100, 100);
}

static void test_resize_limits(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	a->min_width = 250;
	a->max_height = 220;
	window_move_to(a, 100, 100);
	move_to(fixture, 390, 290);
	window_request_resize(a, fixture->seat, XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT, false, 0);
	move_to(fixture, 200, 500);
	assert_int_equal(fixture->windows[0].configure.width, 250);
	assert_int_equal(fixture->windows[0].configure.height, 220);
	pointer_end_grab(fixture->seat);
}

/* The window goes in the middle of it. */
static void test_close_while_moved(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	window_request_move(a, fixture->seat, false, 0);
	assert_non_null(fixture->shell->grab);
	unmap(fixture, 0);
	assert_null(fixture->shell->grab);
	assert_null(fixture->seat->pointer.grab);
}

static void test_frame(void **state)
{
	struct fixture *fixture = *state;
	struct window *a = map(fixture, 0, 300, 200);
	struct test_window *self = &fixture->windows[0];
	window_set_decorated(a, true);
	window_move_to(a, 100, 100);
	struct frame_extents frame = window_frame(a);
	assert_true(frame.top > frame.bottom);

	/* Its title moves it, a second press maximises it under the frame. */
	move_to(fixture, 200, 90);
	button(fixture, BTN_LEFT, true);
	move_to(fixture, 210, 90);
	button(fixture, BTN_LEFT, false);
	assert_box(a, 110, 100, 300, 200);
	button(fixture, BTN_LEFT, true);
	button(fixture, BTN_LEFT, false);
	obey(self);
	frame = window_frame(a);
	assert_int_equal(frame.left, 0);
	assert_box(a, 0, frame.top, 1000, 600 - frame.top);
	window_request_maximize(a, false);
	obey(self);
	assert_box(a, 110, 100, 300, 200);

	/* Its edges resize. */
	frame = window_frame(a);
	move_to(fixture, 410 + frame.right - 0.5, 200);
	button(fixture, BTN_LEFT, true);
	assert_int_equal(a->resize_edges, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT);
	button(fixture, BTN_LEFT, false);
}

static void test_outputs(void **state)
{
	struct fixture *fixture = *state;
	plug(fixture, 1, 1000);
	struct window *a = map(fixture, 0, 300, 200), *b = map(fixture, 1, 300, 200);
	window_move_to(a, 1100, 150);
	window_move_to(b, 50, 60);
	struct window *c = map(fixture, 2, 300, 200);
	window_move_to(c, 1200, 200);
	window_request_maximize(c, true);
	obey(&fixture->windows[2]);
	assert_box(c, 1000, 0, 1000, 600);

	unplug(fixture, 1);
	obey(&fixture->windows[2]);
	assert_box(c, 0, 0, 1000, 600);
	assert_in_range(a->x, 0, 700);
	assert_int_equal(a->y, 150);
	assert_box(b, 50, 60, 300, 200);

	/* Back where they were on it, though it is elsewhere now. */
	plug(fixture, 1, 2000);
	obey(&fixture->windows[2]);
	assert_box(a, 2100, 150, 300, 200);
	assert_box(b, 50, 60, 300, 200);
	assert_box(c, 2000, 0, 1000, 600);

	/* All gone: nothing moves, and there is no output to be on. */
	unplug(fixture, 0);
	unplug(fixture, 1);
	assert_null(window_output(a));
	plug(fixture, 0, 0);
	assert_in_range(a->x, 0, 700);
}

/* Layer surfaces */

struct test_layer {
	struct layer *layer;
	struct surface *surface;
	int32_t width, height;
	bool closed;
};

static void configure_layer(struct layer *layer, int32_t width, int32_t height)
{
	struct test_layer *self = layer->data;
	self->width = width;
	self->height = height;
}

static void closed(struct layer *layer)
{
	struct test_layer *self = layer->data;
	self->closed = true;
}

static const struct layer_impl layer_impl = {.configure = configure_layer, .closed = closed};

static void add_layer(struct fixture *fixture, struct test_layer *self, enum shell_layer layer)
{
	self->surface = surface_create(NULL, NULL);
	self->surface->current.has_content = true;
	self->layer = layer_create(
		fixture->shell, self->surface, &layer_impl, self, fixture->outputs[0].shown, layer);
	self->layer->configured = true;
}

static void show_layer(struct test_layer *self)
{
	shell_arrange_layers(self->layer->shell, self->layer->output);
	surface_map(self->surface);
	layer_map(self->layer);
}

static void remove_layer(struct test_layer *self)
{
	surface_unmap(self->surface);
	layer_destroy(self->layer);
	surface_destroy(self->surface);
}

static void test_panel(void **state)
{
	struct fixture *fixture = *state;
	struct test_layer panel = {0};
	struct window *a = map(fixture, 0, 300, 200);
	window_request_maximize(a, true);
	obey(&fixture->windows[0]);

	add_layer(fixture, &panel, SHELL_TOP);
	panel.layer->anchor = 1 | 4 | 8; /* top, left, right */
	panel.layer->height = 30;
	panel.layer->exclusive_zone = 30;
	show_layer(&panel);
	assert_int_equal(panel.width, 1000);
	assert_int_equal(panel.height, 30);
	assert_int_equal(fixture->windows[0].configure.height, 570);
	obey(&fixture->windows[0]);
	assert_box(a, 0, 30, 1000, 570);
	assert_ptr_equal(fixture->seat->keyboard.focus, a->surface);

	layer_unmap(panel.layer);
	obey(&fixture->windows[0]);
	assert_box(a, 0, 0, 1000, 600);
	remove_layer(&panel);
}

static void test_layer_keyboard(void **state)
{
	struct fixture *fixture = *state;
	struct test_layer lock = {0}, launcher = {0};
	struct window *a = map(fixture, 0, 100, 100);
	window_move_to(a, 800, 400);

	add_layer(fixture, &launcher, SHELL_TOP);
	launcher.layer->width = launcher.layer->height = 100;
	launcher.layer->keyboard = LAYER_KEYBOARD_ON_DEMAND;
	show_layer(&launcher);
	assert_ptr_equal(fixture->seat->keyboard.focus, launcher.surface);
	window_focus(a);
	assert_ptr_equal(fixture->seat->keyboard.focus, a->surface);

	add_layer(fixture, &lock, SHELL_OVERLAY);
	lock.layer->width = lock.layer->height = 50;
	lock.layer->keyboard = LAYER_KEYBOARD_EXCLUSIVE;
	show_layer(&lock);
	assert_ptr_equal(fixture->seat->keyboard.focus, lock.surface);
	window_focus(a);
	map(fixture, 1, 100, 100);
	assert_ptr_equal(fixture->seat->keyboard.focus, lock.surface);
	lock.layer->keyboard = LAYER_KEYBOARD_NONE;
	shell_arrange_layers(fixture->shell, lock.layer->output);
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[1].surface);

	/* One below the windows cannot hold it. */
	lock.layer->keyboard = LAYER_KEYBOARD_EXCLUSIVE;
	lock.layer->layer = SHELL_BOTTOM;
	shell_arrange_layers(fixture->shell, lock.layer->output);
	assert_ptr_equal(fixture->seat->keyboard.focus, fixture->windows[1].surface);
	unplug(fixture, 0);
	assert_true(lock.closed && launcher.closed);
	remove_layer(&lock);
	remove_layer(&launcher);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_focus_follows_use),
		TEST(test_click_focuses_and_raises),
		TEST(test_transients),
		TEST(test_maximise),
		TEST(test_tile),
		TEST(test_fullscreen_steps_back),
		TEST(test_fullscreen_smaller),
		TEST(test_minimise),
		TEST(test_workspaces),
		TEST(test_cycle),
		TEST(test_move),
		TEST(test_move_maximised),
		TEST(test_resize_keeps_the_opposite_edges),
		TEST(test_resize_limits),
		TEST(test_close_while_moved),
		TEST(test_frame),
		TEST(test_outputs),
		TEST(test_panel),
		TEST(test_layer_keyboard),
	};
	return cmocka_run_group_tests_name("shell", tests, NULL, NULL);
}
