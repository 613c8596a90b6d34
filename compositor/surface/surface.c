/* SPDX-License-Identifier: MIT */
/* Surfaces: lifetime, commit, frame callbacks and buffer release. */

#include "surface/surface.h"
#include "surface/client.h"
#include "surface/internal.h"
#include "surface/subsurface.h"
#include "surface/transaction.h"
#include "util/account.h"
#include "util/event_source.h"
#include "util/list.h"
#include "util/xalloc.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/** Bytes charged for a surface: two states, the resource, scene nodes, a content and its store. */
#define SURFACE_BYTES 4096

struct surface *surface_create(struct wl_event_loop *loop, struct client *client)
{
	struct surface *surface = xcalloc(1, sizeof(*surface));
	surface->loop = loop;
	surface->client = client;
	surface_state_init(&surface->pending);
	surface_state_init(&surface->current);
	struct account *account = surface_account(surface);
	surface->pending.account = surface->current.account = account;
	account_charge(account, ACCOUNT_BYTES, SURFACE_BYTES);
	wl_list_init(&surface->queue);
	wl_list_init(&surface->spares);
	wl_list_init(&surface->run_link);
	wl_list_init(&surface->extensions);
	wl_list_init(&surface->held);
	surface->preferred_scale = surface->density = 1;
	addon_set_init(&surface->addons);
	signals_init(&surface->events, sizeof(surface->events));
	return surface;
}

void surface_destroy(struct surface *surface)
{
	if (!surface) {
		return;
	}
	surface->applying = true; /* blocks further updates */
	if (surface->role_data && surface->role->destroy) {
		surface->role->destroy(surface);
	}
	surface_unmap(surface);
	signal_emit(&surface->events.destroy, surface);
	addon_set_finish(&surface->addons);
	assert(list_is_empty(&surface->extensions) && list_is_empty(&surface->held));
	assert(signals_are_unused(&surface->events, sizeof(surface->events)));
	event_source_remove(&surface->left_scene);
	update_queue_finish(surface);
	surface_state_finish(&surface->pending);
	surface_state_finish(&surface->current);
	account_uncharge(surface_account(surface), ACCOUNT_BYTES, SURFACE_BYTES);
	free(surface);
}

bool surface_commit(struct surface *surface)
{
	if (surface->role_data && surface->role->commit && !surface->role->commit(surface)) {
		return false;
	}
	surface->n_commits++;
	update_commit(surface);
	return true;
}

bool surface_has_buffer(const struct surface *surface)
{
	const struct update *update;
	bool found = surface->pending.buffer || surface_has_content(surface);
	wl_list_for_each (update, &surface->queue, link) {
		found = found || update->state.buffer;
	}
	return found;
}

/*
 * Returns whether the client will get a frame callback. Only the first is checked: the client's own
 * precede the compositor's.
 */
static bool expects_frame_callback(const struct surface *surface)
{
	const struct wl_list *callbacks = &surface->current.frame_callbacks;
	if (!surface->visible || list_is_empty(callbacks)) {
		return false;
	}
	const struct frame_callback *first = wl_container_of(callbacks->next, first, link);
	return first->sends_event;
}

void surface_unlock_buffer(const struct surface *surface, struct buffer *buffer)
{
	if (expects_frame_callback(surface)) {
		buffer_unlock_unhurried(buffer);
	} else {
		buffer_unlock(buffer);
	}
}

void surface_release_buffer(struct surface *surface)
{
	struct buffer *buffer = surface->current.buffer;
	surface->current.buffer = NULL;
	surface_unlock_buffer(surface, buffer);
}

void surface_replace_buffer(struct surface *surface, struct buffer *copy)
{
	struct buffer *buffer = surface->current.buffer;
	surface->current.buffer = buffer_lock(copy);
	surface_unlock_buffer(surface, buffer);
}

bool surface_accepts_input(const struct surface *surface, struct coord_surface at)
{
	const struct surface_state *state = &surface->current;
	if (surface->role && surface->role->no_input) {
		return false;
	}
	if (!(at.x >= 0 && at.y >= 0 && at.x < state->width && at.y < state->height)) {
		return false;
	}
	const int x = (int)floor(at.x), y = (int)floor(at.y);
	const pixman_region32_t *input = surface->input ? surface->input : &state->input;
	return pixman_region32_contains_point(input, x, y, NULL) &&
	       (!surface->clip || pixman_region32_contains_point(surface->clip, x, y, NULL));
}

void surface_opaque_region(const struct surface *surface, pixman_region32_t *out)
{
	const struct surface_state *state = &surface->current;
	if (!state->has_content || state->alpha < 1) {
		pixman_region32_clear(out);
		return;
	}
	unsigned width = (unsigned)state->width, height = (unsigned)state->height;
	if (state->opaque_buffer) {
		pixman_region32_fini(out);
		pixman_region32_init_rect(out, 0, 0, width, height);
		return;
	}
	pixman_region32_intersect_rect(out, &state->opaque, 0, 0, width, height);
}

void frame_callbacks_send(struct wl_list *callbacks, uint32_t ms)
{
	/* A callback may destroy others (its client is disconnected): always take the first. */
	while (!wl_list_empty(callbacks)) {
		struct frame_callback *callback = wl_container_of(callbacks->next, callback, link);
		wl_list_remove(&callback->link);
		wl_list_init(&callback->link);
		callback->done(callback, ms);
	}
}

void surface_send_frame_done(struct surface *surface, uint32_t ms)
{
	/* Detach the list first: a callback's `done` may add new ones. */
	struct wl_list callbacks;
	wl_list_init(&callbacks);
	wl_list_insert_list(&callbacks, &surface->current.frame_callbacks);
	wl_list_init(&surface->current.frame_callbacks);
	frame_callbacks_send(&callbacks, ms);
}

void surface_set_preferred(
	struct surface *surface, double scale, enum wl_output_transform transform)
{
	if (surface->preferred_scale != scale || surface->preferred_transform != transform) {
		surface->preferred_scale = scale;
		surface->preferred_transform = transform;
		signal_emit(&surface->events.preferred, surface);
	}
}

void surface_set_outputs(struct surface *surface, uint32_t outputs)
{
	struct surface_outputs_event event = {
		.entered = outputs & ~surface->outputs,
		.left = surface->outputs & ~outputs,
	};
	if (surface->outputs != outputs) {
		surface->outputs = outputs;
		signal_emit(&surface->events.outputs, &event);
	}
}

void surface_set_visible(struct surface *surface, bool visible)
{
	if (surface->visible != visible) {
		surface->visible = visible;
		signal_emit(&surface->events.visible, surface);
	}
}

enum content_type surface_content_type(struct surface *surface)
{
	const struct surface_rules *rules = &surface_root(surface)->rules;
	if (rules->content) {
		return (enum content_type)(rules->content - 1);
	}
	return surface->current.content_type != CONTENT_TYPE_NONE ? surface->current.content_type
								  : rules->default_content;
}
