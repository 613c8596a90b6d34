/* SPDX-License-Identifier: MIT */
/* Selections: their sources, permission to set them, and notification of clients. */

#include "selection.h"
#include "protocol/client/client_fd.h"
#include "protocol/input/wl_seat.h"
#include "shell/shell.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * Maximum number of descriptors that may wait for a source to read them. Further ones are closed;
 * their readers find no data.
 */
#define QUEUED_MAX 64

void selection_source_init(struct selection_source *source,
	const struct selection_source_impl *impl, struct wl_client *client)
{
	*source = (struct selection_source){.impl = impl, .client = client};
	wl_signal_init(&source->events.destroy);
}

void selection_source_finish(struct selection_source *source)
{
	signal_emit(&source->events.destroy, source);
	assert(wl_list_empty(&source->events.destroy.listener_list));
	struct account *account = client_from_wl(source->client)->account;
	for (int i = 0; i < source->n_types; i++) {
		account_free_string(account, source->types[i]);
	}
	free(source->types);
}

static bool has_type(const struct selection_source *source, const char *mime_type)
{
	for (int i = 0; i < source->n_types; i++) {
		if (strcmp(source->types[i], mime_type) == 0) {
			return true;
		}
	}
	return false;
}

void selection_source_add_type(struct selection_source *source, const char *mime_type)
{
	size_t bytes = strlen(mime_type) + 1;
	if (source->n_types == SELECTION_TYPES_MAX ||
		source->type_bytes + bytes > SELECTION_TYPE_BYTES_MAX ||
		has_type(source, mime_type)) {
		return;
	}
	source->type_bytes += bytes;
	source->types =
		xrealloc(source->types, (size_t)source->n_types + 1, sizeof(*source->types));
	source->types[source->n_types++] =
		account_strdup(client_from_wl(source->client)->account, mime_type);
}

static void handle_selection_source_destroy(struct wl_listener *listener, void *data)
{
	struct selection *selection = wl_container_of(listener, selection, source_destroy);
	wl_list_remove(&selection->source_destroy.link);
	selection->source = NULL;
	signal_emit(&selection->events.changed, NULL);
}

void selection_set(struct selection *selection, struct selection_source *source, uint32_t serial)
{
	struct selection_source *old = selection->source;
	selection->serial = serial;
	if (old == source) {
		return;
	}
	if (old) {
		wl_list_remove(&selection->source_destroy.link);
	}
	selection->source = source;
	if (source) {
		source->used = true;
		signal_add(&source->events.destroy, &selection->source_destroy,
			handle_selection_source_destroy);
	}
	if (old) {
		old->impl->cancelled(old);
	}
	signal_emit(&selection->events.changed, NULL);
}

static bool is_older(uint32_t serial, uint32_t than)
{
	return (int32_t)(serial - than) < 0;
}

static struct wl_client *client_of(struct surface *surface)
{
	return surface ? wl_resource_get_client(surface_resource(surface)) : NULL;
}

/*
 * Returns true if the client may set the selection: it has the keyboard focus or names an input
 * event that it got. Without the focus rule alone, users who copy and then switch windows before
 * the program answers would lose the copy, as would programs that close the window copied from. A
 * client with neither would replace the clipboard behind the user's back; programs meant to do so
 * have data control. Mutter is stricter (focus required), wlroots as strict (any serial that was
 * given out, so toolkits name one), Weston checks only the order of serials.
 */
static bool may_select(
	const struct selections *selections, struct wl_client *client, bool knows_serial)
{
	const struct server *server = selections->protocols->server;
	return knows_serial || client_of(server->seat->keyboard.focus) == client ||
	       server->options->unasked_selections;
}

void selection_request(struct selections *selections, enum selection_kind kind,
	struct wl_client *wl_client, struct selection_source *source, uint32_t serial)
{
	struct selection *selection = &selections->kinds[kind];
	struct seat *seat = selections->protocols->server->seat;
	struct seat_client *client = seat_client_find(seat, wl_client);
	bool known = client && seat_client_knows_serial(client, serial);
	bool stale = known && selection->source && is_older(serial, selection->serial);
	if (!may_select(selections, wl_client, known) || stale) {
		if (source) {
			source->used = true;
			source->impl->cancelled(source);
		}
		return;
	}
	selection_set(selection, source, known ? serial : selection->serial);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct selections *selections = wl_container_of(listener, selections, destroy);
	/* All clients are destroyed, and their sources with them. */
	assert(!selections->kinds[SELECTION_CLIPBOARD].source);
	assert(!selections->kinds[SELECTION_PRIMARY].source);
	/* Feeds may outlive this object: empty the list for them. */
	for (int i = 0; i < 2; i++) {
		struct wl_list *listeners = &selections->kinds[i].events.changed.listener_list;
		while (!wl_list_empty(listeners)) {
			struct wl_list *link = listeners->next;
			wl_list_remove(link);
			wl_list_init(link);
		}
	}
	selections->protocols->selections = NULL;
	wl_list_remove(&selections->destroy.link);
	free(selections);
}

void selections_create(struct protocols *protocols)
{
	struct selections *selections = xcalloc(1, sizeof(*selections));
	selections->protocols = protocols;
	wl_signal_init(&selections->kinds[SELECTION_CLIPBOARD].events.changed);
	wl_signal_init(&selections->kinds[SELECTION_PRIMARY].events.changed);
	signal_add(&protocols->events.destroy, &selections->destroy, handle_destroy);
	protocols->selections = selections;
}

/* Offers */

void selection_offer_make_void(struct selection_offer *offer)
{
	if (offer->source) {
		wl_list_remove(&offer->source_destroy.link);
		offer->source = NULL;
	}
	wl_list_remove(&offer->link);
	wl_list_init(&offer->link);
}

static void handle_offer_source_destroy(struct wl_listener *listener, void *data)
{
	struct selection_offer *offer = wl_container_of(listener, offer, source_destroy);
	selection_offer_make_void(offer);
}

void selection_offer_init(
	struct selection_offer *offer, struct selection_source *source, struct wl_list *list)
{
	offer->source = source;
	signal_add(&source->events.destroy, &offer->source_destroy, handle_offer_source_destroy);
	wl_list_insert(list, &offer->link);
}

void selection_offer_finish(struct selection_offer *offer)
{
	selection_offer_make_void(offer);
}

/* A receive request whose file is being checked before it is passed on to the source. */
struct receipt {
	struct selection_source *source;
	struct wl_listener source_destroy;
	char *mime_type;
	struct client_fd_task *task;
};

static void destroy_receipt(struct receipt *receipt)
{
	wl_list_remove(&receipt->source_destroy.link);
	free(receipt->mime_type);
	free(receipt);
}

static void handle_receipt_source_destroy(struct wl_listener *listener, void *data)
{
	struct receipt *receipt = wl_container_of(listener, receipt, source_destroy);
	client_fd_abandon(receipt->task);
	destroy_receipt(receipt);
}

static void handle_vetted(void *owner, int fd)
{
	struct receipt *receipt = owner;
	if (fd >= 0) {
		client_charge_queued_descriptor(receipt->source->client);
		receipt->source->impl->send(receipt->source, receipt->mime_type, fd);
		close(fd);
	} else {
		log_debug(LOG_PROTOCOL, "refusing to send a selection to a file that may block");
	}
	destroy_receipt(receipt);
}

/*
 * Passes the descriptor on after the check. libwayland's duplicate is closed on this thread once
 * the event is sent.
 */
static void send_when_vetted(
	struct wl_client *client, struct selection_source *source, const char *mime_type, int fd)
{
	struct receipt *receipt = xcalloc(1, sizeof(*receipt));
	receipt->task = client_fd_vet(client, fd, handle_vetted, receipt);
	if (!receipt->task) {
		free(receipt);
		return;
	}
	receipt->source = source;
	receipt->mime_type = xstrdup(mime_type);
	signal_add(
		&source->events.destroy, &receipt->source_destroy, handle_receipt_source_destroy);
}

void selection_offer_receive(
	struct wl_client *client, struct selection_offer *offer, const char *mime_type, int fd)
{
	struct selection_source *source = offer ? offer->source : NULL;
	if (!source || !has_type(source, mime_type) ||
		client_queued_descriptors(source->client) >= QUEUED_MAX) {
		client_fd_close(client, fd);
	} else if (fd_closes_at_once(fd)) {
		client_charge_queued_descriptor(source->client);
		source->impl->send(source, mime_type, fd);
		close(fd);
	} else {
		send_when_vetted(client, source, mime_type, fd);
	}
}

/* The devices of the client with the focus */

static void make_offers_void(struct selection_feed *feed)
{
	struct selection_offer *offer, *next;
	wl_list_for_each_safe (offer, next, &feed->offers, link) {
		selection_offer_make_void(offer);
	}
}

static void send_selection(struct selection_feed *feed)
{
	struct wl_resource *device;
	wl_resource_for_each (device, &feed->devices) {
		if (wl_resource_get_client(device) == feed->client) {
			feed->impl->send(feed, device, feed->selection->source);
		}
	}
}

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct selection_feed *feed = wl_container_of(listener, feed, changed);
	make_offers_void(feed);
	send_selection(feed);
}

/* A focus change between surfaces of one client has no effect. */
static void handle_focus(struct wl_listener *listener, void *data)
{
	struct selection_feed *feed = wl_container_of(listener, feed, focus);
	/* While the session is locked, the lock client gets no selection. */
	struct wl_client *client = feed->protocols->server->shell->locked ? NULL : client_of(data);
	if (client == feed->client) {
		return;
	}
	feed->client = client;
	make_offers_void(feed);
	if (client) {
		send_selection(feed);
	}
}

void selection_feed_init(struct selection_feed *feed, const struct selection_feed_impl *impl,
	struct protocols *protocols, enum selection_kind kind)
{
	struct seat_keyboard *keyboard = &protocols->server->seat->keyboard;
	feed->impl = impl;
	feed->protocols = protocols;
	feed->selection = &protocols->selections->kinds[kind];
	feed->client = client_of(keyboard->focus);
	wl_list_init(&feed->devices);
	wl_list_init(&feed->offers);
	signal_add(&keyboard->events.focus, &feed->focus, handle_focus);
	signal_add(&feed->selection->events.changed, &feed->changed, handle_changed);
}

void selection_feed_finish(struct selection_feed *feed)
{
	struct wl_resource *device, *next;
	wl_resource_for_each_safe (device, next, &feed->devices) {
		wl_resource_set_user_data(device, NULL);
		wl_list_remove(wl_resource_get_link(device));
		wl_list_init(wl_resource_get_link(device));
	}
	make_offers_void(feed);
	wl_list_remove(&feed->focus.link);
	wl_list_remove(&feed->changed.link);
}

void selection_feed_add(struct selection_feed *feed, struct wl_resource *device)
{
	client_charge_receiver(device);
	wl_list_insert(&feed->devices, wl_resource_get_link(device));
	if (feed->selection->source && wl_resource_get_client(device) == feed->client) {
		feed->impl->send(feed, device, feed->selection->source);
	}
}
