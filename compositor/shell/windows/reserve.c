/* SPDX-License-Identifier: MIT */
/* Space that windows reserve at the edges of their outputs: panels of X programs. */

#include "shell/geometry/private.h"
#include "windows.h"

/* A window may have at most half of its output. */
static int limit(int space, int extent)
{
	return space < 0 ? 0 : space > extent / 2 ? extent / 2 : space;
}

static int later(int a, int b)
{
	return a > b ? a : b;
}

void reserve_exclude(struct shell *shell, const struct scene_output *output, struct box *usable)
{
	const struct box box = scene_output_box(output);
	const struct window *window;
	if (shell->private->n_reserving == 0) {
		return;
	}
	wl_list_for_each (window, &shell->windows, link) {
		const struct frame_extents *space = &window->private->reserved;
		if (!window->private->reserves || window->minimized ||
			window_output(window) != output) {
			continue;
		}
		const int right = usable->x + usable->width, bottom = usable->y + usable->height;
		const int most_right = box.x + box.width - limit(space->right, box.width);
		const int most_bottom = box.y + box.height - limit(space->bottom, box.height);
		usable->x = later(usable->x, box.x + limit(space->left, box.width));
		usable->y = later(usable->y, box.y + limit(space->top, box.height));
		usable->width = (right < most_right ? right : most_right) - usable->x;
		usable->height = (bottom < most_bottom ? bottom : most_bottom) - usable->y;
	}
	usable->width = later(usable->width, 0);
	usable->height = later(usable->height, 0);
}

void window_reserve(struct window *window, const struct frame_extents *space)
{
	struct window_private *own = window->private;
	struct shell *shell = window->shell;
	const bool reserves = space->top || space->right || space->bottom || space->left;
	const struct frame_extents *old = &own->reserved;
	if (space->top == old->top && space->right == old->right && space->bottom == old->bottom &&
		space->left == old->left) {
		return;
	}
	shell->private->n_reserving += reserves - own->reserves;
	own->reserved = *space;
	own->reserves = reserves;
	signal_emit(&shell->events.reserved, window);
}
