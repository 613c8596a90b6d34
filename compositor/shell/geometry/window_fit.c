/* SPDX-License-Identifier: MIT */
/*
 * Places of floating windows: moved to where the title bar can be reached, or into the usable area.
 */

#include "window_fit.h"
#include "facts.h"
#include "placement.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"

static int limit(int size, int least, int most)
{
	size = size > most ? most : size;
	return size > least ? size : least;
}

/*
 * Returns the area that shows the window: without panels, unless it is one or they leave nothing.
 */
static struct box find_area(const struct window *window, const struct scene_output *output)
{
	const struct box area = shell_usable(window->shell, output);
	return window->private->dock || box_empty(&area) ? scene_output_box(output) : area;
}

/*
 * Returns true if the title bar of a window with this outer box can be reached on another output.
 */
static bool is_reachable_beside(
	const struct window *window, const struct scene_output *output, const struct box *outer)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *other = window->shell->scene->outputs[i];
		if (other && other != output) {
			const struct box area = find_area(window, other);
			struct box box = *outer;
			placement_keep_reachable(&area, &box);
			if (box_equal(&box, outer)) {
				return true;
			}
		}
	}
	return false;
}

/* Returns the output for a box: on a hidden workspace, a window cannot move to another one. */
static const struct scene_output *choose_output(
	const struct window *window, const struct scene_output *nearest)
{
	const struct workspace *workspace = window->workspace;
	return workspace && !workspace->shown && workspace->output ? workspace->output : nearest;
}

struct box window_fit(const struct window *window, const struct scene_output *output,
	const struct box *box, enum window_fit fit)
{
	const struct window_private *own = window->private;
	const struct scene_output *nearest = shell_nearest_output(window->shell, box);
	output = output ? output : choose_output(window, nearest);
	if (!output) {
		return *box;
	}
	const struct box area = find_area(window, output);
	const struct frame_extents frame = window_outer_extents(window);
	const int across = frame.left + frame.right, along = frame.top + frame.bottom;
	struct box outer = {coord_sum(box->x, -frame.left), coord_sum(box->y, -frame.top),
		coord_sum(box->width, across), coord_sum(box->height, along)};
	if (fit == WINDOW_FIT_WHOLE) {
		const int least_width = own->limits.min_width > 1 ? own->limits.min_width : 1;
		const int least_height = own->limits.min_height > 1 ? own->limits.min_height : 1;
		outer.width = limit(area.width, coord_sum(least_width, across), outer.width);
		outer.height = limit(area.height, coord_sum(least_height, along), outer.height);
	} else if (fit != WINDOW_FIT_INSIDE && output == nearest &&
		   is_reachable_beside(window, output, &outer)) {
		return *box; /* the window lies across two outputs */
	}
	const struct box wanted = outer;
	placement_keep_reachable(&area, &outer);
	if (fit == WINDOW_FIT_WHOLE || fit == WINDOW_FIT_INSIDE ||
		(fit == WINDOW_FIT_SHOWN && !box_equal(&outer, &wanted))) {
		placement_show(&area, &outer);
	}
	return (struct box){outer.x + frame.left, outer.y + frame.top, outer.width - across,
		outer.height - along};
}
