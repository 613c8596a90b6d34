#pragma once

/** What the files of wl_data_device share: sources and offers of it, and the drag. */

#include "selection.h"

struct data_offer;
struct drag;

struct data_manager {
	struct protocols *protocols;
	struct selection_feed feed; /* the devices are in feed.devices */
	struct drag *drag; /* NULL: nothing is dragged */
	struct wl_listener destroy;
};

/** A wl_data_source. What the target of a drag said is kept here, as it is one per source. */
struct data_source {
	struct selection_source base;
	struct wl_resource *resource;
	uint32_t actions; /* enum wl_data_device_manager_dnd_action */
	bool has_actions; /* set_actions was called */
	bool dragged; /* it was handed over with a drag */
	/** The offer that the drag is over, or was dropped on; NULL: none. */
	struct data_offer *target;
	bool accepted; /* the target takes one of the types */
	uint32_t action; /* that came of what both sides want */
};

/** wl_data_source requests. NULL stays NULL. */
struct data_source *data_source_from_resource(struct wl_resource *resource);
void data_source_create(struct wl_client *client, int version, uint32_t id);
/** Says so to clients that know of it (version 3). */
void data_source_cancel_drag(struct data_source *source);
/** The target's answer; NULL: none of the types. */
void data_source_accept(struct data_source *source, const char *mime_type);
void data_source_set_action(struct data_source *source, uint32_t action);
/** The actions that it allows; copying, for clients that do not know of actions. */
uint32_t data_source_actions(const struct data_source *source);

/** A wl_data_offer. */
struct data_offer {
	struct selection_offer base;
	struct wl_resource *resource;
	struct protocols *protocols;
	bool drag; /* else a selection's */
	bool dropped, finished;
	uint32_t actions, preferred;
	uint32_t action; /* as told last */
};

/** Introduces it to the device, with its types. NULL if out of memory, which the client hears of. */
struct data_offer *data_offer_create(struct wl_resource *device, struct protocols *protocols,
	struct selection_source *source, struct wl_list *list, bool drag);
/** The drag left, or was cancelled: it stands for nothing any more. */
void data_offer_abandon(struct data_offer *offer);
/** Matches what both sides want, with modifiers in mind, and tells both if that is news. */
void data_offer_update_action(struct data_offer *offer);

/** drag.c */

/** The icon's role was checked. `source` may be NULL: a drag inside of the client. */
void drag_start(struct data_manager *manager, struct wl_client *client, struct data_source *source,
	struct surface *origin, struct surface *icon, uint32_t serial);
void drag_cancel(struct drag *drag);
extern const struct surface_role drag_icon_role;
