/* SPDX-License-Identifier: MIT */
/*
 * Test client with an X window of tiled buffers on the X server's GPU, which is emulated:
 * tiled-x-client FRAMES.
 *
 * radeonsi, by GBM, allocates the buffers on the device that the X server opens (DRI3), in a layout
 * that the server accepts; the CPU draws them by the tiling equations. Present shows them one after
 * the other, until FRAMES were handed over to the compositor. The client prints the device, the
 * modifier, the number of the last frame and the window's place on the root, and runs until the
 * connection ends.
 */

#include "copy/amd/tiling.h"
#include "emulated.h"
#include <drm_fourcc.h>
#include <gbm.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xcb/dri3.h>
#include <xcb/present.h>
#include <xcb/xfixes.h>
#include <xf86drm.h>

#define WIDTH 320
#define HEIGHT 200
#define DEPTH 24
#define BYTES 4
#define N_IMAGES 2
/* Side of the square that changes from frame to frame. */
#define MOVING 32
/*
 * X servers show the first frames as copies in buffers of their own, which stay black since
 * emulated GPUs draw nothing: the number of frames handed over that damage all of the window, and
 * the most frames for each that is handed over.
 */
#define WHOLE 3
#define MOST 5
#define ROUNDS 1000
#define PAUSE 20000000 /* ns */

struct image {
	xcb_pixmap_t pixmap;
	uint8_t *map;
	bool busy;
};

struct client {
	xcb_connection_t *x;
	xcb_screen_t *screen;
	xcb_window_t window;
	xcb_special_event_t *events;
	xcb_xfixes_region_t changed; /* from frame to frame */
	struct gbm_device *gbm;
	uint64_t modifier;
	struct tiling tiling;
	uint32_t pitch; /* pixels */
	struct image images[N_IMAGES];
};

static void fail(const char *what)
{
	fprintf(stderr, "tiled-x-client: %s\n", what);
	exit(EXIT_FAILURE);
}

/* Pixels differ from their neighbors, so that misplaced ones show. */
static uint32_t pixel(int x, int y, int frame)
{
	uint32_t color = (uint32_t)(x * 5 % 256 << 16 | y * 3 % 256 << 8 | (x ^ y) % 256);

	return x < MOVING && y < MOVING ? (uint32_t)frame * 0x102030 % 0x1000000 : color;
}

static void open_device(struct client *client)
{
	xcb_dri3_open_reply_t *reply = xcb_dri3_open_reply(
		client->x, xcb_dri3_open(client->x, client->screen->root, 0), NULL);

	if (!reply || reply->nfd != 1) {
		fail("the X server opens no device");
	}
	int fd = xcb_dri3_open_reply_fds(client->x, reply)[0];
	char *name = drmGetDeviceNameFromFd2(fd);

	free(reply);
	if (!name) {
		fail("the X server's device is no emulated GPU");
	}
	printf("device %s\n", name);
	free(name);
	client->gbm = gbm_create_device(fd);
	if (!client->gbm) {
		fail("GBM cannot use the device");
	}
}

/* Compressed layouts need a real GPU. */
static bool can_draw(uint64_t modifier)
{
	struct tiling_mode mode;

	return tiling_mode_from_modifier(&mode, modifier) && !mode.dcc;
}

/* Returns the first layout for the window, or 0. */
static uint64_t find_layout(struct client *client)
{
	xcb_dri3_get_supported_modifiers_reply_t *reply = xcb_dri3_get_supported_modifiers_reply(
		client->x,
		xcb_dri3_get_supported_modifiers(client->x, client->window, DEPTH, BYTES * 8),
		NULL);
	uint64_t found = 0;

	if (!reply) {
		fail("the X server names no modifiers");
	}
	const uint64_t *window = xcb_dri3_get_supported_modifiers_window_modifiers(reply);
	const uint64_t *screen = xcb_dri3_get_supported_modifiers_screen_modifiers(reply);
	uint32_t n_window = reply->num_window_modifiers, n_screen = reply->num_screen_modifiers;

	for (uint32_t i = 0; i < n_window + n_screen && !found; i++) {
		uint64_t modifier = i < n_window ? window[i] : screen[i - n_window];

		found = can_draw(modifier) ? modifier : 0;
	}
	free(reply);
	return found;
}

/* The compositor may learn the GPU's formats later; it then tells the X server. */
static void choose_layout(struct client *client)
{
	struct tiling_mode mode;

	for (int i = 0; i < ROUNDS && !(client->modifier = find_layout(client)); i++) {
		nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
	}
	if (!client->modifier) {
		fail("the X server accepts no tiled layout");
	}
	printf("modifier 0x%016" PRIx64 "\n", client->modifier);
	tiling_mode_from_modifier(&mode, client->modifier);
	tiling_init(&client->tiling, &mode, 2);
}

static void make_image(struct client *client, struct image *image)
{
	struct gbm_bo *bo = gbm_bo_create_with_modifiers2(client->gbm, WIDTH, HEIGHT,
		GBM_FORMAT_XRGB8888, &client->modifier, 1, GBM_BO_USE_RENDERING);
	int fd = bo ? gbm_bo_get_fd(bo) : -1;

	if (fd < 0) {
		fail("GBM allocates no buffer in this layout");
	}
	client->pitch = gbm_bo_get_stride(bo) / BYTES;
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	image->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (image->map == MAP_FAILED) {
		fail("cannot map a buffer");
	}
	image->pixmap = xcb_generate_id(client->x);
	xcb_void_cookie_t cookie = xcb_dri3_pixmap_from_buffers_checked(client->x, image->pixmap,
		client->window, 1, WIDTH, HEIGHT, gbm_bo_get_stride(bo), gbm_bo_get_offset(bo, 0),
		0, 0, 0, 0, 0, 0, DEPTH, BYTES * 8, client->modifier, &fd);
	if (xcb_request_check(client->x, cookie)) {
		fail("the X server refuses a buffer");
	}
	gbm_bo_destroy(bo);
}

static void draw(const struct client *client, const struct image *image, int frame)
{
	for (uint32_t y = 0; y < HEIGHT; y++) {
		for (uint32_t x = 0; x < WIDTH; x++) {
			uint32_t color = pixel((int)x, (int)y, frame);

			memcpy(image->map + tiling_offset(&client->tiling, client->pitch, x, y),
				&color, sizeof(color));
		}
	}
}

static void make_window(struct client *client)
{
	static const char class[] = "tiled-x-client\0tiled-x-client";
	uint32_t event = xcb_generate_id(client->x);

	client->window = xcb_generate_id(client->x);
	xcb_create_window(client->x, XCB_COPY_FROM_PARENT, client->window, client->screen->root, 0,
		0, WIDTH, HEIGHT, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, client->screen->root_visual, 0,
		NULL);
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, client->window, XCB_ATOM_WM_CLASS,
		XCB_ATOM_STRING, 8, sizeof(class), class);
	static const char pid_name[] = "_NET_WM_PID";
	const uint32_t pid = (uint32_t)getpid();
	xcb_intern_atom_reply_t *atom = xcb_intern_atom_reply(
		client->x, xcb_intern_atom(client->x, 0, sizeof(pid_name) - 1, pid_name), NULL);
	if (atom) {
		xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, client->window, atom->atom,
			XCB_ATOM_CARDINAL, 32, 1, &pid);
	}
	free(atom);
	client->changed = xcb_generate_id(client->x);
	xcb_xfixes_create_region(
		client->x, client->changed, 1, &(xcb_rectangle_t){0, 0, MOVING, MOVING});
	xcb_map_window(client->x, client->window);
	xcb_present_select_input(client->x, event, client->window,
		XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY | XCB_PRESENT_EVENT_MASK_IDLE_NOTIFY);
	client->events = xcb_register_for_special_xge(client->x, &xcb_present_id, event, NULL);
}

/* Returns the mode of a completed presentation, or -1 for another event. */
static int handle_event(struct client *client)
{
	xcb_present_generic_event_t *event =
		(void *)xcb_wait_for_special_event(client->x, client->events);
	int mode = -1;

	if (!event) {
		fail("the connection to the X server was lost");
	}
	if (event->evtype == XCB_PRESENT_EVENT_COMPLETE_NOTIFY) {
		mode = ((xcb_present_complete_notify_event_t *)(void *)event)->mode;
	} else if (event->evtype == XCB_PRESENT_EVENT_IDLE_NOTIFY) {
		xcb_pixmap_t pixmap = ((xcb_present_idle_notify_event_t *)(void *)event)->pixmap;

		for (int i = 0; i < N_IMAGES; i++) {
			client->images[i].busy &= client->images[i].pixmap != pixmap;
		}
	}
	free(event);
	return mode;
}

/*
 * Presents a frame, with the whole window or its changed part as damage. Returns whether the X
 * server handed the image over to the compositor, rather than copy it.
 */
static bool present(struct client *client, int frame, bool whole)
{
	struct image *image = &client->images[frame % N_IMAGES];
	int mode = -1;

	while (image->busy) {
		handle_event(client);
	}
	draw(client, image, frame);
	xcb_present_pixmap(client->x, client->window, image->pixmap, (uint32_t)frame, 0,
		whole ? XCB_NONE : client->changed, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL);
	xcb_flush(client->x);
	image->busy = true;
	while (mode < 0) {
		mode = handle_event(client);
	}
	return mode == XCB_PRESENT_COMPLETE_MODE_FLIP;
}

static void print_place(struct client *client)
{
	xcb_translate_coordinates_reply_t *place = xcb_translate_coordinates_reply(client->x,
		xcb_translate_coordinates(client->x, client->window, client->screen->root, 0, 0),
		NULL);

	if (!place) {
		fail("the window is gone");
	}
	printf("place %d %d\n", place->dst_x, place->dst_y);
	free(place);
}

int main(int argc, char **argv)
{
	struct client client = {.x = xcb_connect(NULL, NULL)};
	int n_frames = argc == 2 ? atoi(argv[1]) : 0, n_flips = 0, last = 0;

	setlinebuf(stdout);
	emulated_start();
	if (xcb_connection_has_error(client.x) || n_frames < 1) {
		fail("usage: tiled-x-client FRAMES, with DISPLAY");
	}
	client.screen = xcb_setup_roots_iterator(xcb_get_setup(client.x)).data;
	/* Servers answer these requests by the version that the client knows. */
	free(xcb_dri3_query_version_reply(client.x, xcb_dri3_query_version(client.x, 1, 2), NULL));
	free(xcb_xfixes_query_version_reply(
		client.x, xcb_xfixes_query_version(client.x, 5, 0), NULL));
	free(xcb_present_query_version_reply(
		client.x, xcb_present_query_version(client.x, 1, 2), NULL));
	open_device(&client);
	make_window(&client);
	choose_layout(&client);
	for (int i = 0; i < N_IMAGES; i++) {
		make_image(&client, &client.images[i]);
	}
	for (int frame = 0; n_flips < n_frames; frame++) {
		n_flips += present(&client, frame, n_flips < WHOLE);
		if (frame == MOST * n_frames) {
			fail("the X server copies the buffers");
		}
		last = frame;
	}
	printf("last %d\n", last);
	print_place(&client);
	puts("done");
	for (xcb_generic_event_t *event; (event = xcb_wait_for_event(client.x));) {
		free(event);
	}
	return EXIT_SUCCESS;
}
