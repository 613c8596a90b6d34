/* SPDX-License-Identifier: MIT */
/* Sessions by libseat, and the devices opened in them. */

#include "backend/session.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <libseat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Timeout for an opened seat to become active. */
#define ENABLE_TIMEOUT_MS 5000

struct session_device {
	struct wl_list link;
	int fd;
	int id; /* libseat's ID */
};

static void set_active(struct session *session, bool active)
{
	if (session->active == active) {
		return;
	}
	session->active = active;
	log_debug(LOG_BACKEND, "session: %s", active ? "active" : "inactive");
	signal_emit(&session->events.active, NULL);
}

static void handle_enable(struct libseat *seat, void *data)
{
	set_active(data, true);
}

static void handle_disable(struct libseat *seat, void *data)
{
	set_active(data, false);
	/* All devices are unused now: release the seat. */
	if (libseat_disable_seat(seat) < 0) {
		log_warn("session: cannot release the seat: %s", strerror(errno));
	}
}

static const struct libseat_seat_listener listener = {
	.enable_seat = handle_enable,
	.disable_seat = handle_disable,
};

static void handle_log(enum libseat_log_level level, const char *format, va_list arguments)
{
	char line[256];
	vsnprintf(line, sizeof(line), format, arguments);
	log_debug(LOG_BACKEND, "libseat: %s", line);
}

static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct session *session = data;
	bool broken = mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP);
	if (!broken && libseat_dispatch(session->seat, 0) >= 0) {
		return 0;
	}
	log_error("session: lost the seat: the seat manager is gone");
	event_source_remove(&session->source);
	session->lost = true;
	set_active(session, false);
	signal_emit(&session->events.lost, NULL);
	return 0;
}

/* Selects the more informative of two errors. */
static int more_specific(int a, int b)
{
	static const int order[] = {EBUSY, EPERM, EACCES, EAGAIN};
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (a == order[i] || b == order[i]) {
			return order[i];
		}
	}
	return a ? a : b;
}

/* seatd disconnects refused clients without an error code: a connection means that it is busy. */
static int reason_of(const char *backend, int error)
{
	bool missing = error == ENOENT || error == ECONNREFUSED || error == EACCES ||
		       error == EPERM || error == EINVAL;
	return strcmp(backend, "seatd") == 0 && !missing ? EBUSY : error;
}

/* Tries libseat's backends one after the other: by itself, libseat hides their errors. */
static struct libseat *open_seat(struct session *session, int *reason)
{
	static const char *const backends[] = {"seatd", "logind", "builtin"};
	*reason = 0;
	if (getenv("LIBSEAT_BACKEND")) {
		struct libseat *seat = libseat_open_seat(&listener, session);
		*reason = seat ? 0 : reason_of(getenv("LIBSEAT_BACKEND"), errno);
		return seat;
	}
	struct libseat *seat = NULL;
	for (size_t i = 0; !seat && i < sizeof(backends) / sizeof(backends[0]); i++) {
		setenv("LIBSEAT_BACKEND", backends[i], 1);
		errno = 0;
		seat = libseat_open_seat(&listener, session);
		if (!seat) {
			log_debug(LOG_BACKEND, "session: %s: %s", backends[i], strerror(errno));
			*reason = more_specific(*reason, reason_of(backends[i], errno));
		}
		/* The builtin backend would take the terminal from the seat's current holder. */
		if (*reason == EBUSY) {
			break;
		}
	}
	unsetenv("LIBSEAT_BACKEND");
	return seat;
}

static char *explain(int reason)
{
	switch (reason) {
	case EBUSY:
		return xstrdup("another compositor holds the seat: end it, or switch to a free "
			       "virtual terminal");
	case EPERM:
	case EACCES:
		return xstrdup(
			"no right to use the seat: log in on a virtual terminal, or join the "
			"group that seatd serves");
	default:
		return xasprintf("cannot open a seat (neither seatd nor logind, and not root on a "
				 "virtual terminal): %s",
			strerror(reason ? reason : ENOSYS));
	}
}

/* Blocks; only during startup, before the event loop runs. */
static bool wait_active(struct session *session)
{
	int64_t end = clock_monotonic() / 1000000 + ENABLE_TIMEOUT_MS;
	while (!session->active) {
		int64_t left = end - clock_monotonic() / 1000000;
		if (left <= 0 ||
			(libseat_dispatch(session->seat, (int)left) < 0 && errno != EINTR)) {
			return false;
		}
	}
	return true;
}

struct session *session_create(struct wl_event_loop *loop, char **error)
{
	libseat_set_log_handler(handle_log);
	libseat_set_log_level(LIBSEAT_LOG_LEVEL_INFO);
	struct session *session = xcalloc(1, sizeof(*session));
	session->loop = loop;
	wl_list_init(&session->devices);
	signals_init(&session->events, sizeof(session->events));
	int reason;
	session->seat = open_seat(session, &reason);
	if (!session->seat) {
		*error = explain(reason);
		goto destroy;
	}
	if (!wait_active(session)) {
		*error = xstrdup(
			"the seat is inactive: switch to the virtual terminal of this session");
		goto destroy;
	}
	session->source = wl_event_loop_add_fd(
		loop, libseat_get_fd(session->seat), WL_EVENT_READABLE, handle_readable, session);
	if (!session->source) {
		*error = xstrdup("cannot watch the seat");
		goto destroy;
	}
	session->name = libseat_seat_name(session->seat);
	return session;
destroy:
	session_destroy(session);
	return NULL;
}

void session_destroy(struct session *session)
{
	if (!session) {
		return;
	}
	signal_emit(&session->events.destroy, session);
	assert(signals_are_unused(&session->events, sizeof(session->events)));
	assert(wl_list_empty(&session->devices));
	event_source_remove(&session->source);
	if (session->seat) {
		libseat_close_seat(session->seat);
	}
	free(session);
}

int session_open_device(struct session *session, const char *path)
{
	int fd = -1;
	int id = libseat_open_device(session->seat, path, &fd);
	if (id < 0) {
		int error = errno ? errno : ENODEV;
		log_debug(LOG_BACKEND, "session: %s: %s", path, strerror(error));
		return -error;
	}
	struct session_device *device = xcalloc(1, sizeof(*device));
	device->fd = fd;
	device->id = id;
	wl_list_insert(&session->devices, &device->link);
	return fd;
}

void session_close_device(struct session *session, int fd)
{
	struct session_device *device, *next;
	wl_list_for_each_safe (device, next, &session->devices, link) {
		if (device->fd != fd) {
			continue;
		}
		if (!session->lost && libseat_close_device(session->seat, device->id) < 0) {
			log_debug(
				LOG_BACKEND, "session: cannot close a device: %s", strerror(errno));
		}
		fd_close(&device->fd);
		wl_list_remove(&device->link);
		free(device);
		return;
	}
	assert(!"the session did not open this descriptor");
}

int session_switch_vt(struct session *session, int n)
{
	if (session->lost || libseat_switch_session(session->seat, n) < 0) {
		return session->lost ? -ENODEV : -errno;
	}
	return 0;
}
