/*
 * A client that loads a compositor in one of several ways, for tests/bench/compositor.
 *
 *     load-client LOAD SECONDS
 *
 * Makes its windows, prints "ready" and waits for a line on standard input; then works for so long,
 * prints how many frames (or commits, or connections) it got done, and waits for another line.
 */

#include "util/fd.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <wayland-client.h>

#define SETTLE_MS 400
#define CHILDREN 64
#define STORM_BATCH 100
#define PUSH_MS 16

enum mode {
	MODE_FRAMES, /* the last `active` windows, which are on top, draw whenever they are called back */
	MODE_TREE, /* all children draw when the parent is called back */
	MODE_STORM, /* commits without waiting for frames */
	MODE_PUSH, /* a covered window commits by the clock */
	MODE_CONNECT,
	MODE_STILL,
};

struct load {
	const char *name;
	enum mode mode;
	int windows, active;
	int width, height, damage; /* damage 0: all of it */
	bool sync;
};

static const struct load loads[] = {
	{"small", MODE_FRAMES, 1, 1, 1920, 1080, 64, false},
	{"full", MODE_FRAMES, 1, 1, 1920, 1080, 0, false},
	{"windows", MODE_FRAMES, 50, 50, 256, 256, 64, false},
	{"idle-beside", MODE_FRAMES, 200, 1, 256, 256, 64, false},
	{"desync", MODE_TREE, 1, 1, 640, 640, 0, false},
	{"sync", MODE_TREE, 1, 1, 640, 640, 0, true},
	{"storm", MODE_STORM, 1, 1, 256, 256, 64, false},
	{"hidden", MODE_PUSH, 2, 1, 1920, 1080, 64, false},
	{"connect", MODE_CONNECT, 0, 0, 0, 0, 0, false},
	{"still", MODE_STILL, 20, 0, 256, 256, 0, false},
};

struct client;

struct view {
	struct client *client;
	struct wl_surface *surface;
	struct wl_buffer *buffers[2];
	int next;
	int width, height;
	bool configured;
};

struct client {
	const struct load *load;
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *shell;
	struct view *windows, *children;
	long done;
	bool running;
};

static void ignore_ping(void *data, struct xdg_wm_base *shell, uint32_t serial)
{
	xdg_wm_base_pong(shell, serial);
}

static const struct xdg_wm_base_listener shell_listener = {.ping = ignore_ping};

static void handle_configure(void *data, struct xdg_surface *surface, uint32_t serial)
{
	struct view *view = data;
	xdg_surface_ack_configure(surface, serial);
	view->configured = true;
}

static const struct xdg_surface_listener surface_listener = {.configure = handle_configure};

/* Windows keep their own size, whatever they are told. */
static void ignore_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
}

static void ignore_close(void *data, struct xdg_toplevel *toplevel)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = ignore_size, .close = ignore_close};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	struct client *client = data;
	if (strcmp(interface, wl_compositor_interface.name) == 0) {
		client->compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 4);
	} else if (strcmp(interface, wl_subcompositor_interface.name) == 0) {
		client->subcompositor =
			wl_registry_bind(registry, name, &wl_subcompositor_interface, 1);
	} else if (strcmp(interface, wl_shm_interface.name) == 0) {
		client->shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
	} else if (strcmp(interface, xdg_wm_base_interface.name) == 0) {
		client->shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
		xdg_wm_base_add_listener(client->shell, &shell_listener, client);
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global, .global_remove = handle_global_remove};

/* What is in them stays: drawing is not what is measured, and both sides of a copy are warm. */
static void make_buffers(struct client *client, struct view *view)
{
	int32_t stride = view->width * 4, size = stride * view->height;
	int fd = fd_create_memory("load-client", (off_t)size * 2, true);
	void *data = mmap(NULL, (size_t)size * 2, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || data == MAP_FAILED) {
		fprintf(stderr, "no memory for buffers\n");
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

static void make_view(struct client *client, struct view *view, int width, int height)
{
	view->client = client;
	view->width = width;
	view->height = height;
	view->surface = wl_compositor_create_surface(client->compositor);
	make_buffers(client, view);
}

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
	if (view->client->running) {
		view->client->done++;
		draw_frame(view);
	}
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

static void show_window(struct client *client, struct view *view, int i)
{
	const struct load *load = client->load;
	/* What is pushed at is smaller than what covers it. */
	bool small = load->mode == MODE_PUSH && i == 0;
	make_view(client, view, small ? 256 : load->width, small ? 256 : load->height);
	struct xdg_surface *xdg_surface = xdg_wm_base_get_xdg_surface(client->shell, view->surface);
	xdg_surface_add_listener(xdg_surface, &surface_listener, view);
	struct xdg_toplevel *toplevel = xdg_surface_get_toplevel(xdg_surface);
	xdg_toplevel_add_listener(toplevel, &toplevel_listener, view);
	if (load->width == 1920 && !small) {
		xdg_toplevel_set_fullscreen(toplevel, NULL);
	}
	wl_surface_commit(view->surface);
	while (!view->configured && wl_display_dispatch(client->display) >= 0) {
	}
	draw(view, 0, false);
	wl_display_roundtrip(client->display);
}

static void add_children(struct client *client)
{
	client->children = calloc(CHILDREN, sizeof(*client->children));
	for (int i = 0; i < CHILDREN; i++) {
		struct view *child = &client->children[i];
		make_view(client, child, 64, 64);
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
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Dispatches what comes until `end`, or until nothing has come for `quiet_ms`. */
static void dispatch_until(struct client *client, int64_t end, int quiet_ms)
{
	struct pollfd poll_fd = {.fd = wl_display_get_fd(client->display), .events = POLLIN};
	for (int64_t now = now_ms(); now < end; now = now_ms()) {
		int left = (int)(end - now);
		wl_display_flush(client->display);
		if (poll(&poll_fd, 1, left < quiet_ms ? left : quiet_ms) <= 0 ||
			wl_display_dispatch(client->display) < 0) {
			return;
		}
	}
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
		while (now_ms() < end) {
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
		for (; now_ms() < end; client->done++) {
			struct wl_display *display = wl_display_connect(NULL);
			wl_registry_destroy(wl_display_get_registry(display));
			wl_display_roundtrip(display);
			wl_display_disconnect(display);
		}
		break;
	case MODE_STILL: dispatch_until(client, end, (int)(end - now_ms())); break;
	}
	client->running = false;
}

int main(int argc, char **argv)
{
	struct client client = {0};
	char line[16];
	for (size_t i = 0; argc == 3 && i < sizeof(loads) / sizeof(loads[0]); i++) {
		if (strcmp(argv[1], loads[i].name) == 0) {
			client.load = &loads[i];
		}
	}
	client.display = client.load ? wl_display_connect(NULL) : NULL;
	if (!client.display) {
		fprintf(stderr, "usage: %s LOAD SECONDS, under a compositor\n", argv[0]);
		return 2;
	}
	wl_registry_add_listener(
		wl_display_get_registry(client.display), &registry_listener, &client);
	wl_display_roundtrip(client.display);
	client.windows = calloc((size_t)client.load->windows + 1, sizeof(*client.windows));
	for (int i = 0; i < client.load->windows; i++) {
		show_window(&client, &client.windows[i], i);
	}
	if (client.load->mode == MODE_TREE) {
		add_children(&client);
	}
	dispatch_until(&client, now_ms() + 5000, SETTLE_MS);
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin)) {
		return 1;
	}
	run(&client, now_ms() + (int64_t)(atof(argv[2]) * 1000));
	printf("%ld\n", client.done);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin)) {
		return 1;
	}
	wl_display_disconnect(client.display);
	return 0;
}
