/* SPDX-License-Identifier: MIT */
/*
 * x_menu: a program whose window has a menu. A press on the window opens the menu, with a grab of
 * the pointer; one elsewhere closes it. Writes "open", "chosen" or "closed" for each.
 */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>

#define SIZE 300

static xcb_window_t make_menu(struct x_client *client)
{
	xcb_window_t menu = xcb_generate_id(client->x);
	const uint32_t values[] = {client->screen->black_pixel, 1, XCB_EVENT_MASK_BUTTON_PRESS};
	xcb_create_window(client->x, XCB_COPY_FROM_PARENT, menu, client->root, 0, 0, SIZE / 2,
		SIZE / 2, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT, XCB_COPY_FROM_PARENT,
		XCB_CW_BACK_PIXEL | XCB_CW_OVERRIDE_REDIRECT | XCB_CW_EVENT_MASK, values);
	return menu;
}

static void say(const char *text)
{
	puts(text);
	fflush(stdout);
}

static void open_menu(
	struct x_client *client, xcb_window_t menu, const xcb_button_press_event_t *press)
{
	const uint32_t at[2] = {(uint32_t)press->root_x, (uint32_t)press->root_y};
	xcb_configure_window(client->x, menu, XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y, at);
	xcb_map_window(client->x, menu);
	free(xcb_grab_pointer_reply(client->x,
		xcb_grab_pointer(client->x, 1, menu, XCB_EVENT_MASK_BUTTON_PRESS,
			XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC, XCB_NONE, XCB_NONE,
			XCB_CURRENT_TIME),
		NULL));
	say("open");
}

/* A press within the menu chooses; any other closes it. */
static void close_menu(
	struct x_client *client, xcb_window_t menu, const xcb_button_press_event_t *press)
{
	const bool inside = press->event == menu && press->event_x >= 0 && press->event_y >= 0 &&
			    press->event_x < SIZE / 2 && press->event_y < SIZE / 2;
	xcb_ungrab_pointer(client->x, XCB_CURRENT_TIME);
	xcb_unmap_window(client->x, menu);
	xcb_flush(client->x);
	say(inside ? "chosen" : "closed");
}

int main(void)
{
	struct x_client *client = x_connect();
	xcb_window_t window = x_window(client, 0, 0, SIZE, SIZE);
	const uint32_t events = XCB_EVENT_MASK_BUTTON_PRESS;
	xcb_change_window_attributes(client->x, window, XCB_CW_EVENT_MASK, &events);
	x_set_text(client, window, "WM_CLASS", "menu");
	x_map(client, window);
	xcb_window_t menu = make_menu(client);
	xcb_generic_event_t *event;
	bool is_open = false;
	while (xcb_flush(client->x) > 0 && (event = xcb_wait_for_event(client->x))) {
		if ((event->response_type & 127) == XCB_BUTTON_PRESS) {
			(is_open ? close_menu : open_menu)(client, menu, (const void *)event);
			is_open = !is_open;
		}
		free(event);
	}
	return EXIT_SUCCESS;
}
