/* What clients were told and is not sent yet: of many clients, only those with something in it are looked at. */

#include "protocol.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/*
 * libwayland looks at all clients after whatever happened. For few that is cheaper than to remember who was
 * told something; with 200 windows open it costs more than the one in front that draws.
 */
#define MANY 8

struct outbox {
	struct wl_display *display;
	int n_clients;
	/** Hears of every event; NULL while there are few clients. */
	struct wl_protocol_logger *logger;
	bool all; /* the logger may have missed some */
	struct wl_list told; /* addressee.told_link */
	const struct wl_client *last; /* that was told something; NULL: not known */
	struct wl_listener client_created, destroy;
};

/** A client, as this file knows it. */
struct addressee {
	struct outbox *outbox;
	struct wl_client *client;
	struct wl_list told_link; /* empty: nothing to send */
	struct wl_listener destroy;
};

static void handle_client_destroy(struct wl_listener *listener, void *data);

static void handle_message(void *data, enum wl_protocol_logger_type type,
	const struct wl_protocol_logger_message *message)
{
	struct outbox *outbox = data;
	struct wl_client *client = wl_resource_get_client(message->resource);
	if (type != WL_PROTOCOL_LOGGER_EVENT || client == outbox->last) {
		return;
	}
	outbox->last = client;
	struct wl_listener *listener =
		wl_client_get_destroy_late_listener(client, handle_client_destroy);
	struct addressee *addressee;
	if (listener) {
		addressee = wl_container_of(listener, addressee, destroy);
		wl_list_remove(&addressee->told_link);
		wl_list_insert(&outbox->told, &addressee->told_link);
	}
}

static void count_client(struct outbox *outbox, int more)
{
	outbox->n_clients += more;
	if (outbox->n_clients > MANY && !outbox->logger) {
		outbox->logger =
			wl_display_add_protocol_logger(outbox->display, handle_message, outbox);
		outbox->all = true;
	} else if (outbox->n_clients <= MANY / 2 && outbox->logger) {
		wl_protocol_logger_destroy(outbox->logger);
		outbox->logger = NULL;
	}
}

static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct addressee *addressee = wl_container_of(listener, addressee, destroy);
	struct outbox *outbox = addressee->outbox;
	wl_list_remove(&addressee->told_link);
	free(addressee);
	outbox->last = NULL;
	count_client(outbox, -1);
}

static void handle_client_created(struct wl_listener *listener, void *data)
{
	struct outbox *outbox = wl_container_of(listener, outbox, client_created);
	struct addressee *addressee = xcalloc(1, sizeof(*addressee));
	addressee->outbox = outbox;
	addressee->client = data;
	wl_list_init(&addressee->told_link);
	addressee->destroy.notify = handle_client_destroy;
	wl_client_add_destroy_late_listener(addressee->client, &addressee->destroy);
	count_client(outbox, 1);
}

/* True if all of it went out. */
static bool send(struct wl_client *client)
{
	/* It says nothing itself; but nothing is called after a system call that failed. */
	errno = 0;
	wl_client_flush(client);
	return errno == 0;
}

void outbox_flush(struct outbox *outbox)
{
	bool all = outbox->all || !outbox->logger;
	outbox->all = false;
	outbox->last = NULL;
	while (!wl_list_empty(&outbox->told)) {
		struct addressee *addressee =
			wl_container_of(outbox->told.next, addressee, told_link);
		wl_list_remove(&addressee->told_link);
		wl_list_init(&addressee->told_link);
		all = all || !send(addressee->client);
	}
	if (all) {
		/* Also ends connections, and waits for those that do not read. */
		wl_display_flush_clients(outbox->display);
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct outbox *outbox = wl_container_of(listener, outbox, destroy);
	if (outbox->logger) {
		wl_protocol_logger_destroy(outbox->logger);
	}
	wl_list_remove(&outbox->client_created.link);
	wl_list_remove(&outbox->destroy.link);
	free(outbox);
}

struct outbox *outbox_create(struct protocols *protocols)
{
	struct outbox *outbox = xcalloc(1, sizeof(*outbox));
	outbox->display = protocols->display;
	wl_list_init(&outbox->told);
	outbox->client_created.notify = handle_client_created;
	wl_display_add_client_created_listener(outbox->display, &outbox->client_created);
	outbox->destroy.notify = handle_destroy;
	wl_signal_add(&protocols->events.destroy, &outbox->destroy);
	return outbox;
}
