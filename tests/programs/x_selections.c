/* SPDX-License-Identifier: MIT */
/*
 * x_selections text|large|own|own-both|answer-late|own-at-once: reads the clipboard of a Wayland
 * program, "Grüße €", or more than a piece of it, by the rules of ICCCM 2; or owns a clipboard in
 * Latin-1, or clipboard and primary selection of different types, for which it writes "owned",
 * until the end of standard input; or owns a clipboard that it loses to a Wayland program, which
 * sets it after "ready" is written and before a line is read.
 */

#include "x_client.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UTF8 "Gr\303\274\303\237e \342\202\254"
#define LATIN "Gr\374\337e ?"

struct reader {
	struct x_client *client;
	xcb_window_t window;
	const char *selection;
};

/* Requests a conversion, and waits for the answer. Returns whether there is one. */
static bool convert_at(
	const struct reader *reader, const char *target, const char *property, xcb_timestamp_t time)
{
	struct x_client *client = reader->client;
	const xcb_atom_t to = property ? x_atom(client, property) : XCB_ATOM_NONE;
	xcb_convert_selection(client->x, reader->window, x_atom(client, reader->selection),
		x_atom(client, target), to, time);
	xcb_flush(client->x);
	for (;;) {
		xcb_generic_event_t *event = xcb_wait_for_event(client->x);
		X_CHECK(event);
		const xcb_selection_notify_event_t notify =
			*(const xcb_selection_notify_event_t *)(void *)event;
		free(event);
		if ((notify.response_type & 127) == XCB_SELECTION_NOTIFY) {
			X_CHECK(notify.target == x_atom(client, target) && notify.time == time);
			X_CHECK(!notify.property || notify.property == to || !property);
			return notify.property;
		}
	}
}

static bool convert(const struct reader *reader, const char *target, const char *property)
{
	return convert_at(reader, target, property, XCB_CURRENT_TIME);
}

static bool has_text(
	const struct reader *reader, const char *property, const char *type, const char *text)
{
	struct x_client *client = reader->client;
	xcb_get_property_reply_t *reply = xcb_get_property_reply(client->x,
		xcb_get_property(client->x, 0, reader->window, x_atom(client, property),
			XCB_GET_PROPERTY_TYPE_ANY, 0, 1000),
		NULL);
	const size_t length = reply ? (size_t)xcb_get_property_value_length(reply) : 0;
	const bool has = reply && reply->type == x_atom(client, type) && length == strlen(text) &&
			 memcmp(xcb_get_property_value(reply), text, length) == 0;
	free(reply);
	return has;
}

static bool has(const struct reader *reader, const char *property, const char *atom)
{
	return x_has_atom(reader->client, reader->window, property, atom);
}

static uint32_t owned_since(const struct reader *reader)
{
	uint32_t time = 0;
	X_CHECK(convert(reader, "TIMESTAMP", "TIME") &&
		x_get(reader->client, reader->window, "TIME", &time, 1) == 1);
	return time;
}

static void required_targets_and_text_are_converted(const struct reader *reader)
{
	static const char *const targets[] = {
		"TARGETS", "TIMESTAMP", "MULTIPLE", "UTF8_STRING", "STRING", "TEXT"};
	X_CHECK(convert(reader, "TARGETS", "LIST"));
	for (int i = 0; i < 6; i++) {
		X_CHECK(has(reader, "LIST", targets[i]));
	}
	X_CHECK(convert(reader, "UTF8_STRING", "A") && has_text(reader, "A", "UTF8_STRING", UTF8));
	X_CHECK(convert(reader, "TEXT", "A") && has_text(reader, "A", "UTF8_STRING", UTF8));
	X_CHECK(convert(reader, "STRING", "A") && has_text(reader, "A", "STRING", LATIN));
	/* Clients older than ICCCM name no property. */
	X_CHECK(convert(reader, "STRING", NULL) && has_text(reader, "STRING", "STRING", LATIN));
	X_CHECK(!convert(reader, "COMPOUND_TEXT", "A") && !convert(reader, "DELETE", "A"));
}

static void times_before_the_ownership_are_refused(const struct reader *reader)
{
	const uint32_t since = owned_since(reader);
	X_CHECK(since);
	X_CHECK(!convert_at(reader, "TARGETS", "A", since - 1));
	X_CHECK(!convert_at(reader, "MULTIPLE", "A", since - 1));
	X_CHECK(convert_at(reader, "TARGETS", "A", since));
	X_CHECK(convert_at(reader, "TARGETS", "A", since + 1));
}

/* Sets a list of pairs; NULL: none. */
static void set_pairs(const struct reader *reader, const char *const *names, int n)
{
	uint32_t atoms[64];
	for (int i = 0; i < n; i++) {
		atoms[i] = names[i] ? x_atom(reader->client, names[i]) : XCB_ATOM_NONE;
	}
	x_set(reader->client, reader->window, "PAIRS", "ATOM_PAIR", atoms, (uint32_t)n);
}

static void several_targets_are_converted_at_once(const struct reader *reader)
{
	static const char *const names[] = {"STRING", "A", "NO_TARGET", "B", "TARGETS", "C",
		"UTF8_STRING", "D", "MULTIPLE", "E", "TIMESTAMP", "F", "STRING", NULL};
	uint32_t pairs[16];
	X_CHECK(!convert(reader, "MULTIPLE", NULL) && !convert(reader, "MULTIPLE", "NO_PAIRS"));
	set_pairs(reader, names, 14);
	X_CHECK(convert(reader, "MULTIPLE", "PAIRS"));
	X_CHECK(has_text(reader, "A", "STRING", LATIN));
	X_CHECK(has(reader, "C", "MULTIPLE") && has_text(reader, "D", "UTF8_STRING", UTF8));
	X_CHECK(x_get(reader->client, reader->window, "F", pairs, 1) == 1);
	X_CHECK(x_get(reader->client, reader->window, "PAIRS", pairs, 16) == 14);
	for (int i = 0; i < 14; i++) {
		const bool refused = i == 3 || i == 9 || i == 13;
		X_CHECK(pairs[i] == (refused ? 0 : x_atom(reader->client, names[i])));
	}
	/* More than the transfers at a time: some are refused, and an answer comes. */
	const char *many[64];
	for (int i = 0; i < 64; i++) {
		many[i] = i % 2 ? "A" : "UTF8_STRING";
	}
	set_pairs(reader, many, 64);
	X_CHECK(convert(reader, "MULTIPLE", "PAIRS"));
	X_CHECK(has_text(reader, "A", "UTF8_STRING", UTF8));
}

static void managers_selection_has_a_version(const struct reader *reader)
{
	const struct reader manager = {reader->client, reader->window, "WM_S0"};
	static const char *const names[] = {"VERSION", "A", "STRING", "B"};
	uint32_t values[4];
	const uint32_t since = owned_since(&manager);
	X_CHECK(since && convert(&manager, "TARGETS", "LIST") && has(&manager, "LIST", "VERSION") &&
		has(&manager, "LIST", "MULTIPLE") && !has(&manager, "LIST", "STRING"));
	X_CHECK(convert(&manager, "VERSION", "V") &&
		x_get(reader->client, reader->window, "V", values, 4) == 2 && values[0] == 2 &&
		values[1] == 0);
	X_CHECK(!convert(&manager, "STRING", "A") &&
		!convert_at(&manager, "VERSION", "A", since - 1));
	set_pairs(reader, names, 4);
	X_CHECK(convert(&manager, "MULTIPLE", "PAIRS"));
	X_CHECK(x_get(reader->client, reader->window, "PAIRS", values, 4) == 4 && values[1] &&
		!values[3]);
}

static void wait_for_owner(const struct reader *reader)
{
	struct x_client *client = reader->client;
	for (int i = 0; !convert(reader, "TARGETS", "LIST"); i++) {
		x_pause(i, "there is text", __FILE__, __LINE__);
		x_dispatch(client);
	}
}

/* Large data in a list is announced, as it is alone. Returns its length. */
static size_t read_pieces(const struct reader *reader, const char *target)
{
	struct x_client *client = reader->client;
	const char *const names[] = {target, "A", "TARGETS", "C"};
	size_t total = 0, length = 1;
	set_pairs(reader, names, 4);
	X_CHECK(convert(reader, "MULTIPLE", "PAIRS") && has(reader, "C", target));
	for (int pieces = 0, i = 0; length > 0;) {
		xcb_get_property_reply_t *reply = xcb_get_property_reply(client->x,
			xcb_get_property(client->x, 1, reader->window, x_atom(client, "A"),
				XCB_GET_PROPERTY_TYPE_ANY, 0, 1 << 20),
			NULL);
		X_CHECK(reply);
		if (reply->type == XCB_ATOM_NONE) {
			x_pause(i++, "the next piece comes", __FILE__, __LINE__);
		} else if (pieces++ == 0) {
			X_CHECK(reply->type == x_atom(client, "INCR"));
		} else {
			X_CHECK(reply->type == x_atom(client, target));
			length = (size_t)xcb_get_property_value_length(reply);
			total += length;
		}
		free(reply);
	}
	return total;
}

/* Reads pieces of two targets of a list, whose owner sends one after the other. */
static void read_both(const struct reader *reader, const size_t lengths[2])
{
	struct x_client *client = reader->client;
	static const char *const names[] = {"UTF8_STRING", "A", "STRING", "B"};
	size_t totals[2] = {0};
	int pieces[2] = {0}, missing = 2;
	set_pairs(reader, names, 4);
	X_CHECK(convert(reader, "MULTIPLE", "PAIRS"));
	uint32_t pairs[4];
	X_CHECK(x_get(client, reader->window, "PAIRS", pairs, 4) == 4 && pairs[1] && pairs[3]);
	for (int i = 0, which = 0; missing > 0; which = !which) {
		xcb_get_property_reply_t *reply = xcb_get_property_reply(client->x,
			xcb_get_property(client->x, 1, reader->window,
				x_atom(client, names[2 * which + 1]), XCB_GET_PROPERTY_TYPE_ANY, 0,
				1 << 20),
			NULL);
		X_CHECK(reply);
		const size_t length = (size_t)xcb_get_property_value_length(reply);
		if (reply->type == XCB_ATOM_NONE) {
			x_pause(i++, "the next piece comes", __FILE__, __LINE__);
		} else if (reply->type == x_atom(client, "INCR")) {
			X_CHECK(pieces[which]++ == 0);
		} else {
			X_CHECK(reply->type == x_atom(client, names[2 * which]));
			totals[which] += length;
			missing -= length == 0 || pieces[which] == 0;
		}
		free(reply);
	}
	X_CHECK(totals[0] == lengths[0] && totals[1] == lengths[1]);
}

static void answer(struct x_client *client, const xcb_selection_request_event_t *request)
{
	static const char latin[] = "Gr\374\337e";
	const xcb_atom_t targets[] = {x_atom(client, "TARGETS"), XCB_ATOM_STRING};
	xcb_selection_notify_event_t notify = {XCB_SELECTION_NOTIFY, 0, 0, request->time,
		request->requestor, request->selection, request->target, request->property};
	char event[32] = {0};
	if (request->target == targets[0]) {
		xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, request->requestor,
			request->property, XCB_ATOM_ATOM, 32, 2, targets);
	} else if (request->target == XCB_ATOM_STRING) {
		xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, request->requestor,
			request->property, XCB_ATOM_STRING, 8, sizeof(latin) - 1, latin);
	} else {
		notify.property = XCB_ATOM_NONE;
	}
	memcpy(event, &notify, sizeof(notify));
	xcb_send_event(client->x, 0, request->requestor, 0, event);
	xcb_flush(client->x);
}

/* Answers requests of two selections at once: first the data of both, then the notices. */
static void answer_both(struct x_client *client, xcb_selection_request_event_t requests[2])
{
	for (int i = 0; i < 2; i++) {
		const bool primary = requests[i].selection == XCB_ATOM_PRIMARY;
		const xcb_atom_t targets[] = {x_atom(client, "TARGETS"),
			x_atom(client, primary ? "text/x-primary" : "text/x-clipboard")};
		xcb_change_property(client->x, XCB_PROP_MODE_REPLACE, requests[i].requestor,
			requests[i].property, XCB_ATOM_ATOM, 32, 2, targets);
	}
	for (int i = 0; i < 2; i++) {
		const xcb_selection_notify_event_t notify = {XCB_SELECTION_NOTIFY, 0, 0,
			requests[i].time, requests[i].requestor, requests[i].selection,
			requests[i].target, requests[i].property};
		char event[32] = {0};
		memcpy(event, &notify, sizeof(notify));
		xcb_send_event(client->x, 0, requests[i].requestor, 0, event);
	}
	xcb_flush(client->x);
}

/* Owns clipboard and primary selection, of different types. */
static void own_both(const struct reader *reader)
{
	struct x_client *client = reader->client;
	xcb_selection_request_event_t requests[2];
	xcb_set_selection_owner(
		client->x, reader->window, x_atom(client, "CLIPBOARD"), XCB_CURRENT_TIME);
	xcb_set_selection_owner(client->x, reader->window, XCB_ATOM_PRIMARY, XCB_CURRENT_TIME);
	xcb_flush(client->x);
	for (int n = 0; n < 2;) {
		xcb_generic_event_t *event = xcb_wait_for_event(client->x);
		X_CHECK(event);
		if ((event->response_type & 127) == XCB_SELECTION_REQUEST) {
			requests[n] = *(xcb_selection_request_event_t *)(void *)event;
			X_CHECK(requests[n++].target == x_atom(client, "TARGETS"));
		}
		free(event);
	}
	answer_both(client, requests);
	puts("owned");
	fflush(stdout);
	getchar();
}

/* Has a Wayland program set the clipboard. */
static void let_another_own(void)
{
	puts("ready");
	fflush(stdout);
	X_CHECK(getchar() == '\n');
}

static void wait_for(struct x_client *client, uint8_t type, xcb_generic_event_t *found)
{
	xcb_generic_event_t *event;
	xcb_flush(client->x);
	for (bool is = false; !is; free(event)) {
		event = xcb_wait_for_event(client->x);
		X_CHECK(event);
		is = (event->response_type & 127) == type;
		*found = *event;
	}
}

static void take(const struct reader *reader, xcb_atom_t clipboard)
{
	xcb_set_selection_owner(reader->client->x, reader->window, clipboard, XCB_CURRENT_TIME);
	xcb_flush(reader->client->x);
}

/* Names the targets of a clipboard that is another program's by now. */
static void answer_late(const struct reader *reader)
{
	struct x_client *client = reader->client;
	xcb_generic_event_t event, clear;
	take(reader, x_atom(client, "CLIPBOARD"));
	wait_for(client, XCB_SELECTION_REQUEST, &event);
	let_another_own();
	wait_for(client, XCB_SELECTION_CLEAR, &clear);
	answer(client, (const void *)&event);
	x_settle(client);
}

/*
 * The X server is stopped after "ready" is written, and has this request and the window
 * manager's when it continues. It may handle them in either order.
 */
static void own_at_once(const struct reader *reader)
{
	struct x_client *client = reader->client;
	const xcb_atom_t clipboard = x_atom(client, "CLIPBOARD");
	let_another_own();
	take(reader, clipboard);
	puts("taken");
	fflush(stdout);
	x_settle(client);
	xcb_get_selection_owner_reply_t *reply = xcb_get_selection_owner_reply(
		client->x, xcb_get_selection_owner(client->x, clipboard), NULL);
	X_CHECK(reply);
	if (reply->owner != reader->window) {
		X_CHECK(convert(reader, "UTF8_STRING", "A") &&
			has_text(reader, "A", "UTF8_STRING", UTF8));
	}
	free(reply);
}

static void own(const struct reader *reader)
{
	struct x_client *client = reader->client;
	xcb_set_selection_owner(
		client->x, reader->window, x_atom(client, "CLIPBOARD"), XCB_CURRENT_TIME);
	xcb_flush(client->x);
	puts("owned");
	fflush(stdout);
	struct pollfd fds[] = {
		{.fd = 0, .events = POLLIN}, {xcb_get_file_descriptor(client->x), POLLIN, 0}};
	while (poll(fds, 2, -1) > 0 && !fds[0].revents) {
		xcb_generic_event_t *event;
		while ((event = xcb_poll_for_event(client->x))) {
			if ((event->response_type & 127) == XCB_SELECTION_REQUEST) {
				answer(client, (const void *)event);
			}
			free(event);
		}
	}
}

int main(int argc, char **argv)
{
	struct x_client *client = x_connect();
	const struct reader reader = {client, x_window(client, 0, 0, 200, 100), "CLIPBOARD"};
	X_CHECK(argc == 2);
	x_set_focus_model(client, reader.window, true, false);
	x_map(client, reader.window);
	X_WAIT(client, x_focus(client) == reader.window);
	if (strcmp(argv[1], "own") == 0) {
		own(&reader);
	} else if (strcmp(argv[1], "own-both") == 0) {
		own_both(&reader);
	} else if (strcmp(argv[1], "answer-late") == 0) {
		answer_late(&reader);
	} else if (strcmp(argv[1], "own-at-once") == 0) {
		own_at_once(&reader);
	} else {
		wait_for_owner(&reader);
		if (strcmp(argv[1], "large") == 0) {
			/* Each "é" is a byte of Latin-1, and two of UTF-8, after an odd one. */
			X_CHECK(read_pieces(&reader, "UTF8_STRING") == 300001);
			X_CHECK(read_pieces(&reader, "STRING") == 150001);
			read_both(&reader, (const size_t[]){300001, 150001});
		} else {
			required_targets_and_text_are_converted(&reader);
			times_before_the_ownership_are_refused(&reader);
			several_targets_are_converted_at_once(&reader);
			managers_selection_has_a_version(&reader);
		}
	}
	x_disconnect(client);
	return EXIT_SUCCESS;
}
