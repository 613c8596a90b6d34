/*
 * Entrances: clients are accepted while there are descriptors for them. Once there are few, those who are there
 * already need them, and who comes then waits outside: a socket that is readable and cannot be accepted
 * from would keep the loop busy.
 */

#include "entrance.h"
#include "arrivals.h"
#include "protocol.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/** Descriptors for those who are there; of a low limit, a quarter. */
#define RESERVE 64
/** ns until it is tried again. */
#define REST INT64_C(1000000000)

struct entrance {
	struct protocols *protocols;
	struct wl_event_source *source;
	struct timer rest; /* armed while nobody is let in */
	struct arrivals *arrivals;
	bool full; /* as many connections wait for facts as may: nothing is accepted */
	bool uses_reserve;
	bool told; /* since somebody was let in */
	/** Descriptors were few, or are not known: it is looked before somebody is let in. */
	bool wary;
	void (*came)(void *data, struct wl_client *client);
	void *data;
};

static void close_for_now(struct entrance *entrance, int error)
{
	if (!entrance->told) {
		entrance->told = true;
		log_warn("new clients have to wait: %s%s", strerror(error),
			error == EMFILE ? " (the limit, ulimit -n, is too low for so many)" : "");
	}
	wl_event_source_fd_update(entrance->source, 0);
	timer_arm(&entrance->rest, clock_now(entrance->protocols->server->clock) + REST);
}

/* The kernel gave the lowest number that was free. */
static bool was_plenty(int fd)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY) {
		return true;
	}
	rlim_t reserve = limit.rlim_cur / 4 < RESERVE ? limit.rlim_cur / 4 : RESERVE;
	return (rlim_t)fd < limit.rlim_cur - reserve;
}

static bool has_room(int fd)
{
	int probe = fd_dup(fd);
	bool room = probe >= 0 && was_plenty(probe);
	fd_close(&probe);
	return room;
}

static void end(struct entrance *entrance)
{
	timer_disarm(&entrance->rest);
	wl_event_source_remove(entrance->source);
	entrance->source = NULL;
	if (entrance->came && arrivals_is_empty(entrance->arrivals)) {
		entrance->came(entrance->data, NULL);
	}
}

static void handle_arrived(void *data, struct wl_client *client)
{
	struct entrance *entrance = data;
	if (client) {
		entrance->told = false;
	}
	if (client && entrance->came) {
		entrance->came(entrance->data, client);
	}
	if (entrance->full && entrance->source && !arrivals_is_full(entrance->arrivals)) {
		entrance->full = false;
		wl_event_source_fd_update(entrance->source, WL_EVENT_READABLE);
	}
	if (!entrance->source && entrance->came && arrivals_is_empty(entrance->arrivals)) {
		entrance->came(entrance->data, NULL);
	}
}

static int handle_connection(int listen_fd, uint32_t mask, void *data)
{
	struct entrance *entrance = data;
	if (mask & (WL_EVENT_HANGUP | WL_EVENT_ERROR)) {
		end(entrance);
		return 0;
	}
	if (entrance->wary && !entrance->uses_reserve && !has_room(listen_fd)) {
		close_for_now(entrance, EMFILE);
		return 0;
	}
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0) {
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
			close_for_now(entrance, errno);
		}
		return 0;
	}
	entrance->wary = !was_plenty(fd);
	arrivals_add(entrance->arrivals, fd, entrance->uses_reserve);
	if (arrivals_is_full(entrance->arrivals)) {
		entrance->full = true;
		wl_event_source_fd_update(entrance->source, 0);
	}
	return 0;
}

static void handle_rested(struct timer *timer, int64_t now)
{
	struct entrance *entrance = wl_container_of(timer, entrance, rest);
	wl_event_source_fd_update(entrance->source, WL_EVENT_READABLE);
}

struct entrance *entrance_create(struct protocols *protocols, int fd,
	void (*came)(void *data, struct wl_client *client), void *data)
{
	struct entrance *entrance = xcalloc(1, sizeof(*entrance));
	entrance->protocols = protocols;
	entrance->wary = true;
	entrance->came = came;
	entrance->data = data;
	entrance->arrivals = arrivals_create(protocols, handle_arrived, entrance);
	timer_init(&entrance->rest, protocols->server->clock, handle_rested);
	entrance->source = wl_event_loop_add_fd(
		protocols->server->loop, fd, WL_EVENT_READABLE, handle_connection, entrance);
	if (!entrance->source) {
		arrivals_destroy(entrance->arrivals);
		free(entrance);
		return NULL;
	}
	return entrance;
}

void entrance_use_reserve(struct entrance *entrance)
{
	entrance->uses_reserve = true;
}

void entrance_destroy(struct entrance *entrance)
{
	if (!entrance) {
		return;
	}
	arrivals_destroy(entrance->arrivals);
	timer_finish(&entrance->rest);
	if (entrance->source) {
		wl_event_source_remove(entrance->source);
	}
	free(entrance);
}
