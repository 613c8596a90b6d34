/* SPDX-License-Identifier: MIT */
/*
 * Client listeners: accept connections while enough file descriptors are free. Once descriptors run
 * short, connected clients need the remaining ones and new connections stay in the socket's
 * backlog. The socket is then left out of the event loop: a readable socket that cannot be accepted
 * from would keep the loop busy.
 */

#include "listener.h"
#include "arrivals.h"
#include "client_fd.h"
#include "protocol/protocol.h"
#include "util/clock.h"
#include "util/event_source.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

/** Descriptors that are reserved for connected clients; a quarter of the limit if that is less. */
#define RESERVE 64
/** Delay (ns) before the next attempt to accept. */
#define RETRY_DELAY INT64_C(1000000000)

struct client_listener {
	struct protocols *protocols;
	int fd;
	struct wl_event_source *source;
	bool uses_threads;
	struct task *accepting; /* on a thread; NULL: none */
	struct timer retry; /* armed while accepting is suspended */
	struct arrivals *arrivals;
	/** connections that wait for process facts reached their limit: accepting is suspended */
	bool full;
	bool uses_reserve;
	bool logged; /* logged since the last client was accepted */
	/** Free descriptors were few or are unknown: probe them before each accept. */
	bool wary;
	void (*accepted)(void *data, struct wl_client *client);
	void *data;
};

static void close_for_now(struct client_listener *listener, int error)
{
	if (!listener->logged) {
		listener->logged = true;
		log_warn("new clients have to wait: %s%s", strerror(error),
			error == EMFILE ? " (raise the limit on open files, ulimit -n)" : "");
	}
	wl_event_source_fd_update(listener->source, 0);
	timer_arm(&listener->retry, clock_now(listener->protocols->server->clock) + RETRY_DELAY);
}

/* Relies on the kernel returning the lowest free descriptor number. */
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

/*
 * Shutting the socket down ends an accept() that waits on a thread because the client has taken the
 * connection. Other sockets stay usable for the programs that share them.
 */
static void stop_accepting(struct client_listener *listener)
{
	if (listener->accepting) {
		task_abandon(listener->accepting);
		listener->accepting = NULL;
		shutdown(listener->fd, SHUT_RDWR);
	}
}

static void end(struct client_listener *listener)
{
	stop_accepting(listener);
	timer_disarm(&listener->retry);
	event_source_remove(&listener->source);
	if (listener->accepted && arrivals_is_empty(listener->arrivals)) {
		listener->accepted(listener->data, NULL);
	}
}

static void handle_arrived(void *data, struct wl_client *client)
{
	struct client_listener *listener = data;
	if (client) {
		listener->logged = false;
	}
	if (client && listener->accepted) {
		listener->accepted(listener->data, client);
	}
	if (listener->full && listener->source && !arrivals_is_full(listener->arrivals)) {
		listener->full = false;
		wl_event_source_fd_update(listener->source, WL_EVENT_READABLE);
	}
	if (!listener->source && listener->accepted && arrivals_is_empty(listener->arrivals)) {
		listener->accepted(listener->data, NULL);
	}
}

/* Takes the result of accept(): a descriptor, or a negative errno. */
static void handle_accepted(struct client_listener *listener, int fd)
{
	if (fd < 0) {
		if (fd != -EAGAIN && fd != -EINTR && fd != -ECONNABORTED) {
			close_for_now(listener, -fd);
		}
		return;
	}
	listener->wary = !was_plenty(fd);
	arrivals_add(listener->arrivals, fd, listener->uses_reserve);
	if (arrivals_is_full(listener->arrivals)) {
		listener->full = true;
		wl_event_source_fd_update(listener->source, 0);
	}
}

static int accept_one(int listen_fd)
{
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

struct accept_task {
	int listen_fd; /* a duplicate: the listener may be destroyed first */
	int fd; /* or a negative errno */
};

static void run_accept(void *data)
{
	struct accept_task *task = data;
	task->fd = accept_one(task->listen_fd);
	fd_close(&task->listen_fd);
}

static void handle_accept_done(void *owner, void *data, int error)
{
	struct client_listener *listener = owner;
	struct accept_task *task = data;
	listener->accepting = NULL;
	if (error < 0) {
		log_warn("a security context ends, since its socket does not answer");
		shutdown(listener->fd, SHUT_RDWR);
		end(listener);
		return;
	}
	const int fd = task->fd;
	task->fd = -1;
	wl_event_source_fd_update(listener->source, WL_EVENT_READABLE);
	handle_accepted(listener, fd);
}

static void free_accept_task(void *data)
{
	struct accept_task *task = data;
	fd_close(&task->listen_fd);
	fd_close(&task->fd);
	free(task);
}

static const struct task_impl accept_impl = {run_accept, handle_accept_done, free_accept_task};

static void start_accepting(struct client_listener *listener)
{
	const int fd = fd_dup(listener->fd);
	if (fd < 0) {
		close_for_now(listener, -fd);
		return;
	}
	struct accept_task *task = xcalloc(1, sizeof(*task));
	task->listen_fd = fd;
	task->fd = -1;
	wl_event_source_fd_update(listener->source, 0);
	listener->accepting = task_start(listener->protocols->server->tasks, NULL, &accept_impl,
		task, listener, CLIENT_FD_TIMEOUT);
}

static int handle_connection(int listen_fd, uint32_t mask, void *data)
{
	struct client_listener *listener = data;
	if (mask & (WL_EVENT_HANGUP | WL_EVENT_ERROR)) {
		end(listener);
		return 0;
	}
	if (listener->wary && !listener->uses_reserve && !has_room(listen_fd)) {
		close_for_now(listener, EMFILE);
		return 0;
	}
	if (listener->uses_threads) {
		start_accepting(listener);
	} else {
		handle_accepted(listener, accept_one(listen_fd));
	}
	return 0;
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct client_listener *listener = wl_container_of(timer, listener, retry);
	wl_event_source_fd_update(listener->source, WL_EVENT_READABLE);
}

struct client_listener *client_listener_create(struct protocols *protocols, int fd,
	void (*accepted)(void *data, struct wl_client *client), void *data)
{
	struct client_listener *listener = xcalloc(1, sizeof(*listener));
	listener->protocols = protocols;
	listener->fd = fd;
	listener->wary = true;
	listener->accepted = accepted;
	listener->data = data;
	listener->arrivals = arrivals_create(protocols, handle_arrived, listener);
	timer_init(&listener->retry, protocols->server->clock, handle_retry);
	listener->source = wl_event_loop_add_fd(
		protocols->server->loop, fd, WL_EVENT_READABLE, handle_connection, listener);
	if (!listener->source) {
		arrivals_destroy(listener->arrivals);
		free(listener);
		return NULL;
	}
	return listener;
}

void client_listener_use_reserve(struct client_listener *listener)
{
	listener->uses_reserve = true;
}

void client_listener_use_threads(struct client_listener *listener)
{
	listener->uses_threads = true;
}

void client_listener_destroy(struct client_listener *listener)
{
	if (!listener) {
		return;
	}
	stop_accepting(listener);
	arrivals_destroy(listener->arrivals);
	timer_finish(&listener->retry);
	event_source_remove(&listener->source);
	free(listener);
}
