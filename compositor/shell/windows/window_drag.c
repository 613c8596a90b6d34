/* SPDX-License-Identifier: MIT */
/* Windows that move along with a drag and drop, such as a tab torn out of its window. */

#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "tiling.h"
#include "windows.h"
#include "workspaces.h"
#include <math.h>

/* Makes the window floating, at its own size. */
static void detach(struct window *window)
{
	tiling_update(window);
	if (window->states & WINDOW_FULLSCREEN) {
		window_request_fullscreen(window, false, NULL);
	}
	if (!window_floating(window)) {
		window_tile(window, 0);
	}
}

void window_drag_start(struct window *window, struct coord_global at, int x, int y)
{
	window->private->drag.active = true;
	window->private->drag.x = coord_clamp(x);
	window->private->drag.y = coord_clamp(y);
	window->tree->no_input = true;
	if (window->mapped) {
		signal_emit(&window->shell->events.interrupt, window);
		detach(window);
		window_restack(window);
		window_raise(window);
	}
	window_drag_move(window, at);
}

void window_drag_move(struct window *window, struct coord_global at)
{
	struct window_private *own = window->private;
	own->drag.at = at;
	if (!window->mapped || !window_floating(window)) {
		return;
	}
	int x = coord_sum((int)floor(at.x), -own->drag.x);
	int y = coord_sum((int)floor(at.y), -own->drag.y);
	if (x != window->x || y != window->y || own->target.pending) {
		window_move_to(window, x, y);
	} else {
		window_follow_output(window); /* another workspace may show there now */
	}
}

void window_drag_end(struct window *window)
{
	window->private->drag.active = false;
	window->tree->no_input = false;
	if (!window->mapped) {
		return;
	}
	window_restack(window);
	tiling_update(window);
	if (window_floating(window)) {
		window_follow_output(window);
		home_settle(window);
	}
}
