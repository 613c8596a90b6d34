/* SPDX-License-Identifier: MIT */
/*
 * Drags of X programs. The program still gets events of the pointer or touch point, and drags over
 * windows of its X server by itself. Elsewhere, a window of the window manager covers these, so
 * that the program offers its data there; the offer then follows the pointer over surfaces of other
 * clients.
 */

#include "shell/shell.h"
#include "surface/surface.h"
#include "util/clock.h"
#include "util/xalloc.h"
#include "x_drag.h"
#include "xwayland/server.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/** Time (ns) that a program has for its drop after the release. */
#define RELEASE_PATIENCE INT64_C(5000000000)

struct x_drag_source {
	struct data_source data;
	struct x_drag *x;
	struct x_server *server;
	struct drag *drag; /* NULL: it has ended */
	bool inside; /* the program offers its data to the cover */
	bool covered;
	bool released; /* all buttons, or the touch point; the drop is due */
	bool unfinished; /* dropped on a target that has not finished */
	struct timer timer;
	struct wl_listener client_destroy;
};

const struct x_drag_wm_impl *x_drag_wm(const struct x_drag *x, const struct x_server *server)
{
	const struct x_selection_host *host = x->protocols->x_selections;
	return host && server->wm ? host->drag_wm : NULL;
}

static const struct x_drag_wm_impl *wm_of(const struct x_drag_source *source)
{
	return x_drag_wm(source->x, source->server);
}

static struct x_drag_source *from_data(struct data_source *data)
{
	struct x_drag_source *source = wl_container_of(data, source, data);
	return source;
}

static void send_data(struct selection_source *base, const char *mime_type, int fd)
{
	struct data_source *data = wl_container_of(base, data, base);
	struct x_drag_source *source = from_data(data);
	const struct x_selection_host *host = source->x->protocols->x_selections;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 && wm_of(source)) {
		host->wm->send(source->server->wm, X_SELECTION_DRAG, mime_type, copy);
	} else if (copy >= 0) {
		close(copy);
	}
}

/* The data is never a selection. */
static void handle_replaced(struct selection_source *base)
{
}

static const struct selection_source_impl base_impl = {
	.send = send_data,
	.cancelled = handle_replaced,
};

static void answer(struct x_drag_source *source)
{
	const struct x_drag_wm_impl *wm = wm_of(source);
	const struct data_source *data = &source->data;
	if (wm && source->drag) {
		wm->answer(source->server->wm, data->accepted && data->action, data->action);
	}
}

static void handle_accepted(struct data_source *data, const char *mime_type)
{
	answer(from_data(data));
}

static void handle_action(struct data_source *data, uint32_t action)
{
	answer(from_data(data));
}

static void finish(struct x_drag_source *source, bool accepted)
{
	const struct x_drag_wm_impl *wm = wm_of(source);
	if (wm && source->unfinished) {
		wm->finish(source->server->wm, accepted, source->data.action);
	}
	source->unfinished = false;
}

static void handle_cancelled(struct data_source *data)
{
	finish(from_data(data), false);
}

static void handle_dropped(struct data_source *data)
{
}

static void handle_finished(struct data_source *data)
{
	finish(from_data(data), true);
}

static const struct data_source_impl data_impl = {
	.cancelled = handle_cancelled,
	.accepted = handle_accepted,
	.action = handle_action,
	.dropped = handle_dropped,
	.finished = handle_finished,
};

void x_drag_source_destroy(struct x_drag_source *source)
{
	if (!source) {
		return;
	}
	finish(source, false);
	source->x->source = NULL;
	/* Cancels its drag. */
	selection_source_finish(&source->data.base);
	timer_finish(&source->timer);
	wl_list_remove(&source->client_destroy.link);
	free(source);
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct x_drag_source *source = wl_container_of(listener, source, client_destroy);
	x_drag_source_destroy(source);
}

struct x_drag_source *x_drag_source_of(const struct x_drag *x, const struct x_server *server)
{
	return x->source && x->source->server == server ? x->source : NULL;
}

/* The drag */

static void set_cover(struct x_drag_source *source, bool cover)
{
	const struct x_drag_wm_impl *wm = wm_of(source);
	if (wm && source->covered != cover) {
		source->covered = cover;
		wm->cover(source->server->wm, cover);
	}
}

bool x_drag_source_reaches(struct x_drag_source *source, const struct surface *surface)
{
	const bool own = surface && surface->client == source->server->client;
	set_cover(source, !own);
	return surface && !own && source->inside;
}

void x_drag_source_end(struct x_drag_source *source)
{
	const struct x_drag_wm_impl *wm = wm_of(source);
	source->drag = NULL;
	timer_disarm(&source->timer);
	set_cover(source, false);
	if (wm) {
		wm->end(source->server->wm);
	}
}

static void handle_timeout(struct timer *timer, int64_t now)
{
	struct x_drag_source *source = wl_container_of(timer, source, timer);
	drag_cancel(source->drag);
}

static void handle_motion(struct pointer_grab *grab, int64_t time)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	pointer_send_motion(grab->seat, time);
	if (!drag->x_source->released) {
		drag_move(drag, grab->seat->pointer.at, time, true);
	}
}

static void handle_refocus(struct pointer_grab *grab)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	if (!drag->x_source->released) {
		drag_move(drag, grab->seat->pointer.at, clock_now(grab->seat->clock), false);
	}
}

/* The program drops once it hears of the release. */
static void release(struct drag *drag)
{
	struct x_drag_source *source = drag->x_source;
	source->released = true;
	if (source->inside) {
		timer_arm(&source->timer, clock_now(drag->seat->clock) + RELEASE_PATIENCE);
	} else {
		drag_cancel(drag);
	}
}

static void handle_button(struct pointer_grab *grab, const struct input_button_event *event)
{
	struct drag *drag = wl_container_of(grab, drag, pointer_grab);
	if (drag->x_source->released) {
		drag_cancel(drag); /* the program did nothing, and the user goes on */
		return;
	}
	pointer_send_button(grab->seat, event);
	if (grab->seat->pointer.n_buttons == 0) {
		release(drag);
	}
}

static void handle_axis(struct pointer_grab *grab, const struct input_axis_event *event)
{
	pointer_send_axis(grab->seat, event);
}

static const struct pointer_grab_impl grab_impl = {
	.motion = handle_motion,
	.button = handle_button,
	.axis = handle_axis,
	.refocus = handle_refocus,
	.end = drag_handle_pointer_end,
};

static void handle_touch_down(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	if (drag->x_source->released) {
		drag_cancel(drag);
	}
}

static void handle_touch_motion(
	struct touch_grab *grab, int64_t time, int32_t id, struct coord_global at)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	struct seat_touch_point *point = touch_find(grab->seat, id);
	if (point) {
		touch_send_motion(grab->seat, point, time);
	}
	if (id == drag->touch_id && !drag->x_source->released) {
		drag_move(drag, at, time, true);
	}
}

static void handle_touch_up(struct touch_grab *grab, int64_t time, int32_t id)
{
	struct drag *drag = wl_container_of(grab, drag, touch_grab);
	struct seat_touch_point *point = touch_find(grab->seat, id);
	if (point) {
		touch_send_up(grab->seat, point, time);
	}
	if (id == drag->touch_id && !drag->x_source->released) {
		release(drag);
	}
}

static const struct touch_grab_impl touch_grab_impl = {
	.down = handle_touch_down,
	.up = handle_touch_up,
	.motion = handle_touch_motion,
	.end = drag_handle_touch_end,
	.cancel = drag_handle_touch_end,
};

static bool holds_button(const struct seat_pointer *pointer, const struct x_server *server)
{
	return !pointer->grab && pointer->n_buttons > 0 && pointer->n_sent_presses > 0 &&
	       pointer->press_surface && pointer->press_surface == pointer->focus &&
	       pointer->press_surface->client == server->client;
}

static bool may_start(
	const struct x_drag *x, const struct x_server *server, const struct seat_touch_point *point)
{
	const struct server *compositor = x->protocols->server;
	return !compositor->shell->locked && !x->protocols->data_manager->drag && server->client &&
	       server->wl_client &&
	       (point ? !compositor->seat->touch.grab
		      : holds_button(&compositor->seat->pointer, server));
}

bool x_drag_source_start(
	struct x_drag *x, struct x_server *server, const struct seat_touch_point *point)
{
	struct seat *seat = x->protocols->server->seat;
	x_drag_source_destroy(x_drag_source_of(x, server));
	if (!may_start(x, server, point)) {
		return false;
	}
	x_drag_source_destroy(x->source);
	struct x_drag_source *source = xcalloc(1, sizeof(*source));
	selection_source_init(&source->data.base, &base_impl, server->wl_client);
	source->data.impl = &data_impl;
	source->data.base.used = true;
	source->data.dragged = true;
	source->data.has_actions = true;
	source->data.actions = X_DRAG_COPY;
	source->x = x;
	source->server = server;
	timer_init(&source->timer, seat->clock, handle_timeout);
	source->client_destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(server->wl_client, &source->client_destroy);
	x->source = source;
	source->drag = drag_create(x->protocols->data_manager, server->wl_client, &source->data);
	source->drag->x_source = source;
	drag_start_grab(source->drag, point, &grab_impl, &touch_grab_impl);
	drag_move(source->drag, source->drag->at, clock_now(seat->clock), false);
	return true;
}

/* Calls of the window manager */

void x_drag_source_offer(struct x_drag *x, struct x_server *server, const char *const *types, int n)
{
	struct x_drag_source *source = x_drag_source_of(x, server);
	for (int i = 0; source && i < n; i++) {
		selection_source_add_type(&source->data.base, types[i]);
	}
}

void x_drag_source_hover(struct x_drag *x, struct x_server *server, bool inside)
{
	struct x_drag_source *source = x_drag_source_of(x, server);
	if (!source || !source->drag) {
		return;
	}
	source->inside = inside;
	if (!inside && source->released) {
		drag_cancel(source->drag);
	} else {
		struct drag *drag = source->drag;
		drag_move(drag, drag->at, clock_now(drag->seat->clock), false);
	}
}

void x_drag_source_suggest(struct x_drag *x, struct x_server *server, uint32_t actions)
{
	struct x_drag_source *source = x_drag_source_of(x, server);
	if (!source || !source->drag || source->data.actions == actions) {
		return;
	}
	source->data.actions = actions;
	struct selection_offer *base;
	wl_list_for_each (base, &source->drag->offers, link) {
		struct data_offer *offer = wl_container_of(base, offer, base);
		if (wl_resource_get_version(offer->resource) >=
			WL_DATA_OFFER_SOURCE_ACTIONS_SINCE_VERSION) {
			wl_data_offer_send_source_actions(offer->resource, actions);
		}
	}
	drag_update_action(source->drag);
}

void x_drag_source_release(struct x_drag *x, struct x_server *server)
{
	struct x_drag_source *source = x_drag_source_of(x, server);
	if (!source) {
		return;
	}
	source->unfinished = true;
	if (source->drag && source->released) {
		drag_drop(source->drag);
	} else if (source->drag) {
		drag_cancel(source->drag); /* before the release */
	} else {
		finish(source, false);
	}
}
