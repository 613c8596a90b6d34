/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of wl_data_device: its sources and offers, and the drag. */

#include "selection.h"

struct data_offer;
struct data_source;
struct drag;
struct drag_x_impl;
struct seat;
struct toplevel_drag;

struct data_manager {
	struct protocols *protocols;
	struct selection_feed feed; /* the devices are in feed.devices */
	struct drag *drag; /* NULL: no drag is in progress */
	const struct drag_x_impl *x; /* owner: xwayland/x_drag.c */
	struct wl_listener destroy;
};

/** Events of a drag to the owner of its data. All are mandatory. */
struct data_source_impl {
	void (*cancelled)(struct data_source *source);
	/** The target accepts a type; NULL: none. */
	void (*accepted)(struct data_source *source, const char *mime_type);
	void (*action)(struct data_source *source, uint32_t action);
	void (*dropped)(struct data_source *source);
	/** The target has all data. */
	void (*finished)(struct data_source *source);
};

/**
 * A wl_data_source, or data that an X program drags. Holds the state of the drag's target, too,
 * since a source has one target at a time.
 */
struct data_source {
	struct selection_source base;
	const struct data_source_impl *impl;
	struct wl_resource *resource; /* NULL: of an X program */
	uint32_t actions; /* enum wl_data_device_manager_dnd_action */
	bool has_actions; /* set_actions was called */
	bool dragged; /* a drag was started with it */
	struct toplevel_drag *toplevel_drag; /* owner: xdg_toplevel_drag.c; NULL: none */
	/**
	 * The offer under the drag or dropped on; NULL: none. Of several devices of the client, the
	 * one whose offer was accepted.
	 */
	struct data_offer *target;
	bool accepted; /* the target accepts one of the types */
	uint32_t action; /* negotiated between both clients */
};

/** Returns the source of a wl_data_source; NULL stays NULL. */
struct data_source *data_source_from_resource(struct wl_resource *resource);
void data_source_create(struct wl_resource *manager, uint32_t id);
/** Sends cancelled to clients that expect it after a drag (version 3). */
void data_source_cancel_drag(struct data_source *source);
/** Sends the type that the target accepts; NULL: none. */
void data_source_accept(struct data_source *source, const char *mime_type);
void data_source_set_action(struct data_source *source, uint32_t action);
/** Ends a drag after its drop, by the target's final action. */
void data_source_finish(struct data_source *source, uint32_t action);
/** Chooses one of the `possible` actions by modifiers, or else `preferred`; 0: none is possible. */
uint32_t data_source_choose(const struct seat *seat, uint32_t possible, uint32_t preferred);
/** Returns the allowed actions; copy for clients older than actions. */
uint32_t data_source_actions(const struct data_source *source);

/** A wl_data_offer. */
struct data_offer {
	struct selection_offer base;
	struct wl_resource *resource;
	const struct wl_resource *device; /* compared only */
	struct protocols *protocols;
	bool drag; /* otherwise of a selection */
	bool dropped, finished;
	uint32_t actions, preferred;
	uint32_t action; /* as sent last */
};

/**
 * Creates an offer and sends it with its types to the device. Returns NULL when out of memory,
 * after posting no_memory.
 */
struct data_offer *data_offer_create(struct wl_resource *device, struct protocols *protocols,
	struct selection_source *source, struct wl_list *list, bool drag);
/** Makes the offer inert after the drag left or was cancelled. */
void data_offer_abandon(struct data_offer *offer);
/**
 * Negotiates the action from both clients' actions and the modifiers, and sends it to both if it
 * changed; to the source only for its target.
 */
void data_offer_update_action(struct data_offer *offer);

/**
 * Starts a drag; the icon's role was already checked. `source` NULL: the drag stays inside the
 * client. Defined in drag_grab.c.
 */
void drag_start(struct data_manager *manager, struct wl_client *client, struct data_source *source,
	struct surface *origin, struct surface *icon, uint32_t serial);
/** Cancels the drag and frees it. Accepts NULL. */
void drag_cancel(struct drag *drag);
extern const struct surface_role drag_icon_role;
