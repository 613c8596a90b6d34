#pragma once

/**
 * Content updates and what holds them back.
 *
 * An update applies when it is first in its surface's queue, has no blockers, and so have all the
 * updates of synchronised subsurfaces that it took along (those apply with it, atomically). Updates
 * of a synchronised subsurface that no parent took along yet are merged into one, so a client that
 * commits a child for ever costs no memory. At most UPDATE_QUEUE_MAX updates wait per surface; what
 * comes beyond is merged into the last of them.
 */

#include "surface/surface.h"

#define UPDATE_QUEUE_MAX 32

struct update {
	struct surface *surface;
	struct surface_state state;
	struct wl_list link; /* surface.queue */
	struct wl_list blockers; /* blocker.link */
	/** Updates of synchronised children that apply with this one. */
	struct wl_list children; /* update.parent_link */
	struct wl_list parent_link;
	struct update *parent; /* that took it along; NULL: none yet, or not synchronised */
	bool sync;
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
	struct wl_list link;
};

void blocker_init(struct blocker *blocker, const struct blocker_impl *impl, struct update *update);
/** What it waited for has come; applies what can be applied. Calls destroy. */
void blocker_clear(struct blocker *blocker);

/**
 * Blocks `update` until `fd` polls readable (a sync_file; or a dma-buf, for which `events` says
 * WL_EVENT_READABLE for a reader). Takes the fd over. If it is readable already, does nothing.
 * Returns false when the fd cannot be waited for (it is closed, the update is not blocked).
 */
bool update_wait_fd(struct update *update, int fd, uint32_t events);

/** For surface.c. */
void update_queue_finish(struct surface *surface);
