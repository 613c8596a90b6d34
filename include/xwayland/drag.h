/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Drag and drop between X servers and everything else: the seam to protocol/. Types and data go by
 * xwayland/selection.h, as X_SELECTION_DRAG.
 */

#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>

struct seat_touch_point;
struct surface;
struct x_server;

/** As enum wl_data_device_manager_dnd_action. */
enum x_drag_action {
	X_DRAG_COPY = 1 << 0,
	X_DRAG_MOVE = 1 << 1,
	X_DRAG_ASK = 1 << 2,
};

/** Duties of window managers (x_server.wm). All functions are mandatory. */
struct x_drag_wm_impl {
	/** Handles a drag that enters a surface of this server, with these possible actions. */
	void (*enter)(void *wm, struct surface *surface, uint32_t actions);
	/**
	 * Moves it to a point of the surface, and suggests one of the possible actions, which may
	 * have changed since it entered.
	 */
	void (*motion)(void *wm, struct coord_surface at, uint32_t actions, uint32_t action);
	void (*leave)(void *wm);
	/** Drops it. x_drag_host.finished() follows, perhaps at once. */
	void (*drop)(void *wm);

	/** Covers the windows of this server while the drag of its program is elsewhere. */
	void (*cover)(void *wm, bool cover);
	/** Tells the dragging program whether a drop is accepted, and the action. */
	void (*answer)(void *wm, bool accepted, uint32_t action);
	/** Tells the program that the target has taken or refused its data. */
	void (*finish)(void *wm, bool accepted, uint32_t action);
	/** The pointer or touch point no longer moves the program's drag. */
	void (*end)(void *wm);
};

/** Duties of protocol/. All functions are mandatory. */
struct x_drag_host {
	void *data;
	/** Handles the target's answer. */
	void (*status)(void *data, struct x_server *server, bool accepted, uint32_t action);
	/** Handles that the target was told of the drop. */
	void (*dropped)(void *data, struct x_server *server);
	/** Ends the drag: the target has all data, or refuses it (`accepted` false). */
	void (*finished)(void *data, struct x_server *server, bool accepted, uint32_t action);

	/**
	 * Starts the drag of a program, for the touch point, or for the button (NULL) that is held
	 * on one of its windows. Returns false without such a button, during another drag, and
	 * while the session is locked.
	 */
	bool (*start)(void *data, struct x_server *server, const struct seat_touch_point *point);
	/** The program's drag has entered or left the cover. */
	void (*hover)(void *data, struct x_server *server, bool inside);
	/** Sets the actions that the program allows. */
	void (*suggest)(void *data, struct x_server *server, uint32_t actions);
	/** The program drops on the cover. x_drag_wm_impl.finish() follows, perhaps at once. */
	void (*release)(void *data, struct x_server *server);
};
