/* SPDX-License-Identifier: MIT */
/*
 * Client that loads a compositor in one of several ways, for tests/bench/compositor:
 *
 * load-client LOAD SECONDS
 *
 * load-client LOAD FRAMESf
 *
 * load-client timer SECONDS
 *
 * Creates its windows, prints "ready" and waits for a line on standard input. Then it works for the
 * given time, prints the number of frames (or commits, connections, buffers), the median and the
 * 99th percentile of the lateness of the awaited events, and the 99th percentile of their distance
 * from an even grid (in us; 0 if the load has no such events), and waits for another line. With a
 * number of frames it starts at once. `timer` uses a timerfd at 60 Hz instead of a compositor.
 */

#include "harness/program.h"
#include "presentation-time-client-protocol.h"
#include "util/fd.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>

#define SETTLE_MS 400
/* Warm-up before a measurement: the first frames fill buffers and caches. */
#define WARM_MS 1500
#define CHILDREN 64
#define STORM_BATCH 100
#define PUSH_MS 16
#define CHURN_BATCH 20
#define CHURN_SIZE 64
#define ARRIVALS_MAX 65536
#define NS_PER_S INT64_C(1000000000)

enum mode {
	MODE_FRAMES, /* the last `active` windows, which are on top, draw at each frame callback */
	MODE_TREE, /* all children draw at the parent's frame callback */
	MODE_STORM, /* commits without waiting for frames */
	MODE_PUSH, /* a covered window commits at a fixed rate */
	MODE_CONNECT,
	MODE_CHURN, /* pools with a buffer each, created and destroyed */
	MODE_TIMER,
	MODE_STILL,
};

struct load {
	const char *name;
	enum mode mode;
	int windows, active;
	int width, height, damage; /* damage 0: the whole window */
	bool sync;
	bool fullscreen, feedback;
};

static const struct load loads[] = {
	{"small", MODE_FRAMES, 1, 1, 1920, 1080, 64, .fullscreen = true},
	{"full", MODE_FRAMES, 1, 1, 1920, 1080, 0, .fullscreen = true},
	{"full-4k", MODE_FRAMES, 1, 1, 3840, 2160, 0, .fullscreen = true},
	{"windows", MODE_FRAMES, 50, 50, 256, 256, 64},
	{"idle-beside", MODE_FRAMES, 200, 1, 256, 256, 64},
	{"desync", MODE_TREE, 1, 1, 640, 640, 0},
	{"sync", MODE_TREE, 1, 1, 640, 640, 0, .sync = true},
	{"storm", MODE_STORM, 1, 1, 256, 256, 64},
	{"hidden", MODE_PUSH, 2, 1, 1920, 1080, 64, .fullscreen = true},
	{"latency", MODE_FRAMES, 1, 1, 256, 256, 64, .feedback = true},
	{"timer", MODE_TIMER},
	{"connect", MODE_CONNECT},
	{"churn", MODE_CHURN},
	{"still", MODE_STILL, 20, 0, 256, 256, 0},
};

struct client;

struct view {
	struct client *client;
	struct program_window window; /* only without a parent */
	struct wl_surface *surface;
	struct wl_buffer *buffers[2];
	int next;
	int width, height;
};

/* Arrival of an awaited event in ns. */
struct arrival {
	int64_t due, when;
};

struct client {
	const struct load *load;
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *shell;
	struct wp_presentation *presentation;
	clockid_t clock; /* clock of presentation times */
	int64_t period; /* refresh period in ns from the feedback */
	struct view *windows, *children;
	long done, frames; /* frames: requested number; 0: unlimited */
	bool running;
	struct arrival arrivals[ARRIVALS_MAX];
	int n_arrivals;
};

static void handle_clock_id(void *data, struct wp_presentation *presentation, uint32_t id)
{
	struct client *client = data;
	client->clock = (clockid_t)id;
}

static const struct wp_presentation_listener presentation_listener = {.clock_id = handle_clock_id};

static void listen_to_presentation(void *data, void *presentation)
{
	wp_presentation_add_listener(presentation, &presentation_listener, data);
}

/* The contents stay the same: drawing is not measured, and both sides of a copy are warm. */
static void make_buffers(struct client *client, struct view *view)
{
	int32_t stride = view->width * 4, size = stride * view->height;
	int fd = fd_create_memory("load-client", (off_t)size * 2, true);
	void *data = mmap(NULL, (size_t)size * 2, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || data == MAP_FAILED) {
		fprintf(stderr, "cannot allocate buffers\n");
		exit(1);
	}
	memset(data, 0x40, (size_t)size * 2);
	munmap(data, (size_t)size * 2);
	struct wl_shm_pool *pool = wl_shm_create_pool(client->shm, fd, size * 2);
	for (int i = 0; i < 2; i++) {
		view->buffers[i] = wl_shm_pool_create_buffer(
			pool, i * size, view->width, view->height, stride, WL_SHM_FORMAT_XRGB8888);
	}
	wl_shm_pool_destroy(pool);
	close(fd);
}

static void make_view(
	struct client *client, struct view *view, struct wl_surface *surface, int width, int height)
{
	view->client = client;
	view->width = width;
	view->height = height;
	view->surface = surface;
	make_buffers(client, view);
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static void note_arrival(struct client *client, int64_t due, int64_t when)
{
	if (client->n_arrivals < ARRIVALS_MAX) {
		client->arrivals[client->n_arrivals++] = (struct arrival){due, when};
	}
}

static void ignore_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *feedback,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t ns, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct client *client = data;
	int64_t when = read_clock(client->clock);
	int64_t seconds = (int64_t)((uint64_t)seconds_high << 32 | seconds_low);
	note_arrival(client, seconds * NS_PER_S + ns, when);
	/* Without a refresh rate, assume 60 Hz. */
	client->period = refresh > 0 ? refresh : NS_PER_S / 60;
	wp_presentation_feedback_destroy(feedback);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	wp_presentation_feedback_destroy(feedback);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = ignore_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static const struct wl_callback_listener frame_listener;

static void draw(struct view *view, int damage, bool call_back)
{
	int width = damage ? damage : view->width, height = damage ? damage : view->height;
	wl_surface_attach(view->surface, view->buffers[view->next], 0, 0);
	view->next = !view->next;
	wl_surface_damage_buffer(view->surface, 0, 0, width, height);
	if (call_back) {
		wl_callback_add_listener(wl_surface_frame(view->surface), &frame_listener, view);
	}
	if (call_back && view->client->load->feedback && view->client->presentation) {
		wp_presentation_feedback_add_listener(
			wp_presentation_feedback(view->client->presentation, view->surface),
			&feedback_listener, view->client);
	}
	wl_surface_commit(view->surface);
}

static void draw_frame(struct view *view)
{
	struct client *client = view->client;
	for (int i = 0; client->children && i < CHILDREN; i++) {
		draw(&client->children[i], 0, false);
	}
	draw(view, client->children ? 1 : client->load->damage, true);
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct view *view = data;
	wl_callback_destroy(callback);
	struct client *client = view->client;
	if (client->running) {
		client->done++;
		client->running = client->frames == 0 || client->done < client->frames;
	}
	if (client->running) {
		draw_frame(view);
	}
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

/* Windows keep their own size, regardless of configure events. */
static void show_window(struct client *client, struct view *view, int i)
{
	const struct load *load = client->load;
	/* The hidden window is smaller than the one that covers it. */
	bool small = load->mode == MODE_PUSH && i == 0;
	program_window_open(&view->window, client->compositor, client->shell);
	make_view(client, view, view->window.surface, small ? 256 : load->width,
		small ? 256 : load->height);
	if (load->fullscreen && !small) {
		xdg_toplevel_set_fullscreen(view->window.toplevel, NULL);
	}
	program_window_begin(&view->window, client->display);
	draw(view, 0, false);
	wl_display_roundtrip(client->display);
}

static void add_children(struct client *client)
{
	client->children = calloc(CHILDREN, sizeof(*client->children));
	for (int i = 0; i < CHILDREN; i++) {
		struct view *child = &client->children[i];
		make_view(client, child, wl_compositor_create_surface(client->compositor), 64, 64);
		struct wl_subsurface *subsurface = wl_subcompositor_get_subsurface(
			client->subcompositor, child->surface, client->windows[0].surface);
		wl_subsurface_set_position(subsurface, i % 8 * 72, i / 8 * 72);
		if (!client->load->sync) {
			wl_subsurface_set_desync(subsurface);
		}
		draw(child, 0, false);
	}
	draw(&client->windows[0], 0, false);
}

static int64_t now_ms(void)
{
	return now_ns() / 1000000;
}

/* Dispatches events until `end`, or until none has come for `quiet_ms`. */
static void dispatch_until(struct client *client, int64_t end, int quiet_ms)
{
	struct pollfd poll_fd = {.fd = wl_display_get_fd(client->display), .events = POLLIN};
	bool counted = client->running && client->frames > 0;
	for (int64_t now = now_ms(); now < end; now = now_ms()) {
		if (counted && !client->running) {
			return;
		}
		int left = (int)(end - now);
		wl_display_flush(client->display);
		if (poll(&poll_fd, 1, left < quiet_ms ? left : quiet_ms) <= 0 ||
			wl_display_dispatch(client->display) < 0) {
			return;
		}
	}
}

static bool goes_on(const struct client *client, int64_t end)
{
	return client->frames > 0 ? client->done < client->frames : now_ms() < end;
}

static void churn(struct client *client, int64_t end)
{
	int32_t stride = CHURN_SIZE * 4, size = stride * CHURN_SIZE;
	int fd = fd_create_memory("load-client", size, true);
	for (; goes_on(client, end); client->done += CHURN_BATCH) {
		for (int i = 0; i < CHURN_BATCH; i++) {
			struct wl_shm_pool *pool = wl_shm_create_pool(client->shm, fd, size);
			wl_buffer_destroy(wl_shm_pool_create_buffer(
				pool, 0, CHURN_SIZE, CHURN_SIZE, stride, WL_SHM_FORMAT_XRGB8888));
			wl_shm_pool_destroy(pool);
		}
		wl_display_roundtrip(client->display);
	}
	close(fd);
}

/* Measures the lateness of an idle event loop. */
static void tick(struct client *client, int64_t end)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	int64_t start = now_ns(), period = client->period = NS_PER_S / 60;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	uint64_t expirations;
	for (; now_ms() < end; client->done++) {
		int64_t when = start + ((now_ns() - start) / period + 1) * period;
		struct itimerspec spec = {.it_value = {when / NS_PER_S, when % NS_PER_S}};
		timerfd_settime(fd, TFD_TIMER_ABSTIME, &spec, NULL);
		poll(&poll_fd, 1, -1);
		note_arrival(client, when, now_ns());
		if (read(fd, &expirations, sizeof(expirations)) < 0) {
			break;
		}
	}
	close(fd);
}

static void run(struct client *client, int64_t end)
{
	const struct load *load = client->load;
	client->running = true;
	switch (load->mode) {
	case MODE_FRAMES:
	case MODE_TREE:
		for (int i = 0; i < load->active; i++) {
			draw_frame(&client->windows[load->windows - 1 - i]);
		}
		dispatch_until(client, end, 1000);
		break;
	case MODE_STORM:
		while (goes_on(client, end)) {
			for (int i = 0; i < STORM_BATCH; i++, client->done++) {
				draw(&client->windows[0], load->damage, false);
			}
			wl_display_roundtrip(client->display);
		}
		break;
	case MODE_PUSH:
		for (int64_t next = now_ms(); next < end; next += PUSH_MS, client->done++) {
			draw(&client->windows[0], load->damage, false);
			dispatch_until(client, next + PUSH_MS, PUSH_MS);
		}
		break;
	case MODE_CONNECT:
		for (; goes_on(client, end); client->done++) {
			struct wl_display *display = wl_display_connect(NULL);
			wl_registry_destroy(wl_display_get_registry(display));
			wl_display_roundtrip(display);
			wl_display_disconnect(display);
		}
		break;
	case MODE_CHURN: churn(client, end); break;
	case MODE_TIMER: tick(client, end); break;
	case MODE_STILL: dispatch_until(client, end, (int)(end - now_ms())); break;
	}
	client->running = false;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Returns the percentile `percent` of the values in us, and sorts them. */
static double find_quantile(int64_t *values, int n, int percent)
{
	qsort(values, (size_t)n, sizeof(*values), compare);
	return n > 0 ? (double)values[n * percent / 100] / 1000.0 : 0;
}

/*
 * Returns the time since the preceding line of the grid, which starts where the first arrival was
 * due.
 */
static int64_t find_phase(const struct client *client, const struct arrival *arrival)
{
	int64_t since = arrival->when - client->arrivals[0].due;
	return client->period > 0 ? since % client->period : since;
}

/* Returns the 99th percentile of the distance from a grid through the median phase, in us. */
static double find_unevenness(const struct client *client, int64_t *values)
{
	int n = client->n_arrivals;
	int64_t period = client->period;
	for (int i = 0; i < n; i++) {
		values[i] = find_phase(client, &client->arrivals[i]);
	}
	find_quantile(values, n, 50);
	int64_t phase = n > 0 ? values[n / 2] : 0;
	for (int i = 0; i < n; i++) {
		int64_t off = llabs(find_phase(client, &client->arrivals[i]) - phase);
		values[i] = off > period / 2 ? period - off : off;
	}
	return find_quantile(values, n, 99);
}

/* In the order in which the script reads the values. */
static void report(const struct client *client)
{
	static int64_t values[ARRIVALS_MAX];
	int n = client->n_arrivals;
	for (int i = 0; i < n; i++) {
		values[i] = client->arrivals[i].when - client->arrivals[i].due;
	}
	double half = find_quantile(values, n, 50), late = find_quantile(values, n, 99);
	printf("%ld %.1f %.1f %.1f\n", client->done, half, late, find_unevenness(client, values));
	fflush(stdout);
}

/* Returns false if standard input was closed. */
static bool wait_for_go(const struct client *client)
{
	char line[16];
	return client->frames > 0 || fgets(line, sizeof(line), stdin);
}

static void set_up(struct client *client)
{
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &client->compositor},
		{&wl_subcompositor_interface, 1, &client->subcompositor, .optional = true},
		{&wl_shm_interface, 1, &client->shm},
		{&xdg_wm_base_interface, 1, &client->shell},
		{&wp_presentation_interface, 1, &client->presentation, listen_to_presentation,
			client, .optional = true},
	};
	if (!program_bind(client->display, globals, sizeof(globals) / sizeof(globals[0]))) {
		exit(2);
	}
	client->windows = calloc((size_t)client->load->windows + 1, sizeof(*client->windows));
	for (int i = 0; i < client->load->windows; i++) {
		show_window(client, &client->windows[i], i);
	}
	if (client->load->mode == MODE_TREE) {
		add_children(client);
	}
	dispatch_until(client, now_ms() + 5000, SETTLE_MS);
	if (client->frames == 0 && client->load->mode != MODE_STILL) {
		run(client, now_ms() + WARM_MS);
		dispatch_until(client, now_ms() + 1000, 50);
		client->done = client->n_arrivals = 0;
	}
}

int main(int argc, char **argv)
{
	static struct client client;
	for (size_t i = 0; argc == 3 && i < sizeof(loads) / sizeof(loads[0]); i++) {
		if (strcmp(argv[1], loads[i].name) == 0) {
			client.load = &loads[i];
		}
	}
	if (!client.load) {
		fprintf(stderr, "usage: %s LOAD SECONDS|FRAMESf\n", argv[0]);
		return 2;
	}
	if (argv[2][strlen(argv[2]) - 1] == 'f') {
		client.frames = atol(argv[2]);
	}
	if (client.load->mode != MODE_TIMER) {
		client.display = wl_display_connect(NULL);
		if (!client.display) {
			fprintf(stderr, "%s: cannot connect to a compositor\n", argv[0]);
			return 2;
		}
		set_up(&client);
	}
	puts("ready");
	fflush(stdout);
	if (!wait_for_go(&client)) {
		return 1;
	}
	double seconds = client.frames > 0 ? 600 : atof(argv[2]);
	run(&client, now_ms() + (int64_t)(seconds * 1000));
	report(&client);
	if (!wait_for_go(&client)) {
		return 1;
	}
	if (client.display) {
		wl_display_disconnect(client.display);
	}
	return 0;
}
