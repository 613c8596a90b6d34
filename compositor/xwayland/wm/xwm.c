/* SPDX-License-Identifier: MIT */
/* X window manager: life cycle, and the exchange of requests, events and replies. */

#include "xwayland/wm/base/xwm.h"
#include "connect.h"
#include "event.h"
#include "root.h"
#include "surface/client.h"
#include "util/account.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include "xwayland/wm/base/reply.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/drag/drag.h"
#include "xwayland/wm/hints/hints.h"
#include "xwayland/wm/hints/icon.h"
#include "xwayland/wm/selection/selection.h"
#include "xwayland/wm/window/focus.h"
#include "xwayland/wm/window/order.h"
#include "xwayland/wm/window/scale.h"
#include "xwayland/wm/window/sync.h"
#include "xwayland/wm/window/window.h"
#include <poll.h>
#include <stdlib.h>
#include <sys/random.h>
#include <xcb/xcbext.h>

/** Events that one turn of the loop handles. */
#define EVENTS_A_TURN 256
/** Time (ns) after which a turn handles no further event. */
#define TIME_A_TURN INT64_C(2000000)
/** Time (ns) after a loss of the connection in which the end of the X server is to be reported. */
#define LOST_PATIENCE INT64_C(1000000000)

/*
 * Returns true if the socket has room for a batch of requests. The kernel says so while three
 * quarters of its buffer are free, many times the size of the buffer of libxcb.
 */
static bool has_room(const struct xwm *wm)
{
	struct pollfd pollfd = {.fd = xcb_get_file_descriptor(wm->x), .events = POLLOUT};
	return poll(&pollfd, 1, 0) == 1 && (pollfd.revents & POLLOUT);
}

static void watch(struct xwm *wm, uint32_t events)
{
	if (wm->watched != events) {
		wm->watched = events;
		wl_event_source_fd_update(wm->source, events);
	}
}

/*
 * Handles events and replies, at most a turn's worth. Returns false if some may be left: the socket
 * to the X server is full, or there are too many.
 */
static bool receive(struct xwm *wm)
{
	const int64_t end = clock_now(wm->parts->clock) + TIME_A_TURN;
	for (int i = 0; i < EVENTS_A_TURN && clock_now(wm->parts->clock) < end; i++) {
		if (!has_room(wm)) {
			return false;
		}
		xcb_generic_event_t *event = xcb_poll_for_event(wm->x);
		if (event) {
			xwm_handle_event(wm, event);
			free(event);
		} else if (!xwm_reply_handle_next(wm)) {
			return true;
		}
		/* Empties the buffer of libxcb, which must stay within the room. */
		xcb_flush(wm->x);
	}
	return false;
}

/* Empties the buffer of libxcb, and returns true if there is room for another batch. */
static bool make_room(struct xwm *wm)
{
	xcb_flush(wm->x);
	return has_room(wm);
}

static void send_dirty(struct xwm *wm)
{
	static void (*const parts[])(struct xwm * wm) = {xwm_order_send, xwm_root_send_lists,
		xwm_root_send_area, xwm_menus_send, xwm_focus_send, xwm_selections_send,
		xwm_drags_send, xwm_icons_send, xwm_settings_send};
	/* Windows that are marked by these calls wait for the next time. */
	int n = wl_list_length(&wm->dirty);
	for (; n > 0 && !wl_list_empty(&wm->dirty) && has_room(wm); n--) {
		struct xwin *window = wl_container_of(wm->dirty.next, window, dirty_link);
		wl_list_remove(&window->dirty_link);
		wl_list_init(&window->dirty_link);
		xwin_managed_send(window);
		xcb_flush(wm->x);
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && make_room(wm); i++) {
		parts[i](wm);
	}
	while (make_room(wm) && xwm_outgoing_send(wm)) {
		/* the next piece */
	}
}

static bool is_dirty(const struct xwm *wm)
{
	return !wl_list_empty(&wm->dirty) || wm->lists_dirty || wm->root_dirty || wm->focus.dirty ||
	       xwm_order_is_dirty(wm) || wm->menus_dirty || wm->selections_dirty ||
	       wm->settings_dirty || xwm_drags_dirty(wm) || xwm_icons_dirty(wm);
}

/* Receives, sends, and receives again, since writing may have read into libxcb's memory. */
static void exchange_unguarded(struct xwm *wm)
{
	bool received = receive(wm);
	if (received) {
		send_dirty(wm);
		received = receive(wm);
	}
	if (xcb_connection_has_error(wm->x)) {
		/* Most likely the X server has ended, as its process will tell. */
		watch(wm, 0);
		wm->failed = true;
		timer_arm(&wm->resume, clock_now(wm->parts->clock) + LOST_PATIENCE);
		return;
	}
	if (!has_room(wm)) {
		watch(wm, WL_EVENT_WRITABLE);
		return;
	}
	watch(wm, WL_EVENT_READABLE);
	if (!received || is_dirty(wm)) {
		timer_arm(&wm->resume, clock_now(wm->parts->clock));
	}
}

static void exchange(struct xwm *wm)
{
	sigset_t signals;
	if (!wm->x || wm->connecting || wm->failed) {
		return;
	}
	thread_block_sigpipe(&signals);
	exchange_unguarded(wm);
	thread_unblock_sigpipe(&signals);
}

static int handle_socket(int fd, uint32_t mask, void *data)
{
	exchange(data);
	return 0;
}

static void handle_flush(struct timer *timer, int64_t now)
{
	struct xwm *wm = wl_container_of(timer, wm, flush);
	exchange(wm);
}

static void handle_resume(struct timer *timer, int64_t now)
{
	struct xwm *wm = wl_container_of(timer, wm, resume);
	if (wm->failed) {
		x_server_end(wm->server); /* a program killed the connection */
	}
	exchange(wm);
}

static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, layout_changed);
	wm->root_dirty = true;
	xwm_struts_update(wm);
	if (wm->x && !wm->connecting) {
		xwm_rescale(wm);
	}
	xwm_flush_soon(wm);
}

static void handle_usable_changed(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, usable_changed);
	wm->root_dirty = true;
	xwm_flush_soon(wm);
}

/* Minimised windows have no surface of the client, and end before it does. */
static void handle_client_gone(struct wl_listener *listener, void *data)
{
	struct xwm *wm = wl_container_of(listener, wm, client_gone);
	struct xwin *window;
	wl_list_remove(&wm->client_gone.link);
	wl_list_init(&wm->client_gone.link);
	wl_list_for_each (window, &wm->windows, link) {
		if (window->iconic.stand_in) {
			xwin_managed_destroy(window);
		}
	}
}

static void handle_scaled(void *data)
{
	struct xwm *wm = data;
	if (wm->x && !wm->connecting) {
		xwm_rescale(wm);
	}
}

static void handle_connected(struct xwm *wm, const char *error)
{
	if (error) {
		xwm_fail(wm, error);
		return;
	}
	wm->watched = WL_EVENT_READABLE;
	wm->source = wl_event_loop_add_fd(
		wm->parts->loop, xcb_get_file_descriptor(wm->x), wm->watched, handle_socket, wm);
	if (!wm->source) {
		xwm_fail(wm, "cannot watch the window manager's connection");
		return;
	}
	signal_add(&wm->parts->scene->events.layout_changed, &wm->layout_changed,
		handle_layout_changed);
	signal_add(&wm->parts->shell->events.usable, &wm->usable_changed, handle_usable_changed);
	xwm_focus_watch(wm);
	xwm_order_watch(wm);
	xwm_menus_watch(wm);
	xwm_selections_create(wm, xwm_drag_selection_impl());
	wm->root_dirty = wm->lists_dirty = true;
	xwm_rescale(wm);
	log_debug(LOG_SHELL, "X server :%d has its window manager", wm->server->display);
	exchange(wm);
}

static void *create(void *data, struct x_server *server, int fd)
{
	struct xwm *wm = xcalloc(1, sizeof(*wm));
	wm->parts = data;
	wm->server = server;
	wm->role = &xwin_role;
	wm->window_impl = &xwin_window_impl;
	wm->scale = server->scale;
	wm->cursor_size = wm->parts->seat->cursor.size;
	wm->account = account_ref(server->client ? server->client->account : NULL);
	if (getrandom(&wm->hash_factor, sizeof(wm->hash_factor), 0) != sizeof(wm->hash_factor)) {
		abort(); /* impossible: at most 256 bytes and no flags */
	}
	wm->hash_factor |= 1;
	for (int i = 0; i < XWM_BUCKETS; i++) {
		wl_list_init(&wm->buckets[i]);
	}
	wl_list_init(&wm->windows);
	wl_list_init(&wm->unpaired);
	wl_list_init(&wm->dirty);
	wl_list_init(&wm->stack);
	wl_list_init(&wm->replies);
	wl_signal_init(&wm->events.shown);
	xwm_order_init(wm);
	xwm_focus_init(wm);
	xwm_sync_init(wm);
	wl_list_init(&wm->layout_changed.link);
	wl_list_init(&wm->usable_changed.link);
	wl_list_init(&wm->press.link);
	wm->client_gone.notify = handle_client_gone;
	wl_list_init(&wm->client_gone.link);
	if (wm->server->wl_client) {
		wl_client_add_destroy_listener(wm->server->wl_client, &wm->client_gone);
	}
	timer_init(&wm->flush, wm->parts->clock, handle_flush);
	timer_init(&wm->resume, wm->parts->clock, handle_resume);
	xwm_drags_create(wm);
	xwm_icons_create(wm);
	xwm_root_measure(wm);
	if (!xwm_connect(wm, fd, handle_connected)) {
		xwm_drags_destroy(wm);
		xwm_icons_destroy(wm);
		xwm_focus_unwatch(wm);
		wl_list_remove(&wm->client_gone.link);
		account_unref(wm->account);
		free(wm);
		return NULL;
	}
	return wm;
}

static void destroy(void *data)
{
	struct xwm *wm = data;
	xwm_connect_cancel(wm->connecting);
	xwm_drags_destroy(wm);
	xwm_icons_destroy(wm);
	xwm_focus_unwatch(wm);
	xwm_order_finish(wm);
	wl_list_remove(&wm->layout_changed.link);
	wl_list_remove(&wm->usable_changed.link);
	wl_list_remove(&wm->press.link);
	wl_list_remove(&wm->client_gone.link);
	timer_finish(&wm->flush);
	timer_finish(&wm->resume);
	struct xwin *window, *next;
	wl_list_for_each_safe (window, next, &wm->windows, link) {
		xwin_remove(window);
	}
	xwm_replies_drop(wm);
	xwm_sync_finish(wm);
	xwm_selections_destroy(wm);
	if (wm->unmanaged) {
		scene_node_destroy(&wm->unmanaged->node);
	}
	event_source_remove(&wm->source);
	if (wm->x) {
		xcb_disconnect(wm->x);
	}
	account_unref(wm->account);
	free(wm);
}

static void handle_new_surface(void *data, struct surface *surface, uint32_t id)
{
	struct xwm *wm = data;
	struct xwin *window;
	wl_list_for_each (window, &wm->unpaired, announced.link) {
		if (window->announced.surface_id == id) {
			xwin_pair(window, surface);
			return;
		}
	}
}

static void handle_surface_with_serial(void *data, struct surface *surface, uint64_t serial)
{
	struct xwm *wm = data;
	struct xwin *window;
	wl_list_for_each (window, &wm->unpaired, announced.link) {
		if (window->announced.serial == serial) {
			xwin_pair(window, surface);
			return;
		}
	}
}

const struct x_server_wm_impl *xwm_impl(void)
{
	static const struct x_server_wm_impl impl = {
		.role = &xwin_role,
		.create = create,
		.destroy = destroy,
		.new_surface = handle_new_surface,
		.surface_with_serial = handle_surface_with_serial,
		.scaled = handle_scaled,
	};
	return &impl;
}
