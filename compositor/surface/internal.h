/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions shared by the files of surface/. */

#include "surface/surface.h"

struct blocker;
struct update;

/** state.c */
void surface_state_discard_feedback(struct surface_state *state);

/** extension.c: one slot of surface_state.extensions. */
void surface_state_merge_extension(struct surface_state *to, struct surface_state *from, int index);
void surface_state_drop_extension(struct surface_state *state, int index);

/**
 * subsurface.c: the current state of `surface` has a new order or new positions of its children.
 */
void subsurface_children_placed(struct surface *surface);
/** subsurface.c: notes that the subsurface has queued an update that waits for its parent's. */
void subsurface_hold(struct subsurface *subsurface);
/** subsurface.c: adds the updates that children hold for their parent to the parent's `update`. */
void subsurface_take_along(struct update *update);

/** buffer_wait.c: blocks an update whose buffer or pool of shared memory is pending. */
void update_wait_for_memory(struct update *update);

/** barrier.c: adds a blocker to an update, about to apply, that must wait for the barrier. */
void barrier_hold(struct update *update);

/**
 * transaction.c: turns the pending state into an update, queues it and applies all updates that are
 * ready.
 */
void update_commit(struct surface *surface);

/** update.c */
/** Bytes charged for an update, queued or recycled: its state, including extensions. */
#define UPDATE_BYTES 1024
/**
 * Bytes charged from an update's commit until it applies: the maximum of damage, and a callback.
 */
#define UPDATE_COMMITTED_BYTES 2048
/** Takes the update, whose state was merged into another, out of its queue for reuse. */
void update_recycle(struct update *update);
/** Merges `from` into `to`, its immediate predecessor. */
void update_merge(struct update *to, struct update *from);
/** Removes the blocker from its update, which is not applied. */
void blocker_destroy(struct blocker *blocker);
/** Makes `child`, which belongs to no update so far, apply together with `parent`. */
void update_take_along(struct update *parent, struct update *child);
/**
 * Stops waiting for the parent in all queued updates; with `taken`, also in those that an update of
 * the parent took along.
 */
void update_queue_release(struct surface *surface, bool taken);
