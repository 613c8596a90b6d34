/* SPDX-License-Identifier: MIT */
/* Arrivals at a shared display: from accept() to the channel of an X server. */

#include "arrivals.h"
#include "assignment.h"
#include "channel.h"
#include "display.h"
#include "programs.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/log.h"
#include "util/printable.h"
#include "util/process.h"
#include "util/task.h"
#include "util/xalloc.h"
#include "wine.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/** Connections that are accepted in one turn of the event loop. */
#define ACCEPTS_MAX 16
/** Time (ns) between attempts to send to a full channel: its server has stopped to accept. */
#define RETRY_PERIOD INT64_C(250000000)

/* A connection. */
struct arrival {
	struct wl_list link; /* of visit.arrivals, or x_arrivals.held */
	int fd;
	struct x_server *server; /* held: its channel is full */
};

/* A process that is being read. */
struct visit {
	struct wl_list link;
	struct x_arrivals *all;
	pid_t pid;
	uint64_t start;
	int pidfd;
	struct task *task;
	struct wl_list arrivals; /* its connections so far */
};

/* The work of the thread. */
struct reading {
	struct process_peer peer;
	unsigned facts;
	struct process *process;
};

struct x_arrivals {
	struct x_arrivals_options options;
	struct fd_watch listening[2];
	bool listens;
	struct wl_list visits; /* visit.link */
	struct wl_list held; /* arrival.link */
	int n; /* connections of both */
	bool starved; /* accept() fails for lack of descriptors or memory */
	bool logged; /* that it failed, since it last succeeded */
	struct timer retry; /* while connections are held, or starved */
};

static void listen_or_pause(struct x_arrivals *arrivals);

static struct arrival *add_arrival(struct x_arrivals *arrivals, struct wl_list *list, int fd)
{
	struct arrival *arrival = xcalloc(1, sizeof(*arrival));
	arrival->fd = fd;
	wl_list_insert(list->prev, &arrival->link);
	arrivals->n++;
	return arrival;
}

static void remove_arrival(struct x_arrivals *arrivals, struct arrival *arrival)
{
	wl_list_remove(&arrival->link);
	free(arrival);
	arrivals->n--;
}

static void retry_later(struct x_arrivals *arrivals)
{
	if (!arrivals->retry.armed) {
		timer_arm(&arrivals->retry,
			clock_now(arrivals->options.servers->clock) + RETRY_PERIOD);
	}
}

/* Hand-over */

/** Returns whether the program has closed the connection; it starts no server then. */
static bool has_hung_up(int fd)
{
	struct pollfd pollfd = {.fd = fd};
	return poll(&pollfd, 1, 0) > 0 && (pollfd.revents & (POLLHUP | POLLERR));
}

/** Returns false if the channel is full; otherwise the connection is sent or closed. */
static bool finish_arrival(struct x_arrivals *arrivals, struct x_server *server, int fd)
{
	const int error =
		has_hung_up(fd) ? 0 : x_channel_send(arrivals->options.channel(server), fd);
	if (error == -EAGAIN || error == -ETOOMANYREFS) {
		return false;
	}
	if (error < 0) {
		log_warn("X server :%d: cannot hand over a connection: %s", server->display,
			strerror(-error));
	}
	close(fd);
	return true;
}

static void handle_retry(struct timer *timer, int64_t time)
{
	struct x_arrivals *arrivals = wl_container_of(timer, arrivals, retry);
	struct arrival *arrival, *next;
	wl_list_for_each_safe (arrival, next, &arrivals->held, link) {
		if (finish_arrival(arrivals, arrival->server, arrival->fd)) {
			remove_arrival(arrivals, arrival);
		}
	}
	arrivals->starved = false;
	if (!wl_list_empty(&arrivals->held)) {
		retry_later(arrivals);
	}
	listen_or_pause(arrivals);
}

static int count_held(const struct x_arrivals *arrivals, const struct x_server *server)
{
	const struct arrival *arrival;
	int n = 0;
	wl_list_for_each (arrival, &arrivals->held, link) {
		n += arrival->server == server;
	}
	return n;
}

static void hand_over(struct x_arrivals *arrivals, struct x_server *server, int fd)
{
	if (finish_arrival(arrivals, server, fd)) {
		return;
	}
	const int n = count_held(arrivals, server);
	if (n >= X_ARRIVALS_HELD_MAX) {
		close(fd);
		return;
	}
	if (n == 0) {
		log_warn("X server :%d does not accept connections", server->display);
	}
	add_arrival(arrivals, &arrivals->held, fd)->server = server;
	retry_later(arrivals);
}

/* Visits */

static void run(void *data)
{
	struct reading *reading = data;
	/* The compositor's own ancestors do not count as ancestors of its children. */
	reading->process = process_peer_read(&reading->peer, getpid(), reading->facts);
	if (reading->process) {
		x_wine_read_peers(reading->process, reading->facts);
	}
}

static void free_reading(void *data)
{
	struct reading *reading = data;
	process_peer_close(&reading->peer);
	process_destroy(reading->process);
	free(reading);
}

static void destroy_visit(struct visit *visit)
{
	wl_list_remove(&visit->link);
	fd_close(&visit->pidfd);
	free(visit);
}

static void add_program(
	struct visit *visit, const struct process *process, const struct x_assignment *assignment)
{
	struct x_program *program = x_programs_add(
		visit->all->options.programs, visit->pid, visit->start, visit->pidfd);
	visit->pidfd = -1;
	if (program) {
		program->server = assignment->server;
		program->exe = xstrdup(process ? process->exe : NULL);
		program->wine_prefix = xstrdup(assignment->wine_prefix);
		program->reason = xstrdup(assignment->reason);
	}
}

static void handle_read(void *owner, void *data, int error)
{
	struct visit *visit = owner;
	const struct reading *reading = data;
	struct x_arrivals *arrivals = visit->all;
	const struct process *process = reading ? reading->process : NULL;
	struct x_assignment assignment = {NULL};
	arrivals->options.assign(arrivals->options.data, process, &assignment);
	log_debug(LOG_GPU, "X program %d (%s): X server :%d: %s", (int)visit->pid,
		PRINTABLE(process && process->exe ? process->exe : "unknown"),
		assignment.server->display, PRINTABLE(assignment.reason));
	add_program(visit, process, &assignment);
	struct arrival *arrival, *next;
	wl_list_for_each_safe (arrival, next, &visit->arrivals, link) {
		const int fd = arrival->fd;
		remove_arrival(arrivals, arrival);
		hand_over(arrivals, assignment.server, fd);
	}
	free(assignment.wine_prefix);
	free(assignment.reason);
	destroy_visit(visit);
	listen_or_pause(arrivals);
}

static const struct task_impl reading_impl = {run, handle_read, free_reading};

static struct visit *find_visit(struct x_arrivals *arrivals, pid_t pid, uint64_t start)
{
	struct visit *visit;
	wl_list_for_each (visit, &arrivals->visits, link) {
		if (visit->pid == pid && visit->start == start) {
			return visit;
		}
	}
	return NULL;
}

/** Starts to read a process, and takes `peer` over. */
static struct visit *start_visit(
	struct x_arrivals *arrivals, const struct process_peer *peer, uint64_t start)
{
	const struct x_servers_options *servers = arrivals->options.servers;
	struct visit *visit = xcalloc(1, sizeof(*visit));
	struct reading *reading = xcalloc(1, sizeof(*reading));
	visit->all = arrivals;
	visit->pid = peer->pid;
	visit->start = start;
	visit->pidfd = peer->pidfd < 0 ? -1 : fd_dup(peer->pidfd);
	wl_list_init(&visit->arrivals);
	wl_list_insert(&arrivals->visits, &visit->link);
	reading->peer = *peer;
	reading->facts = x_assignment_facts() | servers->host->facts(servers->host->data);
	visit->task =
		task_start(servers->tasks, NULL, &reading_impl, reading, visit, X_ARRIVALS_TIMEOUT);
	return visit;
}

/** Handles a connection of a known, a new or an unknown process. */
static void receive(struct x_arrivals *arrivals, int fd)
{
	struct process_peer peer = {.pidfd = -1};
	const bool known = process_peer_open(fd, &peer);
	const uint64_t start = known ? process_start_time(peer.pid) : 0;
	const struct x_program *program =
		start ? x_programs_find(arrivals->options.programs, peer.pid, start) : NULL;
	if (program || !start) {
		struct x_assignment assignment = {.server = program ? program->server : NULL};
		process_peer_close(&peer);
		if (!program) {
			arrivals->options.assign(arrivals->options.data, NULL, &assignment);
		}
		hand_over(arrivals, assignment.server, fd);
		free(assignment.reason);
		return;
	}
	struct visit *visit = find_visit(arrivals, peer.pid, start);
	if (visit) {
		process_peer_close(&peer);
	} else {
		visit = start_visit(arrivals, &peer, start);
	}
	add_arrival(arrivals, &visit->arrivals, fd);
}

/** Does not try again at once: the connection would wake the loop for ever. */
static void handle_failed_accept(struct x_arrivals *arrivals, int error)
{
	if (error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM) {
		if (!arrivals->logged) {
			log_warn("X connections wait: %s", strerror(error));
		}
		arrivals->logged = true;
		arrivals->starved = true;
		retry_later(arrivals);
	}
}

static void handle_connection(void *data)
{
	struct x_arrivals *arrivals = data;
	const struct x_display *display = arrivals->options.display;
	for (int i = 0; i < display->n_fds; i++) {
		for (int n = 0; n < ACCEPTS_MAX && arrivals->n < X_ARRIVALS_MAX; n++) {
			/* Without O_NONBLOCK, as X servers accept. */
			int fd = accept4(display->fds[i], NULL, NULL, SOCK_CLOEXEC);
			if (fd < 0) {
				handle_failed_accept(arrivals, errno);
				break;
			}
			arrivals->logged = false;
			receive(arrivals, fd);
		}
	}
	listen_or_pause(arrivals);
}

/** Accepts connections, unless too many wait or none can be accepted. */
static void listen_or_pause(struct x_arrivals *arrivals)
{
	const struct x_servers_options *servers = arrivals->options.servers;
	const struct x_display *display = arrivals->options.display;
	const bool listens = arrivals->n < X_ARRIVALS_MAX && !arrivals->starved;
	for (int i = 0; i < display->n_fds && listens != arrivals->listens; i++) {
		if (listens) {
			fd_watch_start(&arrivals->listening[i], servers->loop, servers->clock,
				display->fds[i], handle_connection, arrivals);
		} else {
			fd_watch_stop(&arrivals->listening[i]);
		}
	}
	arrivals->listens = listens;
}

struct x_arrivals *x_arrivals_create(const struct x_arrivals_options *options)
{
	struct x_arrivals *arrivals = xcalloc(1, sizeof(*arrivals));
	arrivals->options = *options;
	wl_list_init(&arrivals->visits);
	wl_list_init(&arrivals->held);
	timer_init(&arrivals->retry, options->servers->clock, handle_retry);
	listen_or_pause(arrivals);
	return arrivals;
}

static void close_all(struct x_arrivals *arrivals, struct wl_list *list)
{
	struct arrival *arrival, *next;
	wl_list_for_each_safe (arrival, next, list, link) {
		close(arrival->fd);
		remove_arrival(arrivals, arrival);
	}
}

void x_arrivals_destroy(struct x_arrivals *arrivals)
{
	if (!arrivals) {
		return;
	}
	struct visit *visit, *next;
	wl_list_for_each_safe (visit, next, &arrivals->visits, link) {
		task_abandon(visit->task);
		close_all(arrivals, &visit->arrivals);
		destroy_visit(visit);
	}
	close_all(arrivals, &arrivals->held);
	for (int i = 0; i < 2; i++) {
		fd_watch_stop(&arrivals->listening[i]);
	}
	timer_finish(&arrivals->retry);
	free(arrivals);
}
