/* SPDX-License-Identifier: MIT */
/* Arithmetic of interactive resizing: sizes, anchors and cursors by edge. */

#include "placement.h"
#include "shell/geometry/private.h"
#include "shell/window.h"
#include "xdg-shell-protocol.h"
#include <math.h>

static int32_t limit(double size, int32_t least, int32_t most)
{
	int32_t value = size < 1 ? 1 : size > 1 << 20 ? 1 << 20 : (int32_t)lround(size);
	if (most > 0 && value > most) {
		value = most;
	}
	return value < least ? least : value;
}

void resize_size(const struct window *window, double dx, double dy, int32_t *width, int32_t *height)
{
	const struct window_private *own = window->private;
	double w = own->resize_from.width, h = own->resize_from.height;
	if (own->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_LEFT) {
		w -= dx;
	} else if (own->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_RIGHT) {
		w += dx;
	}
	if (own->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_TOP) {
		h -= dy;
	} else if (own->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM) {
		h += dy;
	}
	*width = limit(w, own->limits.min_width, own->limits.max_width);
	*height = limit(h, own->limits.min_height, own->limits.max_height);
	if (window->impl && window->impl->constrain) {
		window->impl->constrain(window, width, height);
	}
}

void resize_anchor(const struct window *window, int *x, int *y)
{
	const struct box *from = &window->private->resize_from;
	*x = from->x;
	*y = from->y;
	if (window->private->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_LEFT) {
		*x = from->x + from->width - window->geometry.width;
	}
	if (window->private->resize_edges & XDG_TOPLEVEL_RESIZE_EDGE_TOP) {
		*y = from->y + from->height - window->geometry.height;
	}
}

const char *resize_cursor(uint32_t edges)
{
	switch (edges) {
	case XDG_TOPLEVEL_RESIZE_EDGE_TOP: return "n-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM: return "s-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_LEFT: return "w-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_RIGHT: return "e-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_TOP_LEFT: return "nw-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_TOP_RIGHT: return "ne-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_LEFT: return "sw-resize";
	case XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT: return "se-resize";
	default: return "default";
	}
}
