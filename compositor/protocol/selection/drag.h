/* SPDX-License-Identifier: MIT */
#pragma once

/** A drag in progress: state shared by its files, and by drags of X programs. */

#include "data_device.h"
#include "seat/seat.h"

struct x_drag_source;

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
/** Starts the grabs of a Wayland client's drag; `point` NULL: the pointer moves it. */
void drag_start_grabs(struct drag *drag, struct seat_touch_point *point);
/** Moves the drag. `moved` false: only the surface under it may have changed. */
void drag_move(struct drag *drag, struct coord_global at, int64_t time, bool moved);
/** Negotiates the action again, after a change of modifiers or of the source's actions. */
void drag_update_action(struct drag *drag);
/** Drops on the surface under the drag, or cancels the drag if it is unwanted there; frees it. */
void drag_drop(struct drag *drag);
