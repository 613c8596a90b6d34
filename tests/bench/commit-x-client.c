/* SPDX-License-Identifier: MIT */
/*
 * X client that draws without a pause, to measure the cost of an X window in the compositor:
 * commit-x-client WIDTH HEIGHT DAMAGE_WIDTH DAMAGE_HEIGHT MILLISECONDS.
 *
 * It fills one rectangle of a window more often than the compositor shows frames, so that its X
 * server commits once for each frame.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xcb/xcb.h>

/** Shorter than a frame. */
#define PAUSE_MS 4

struct client {
	xcb_connection_t *x;
	xcb_screen_t *screen;
	xcb_window_t window;
	xcb_gcontext_t context;
};

/* Returns false if the connection was lost. */
static bool wait_for_exposure(struct client *client)
{
	xcb_generic_event_t *event;
	bool exposed = false;
	while (!exposed && (event = xcb_wait_for_event(client->x))) {
		exposed = event->response_type == XCB_EXPOSE;
		free(event);
	}
	return exposed;
}

static bool open_window(struct client *client, uint16_t width, uint16_t height)
{
	const uint32_t values[] = {client->screen->white_pixel, XCB_EVENT_MASK_EXPOSURE};
	const uint32_t exposures = 0;
	client->window = xcb_generate_id(client->x);
	xcb_create_window(client->x, XCB_COPY_FROM_PARENT, client->window, client->screen->root, 0,
		0, width, height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, client->screen->root_visual,
		XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
	client->context = xcb_generate_id(client->x);
	xcb_create_gc(
		client->x, client->context, client->window, XCB_GC_GRAPHICS_EXPOSURES, &exposures);
	xcb_map_window(client->x, client->window);
	xcb_flush(client->x);
	return wait_for_exposure(client);
}

static void draw(struct client *client, uint16_t width, uint16_t height, int frame)
{
	const uint32_t color = (uint32_t)frame * 0x050301u % 0x1000000;
	xcb_change_gc(client->x, client->context, XCB_GC_FOREGROUND, &color);
	xcb_poly_fill_rectangle(client->x, client->window, client->context, 1,
		&(xcb_rectangle_t){0, 0, width, height});
	xcb_flush(client->x);
}

int main(int argc, char **argv)
{
	struct client client = {.x = xcb_connect(NULL, NULL)};
	if (argc != 6) {
		fprintf(stderr, "usage: %s WIDTH HEIGHT DAMAGE_WIDTH DAMAGE_HEIGHT MILLISECONDS\n",
			argv[0]);
		return 2;
	}
	if (xcb_connection_has_error(client.x)) {
		fprintf(stderr, "cannot connect to an X server: is DISPLAY set?\n");
		return 1;
	}
	client.screen = xcb_setup_roots_iterator(xcb_get_setup(client.x)).data;
	bool works = open_window(&client, (uint16_t)atoi(argv[1]), (uint16_t)atoi(argv[2]));
	for (int i = 0; works && i < atoi(argv[5]) / PAUSE_MS; i++) {
		draw(&client, (uint16_t)atoi(argv[3]), (uint16_t)atoi(argv[4]), i);
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000L}, NULL);
	}
	xcb_disconnect(client.x);
	return !works;
}
