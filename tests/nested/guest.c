/* SPDX-License-Identifier: MIT */
/* The wayland backend on a test host: its outputs, devices and events. */

#include "guest.h"
#include "util/xalloc.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void say(struct fixture *fixture, const char *format, ...)
{
	va_list args;
	assert_true(fixture->n_lines < LINES_MAX);
	va_start(args, format);
	vsnprintf(fixture->lines[fixture->n_lines++], sizeof(fixture->lines[0]), format, args);
	va_end(args);
}

void expect_lines(struct fixture *fixture, const char *const *lines)
{
	int n = 0;
	for (; lines[n]; n++) {
		assert_true(n < fixture->n_lines);
		assert_string_equal(fixture->lines[n], lines[n]);
	}
	assert_int_equal(fixture->n_lines, n);
	fixture->n_lines = 0;
}

static void listen(struct wl_signal *signal, struct wl_listener *listener, wl_notify_func_t notify)
{
	listener->notify = notify;
	wl_signal_add(signal, listener);
}

/* Outputs */

static void handle_present(struct wl_listener *listener, void *data)
{
	struct screen *screen = wl_container_of(listener, screen, present);
	screen->n_presents++;
	screen->last = *(struct output_present *)data;
}

static void handle_request_state(struct wl_listener *listener, void *data)
{
	struct screen *screen = wl_container_of(listener, screen, request_state);
	screen->n_requests++;
	assert_true(output_commit(screen->output, data));
}

static void handle_needs_frame(struct wl_listener *listener, void *data)
{
	struct screen *screen = wl_container_of(listener, screen, needs_frame);
	screen->n_needs_frame++;
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct screen *screen = wl_container_of(listener, screen, changed);
	screen->n_changed++;
}

static void handle_output_destroy(struct wl_listener *listener, void *data)
{
	struct screen *screen = wl_container_of(listener, screen, destroy);
	wl_list_remove(&screen->present.link);
	wl_list_remove(&screen->request_state.link);
	wl_list_remove(&screen->needs_frame.link);
	wl_list_remove(&screen->changed.link);
	wl_list_remove(&screen->destroy.link);
	screen->output = NULL;
}

void enable(struct output *output, bool enabled)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED | (enabled ? OUTPUT_MODE : 0);
	state.enabled = enabled;
	state.mode = output->modes[0];
	assert_true(output_commit(output, &state));
}

static void handle_new_output(struct wl_listener *listener, void *data)
{
	struct fixture *fixture = wl_container_of(listener, fixture, new_output);
	struct screen *screen = &fixture->screens[fixture->n_screens++];
	screen->fixture = fixture;
	screen->output = data;
	listen(&screen->output->events.present, &screen->present, handle_present);
	listen(&screen->output->events.request_state, &screen->request_state, handle_request_state);
	listen(&screen->output->events.needs_frame, &screen->needs_frame, handle_needs_frame);
	listen(&screen->output->events.changed, &screen->changed, handle_changed);
	listen(&screen->output->events.destroy, &screen->destroy, handle_output_destroy);
	enable(screen->output, true);
}

/* Devices */

static void handle_key(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, key);
	const struct input_key_event *event = data;
	say(device->fixture, "key %u %s %lld", event->key, event->pressed ? "down" : "up",
		(long long)(event->time / 1000000));
}

static void handle_keymap(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, keymap);
	say(device->fixture, "keymap %s", ((struct input_keymap_event *)data)->keymap);
}

static void handle_modifiers(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, modifiers);
	const struct input_modifiers_event *event = data;
	say(device->fixture, "modifiers %u %u %u %u", event->depressed, event->latched,
		event->locked, event->group);
}

static void handle_motion_absolute(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, motion_absolute);
	const struct input_motion_absolute_event *event = data;
	if (event->has_relative) {
		say(device->fixture, "at %.3f %.3f of %s by %.1f %.1f (%.1f %.1f)", event->x,
			event->y, event->output, event->dx, event->dy, event->dx_unaccel,
			event->dy_unaccel);
	} else {
		say(device->fixture, "at %.3f %.3f of %s", event->x, event->y, event->output);
	}
}

static void handle_button(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, button);
	const struct input_button_event *event = data;
	say(device->fixture, "button %u %s", event->button, event->pressed ? "down" : "up");
}

static void handle_axis(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, axis);
	const struct input_axis_event *event = data;
	say(device->fixture, "axis %d by %.1f (%d) source %d direction %d", (int)event->axis,
		event->value, event->value120, event->has_source ? (int)event->source : -1,
		(int)event->direction);
}

static void handle_gesture(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, gesture);
	const struct input_gesture_event *event = data;
	say(device->fixture, "gesture %d phase %d of %u by %.1f %.1f scale %.1f turn %.1f%s",
		event->gesture, event->phase, event->fingers, event->dx, event->dy, event->scale,
		event->rotation, event->cancelled ? " cancelled" : "");
}

static void handle_frame(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, frame);
	say(device->fixture, "frame");
}

static void say_touch(
	struct device *device, const char *what, const struct input_touch_event *event)
{
	say(device->fixture, "touch %d %s %.3f %.3f of %s", event->id, what, event->x, event->y,
		event->output ? event->output : "-");
}

static void handle_touch_down(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, touch_down);
	say_touch(device, "down", data);
}

static void handle_touch_motion(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, touch_motion);
	say_touch(device, "at", data);
}

static void handle_touch_up(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, touch_up);
	say_touch(device, "up", data);
}

static void handle_touch_cancel(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, touch_cancel);
	say_touch(device, "cancelled", data);
}

static void handle_touch_frame(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, touch_frame);
	say(device->fixture, "touch frame");
}

static void handle_device_destroy(struct wl_listener *listener, void *data)
{
	struct device *device = wl_container_of(listener, device, destroy);
	struct wl_listener *const all[] = {&device->key, &device->keymap, &device->modifiers,
		&device->motion_absolute, &device->button, &device->axis, &device->frame,
		&device->touch_down, &device->touch_motion, &device->touch_up,
		&device->touch_cancel, &device->touch_frame, &device->gesture, &device->destroy};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		wl_list_remove(&all[i]->link);
	}
	device->base = NULL;
}

static void handle_new_input(struct wl_listener *listener, void *data)
{
	struct fixture *fixture = wl_container_of(listener, fixture, new_input);
	struct input_device *base = data;
	struct device *device = &fixture->devices[base->type];
	assert_null(device->base);
	device->fixture = fixture;
	device->base = base;
	listen(&base->events.key, &device->key, handle_key);
	listen(&base->events.keymap, &device->keymap, handle_keymap);
	listen(&base->events.modifiers, &device->modifiers, handle_modifiers);
	listen(&base->events.motion_absolute, &device->motion_absolute, handle_motion_absolute);
	listen(&base->events.button, &device->button, handle_button);
	listen(&base->events.axis, &device->axis, handle_axis);
	listen(&base->events.frame, &device->frame, handle_frame);
	listen(&base->events.touch_down, &device->touch_down, handle_touch_down);
	listen(&base->events.touch_motion, &device->touch_motion, handle_touch_motion);
	listen(&base->events.touch_up, &device->touch_up, handle_touch_up);
	listen(&base->events.touch_cancel, &device->touch_cancel, handle_touch_cancel);
	listen(&base->events.touch_frame, &device->touch_frame, handle_touch_frame);
	listen(&base->events.gesture, &device->gesture, handle_gesture);
	listen(&base->events.destroy, &device->destroy, handle_device_destroy);
}

static void handle_ended(struct wl_listener *listener, void *data)
{
	struct fixture *fixture = wl_container_of(listener, fixture, ended_listener);
	assert_false(fixture->ended);
	fixture->ended = true;
	fixture->why = data ? xstrdup(data) : NULL;
}

/* The fixture */

void pump(struct fixture *fixture)
{
	for (int quiet = 0; quiet < 3;) {
		struct pollfd pollfd = {
			.fd = wl_event_loop_get_fd(fixture->loop), .events = POLLIN};
		bool busy = poll(&pollfd, 1, 0) > 0;
		wl_event_loop_dispatch(fixture->loop, 0);
		busy |= host_turn(fixture->host);
		quiet = busy ? 0 : quiet + 1;
	}
}

static void create_backend(void *data)
{
	struct fixture *fixture = data;
	fixture->backend = wayland_backend_create(fixture->loop, fixture->clock, &fixture->error);
}

static void start_backend(void *data)
{
	struct fixture *fixture = data;
	fixture->started = backend_start(fixture->backend);
}

struct fixture *connect_fixture(const struct host_options *options)
{
	struct fixture *fixture = xcalloc(1, sizeof(*fixture));
	struct host_options all = options ? *options : (struct host_options){0};
	if (!all.presentation_clock) {
		all.presentation_clock = CLOCK_MONOTONIC;
	}
	fixture->loop = wl_event_loop_create();
	fixture->clock = clock_create_test(START);
	fixture->host = host_create(&all);
	host_serve(fixture->host, create_backend, fixture);
	return fixture;
}

struct fixture *start_fixture(struct fixture *fixture, int n, bool as_gpu)
{
	static struct gpu *const some_gpu = (struct gpu *)START;
	if (!fixture->backend) {
		fail_msg("no backend: %s", fixture->error);
	}
	wayland_backend_set_gpu(fixture->backend, as_gpu ? some_gpu : NULL);
	for (int i = 0; i < n; i++) {
		wayland_add_output(fixture->backend, 300, 200, 60000, 1, fixture->fit);
	}
	listen(&fixture->backend->events.new_output, &fixture->new_output, handle_new_output);
	listen(&fixture->backend->events.new_input, &fixture->new_input, handle_new_input);
	listen(&fixture->backend->events.ended, &fixture->ended_listener, handle_ended);
	host_serve(fixture->host, start_backend, fixture);
	assert_true(fixture->started);
	assert_int_equal(fixture->n_screens, n);
	pump(fixture);
	return fixture;
}

struct fixture *create_fixture(const struct host_options *options, int n, bool as_gpu)
{
	return start_fixture(connect_fixture(options), n, as_gpu);
}

void destroy_fixture(struct fixture *fixture)
{
	if (fixture->backend) {
		wl_list_remove(&fixture->new_output.link);
		wl_list_remove(&fixture->new_input.link);
		wl_list_remove(&fixture->ended_listener.link);
		backend_destroy(fixture->backend);
	}
	for (int i = 0; i < fixture->n_screens; i++) {
		assert_null(fixture->screens[i].output);
	}
	host_destroy(fixture->host);
	clock_destroy(fixture->clock);
	wl_event_loop_destroy(fixture->loop);
	free(fixture->error);
	free(fixture->why);
	free(fixture);
}

struct plane_state *state_init_with(
	struct output_state *state, struct screen *screen, struct buffer *buffer)
{
	output_state_init(state);
	struct plane_state *plane =
		output_state_add_plane(state, output_primary_plane(screen->output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	return plane;
}

uint32_t show_with(
	struct screen *screen, struct buffer *buffer, int fence, const pixman_region32_t *damage)
{
	struct output_state state;
	struct plane_state *plane = state_init_with(&state, screen, buffer);
	plane->acquire_fence = fence;
	plane->damage = damage;
	uint32_t number = output_commit(screen->output, &state);
	pump(screen->fixture);
	return number;
}

uint32_t show(struct screen *screen, struct buffer *buffer)
{
	return show_with(screen, buffer, -1, NULL);
}
