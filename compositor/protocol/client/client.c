/* SPDX-License-Identifier: MIT */
/*
 * Connected clients: facts about their processes, and limits on the load that one client can cause.
 */

#include "client_account.h"
#include "process_task.h"
#include "protocol/protocol.h"
#include "shell/shell.h"
#include "util/log.h"
#include "util/process.h"
#include "util/task.h"
#include "util/xalloc.h"
#include "xwayland/server.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * Maximum size (bytes) of events queued for a client that does not read; beyond that it is
 * disconnected.
 */
#define BUFFER_SIZE_MAX (1024 * 1024)
/** Bytes of the events that announce a window, without its names. */
#define WINDOW_BYTES 512
/** Number of objects that a client may create beyond its limit before they are counted. */
#define COUNT_STEP 4096
/** Number of descriptors queued in events before a flush is attempted. */
#define QUEUED_STEP 16

struct client_tracking {
	struct protocols *protocols;
	struct account_ledger *ledger;
	struct wl_listener client_created, destroy;
};

struct tracked_client {
	struct client base;
	struct wl_client *wl_client;
	const struct client_tracking *tracking;
	struct process *process; /* NULL: not read yet, or unknown */
	unsigned read; /* facts in `process` */
	unsigned tried; /* facts that were read or are unreadable; never read again */
	unsigned asked; /* facts that `reading` reads */
	struct process_task *reading; /* NULL if no read is in progress */
	struct task_quota *task_quota;
	struct wl_listener resource_created;
	int n_queued; /* descriptors in events that may still be queued */
	int until_count; /* objects that may be created before the next count */
};

struct protocols *client_protocols(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	return client->tracking->protocols;
}

struct task_quota *client_task_quota(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	return client->task_quota;
}

void client_share_task_quota(struct wl_client *wl_client, struct task_quota *quota)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	task_quota_release(client->task_quota);
	client->task_quota = task_quota_ref(quota);
}

static enum wl_iterator_result count(struct wl_resource *resource, void *data)
{
	int *n = data;
	(*n)++;
	return WL_ITERATOR_CONTINUE;
}

/**
 * Counts the client's objects whenever a limit's worth of them may have been created, and every
 * COUNT_STEP near the limit. This keeps objects created per frame (callbacks, feedback) free of
 * bookkeeping.
 */
static void count_objects(struct tracked_client *client)
{
	int n = 0;
	wl_client_for_each_resource(client->wl_client, count, &n);
	account_set(client->base.account, ACCOUNT_OBJECTS, n);
	int64_t room = client->tracking->ledger->account_limit[ACCOUNT_OBJECTS] - n;
	client->until_count = room > COUNT_STEP ? (int)room : COUNT_STEP;
}

static void handle_resource_created(struct wl_listener *listener, void *data)
{
	struct tracked_client *client = wl_container_of(listener, client, resource_created);
	if (--client->until_count <= 0) {
		count_objects(client);
	}
}

/* libwayland reports only whether all events were sent, not how many. */
int client_queued_descriptors(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	if (client->n_queued >= QUEUED_STEP) {
		/* The system call that may fail is the last call of wl_client_flush(). */
		errno = 0;
		wl_client_flush(wl_client);
		if (errno == 0) {
			account_uncharge(
				client->base.account, ACCOUNT_DESCRIPTORS, client->n_queued);
			client->n_queued = 0;
		}
	}
	return client->n_queued;
}

void client_charge_queued_descriptor(struct wl_client *wl_client)
{
	struct tracked_client *client = wl_container_of(client_from_wl(wl_client), client, base);
	client_queued_descriptors(wl_client);
	client->n_queued++;
	account_charge(client->base.account, ACCOUNT_DESCRIPTORS, 1);
}

/** Runs last: the client's resources are already destroyed. */
static void destroy_client(void *data)
{
	struct tracked_client *client = data;
	account_uncharge(client->base.account, ACCOUNT_DESCRIPTORS, client->n_queued);
	client_account_finish(&client->base);
	free(client->base.rule);
	free(client->base.remote);
	process_task_abandon(client->reading);
	process_destroy(client->process);
	task_quota_release(client->task_quota);
	free(client->base.sandbox_engine);
	free(client->base.sandbox_app_id);
	free(client->base.sandbox_instance_id);
	free(client);
}

/**
 * Sets the desktop ID of processes started by the compositor from desktop files, among a process
 * and its ancestors.
 */
static void name_own_children(const struct server *server, struct process *process)
{
	for (; process; process = process->parent) {
		const char *id = server->impl->desktop_id(server, process->pid, process->start);
		if (id) {
			free(process->desktop_id);
			process->desktop_id = xstrdup(id);
		}
	}
}

/*
 * Takes over `process`, whose facts must come from one read. NULL: the process has ended and known
 * facts stay.
 */
static void set_process(struct tracked_client *client, struct process *process, unsigned facts)
{
	client->tried |= facts;
	if (process) {
		name_own_children(client->tracking->protocols->server, process);
		process_destroy(client->process);
		client->process = process;
		client->read = facts;
	}
}

static void read_at_once(struct tracked_client *client, unsigned facts)
{
	int fd = wl_client_get_fd(client->wl_client);
	/* The compositor's own ancestors tell nothing about its children. */
	set_process(client, process_read_peer(fd, getpid(), facts), facts);
}

static void handle_read(void *owner, struct process *process, int error)
{
	struct tracked_client *client = owner;
	unsigned missing = client->asked & ~client->read & PROCESS_BLOCKING;
	client->reading = NULL;
	set_process(client, process, client->asked);
	if (error == -ETIMEDOUT) {
		process_task_report((int)client->base.pid, missing);
		client->tried |= PROCESS_BLOCKING;
	}
	signal_emit(&client->tracking->protocols->events.client_facts, &client->base);
}

static void read_on_thread(struct tracked_client *client, unsigned facts)
{
	if (task_quota_has_room(client->task_quota)) {
		client->asked = facts;
		client->reading = process_task_start(client->tracking->protocols,
			client->task_quota, wl_client_get_fd(client->wl_client), facts,
			PROCESS_TASK_TIMEOUT, handle_read, client);
	}
	if (!client->reading) {
		client->tried |= facts;
	}
}

const struct process *client_process(struct client *base, unsigned facts)
{
	struct tracked_client *client = wl_container_of(base, client, base);
	unsigned wanted = client->tried | facts, at_once = wanted & ~PROCESS_BLOCKING;
	/*
	 * Facts from process memory would be lost if other facts replaced them: read both together,
	 * on a thread.
	 */
	if ((at_once & ~client->tried) && !(client->read & PROCESS_BLOCKING)) {
		read_at_once(client, at_once);
	}
	if ((wanted & ~client->tried) && !client->reading) {
		read_on_thread(client, wanted);
	}
	return client->process;
}

const char *client_exe(struct client *client)
{
	/* Connected before its process executes Xwayland. */
	if (client->x_server) {
		return "Xwayland";
	}
	const struct process *process = client_process(client, PROCESS_EXE);
	return process ? process->exe : NULL;
}

bool client_is_pinned(struct protocols *protocols, int fd)
{
	protocols->pins = protocols->pins || process_peers_are_pinned(fd);
	return protocols->pins;
}

/* Facts that were read before the client was created. */
struct process_facts {
	struct process *process; /* NULL: unknown, or taken over */
	unsigned facts;
	struct x_server *x_server; /* NULL: the client is none */
};

static struct wl_client *connect_client(
	struct protocols *protocols, int fd, struct process_facts *arriving)
{
	protocols->arriving = arriving;
	struct wl_client *wl_client = wl_client_create(protocols->display, fd);
	int error = errno;
	protocols->arriving = NULL;
	process_destroy(arriving->process);
	errno = error;
	return wl_client;
}

struct wl_client *client_connect(
	struct protocols *protocols, int fd, struct process *process, unsigned facts)
{
	struct process_facts arriving = {.process = process, .facts = facts};
	return connect_client(protocols, fd, &arriving);
}

struct wl_client *protocols_connect_x_server(
	struct protocols *protocols, struct x_server *server, int fd)
{
	/* We created the socket, so that its peer would be ourselves. */
	struct process_facts arriving = {
		.facts = PROCESS_ALL,
		.x_server = server,
	};
	struct wl_client *wl_client = connect_client(protocols, fd, &arriving);
	if (!wl_client) {
		close(fd);
		return NULL;
	}
	wl_client_set_max_buffer_size(wl_client, BUFFER_SIZE_MAX * ACCOUNT_SCALE_MANY);
	server->client = client_from_wl(wl_client);
	return wl_client;
}

static void handle_client_created(struct wl_listener *listener, void *data)
{
	struct client_tracking *tracking = wl_container_of(listener, tracking, client_created);
	struct wl_client *wl_client = data;
	struct tracked_client *client = xcalloc(1, sizeof(*client));
	struct client *base = &client->base;
	wl_client_get_credentials(wl_client, &base->pid, &base->uid, &base->gid);
	base->density = 1;
	client->wl_client = wl_client;
	client->tracking = tracking;
	client_account_init(base, tracking->ledger, wl_client);
	client->task_quota = task_quota_create();
	struct process_facts *arriving = tracking->protocols->arriving;
	if (arriving && arriving->x_server) {
		base->x_server = arriving->x_server;
		base->density = arriving->x_server->scale;
		base->pid = arriving->x_server->pid;
		base->account->scale = ACCOUNT_SCALE_MANY;
	}
	if (arriving) {
		set_process(client, arriving->process, arriving->facts);
		arriving->process = NULL;
	}
	if (!client_is_pinned(tracking->protocols, wl_client_get_fd(wl_client))) {
		client_process(base, PROCESS_ALL);
	}
	client->until_count = (int)tracking->ledger->account_limit[ACCOUNT_OBJECTS];
	client->resource_created.notify = handle_resource_created;
	wl_client_add_resource_created_listener(wl_client, &client->resource_created);
	wl_client_set_user_data(wl_client, client, destroy_client);
	log_debug(LOG_PROTOCOL, "client %d connected", (int)base->pid);
	signal_emit(&tracking->protocols->events.new_client, base);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct client_tracking *tracking = wl_container_of(listener, tracking, destroy);
	wl_list_remove(&tracking->client_created.link);
	wl_list_remove(&tracking->destroy.link);
	account_ledger_unref(tracking->ledger);
	free(tracking);
}

void client_tracking_create(struct protocols *protocols)
{
	struct client_tracking *tracking = xcalloc(1, sizeof(*tracking));
	tracking->protocols = protocols;
	tracking->ledger = client_ledger_create();
	tracking->client_created.notify = handle_client_created;
	wl_display_add_client_created_listener(protocols->display, &tracking->client_created);
	signal_add(&protocols->events.destroy, &tracking->destroy, handle_destroy);
	wl_display_set_default_max_buffer_size(protocols->display, BUFFER_SIZE_MAX);
}

void client_expect_windows(struct wl_client *client, const struct shell *shell)
{
	size_t bytes = BUFFER_SIZE_MAX;
	const struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		bytes += WINDOW_BYTES + (window->title ? strlen(window->title) : 0) +
			 (window->app_id ? strlen(window->app_id) : 0);
	}
	wl_client_set_max_buffer_size(client, bytes);
}
