/* SPDX-License-Identifier: MIT */
#pragma once

/** State of wheels and gestures, for pointer_bindings.c and swipe.c. */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct shell;
struct workspace;

struct pointing {
	struct shell *shell;
	double turned[2]; /* since the last action, 1/120 of a detent, by enum wl_pointer_axis */
	uint32_t fingers; /* of the current gesture */
	double x, y; /* its motion, logical pixels */
	bool done; /* its action has run */
	/** swipe.c */
	struct wl_listener interrupt;
	struct workspace *dragged; /* by the fingers; NULL: none */
	bool vertical, drags_columns;
	double speed; /* of the fingers, logical pixels per second */
	int64_t moved; /* ns; time of the last event */
};
