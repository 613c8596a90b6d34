/* SPDX-License-Identifier: MIT */
/*
 * Client with a random scene: scenes-client SEED [DEVICE].
 *
 * The scene is a tree of subsurfaces over a fullscreen window, in shared memory, sealed pools,
 * dma-bufs and single pixel buffers; translucent, scaled, transformed and hidden. Its contents
 * depend on the seed only. Each line on standard input changes something; the client prints "step
 * N" after the server has received it all. DEVICE allocates dma-bufs; without it, shared memory is
 * used. Some surfaces update continuously with the same contents, like a video. The cursor is a
 * square of CURSOR_SIZE pixels with one color.
 */

#include "alpha-modifier-v1-client-protocol.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "scenes.h"
#include "single-pixel-buffer-v1-client-protocol.h"
#include "viewporter-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CHANGES 3
#define CURSOR_SIZE 24
#define CURSOR_COLOR 0xffff00ffu

static void step(struct client *client)
{
	for (int i = 0; i < CHANGES; i++) {
		child_change(&client->children[between(client, 0, N_CHILDREN - 1)]);
	}
	/* Commit children before parents, since a synchronized child waits for its parent. */
	for (int i = N_CHILDREN - 1; i >= 0; i--) {
		child_commit(&client->children[i]);
	}
	wl_surface_commit(client->window.surface);
}

/* Window */

static void make_child(struct client *client, int i)
{
	struct child *child = &client->children[i];
	/* Half of them are children of children. */
	child->client = client;
	bool nested = i > 1 && i < N_CHILDREN - 1 && between(client, 0, 1);
	child->parent = nested ? &client->children[between(client, 0, i - 1)] : &client->window;
	child->surface = wl_compositor_create_surface(client->compositor);
	child->subsurface = wl_subcompositor_get_subsurface(
		client->subcompositor, child->surface, child->parent->surface);
	child->viewport = wp_viewporter_get_viewport(client->viewporter, child->surface);
	child->alpha = wp_alpha_modifier_v1_get_surface(client->alpha, child->surface);
	wl_subsurface_set_desync(child->subsurface);
	/* Without input region, the window below keeps the pointer. */
	struct wl_region *nothing = wl_compositor_create_region(client->compositor);
	wl_surface_set_input_region(child->surface, nothing);
	wl_region_destroy(nothing);
	child_choose_place(child);
	child_choose_kind(child);
	if (i == N_CHILDREN - 1) {
		child_make_video(child);
	}
}

static void fill_window(struct child *window)
{
	window->memory = MEMORY_SHM;
	window->width = WIDTH;
	window->height = HEIGHT;
	window->drawing = calloc((size_t)WIDTH * HEIGHT, 4);
	for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
		uint32_t x = i % WIDTH, y = i / WIDTH;
		window->drawing[i] = 0xff000000 | (x * 255 / WIDTH) << 16 |
				     (y * 255 / HEIGHT) << 8 | ((x / 8 + y / 8) % 2 ? 200 : 60);
	}
	child_attach(window);
	wl_surface_damage_buffer(window->surface, 0, 0, WIDTH, HEIGHT);
}

static void handle_changed(struct program_window *window)
{
	if (window->closed) {
		exit(0);
	}
}

static void show(struct client *client)
{
	struct child *window = &client->window;
	window->client = client;
	client->toplevel.changed = handle_changed;
	program_window_open(&client->toplevel, client->compositor, client->wm_base);
	window->surface = client->toplevel.surface;
	xdg_toplevel_set_app_id(client->toplevel.toplevel, "scenes");
	xdg_toplevel_set_fullscreen(client->toplevel.toplevel, NULL);
	program_window_begin(&client->toplevel, client->display);
	for (int i = 0; i < N_CHILDREN; i++) {
		make_child(client, i);
	}
	for (int i = N_CHILDREN - 1; i >= 0; i--) {
		child_commit(&client->children[i]);
	}
	fill_window(window);
	wl_surface_commit(window->surface);
}

/* Cursor */

static void handle_enter(void *data, struct wl_pointer *pointer, uint32_t serial,
	struct wl_surface *surface, wl_fixed_t x, wl_fixed_t y)
{
	struct client *client = data;
	struct child *cursor = &client->cursor;
	if (!cursor->surface) {
		cursor->client = client;
		cursor->width = cursor->height = CURSOR_SIZE;
		cursor->drawing = calloc((size_t)CURSOR_SIZE * CURSOR_SIZE, 4);
		for (int i = 0; i < CURSOR_SIZE * CURSOR_SIZE; i++) {
			cursor->drawing[i] = CURSOR_COLOR;
		}
		cursor->surface = wl_compositor_create_surface(client->compositor);
		child_attach(cursor);
		wl_surface_damage_buffer(cursor->surface, 0, 0, CURSOR_SIZE, CURSOR_SIZE);
		wl_surface_commit(cursor->surface);
	}
	wl_pointer_set_cursor(pointer, serial, cursor->surface, 0, 0);
}

static void ignore_leave(
	void *data, struct wl_pointer *pointer, uint32_t serial, struct wl_surface *surface)
{
}

static void ignore_motion(
	void *data, struct wl_pointer *pointer, uint32_t time, wl_fixed_t x, wl_fixed_t y)
{
}

static void ignore_button(void *data, struct wl_pointer *pointer, uint32_t serial, uint32_t time,
	uint32_t button, uint32_t state)
{
}

static void ignore_axis(
	void *data, struct wl_pointer *pointer, uint32_t time, uint32_t axis, wl_fixed_t value)
{
}

static const struct wl_pointer_listener pointer_listener = {
	.enter = handle_enter,
	.leave = ignore_leave,
	.motion = ignore_motion,
	.button = ignore_button,
	.axis = ignore_axis,
};

static void handle_capabilities(void *data, struct wl_seat *seat, uint32_t capabilities)
{
	struct client *client = data;
	if ((capabilities & WL_SEAT_CAPABILITY_POINTER) && !client->has_pointer) {
		client->has_pointer = true;
		wl_pointer_add_listener(wl_seat_get_pointer(seat), &pointer_listener, data);
	}
}

static const struct wl_seat_listener seat_listener = {.capabilities = handle_capabilities};

static void listen_to_seat(void *data, void *seat)
{
	wl_seat_add_listener(seat, &seat_listener, data);
}

static void connect_to_server(struct client *client)
{
	client->display = wl_display_connect(NULL);
	if (!client->display) {
		fail("no compositor");
	}
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &client->compositor},
		{&wl_subcompositor_interface, 1, &client->subcompositor},
		{&wl_shm_interface, 1, &client->shm},
		{&wl_seat_interface, 1, &client->seat, listen_to_seat, client, .optional = true},
		{&xdg_wm_base_interface, 1, &client->wm_base},
		{&zwp_linux_dmabuf_v1_interface, 3, &client->dmabuf,
			.optional = client->device < 0},
		{&wp_viewporter_interface, 1, &client->viewporter},
		{&wp_alpha_modifier_v1_interface, 1, &client->alpha},
		{&wp_single_pixel_buffer_manager_v1_interface, 1, &client->colors},
	};
	if (!program_bind(client->display, globals, sizeof(globals) / sizeof(globals[0]))) {
		fail("the compositor lacks a required global");
	}
}

static void say(struct client *client, int n)
{
	wl_display_roundtrip(client->display);
	printf("step %d\n", n);
	fflush(stdout);
}

/* Returns false at the end of standard input. */
static bool wait_for_line(struct client *client)
{
	struct pollfd polled[] = {{.fd = wl_display_get_fd(client->display), .events = POLLIN},
		{.fd = STDIN_FILENO, .events = POLLIN}};
	char line[64];
	for (;;) {
		if (wl_display_dispatch_pending(client->display) < 0 ||
			wl_display_flush(client->display) < 0 || poll(polled, 2, -1) < 0) {
			fail("the connection to the compositor was lost");
		}
		if (polled[0].revents) {
			/* Draw slowly: vkms may read released buffers for its CRC. */
			usleep(30000);
			if (wl_display_dispatch(client->display) < 0) {
				fail("the connection to the compositor was lost");
			}
		}
		if (polled[1].revents) {
			return read(STDIN_FILENO, line, sizeof(line)) > 0;
		}
	}
}

int main(int argc, char **argv)
{
	struct client client = {.device = -1};
	if (argc < 2) {
		fail("usage: scenes-client SEED [DEVICE]");
	}
	client.random = strtoull(argv[1], NULL, 10) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	if (argc > 2 && (client.device = open(argv[2], O_RDWR | O_CLOEXEC)) < 0) {
		fail("no device");
	}
	connect_to_server(&client);
	show(&client);
	say(&client, 0);
	for (int n = 1; wait_for_line(&client); n++) {
		step(&client);
		say(&client, n);
	}
	return 0;
}
