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

static double area_of(const struct box *box)
{
	return (double)box->width * box->height;
}

/*
 * Returns true if enough is seen of a window with this outer box: a part of it, or of as much as
 * fits the area. `others`: outputs besides `output` show it as well.
 */
static bool is_seen(const struct window *window, const struct scene_output *output,
	const struct box *outer, bool others)
{
	const struct box area = find_area(window, output);
	const struct box most = {0, 0, outer->width < area.width ? outer->width : area.width,
		outer->height < area.height ? outer->height : area.height};
	double seen = 0;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *each = window->shell->scene->outputs[i];
		if (each && (others || each == output)) {
			const struct box on = find_area(window, each);
			struct box common;
			seen += box_intersect(&common, outer, &on) ? area_of(&common) : 0;
		}
	}
	return seen >= area_of(&most) * WINDOW_FIT_PART;
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
		   is_reachable_beside(window, output, &outer) &&
		   (fit != WINDOW_FIT_RETURNED || is_seen(window, output, &outer, true))) {
		return *box; /* the window lies across two outputs */
	}
	const struct box wanted = outer;
	placement_keep_reachable(&area, &outer);
	if (fit == WINDOW_FIT_WHOLE || fit == WINDOW_FIT_INSIDE ||
		(fit == WINDOW_FIT_SHOWN && !box_equal(&outer, &wanted)) ||
		(fit == WINDOW_FIT_RETURNED &&
			(!box_equal(&outer, &wanted) ||
				!is_seen(window, output, &outer, output == nearest)))) {
		placement_show(&area, &outer);
	}
	return (struct box){outer.x + frame.left, outer.y + frame.top, outer.width - across,
		outer.height - along};
}

enum window_fit window_fit_back(const struct window *window, const struct box *box)
{
	return box->x == window->x && box->y == window->y ? WINDOW_FIT_SHOWN : WINDOW_FIT_RETURNED;
}
