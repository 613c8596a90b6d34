/* SPDX-License-Identifier: MIT */
/* wl_data_offer: receiving the data of a selection or drag, and negotiation of actions. */

#include "data_device.h"
#include "seat/seat.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <xkbcommon/xkbcommon.h>

#define NONE WL_DATA_DEVICE_MANAGER_DND_ACTION_NONE
#define COPY WL_DATA_DEVICE_MANAGER_DND_ACTION_COPY
#define MOVE WL_DATA_DEVICE_MANAGER_DND_ACTION_MOVE
#define ASK WL_DATA_DEVICE_MANAGER_DND_ACTION_ASK

static struct data_offer *offer_from_resource(struct wl_resource *resource)
{
	return wl_resource_get_user_data(resource);
}

/* Returns NULL once the drag has left or the source is gone. */
static struct data_source *drag_source(struct data_offer *offer)
{
	struct data_source *source = NULL;
	return offer->drag && offer->base.source ? wl_container_of(offer->base.source, source, base)
						 : NULL;
}

/* Posts an error after finish, when only destroy is legal. */
static bool check_unfinished(struct data_offer *offer)
{
	if (offer->finished) {
		wl_resource_post_error(offer->resource, WL_DATA_OFFER_ERROR_INVALID_OFFER,
			"request on a finished offer");
	}
	return !offer->finished;
}

static bool is_active(const struct seat *seat, const char *modifier)
{
	return seat->keyboard.state && xkb_state_mod_name_is_active(seat->keyboard.state, modifier,
					       XKB_STATE_MODS_EFFECTIVE) > 0;
}

uint32_t data_source_choose(const struct seat *seat, uint32_t possible, uint32_t preferred)
{
	if ((possible & MOVE) && is_active(seat, XKB_MOD_NAME_SHIFT)) {
		return MOVE;
	}
	if ((possible & COPY) && is_active(seat, XKB_MOD_NAME_CTRL)) {
		return COPY;
	}
	return possible & preferred ? preferred : possible & -possible;
}

static uint32_t choose(const struct data_offer *offer, const struct data_source *source)
{
	int version = wl_resource_get_version(offer->resource);
	bool knows = version >= WL_DATA_OFFER_SET_ACTIONS_SINCE_VERSION;
	uint32_t possible = data_source_actions(source) & (knows ? offer->actions : COPY);
	if (offer->dropped) {
		/* Modifiers have no influence any more. */
		return possible & offer->preferred ? offer->preferred : possible & -possible;
	}
	return data_source_choose(offer->protocols->server->seat, possible, offer->preferred);
}

void data_offer_update_action(struct data_offer *offer)
{
	struct data_source *source = drag_source(offer);
	if (!source) {
		return;
	}
	uint32_t action = choose(offer, source);
	if (offer->dropped) {
		/* The answer to "ask"; the source gets it on finish. */
		offer->action = action;
		return;
	}
	if (action != offer->action) {
		offer->action = action;
		if (wl_resource_get_version(offer->resource) >=
			WL_DATA_OFFER_ACTION_SINCE_VERSION) {
			wl_data_offer_send_action(offer->resource, action);
		}
	}
	if (source->target == offer) {
		data_source_set_action(source, action);
	}
}

/* Makes the offer the target unless the client accepted a type by the offer of another device. */
static void claim(struct data_offer *offer, struct data_source *source)
{
	if (source->target != offer && !source->accepted) {
		source->target = offer;
		data_source_set_action(source, offer->action);
	}
}

static void handle_accept(struct wl_client *client, struct wl_resource *resource, uint32_t serial,
	const char *mime_type)
{
	struct data_offer *offer = offer_from_resource(resource);
	struct data_source *source = drag_source(offer);
	if (!check_unfinished(offer) || !source) {
		return;
	}
	if (mime_type) {
		claim(offer, source);
	}
	if (source->target == offer) {
		data_source_accept(source, mime_type);
	}
}

static void handle_receive(
	struct wl_client *client, struct wl_resource *resource, const char *mime_type, int32_t fd)
{
	struct data_offer *offer = offer_from_resource(resource);
	check_unfinished(offer);
	selection_offer_receive(client, &offer->base, mime_type, fd);
}

static void finish(struct data_offer *offer, struct data_source *source)
{
	offer->finished = true;
	data_source_finish(source, offer->action);
	source->target = NULL;
	selection_offer_make_void(&offer->base);
}

static void handle_finish(struct wl_client *client, struct wl_resource *resource)
{
	struct data_offer *offer = offer_from_resource(resource);
	struct data_source *source = drag_source(offer);
	if (!check_unfinished(offer)) {
		return;
	}
	if (!offer->drag) {
		wl_resource_post_error(resource, WL_DATA_OFFER_ERROR_INVALID_FINISH,
			"finish on an offer that is not of a drag");
		return;
	}
	if (!source) {
		offer->finished = true; /* the source is gone */
		return;
	}
	if (!offer->dropped || !source->accepted) {
		wl_resource_post_error(resource, WL_DATA_OFFER_ERROR_INVALID_FINISH,
			"finish before the drop, or without an accepted type");
		return;
	}
	if (offer->action == NONE || offer->action == ASK) {
		wl_resource_post_error(resource, WL_DATA_OFFER_ERROR_INVALID_FINISH,
			"finish without an action, or with \"ask\"");
		return;
	}
	finish(offer, source);
}

static bool check_actions(struct data_offer *offer, uint32_t actions, uint32_t preferred)
{
	if (!offer->drag) {
		wl_resource_post_error(offer->resource, WL_DATA_OFFER_ERROR_INVALID_OFFER,
			"set_actions on an offer that is not of a drag");
		return false;
	}
	if (actions & ~(uint32_t)(COPY | MOVE | ASK)) {
		wl_resource_post_error(offer->resource, WL_DATA_OFFER_ERROR_INVALID_ACTION_MASK,
			"invalid actions 0x%x", actions);
		return false;
	}
	if (preferred & (preferred - 1) || preferred & ~(uint32_t)(COPY | MOVE | ASK)) {
		wl_resource_post_error(offer->resource, WL_DATA_OFFER_ERROR_INVALID_ACTION,
			"the preferred action 0x%x must be a single action", preferred);
		return false;
	}
	return true;
}

static void handle_set_actions(struct wl_client *client, struct wl_resource *resource,
	uint32_t actions, uint32_t preferred)
{
	struct data_offer *offer = offer_from_resource(resource);
	struct data_source *source = drag_source(offer);
	if (!check_unfinished(offer) || !check_actions(offer, actions, preferred)) {
		return;
	}
	if (offer->dropped && source && preferred & ~data_source_actions(source)) {
		wl_resource_post_error(resource, WL_DATA_OFFER_ERROR_INVALID_ACTION,
			"the source does not allow action 0x%x", preferred);
		return;
	}
	offer->actions = actions;
	offer->preferred = preferred;
	/* After a drop the action is final, unless it was "ask". */
	if (!offer->dropped || (source && source->action == ASK)) {
		data_offer_update_action(offer);
	}
}

static const struct wl_data_offer_interface offer_impl = {
	.accept = handle_accept,
	.receive = handle_receive,
	.destroy = resource_handle_destroy,
	.finish = handle_finish,
	.set_actions = handle_set_actions,
};

void data_offer_abandon(struct data_offer *offer)
{
	struct data_source *source = drag_source(offer);
	if (source && source->target == offer) {
		source->target = NULL;
		if (source->accepted) {
			data_source_accept(source, NULL);
		}
		data_source_set_action(source, NONE);
	}
	selection_offer_make_void(&offer->base);
}

static void destroy(struct wl_resource *resource)
{
	struct data_offer *offer = offer_from_resource(resource);
	struct data_source *source = drag_source(offer);
	if (source && offer->dropped) {
		/* Clients of old versions finish by destroying the offer. */
		if (wl_resource_get_version(resource) < WL_DATA_OFFER_FINISH_SINCE_VERSION) {
			finish(offer, source);
		} else {
			source->target = NULL;
			data_source_cancel_drag(source);
		}
	} else if (source) {
		data_offer_abandon(offer);
	}
	selection_offer_finish(&offer->base);
	free(offer);
}

struct data_offer *data_offer_create(struct wl_resource *device, struct protocols *protocols,
	struct selection_source *source, struct wl_list *list, bool drag)
{
	struct data_offer *offer = xcalloc(1, sizeof(*offer));
	struct wl_resource *resource = resource_create_child(
		device, &wl_data_offer_interface, 0, &offer_impl, offer, destroy);
	if (!resource) {
		return NULL;
	}
	offer->resource = resource;
	offer->device = device;
	offer->protocols = protocols;
	offer->drag = drag;
	selection_offer_init(&offer->base, source, list);
	wl_data_device_send_data_offer(device, resource);
	for (int i = 0; i < source->n_types; i++) {
		wl_data_offer_send_offer(resource, source->types[i]);
	}
	struct data_source *dragged = drag_source(offer);
	if (dragged &&
		wl_resource_get_version(resource) >= WL_DATA_OFFER_SOURCE_ACTIONS_SINCE_VERSION) {
		wl_data_offer_send_source_actions(resource, data_source_actions(dragged));
	}
	return offer;
}
