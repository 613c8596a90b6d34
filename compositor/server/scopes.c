/* SPDX-License-Identifier: MIT */
/*
 * Systemd scopes over D-Bus, with sd-bus on the compositor's event loop: StartTransientUnit() of
 * the user's service manager. The connection is idle between two starts of programs.
 */

#include "scopes.h"
#include "apps/scope.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define NAME "org.freedesktop.systemd1"
#define PATH "/org/freedesktop/systemd1"
#define MANAGER "org.freedesktop.systemd1.Manager"
#define TIMEOUT_US 1000000
/** Failures in a row after which no program waits any more. */
#define FAILURES_MAX 3
/** Most requests without an answer. */
#define REQUESTS_MAX 64

struct request {
	struct wl_list link;
	struct scopes *scopes;
	sd_bus_slot *call;
	int64_t began; /* clock_monotonic() */
	int fd;
};

struct scopes {
	struct wl_event_loop *loop;
	sd_bus *bus; /* NULL: not connected */
	struct wl_event_source *source, *timer;
	struct wl_list requests;
	int n_requests, n_failures;
};

/* The call, also for causeway-run */

/** Creates the message. Returns 0 or more, or -errno. */
static int make_call(
	sd_bus *bus, sd_bus_message **message, const char *unit, pid_t pid, const char *description)
{
	int result = sd_bus_message_new_method_call(
		bus, message, NAME, PATH, MANAGER, "StartTransientUnit");
	if (result >= 0) {
		result = sd_bus_message_set_auto_start(*message, false);
	}
	if (result >= 0) {
		result = sd_bus_message_append(*message, "ssa(sv)a(sa(sv))", unit, "fail", 4,
			"Description", "s", description, "PIDs", "au", 1, (uint32_t)pid,
			"CollectMode", "s", "inactive-or-failed", "Slice", "s", "app.slice", 0);
	}
	return result;
}

bool scope_join(const char *unit, const char *description)
{
	sd_bus *bus = NULL;
	sd_bus_message *message = NULL;
	bool joined = sd_bus_open_user(&bus) >= 0 &&
		      make_call(bus, &message, unit, getpid(), description) >= 0 &&
		      sd_bus_call(bus, message, TIMEOUT_US, NULL, NULL) >= 0 && scope_wait(unit);
	sd_bus_message_unref(message);
	sd_bus_close_unref(bus);
	return joined;
}

/* Requests */

static void end_request(struct request *request)
{
	close(request->fd);
	wl_list_remove(&request->link);
	request->scopes->n_requests--;
	sd_bus_slot_unref(request->call);
	free(request);
}

static void count_failure(struct scopes *scopes, const char *reason)
{
	scopes->n_failures++;
	log_debug(LOG_BACKEND, "no systemd scope for a program: %s", reason);
	if (scopes->n_failures == FAILURES_MAX) {
		log_info("programs get no systemd scopes: %s", reason);
	}
}

static int handle_answer(sd_bus_message *answer, void *data, sd_bus_error *error)
{
	struct request *request = data;
	const char requested = SCOPE_REQUESTED;
	if (!sd_bus_message_is_method_error(answer, NULL)) {
		request->scopes->n_failures = 0;
		if (send(request->fd, &requested, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
			log_debug(LOG_BACKEND, "a program has ended before it got its scope");
		}
	} else if (clock_monotonic() - request->began < TIMEOUT_US * INT64_C(1000)) {
		count_failure(request->scopes, sd_bus_message_get_error(answer)->message);
	} else {
		/* Each program would wait as long. */
		request->scopes->n_failures = FAILURES_MAX - 1;
		count_failure(request->scopes, "the service manager does not answer");
	}
	end_request(request);
	return 0;
}

static void disconnect_bus(struct scopes *scopes)
{
	struct request *request, *next;
	wl_list_for_each_safe (request, next, &scopes->requests, link) {
		end_request(request);
	}
	event_source_remove(&scopes->source);
	event_source_remove(&scopes->timer);
	scopes->bus = sd_bus_close_unref(scopes->bus);
}

/** Returns the milliseconds, rounded up, until `when` (us of CLOCK_MONOTONIC); at least 1. */
static int until(uint64_t when)
{
	const uint64_t us = (uint64_t)clock_monotonic() / 1000;
	const uint64_t left = when > us ? (when - us) / 1000 + 1 : 1;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

/** Processes the connection, and disconnects a bus that is lost. */
static void work(struct scopes *scopes)
{
	int result;
	do {
		result = sd_bus_process(scopes->bus, NULL);
	} while (result > 0);
	const int events = result < 0 ? result : sd_bus_get_events(scopes->bus);
	uint64_t when = UINT64_MAX;
	if (events < 0 || sd_bus_get_timeout(scopes->bus, &when) < 0) {
		log_debug(LOG_BACKEND, "no systemd scopes: the session's D-Bus is lost");
		disconnect_bus(scopes);
		return;
	}
	wl_event_source_fd_update(
		scopes->source, (events & POLLIN ? WL_EVENT_READABLE : 0u) |
					(events & POLLOUT ? WL_EVENT_WRITABLE : 0u));
	wl_event_source_timer_update(scopes->timer, when == UINT64_MAX ? 0 : until(when));
}

static int handle_bus(int fd, uint32_t mask, void *data)
{
	work(data);
	return 0;
}

static int handle_timer(void *data)
{
	work(data);
	return 0;
}

static bool connect_bus(struct scopes *scopes)
{
	if (scopes->bus) {
		return true;
	}
	const int fd = sd_bus_open_user(&scopes->bus) < 0 ? -1 : sd_bus_get_fd(scopes->bus);
	scopes->source = fd < 0 ? NULL
				: wl_event_loop_add_fd(
					  scopes->loop, fd, WL_EVENT_READABLE, handle_bus, scopes);
	scopes->timer = wl_event_loop_add_timer(scopes->loop, handle_timer, scopes);
	if (!scopes->source || !scopes->timer) {
		disconnect_bus(scopes);
		return false;
	}
	return true;
}

bool scopes_usable(struct scopes *scopes)
{
	return scopes && scopes->n_failures < FAILURES_MAX && scopes->n_requests < REQUESTS_MAX &&
	       scope_manager_runs();
}

void scopes_request(
	struct scopes *scopes, const char *unit, pid_t pid, const char *description, int fd)
{
	sd_bus_message *message = NULL;
	if (!connect_bus(scopes)) {
		log_debug(LOG_BACKEND, "no systemd scope for a program: the session has no D-Bus");
		close(fd);
		return;
	}
	struct request *request = xcalloc(1, sizeof(*request));
	request->scopes = scopes;
	request->fd = fd;
	request->began = clock_monotonic();
	wl_list_insert(&scopes->requests, &request->link);
	scopes->n_requests++;
	int result = make_call(scopes->bus, &message, unit, pid, description);
	if (result >= 0) {
		result = sd_bus_call_async(
			scopes->bus, &request->call, message, handle_answer, request, TIMEOUT_US);
	}
	sd_bus_message_unref(message);
	if (result < 0) {
		count_failure(scopes, strerror(-result));
		end_request(request);
	}
	work(scopes);
}

struct scopes *scopes_create(struct wl_event_loop *loop)
{
	struct scopes *scopes = xcalloc(1, sizeof(*scopes));
	scopes->loop = loop;
	wl_list_init(&scopes->requests);
	return scopes;
}

void scopes_destroy(struct scopes *scopes)
{
	if (scopes) {
		disconnect_bus(scopes);
		free(scopes);
	}
}
