#pragma once

/**
 * Selections: what was copied, and what was last marked, one of each per seat. wl_data_device,
 * primary selection and data control all set and see the same ones: what they share is a source
 * that knows how to send its data, and offers of it.
 */

#include "protocol.h"

struct selection_source;

struct selection_source_impl {
	/** Mandatory. The owner writes its data to fd, which stays the caller's. */
	void (*send)(struct selection_source *source, const char *mime_type, int fd);
	/** Mandatory. Something else is the selection now. */
	void (*cancelled)(struct selection_source *source);
};

/** Types of a source: each is sent to every client that is offered them, as one event. */
#define SELECTION_MAX_TYPES 1024
#define SELECTION_MAX_TYPE_BYTES (64 * 1024)

struct selection_source {
	const struct selection_source_impl *impl;
	struct wl_client *client; /* its owner */
	char **types; /* charged to its account */
	int n_types;
	size_t type_bytes; /* of all types together */
	bool used; /* it was made a selection, or dragged: once is all it may be */
	struct {
		struct wl_signal destroy;
	} events;
};

void selection_source_init(struct selection_source *source,
	const struct selection_source_impl *impl, struct wl_client *client);
void selection_source_finish(struct selection_source *source);
/** Ignores a type that the source has, or that exceeds SELECTION_MAX_TYPES or _TYPE_BYTES. */
void selection_source_add_type(struct selection_source *source, const char *mime_type);

enum selection_kind {
	SELECTION_CLIPBOARD,
	SELECTION_PRIMARY,
};

struct selection {
	struct selection_source *source; /* NULL: nothing */
	uint32_t serial; /* of the event that caused it */
	struct wl_listener source_destroy;
	struct {
		struct wl_signal changed;
	} events;
};

/** protocols->selections, until protocols.destroy. */
struct selections {
	struct protocols *protocols;
	struct selection kinds[2];
	struct wl_listener destroy;
};

/**
 * A client asks to be the source (NULL: that there be none). It may if it has the keyboard focus or names
 * an event that it got, none older than the one that caused the selection as it is. Else the source is
 * cancelled at once.
 */
void selection_request(struct selections *selections, enum selection_kind kind,
	struct wl_client *client, struct selection_source *source, uint32_t serial);
/** For data control, which may always. */
void selection_set(struct selection *selection, struct selection_source *source, uint32_t serial);

/** An offer of a source to one client: the user data of a wl_data_offer and its like. */
struct selection_offer {
	struct selection_source *source; /* NULL: the offer is void */
	struct wl_list link; /* where its maker keeps it; empty if nowhere */
	struct wl_listener source_destroy;
};

void selection_offer_init(
	struct selection_offer *offer, struct selection_source *source, struct wl_list *list);
/** Also void offers. */
void selection_offer_finish(struct selection_offer *offer);
void selection_offer_make_void(struct selection_offer *offer);
/** Passes the fd on to the owner of the data, if that is still there, and closes it. */
void selection_offer_receive(
	struct wl_client *client, struct selection_offer *offer, const char *mime_type, int fd);

/**
 * Tells the devices of the client that has the keyboard focus what the selection is.
 */
struct selection_feed;
struct selection_feed_impl {
	/** Makes an offer in feed->offers if there is a source, and tells of it, or of none. */
	void (*send)(struct selection_feed *feed, struct wl_resource *device,
		struct selection_source *source);
};

struct selection_feed {
	const struct selection_feed_impl *impl;
	struct protocols *protocols;
	struct selection *selection;
	struct wl_list devices; /* wl_resource links */
	struct wl_list offers; /* selection_offer.link; those that are valid */
	struct wl_client *client; /* that has the focus */
	struct wl_listener focus, changed;
};

void selection_feed_init(struct selection_feed *feed, const struct selection_feed_impl *impl,
	struct protocols *protocols, enum selection_kind kind);
/** Takes the devices out of the list. */
void selection_feed_finish(struct selection_feed *feed);
/** Tells it at once if it may know. */
void selection_feed_add(struct selection_feed *feed, struct wl_resource *device);

/**
 * selection_resource.c: resources of protocols that add nothing of their own to a source or an offer. `requests`
 * is the interface's table of them.
 */
/** The new source and its resource, which frees it. */
void selection_source_create(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	const struct selection_source_impl *impl, const struct wl_interface *interface,
	const void *requests);
/** Of those only. NULL stays NULL. */
struct selection_source *selection_source_from_resource(struct wl_resource *resource);
struct wl_resource *selection_source_resource(struct selection_source *source);
/** An offer in `list`, not yet introduced to the device. NULL if out of memory, which the client hears of. */
struct wl_resource *selection_offer_create(struct wl_resource *device,
	struct selection_source *source, struct wl_list *list, const struct wl_interface *interface,
	const void *requests);
/** The request "receive" of such an offer. */
void selection_offer_handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd);
/**
 * A device, whose user data are its manager's, or NULL if the seat is gone; its link is free for the caller.
 * NULL if out of memory, which the client hears of.
 */
struct wl_resource *selection_device_create(struct wl_client *client, struct wl_resource *manager,
	uint32_t id, struct wl_resource *seat, const struct wl_interface *interface,
	const void *requests);
/** The request "destroy" of any of them. */
void selection_handle_destroy(struct wl_client *client, struct wl_resource *resource);
