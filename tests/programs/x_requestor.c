/* SPDX-License-Identifier: MIT */
/*
 * x_requestor: asks for the clipboard with many windows, none of which takes its data, and destroys
 * them. Then another window gets data at once.
 */

#include "x_client.h"
#include <stdlib.h>

/** Transfers at a time. */
#define TRANSFERS 8

static bool has_owner(struct x_client *client)
{
	xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
		client->x, xcb_get_selection_owner(client->x, x_atom(client, "CLIPBOARD")), NULL);
	const bool has = reply && reply->owner;
	free(reply);
	return has;
}

static void ask(struct x_client *client, xcb_window_t window)
{
	xcb_convert_selection(client->x, window, x_atom(client, "CLIPBOARD"),
		x_atom(client, "UTF8_STRING"), x_atom(client, "DATA"), XCB_CURRENT_TIME);
	xcb_flush(client->x);
}

/* Waits for the answer. Returns whether there is data. */
static bool answered(struct x_client *client)
{
	for (;;) {
		xcb_generic_event_t *event = xcb_wait_for_event(client->x);
		X_CHECK(event);
		const uint8_t type = event->response_type & 127;
		const xcb_selection_notify_event_t *notify = (const void *)event;
		const bool data = type == XCB_SELECTION_NOTIFY && notify->property;
		free(event);
		if (type == XCB_SELECTION_NOTIFY) {
			return data;
		}
	}
}

static xcb_window_t child(struct x_client *client, xcb_window_t parent)
{
	xcb_window_t window = xcb_generate_id(client->x);
	xcb_create_window(client->x, XCB_COPY_FROM_PARENT, window, parent, 0, 0, 1, 1, 0,
		XCB_WINDOW_CLASS_INPUT_ONLY, XCB_COPY_FROM_PARENT, 0, NULL);
	return window;
}

int main(void)
{
	struct x_client *client = x_connect();
	xcb_window_t window = x_window(client, 0, 0, 200, 100), children[TRANSFERS];
	x_set_focus_model(client, window, true, false);
	x_map(client, window);
	X_WAIT(client, x_focus(client) == window && has_owner(client));
	for (int i = 0; i < TRANSFERS; i++) {
		/* Some are children of the root window. */
		children[i] = child(client, i % 2 ? window : client->root);
		ask(client, children[i]);
		X_CHECK(answered(client));
	}
	ask(client, window);
	X_CHECK(!answered(client));
	for (int i = 0; i < TRANSFERS; i++) {
		xcb_destroy_window(client->x, children[i]);
	}
	ask(client, window);
	X_CHECK(answered(client));
	x_disconnect(client);
	return EXIT_SUCCESS;
}
