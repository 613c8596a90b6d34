#pragma once

/**
 * Content updates and what holds them back.
 *
 * An update applies when it is first in its surface's queue and has no blockers, and so it is,
 * recursively, with all the updates of synchronised subsurfaces that it took along. They apply
 * together: first all states are merged into current, then roles and listeners hear of it, children
 * before parents, so nobody sees half of a tree. What was taken along stays so when the child leaves
 * sync mode meanwhile.
 *
 * Merging bounds what waits. Updates of a synchronised subsurface that no parent took along yet are
 * merged into one. At most UPDATE_QUEUE_MAX updates wait per surface, and as many again that parents
 * took along; what comes beyond is merged into the last of them. A blocker that waits for something that the newer update replaces
 * (blocker.fields) is destroyed in the merge; others move to the merged update.
 *
 * An update that takes the content away (and asks for no time or barrier itself) passes by what waits: all of
 * the queue is merged into it and its blockers are destroyed. Not so for subsurfaces, nor for what the update
 * took along.
 */

#include "surface/surface.h"

#define UPDATE_QUEUE_MAX 32

struct update {
	struct surface *surface;
	struct surface_state state;
	struct wl_list link; /* surface.queue */
	struct wl_list blockers; /* blocker.link */
	/** Updates of synchronised children that apply with this one, one per child at most. */
	struct wl_list children; /* update.parent_link */
	struct wl_list parent_link;
	struct update *parent; /* that took it along; NULL: none yet, or not synchronised */
	bool sync; /* waits for a parent to take it along */
};

struct blocker;

struct blocker_impl {
	/** Mandatory. The update applied without it or went away: free it. */
	void (*destroy)(struct blocker *blocker);
};

/** Embedded in what waits: a fence, a fifo barrier, a time. */
struct blocker {
	const struct blocker_impl *impl;
	struct update *update;
	/** enum surface_field: what it guards; 0 for fifo and time, which nothing replaces. */
	uint32_t fields;
	struct wl_list link;
};

void blocker_init(struct blocker *blocker, const struct blocker_impl *impl, struct update *update,
	uint32_t fields);
/** What it waited for has come; applies what can be applied. Calls destroy. */
void blocker_clear(struct blocker *blocker);

/**
 * Merges into an update that is ready, or would be but for its blockers, what follows it in its queue and
 * could apply right after it: nobody would see what lies between.
 */
void update_absorb(struct update *update);

/**
 * Blocks `update`'s buffer until `fd` (a sync_file) polls readable. Takes the fd over. If it is readable
 * already, does nothing. Where the event loop has no descriptor left to watch it, the fd is polled until it has.
 * Returns false when `fd` is no open descriptor: the update then loses its buffer.
 *
 * A fence that ended in an error (fence_status() below 0) counts as signalled, but what it guarded is
 * not shown: the update loses its buffer, damage and feedback, and the rest of it applies. The damage
 * goes to the next update, since a later buffer differs there from what is shown.
 */
bool update_wait_fd(struct update *update, int fd);

/**
 * Takes from the update its buffer, damage and feedback, as after a broken fence: for a fence that can never be
 * waited for. `why` is for the log.
 */
void update_lose_buffer(struct update *update, const char *why);

/** For surface.c. */
void update_queue_finish(struct surface *surface);
