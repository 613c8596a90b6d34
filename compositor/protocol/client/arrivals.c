/* SPDX-License-Identifier: MIT */
/*
 * Accepted connections that wait for facts about their processes. A process's command line and
 * environment lie in its own memory, which may be a mapping that does not answer; a thread reads
 * them, and only if a rule needs them.
 */

#include "arrivals.h"
#include "process_task.h"
#include "protocol/protocol.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/process.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Maximum number of waiting connections; each uses three descriptors. */
#define WAITING_MAX 16

struct arrivals {
	struct protocols *protocols;
	/**
	 * One quota for all connections: a process that does not answer delays only connections of
	 * the same socket.
	 */
	struct task_quota *quota;
	struct wl_list waiting; /* arrival.link, the oldest first */
	void (*arrived)(void *data, struct wl_client *client);
	void *data;
};

struct arrival {
	struct arrivals *arrivals;
	struct wl_list link;
	int fd;
	unsigned facts;
	struct wl_event_source *hangup; /* NULL: cannot be watched */
	struct timer deadline;
	bool started; /* no longer waiting for the quota */
	bool ended; /* the process has ended: no facts will come */
	struct process_task *task; /* NULL if no read is in progress */
};

/** Returns the descriptor of the connection. */
static int remove_arrival(struct arrival *arrival)
{
	int fd = arrival->fd;
	process_task_abandon(arrival->task);
	timer_finish(&arrival->deadline);
	event_source_remove(&arrival->hangup);
	wl_list_remove(&arrival->link);
	free(arrival);
	return fd;
}

static void report(struct arrivals *arrivals, struct wl_client *client)
{
	if (arrivals->arrived) {
		arrivals->arrived(arrivals->data, client);
	}
}

/** Creates the client; `facts` will not be read again. May free `arrivals`. */
static void connect_client(
	struct arrivals *arrivals, int fd, struct process *process, unsigned facts)
{
	struct wl_client *client = client_connect(arrivals->protocols, fd, process, facts);
	if (!client) {
		log_warn("cannot create a client for a new connection: %s", strerror(errno));
		close(fd);
	}
	report(arrivals, client);
}

static void start_next(struct arrivals *arrivals);

static void handle_read(void *owner, struct process *process, int error)
{
	struct arrival *arrival = owner;
	struct arrivals *arrivals = arrival->arrivals;
	unsigned facts = arrival->facts;
	arrival->task = NULL;
	int fd = remove_arrival(arrival);
	start_next(arrivals);
	connect_client(arrivals, fd, process, facts);
}

static void handle_deadline(struct timer *timer, int64_t now)
{
	struct arrival *arrival = wl_container_of(timer, arrival, deadline);
	struct arrivals *arrivals = arrival->arrivals;
	unsigned blocking = arrival->facts & PROCESS_BLOCKING;
	if (!arrival->ended) {
		struct ucred peer = {0};
		socklen_t size = sizeof(peer);
		getsockopt(arrival->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size);
		process_task_report((int)peer.pid, blocking);
	}
	int fd = remove_arrival(arrival);
	start_next(arrivals);
	connect_client(arrivals, fd, NULL, PROCESS_BLOCKING);
}

static int handle_hangup(int fd, uint32_t mask, void *data)
{
	struct arrival *arrival = data;
	struct arrivals *arrivals = arrival->arrivals;
	close(remove_arrival(arrival));
	start_next(arrivals);
	report(arrivals, NULL);
	return 0;
}

static void start(struct arrival *arrival)
{
	struct arrivals *arrivals = arrival->arrivals;
	arrival->started = true;
	arrival->task = process_task_start(arrivals->protocols, arrivals->quota, arrival->fd,
		arrival->facts, 0, handle_read, arrival);
	if (!arrival->task) {
		arrival->ended = true;
		timer_arm(&arrival->deadline, clock_now(arrivals->protocols->server->clock));
	}
}

static void start_next(struct arrivals *arrivals)
{
	struct arrival *arrival;
	wl_list_for_each (arrival, &arrivals->waiting, link) {
		if (!arrival->started && task_quota_has_room(arrivals->quota)) {
			start(arrival);
		}
	}
}

static unsigned facts_needed(struct protocols *protocols, int fd)
{
	return client_is_pinned(protocols, fd) ? client_gpu_facts(protocols) : PROCESS_ALL;
}

void arrivals_add(struct arrivals *arrivals, int fd, bool at_once)
{
	struct protocols *protocols = arrivals->protocols;
	unsigned facts = at_once ? 0 : facts_needed(protocols, fd);
	if (!(facts & PROCESS_BLOCKING)) {
		connect_client(arrivals, fd, NULL, at_once ? PROCESS_BLOCKING : 0);
		return;
	}
	struct arrival *arrival = xcalloc(1, sizeof(*arrival));
	arrival->arrivals = arrivals;
	arrival->fd = fd;
	arrival->facts = facts;
	timer_init(&arrival->deadline, protocols->server->clock, handle_deadline);
	timer_arm(&arrival->deadline, clock_now(protocols->server->clock) + PROCESS_TASK_TIMEOUT);
	/* Hangups are reported although no event is requested. */
	arrival->hangup =
		wl_event_loop_add_fd(protocols->server->loop, fd, 0, handle_hangup, arrival);
	wl_list_insert(arrivals->waiting.prev, &arrival->link);
	start_next(arrivals);
}

bool arrivals_is_full(const struct arrivals *arrivals)
{
	return wl_list_length(&arrivals->waiting) >= WAITING_MAX;
}

bool arrivals_is_empty(const struct arrivals *arrivals)
{
	return wl_list_empty(&arrivals->waiting);
}

struct arrivals *arrivals_create(struct protocols *protocols,
	void (*arrived)(void *data, struct wl_client *client), void *data)
{
	struct arrivals *arrivals = xcalloc(1, sizeof(*arrivals));
	arrivals->protocols = protocols;
	arrivals->quota = task_quota_create();
	wl_list_init(&arrivals->waiting);
	arrivals->arrived = arrived;
	arrivals->data = data;
	return arrivals;
}

void arrivals_destroy(struct arrivals *arrivals)
{
	if (!arrivals) {
		return;
	}
	struct arrival *arrival, *next;
	wl_list_for_each_safe (arrival, next, &arrivals->waiting, link) {
		close(remove_arrival(arrival));
	}
	task_quota_release(arrivals->quota);
	free(arrivals);
}
