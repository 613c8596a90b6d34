/*
 * UPower over D-Bus, by sd-bus on the compositor's own loop. A bus that is not there, or not any more, is not
 * asked for again and again: it comes back with its socket, which is watched.
 */

#include "upower.h"
#include "util/log.h"
#include "util/path_watch.h"
#include "util/xalloc.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

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
	sd_bus *bus; /* NULL: there is none */
	struct path_watch *watch; /* on the bus's socket; NULL: where it is cannot be watched */
	bool hopeful; /* another connection may get farther than the one that there is */
	sd_bus_slot *question; /* that waits for its answer; NULL: none does */
	struct wl_event_source *source, *timer;
	enum upower_word word;
	void (*changed)(void *data);
	void *data;
};

static void say(struct upower *upower, enum upower_word word)
{
	if (upower->word != word) {
		upower->word = word;
		upower->changed(upower->data);
	}
}

static int handle_answer(sd_bus_message *answer, void *data, sd_bus_error *error)
{
	struct upower *upower = data;
	int on_battery;
	upower->question = sd_bus_slot_unref(upower->question);
	/* The library's own answer, that the bus has gone, does not say that it worked. */
	upower->hopeful |= sd_bus_is_open(upower->bus) > 0;
	if (sd_bus_message_is_method_error(answer, NULL)) {
		log_debug(LOG_BACKEND, "UPower: %s", sd_bus_message_get_error(answer)->message);
		say(upower, UPOWER_SILENT);
	} else if (sd_bus_message_read(answer, "v", "b", &on_battery) >= 0) {
		say(upower, on_battery ? UPOWER_BATTERY : UPOWER_MAINS);
	}
	return 0;
}

/* A newer question takes the place of one that waits. */
static void ask(struct upower *upower)
{
	sd_bus_message *question = NULL;
	upower->question = sd_bus_slot_unref(upower->question);
	if (sd_bus_message_new_method_call(upower->bus, &question, NAME, PATH, PROPERTIES, "Get") >=
			0 &&
		sd_bus_message_set_auto_start(question, false) >= 0 &&
		sd_bus_message_append(question, "ss", NAME, PROPERTY) >= 0) {
		sd_bus_call_async(
			upower->bus, &upower->question, question, handle_answer, upower, 0);
	}
	sd_bus_message_unref(question);
}

/* The new value, if it is among those that changed: 1, else 0; negative if the message is none of these. */
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
		/* A question on its way may be answered with what was before this. */
		upower->question = sd_bus_slot_unref(upower->question);
		say(upower, on_battery ? UPOWER_BATTERY : UPOWER_MAINS);
	} else if (found == 0 && sd_bus_message_enter_container(message, 'a', "s") > 0) {
		const char *name;
		while (sd_bus_message_read(message, "s", &name) > 0) {
			if (strcmp(name, PROPERTY) == 0) {
				ask(upower); /* the new value was not told with it */
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
		ask(upower);
	} else {
		upower->question = sd_bus_slot_unref(upower->question);
		say(upower, UPOWER_SILENT);
	}
	return 0;
}

static void leave(struct upower *upower)
{
	if (upower->source) {
		wl_event_source_remove(upower->source);
		upower->source = NULL;
	}
	if (upower->timer) {
		wl_event_source_remove(upower->timer);
		upower->timer = NULL;
	}
	upower->question = sd_bus_slot_unref(upower->question);
	upower->bus = sd_bus_close_unref(upower->bus); /* what was not sent is not waited for */
}

/* Milliseconds, rounded up, until `when` (us of CLOCK_MONOTONIC); 1 at least. */
static int until(uint64_t when)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	uint64_t left = when > us ? (when - us) / 1000 + 1 : 1;
	return left < INT32_MAX ? (int)left : INT32_MAX;
}

/* Does what can be done now, and says when there is more: a timer only while an answer is due. */
static bool work(struct upower *upower)
{
	int result;
	do {
		result = sd_bus_process(upower->bus, NULL);
	} while (result > 0);
	int events = result < 0 ? result : sd_bus_get_events(upower->bus);
	uint64_t when = UINT64_MAX;
	if (events < 0 || sd_bus_get_timeout(upower->bus, &when) < 0) {
		log_debug(LOG_BACKEND, "the system's bus is gone: %s", strerror(-events));
		return false;
	}
	wl_event_source_fd_update(
		upower->source, (events & POLLIN ? WL_EVENT_READABLE : 0u) |
					(events & POLLOUT ? WL_EVENT_WRITABLE : 0u));
	wl_event_source_timer_update(upower->timer, when == UINT64_MAX ? 0 : until(when));
	return true;
}

static void join(struct upower *upower);

/* Who listens for it may start it when somebody comes: so it is tried once more, if it worked before. */
static void go_on(struct upower *upower)
{
	if (!work(upower)) {
		leave(upower);
		say(upower, UPOWER_SILENT);
		if (upower->hopeful) {
			join(upower);
		}
	}
}

static int handle_bus(int fd, uint32_t mask, void *data)
{
	go_on(data);
	return 0;
}

static int handle_timer(void *data)
{
	go_on(data);
	return 0;
}

/* Nothing of it waits: connecting, too, goes on in the loop, and what is sent now is kept until then. */
static bool connect_bus(struct upower *upower)
{
	if (sd_bus_open_system(&upower->bus) < 0 ||
		sd_bus_add_match_async(
			upower->bus, NULL, MATCH_PROPERTIES, handle_properties, NULL, upower) < 0 ||
		sd_bus_add_match_async(upower->bus, NULL, MATCH_OWNER, handle_owner, NULL, upower) <
			0) {
		return false;
	}
	ask(upower);
	int fd = sd_bus_get_fd(upower->bus);
	upower->source = fd < 0 ? NULL
				: wl_event_loop_add_fd(
					  upower->loop, fd, WL_EVENT_READABLE, handle_bus, upower);
	upower->timer = wl_event_loop_add_timer(upower->loop, handle_timer, upower);
	return upower->source && upower->timer && work(upower);
}

static void join(struct upower *upower)
{
	upower->hopeful = false;
	if (!connect_bus(upower)) {
		log_debug(LOG_BACKEND, "there is no system bus to hear of UPower on");
		leave(upower);
	}
}

void upower_look(struct upower *upower)
{
	if (upower && upower->bus) {
		upower->hopeful =
			true; /* it may be the last one's, whose end was not heard of yet */
	} else if (upower) {
		join(upower);
	}
}

static void handle_socket(void *data)
{
	upower_look(data);
}

/* Of the first socket of the address, if it has one that is a file of a plain name. */
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
	upower->watch = watch_socket(upower); /* first: so that none is missed that comes now */
	join(upower);
	return upower;
}

void upower_destroy(struct upower *upower)
{
	if (upower) {
		leave(upower);
		path_watch_destroy(upower->watch);
		free(upower);
	}
}

enum upower_word upower_word(const struct upower *upower)
{
	return upower ? upower->word : UPOWER_SILENT;
}
