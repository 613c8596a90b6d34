#pragma once

/** What the files of ext_session_lock_v1 share. */

#include "protocol.h"
#include "surface/surface.h"

struct scene_output;

struct session_lock_manager {
	struct protocols *protocols;
	/** Who may unlock; NULL: nobody, though the session may be locked. */
	struct session_lock *holder;
	struct wl_list surfaces; /* lock_surface.link, of all locks, oldest first */
	struct wl_list waits; /* session_lock_outputs.c: outputs whose next frame is awaited */
	struct wl_listener output_removed, layout_changed, press, redraw, destroy;
};

struct session_lock {
	struct session_lock_manager *manager;
	struct wl_resource *resource;
	bool locked; /* was sent */
};

/* session_lock.c */
/** All outputs show the locked picture: the holder hears of it. */
void session_lock_settled(struct session_lock_manager *manager);

/* session_lock_outputs.c */
/** Calls session_lock_settled() when each output has shown a picture that is made from now on. */
void session_lock_await_outputs(struct session_lock_manager *manager);
void session_lock_stop_waiting(struct session_lock_manager *manager);

/* session_lock_surface.c */
void lock_surface_create(struct session_lock *lock, uint32_t id,
	struct wl_resource *surface_resource, struct wl_resource *output_resource);
/** The lock is gone: its surfaces show no more. */
void lock_surfaces_orphan(struct session_lock *lock);
/** The output is gone. */
void lock_surfaces_forget_output(
	struct session_lock_manager *manager, const struct scene_output *output);
/** Outputs lie or look different. */
void lock_surfaces_arrange(struct session_lock_manager *manager);
/** Those whose pixels are on no device any more are to draw them again. */
void lock_surfaces_redraw(struct session_lock_manager *manager);
/** The user pressed on this surface (or NULL): if it is one of the lock's, it has the keyboard. */
void lock_surfaces_press(struct session_lock_manager *manager, struct surface *surface);
