/* SPDX-License-Identifier: MIT */
/*
 * Client that commits one frame after the other, to measure the cost of a commit in the server:
 * commit-client WIDTH HEIGHT DAMAGE_WIDTH DAMAGE_HEIGHT FRAMES [CHILDREN [sync]].
 *
 * Each frame damages one rectangle of a window and waits for the frame callback. Three buffers are
 * used in turn; only the damage is written. With children, the window stays unchanged: of its
 * subsurfaces, each as large as the damage, the middle one draws, either desynchronized, or
 * synchronized with the window, which commits after it.
 */

#include "harness/program.h"
#include "util/fd.h"
#include "xdg-shell-client-protocol.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#define BUFFERS 3
/** Longer than any frame takes, also under callgrind. */
#define SETTLE_MS 300

struct image {
	struct wl_buffer *buffer;
	uint32_t *pixels;
	int stride; /* pixels */
	bool busy;
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *shell;
	struct program_window window;
	struct wl_surface *drawn; /* the surface that draws: the window's or a child's */
	struct image images[BUFFERS];
	int width, height, damage_width, damage_height;
	int frames, done;
	int children;
	bool sync;
};

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct image *image = data;
	image->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static bool make_images(struct client *client, struct image *images, int n, int width, int height)
{
	int32_t stride = width * 4, size = stride * height;
	int fd = fd_create_memory("commit-client", (off_t)size * n, true);
	if (fd < 0) {
		return false;
	}
	char *data =
		mmap(NULL, (size_t)size * (size_t)n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED) {
		close(fd);
		return false;
	}
	memset(data, 0x40, (size_t)size * (size_t)n);
	struct wl_shm_pool *pool = wl_shm_create_pool(client->shm, fd, size * n);
	for (int i = 0; i < n; i++) {
		struct image *image = &images[i];
		image->pixels = (uint32_t *)(void *)(data + (size_t)size * (size_t)i);
		image->stride = width;
		image->buffer = wl_shm_pool_create_buffer(
			pool, i * size, width, height, stride, WL_SHM_FORMAT_XRGB8888);
		wl_buffer_add_listener(image->buffer, &buffer_listener, image);
	}
	wl_shm_pool_destroy(pool);
	close(fd);
	return true;
}

static struct image *find_free_image(struct client *client)
{
	for (;;) {
		for (int i = 0; i < BUFFERS; i++) {
			if (!client->images[i].busy) {
				return &client->images[i];
			}
		}
		if (wl_display_dispatch(client->display) < 0) {
			return NULL;
		}
	}
}

static const struct wl_callback_listener frame_listener;

static void draw(struct client *client)
{
	struct image *image = find_free_image(client);
	if (!image) {
		return;
	}
	uint32_t color = 0xff000000u | (uint32_t)client->done * 0x050301u;
	for (int y = 0; y < client->damage_height; y++) {
		for (int x = 0; x < client->damage_width; x++) {
			image->pixels[(size_t)y * (size_t)image->stride + (size_t)x] = color;
		}
	}
	image->busy = true;
	wl_surface_attach(client->drawn, image->buffer, 0, 0);
	wl_surface_damage_buffer(client->drawn, 0, 0, client->damage_width, client->damage_height);
	wl_callback_add_listener(wl_surface_frame(client->drawn), &frame_listener, client);
	wl_surface_commit(client->drawn);
	if (client->sync) {
		wl_surface_commit(client->window.surface);
	}
}

static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	struct client *client = data;
	wl_callback_destroy(callback);
	if (++client->done < client->frames) {
		draw(client);
	}
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

/* Side by side from the window's corner on. All but the drawing one keep one buffer. */
static bool make_children(struct client *client)
{
	struct image still;
	if (!make_images(client, &still, 1, client->damage_width, client->damage_height)) {
		return false;
	}
	int columns = client->width / client->damage_width;
	for (int i = 0; i < client->children; i++) {
		struct wl_surface *surface = wl_compositor_create_surface(client->compositor);
		struct wl_subsurface *child = wl_subcompositor_get_subsurface(
			client->subcompositor, surface, client->window.surface);
		wl_subsurface_set_position(child, i % columns * client->damage_width,
			i / columns * client->damage_height);
		if (!client->sync) {
			wl_subsurface_set_desync(child);
		}
		wl_surface_attach(surface, still.buffer, 0, 0);
		wl_surface_damage_buffer(surface, 0, 0, INT32_MAX, INT32_MAX);
		wl_surface_commit(surface);
		if (i == client->children / 2) {
			client->drawn = surface;
		}
	}
	return true;
}

/* The window has a buffer of its own, and a child draws. */
static bool make_tree(struct client *client)
{
	struct image window;
	if (!make_images(client, &window, 1, client->width, client->height) ||
		!make_children(client)) {
		return false;
	}
	wl_surface_attach(client->window.surface, window.buffer, 0, 0);
	wl_surface_damage_buffer(client->window.surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(client->window.surface);
	return true;
}

/*
 * Waits until the server is idle: frames for mapped and unmapped windows are then part of every
 * run, and cancel out in the difference of two.
 */
static void settle(struct client *client)
{
	struct pollfd poll_fd = {.fd = wl_display_get_fd(client->display), .events = POLLIN};
	do {
		wl_display_roundtrip(client->display);
	} while (poll(&poll_fd, 1, SETTLE_MS) > 0);
}

int main(int argc, char **argv)
{
	struct client client = {0};
	if (argc < 6 || argc > 8) {
		fprintf(stderr,
			"usage: %s WIDTH HEIGHT DAMAGE_WIDTH DAMAGE_HEIGHT FRAMES [CHILDREN "
			"[sync]]\n",
			argv[0]);
		return 2;
	}
	client.width = atoi(argv[1]);
	client.height = atoi(argv[2]);
	client.damage_width = atoi(argv[3]);
	client.damage_height = atoi(argv[4]);
	client.frames = atoi(argv[5]);
	client.children = argc > 6 ? atoi(argv[6]) : 0;
	client.sync = argc > 7;
	client.display = wl_display_connect(NULL);
	if (!client.display) {
		fprintf(stderr, "cannot connect to a compositor: is WAYLAND_DISPLAY set?\n");
		return 1;
	}
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &client.compositor},
		{&wl_subcompositor_interface, 1, &client.subcompositor},
		{&wl_shm_interface, 1, &client.shm},
		{&xdg_wm_base_interface, 1, &client.shell},
	};
	if (!program_bind(client.display, globals, sizeof(globals) / sizeof(globals[0]))) {
		return 1;
	}
	bool whole = client.children == 0;
	if (!make_images(&client, client.images, BUFFERS,
		    whole ? client.width : client.damage_width,
		    whole ? client.height : client.damage_height)) {
		fprintf(stderr, "no memory\n");
		return 1;
	}
	settle(&client);
	program_window_open(&client.window, client.compositor, client.shell);
	client.drawn = client.window.surface;
	program_window_begin(&client.window, client.display);
	if (client.children > 0) {
		if (!make_tree(&client)) {
			return 1;
		}
		settle(&client);
	}
	draw(&client);
	while (!client.window.closed && client.done < client.frames &&
		wl_display_dispatch(client.display) >= 0) {
	}
	wl_surface_attach(client.window.surface, NULL, 0, 0);
	wl_surface_commit(client.window.surface);
	settle(&client);
	wl_display_disconnect(client.display);
	return client.done < client.frames;
}
