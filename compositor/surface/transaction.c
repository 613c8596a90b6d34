/* SPDX-License-Identifier: MIT */
/* Content updates: their commit and application as trees of surfaces. */

#include "surface/transaction.h"
#include "buffer/shm.h"
#include "surface/internal.h"
#include "surface/subsurface.h"
#include "util/account.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/list.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

static void run_queue(struct surface *surface);

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
		update->run = run_queue;
		surface_state_init(&update->state);
		update->state.account = surface_account(surface);
		account_charge(update->state.account, ACCOUNT_BYTES, UPDATE_BYTES);
		list_init(&update->blockers);
		list_init(&update->children);
		list_init(&update->parent_link);
	}
	list_init(&update->link);
	account_charge(update->state.account, ACCOUNT_BYTES, UPDATE_COMMITTED_BYTES);
	update->sync = surface->subsurface && subsurface_is_sync(surface->subsurface);
	return update;
}

static void enqueue(struct update *update)
{
	struct surface *surface = update->surface;
	struct update *last = wl_container_of(surface->queue.prev, last, link);
	bool merge = false;
	if (update->sync) {
		subsurface_hold(surface->subsurface);
		merge = !list_is_empty(&surface->queue) && last->sync && !last->parent;
	} else {
		merge = surface->n_queued >= UPDATE_QUEUE_MAX;
	}
	if (merge) {
		update_merge(last, update);
	} else {
		wl_list_insert(surface->queue.prev, &update->link);
		surface->n_queued++;
	}
}

/* Application */

bool update_is_ready(const struct update *update)
{
	const struct surface *surface = update->surface;
	if (surface->queue.next != &update->link || surface->applying ||
		!list_is_empty(&update->blockers)) {
		return false;
	}
	const struct update *child;
	wl_list_for_each (child, &update->children, parent_link) {
		if (!update_is_ready(child)) {
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
	if (update->state.buffer && update->state.buffer->home) {
		signal_emit(&update->surface->events.ready_homed, update);
	}
	signal_emit(&update->surface->events.ready, update);
}

/* Merges children first. Adds the surfaces to `merged`. */
static void merge_into_current(struct update *update, struct wl_list *merged)
{
	while (!list_is_empty(&update->children)) {
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
	update_recycle(update);
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
	list_init(&merged);
	merge_into_current(root, &merged);
	while (!list_is_empty(&merged)) {
		struct surface *surface = wl_container_of(merged.next, surface, run_link);
		emit_applied(surface);
		wl_list_remove(&surface->run_link);
		list_init(&surface->run_link);
		if (!list_is_empty(&surface->queue)) {
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
	if (!list_is_empty(&surface->run_link)) {
		return; /* the loop below, further up the stack, will examine it */
	}
	list_init(&work);
	wl_list_insert(&work, &surface->run_link);
	while (!list_is_empty(&work)) {
		surface = wl_container_of(work.next, surface, run_link);
		wl_list_remove(&surface->run_link);
		list_init(&surface->run_link);
		if (list_is_empty(&surface->queue)) {
			continue;
		}
		struct update *root = wl_container_of(surface->queue.next, root, link);
		while (root->parent) {
			root = root->parent;
		}
		if (root->sync || !update_is_ready(root)) {
			continue;
		}
		emit_ready(root);
		if (update_is_ready(root)) {
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
		update_merge(first, wl_container_of(first->link.next, first, link));
	}
	while (!list_is_empty(&first->blockers)) {
		struct blocker *blocker = wl_container_of(first->blockers.next, blocker, link);
		blocker_destroy(blocker);
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
	bool queued = !list_is_empty(&update->link);
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
	buffer_lock(buffer);
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
