/* SPDX-License-Identifier: MIT */
/* Selections: data read from descriptors, given to X programs whole or in pieces (INCR). */

#include "selection.h"
#include "util/event_source.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/table.h"
#include "xwayland/wm/base/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Bytes of a character of UTF-8 at most. */
#define CHARACTER_MAX 4

void xwm_selection_notify(
	struct xwm *wm, const xcb_selection_request_event_t *request, xcb_atom_t property)
{
	const xcb_selection_notify_event_t event = {
		.response_type = XCB_SELECTION_NOTIFY,
		.time = request->time,
		.requestor = request->requestor,
		.selection = request->selection,
		.target = request->target,
		.property = property,
	};
	char bytes[32] = {0};
	memcpy(bytes, &event, sizeof(event));
	xcb_send_event(wm->x, 0, request->requestor, XCB_EVENT_MASK_NO_EVENT, bytes);
}

void xwm_selection_answer(struct xwm *wm, const xcb_selection_request_event_t *request,
	const struct x_part *part, bool converted)
{
	if (part->multiple) {
		part->handle(part->multiple, part->index, converted);
	} else {
		xwm_selection_notify(wm, request, converted ? request->property : XCB_ATOM_NONE);
	}
}

static void answer(struct x_outgoing *outgoing, bool converted)
{
	xwm_selection_answer(outgoing->all->wm, &outgoing->request, &outgoing->part, converted);
}

void xwm_outgoing_end(struct x_outgoing *outgoing)
{
	if (outgoing->fd < 0) {
		return;
	}
	event_source_remove(&outgoing->readable);
	timer_finish(&outgoing->timer);
	close(outgoing->fd);
	free(outgoing->data);
	*outgoing = (struct x_outgoing){.all = outgoing->all, .fd = -1};
}

/* Ends a transfer before its end. */
static void refuse(struct x_outgoing *outgoing)
{
	if (!outgoing->incremental) {
		answer(outgoing, false);
	}
	xwm_outgoing_end(outgoing);
}

static void handle_timeout(struct timer *timer, int64_t now)
{
	struct x_outgoing *outgoing = wl_container_of(timer, outgoing, timer);
	struct xwm *wm = outgoing->all->wm;
	refuse(outgoing);
	xwm_flush_soon(wm);
}

static void be_patient(struct x_outgoing *outgoing)
{
	timer_arm(
		&outgoing->timer, clock_now(outgoing->all->wm->parts->clock) + X_TRANSFER_PATIENCE);
}

/* Sends the data that was read, but for a character of which bytes are missing. */
static void set_property(struct x_outgoing *outgoing)
{
	const xcb_selection_request_event_t *request = &outgoing->request;
	size_t used = outgoing->size, length = used;
	if (outgoing->type == XCB_ATOM_STRING) {
		length = xwm_text_to_latin(outgoing->data, outgoing->size, outgoing->ended, &used);
	}
	xcb_change_property(outgoing->all->wm->x, XCB_PROP_MODE_REPLACE, request->requestor,
		request->property, outgoing->type, 8, (uint32_t)length, outgoing->data);
	outgoing->size -= used;
	memmove(outgoing->data, outgoing->data + used, outgoing->size);
}

/* Returns whether there is a whole character: an empty piece would end the transfer. */
static bool has_character(const struct x_outgoing *outgoing)
{
	return outgoing->size >= (outgoing->type == XCB_ATOM_STRING ? CHARACTER_MAX : 1);
}

static void start_pieces(struct x_outgoing *outgoing);

/*
 * Announces pieces of all other targets of a list: its requestor takes none before all are
 * answered, and an owner that sends one after the other waits until the first is taken.
 */
static void start_others(struct x_outgoing *outgoing)
{
	const struct x_multiple *multiple = outgoing->part.multiple;
	for (int i = 0; multiple && i < X_TRANSFERS; i++) {
		struct x_outgoing *other = &outgoing->all->outgoing[i];
		if (other->fd >= 0 && other->part.multiple == multiple && !other->incremental &&
			!other->ended) {
			start_pieces(other);
		}
	}
}

/* Announces pieces. The program takes one by deleting the property. */
static void start_pieces(struct x_outgoing *outgoing)
{
	struct xwm *wm = outgoing->all->wm;
	const struct xwin *window = xwin_find(wm, outgoing->request.requestor);
	/* The root window reports the end of its children. */
	const uint32_t events = (uint32_t)XCB_EVENT_MASK_PROPERTY_CHANGE |
				(window ? (uint32_t)XCB_EVENT_MASK_FOCUS_CHANGE
					: (uint32_t)XCB_EVENT_MASK_STRUCTURE_NOTIFY);
	const uint32_t least = (uint32_t)outgoing->size;
	outgoing->incremental = true;
	xcb_change_window_attributes(
		wm->x, outgoing->request.requestor, XCB_CW_EVENT_MASK, &events);
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, outgoing->request.requestor,
		outgoing->request.property, wm->atoms[X_INCR], 32, 1, &least);
	start_others(outgoing);
	answer(outgoing, true);
}

/* An empty piece ends the transfer. */
static void send_piece(struct x_outgoing *outgoing)
{
	if (!outgoing->wanted || (!outgoing->ended && !has_character(outgoing))) {
		return;
	}
	const bool last = outgoing->size == 0;
	outgoing->wanted = false;
	set_property(outgoing);
	be_patient(outgoing);
	if (last) {
		xwm_outgoing_end(outgoing);
	}
}

static void handle_data(struct x_outgoing *outgoing)
{
	if (outgoing->incremental) {
		send_piece(outgoing);
	} else if (outgoing->ended) {
		set_property(outgoing);
		answer(outgoing, true);
		xwm_outgoing_end(outgoing);
	} else if (outgoing->size == X_PIECE) {
		start_pieces(outgoing);
	}
}

static void watch(struct x_outgoing *outgoing);

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct x_outgoing *outgoing = data;
	struct xwm *wm = outgoing->all->wm;
	ssize_t n = read(fd, outgoing->data + outgoing->size, X_PIECE - outgoing->size);
	if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
		return 0;
	}
	if (n > 0) {
		outgoing->size += (size_t)n;
		outgoing->total += (size_t)n;
	}
	if (n < 0 || outgoing->total > X_TRANSFER_MAX) {
		refuse(outgoing);
	} else {
		outgoing->ended = n == 0;
		outgoing->due = true;
		be_patient(outgoing);
		watch(outgoing);
	}
	xwm_flush_soon(wm);
	return 0;
}

/* Reads on while there is room. */
static void watch(struct x_outgoing *outgoing)
{
	const bool reads = outgoing->fd >= 0 && !outgoing->ended && outgoing->size < X_PIECE;
	if (reads && !outgoing->readable) {
		outgoing->readable = wl_event_loop_add_fd(outgoing->all->wm->parts->loop,
			outgoing->fd, WL_EVENT_READABLE, handle_readable, outgoing);
	} else if (!reads && outgoing->readable) {
		event_source_remove(&outgoing->readable);
	}
}

bool xwm_outgoing_send(struct xwm *wm)
{
	for (int i = 0; wm->selections && i < X_TRANSFERS; i++) {
		struct x_outgoing *outgoing = &wm->selections->outgoing[i];
		if (outgoing->fd >= 0 && outgoing->due) {
			outgoing->due = false;
			handle_data(outgoing);
			watch(outgoing);
			return true;
		}
	}
	return false;
}

bool xwm_outgoing_property(struct x_selections *all, xcb_window_t window, xcb_atom_t property)
{
	for (int i = 0; i < X_TRANSFERS; i++) {
		struct x_outgoing *outgoing = &all->outgoing[i];
		if (outgoing->fd >= 0 && outgoing->incremental &&
			outgoing->request.requestor == window &&
			outgoing->request.property == property) {
			outgoing->wanted = true;
			send_piece(outgoing);
			watch(outgoing);
			return true;
		}
	}
	return false;
}

void xwm_outgoing_vanished(struct xwm *wm, xcb_window_t requestor)
{
	for (int i = 0; wm->selections && i < X_TRANSFERS; i++) {
		struct x_outgoing *outgoing = &wm->selections->outgoing[i];
		if (outgoing->fd >= 0 && outgoing->request.requestor == requestor) {
			refuse(outgoing);
		}
	}
}

bool xwm_outgoing_runs(const struct x_selection *selection)
{
	const struct x_outgoing *all = selection->wm->selections->outgoing;
	for (int i = 0; i < X_TRANSFERS; i++) {
		if (all[i].fd >= 0 && all[i].request.selection == selection->atom) {
			return true;
		}
	}
	return false;
}

bool xwm_outgoing_start(struct x_selection *selection, const xcb_selection_request_event_t *request,
	const struct x_part *part, const char *type, pid_t pid)
{
	struct xwm *wm = selection->wm;
	const struct x_selection_host *host = wm->parts->selections;
	struct x_outgoing *outgoing = NULL;
	/* A transfer in pieces selects events of the requestor, and these windows have theirs. */
	if (request->requestor == wm->root || request->requestor == wm->own) {
		return false;
	}
	for (int i = 0; i < X_TRANSFERS && !outgoing; i++) {
		if (wm->selections->outgoing[i].fd < 0) {
			outgoing = &wm->selections->outgoing[i];
		}
	}
	int fds[2];
	if (!outgoing || pipe2(fds, O_CLOEXEC) < 0) {
		return false;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	bool allowed = host->receive(host->data, wm->server, selection->kind, pid, type, fds[1]);
	close(fds[1]);
	if (!allowed) {
		close(fds[0]);
		return false;
	}
	outgoing->fd = fds[0];
	outgoing->request = *request;
	outgoing->part = *part;
	/* The owner chooses the encoding of TEXT. */
	outgoing->type =
		request->target == wm->atoms[X_TEXT] ? wm->atoms[X_UTF8_STRING] : request->target;
	outgoing->data = xrealloc(NULL, X_PIECE, 1);
	timer_init(&outgoing->timer, wm->parts->clock, handle_timeout);
	be_patient(outgoing);
	watch(outgoing);
	return true;
}
