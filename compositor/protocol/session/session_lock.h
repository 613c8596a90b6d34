/* SPDX-License-Identifier: MIT */
#pragma once

/** State shared by the files of ext_session_lock_v1. */

#include "protocol/protocol.h"
#include "surface/surface.h"

struct scene_output;

struct session_lock_manager {
	struct protocols *protocols;
	/**
	 * The lock that may unlock the session. NULL if it is gone, although the session may still
	 * be locked.
	 */
	struct session_lock *holder;
	struct wl_list surfaces; /* lock_surface.link, of all locks, oldest first */
	/** session_lock_outputs.c: outputs whose next frame is awaited. */
	struct wl_list waits;
	void (*presented)(struct session_lock_manager *manager);
	struct wl_listener output_removed, layout_changed, press, redraw, destroy;
};

struct session_lock {
	struct session_lock_manager *manager;
	struct wl_resource *resource;
	bool locked; /* the locked event was sent */
};

/**
 * Calls `presented` when each output has presented a frame that was started from now on. Defined
 * in session_lock_outputs.c.
 */
void session_lock_await_outputs(struct session_lock_manager *manager,
	void (*presented)(struct session_lock_manager *manager));
void session_lock_stop_waiting(struct session_lock_manager *manager);

/* The following are defined in session_lock_surface.c. */
void lock_surface_create(struct session_lock *lock, uint32_t id,
	struct wl_resource *surface_resource, struct wl_resource *output_resource);
/** Hides the lock's surfaces, because the lock is gone. */
void lock_surfaces_orphan(struct session_lock *lock);
/** Detaches lock surfaces from an output that is gone. */
void lock_surfaces_forget_output(
	struct session_lock_manager *manager, const struct scene_output *output);
/** Updates positions and sizes after a change of the outputs. */
void lock_surfaces_arrange(struct session_lock_manager *manager);
/** Asks clients whose surface textures were lost to redraw. */
void lock_surfaces_redraw(struct session_lock_manager *manager);
/** Gives the keyboard to `surface` after a press on it, if it is a lock surface. NULL is legal. */
void lock_surfaces_press(struct session_lock_manager *manager, struct surface *surface);
