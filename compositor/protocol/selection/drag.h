/* SPDX-License-Identifier: MIT */
#pragma once

/** A drag in progress: state shared by its files, and by drags of X programs. */

#include "data_device.h"
#include "seat/seat.h"

struct x_drag;
struct x_drag_source;

/** Drags of X programs, and over windows of X servers. All functions are mandatory. */
struct drag_x_impl {
	/**
	 * Enters a surface with the data of another program. Returns false if the surface does not
	 * belong to an X server.
	 */
	bool (*enter)(struct x_drag *x, struct data_source *data, struct surface *surface,
		struct coord_surface at, uint32_t action);
	void (*motion)(struct x_drag *x, struct coord_surface at, uint32_t action);
	void (*leave)(struct x_drag *x);
	/** Drops the data; from now on, its source ends the drag. */
	void (*drop)(struct x_drag *x);
	/** Returns whether a drag of an X program may enter the surface, NULL for none. */
	bool (*reaches)(struct x_drag_source *source, const struct surface *surface);
	/** Handles the end of an X program's drag; data may still be read after a drop. */
	void (*end)(struct x_drag_source *source);
};

struct drag {
	struct data_manager *manager;
	struct seat *seat;
	struct wl_client *client; /* that started the drag */
	struct data_source *source; /* NULL: the client transfers its data internally */
	struct x_drag_source
		*x_source; /* the same source of an X program; NULL: of a Wayland client */
	struct surface *focus; /* surface under the drag; NULL: none that could take it */
	bool x_target; /* the focus belongs to an X server */
	struct wl_list offers; /* selection_offer.link; of the focused client */
	struct pointer_grab pointer_grab;
	struct keyboard_grab keyboard_grab;
	struct touch_grab touch_grab;
	bool touch;
	int32_t touch_id;
	struct coord_global at;
	bool ended;

	struct surface *icon; /* NULL: none, or destroyed */
	struct scene_tree *icon_tree; /* at the drag's position; contains the surface's tree */
	int icon_x, icon_y; /* offset of the icon from the pointer */

	struct wl_listener source_destroy, client_destroy, icon_applied, icon_destroy,
		focus_destroy, focus_unmap;
};

/** Creates a drag at the pointer, without grabs. */
struct drag *drag_create(
	struct data_manager *manager, struct wl_client *client, struct data_source *source);
/** Shows the icon at the drag's position; its role was already checked. */
void drag_add_icon(struct drag *drag, struct surface *icon);
/** Moves the drag. `moved` false: only the surface under it may have changed. */
void drag_move(struct drag *drag, struct coord_global at, int64_t time, bool moved);
/** Negotiates the action again, after a change of modifiers or of the source's actions. */
void drag_update_action(struct drag *drag);
/** Drops on the surface under the drag, or cancels the drag if it is unwanted there; frees it. */
void drag_drop(struct drag *drag);
/** Grabs the touch point, or the pointer if `point` is NULL. Defined in drag_grab.c. */
void drag_start_grab(struct drag *drag, const struct seat_touch_point *point,
	const struct pointer_grab_impl *pointer, const struct touch_grab_impl *touch);
/** Cancel the drag of a grab. */
void drag_handle_pointer_end(struct pointer_grab *grab);
void drag_handle_touch_end(struct touch_grab *grab);
