/* The wayland backend against a host that does just what a test tells it to. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/wayland.h"
#include "buffer/allocator.h"
#include "fractional-scale-v1-protocol.h"
#include "host.h"
#include "pointer-gestures-unstable-v1-protocol.h"
#include "relative-pointer-unstable-v1-protocol.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include "xdg-decoration-unstable-v1-protocol.h"
#include "xdg-shell-protocol.h"
#include <linux/input-event-codes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define START INT64_C(5000000000)
#define MAX_OUTPUTS 2
#define MAX_LINES 64

/** An output with all that it said. */
struct screen {
	struct fixture *fixture;
	struct output *output; /* NULL: gone */
	int n_presents, n_requests, n_needs_frame, n_changed;
	struct output_present last;
	struct wl_listener present, request_state, needs_frame, changed, destroy;
};

struct device {
	struct fixture *fixture;
	struct input_device *base; /* NULL: gone */
	struct wl_listener key, keymap, modifiers, motion_absolute, button, axis, frame, touch_down,
		touch_motion, touch_up, touch_cancel, touch_frame, gesture, destroy;
};

struct fixture {
	struct host *host;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct backend *backend;
	char *error;
	bool started;
	bool fit; /* nobody asked for the size of the outputs */
	struct screen screens[MAX_OUTPUTS];
	int n_screens;
	struct device devices[3]; /* by type */
	/** What devices said, a line each. */
	char lines[MAX_LINES][128];
	int n_lines;
	bool ended;
	char *why;
	struct wl_listener new_output, new_input, ended_listener;
};

static void say(struct fixture *fixture, const char *format, ...)
{
	va_list args;
	assert_true(fixture->n_lines < MAX_LINES);
	va_start(args, format);
	vsnprintf(fixture->lines[fixture->n_lines++], sizeof(fixture->lines[0]), format, args);
	va_end(args);
}

/** All that was said since the last time, in this order. */
static void expect_lines(struct fixture *fixture, const char *const *lines)
{
	int n = 0;
	for (; lines[n]; n++) {
		assert_true(n < fixture->n_lines);
		assert_string_equal(fixture->lines[n], lines[n]);
	}
	assert_int_equal(fixture->n_lines, n);
	fixture->n_lines = 0;
}

#define EXPECT(fixture, ...) expect_lines(fixture, (const char *const[]){__VA_ARGS__, NULL})

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

static void enable(struct output *output, bool enabled)
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

/** Both sides, until neither has anything left to do. */
static void pump(struct fixture *fixture)
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

static struct fixture *connect_fixture(const struct host_options *options)
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

/** `as_gpu`: as if frames were drawn on a GPU, so that the output takes dma-bufs. */
static struct fixture *start_fixture(struct fixture *fixture, int n, bool as_gpu)
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

static struct fixture *create_fixture(const struct host_options *options, int n, bool as_gpu)
{
	return start_fixture(connect_fixture(options), n, as_gpu);
}

static void destroy_fixture(struct fixture *fixture)
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

static uint32_t show_with(
	struct screen *screen, struct buffer *buffer, int fence, const pixman_region32_t *damage)
{
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane =
		output_state_add_plane(&state, output_primary_plane(screen->output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	plane->acquire_fence = fence;
	plane->damage = damage;
	uint32_t number = output_commit(screen->output, &state);
	pump(screen->fixture);
	return number;
}

static uint32_t show(struct screen *screen, struct buffer *buffer)
{
	return show_with(screen, buffer, -1, NULL);
}

/* A buffer as a GPU's: what describes it is no memory file that a host could map safely. */

struct gpu_buffer {
	struct buffer base;
	struct dmabuf dmabuf;
};

static void destroy_gpu_buffer(struct buffer *buffer)
{
	struct gpu_buffer *self = wl_container_of(buffer, self, base);
	buffer_finish(buffer);
	dmabuf_finish(&self->dmabuf);
	free(self);
}

static const struct dmabuf *describe_gpu_buffer(struct buffer *buffer)
{
	struct gpu_buffer *self = wl_container_of(buffer, self, base);
	return &self->dmabuf;
}

static const struct buffer_impl gpu_buffer_impl = {
	.destroy = destroy_gpu_buffer,
	.dmabuf = describe_gpu_buffer,
};

static struct buffer *gpu_buffer_create(int32_t width, int32_t height, uint64_t modifier)
{
	struct gpu_buffer *self = xcalloc(1, sizeof(*self));
	buffer_init(&self->base, &gpu_buffer_impl, width, height, DRM_FORMAT_XRGB8888);
	dmabuf_init(&self->dmabuf);
	self->dmabuf.width = width;
	self->dmabuf.height = height;
	self->dmabuf.format = DRM_FORMAT_XRGB8888;
	self->dmabuf.modifier = modifier;
	self->dmabuf.n_planes = 1;
	self->dmabuf.stride[0] = (uint32_t)width * 4;
	self->dmabuf.fd[0] = fd_create_memory("gpu", (off_t)width * height * 4, false);
	assert_true(self->dmabuf.fd[0] >= 0);
	return &self->base;
}

static bool test_buffer(struct screen *screen, struct buffer *buffer)
{
	struct output_state state;
	output_state_init(&state);
	struct plane_state *plane =
		output_state_add_plane(&state, output_primary_plane(screen->output));
	plane->buffer = buffer;
	plane->src = (struct fbox){0, 0, buffer->width, buffer->height};
	plane->dst = (struct box){0, 0, buffer->width, buffer->height};
	bool possible = output_test(screen->output, &state);
	pump(screen->fixture);
	return possible;
}

/* Frames */

static void test_frame(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_string_equal(screen->output->name, "WL-1");
	assert_string_equal(surface->app_id, "causeway");
	assert_string_equal(surface->title, "Causeway - WL-1");
	assert_int_equal(surface->decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);

	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 10, 20, 30, 40);
	uint32_t number = show_with(screen, buffer, -1, &damage);
	pixman_region32_fini(&damage);
	assert_true(number > 0);
	assert_int_equal(surface->buffer_width, 300);
	assert_int_equal(surface->buffer_height, 200);
	assert_false(surface->buffer_is_dmabuf);
	assert_int_equal(surface->n_damage, 1);
	assert_memory_equal(surface->damage, ((int32_t[]){10, 20, 30, 40}), 16);
	assert_int_equal(surface->destination_width, 300);
	assert_int_equal(surface->acknowledged, surface->configured);

	/* One at a time. */
	assert_int_equal(show(screen, buffer), 0);
	/* Not before the host wants more, and not twice. */
	host_presented(surface, START + 12345, 16666667, PRESENT_VSYNC | PRESENT_HW_CLOCK);
	pump(fixture);
	assert_int_equal(screen->n_presents, 0);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	assert_int_equal(screen->last.commit, number);
	assert_true(screen->last.presented);
	assert_true(screen->last.when == START + 12345);
	assert_int_equal(screen->last.refresh, 16666667);
	assert_true(screen->last.sequence == (UINT64_C(1) << 32 | 7));
	assert_int_equal(screen->last.flags, PRESENT_VSYNC | PRESENT_HW_CLOCK);

	/* The other order; not shown. */
	assert_int_equal(show(screen, buffer), number + 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_discarded(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));

	/* A host that asks for more and never says what became of it. */
	assert_int_equal(show(screen, buffer), number + 2);
	host_frame_done(surface);
	pump(fixture);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 3);
	assert_true(screen->last.presented);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Nobody sees the window: no callback comes, and nothing here waits by the clock. */
static void test_hidden(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	buffer_drop(buffer);
	assert_false(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 0);
	/* It ends with the output, and it is said so. */
	enable(fixture->screens[0].output, false);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_false(fixture->screens[0].last.presented);
	destroy_fixture(fixture);
}

static void test_no_presentation(void **state)
{
	const struct host_options options = {.no_presentation = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	clock_advance(fixture->clock, 1000);
	host_frame_done(&fixture->host->surfaces[0]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	assert_true(screen->last.presented);
	assert_true(screen->last.when == START + 1000);
	assert_int_equal(screen->last.flags, 0);
	destroy_fixture(fixture);
}

/* Times of another clock are told in ours. */
static void test_other_clock(void **state)
{
	const struct host_options options = {.presentation_clock = CLOCK_BOOTTIME};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	struct timespec now;
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	clock_gettime(CLOCK_BOOTTIME, &now);
	host_presented(&fixture->host->surfaces[0],
		now.tv_sec * INT64_C(1000000000) + now.tv_nsec - 3000000, 0, 0);
	host_frame_done(&fixture->host->surfaces[0]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	/* 3 ms before the test clock's now, and how long the call took. */
	assert_in_range(START - screen->last.when, 3000000, 1000000000);
	destroy_fixture(fixture);
}

static void test_fence(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	int fence[2];
	assert_int_equal(pipe(fence), 0);
	assert_true(show_with(screen, buffer, fence[0], NULL));
	assert_null(surface->buffer);
	assert_int_equal(write(fence[1], "", 1), 1);
	pump(fixture);
	assert_non_null(surface->buffer);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_true(screen->last.presented);

	/* One that ends in an error: poll() says so of a pipe that nobody reads. */
	close(fence[0]);
	int n_commits = surface->n_commits;
	assert_true(show_with(screen, buffer, fence[1], NULL));
	assert_int_equal(screen->n_presents, 1);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_int_equal(screen->n_presents, 2);
	assert_false(screen->last.presented);
	assert_int_equal(surface->n_commits, n_commits);
	/* Its picture is still due. */
	assert_int_equal(screen->n_needs_frame, 1);
	close(fence[1]);

	/* The same while it is waited for. */
	assert_int_equal(pipe(fence), 0);
	assert_true(show_with(screen, buffer, fence[0], NULL));
	assert_int_equal(screen->n_presents, 2);
	close(fence[1]);
	pump(fixture);
	assert_int_equal(screen->n_presents, 3);
	assert_false(screen->last.presented);
	assert_int_equal(surface->n_commits, n_commits);
	assert_int_equal(screen->n_needs_frame, 2);
	close(fence[0]);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Buffers */

static void test_release(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	/* Shown, and the host still reads it. */
	assert_int_equal(buffer->n_locks, 1);
	struct wl_resource *first = surface->buffer;
	wl_buffer_send_release(first);
	pump(fixture);
	assert_int_equal(buffer->n_locks, 0);
	/* The second time, the host knows it already. */
	assert_true(show(screen, buffer));
	assert_ptr_equal(surface->buffer, first);
	assert_int_equal(buffer->n_locks, 2);
	/* The producer is done with it: it goes when the host is, too. */
	buffer_drop(buffer);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	wl_buffer_send_release(first);
	pump(fixture);
	destroy_fixture(fixture);
}

static void test_dmabuf(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, true);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	const struct plane *plane = output_primary_plane(screen->output);
	assert_true(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
	assert_false(format_set_has(&plane->formats, DRM_FORMAT_ARGB8888, 0));

	/* What the host did not offer is not even tried. */
	struct buffer *other = gpu_buffer_create(300, 200, I915_FORMAT_MOD_Y_TILED);
	assert_false(test_buffer(screen, other));
	assert_int_equal(show(screen, other), 0);
	assert_int_equal(fixture->host->n_imports, 0);
	buffer_drop(other);

	/* A test says yes only when the host has it; a commit waits. */
	struct buffer *buffer = gpu_buffer_create(300, 200, I915_FORMAT_MOD_X_TILED);
	fixture->host->answer = HOST_SILENT;
	assert_false(test_buffer(screen, buffer));
	assert_true(show(screen, buffer));
	assert_null(surface->buffer);
	host_answer_imports(fixture->host, HOST_CREATED);
	pump(fixture);
	assert_non_null(surface->buffer);
	assert_true(surface->buffer_is_dmabuf);
	assert_int_equal(surface->buffer_width, 300);
	assert_true(test_buffer(screen, buffer));
	assert_int_equal(fixture->host->n_imports, 1);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_true(screen->last.presented);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* A host that advertises what it then cannot import. */
static void test_dmabuf_refused(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, true);
	struct screen *screen = &fixture->screens[0];
	const struct plane *plane = output_primary_plane(screen->output);
	struct buffer *buffer = gpu_buffer_create(300, 200, I915_FORMAT_MOD_X_TILED);
	fixture->host->answer = HOST_FAILED;
	assert_true(show(screen, buffer));
	assert_int_equal(screen->n_presents, 1);
	assert_false(screen->last.presented);
	assert_int_equal(screen->n_needs_frame, 1);
	assert_false(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, I915_FORMAT_MOD_X_TILED));
	assert_true(format_set_has(&plane->formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR));
	assert_false(test_buffer(screen, buffer));
	assert_int_equal(show(screen, buffer), 0);
	buffer_drop(buffer);

	buffer = gpu_buffer_create(300, 200, DRM_FORMAT_MOD_LINEAR);
	fixture->host->answer = HOST_CREATED;
	assert_true(show(screen, buffer));
	assert_true(fixture->host->surfaces[0].buffer_is_dmabuf);
	buffer_drop(buffer);
	assert_false(fixture->ended);
	destroy_fixture(fixture);
}

/* Memory that could be taken away is nothing to give to a host that maps it. */
static void test_unsealed_memory(void **state)
{
	const struct host_options options = {.no_dmabuf = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	assert_true(fixture->backend->memory_only);
	struct buffer *buffer = gpu_buffer_create(300, 200, DRM_FORMAT_MOD_LINEAR);
	assert_false(test_buffer(&fixture->screens[0], buffer));
	assert_int_equal(show(&fixture->screens[0], buffer), 0);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Sizes */

static void test_resize(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* The same size: there is nothing to draw. */
	host_configure(surface, 300, 200, XDG_TOPLEVEL_STATE_ACTIVATED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 0);
	assert_int_equal(surface->acknowledged, surface->configured);

	/* Another: it comes into force with a picture of that size. */
	host_configure(surface, 500, 400, XDG_TOPLEVEL_STATE_MAXIMIZED);
	pump(fixture);
	assert_int_equal(screen->n_requests, 1);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 400);
	assert_int_not_equal(surface->acknowledged, surface->configured);
	assert_int_equal(show(screen, small), 0);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	assert_int_equal(surface->buffer_width, 500);
	assert_int_equal(surface->destination_width, 500);
	assert_int_equal(surface->destination_height, 400);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	/* A size of the output's own: the window keeps the host's while it is maximised. */
	struct output_state mode;
	output_state_init(&mode);
	mode.fields = OUTPUT_MODE;
	mode.mode = (struct output_mode){.width = 300, .height = 200, .refresh = 60000};
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->buffer_width, 300);
	assert_int_equal(surface->destination_width, 500);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	/* And follows once it may. */
	host_configure(surface, 0, 0, 0);
	pump(fixture);
	assert_true(output_commit(screen->output, &mode));
	assert_true(show(screen, small));
	assert_int_equal(surface->destination_width, 300);
	assert_int_equal(surface->destination_height, 200);
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

/* A window that nobody sees is given another size: the host waits for a picture of it. */
static void test_resize_hidden(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	struct buffer *small = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	struct buffer *large = memory_buffer_create(500, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, small));
	host_configure(surface, 500, 400, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(show(screen, large), 0);
	assert_true(clock_advance_to_next(fixture->clock));
	assert_in_range(clock_now(fixture->clock) - START, 1, 100000000);
	assert_int_equal(screen->n_presents, 1);
	assert_false(screen->last.presented);
	assert_true(show(screen, large));
	assert_int_equal(surface->acknowledged, surface->configured);
	/* What the host says of the old one now is of no interest. */
	host_presented(surface, START, 0, 0);
	pump(fixture);
	assert_int_equal(screen->n_presents, 1);
	host_frame_done(surface);
	pump(fixture);
	assert_int_equal(screen->n_presents, 2);
	assert_true(screen->last.presented);
	assert_false(clock_advance_to_next(fixture->clock));
	buffer_drop(small);
	buffer_drop(large);
	destroy_fixture(fixture);
}

static void test_size_of_host(void **state)
{
	const struct host_options options = {.width = 640, .height = 360};
	struct fixture *fixture = create_fixture(&options, 1, false);
	assert_int_equal(fixture->screens[0].output->mode.width, 640);
	assert_int_equal(fixture->screens[0].output->mode.height, 360);
	destroy_fixture(fixture);
}

/* A size that was asked for is kept; another may have to be smaller. */
static void test_bounds(void **state)
{
	for (int fit = 0; fit < 2; fit++) {
		const struct host_options options = {.bound_width = 250, .bound_height = 1000};
		struct fixture *fixture = connect_fixture(&options);
		fixture->fit = fit;
		start_fixture(fixture, 1, false);
		assert_int_equal(fixture->screens[0].output->mode.width, fit ? 250 : 300);
		assert_int_equal(fixture->screens[0].output->mode.height, 200);
		destroy_fixture(fixture);
	}
}

static void test_fractional_scale(void **state)
{
	const struct host_options options = {.scale = 180};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	assert_int_equal(screen->output->mode.height, 200);
	assert_true(screen->output->preferred_scale == 1.5);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->destination_width, 200);
	assert_int_equal(surface->destination_height, 133);
	host_frame_done(surface);
	host_presented(surface, START, 0, 0);
	pump(fixture);

	host_configure(surface, 333, 222, 0);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 500);
	assert_int_equal(screen->output->mode.height, 333);
	/* To another screen: the window keeps its size, the output gets more pixels. */
	int n_changed = screen->n_changed;
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 240);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 666);
	assert_true(screen->output->preferred_scale == 2);
	assert_int_equal(screen->n_changed, n_changed + 1);
	/* What a host does while a screen goes: no wish at all. */
	wp_fractional_scale_v1_send_preferred_scale(surface->fractional, 0);
	pump(fixture);
	assert_true(screen->output->preferred_scale == 2);
	destroy_fixture(fixture);
}

/* A host that cannot scale pictures has whole scales only: its screen's. */
static void test_buffer_scale(void **state)
{
	const struct host_options options = {.no_viewporter = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct host_surface *surface = &fixture->host->surfaces[0];
	assert_int_equal(screen->output->mode.width, 300);
	wl_surface_send_enter(surface->resource, fixture->host->output);
	pump(fixture);
	assert_int_equal(screen->output->mode.width, 600);
	assert_int_equal(screen->output->mode.refresh, 75000);
	assert_true(screen->output->preferred_scale == 2);
	struct buffer *buffer = memory_buffer_create(600, 400, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	buffer_drop(buffer);
	assert_int_equal(surface->buffer_scale, 2);
	assert_int_equal(surface->buffer_width, 600);
	destroy_fixture(fixture);
}

static void test_off_and_on(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct screen *screen = &fixture->screens[0];
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(screen, buffer));
	enable(screen->output, false);
	pump(fixture);
	assert_null(fixture->host->surfaces[0].resource);
	clock_advance_to_next(fixture->clock);
	assert_int_equal(screen->n_presents, 1);
	assert_int_equal(show(screen, buffer), 0);
	/* A new window; a frame waits until the host has configured it. */
	enable(screen->output, true);
	assert_true(show(screen, buffer));
	assert_non_null(fixture->host->surfaces[1].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* The end */

static void test_close(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 2, false);
	assert_string_equal(fixture->screens[1].output->name, "WL-2");
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	xdg_toplevel_send_close(fixture->host->surfaces[0].toplevel);
	pump(fixture);
	assert_null(fixture->screens[0].output);
	assert_int_equal(fixture->screens[0].n_presents, 1);
	assert_int_equal(buffer->n_locks, 0);
	assert_null(fixture->host->surfaces[0].resource);
	assert_false(fixture->ended);
	buffer_drop(buffer);
	xdg_toplevel_send_close(fixture->host->surfaces[1].toplevel);
	pump(fixture);
	assert_true(fixture->ended);
	assert_null(fixture->why);
	destroy_fixture(fixture);
}

static void test_host_dies(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	host_kill(fixture->host);
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(fixture->why, "the host compositor is gone");
	/* Nothing can be shown any more, and nothing crashes. */
	assert_int_equal(show(&fixture->screens[0], buffer), 0);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

static void test_refused_by_host(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	wl_resource_post_error(fixture->host->surfaces[0].resource, 4, "go away");
	pump(fixture);
	assert_true(fixture->ended);
	assert_string_equal(fixture->why, "the host compositor refused us: error 4 of wl_surface");
	destroy_fixture(fixture);
}

static void test_poor_host(void **state)
{
	const struct host_options options = {.no_wm_base = true};
	struct fixture *fixture = connect_fixture(&options);
	assert_null(fixture->backend);
	assert_string_equal(
		fixture->error, "the host compositor has no xdg_wm_base of version 1 or later");
	destroy_fixture(fixture);
}

/* A host that does not read: what we say waits, we do not. */
static void test_host_stalls(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct output *output = fixture->screens[0].output;
	for (int i = 0; i < 2000; i++) {
		enable(output, false);
		enable(output, true);
		wl_event_loop_dispatch(fixture->loop, 0);
	}
	assert_false(fixture->ended);
	pump(fixture);
	struct buffer *buffer = memory_buffer_create(300, 200, DRM_FORMAT_XRGB8888);
	assert_true(show(&fixture->screens[0], buffer));
	assert_int_equal(fixture->host->n_surfaces, 2001);
	assert_non_null(fixture->host->surfaces[2000 % HOST_MAX_SURFACES].buffer);
	buffer_drop(buffer);
	destroy_fixture(fixture);
}

/* Devices */

static uint32_t now_ms(const struct fixture *fixture)
{
	return clock_ms(clock_now(fixture->clock));
}

static void test_keyboard(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource;
	struct wl_array held;
	wl_array_init(&held);
	*(uint32_t *)wl_array_add(&held, sizeof(uint32_t)) = KEY_TAB;
	assert_string_equal(
		fixture->devices[INPUT_KEYBOARD].base->name, "keyboard of the host's main seat");
	host_send_keymap(host, "some keymap");
	wl_keyboard_send_enter(host->keyboard, 1, surface, &held);
	wl_keyboard_send_modifiers(host->keyboard, 2, 8, 0, 2, 1);
	pump(fixture);
	EXPECT(fixture, "keymap some keymap", "modifiers 8 0 2 1");

	/* Time is the host's where that can be, else now. */
	wl_keyboard_send_key(host->keyboard, 3, now_ms(fixture) - 7, KEY_A, 1);
	wl_keyboard_send_key(host->keyboard, 4, now_ms(fixture) + 99999, KEY_A, 0);
	wl_keyboard_send_key(host->keyboard, 5, now_ms(fixture), KEY_TAB, 0);
	wl_keyboard_send_key(host->keyboard, 6, now_ms(fixture), KEY_B, 1);
	pump(fixture);
	EXPECT(fixture, "key 30 down 4993", "key 30 up 5000", "key 48 down 5000");

	wl_keyboard_send_leave(host->keyboard, 7, surface);
	wl_keyboard_send_key(host->keyboard, 8, now_ms(fixture), KEY_B, 0);
	pump(fixture);
	EXPECT(fixture, "key 48 up 5000", "modifiers 0 0 2 1");

	/* The device comes and goes with what the seat can do. */
	wl_seat_send_capabilities(host->seat, WL_SEAT_CAPABILITY_POINTER);
	pump(fixture);
	assert_null(fixture->devices[INPUT_KEYBOARD].base);
	assert_null(fixture->devices[INPUT_TOUCH].base);
	assert_null(host->keyboard);
	wl_seat_send_capabilities(host->seat, WL_SEAT_CAPABILITY_KEYBOARD);
	pump(fixture);
	assert_non_null(fixture->devices[INPUT_KEYBOARD].base);
	assert_null(fixture->devices[INPUT_POINTER].base);
	wl_array_release(&held);
	destroy_fixture(fixture);
}

static wl_fixed_t fixed(double value)
{
	return wl_fixed_from_double(value);
}

static void test_pointer(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource, *pointer = host->pointer;
	wl_pointer_send_enter(pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame");
	assert_int_equal(host->n_hidden_cursors, 1);

	wl_pointer_send_motion(pointer, now_ms(fixture), fixed(150), fixed(100));
	zwp_relative_pointer_v1_send_relative_motion(
		host->relative, 0, 5000000, fixed(75), fixed(50), fixed(30), fixed(20));
	wl_pointer_send_frame(pointer);
	/* Held back by the edge of the screen, but pushed. */
	zwp_relative_pointer_v1_send_relative_motion(
		host->relative, 0, 5000000, fixed(1), fixed(2), fixed(3), fixed(4));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.500 0.500 of WL-1 by 75.0 50.0 (30.0 20.0)", "frame",
		"at 0.500 0.500 of WL-1 by 1.0 2.0 (3.0 4.0)", "frame");

	wl_pointer_send_axis_source(pointer, WL_POINTER_AXIS_SOURCE_WHEEL);
	wl_pointer_send_axis_relative_direction(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, 1);
	wl_pointer_send_axis_value120(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, 60);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(7.5));
	wl_pointer_send_frame(pointer);
	wl_pointer_send_axis_stop(pointer, now_ms(fixture), WL_POINTER_AXIS_HORIZONTAL_SCROLL);
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "axis 0 by 7.5 (60) source 0 direction 1", "frame",
		"axis 1 by 0.0 (0) source -1 direction 0", "frame");

	wl_pointer_send_button(pointer, 2, now_ms(fixture), BTN_LEFT, 1);
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "button 272 down", "frame");
	/* The host takes the pointer away, with a button down. */
	wl_pointer_send_leave(pointer, 3, surface);
	wl_pointer_send_frame(pointer);
	wl_pointer_send_button(pointer, 4, now_ms(fixture), BTN_LEFT, 0);
	pump(fixture);
	EXPECT(fixture, "button 272 up", "frame", "frame");
	destroy_fixture(fixture);
}

static void test_gestures(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource;
	wl_pointer_send_enter(host->pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_frame(host->pointer);
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame");
	zwp_pointer_gesture_swipe_v1_send_begin(host->swipe, 2, now_ms(fixture), surface, 3);
	zwp_pointer_gesture_swipe_v1_send_update(
		host->swipe, now_ms(fixture), fixed(4), fixed(-2.5));
	zwp_pointer_gesture_swipe_v1_send_end(host->swipe, 3, now_ms(fixture), 0);
	zwp_pointer_gesture_pinch_v1_send_begin(host->pinch, 4, now_ms(fixture), surface, 2);
	zwp_pointer_gesture_pinch_v1_send_update(
		host->pinch, now_ms(fixture), fixed(0), fixed(0), fixed(1.5), fixed(-10));
	zwp_pointer_gesture_pinch_v1_send_end(host->pinch, 5, now_ms(fixture), 1);
	zwp_pointer_gesture_hold_v1_send_begin(host->hold, 6, now_ms(fixture), surface, 4);
	zwp_pointer_gesture_hold_v1_send_end(host->hold, 7, now_ms(fixture), 0);
	pump(fixture);
	EXPECT(fixture, "gesture 0 phase 0 of 3 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 0 phase 1 of 0 by 4.0 -2.5 scale 0.0 turn 0.0",
		"gesture 0 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 1 phase 0 of 2 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 1 phase 1 of 0 by 0.0 0.0 scale 1.5 turn -10.0",
		"gesture 1 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0 cancelled",
		"gesture 2 phase 0 of 4 by 0.0 0.0 scale 0.0 turn 0.0",
		"gesture 2 phase 2 of 0 by 0.0 0.0 scale 0.0 turn 0.0");
	destroy_fixture(fixture);
}

/* Before version 5 events came alone, and wheels in clicks not at all. */
static void test_old_pointer(void **state)
{
	const struct host_options options = {.seat_version = 1, .no_relative = true};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct host *host = fixture->host;
	struct wl_resource *surface = host->surfaces[0].resource, *pointer = host->pointer;
	wl_pointer_send_enter(pointer, 1, surface, fixed(75), fixed(50));
	wl_pointer_send_motion(pointer, now_ms(fixture), fixed(1e6), fixed(-1));
	wl_pointer_send_button(pointer, 2, now_ms(fixture), BTN_LEFT, 1);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(10));
	pump(fixture);
	EXPECT(fixture, "at 0.250 0.250 of WL-1", "frame", "at 1.000 0.000 of WL-1", "frame",
		"button 272 down", "frame", "axis 0 by 10.0 (0) source -1 direction 0", "frame");
	destroy_fixture(fixture);
}

static void test_discrete_wheel(void **state)
{
	const struct host_options options = {.seat_version = 7};
	struct fixture *fixture = create_fixture(&options, 1, false);
	struct wl_resource *pointer = fixture->host->pointer;
	wl_pointer_send_axis_source(pointer, WL_POINTER_AXIS_SOURCE_WHEEL);
	wl_pointer_send_axis_discrete(pointer, WL_POINTER_AXIS_VERTICAL_SCROLL, -2);
	wl_pointer_send_axis(pointer, now_ms(fixture), WL_POINTER_AXIS_VERTICAL_SCROLL, fixed(-20));
	wl_pointer_send_frame(pointer);
	pump(fixture);
	EXPECT(fixture, "axis 0 by -20.0 (-240) source 0 direction 0", "frame");
	destroy_fixture(fixture);
}

static void test_touch(void **state)
{
	struct fixture *fixture = create_fixture(NULL, 2, false);
	struct host *host = fixture->host;
	struct wl_resource *touch = host->touch;
	wl_touch_send_down(
		touch, 1, now_ms(fixture), host->surfaces[0].resource, 4, fixed(75), fixed(50));
	wl_touch_send_down(
		touch, 2, now_ms(fixture), host->surfaces[1].resource, 9, fixed(150), fixed(100));
	wl_touch_send_frame(touch);
	wl_touch_send_motion(touch, now_ms(fixture), 4, fixed(150), fixed(0));
	wl_touch_send_frame(touch);
	pump(fixture);
	EXPECT(fixture, "touch 4 down 0.250 0.250 of WL-1", "touch 9 down 0.500 0.500 of WL-2",
		"touch frame", "touch 4 at 0.500 0.000 of WL-1", "touch frame");
	wl_touch_send_up(touch, 3, now_ms(fixture), 9);
	wl_touch_send_frame(touch);
	pump(fixture);
	EXPECT(fixture, "touch 9 up 0.000 0.000 of -", "touch frame");
	/* A window that goes takes what is on it along. */
	xdg_toplevel_send_close(host->surfaces[0].toplevel);
	wl_touch_send_up(touch, 4, now_ms(fixture), 4);
	pump(fixture);
	EXPECT(fixture, "touch 4 cancelled 0.000 0.000 of -", "touch frame");
	wl_touch_send_down(
		touch, 5, now_ms(fixture), host->surfaces[1].resource, 1, fixed(75), fixed(50));
	wl_touch_send_cancel(touch);
	pump(fixture);
	EXPECT(fixture, "touch 1 down 0.250 0.250 of WL-2", "touch 1 cancelled 0.000 0.000 of -",
		"touch frame");
	destroy_fixture(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_no_presentation),
		cmocka_unit_test(test_other_clock),
		cmocka_unit_test(test_fence),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_dmabuf),
		cmocka_unit_test(test_dmabuf_refused),
		cmocka_unit_test(test_unsealed_memory),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_resize_hidden),
		cmocka_unit_test(test_size_of_host),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_fractional_scale),
		cmocka_unit_test(test_buffer_scale),
		cmocka_unit_test(test_off_and_on),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_host_dies),
		cmocka_unit_test(test_refused_by_host),
		cmocka_unit_test(test_poor_host),
		cmocka_unit_test(test_host_stalls),
		cmocka_unit_test(test_keyboard),
		cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_gestures),
		cmocka_unit_test(test_old_pointer),
		cmocka_unit_test(test_discrete_wheel),
		cmocka_unit_test(test_touch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
