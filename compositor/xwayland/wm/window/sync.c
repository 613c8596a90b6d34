/* SPDX-License-Identifier: MIT */
/*
 * _NET_WM_SYNC_REQUEST: X windows show a new size only when they have drawn it. Until then,
 * Xwayland commits nothing; a time limit holds for programs that hang.
 */

#include "sync.h"
#include "util/log.h"
#include "xwayland/wm/base/request.h"
#include "xwayland/wm/base/xwm.h"
#include <stdlib.h>
#include <xcb/sync.h>

/** Time limit (ns) of a program that is slow or hangs. */
#define TIME_LIMIT INT64_C(500000000)

bool xwm_sync_connect(struct xwm *wm)
{
	const xcb_query_extension_reply_t *sync = xcb_get_extension_data(wm->x, &xcb_sync_id);
	if (!sync || !sync->present) {
		return false;
	}
	xcb_sync_initialize_reply_t *reply =
		xcb_sync_initialize_reply(wm->x, xcb_sync_initialize(wm->x, 3, 1), NULL);
	wm->sync_event = reply ? sync->first_event : 0;
	free(reply);
	return wm->sync_event != 0;
}

static void allow_commits(struct xwin *window, uint32_t allow)
{
	struct xwm *wm = window->wm;
	window->sync.frozen = !allow;
	xcb_change_property(wm->x, XCB_PROP_MODE_REPLACE, window->id,
		wm->atoms[X__XWAYLAND_ALLOW_COMMITS], XCB_ATOM_CARDINAL, 32, 1, &allow);
}

static void send_request(struct xwin *window)
{
	struct xwm *wm = window->wm;
	const uint64_t value = ++window->sync.value;
	const xcb_client_message_event_t message = {
		.response_type = XCB_CLIENT_MESSAGE,
		.format = 32,
		.window = window->id,
		.type = wm->atoms[X_WM_PROTOCOLS],
		.data.data32 = {wm->atoms[X__NET_WM_SYNC_REQUEST], XCB_TIME_CURRENT_TIME,
			(uint32_t)value, (uint32_t)(value >> 32)},
	};
	xcb_send_event(wm->x, 0, window->id, XCB_EVENT_MASK_NO_EVENT, (const char *)&message);
}

/*
 * Returns an id for an alarm. Those of destroyed alarms are used again: libxcb would wait for the
 * X server when it has none left.
 */
static uint32_t take_id(struct xwm *wm)
{
	struct wl_array *spare = &wm->spare_alarms;
	if (spare->size == 0) {
		return xcb_generate_id(wm->x);
	}
	spare->size -= sizeof(uint32_t);
	return *(uint32_t *)((char *)spare->data + spare->size);
}

/* The alarm rings once, when the counter has reached the value. */
static void set_alarm(struct xwin *window)
{
	struct xwm *wm = window->wm;
	const uint64_t value = window->sync.value;
	const uint32_t values[] = {window->sync.counter, XCB_SYNC_VALUETYPE_ABSOLUTE,
		(uint32_t)(value >> 32), (uint32_t)value, XCB_SYNC_TESTTYPE_POSITIVE_COMPARISON, 0,
		0, 1};
	const uint32_t mask = XCB_SYNC_CA_COUNTER | XCB_SYNC_CA_VALUE_TYPE | XCB_SYNC_CA_VALUE |
			      XCB_SYNC_CA_TEST_TYPE | XCB_SYNC_CA_DELTA | XCB_SYNC_CA_EVENTS;
	if (window->sync.alarm) {
		xcb_sync_change_alarm(wm->x, window->sync.alarm, mask, values);
	} else {
		window->sync.alarm = take_id(wm);
		xcb_sync_create_alarm(wm->x, window->sync.alarm, mask, values);
	}
}

static void arm(struct xwm *wm)
{
	if (!wl_list_empty(&wm->syncing)) {
		const struct xwin *first = wl_container_of(wm->syncing.next, first, sync.link);
		timer_arm(&wm->sync_timer, first->sync.deadline);
	}
}

void xwin_sync_begin(struct xwin *window)
{
	struct xwm *wm = window->wm;
	if (!wm->sync_event || !(window->protocols & X_PROTOCOL_SYNC) || !window->sync.counter ||
		window->sync.waiting) {
		return;
	}
	send_request(window);
	set_alarm(window);
	if (window->sync.late) {
		return; /* until it answers in time again */
	}
	allow_commits(window, 0);
	window->sync.waiting = true;
	window->sync.deadline = clock_now(wm->parts->clock) + TIME_LIMIT;
	wl_list_insert(wm->syncing.prev, &window->sync.link);
	arm(wm);
}

/* Has the drawn size committed, and sends the state that waited. */
static void end(struct xwin *window)
{
	const uint32_t deferred = window->sync.deferred;
	wl_list_remove(&window->sync.link);
	wl_list_init(&window->sync.link);
	window->sync.waiting = false;
	window->sync.deferred = 0;
	xwin_mark(window, X_DIRTY_COMMITS | deferred);
}

void xwin_sync_send(struct xwin *window)
{
	if (window->sync.frozen && !window->sync.waiting) {
		allow_commits(window, 1);
	}
}

/* Alarms of clients are of no interest: they cannot have these ids. */
bool xwm_sync_event(struct xwm *wm, const xcb_generic_event_t *event)
{
	if (!wm->sync_event || event->response_type != wm->sync_event + XCB_SYNC_ALARM_NOTIFY) {
		return false;
	}
	const xcb_sync_alarm_notify_event_t *notify = (const void *)event;
	if (notify->state == XCB_SYNC_ALARMSTATE_DESTROYED) {
		return true; /* the id may be another window's by now */
	}
	const uint64_t value =
		(uint64_t)(uint32_t)notify->counter_value.hi << 32 | notify->counter_value.lo;
	struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		if (window->sync.alarm != notify->alarm || value < window->sync.value) {
			continue;
		}
		window->sync.late = false;
		if (window->sync.waiting) {
			end(window);
		}
		break;
	}
	return true;
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct xwm *wm = wl_container_of(timer, wm, sync_timer);
	struct xwin *window, *next;
	wl_list_for_each_safe (window, next, &wm->syncing, sync.link) {
		if (window->sync.deadline > now) {
			break;
		}
		window->sync.late = true;
		log_debug(LOG_SHELL, "X window %#x: no answer to a sync request", window->id);
		end(window);
	}
	arm(wm);
}

void xwm_sync_init(struct xwm *wm)
{
	wl_list_init(&wm->syncing);
	wl_array_init(&wm->spare_alarms);
	timer_init(&wm->sync_timer, wm->parts->clock, handle_timer);
}

void xwm_sync_finish(struct xwm *wm)
{
	timer_finish(&wm->sync_timer);
	wl_array_release(&wm->spare_alarms);
}

void xwin_sync_forget(struct xwin *window)
{
	if (window->sync.waiting) {
		window->sync.waiting = false;
		wl_list_remove(&window->sync.link);
		wl_list_init(&window->sync.link);
		window->sync.deferred = 0;
	}
}

void xwin_sync_set_counter(struct xwin *window, uint32_t counter)
{
	if (counter == window->sync.counter) {
		return;
	}
	window->sync.counter = counter;
	window->sync.late = false;
	if (window->sync.alarm) {
		uint32_t *spare = wl_array_add(&window->wm->spare_alarms, sizeof(*spare));
		if (spare) {
			*spare = window->sync.alarm;
		}
		xcb_sync_destroy_alarm(window->wm->x, window->sync.alarm);
		window->sync.alarm = 0;
	}
}
