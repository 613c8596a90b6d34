/* SPDX-License-Identifier: MIT */
/* Flushing of events: with many clients, only those that have pending events are flushed. */

#include "protocol/protocol.h"
#include "util/list.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/*
 * Number of clients above which pending events are tracked per client. libwayland flushes every
 * client after each iteration. For few clients that is cheaper than tracking; with 200 windows open
 * it costs more than the events of the one that draws.
 */
#define MANY 8

struct flush_queue {
	struct wl_display *display;
	int n_clients;
	/** Notifies of every event; NULL while there are few clients. */
	struct wl_protocol_logger *logger;
	bool all; /* the logger may have missed events: flush all */
	struct wl_list pending; /* addressee.pending_link */
	const struct wl_client *last; /* the client of the latest event; NULL: unknown */
	struct wl_listener client_created, destroy;
};

/** Bookkeeping of a client. */
struct addressee {
	struct flush_queue *flush_queue;
	struct wl_client *client;
	struct wl_list pending_link; /* empty: no pending events */
	struct wl_listener destroy;
};

static void handle_client_destroy(struct wl_listener *listener, void *data);

static void handle_message(void *data, enum wl_protocol_logger_type type,
	const struct wl_protocol_logger_message *message)
{
	struct flush_queue *flush_queue = data;
	struct wl_client *client = wl_resource_get_client(message->resource);
	if (type != WL_PROTOCOL_LOGGER_EVENT || client == flush_queue->last) {
		return;
	}
	flush_queue->last = client;
	struct wl_listener *listener =
		wl_client_get_destroy_late_listener(client, handle_client_destroy);
	struct addressee *addressee;
	if (listener) {
		addressee = wl_container_of(listener, addressee, destroy);
		wl_list_remove(&addressee->pending_link);
		wl_list_insert(&flush_queue->pending, &addressee->pending_link);
	}
}

static void count_client(struct flush_queue *flush_queue, int more)
{
	flush_queue->n_clients += more;
	if (flush_queue->n_clients > MANY && !flush_queue->logger) {
		flush_queue->logger = wl_display_add_protocol_logger(
			flush_queue->display, handle_message, flush_queue);
		flush_queue->all = true;
	} else if (flush_queue->n_clients <= MANY / 2 && flush_queue->logger) {
		wl_protocol_logger_destroy(flush_queue->logger);
		flush_queue->logger = NULL;
	}
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct addressee *addressee = wl_container_of(listener, addressee, destroy);
	struct flush_queue *flush_queue = addressee->flush_queue;
	wl_list_remove(&addressee->pending_link);
	free(addressee);
	flush_queue->last = NULL;
	count_client(flush_queue, -1);
}

static void handle_client_created(struct wl_listener *listener, void *data)
{
	struct flush_queue *flush_queue = wl_container_of(listener, flush_queue, client_created);
	struct addressee *addressee = xcalloc(1, sizeof(*addressee));
	addressee->flush_queue = flush_queue;
	addressee->client = data;
	wl_list_init(&addressee->pending_link);
	addressee->destroy.notify = handle_client_destroy;
	wl_client_add_destroy_late_listener(addressee->client, &addressee->destroy);
	count_client(flush_queue, 1);
}

/* Returns true if all pending events were sent. */
static bool send(struct wl_client *client)
{
	/*
	 * wl_client_flush() returns no result, but after a failed system call it calls nothing that
	 * changes errno.
	 */
	errno = 0;
	wl_client_flush(client);
	return errno == 0;
}

void flush_queue_flush(struct flush_queue *flush_queue)
{
	bool all = flush_queue->all || !flush_queue->logger;
	flush_queue->all = false;
	flush_queue->last = NULL;
	while (!list_is_empty(&flush_queue->pending)) {
		struct addressee *addressee =
			wl_container_of(flush_queue->pending.next, addressee, pending_link);
		wl_list_remove(&addressee->pending_link);
		wl_list_init(&addressee->pending_link);
		all = all || !send(addressee->client);
	}
	if (all) {
		/* Also destroys disconnected clients and waits until full sockets are writable. */
		wl_display_flush_clients(flush_queue->display);
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct flush_queue *flush_queue = wl_container_of(listener, flush_queue, destroy);
	if (flush_queue->logger) {
		wl_protocol_logger_destroy(flush_queue->logger);
	}
	wl_list_remove(&flush_queue->client_created.link);
	wl_list_remove(&flush_queue->destroy.link);
	free(flush_queue);
}

struct flush_queue *flush_queue_create(struct protocols *protocols)
{
	struct flush_queue *flush_queue = xcalloc(1, sizeof(*flush_queue));
	flush_queue->display = protocols->display;
	wl_list_init(&flush_queue->pending);
	flush_queue->client_created.notify = handle_client_created;
	wl_display_add_client_created_listener(flush_queue->display, &flush_queue->client_created);
	signal_add(&protocols->events.destroy, &flush_queue->destroy, handle_destroy);
	return flush_queue;
}
