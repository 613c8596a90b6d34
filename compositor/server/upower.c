/* SPDX-License-Identifier: MIT */
/*
 * UPower over D-Bus, with sd-bus on the compositor's event loop. A missing bus is not polled: its
 * socket is watched.
 */

#include "upower.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/path_watch.h"
#include "util/xalloc.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME "org.freedesktop.UPower"
#define PATH "/org/freedesktop/UPower"
#define PROPERTY "OnBattery"
#define PROPERTIES "org.freedesktop.DBus.Properties"

#define MATCH_PROPERTIES                                                                           \
	"type='signal',sender='" NAME "',path='" PATH "',interface='" PROPERTIES                   \
	"',member='PropertiesChanged',arg0='" NAME "'"
#define MATCH_OWNER                                                                                \
	"type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"            \
	"member='NameOwnerChanged',arg0='" NAME "'"

#define USUAL_ADDRESS "unix:path=/run/dbus/system_bus_socket"

struct upower {
	struct wl_event_loop *loop;
	sd_bus *bus; /* NULL: not connected */
	struct path_watch *watch; /* for the bus socket; NULL: cannot be watched */
	bool may_reconnect; /* the bus worked, so try again once it is lost */
	sd_bus_slot *call; /* pending call; NULL: none */
	struct wl_event_source *source, *timer;
	enum upower_state state;
	void (*changed)(void *data);
	void *data;
};

static void set_state(struct upower *upower, enum upower_state state)
{
	if (upower->state != state) {
		upower->state = state;
		upower->changed(upower->data);
	}
}

static int handle_answer(sd_bus_message *answer, void *data, sd_bus_error *error)
{
	struct upower *upower = data;
	int on_battery;
	upower->call = sd_bus_slot_unref(upower->call);
	/* A synthetic error reply of sd-bus for a lost bus is no evidence of a working one. */
	upower->may_reconnect |= sd_bus_is_open(upower->bus) > 0;
	if (sd_bus_message_is_method_error(answer, NULL)) {
		log_debug(LOG_BACKEND, "UPower: %s", sd_bus_message_get_error(answer)->message);
		set_state(upower, UPOWER_UNKNOWN);
	} else if (sd_bus_message_read(answer, "v", "b", &on_battery) >= 0) {
		set_state(upower, on_battery ? UPOWER_BATTERY : UPOWER_MAINS);
	}
	return 0;
}

/* Requests the property; replaces a pending request. */
static void request_state(struct upower *upower)
{
	sd_bus_message *message = NULL;
	upower->call = sd_bus_slot_unref(upower->call);
	if (sd_bus_message_new_method_call(upower->bus, &message, NAME, PATH, PROPERTIES, "Get") >=
			0 &&
		sd_bus_message_set_auto_start(message, false) >= 0 &&
		sd_bus_message_append(message, "ss", NAME, PROPERTY) >= 0) {
		sd_bus_call_async(upower->bus, &upower->call, message, handle_answer, upower, 0);
	}
	sd_bus_message_unref(message);
}

/*
 * Finds the new value among the changed properties. Returns 1 if found, 0 if not, negative errno if
 * the message is malformed.
 */
static int find_value(sd_bus_message *message, int *on_battery)
{
	int found = 0;
	int result = sd_bus_message_enter_container(message, 'a', "{sv}");
	while (result > 0 && (result = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
		const char *name;
		result = sd_bus_message_read(message, "s", &name);
		if (result > 0 && strcmp(name, PROPERTY) == 0) {
			result = sd_bus_message_read(message, "v", "b", on_battery);
			found = 1;
		} else if (result > 0) {
			result = sd_bus_message_skip(message, "v");
		}
		if (result >= 0) {
			result = sd_bus_message_exit_container(message);
		}
	}
	if (result >= 0) {
		result = sd_bus_message_exit_container(message);
	}
	return result < 0 ? result : found;
}

static int handle_properties(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct upower *upower = data;
	int on_battery;
	if (sd_bus_message_skip(message, "s") < 0) {
		return 0;
	}
	int found = find_value(message, &on_battery);
	if (found > 0) {
		/* The reply to a pending request may be older than this signal. */
		upower->call = sd_bus_slot_unref(upower->call);
		set_state(upower, on_battery ? UPOWER_BATTERY : UPOWER_MAINS);
	} else if (found == 0 && sd_bus_message_enter_container(message, 'a', "s") > 0) {
		const char *name;
		while (sd_bus_message_read(message, "s", &name) > 0) {
			if (strcmp(name, PROPERTY) == 0) {
				request_state(upower); /* invalidated without a new value */
			}
		}
	}
	return 0;
}

static int handle_owner(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct upower *upower = data;
	const char *name, *before, *after;
	if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0) {
		return 0;
	}
	if (*after) {
		request_state(upower);
	} else {
		upower->call = sd_bus_slot_unref(upower->call);
		set_state(upower, UPOWER_UNKNOWN);
	}
	return 0;
}

static void disconnect_bus(struct upower *upower)
{
	event_source_remove(&upower->source);
	event_source_remove(&upower->timer);
	upower->call = sd_bus_slot_unref(upower->call);
	upower->bus = sd_bus_close_unref(upower->bus); /* does not wait for unsent messages */
}

/* Returns the milliseconds, rounded up, until `when` (us of CLOCK_MONOTONIC); at least 1. */
static int until(uint64_t when)
{
	uint64_t us = (uint64_t)clock_monotonic() / 1000;
	uint64_t left = when > us ? (when - us) / 1000 + 1 : 1;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

/*
 * Processes the connection and updates its event sources; the timer is armed only while a reply is
 * due. Returns false if the bus is lost.
 */
static bool work(struct upower *upower)
{
	int result;
	do {
		result = sd_bus_process(upower->bus, NULL);
	} while (result > 0);
	int events = result < 0 ? result : sd_bus_get_events(upower->bus);
	uint64_t when = UINT64_MAX;
	if (events < 0 || sd_bus_get_timeout(upower->bus, &when) < 0) {
		log_debug(LOG_BACKEND, "lost the D-Bus system bus: %s", strerror(-events));
		return false;
	}
	wl_event_source_fd_update(
		upower->source, (events & POLLIN ? WL_EVENT_READABLE : 0u) |
					(events & POLLOUT ? WL_EVENT_WRITABLE : 0u));
	wl_event_source_timer_update(upower->timer, when == UINT64_MAX ? 0 : until(when));
	return true;
}

static void start(struct upower *upower);

/*
 * Processes the connection. If it is lost and worked before, connects once more: socket activation
 * may restart the bus.
 */
static void process_bus(struct upower *upower)
{
	if (!work(upower)) {
		disconnect_bus(upower);
		set_state(upower, UPOWER_UNKNOWN);
		if (upower->may_reconnect) {
			start(upower);
		}
	}
}

static int handle_bus(int fd, uint32_t mask, void *data)
{
	process_bus(data);
	return 0;
}

static int handle_timer(void *data)
{
	process_bus(data);
	return 0;
}

/*
 * Connects without blocking: the connection is established in the event loop, and sd-bus queues
 * messages until then.
 */
static bool connect_bus(struct upower *upower)
{
	if (sd_bus_open_system(&upower->bus) < 0 ||
		sd_bus_add_match_async(
			upower->bus, NULL, MATCH_PROPERTIES, handle_properties, NULL, upower) < 0 ||
		sd_bus_add_match_async(upower->bus, NULL, MATCH_OWNER, handle_owner, NULL, upower) <
			0) {
		return false;
	}
	request_state(upower);
	int fd = sd_bus_get_fd(upower->bus);
	upower->source = fd < 0 ? NULL
				: wl_event_loop_add_fd(
					  upower->loop, fd, WL_EVENT_READABLE, handle_bus, upower);
	upower->timer = wl_event_loop_add_timer(upower->loop, handle_timer, upower);
	return upower->source && upower->timer && work(upower);
}

static void start(struct upower *upower)
{
	upower->may_reconnect = false;
	if (!connect_bus(upower)) {
		log_debug(LOG_BACKEND, "cannot connect to the D-Bus system bus for UPower");
		disconnect_bus(upower);
	}
}

void upower_retry(struct upower *upower)
{
	if (upower && upower->bus) {
		upower->may_reconnect =
			true; /* the connection may belong to a bus whose end is not noticed yet */
	} else if (upower) {
		start(upower);
	}
}

static void handle_socket(void *data)
{
	upower_retry(data);
}

/*
 * Watches the first socket of the bus address. Returns NULL if it is no file or has an escaped
 * name.
 */
static struct path_watch *watch_socket(struct upower *upower)
{
	const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
	const char *found = strstr(address ? address : USUAL_ADDRESS, "unix:path=/");
	if (!found) {
		return NULL;
	}
	const char *begin = strchr(found, '/');
	char *path = xasprintf("%.*s", (int)strcspn(begin, ",;"), begin);
	struct path_watch *watch =
		strchr(path, '%') ? NULL
				  : path_watch_create(upower->loop, path, handle_socket, upower);
	free(path);
	return watch;
}

struct upower *upower_create(struct wl_event_loop *loop, void (*changed)(void *data), void *data)
{
	struct upower *upower = xcalloc(1, sizeof(*upower));
	upower->loop = loop;
	upower->changed = changed;
	upower->data = data;
	upower->watch = watch_socket(upower); /* before connecting, to miss no socket */
	start(upower);
	return upower;
}

void upower_destroy(struct upower *upower)
{
	if (upower) {
		disconnect_bus(upower);
		path_watch_destroy(upower->watch);
		free(upower);
	}
}

enum upower_state upower_state(const struct upower *upower)
{
	return upower ? upower->state : UPOWER_UNKNOWN;
}
