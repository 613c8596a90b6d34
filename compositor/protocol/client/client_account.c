/* SPDX-License-Identifier: MIT */
/* Accounts of connected clients: disconnection with an error that names the exceeded limit. */

#include "client_account.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The account's owner, until the client is gone. */
struct account_owner {
	struct client *client;
	struct wl_client *wl_client;
	struct wl_event_source *disconnect; /* NULL: the account is open */
	struct wl_listener destroy;
};

static void disconnect(void *data)
{
	struct account_owner *owner = data;
	owner->disconnect = NULL;
	wl_client_destroy(owner->wl_client);
}

static void handle_closed(struct account *account, enum account_kind kind, bool total)
{
	static const char *const units[] = {
		[ACCOUNT_OBJECTS] = "objects",
		[ACCOUNT_BYTES] = "MiB of state",
		[ACCOUNT_DESCRIPTORS] = "file descriptors",
		[ACCOUNT_MAPPINGS] = "memory mappings",
		[ACCOUNT_PIXELS] = "MiB of pixels",
		[ACCOUNT_RECEIVERS] = "event receivers",
	};
	struct account_owner *owner = account->owner;
	const struct account_ledger *ledger = account->ledger;
	int shift = kind == ACCOUNT_BYTES || kind == ACCOUNT_PIXELS ? 20 : 0;
	int64_t limit =
		total ? ledger->total_limit[kind] : ledger->account_limit[kind] * account->scale;
	char text[96]; /* libwayland cuts error messages at 128 bytes */
	if (total) {
		snprintf(text, sizeof(text),
			"all clients exceed %" PRId64 " %s, and this one has most: limit '%s'",
			limit >> shift, units[kind], account_kind_name(kind));
	} else {
		snprintf(text, sizeof(text), "client exceeds %" PRId64 " %s: limit '%s'",
			limit >> shift, units[kind], account_kind_name(kind));
	}
	log_warn("client %d is disconnected: %s", (int)owner->client->pid, text);
	struct wl_display *display = wl_client_get_display(owner->wl_client);
	owner->disconnect =
		wl_event_loop_add_idle(wl_display_get_event_loop(display), disconnect, owner);
	wl_resource_post_error(
		wl_client_get_object(owner->wl_client, 1), WL_DISPLAY_ERROR_NO_MEMORY, "%s", text);
}

/*
 * The client's resources go after this signal, wl_display first. Objects still charge the account
 * then, but no error can be posted any more.
 */
static void handle_client_destroy(struct wl_listener *listener, void *data)
{
	struct account_owner *owner = wl_container_of(listener, owner, destroy);
	event_source_remove(&owner->disconnect);
	account_abandon(owner->client->account);
	free(owner);
}

struct account_ledger *client_ledger_create(void)
{
	return account_ledger_create(handle_closed);
}

struct receiver {
	struct account *account;
	struct wl_listener destroy;
};

static void handle_receiver_destroy(struct wl_listener *listener, void *data)
{
	struct receiver *receiver = wl_container_of(listener, receiver, destroy);
	account_uncharge(receiver->account, ACCOUNT_RECEIVERS, 1);
	account_unref(receiver->account);
	free(receiver);
}

bool client_charge_receiver(struct wl_resource *resource)
{
	struct receiver *receiver = xcalloc(1, sizeof(*receiver));
	receiver->account = account_ref(client_from_wl(wl_resource_get_client(resource))->account);
	receiver->destroy.notify = handle_receiver_destroy;
	wl_resource_add_destroy_listener(resource, &receiver->destroy);
	return account_charge(receiver->account, ACCOUNT_RECEIVERS, 1);
}

void client_account_init(
	struct client *client, struct account_ledger *ledger, struct wl_client *wl_client)
{
	struct account_owner *owner = xcalloc(1, sizeof(*owner));
	owner->client = client;
	owner->wl_client = wl_client;
	owner->destroy.notify = handle_client_destroy;
	wl_client_add_destroy_listener(wl_client, &owner->destroy);
	client->account = account_create(ledger, owner);
	account_charge(client->account, ACCOUNT_DESCRIPTORS, 1);
}

void client_account_finish(struct client *client)
{
	account_uncharge(client->account, ACCOUNT_DESCRIPTORS, 1);
	account_unref(client->account);
	client->account = NULL;
}
