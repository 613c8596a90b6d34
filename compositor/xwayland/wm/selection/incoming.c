/* SPDX-License-Identifier: MIT */
/* Selections: data of X programs, whole or in pieces (INCR), written to descriptors. */

#include "selection.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/text.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void read_property(struct x_incoming *incoming);

void xwm_incoming_end(struct x_incoming *incoming)
{
	if (!incoming->stream) {
		return;
	}
	timer_finish(&incoming->timer);
	fd_stream_destroy(incoming->stream);
	free(incoming->data);
	*incoming = (struct x_incoming){
		.all = incoming->all, .property = incoming->property, .round = incoming->round + 1};
}

static void handle_timeout(struct timer *timer, int64_t now)
{
	struct x_incoming *incoming = wl_container_of(timer, incoming, timer);
	xwm_incoming_end(incoming);
}

static void be_patient(struct x_incoming *incoming)
{
	timer_arm(
		&incoming->timer, clock_now(incoming->all->wm->parts->clock) + X_TRANSFER_PATIENCE);
}

/* Asks for the next piece once the last one is written. */
static void go_on(struct x_incoming *incoming)
{
	struct xwm *wm = incoming->all->wm;
	if (incoming->more) {
		read_property(incoming);
	} else {
		xcb_delete_property(wm->x, wm->own, incoming->property);
		incoming->offset = 0;
		if (!incoming->incremental) {
			xwm_incoming_end(incoming);
		}
	}
	xwm_flush_soon(wm);
}

/* Returns false if the descriptor takes no more now, or the transfer has ended. */
static bool write_piece(struct x_incoming *incoming)
{
	ssize_t n = fd_stream_write(incoming->stream, incoming->data + incoming->written,
		incoming->size - incoming->written);
	if (n < 0) {
		xwm_incoming_end(incoming);
		return false;
	}
	incoming->written += (size_t)n;
	return incoming->written == incoming->size;
}

static void handle_ready(void *data)
{
	struct x_incoming *incoming = data;
	struct xwm *wm = incoming->all->wm;
	sigset_t signals;
	thread_block_sigpipe(&signals); /* requests may be sent at once */
	if (write_piece(incoming)) {
		be_patient(incoming);
		go_on(incoming);
	}
	thread_unblock_sigpipe(&signals);
	xwm_flush_soon(wm);
}

static void take_piece(struct x_incoming *incoming, const xcb_get_property_reply_t *property)
{
	incoming->size = (size_t)xcb_get_property_value_length(property);
	incoming->written = 0;
	incoming->more = property->bytes_after > 0;
	incoming->offset += (uint32_t)incoming->size / 4;
	incoming->total += incoming->size;
	if (incoming->total > X_TRANSFER_MAX || (incoming->incremental && incoming->size == 0)) {
		xcb_delete_property(
			incoming->all->wm->x, incoming->all->wm->own, incoming->property);
		xwm_incoming_end(incoming);
		return;
	}
	/* A byte of Latin-1 is up to two of UTF-8. */
	incoming->data = xrealloc(incoming->data, 2 * incoming->size + 1, 1);
	if (property->type == XCB_ATOM_STRING) {
		incoming->size = xwm_text_from_latin(
			incoming->data, xcb_get_property_value(property), incoming->size);
	} else {
		memcpy(incoming->data, xcb_get_property_value(property), incoming->size);
	}
	be_patient(incoming);
	if (write_piece(incoming)) {
		go_on(incoming);
	}
}

static void handle_property(struct xwm *wm, void *data, uint32_t number, void *reply)
{
	struct x_incoming *incoming = data;
	const xcb_get_property_reply_t *property = reply;
	if (!incoming->stream || number != incoming->round) {
		return;
	}
	incoming->asked = false;
	if (!property || property->format == 0) {
		xwm_incoming_end(incoming);
	} else if (property->type == wm->atoms[X_INCR] && !incoming->incremental) {
		incoming->incremental = true;
		be_patient(incoming);
		xcb_delete_property(wm->x, wm->own, incoming->property);
	} else {
		take_piece(incoming, property);
	}
}

static void read_property(struct x_incoming *incoming)
{
	struct xwm *wm = incoming->all->wm;
	xcb_get_property_cookie_t cookie = xcb_get_property(wm->x, 0, wm->own, incoming->property,
		XCB_GET_PROPERTY_TYPE_ANY, incoming->offset, X_PIECE / 4);
	incoming->asked = true;
	xwm_reply_expect(wm, cookie.sequence, handle_property, incoming, incoming->round);
}

void xwm_incoming_start(struct x_selection *selection, xcb_atom_t target, int fd)
{
	struct xwm *wm = selection->wm;
	struct x_incoming *incoming = NULL;
	for (int i = 0; i < X_TRANSFERS && !incoming; i++) {
		if (!wm->selections->incoming[i].stream) {
			incoming = &wm->selections->incoming[i];
		}
	}
	struct fd_stream *stream =
		incoming ? fd_stream_create(wm->parts->loop, wm->parts->tasks,
				   wm->selections->task_quota, fd, handle_ready, incoming)
			 : NULL;
	if (!stream) {
		close(fd);
		return;
	}
	incoming->stream = stream;
	incoming->selection = selection->atom;
	incoming->target = target;
	timer_init(&incoming->timer, wm->parts->clock, handle_timeout);
	be_patient(incoming);
	xcb_convert_selection(
		wm->x, wm->own, selection->atom, target, incoming->property, selection->asked);
}

/* A refusal names no property: it is that of the oldest request like it. */
void xwm_incoming_converted(struct x_selections *all, const xcb_selection_notify_event_t *event)
{
	for (int i = 0; i < X_TRANSFERS; i++) {
		struct x_incoming *incoming = &all->incoming[i];
		if (!incoming->stream || incoming->converted ||
			incoming->selection != event->selection ||
			incoming->target != event->target) {
			continue;
		}
		if (event->property == XCB_ATOM_NONE) {
			xwm_incoming_end(incoming);
			return;
		}
		if (event->property == incoming->property) {
			incoming->converted = true;
			read_property(incoming);
			return;
		}
	}
}

void xwm_incoming_property(struct x_selections *all, xcb_atom_t property)
{
	for (int i = 0; i < X_TRANSFERS; i++) {
		struct x_incoming *incoming = &all->incoming[i];
		/* An owner that sends the next piece too early loses it. */
		if (incoming->stream && incoming->incremental && !incoming->asked &&
			incoming->written == incoming->size && !incoming->more &&
			incoming->property == property) {
			read_property(incoming);
		}
	}
}
