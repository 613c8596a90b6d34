/* SPDX-License-Identifier: MIT */
/* An X program that drags and drops, by XDND version 5. */

#include "x_drag_peer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION 5
/** Size of a piece of data without an end. */
#define ENDLESS_PIECE 200000

static void select_events(struct x_peer *peer, xcb_window_t window)
{
	const uint32_t events = XCB_EVENT_MASK_STRUCTURE_NOTIFY | XCB_EVENT_MASK_PROPERTY_CHANGE |
				XCB_EVENT_MASK_BUTTON_PRESS | XCB_EVENT_MASK_BUTTON_RELEASE;
	xcb_change_window_attributes(peer->client->x, window, XCB_CW_EVENT_MASK, &events);
}

static void get_atoms(struct x_peer *peer)
{
	const struct {
		xcb_atom_t *atom;
		const char *name;
	} atoms[] = {
		{&peer->actions[COPY], "XdndActionCopy"},
		{&peer->actions[MOVE], "XdndActionMove"},
		{&peer->actions[ASK], "XdndActionAsk"},
		{&peer->enter, "XdndEnter"},
		{&peer->position, "XdndPosition"},
		{&peer->status, "XdndStatus"},
		{&peer->leave, "XdndLeave"},
		{&peer->drop, "XdndDrop"},
		{&peer->finished, "XdndFinished"},
		{&peer->selection, "XdndSelection"},
		{&peer->aware, "XdndAware"},
		{&peer->list, "XdndTypeList"},
		{&peer->incr, "INCR"},
		{&peer->text, "UTF8_STRING"},
		{&peer->property, "_TEST_DATA"},
	};
	for (size_t i = 0; i < sizeof(atoms) / sizeof(atoms[0]); i++) {
		*atoms[i].atom = x_atom(peer->client, atoms[i].name);
	}
}

/* Moves the window, without its frame, to a point. */
static void place(struct x_peer *peer, int x, int y)
{
	int box[4];
	uint32_t frame[4];
	X_CHECK(x_get(peer->client, peer->window, "_NET_FRAME_EXTENTS", frame, 4) == 4);
	xcb_configure_window(peer->client->x, peer->window,
		XCB_CONFIG_WINDOW_X | XCB_CONFIG_WINDOW_Y,
		(uint32_t[]){(uint32_t)x - frame[0], (uint32_t)y - frame[2]});
	X_WAIT(peer->client, (x_box(peer->client, peer->window, box), box[0] == x && box[1] == y));
}

void x_peer_start(struct x_peer *peer, int x, int y)
{
	const uint32_t version = VERSION, hints[18] = {1}; /* the user's position */
	*peer = (struct x_peer){.answer = COPY, .action = COPY, .n_types = 1, .offered = "from X"};
	peer->client = x_connect();
	get_atoms(peer);
	peer->window = peer->target = x_window(peer->client, x, y, 200, 150);
	x_set_focus_model(peer->client, peer->window, true, false);
	x_set(peer->client, peer->window, "WM_NORMAL_HINTS", "WM_SIZE_HINTS", hints, 18);
	x_set(peer->client, peer->window, "XdndAware", "ATOM", &version, 1);
	select_events(peer, peer->window);
	x_map(peer->client, peer->window);
	place(peer, x, y);
	x_settle(peer->client);
}

void x_peer_stop(struct x_peer *peer)
{
	if (peer->client) {
		x_disconnect(peer->client);
	}
	free(peer->data);
	peer->client = NULL;
	peer->data = NULL;
}

void x_peer_send(struct x_peer *peer, xcb_window_t to, xcb_atom_t type, uint32_t a, uint32_t b,
	uint32_t c, uint32_t d, uint32_t e)
{
	const xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = to,
		.type = type,
		.data.data32 = {a, b, c, d, e},
	};
	xcb_send_event(peer->client->x, 0, to, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
	xcb_flush(peer->client->x);
}

static uint32_t action_of(const struct x_peer *peer, xcb_atom_t atom)
{
	for (uint32_t action = COPY; action <= ASK; action <<= 1) {
		if (peer->actions[action] == atom) {
			return action;
		}
	}
	return 0;
}

void x_peer_name_proxy(struct x_peer *peer, xcb_window_t window, xcb_window_t proxy)
{
	x_set(peer->client, window, "XdndProxy", "WINDOW", &proxy, 1);
}

/* The target */

static void finish(struct x_peer *peer, bool took)
{
	x_peer_send(peer, peer->from, peer->finished, peer->target, took,
		took ? peer->actions[peer->answer == ASK ? MOVE : peer->answer] : 0, 0, 0);
}

static void append(struct x_peer *peer, const void *bytes, size_t size)
{
	peer->data = realloc(peer->data, peer->size + size + 1);
	X_CHECK(peer->data);
	memcpy(peer->data + peer->size, bytes, size);
	peer->size += size;
	peer->data[peer->size] = '\0';
}

static void read_data(struct x_peer *peer)
{
	xcb_get_property_reply_t *reply = xcb_get_property_reply(peer->client->x,
		xcb_get_property(peer->client->x, 1, peer->window, peer->property,
			XCB_GET_PROPERTY_TYPE_ANY, 0, DATA_SIZE),
		NULL);
	X_CHECK(reply);
	if (reply->type == peer->incr) {
		peer->incremental = true;
	} else {
		const size_t size = (size_t)xcb_get_property_value_length(reply);
		append(peer, xcb_get_property_value(reply), size);
		if (!peer->incremental || size == 0) {
			peer->incremental = false;
			finish(peer, true);
		}
	}
	free(reply);
}

static void handle_selection(struct x_peer *peer, const xcb_selection_notify_event_t *event)
{
	if (event->property == XCB_ATOM_NONE) {
		peer->refused = true;
	} else {
		read_data(peer);
	}
}

static void handle_position(struct x_peer *peer, const uint32_t *data)
{
	peer->n_position++;
	peer->x = (int)(data[2] >> 16);
	peer->y = (int)(data[2] & 0xffff);
	peer->time = data[3];
	peer->suggested = action_of(peer, data[4]);
	x_peer_send(peer, data[0], peer->status, peer->target, peer->answer != 0, 0, 0,
		peer->actions[peer->answer]);
}

static void handle_ping(struct x_peer *peer, const uint32_t *data)
{
	peer->n_pings++;
	if (peer->answers_pings) {
		x_send(peer->client, peer->client->root, "WM_PROTOCOLS", data[0], data[1], data[2],
			0, 0);
	}
}

static void handle_message(struct x_peer *peer, const xcb_client_message_event_t *message)
{
	const uint32_t *data = message->data.data32;
	if (message->type == x_atom(peer->client, "WM_PROTOCOLS") &&
		data[0] == x_atom(peer->client, "_NET_WM_PING")) {
		handle_ping(peer, data);
	}
	const bool aims = message->type == peer->enter || message->type == peer->position ||
			  message->type == peer->leave || message->type == peer->drop;
	peer->n_strays += aims && message->window != peer->target;
	if (message->type == peer->enter) {
		peer->n_enter++;
		peer->from = data[0];
	} else if (message->type == peer->position) {
		handle_position(peer, data);
	} else if (message->type == peer->leave) {
		peer->n_leave++;
	} else if (message->type == peer->drop) {
		peer->n_drop++;
		if (!peer->lazy) {
			xcb_convert_selection(peer->client->x, peer->window, peer->selection,
				peer->text, peer->property, data[2]);
		}
	} else if (message->type == peer->status) {
		peer->n_status++;
		peer->accepted = data[1] & 1;
		peer->status_action = action_of(peer, data[4]);
	} else if (message->type == peer->finished) {
		peer->n_finished++;
		peer->took = data[1] & 1;
		peer->final_action = action_of(peer, data[2]);
	}
}

/* The source */

static void answer_request(struct x_peer *peer, const xcb_selection_request_event_t *request)
{
	xcb_selection_notify_event_t event = {
		.response_type = XCB_SELECTION_NOTIFY,
		.time = request->time,
		.requestor = request->requestor,
		.selection = request->selection,
		.target = request->target,
		.property = request->property,
	};
	char bytes[32] = {0};
	peer->n_requests++;
	peer->time = request->time;
	if (peer->endless) {
		const uint32_t least = 5, events = XCB_EVENT_MASK_PROPERTY_CHANGE;
		peer->victim = request->requestor;
		peer->pieces = request->property;
		xcb_change_window_attributes(
			peer->client->x, request->requestor, XCB_CW_EVENT_MASK, &events);
		xcb_change_property(peer->client->x, XCB_PROP_MODE_REPLACE, request->requestor,
			request->property, peer->incr, 32, 1, &least);
	} else {
		xcb_change_property(peer->client->x, XCB_PROP_MODE_REPLACE, request->requestor,
			request->property, request->target, 8, (uint32_t)strlen(peer->offered),
			peer->offered);
	}
	memcpy(bytes, &event, sizeof(event));
	xcb_send_event(peer->client->x, 0, request->requestor, XCB_EVENT_MASK_NO_EVENT, bytes);
}

/* Sends the next piece, which is larger than was announced. */
static void send_piece(struct x_peer *peer)
{
	static const uint8_t piece[ENDLESS_PIECE];
	peer->n_pieces++;
	xcb_change_property(peer->client->x, XCB_PROP_MODE_REPLACE, peer->victim, peer->pieces,
		peer->text, peer->endless, ENDLESS_PIECE / (peer->endless / 8), piece);
}

static void handle_property(struct x_peer *peer, const xcb_property_notify_event_t *event)
{
	if (peer->endless && event->window == peer->victim && event->atom == peer->pieces &&
		event->state == XCB_PROPERTY_DELETE) {
		send_piece(peer);
	} else if (peer->incremental && event->window == peer->window &&
		   event->atom == peer->property && event->state == XCB_PROPERTY_NEW_VALUE) {
		read_data(peer);
	}
}

void x_peer_drag(struct x_peer *peer)
{
	uint32_t types[64] = {peer->text};
	for (int i = 1; i < peer->n_types; i++) {
		char name[32];
		snprintf(name, sizeof(name), "test/type-%d", i);
		types[i] = x_atom(peer->client, name);
	}
	const uint32_t actions[2] = {peer->actions[COPY], peer->actions[MOVE]};
	x_set(peer->client, peer->window, "XdndTypeList", "ATOM", types, (uint32_t)peer->n_types);
	x_set(peer->client, peer->window, "XdndActionList", "ATOM", actions, 2);
	xcb_set_selection_owner(
		peer->client->x, peer->window, peer->selection, XCB_TIME_CURRENT_TIME);
	xcb_flush(peer->client->x);
}

bool x_peer_is_at(struct x_peer *peer, int x, int y)
{
	xcb_query_pointer_reply_t *pointer = xcb_query_pointer_reply(
		peer->client->x, xcb_query_pointer(peer->client->x, peer->client->root), NULL);
	X_CHECK(pointer);
	const bool is =
		pointer->child == peer->window && pointer->root_x == x && pointer->root_y == y;
	free(pointer);
	return is;
}

static bool is_aware(struct x_peer *peer, xcb_window_t window)
{
	uint32_t version;
	return window && x_get(peer->client, window, "XdndAware", &version, 1) == 1;
}

void x_peer_follow(struct x_peer *peer)
{
	xcb_query_pointer_reply_t *pointer = xcb_query_pointer_reply(
		peer->client->x, xcb_query_pointer(peer->client->x, peer->client->root), NULL);
	X_CHECK(pointer);
	const xcb_window_t over = is_aware(peer, pointer->child) ? pointer->child : XCB_WINDOW_NONE;
	if (over != peer->over && peer->over) {
		x_peer_send(peer, peer->over, peer->leave, peer->window, 0, 0, 0, 0);
	}
	if (over != peer->over && over) {
		x_peer_send(peer, over, peer->enter, peer->window,
			VERSION << 24 | (peer->n_types > 3), peer->text, 0, 0);
		peer->accepted = false;
	}
	peer->over = over;
	if (over) {
		x_peer_send(peer, over, peer->position, peer->window, 0,
			(uint32_t)pointer->root_x << 16 | (uint32_t)pointer->root_y, 1234,
			peer->actions[peer->action]);
	}
	free(pointer);
}

void x_peer_drop(struct x_peer *peer)
{
	if (peer->over) {
		x_peer_send(peer, peer->over, peer->accepted ? peer->drop : peer->leave,
			peer->window, 0, 5678, 0, 0);
	}
	peer->over = XCB_WINDOW_NONE;
}

void x_peer_dispatch(struct x_peer *peer)
{
	xcb_generic_event_t *event;
	if (!peer->client) {
		return;
	}
	xcb_flush(peer->client->x);
	while ((event = xcb_poll_for_event(peer->client->x))) {
		void *any = event;
		switch (event->response_type & 0x7f) {
		case XCB_CLIENT_MESSAGE: handle_message(peer, any); break;
		case XCB_SELECTION_NOTIFY: handle_selection(peer, any); break;
		case XCB_SELECTION_REQUEST: answer_request(peer, any); break;
		case XCB_BUTTON_PRESS: peer->n_presses++; break;
		case XCB_BUTTON_RELEASE: peer->n_releases++; break;
		case XCB_PROPERTY_NOTIFY: handle_property(peer, any); break;
		default: break;
		}
		free(event);
	}
	xcb_flush(peer->client->x);
}
