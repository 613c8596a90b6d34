/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Selections: clipboard and primary selection, one of each per seat. wl_data_device, the primary
 * selection protocol and data control set and read the same ones. They share sources, which can
 * send their data, and offers of a source to a client.
 */

#include "protocol/protocol.h"

struct selection_source;

struct selection_source_impl {
	/** Writes the data to `fd`, which stays the caller's. Mandatory. */
	void (*send)(struct selection_source *source, const char *mime_type, int fd);
	/** Notifies that the source was replaced. Mandatory. */
	void (*cancelled)(struct selection_source *source);
};

/** Limits on the types of a source: each is sent as an event to every client with an offer. */
#define SELECTION_TYPES_MAX 1024
#define SELECTION_TYPE_BYTES_MAX (64 * 1024)

struct selection_source {
	const struct selection_source_impl *impl;
	struct wl_client *client; /* the owner */
	char **types; /* charged to the client's account */
	int n_types;
	size_t type_bytes; /* of all types together */
	bool used; /* set as a selection or dragged; may be used only once */
	struct {
		struct wl_signal destroy;
	} events;
};

void selection_source_init(struct selection_source *source,
	const struct selection_source_impl *impl, struct wl_client *client);
void selection_source_finish(struct selection_source *source);
/**
 * Adds a type. Ignores types that the source already has, and those beyond SELECTION_TYPES_MAX or
 * SELECTION_TYPE_BYTES_MAX.
 */
void selection_source_add_type(struct selection_source *source, const char *mime_type);

enum selection_kind {
	SELECTION_CLIPBOARD,
	SELECTION_PRIMARY,
};

struct selection {
	struct selection_source *source; /* NULL: none */
	uint32_t serial; /* of the input event that caused it */
	struct wl_listener source_destroy;
	struct {
		struct wl_signal changed;
	} events;
};

/** State at protocols->selections, until protocols.events.destroy. */
struct selections {
	struct protocols *protocols;
	struct selection kinds[2];
	struct wl_listener destroy;
};

/**
 * Sets the selection on request of a client; `source` NULL clears it. Allowed if the client has the
 * keyboard focus or names an input event that it got, not older than that of the current selection.
 * Otherwise the source is cancelled immediately.
 */
void selection_request(struct selections *selections, enum selection_kind kind,
	struct wl_client *client, struct selection_source *source, uint32_t serial);
/** Sets the selection unconditionally, for data control. */
void selection_set(struct selection *selection, struct selection_source *source, uint32_t serial);

/** An offer of a source to one client: the user data of a wl_data_offer or similar. */
struct selection_offer {
	struct selection_source *source; /* NULL: the offer is void */
	struct wl_list link; /* in its creator's list, or empty */
	struct wl_listener source_destroy;
};

void selection_offer_init(
	struct selection_offer *offer, struct selection_source *source, struct wl_list *list);
/** Releases the offer, void or not. */
void selection_offer_finish(struct selection_offer *offer);
void selection_offer_make_void(struct selection_offer *offer);
/** Passes `fd` to the owner of the data, if it still exists, and closes it. */
void selection_offer_receive(
	struct wl_client *client, struct selection_offer *offer, const char *mime_type, int fd);

/** Sends the selection to the devices of the client with the keyboard focus. */
struct selection_feed;
struct selection_feed_impl {
	/**
	 * Creates an offer in feed->offers if there is a source, and sends it, or sends that there
	 * is none.
	 */
	void (*send)(struct selection_feed *feed, struct wl_resource *device,
		struct selection_source *source);
};

struct selection_feed {
	const struct selection_feed_impl *impl;
	struct protocols *protocols;
	struct selection *selection;
	struct wl_list devices; /* links of wl_resource */
	struct wl_list offers; /* selection_offer.link; valid offers */
	struct wl_client *client; /* the client with the focus */
	struct wl_listener focus, changed;
};

void selection_feed_init(struct selection_feed *feed, const struct selection_feed_impl *impl,
	struct protocols *protocols, enum selection_kind kind);
/** Removes all devices from the list. */
void selection_feed_finish(struct selection_feed *feed);
/** Adds a device and sends the selection to it if its client has the focus. */
void selection_feed_add(struct selection_feed *feed, struct wl_resource *device);

/**
 * Resources of protocols whose sources and offers have no state of their own. `requests` is the
 * interface's table of requests. Defined in selection_resource.c.
 */
/** Creates a source and its resource, which frees it. */
void selection_source_create(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	const struct selection_source_impl *impl, const struct wl_interface *interface,
	const void *requests);
/** Returns the source of such a resource only; NULL stays NULL. */
struct selection_source *selection_source_from_resource(struct wl_resource *resource);
struct wl_resource *selection_source_resource(struct selection_source *source);
/**
 * Creates an offer in `list`, not yet introduced to the device. Returns NULL when out of memory,
 * after posting no_memory.
 */
struct wl_resource *selection_offer_create(struct wl_resource *device,
	struct selection_source *source, struct wl_list *list, const struct wl_interface *interface,
	const void *requests);
/** The receive request of such an offer. */
void selection_offer_handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd);
/**
 * Creates a device. Its user data is the manager's, or NULL if the seat is gone; its link is free
 * for the caller. Returns NULL when out of memory, after posting no_memory.
 */
struct wl_resource *selection_device_create(struct wl_client *client, struct wl_resource *manager,
	uint32_t id, struct wl_resource *seat, const struct wl_interface *interface,
	const void *requests);
