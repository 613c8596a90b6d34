/* SPDX-License-Identifier: MIT */
/* Queues of content updates: merging, blockers and their end. */

#include "surface/internal.h"
#include "surface/transaction.h"
#include "util/account.h"
#include "util/list.h"
#include <assert.h>
#include <stdlib.h>

/** Maximum number of recycled updates per surface. */
#define SPARES_MAX 4

static void free_update(struct update *update)
{
	wl_list_remove(&update->link);
	account_uncharge(update->state.account, ACCOUNT_BYTES, UPDATE_BYTES);
	surface_state_finish(&update->state);
	free(update);
}

void blocker_destroy(struct blocker *blocker)
{
	wl_list_remove(&blocker->link);
	list_init(&blocker->link);
	blocker->update = NULL;
	blocker->impl->destroy(blocker);
}

static void leave_queue(struct update *update)
{
	if (!list_is_empty(&update->link)) {
		wl_list_remove(&update->link);
		list_init(&update->link);
		update->surface->n_queued--;
	}
	wl_list_remove(&update->parent_link);
	list_init(&update->parent_link);
	update->parent = NULL;
}

void update_recycle(struct update *update)
{
	struct surface *surface = update->surface;
	assert(list_is_empty(&update->blockers) && list_is_empty(&update->children));
	leave_queue(update);
	account_uncharge(update->state.account, ACCOUNT_BYTES, UPDATE_COMMITTED_BYTES);
	if (surface->n_spares < SPARES_MAX) {
		wl_list_insert(&surface->spares, &update->link);
		surface->n_spares++;
	} else {
		free_update(update);
	}
}

static void merge_blockers(struct update *to, struct update *from)
{
	struct blocker *blocker, *next;
	wl_list_for_each_safe (blocker, next, &to->blockers, link) {
		if (blocker->fields && !(blocker->fields & ~from->state.fields)) {
			blocker_destroy(blocker);
		}
	}
	wl_list_for_each (blocker, &from->blockers, link) {
		blocker->update = to;
	}
	wl_list_insert_list(to->blockers.prev, &from->blockers);
	list_init(&from->blockers);
}

/*
 * Returns the earlier update of the child's surface that `parent` has already taken along, or NULL.
 * Searches the surface's queue, which is short, since a parent may have thousands of children.
 */
static struct update *find_earlier(const struct update *parent, const struct update *child)
{
	const struct wl_list *at;
	for (at = child->link.prev; at != &child->surface->queue; at = at->prev) {
		struct update *earlier = wl_container_of(at, earlier, link);
		if (earlier->parent == parent) {
			return earlier;
		}
	}
	return NULL;
}

void update_take_along(struct update *parent, struct update *child)
{
	struct update *same = find_earlier(parent, child);
	wl_list_remove(&child->parent_link);
	wl_list_insert(parent->children.prev, &child->parent_link);
	child->parent = parent;
	/*
	 * Keep one update per child, because two would wait for each other; updates between them
	 * are merged too.
	 */
	while (same && same->link.next != &child->link) {
		update_merge(same, wl_container_of(same->link.next, same, link));
	}
	if (same) {
		update_merge(same, child);
	}
}

void update_merge(struct update *to, struct update *from)
{
	merge_blockers(to, from);
	while (!list_is_empty(&from->children)) {
		struct update *child = wl_container_of(from->children.next, child, parent_link);
		update_take_along(to, child);
	}
	surface_state_merge(&to->state, &from->state);
	update_recycle(from);
}

void update_absorb(struct update *update)
{
	struct surface *surface = update->surface;
	/* Stop at an update without content: roles must see the surface being hidden. */
	while (!update->sync && !update->parent && update->state.has_content &&
		update->link.next != &surface->queue) {
		struct update *next = wl_container_of(update->link.next, next, link);
		if (next->sync || next->parent || !list_is_empty(&next->blockers) ||
			!list_is_empty(&next->children) ||
			(next->state.fields & (SURFACE_WAIT_BARRIER | SURFACE_NOT_BEFORE))) {
			return;
		}
		update_merge(update, next);
	}
}

void update_queue_release(struct surface *surface, bool taken)
{
	if (list_is_empty(&surface->queue)) {
		return;
	}
	struct surface *parent = NULL;
	struct update *update = wl_container_of(surface->queue.next, update, link);
	void (*run)(struct surface *) = update->run;
	wl_list_for_each (update, &surface->queue, link) {
		if (update->parent && taken) {
			parent = update->parent->surface;
			wl_list_remove(&update->parent_link);
			list_init(&update->parent_link);
			update->parent = NULL;
		}
		if (!update->parent) {
			update->sync = false;
		}
	}
	run(surface);
	if (parent) {
		run(parent);
	}
}

void update_queue_finish(struct surface *surface)
{
	struct update *update, *next;
	wl_list_for_each_safe (update, next, &surface->queue, link) {
		struct blocker *blocker, *next_blocker;
		wl_list_for_each_safe (blocker, next_blocker, &update->blockers, link) {
			blocker_destroy(blocker);
		}
		assert(list_is_empty(&update->children));
		leave_queue(update);
		account_uncharge(update->state.account, ACCOUNT_BYTES, UPDATE_COMMITTED_BYTES);
		free_update(update);
	}
	wl_list_for_each_safe (update, next, &surface->spares, link) {
		free_update(update);
	}
	wl_list_remove(&surface->run_link);
	list_init(&surface->run_link);
}

void blocker_init(struct blocker *blocker, const struct blocker_impl *impl, struct update *update,
	uint32_t fields)
{
	*blocker = (struct blocker){.impl = impl, .update = update, .fields = fields};
	wl_list_insert(update->blockers.prev, &blocker->link);
}

void blocker_clear(struct blocker *blocker)
{
	struct update *update = blocker->update;
	blocker_destroy(blocker);
	if (list_is_empty(&update->blockers)) {
		update->run(update->surface);
	}
}
