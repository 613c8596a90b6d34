/* SPDX-License-Identifier: MIT */
/*
 * Client with linear dma-bufs of a display device, for cases about planes:
 *
 * planes-client fullscreen DEVICE [OUTPUT] updates a fullscreen window continuously.
 *
 * planes-client video DEVICE shows a still shm window with a subsurface that updates continuously.
 *
 * planes-client still DEVICE shows a large translucent still window.
 *
 * planes-client pool DEVICE [OUTPUT] updates a fullscreen window from sealed shared memory.
 *
 * planes-client pool-window DEVICE does the same in a window.
 *
 * All frames have the same contents, so that tests can compare any of them. The client prints the
 * presentation of each frame: "zero-copy" or "copied".
 */

#include "dumb.h"
#include "harness/program.h"
#include "presentation-time-client-protocol.h"
#include "xdg-shell-client-protocol.h"
#include <drm_fourcc.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#define N_BUFFERS 3
#define WINDOW_WIDTH 320
#define WINDOW_HEIGHT 240
#define VIDEO_X 40
#define VIDEO_Y 60
#define VIDEO_WIDTH 160
#define VIDEO_HEIGHT 96
#define POOL_WIDTH 256
#define POOL_HEIGHT 192
#define STILL_WIDTH 600
#define STILL_HEIGHT 440

struct frame {
	struct wl_buffer *buffer;
	bool busy;
};

struct client {
	struct wl_display *display;
	struct wl_compositor *compositor;
	struct wl_subcompositor *subcompositor;
	struct wl_shm *shm;
	struct xdg_wm_base *wm_base;
	struct zwp_linux_dmabuf_v1 *dmabuf;
	struct wp_presentation *presentation;
	struct wl_output *output; /* requested output; NULL: any */
	const char *output_name;
	int device;
	bool fullscreen, video, pool;
	struct program_window window;
	struct wl_surface *moving; /* updated continuously; NULL: none */
	struct frame frames[N_BUFFERS];
	int32_t width, height; /* of the window */
	bool drawn;
	int last; /* last printed result; -1: none */
};

static void fail(const char *what)
{
	fprintf(stderr, "planes-client: %s\n", what);
	exit(1);
}

/* Fills a pattern without symmetry, so that any shift or reflection is visible. */
static void paint(uint32_t *pixels, int32_t width, int32_t height, size_t stride, bool opaque)
{
	for (int32_t y = 0; y < height; y++) {
		for (int32_t x = 0; x < width; x++) {
			uint32_t r = (uint32_t)(x * 255 / width), g = (uint32_t)(y * 255 / height);
			uint32_t b = (x / 8 + y / 8) % 2 ? 200 : 60;
			uint32_t color = 0xff000000 | r << 16 | g << 8 | b;
			pixels[(size_t)y * stride / 4 + (size_t)x] =
				opaque ? color : color >> 1 & 0x7f7f7f7f;
		}
	}
}

static struct wl_buffer *create_shm(
	struct client *client, int32_t width, int32_t height, bool opaque, bool alpha)
{
	/* Whole pages of sealed memory, which devices may read in place. */
	int32_t size = (width * height * 4 + 4095) / 4096 * 4096;
	int fd = memfd_create("planes-client", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, size) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) < 0) {
		fail("cannot create shared memory");
	}
	uint32_t *pixels = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pixels == MAP_FAILED) {
		fail("cannot map shared memory");
	}
	paint(pixels, width, height, (size_t)width * 4, opaque);
	munmap(pixels, (size_t)size);
	struct wl_shm_pool *pool = wl_shm_create_pool(client->shm, fd, size);
	struct wl_buffer *buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4,
		alpha ? WL_SHM_FORMAT_ARGB8888 : WL_SHM_FORMAT_XRGB8888);
	wl_shm_pool_destroy(pool);
	close(fd);
	return buffer;
}

static struct wl_buffer *create_dmabuf(struct client *client, int32_t width, int32_t height)
{
	struct dumb dumb;
	/*
	 * With alpha, unlike the compositor's own buffers, so that planes show which one they have.
	 */
	const char *error = dumb_create(
		&dumb, client->device, client->dmabuf, width, height, DRM_FORMAT_ARGB8888);
	if (error) {
		fail(error);
	}
	paint(dumb.pixels, width, height, dumb.stride, true);
	munmap(dumb.pixels, dumb.size);
	return dumb.buffer;
}

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct frame *frame = data;
	frame->busy = false;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static struct frame *find_free_frame(struct client *client, int32_t width, int32_t height)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct frame *frame = &client->frames[i];
		if (!frame->buffer) {
			frame->buffer = client->pool ? create_shm(client, width, height, true, true)
						     : create_dmabuf(client, width, height);
			wl_buffer_add_listener(frame->buffer, &buffer_listener, frame);
		}
		if (!frame->busy) {
			return frame;
		}
	}
	return NULL;
}

static void draw(struct client *client);

/*
 * Draws slowly: vkms may read a released buffer for its CRC, so the client waits before drawing
 * into it.
 */
static void handle_frame(void *data, struct wl_callback *callback, uint32_t time)
{
	usleep(40000);
	wl_callback_destroy(callback);
	draw(data);
}

static const struct wl_callback_listener frame_listener = {.done = handle_frame};

static void handle_sync_output(
	void *data, struct wp_presentation_feedback *feedback, struct wl_output *output)
{
}

static void handle_presented(void *data, struct wp_presentation_feedback *feedback,
	uint32_t seconds_high, uint32_t seconds_low, uint32_t ns, uint32_t refresh,
	uint32_t sequence_high, uint32_t sequence_low, uint32_t flags)
{
	struct client *client = data;
	int now = flags & WP_PRESENTATION_FEEDBACK_KIND_ZERO_COPY ? 1 : 0;
	if (client->last != now) {
		printf("%s\n", now ? "zero-copy" : "copied");
		fflush(stdout);
		client->last = now;
	}
	wp_presentation_feedback_destroy(feedback);
}

static void handle_discarded(void *data, struct wp_presentation_feedback *feedback)
{
	wp_presentation_feedback_destroy(feedback);
}

static const struct wp_presentation_feedback_listener feedback_listener = {
	.sync_output = handle_sync_output,
	.presented = handle_presented,
	.discarded = handle_discarded,
};

static void set_opaque(struct client *client, struct wl_surface *surface)
{
	struct wl_region *region = wl_compositor_create_region(client->compositor);
	wl_region_add(region, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_set_opaque_region(surface, region);
	wl_region_destroy(region);
}

static void draw(struct client *client)
{
	int32_t width = client->video ? VIDEO_WIDTH : client->width;
	int32_t height = client->video ? VIDEO_HEIGHT : client->height;
	struct frame *frame = find_free_frame(client, width, height);
	struct wl_surface *surface = client->moving;
	struct wl_callback *callback = wl_surface_frame(surface);
	wl_callback_add_listener(callback, &frame_listener, client);
	if (frame) {
		frame->busy = true;
		set_opaque(client, surface);
		wl_surface_attach(surface, frame->buffer, 0, 0);
		/* Large enough for zero-copy, small enough for software until then. */
		wl_surface_damage_buffer(surface, 0, 0, width, client->pool ? height / 3 : height);
		wp_presentation_feedback_add_listener(
			wp_presentation_feedback(client->presentation, surface), &feedback_listener,
			client);
	}
	wl_surface_commit(surface);
}

static void handle_changed(struct program_window *window)
{
	struct client *client = wl_container_of(window, client, window);
	if (window->closed) {
		exit(0);
	}
	if (client->fullscreen && window->width > 0 && window->height > 0) {
		client->width = window->width;
		client->height = window->height;
	}
	if (client->drawn) {
		return;
	}
	client->drawn = true;
	if (client->fullscreen || client->pool) {
		client->moving = client->window.surface;
		draw(client);
		return;
	}
	wl_surface_attach(client->window.surface,
		create_shm(client, client->width, client->height, client->video, !client->video), 0,
		0);
	if (client->video) {
		client->moving = wl_compositor_create_surface(client->compositor);
		struct wl_subsurface *subsurface = wl_subcompositor_get_subsurface(
			client->subcompositor, client->moving, client->window.surface);
		wl_subsurface_set_position(subsurface, VIDEO_X, VIDEO_Y);
		wl_subsurface_set_desync(subsurface);
		draw(client);
	}
	wl_surface_commit(client->window.surface);
}

static void handle_geometry(void *data, struct wl_output *output, int32_t x, int32_t y,
	int32_t width, int32_t height, int32_t subpixel, const char *make, const char *model,
	int32_t transform)
{
}

static void handle_mode(void *data, struct wl_output *output, uint32_t flags, int32_t width,
	int32_t height, int32_t refresh)
{
}

static void handle_output_done(void *data, struct wl_output *output)
{
}

static void handle_scale(void *data, struct wl_output *output, int32_t factor)
{
}

static void handle_name(void *data, struct wl_output *output, const char *name)
{
	struct client *client = data;
	if (client->output_name && strcmp(name, client->output_name) == 0) {
		client->output = output;
	}
}

static void handle_description(void *data, struct wl_output *output, const char *description)
{
}

static const struct wl_output_listener output_listener = {
	.geometry = handle_geometry,
	.mode = handle_mode,
	.done = handle_output_done,
	.scale = handle_scale,
	.name = handle_name,
	.description = handle_description,
};

static void listen_to_output(void *data, void *output)
{
	wl_output_add_listener(output, &output_listener, data);
}

static void show(struct client *client, const char *mode)
{
	client->window.changed = handle_changed;
	program_window_open(&client->window, client->compositor, client->wm_base);
	xdg_toplevel_set_app_id(client->window.toplevel, mode);
	if (client->fullscreen) {
		xdg_toplevel_set_fullscreen(client->window.toplevel, client->output);
	}
	wl_surface_commit(client->window.surface);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fail("usage: planes-client fullscreen|video|still|pool|pool-window DEVICE "
		     "[OUTPUT]");
	}
	struct client client = {
		.fullscreen = strcmp(argv[1], "fullscreen") == 0 || strcmp(argv[1], "pool") == 0,
		.pool = strncmp(argv[1], "pool", 4) == 0,
		.video = strcmp(argv[1], "video") == 0,
		.output_name = argc > 3 ? argv[3] : NULL,
		.last = -1,
	};
	client.width = client.pool ? POOL_WIDTH : client.video ? WINDOW_WIDTH : STILL_WIDTH;
	client.height = client.pool ? POOL_HEIGHT : client.video ? WINDOW_HEIGHT : STILL_HEIGHT;
	client.device = open(argv[2], O_RDWR | O_CLOEXEC);
	client.display = wl_display_connect(NULL);
	if (client.device < 0 || !client.display) {
		fail("cannot open the device or connect to a compositor");
	}
	const struct program_global globals[] = {
		{&wl_compositor_interface, 4, &client.compositor},
		{&wl_subcompositor_interface, 1, &client.subcompositor},
		{&wl_shm_interface, 1, &client.shm},
		{&xdg_wm_base_interface, 1, &client.wm_base},
		{&zwp_linux_dmabuf_v1_interface, 3, &client.dmabuf},
		{&wp_presentation_interface, 1, &client.presentation},
		{&wl_output_interface, 4, NULL, listen_to_output, &client},
	};
	if (!program_bind(client.display, globals, sizeof(globals) / sizeof(globals[0]))) {
		return 1;
	}
	wl_display_roundtrip(client.display);
	show(&client, argv[1]);
	while (wl_display_dispatch(client.display) >= 0) {
	}
	return 1;
}
