/* SPDX-License-Identifier: MIT */
/* An X client for tests of the window manager. */

#include "x_client.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 5000 /* 100 s: only a failure takes as long */
#define PAUSE 20000000 /* ns */
#define VALUES 2048

void x_fail(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
	exit(EXIT_FAILURE);
}

void x_pause(int round, const char *condition, const char *file, int line)
{
	if (round == ROUNDS) {
		x_fail(condition, file, line);
	}
	nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
}

struct x_client *x_connect(void)
{
	struct x_client *client = calloc(1, sizeof(*client));
	X_CHECK(client);
	client->x = xcb_connect(NULL, NULL);
	X_CHECK(!xcb_connection_has_error(client->x));
	client->screen = xcb_setup_roots_iterator(xcb_get_setup(client->x)).data;
	client->root = client->screen->root;
	return client;
}

void x_disconnect(struct x_client *client)
{
	xcb_disconnect(client->x);
	free(client);
}

xcb_atom_t x_atom(struct x_client *client, const char *name)
{
	xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(
		client->x, xcb_intern_atom(client->x, 0, (uint16_t)strlen(name), name), NULL);
	xcb_atom_t atom = reply ? reply->atom : XCB_ATOM_NONE;
	free(reply);
	return atom;
}

xcb_window_t x_window(struct x_client *client, int x, int y, int width, int height)
{
	const uint32_t values[2] = {client->screen->white_pixel,
		XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_FOCUS_CHANGE};
	xcb_window_t window = xcb_generate_id(client->x);
	xcb_create_window(client->x, XCB_COPY_FROM_PARENT, window, client->root, (int16_t)x,
		(int16_t)y, (uint16_t)width, (uint16_t)height, 0, XCB_WINDOW_CLASS_INPUT_OUTPUT,
		client->screen->root_visual, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
	return window;
}

void x_set(struct x_client *client, xcb_window_t window, const char *property, const char *type,
	const uint32_t *values, uint32_t n)
{
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, window, x_atom(client, property),
		x_atom(client, type), 32, n, values);
}

void x_set_text(
	struct x_client *client, xcb_window_t window, const char *property, const char *text)
{
	xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, window, x_atom(client, property),
		x_atom(client, "UTF8_STRING"), 8, (uint32_t)strlen(text), text);
}

void x_set_focus_model(struct x_client *client, xcb_window_t window, bool input, bool take_focus)
{
	const uint32_t hints[9] = {1, input};
	const uint32_t protocols[3] = {x_atom(client, "WM_DELETE_WINDOW"),
		x_atom(client, "_NET_WM_PING"), x_atom(client, "WM_TAKE_FOCUS")};
	x_set(client, window, "WM_HINTS", "WM_HINTS", hints, 9);
	x_set(client, window, "WM_PROTOCOLS", "ATOM", protocols, take_focus ? 3 : 2);
}

void x_map(struct x_client *client, xcb_window_t window)
{
	xcb_map_window(client->x, window);
	xcb_flush(client->x);
	/* An earlier client may have had a window with this id: the list alone proves nothing. */
	uint32_t frame[4];
	X_WAIT(client, x_get(client, window, "_NET_FRAME_EXTENTS", frame, 4) == 4);
	X_WAIT(client, x_has(client, client->root, "_NET_CLIENT_LIST", window));
}

void x_send(struct x_client *client, xcb_window_t window, const char *type, uint32_t a, uint32_t b,
	uint32_t c, uint32_t d, uint32_t e)
{
	const xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = window,
		.type = x_atom(client, type),
		.data.data32 = {a, b, c, d, e},
	};
	xcb_send_event(client->x, 0, client->root,
		XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT,
		(const char *)&message);
	xcb_flush(client->x);
}

int x_get(struct x_client *client, xcb_window_t window, const char *property, uint32_t *values,
	int most)
{
	xcb_get_property_reply_t *reply = xcb_get_property_reply(client->x,
		xcb_get_property(client->x, 0, window, x_atom(client, property),
			XCB_GET_PROPERTY_TYPE_ANY, 0, VALUES),
		NULL);
	int n = -1;
	if (reply && reply->format == 32) {
		n = xcb_get_property_value_length(reply) / 4;
		n = n < most ? n : most;
		memcpy(values, xcb_get_property_value(reply), (size_t)n * sizeof(*values));
	}
	free(reply);
	return n;
}

bool x_has(struct x_client *client, xcb_window_t window, const char *property, uint32_t value)
{
	uint32_t values[VALUES];
	int n = x_get(client, window, property, values, VALUES);
	for (int i = 0; i < n; i++) {
		if (values[i] == value) {
			return true;
		}
	}
	return false;
}

bool x_has_atom(
	struct x_client *client, xcb_window_t window, const char *property, const char *name)
{
	return x_has(client, window, property, x_atom(client, name));
}

xcb_window_t x_focus(struct x_client *client)
{
	xcb_get_input_focus_reply_t *reply =
		xcb_get_input_focus_reply(client->x, xcb_get_input_focus(client->x), NULL);
	xcb_window_t focus = reply ? reply->focus : XCB_NONE;
	free(reply);
	return focus;
}

void x_box(struct x_client *client, xcb_window_t window, int box[4])
{
	xcb_get_geometry_reply_t *size =
		xcb_get_geometry_reply(client->x, xcb_get_geometry(client->x, window), NULL);
	xcb_translate_coordinates_reply_t *place = xcb_translate_coordinates_reply(
		client->x, xcb_translate_coordinates(client->x, window, client->root, 0, 0), NULL);
	X_CHECK(size && place);
	box[0] = place->dst_x;
	box[1] = place->dst_y;
	box[2] = size->width;
	box[3] = size->height;
	free(size);
	free(place);
}

static void handle_message(struct x_client *client, const xcb_client_message_event_t *message)
{
	client->message = *message;
	client->has_message = true;
	const uint32_t *data = message->data.data32;
	if (data[0] == x_atom(client, "WM_TAKE_FOCUS")) {
		client->n_take_focus++;
		client->take_focus_time = data[1];
	} else if (data[0] == x_atom(client, "WM_DELETE_WINDOW")) {
		client->n_delete++;
	} else if (data[0] == x_atom(client, "_NET_WM_PING")) {
		client->n_ping++;
	} else if (data[0] == x_atom(client, "_NET_WM_SYNC_REQUEST")) {
		client->n_sync++;
		client->sync_value = (uint64_t)data[3] << 32 | data[2];
	}
}

void x_dispatch(struct x_client *client)
{
	xcb_flush(client->x);
	xcb_generic_event_t *event;
	while ((event = xcb_poll_for_event(client->x))) {
		if (event->response_type == (XCB_CONFIGURE_NOTIFY | 0x80)) {
			client->synthetic = *(xcb_configure_notify_event_t *)event;
			client->has_synthetic = true;
		} else if ((event->response_type & 0x7f) == XCB_CLIENT_MESSAGE) {
			handle_message(client, (xcb_client_message_event_t *)event);
		} else if (event->response_type == XCB_FOCUS_IN) {
			const uint8_t mode = ((xcb_focus_in_event_t *)event)->mode;
			client->n_focus_in += mode == XCB_NOTIFY_MODE_NORMAL ||
					      mode == XCB_NOTIFY_MODE_WHILE_GRABBED;
		}
		free(event);
	}
}

bool x_alive(struct x_client *client)
{
	return !xcb_connection_has_error(client->x);
}

/* The window manager answers the request with a property, after all that it was asked before. */
void x_settle(struct x_client *client)
{
	xcb_window_t probe = x_window(client, 0, 0, 1, 1);
	uint32_t values[4];
	x_send(client, probe, "_NET_REQUEST_FRAME_EXTENTS", 0, 0, 0, 0, 0);
	X_WAIT(client, x_get(client, probe, "_NET_FRAME_EXTENTS", values, 4) == 4);
	xcb_destroy_window(client->x, probe);
	x_dispatch(client);
}

uint32_t x_time(struct x_client *client)
{
	/* A connection of its own has no other events. */
	struct x_client *asker = x_connect();
	xcb_window_t window = x_window(asker, 0, 0, 1, 1);
	const uint32_t events = XCB_EVENT_MASK_PROPERTY_CHANGE;
	xcb_change_window_attributes(asker->x, window, XCB_CW_EVENT_MASK, &events);
	x_set_text(asker, window, "WM_NAME", "time");
	xcb_flush(asker->x);
	xcb_generic_event_t *event = xcb_wait_for_event(asker->x);
	X_CHECK(event && event->response_type == XCB_PROPERTY_NOTIFY);
	const uint32_t time = ((const xcb_property_notify_event_t *)(void *)event)->time;
	free(event);
	x_disconnect(asker);
	return time;
}
