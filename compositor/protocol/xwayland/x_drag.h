/* SPDX-License-Identifier: MIT */
#pragma once

/** Drags between X programs and other clients: interfaces to selection/drag.c. */

#include "protocol/selection/drag.h"
#include "xwayland/drag.h"
#include "xwayland/selection.h"

struct x_drag_source;

/** State at protocols->x_drag. */
struct x_drag {
	struct protocols *protocols;
	struct x_drag_host host;
	/** The drag over a surface of an X server, or dropped there and not finished. */
	struct x_server *target; /* NULL: none */
	struct data_source *data; /* NULL: no target */
	struct wl_listener data_destroy;
	struct x_drag_source *source; /* last drag of an X program; NULL: none */
	struct wl_listener destroy;
};

void x_drag_create(struct protocols *protocols);
/** Returns the data that programs of this server may read, or NULL. */
struct selection_source *x_drag_readable(const struct x_drag *x, const struct x_server *server);

/* x_drag_source.c */
/** Returns the window manager's functions if the X server has a window manager, else NULL. */
const struct x_drag_wm_impl *x_drag_wm(const struct x_drag *x, const struct x_server *server);
bool x_drag_source_start(
	struct x_drag *x, struct x_server *server, const struct seat_touch_point *point);
/** Sets the types of the server's drag. */
void x_drag_source_offer(
	struct x_drag *x, struct x_server *server, const char *const *types, int n);
void x_drag_source_hover(struct x_drag *x, struct x_server *server, bool inside);
void x_drag_source_suggest(struct x_drag *x, struct x_server *server, uint32_t actions);
void x_drag_source_release(struct x_drag *x, struct x_server *server);
/** Destroys the source, and cancels its drag. Accepts NULL. */
void x_drag_source_destroy(struct x_drag_source *source);
/** Returns the source if it is of this server, else NULL. */
struct x_drag_source *x_drag_source_of(const struct x_drag *x, const struct x_server *server);
/** Returns whether the drag may enter the surface, NULL for none, and covers X windows or not. */
bool x_drag_source_reaches(struct x_drag_source *source, const struct surface *surface);
/** Handles the end of the drag; data may still be read after a drop. */
void x_drag_source_end(struct x_drag_source *source);
