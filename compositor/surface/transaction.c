/* SPDX-License-Identifier: MIT */
/* Content updates: queues, blockers and application of surface trees. */

#include "surface/transaction.h"
#include "buffer/shm.h"
#include "surface/internal.h"
#include "surface/subsurface.h"
#include "util/account.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/** Bytes charged for an update, queued or recycled: its state, including extensions. */
#define UPDATE_BYTES 1024
/**
 * Bytes charged from an update's commit until it applies: the maximum of damage, and a callback.
 */
#define COMMITTED_BYTES 2048

/** Maximum number of recycled updates per surface. */
#define SPARES_MAX 4

static struct update *create_update(struct surface *surface)
{
	struct update *update;
	if (surface->n_spares > 0) {
		update = wl_container_of(surface->spares.next, update, link);
		wl_list_remove(&update->link);
		surface->n_spares--;
	} else {
		update = xcalloc(1, sizeof(*update));
		update->surface = surface;
		surface_state_init(&update->state);
		update->state.account = surface_account(surface);
		account_charge(update->state.account, ACCOUNT_BYTES, UPDATE_BYTES);
		wl_list_init(&update->blockers);
		wl_list_init(&update->children);
		wl_list_init(&update->parent_link);
	}
	wl_list_init(&update->link);
	account_charge(update->state.account, ACCOUNT_BYTES, COMMITTED_BYTES);
	update->sync = surface->subsurface && subsurface_is_sync(surface->subsurface);
	return update;
}

static void free_update(struct update *update)
{
	wl_list_remove(&update->link);
	account_uncharge(update->state.account, ACCOUNT_BYTES, UPDATE_BYTES);
	surface_state_finish(&update->state);
	free(update);
}

static void destroy_blocker(struct blocker *blocker)
{
	wl_list_remove(&blocker->link);
	wl_list_init(&blocker->link);
	blocker->update = NULL;
	blocker->impl->destroy(blocker);
}

static void leave_queue(struct update *update)
{
	if (!wl_list_empty(&update->link)) {
		wl_list_remove(&update->link);
		wl_list_init(&update->link);
		update->surface->n_queued--;
	}
	wl_list_remove(&update->parent_link);
	wl_list_init(&update->parent_link);
	update->parent = NULL;
}

/* Takes the update, whose state was merged into another, out of its queue for reuse. */
static void recycle(struct update *update)
{
	struct surface *surface = update->surface;
	assert(wl_list_empty(&update->blockers) && wl_list_empty(&update->children));
	leave_queue(update);
	account_uncharge(update->state.account, ACCOUNT_BYTES, COMMITTED_BYTES);
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
			destroy_blocker(blocker);
		}
	}
	wl_list_for_each (blocker, &from->blockers, link) {
		blocker->update = to;
	}
	wl_list_insert_list(to->blockers.prev, &from->blockers);
	wl_list_init(&from->blockers);
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

static void merge_update(struct update *to, struct update *from);

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
		merge_update(same, wl_container_of(same->link.next, same, link));
	}
	if (same) {
		merge_update(same, child);
	}
}

/* Merges `from` into `to`, its immediate predecessor. */
static void merge_update(struct update *to, struct update *from)
{
	merge_blockers(to, from);
	while (!wl_list_empty(&from->children)) {
		struct update *child = wl_container_of(from->children.next, child, parent_link);
		update_take_along(to, child);
	}
	surface_state_merge(&to->state, &from->state);
	recycle(from);
}

void update_absorb(struct update *update)
{
	struct surface *surface = update->surface;
	/* Stop at an update without content: roles must see the surface being hidden. */
	while (!update->sync && !update->parent && update->state.has_content &&
		update->link.next != &surface->queue) {
		struct update *next = wl_container_of(update->link.next, next, link);
		if (next->sync || next->parent || !wl_list_empty(&next->blockers) ||
			!wl_list_empty(&next->children) ||
			(next->state.fields & (SURFACE_WAIT_BARRIER | SURFACE_NOT_BEFORE))) {
			return;
		}
		merge_update(update, next);
	}
}

static void enqueue(struct update *update)
{
	struct surface *surface = update->surface;
	struct update *last = wl_container_of(surface->queue.prev, last, link);
	bool merge = false;
	if (update->sync) {
		subsurface_hold(surface->subsurface);
		merge = !wl_list_empty(&surface->queue) && last->sync && !last->parent;
	} else {
		merge = surface->n_queued >= UPDATE_QUEUE_MAX;
	}
	if (merge) {
		merge_update(last, update);
	} else {
		wl_list_insert(surface->queue.prev, &update->link);
		surface->n_queued++;
	}
}

/* Application */

static bool is_ready(const struct update *update)
{
	const struct surface *surface = update->surface;
	if (surface->queue.next != &update->link || surface->applying ||
		!wl_list_empty(&update->blockers)) {
		return false;
	}
	const struct update *child;
	wl_list_for_each (child, &update->children, parent_link) {
		if (!is_ready(child)) {
			return false;
		}
	}
	return true;
}

static void emit_ready(struct update *update)
{
	struct update *child;
	wl_list_for_each (child, &update->children, parent_link) {
		emit_ready(child);
	}
	barrier_hold(update);
	signal_emit(&update->surface->events.ready, update);
}

/* Merges children first. Adds the surfaces to `merged`. */
static void merge_into_current(struct update *update, struct wl_list *merged)
{
	while (!wl_list_empty(&update->children)) {
		struct update *child = wl_container_of(update->children.next, child, parent_link);
		merge_into_current(child, merged);
	}
	struct surface *surface = update->surface;
	struct surface_state *current = &surface->current;
	int32_t width = current->width, height = current->height;
	bool children = update->state.fields & SURFACE_CHILDREN;
	surface_state_merge(current, &update->state);
	if (children || current->width != width || current->height != height) {
		surface_root(surface)->shape++;
	}
	surface->applying = true;
	wl_list_remove(&surface->run_link);
	wl_list_insert(merged->prev, &surface->run_link);
	recycle(update);
}

static void emit_applied(struct surface *surface)
{
	struct surface_state *current = &surface->current;
	surface_state_clip_damage(current);
	if (current->fields & SURFACE_SET_BARRIER) {
		surface->barrier = true;
	}
	if (surface->role_data && surface->role->applied) {
		surface->role->applied(surface);
	}
	if (current->fields & SURFACE_CHILDREN) {
		subsurface_children_placed(surface);
	}
	signal_emit(&surface->events.applied, surface);
	pixman_region32_clear(&current->buffer_damage);
	current->dx = current->dy = 0;
	current->fields = 0;
	surface->applying = false;
}

/* Applies the tree of `root`. Adds surfaces with further queued updates to `work`. */
static void apply(struct update *root, struct wl_list *work)
{
	struct wl_list merged;
	wl_list_init(&merged);
	merge_into_current(root, &merged);
	while (!wl_list_empty(&merged)) {
		struct surface *surface = wl_container_of(merged.next, surface, run_link);
		emit_applied(surface);
		wl_list_remove(&surface->run_link);
		wl_list_init(&surface->run_link);
		if (!wl_list_empty(&surface->queue)) {
			wl_list_insert(work->prev, &surface->run_link);
		}
	}
}

/*
 * Applies all updates that are ready. Iterates over a list, because one update may unblock many
 * others in turn.
 */
static void run_queue(struct surface *surface)
{
	struct wl_list work;
	if (!wl_list_empty(&surface->run_link)) {
		return; /* the loop below, further up the stack, will examine it */
	}
	wl_list_init(&work);
	wl_list_insert(&work, &surface->run_link);
	while (!wl_list_empty(&work)) {
		surface = wl_container_of(work.next, surface, run_link);
		wl_list_remove(&surface->run_link);
		wl_list_init(&surface->run_link);
		if (wl_list_empty(&surface->queue)) {
			continue;
		}
		struct update *root = wl_container_of(surface->queue.next, root, link);
		while (root->parent) {
			root = root->parent;
		}
		if (root->sync || !is_ready(root)) {
			continue;
		}
		emit_ready(root);
		if (is_ready(root)) {
			apply(root, &work);
		}
	}
}

static bool wait_fd(struct update *update, int fd, struct buffer *buffer);

static void wait_for_fences(struct update *update)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(update->state.buffer);
	for (int i = 0; dmabuf && i < dmabuf->n_planes && update->state.buffer; i++) {
		bool again = false;
		for (int j = 0; j < i; j++) {
			again |= dmabuf->fd[j] == dmabuf->fd[i];
		}
		if (again) {
			continue;
		}
		int fence = fence_export_dmabuf(dmabuf->fd[i], false);
		if (fence >= 0) {
			update_wait_fd(update, fence);
		} else if (fence != -1) {
			/*
			 * The ioctl is missing, or no descriptor is left for the fence: poll the
			 * dma-buf itself.
			 */
			wait_fd(update, dmabuf->fd[i], update->state.buffer);
		}
	}
}

/*
 * Returns whether the update, which removes the content, may overtake the queue: it has no time or
 * barrier and belongs to no tree.
 */
static bool overtakes_queue(const struct update *update)
{
	return !update->surface->subsurface &&
	       !(update->state.fields & (SURFACE_WAIT_BARRIER | SURFACE_NOT_BEFORE));
}

/*
 * Applies the whole queue of a surface being hidden, since the client's next request may create
 * another role object for it. Updates of subsurfaces still wait for their blockers.
 */
static void unblock_queue(struct surface *surface)
{
	struct update *first = wl_container_of(surface->queue.next, first, link);
	while (first->link.next != &surface->queue) {
		merge_update(first, wl_container_of(first->link.next, first, link));
	}
	while (!wl_list_empty(&first->blockers)) {
		struct blocker *blocker = wl_container_of(first->blockers.next, blocker, link);
		destroy_blocker(blocker);
	}
	first->state.fields &= ~(uint32_t)(SURFACE_WAIT_BARRIER | SURFACE_NOT_BEFORE);
}

void update_commit(struct surface *surface)
{
	struct update *update = create_update(surface);
	bool overtakes = false;
	surface_state_merge(&update->state, &surface->pending);
	subsurface_take_along(update);
	if (update->state.fields & SURFACE_BUFFER) {
		if (!update->state.buffer) {
			overtakes = overtakes_queue(update);
		} else {
			update_wait_for_memory(update);
			if (!(update->state.fields & SURFACE_EXPLICIT_SYNC)) {
				wait_for_fences(update);
			}
		}
	}
	signal_emit(&surface->events.commit, update);
	enqueue(update);
	if (overtakes) {
		unblock_queue(surface);
	}
	run_queue(surface);
}

void update_queue_release(struct surface *surface, bool taken)
{
	struct surface *parent = NULL;
	struct update *update;
	wl_list_for_each (update, &surface->queue, link) {
		if (update->parent && taken) {
			parent = update->parent->surface;
			wl_list_remove(&update->parent_link);
			wl_list_init(&update->parent_link);
			update->parent = NULL;
		}
		if (!update->parent) {
			update->sync = false;
		}
	}
	run_queue(surface);
	if (parent) {
		run_queue(parent);
	}
}

void update_queue_finish(struct surface *surface)
{
	struct update *update, *next;
	wl_list_for_each_safe (update, next, &surface->queue, link) {
		struct blocker *blocker, *next_blocker;
		wl_list_for_each_safe (blocker, next_blocker, &update->blockers, link) {
			destroy_blocker(blocker);
		}
		assert(wl_list_empty(&update->children));
		leave_queue(update);
		account_uncharge(update->state.account, ACCOUNT_BYTES, COMMITTED_BYTES);
		free_update(update);
	}
	wl_list_for_each_safe (update, next, &surface->spares, link) {
		free_update(update);
	}
	wl_list_remove(&surface->run_link);
	wl_list_init(&surface->run_link);
}

/* Blockers */

void blocker_init(struct blocker *blocker, const struct blocker_impl *impl, struct update *update,
	uint32_t fields)
{
	*blocker = (struct blocker){.impl = impl, .update = update, .fields = fields};
	wl_list_insert(update->blockers.prev, &blocker->link);
}

void blocker_clear(struct blocker *blocker)
{
	struct update *update = blocker->update;
	destroy_blocker(blocker);
	if (wl_list_empty(&update->blockers)) {
		run_queue(update->surface);
	}
}

static void inherit_content(struct surface_state *state, const struct surface_state *before)
{
	state->has_content = before->has_content;
	state->opaque_buffer = before->opaque_buffer;
	state->buffer_width = before->buffer_width;
	state->buffer_height = before->buffer_height;
	surface_state_derive(state);
}

/*
 * The buffer is unusable: keep the previous content, for this update and for later ones that attach
 * no buffer.
 */
void update_lose_buffer(struct update *update, const char *why)
{
	struct surface *surface = update->surface;
	struct surface_state *state = &update->state;
	bool queued = !wl_list_empty(&update->link);
	struct wl_list *before = queued ? update->link.prev : surface->queue.prev;
	struct wl_list *after = queued ? update->link.next : &surface->queue;
	struct update *at;
	if (!(state->fields & SURFACE_BUFFER)) {
		return;
	}
	log_debug(LOG_SURFACE, "content update lost its buffer: %s", why);
	buffer_replace(&state->buffer, NULL);
	state->fields &= ~(uint32_t)(SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE | SURFACE_FEEDBACK);
	surface_state_discard_feedback(state);

	struct surface_state *next = &surface->pending;
	if (after != &surface->queue) {
		at = wl_container_of(after, at, link);
		next = &at->state;
	}
	pixman_region32_union(&next->buffer_damage, &next->buffer_damage, &state->buffer_damage);
	next->fields |= SURFACE_BUFFER_DAMAGE;
	pixman_region32_clear(&state->buffer_damage);

	const struct surface_state *source = &surface->current;
	if (before != &surface->queue) {
		at = wl_container_of(before, at, link);
		source = &at->state;
	}
	inherit_content(state, source);
	for (; after != &surface->queue; after = after->next) {
		at = wl_container_of(after, at, link);
		if (at->state.fields & SURFACE_BUFFER) {
			return;
		}
		inherit_content(&at->state, state);
	}
	if (!(surface->pending.fields & SURFACE_BUFFER)) {
		surface->pending.has_content = state->has_content;
		surface->pending.opaque_buffer = state->opaque_buffer;
		surface->pending.buffer_width = state->buffer_width;
		surface->pending.buffer_height = state->buffer_height;
	}
}

/* Blocker that waits for a file descriptor. */
struct fd_blocker {
	struct blocker base;
	struct fd_watch watch;
	struct account *account; /* charged for the descriptor */
	int fd;
	struct buffer *buffer; /* locked owner of `fd`; NULL if the blocker owns it */
};

/* Unlocks `buffer`, which owns `fd`; if NULL, closes `fd`. */
static void drop_fd(int fd, struct buffer *buffer)
{
	if (buffer) {
		buffer_unlock(buffer);
	} else {
		close(fd);
	}
}

static void destroy_fd_blocker(struct blocker *base)
{
	struct fd_blocker *blocker = wl_container_of(base, blocker, base);
	fd_watch_stop(&blocker->watch);
	drop_fd(blocker->fd, blocker->buffer);
	account_uncharge(blocker->account, ACCOUNT_DESCRIPTORS, 1);
	free(blocker);
}

static const struct blocker_impl fd_blocker_impl = {.destroy = destroy_fd_blocker};

static void check_fence(struct update *update, int fd)
{
	if (fence_status(fd) < 0) {
		update_lose_buffer(update, "its fence signalled an error");
	}
}

static void handle_fd(void *data)
{
	struct fd_blocker *blocker = data;
	check_fence(blocker->base.update, blocker->fd);
	blocker_clear(&blocker->base);
}

static bool wait_fd(struct update *update, int fd, struct buffer *buffer)
{
	struct surface *surface = update->surface;
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	int n = poll(&poll_fd, 1, 0);
	if (buffer) {
		buffer_lock(buffer);
	}
	if (n > 0) {
		bool valid = !(poll_fd.revents & POLLNVAL);
		if (valid) {
			check_fence(update, fd);
		} else {
			update_lose_buffer(update, "its fence is not an open descriptor");
		}
		drop_fd(fd, buffer);
		return valid;
	}
	struct fd_blocker *blocker = xcalloc(1, sizeof(*blocker));
	blocker->fd = fd;
	blocker->buffer = buffer;
	blocker->account = surface_account(update->surface);
	account_charge(blocker->account, ACCOUNT_DESCRIPTORS, 1);
	blocker_init(&blocker->base, &fd_blocker_impl, update, SURFACE_BUFFER);
	fd_watch_start(&blocker->watch, surface->loop, surface->clock, fd, handle_fd, blocker);
	return true;
}

bool update_wait_fd(struct update *update, int fd)
{
	return wait_fd(update, fd, NULL);
}
