/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Content updates: queueing, blockers, and atomic application of surface trees.
 *
 * An update is ready if it is first in its surface's queue, has no blockers, and all the updates of
 * synchronised subsurfaces that it took along are ready too. The whole tree applies together: first
 * all states are merged into the current ones, then roles and listeners are notified, children
 * before parents. So every listener sees a consistent tree. An update that was taken along stays
 * with its parent's even if the child leaves sync mode.
 *
 * Merging bounds the queues. Updates of a synchronised subsurface that are not yet taken along by a
 * parent are merged into one. At most UPDATE_QUEUE_MAX updates wait per surface, and as many again
 * that parents took along; further ones are merged into the last. If the newer update replaces
 * everything that a blocker guards (blocker.fields), the merge destroys that blocker; other
 * blockers move to the merged update.
 *
 * An update that removes the content, without a time or barrier of its own, applies at once:
 * all earlier updates of the queue are merged with it, and the blockers of all are destroyed.
 * Updates of subsurfaces still wait.
 */

#include "surface/surface.h"

#define UPDATE_QUEUE_MAX 32

struct update {
	struct surface *surface;
	struct surface_state state;
	struct wl_list link; /* surface.queue */
	struct wl_list blockers; /* blocker.link */
	/** Updates of synchronised children that apply with this one; at most one per child. */
	struct wl_list children; /* update.parent_link */
	struct wl_list parent_link;
	/** Update that took this one along; NULL if none yet, or not synchronised. */
	struct update *parent;
	/** Applies the updates of a surface that are ready, after a change of this one. */
	void (*run)(struct surface *surface);
	bool sync; /* waits to be taken along by an update of the parent */
};

struct blocker;

struct blocker_impl {
	/** Mandatory. Frees the blocker: it was cleared, or its update was merged or destroyed. */
	void (*destroy)(struct blocker *blocker);
};

/** Embedded in a reason to wait: a fence, a fifo barrier, a time. */
struct blocker {
	const struct blocker_impl *impl;
	struct update *update;
	/**
	 * enum surface_field: the fields that it guards; 0 for fifo and time, which later updates
	 * cannot replace.
	 */
	uint32_t fields;
	struct wl_list link;
};

void blocker_init(struct blocker *blocker, const struct blocker_impl *impl, struct update *update,
	uint32_t fields);
/** Destroys the blocker, because its condition is met, and applies all updates that are ready. */
void blocker_clear(struct blocker *blocker);

/**
 * Merges the updates queued behind `update` into it, as far as they could apply right after it:
 * their intermediate states would never be visible. Call it for an update that is ready or waits
 * for its own blockers only.
 */
void update_absorb(struct update *update);

/**
 * Blocks `update` until `fd` (a sync_file) polls readable; the blocker guards the buffer. Takes
 * ownership of `fd`. Does nothing if it is already readable. While the event loop has no descriptor
 * left to watch it, `fd` is polled. Returns false if `fd` is not an open descriptor; the update
 * then loses its buffer.
 *
 * A fence that ended in an error (fence_status() below 0) counts as signalled, but the update loses
 * its buffer, damage and feedback, and the rest of it applies. The damage moves to the next update,
 * since a later buffer differs there from the visible content.
 */
bool update_wait_fd(struct update *update, int fd);

/**
 * Removes buffer, damage and feedback from the update, as after a failed fence: for fences that
 * cannot be waited for. The previous content stays. `why` is logged.
 */
void update_lose_buffer(struct update *update, const char *why);

/**
 * Returns whether neither the update nor its children wait for blockers. For listeners of
 * surface.events.ready, because one that comes before may block the update again.
 */
bool update_is_ready(const struct update *update);

/** Destroys all updates, queued or recycled. For surface.c. */
void update_queue_finish(struct surface *surface);
