#pragma once

/** What the files of surface/ share. */

#include "surface/surface.h"

struct update;

/** state.c */
void surface_state_discard_feedback(struct surface_state *state);

/** extension.c: one slot of surface_state.extensions. */
void surface_state_merge_extension(struct surface_state *to, struct surface_state *from, int index);
void surface_state_drop_extension(struct surface_state *state, int index);

/** subsurface.c: places in the current state took effect. */
void subsurface_children_placed(struct surface *surface);
/** subsurface.c: the surface has queued an update that waits for its parent's. */
void subsurface_hold(struct subsurface *subsurface);
/** subsurface.c: takes along what the children of the update's surface hold for their parent. */
void subsurface_take_along(struct update *update);

/** barrier.c: the update is about to apply; a blocker if the barrier is in its way. */
void barrier_hold(struct update *update);

/** transaction.c: makes an update of the pending state, queues it and applies what can be. */
void update_commit(struct surface *surface);
/** `parent` applies together with `child`, which no update took along before. */
void update_take_along(struct update *parent, struct update *child);
/**
 * Nothing in the queue waits for a parent any more. With `taken`, not even what a parent's update
 * took along; else only what none did.
 */
void update_queue_release(struct surface *surface, bool taken);
