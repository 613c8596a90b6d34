/* SPDX-License-Identifier: MIT */
/* Subsurfaces: order among siblings, synchronised commits and mapping. */

#include "surface/subsurface.h"
#include "surface/internal.h"
#include "surface/transaction.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/** Bytes charged for a subsurface: the struct, and its entries in all states of the parent. */
#define SUBSURFACE_BYTES 1024

/*
 * A subsurface is mapped once it has content, its parent is mapped, and it was added to the parent.
 */
static void update_mapped(struct subsurface *subsurface)
{
	if (subsurface->added && subsurface->parent && subsurface->parent->mapped &&
		surface_has_content(subsurface->surface)) {
		surface_map(subsurface->surface);
	} else {
		surface_unmap(subsurface->surface);
	}
}

static void handle_applied(struct surface *surface)
{
	update_mapped(surface->subsurface);
}

static void handle_surface_destroy(struct surface *surface)
{
	subsurface_destroy(surface->subsurface);
}

const struct surface_role subsurface_role = {
	.name = "wl_subsurface",
	.applied = handle_applied,
	.destroy = handle_surface_destroy,
};

/* Releases the updates held by the surface and, recursively, by children in desync mode. */
static void release(struct surface *surface, bool taken)
{
	update_queue_release(surface, taken);
	for (int i = 0; i < surface->pending.n_children; i++) {
		struct subsurface *child = surface->pending.children[i].subsurface;
		if (child && !child->sync) {
			release(child->surface, false);
		}
	}
}

/* Adds `n` to the descendants of `parent` and of its ancestors. */
static void count_below(struct surface *parent, int n)
{
	while (parent) {
		parent->n_below += n;
		parent = parent->subsurface ? parent->subsurface->parent : NULL;
	}
}

static void leave_parent(struct subsurface *subsurface)
{
	count_below(subsurface->parent, -(subsurface->surface->n_below + 1));
	wl_list_remove(&subsurface->parent_destroy.link);
	wl_list_remove(&subsurface->parent_map.link);
	wl_list_remove(&subsurface->parent_unmap.link);
	wl_list_remove(&subsurface->held_link);
	wl_list_init(&subsurface->held_link);
	subsurface->parent = NULL;
	subsurface->added = false;
}

static void handle_parent_destroy(struct wl_listener *listener, void *data)
{
	struct subsurface *subsurface = wl_container_of(listener, subsurface, parent_destroy);
	leave_parent(subsurface);
	surface_unmap(subsurface->surface);
	release(subsurface->surface, true);
}

static void handle_parent_map(struct wl_listener *listener, void *data)
{
	struct subsurface *subsurface = wl_container_of(listener, subsurface, parent_map);
	update_mapped(subsurface);
}

static void handle_parent_unmap(struct wl_listener *listener, void *data)
{
	struct subsurface *subsurface = wl_container_of(listener, subsurface, parent_unmap);
	update_mapped(subsurface);
}

static int find_child(const struct surface_state *state, const struct subsurface *subsurface)
{
	for (int i = 0; i < state->n_children; i++) {
		if (state->children[i].subsurface == subsurface) {
			return i;
		}
	}
	return -1;
}

static void add_child(struct surface_state *state, struct subsurface *subsurface)
{
	int first = state->n_children == 0; /* the parent's own entry */
	state->children = xrealloc(state->children, (size_t)(state->n_children + 1 + first),
		sizeof(state->children[0]));
	if (first) {
		state->children[state->n_children++] = (struct child){0};
	}
	state->children[state->n_children++] = (struct child){.subsurface = subsurface};
	state->fields |= SURFACE_CHILDREN;
}

static void remove_child(struct surface_state *state, const struct subsurface *subsurface)
{
	int i = find_child(state, subsurface);
	if (i >= 0) {
		state->n_children--;
		memmove(&state->children[i], &state->children[i + 1],
			(size_t)(state->n_children - i) * sizeof(state->children[0]));
	}
}

/* Returns the number of levels of the tree rooted at `surface`, inclusive. */
static int levels_below(const struct surface *surface)
{
	int most = 0;
	for (int i = 0; i < surface->pending.n_children; i++) {
		const struct subsurface *child = surface->pending.children[i].subsurface;
		int levels = child ? levels_below(child->surface) : 0;
		most = levels > most ? levels : most;
	}
	return most + 1;
}

bool subsurface_fits(const struct surface *surface, const struct surface *parent)
{
	int levels = levels_below(surface) + 1;
	while (parent->subsurface && parent->subsurface->parent) {
		parent = parent->subsurface->parent;
		levels++;
	}
	return levels <= SUBSURFACE_LEVELS_MAX;
}

bool subsurface_tree_has_room(const struct surface *surface, struct surface *parent)
{
	/* Both counts exclude their root. */
	return surface_root(parent)->n_below + surface->n_below + 2 <= SUBSURFACE_TREE_MAX;
}

struct subsurface *subsurface_create(struct surface *surface, struct surface *parent)
{
	struct subsurface *subsurface = xcalloc(1, sizeof(*subsurface));
	if (!surface_set_role(surface, &subsurface_role, subsurface)) {
		free(subsurface);
		return NULL;
	}
	assert(surface_root(parent) != surface);
	account_charge(surface_account(surface), ACCOUNT_BYTES, SUBSURFACE_BYTES);
	surface->subsurface = subsurface;
	subsurface->surface = surface;
	subsurface->parent = parent;
	subsurface->sync = true;
	wl_list_init(&subsurface->held_link);
	wl_signal_init(&subsurface->events.destroy);
	signal_add(&parent->events.destroy, &subsurface->parent_destroy, handle_parent_destroy);
	signal_add(&parent->events.map, &subsurface->parent_map, handle_parent_map);
	signal_add(&parent->events.unmap, &subsurface->parent_unmap, handle_parent_unmap);
	add_child(&parent->pending, subsurface);
	count_below(parent, surface->n_below + 1);
	signal_emit(&parent->events.new_subsurface, subsurface);
	return subsurface;
}

void subsurface_destroy(struct subsurface *subsurface)
{
	if (!subsurface) {
		return;
	}
	struct surface *surface = subsurface->surface, *parent = subsurface->parent;
	surface_unmap(surface);
	signal_emit(&subsurface->events.destroy, subsurface);
	assert(wl_list_empty(&subsurface->events.destroy.listener_list));
	if (parent) {
		struct update *update;
		remove_child(&parent->pending, subsurface);
		remove_child(&parent->current, subsurface);
		surface_root(parent)->shape++;
		wl_list_for_each (update, &parent->queue, link) {
			remove_child(&update->state, subsurface);
		}
		leave_parent(subsurface);
	}
	surface->subsurface = NULL;
	surface_clear_role_data(surface);
	account_uncharge(surface_account(surface), ACCOUNT_BYTES, SUBSURFACE_BYTES);
	free(subsurface);
	release(surface, true);
}

void subsurface_set_position(struct subsurface *subsurface, int32_t x, int32_t y)
{
	if (!subsurface->parent) {
		return;
	}
	struct surface_state *state = &subsurface->parent->pending;
	struct child *child = &state->children[find_child(state, subsurface)];
	child->x = x;
	child->y = y;
	state->fields |= SURFACE_CHILDREN;
}

bool subsurface_place(struct subsurface *subsurface, struct surface *sibling, bool above)
{
	if (!subsurface->parent || sibling == subsurface->surface) {
		return false;
	}
	struct surface_state *state = &subsurface->parent->pending;
	if (sibling != subsurface->parent &&
		(!sibling->subsurface || sibling->subsurface->parent != subsurface->parent)) {
		return false;
	}
	struct child child = state->children[find_child(state, subsurface)];
	remove_child(state, subsurface);
	int at = find_child(state, sibling == subsurface->parent ? NULL : sibling->subsurface);
	at += above;
	memmove(&state->children[at + 1], &state->children[at],
		(size_t)(state->n_children - at) * sizeof(child));
	state->children[at] = child;
	state->n_children++;
	state->fields |= SURFACE_CHILDREN;
	return true;
}

void subsurface_set_sync(struct subsurface *subsurface, bool sync)
{
	subsurface->sync = sync;
	if (!subsurface_is_sync(subsurface)) {
		release(subsurface->surface, false);
	}
}

bool subsurface_is_sync(const struct subsurface *subsurface)
{
	while (subsurface && subsurface->parent) {
		if (subsurface->sync) {
			return true;
		}
		subsurface = subsurface->parent->subsurface;
	}
	return false;
}

void subsurface_children_placed(struct surface *surface)
{
	for (int i = 0; i < surface->current.n_children; i++) {
		const struct child *child = &surface->current.children[i];
		if (child->subsurface) {
			child->subsurface->x = child->x;
			child->subsurface->y = child->y;
			child->subsurface->added = true;
			update_mapped(child->subsurface);
		}
	}
}

void subsurface_hold(struct subsurface *subsurface)
{
	if (subsurface->parent && wl_list_empty(&subsurface->held_link)) {
		wl_list_insert(subsurface->parent->held.prev, &subsurface->held_link);
	}
}

/* Children may have left sync mode since they were listed in `held`. */
void subsurface_take_along(struct update *update)
{
	struct wl_list *held = &update->surface->held;
	while (!wl_list_empty(held)) {
		struct subsurface *child = wl_container_of(held->next, child, held_link);
		wl_list_remove(&child->held_link);
		wl_list_init(&child->held_link);
		if (wl_list_empty(&child->surface->queue)) {
			continue;
		}
		struct update *last = wl_container_of(child->surface->queue.prev, last, link);
		if (last->sync && !last->parent) {
			update_take_along(update, last);
		}
	}
}
