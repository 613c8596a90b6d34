/* SPDX-License-Identifier: MIT */
/*
 * Drags of tiled windows by pointer or touch: to another place in the columns, and of the edges
 * between windows.
 */

#include "input.h"
#include "press_grab.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/look/look.h"
#include "shell/windows/tiling.h"
#include "shell/windows/workspaces.h"
#include "util/xalloc.h"
#include "xdg-shell-protocol.h"
#include <math.h>
#include <stdlib.h>

/** Part of a tile at its left and right edge where a dropped window gets a column of its own. */
#define SIDE 0.25
/** Distance from which a press counts as a drag, logical pixels. */
#define THRESHOLD 8.0

struct tile_grab {
	struct press_grab press;
	struct shell *shell;
	struct window *window;
	uint32_t edges; /* of a resize; 0: a move */
	struct coord_global start;
	struct coord_global last; /* start of a move; of a resize, the part that was applied */
	bool moved;
	struct scene_rect *hint;
	struct wl_listener interrupt;
};

/* Place for a dropped window: on one side of another one. */
struct drop {
	struct workspace *workspace;
	struct window *beside; /* NULL: the workspace has none */
	enum direction side;
	struct box box; /* of the hint */
};

static double distance_to(const struct box *box, struct coord_global at)
{
	double dx = fmax(fmax(box->x - at.x, at.x - (box->x + box->width)), 0);
	double dy = fmax(fmax(box->y - at.y, at.y - (box->y + box->height)), 0);
	return dx * dx + dy * dy;
}

static struct window *nearest_tile(const struct workspace *workspace, struct coord_global at)
{
	const struct columns *columns = workspace->columns;
	struct window *best = NULL;
	double least = INFINITY;
	for (int i = 0; i < columns->n; i++) {
		for (int j = 0; j < columns->columns[i].n_items; j++) {
			struct window *window = columns->columns[i].items[j].id;
			double far = distance_to(&window->private->tile, at);
			if (window->private->tile_visible && far < least) {
				best = window;
				least = far;
			}
		}
	}
	return best;
}

static void choose_side(struct drop *drop, struct coord_global at)
{
	const struct box tile = drop->beside->private->tile;
	double x = (at.x - tile.x) / tile.width, y = (at.y - tile.y) / tile.height;
	int side = (int)(tile.width * SIDE), half = tile.height / 2;
	drop->box = tile;
	if (x < SIDE || x >= 1 - SIDE) {
		drop->side = x < SIDE ? DIRECTION_LEFT : DIRECTION_RIGHT;
		drop->box.x += x < SIDE ? 0 : tile.width - side;
		drop->box.width = side;
	} else {
		drop->side = y < 0.5 ? DIRECTION_UP : DIRECTION_DOWN;
		drop->box.y += y < 0.5 ? 0 : half;
		drop->box.height = tile.height - half;
	}
}

static struct drop find_drop(struct shell *shell, struct coord_global at)
{
	struct scene_output *output = scene_output_nearest(shell->scene, at);
	struct drop drop = {.workspace = output ? workspace_on(shell, output) : NULL};
	if (drop.workspace && drop.workspace->layout == CONFIG_LAYOUT_COLUMNS) {
		drop.beside = nearest_tile(drop.workspace, at);
	}
	if (drop.beside) {
		choose_side(&drop, at);
	}
	return drop;
}

static void place(struct window *window, const struct drop *drop)
{
	struct window_private *own = window->private;
	if (drop->beside && own->tiled && drop->beside->private->tiled == own->tiled &&
		columns_place(own->tiled->columns, window, drop->beside, drop->side)) {
		tiling_arrange(own->tiled);
	}
}

static void drop_window(const struct tile_grab *grab)
{
	struct window *window = grab->window;
	const struct drop drop = find_drop(grab->shell, grab->press.at);
	if (!grab->moved || !drop.workspace) {
		return;
	}
	if (drop.workspace != window->workspace) {
		shell_move_to_workspace(grab->shell, window, drop.workspace);
	}
	place(window, &drop);
	window_focus(window);
}

void tile_drop(struct window *window, struct coord_global at)
{
	const struct drop drop = find_drop(window->shell, at); /* before the tiles make room */
	window_drag_end(window);
	if (window->mapped && window->private->tiled) {
		place(window, &drop);
		window_focus(window);
	}
}

/* Moves one edge, and remembers the part of the motion that was applied. */
static bool drag_edge(struct tile_grab *grab, uint32_t edge, enum direction direction, double by,
	int size, double *last)
{
	const struct workspace *workspace = grab->window->private->tiled;
	const bool fitted = grab->shell->config->layout.overflow == COLUMNS_FIT;
	const double sign = direction == DIRECTION_LEFT || direction == DIRECTION_UP ? -1 : 1;
	if (!(grab->edges & edge) || size <= 0 || by == 0) {
		return false;
	}
	double done = columns_drag_edge(
		workspace->columns, grab->window, direction, sign * by / size, fitted);
	*last += sign * done * size;
	return done != 0;
}

static void resize(struct tile_grab *grab, struct coord_global at)
{
	struct workspace *workspace = grab->window->private->tiled;
	const struct box area = shell_usable(grab->shell, workspace->output);
	const double dx = at.x - grab->last.x, dy = at.y - grab->last.y;
	bool changed = drag_edge(
		grab, XDG_TOPLEVEL_RESIZE_EDGE_LEFT, DIRECTION_LEFT, dx, area.width, &grab->last.x);
	changed |= drag_edge(grab, XDG_TOPLEVEL_RESIZE_EDGE_RIGHT, DIRECTION_RIGHT, dx, area.width,
		&grab->last.x);
	changed |= drag_edge(
		grab, XDG_TOPLEVEL_RESIZE_EDGE_TOP, DIRECTION_UP, dy, area.height, &grab->last.y);
	changed |= drag_edge(grab, XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM, DIRECTION_DOWN, dy, area.height,
		&grab->last.y);
	if (changed) {
		tiling_arrange(workspace);
	}
}

static void handle_motion(struct press_grab *press)
{
	struct tile_grab *grab = wl_container_of(press, grab, press);
	const struct coord_global at = press->at;
	if (!grab->window->private->tiled) {
		press_grab_end(press);
		return;
	}
	if (grab->edges) {
		resize(grab, at);
		return;
	}
	grab->moved = grab->moved || hypot(at.x - grab->last.x, at.y - grab->last.y) >= THRESHOLD;
	if (grab->moved) {
		const struct drop drop = find_drop(grab->shell, at);
		const bool shown = drop.beside && drop.beside != grab->window;
		drop_hint_show(grab->shell, &grab->hint, shown ? &drop.box : &(struct box){0});
	}
}

static void handle_release(struct press_grab *press)
{
	const struct tile_grab *grab = wl_container_of(press, grab, press);
	const struct tile_grab ended = *grab;
	press_grab_end(press);
	if (!ended.edges && ended.window->private->tiled) {
		drop_window(&ended);
	}
}

static void handle_end(struct press_grab *press)
{
	struct tile_grab *grab = wl_container_of(press, grab, press);
	grab->shell->private->tile_grab = NULL;
	wl_list_remove(&grab->interrupt.link);
	drop_hint_destroy(grab->hint);
	free(grab);
}

static void handle_cancel(struct press_grab *press)
{
	struct tile_grab *grab = wl_container_of(press, grab, press);
	if (grab->edges && grab->window->private->tiled) {
		resize(grab, grab->start);
	}
	press_grab_end(press);
}

static const struct press_grab_impl impl = {
	.motion = handle_motion,
	.release = handle_release,
	.cancel = handle_cancel,
	.end = handle_end,
};

static void handle_interrupt(struct wl_listener *listener, void *data)
{
	struct tile_grab *grab = wl_container_of(listener, grab, interrupt);
	if (!data || data == grab->window) {
		press_grab_end(&grab->press);
	}
}

void tile_grab_start(
	struct window *window, struct seat *seat, uint32_t edges, bool touch, int32_t touch_id)
{
	struct shell *shell = window->shell;
	struct press_grab press;
	if (seat != shell->seat || !press_grab_init(&press, &impl, seat, touch, touch_id)) {
		return;
	}
	signal_emit(&shell->events.interrupt, NULL);
	struct tile_grab *grab = xcalloc(1, sizeof(*grab));
	grab->press = press;
	grab->shell = shell;
	grab->window = window;
	grab->edges = edges;
	grab->start = grab->last = press.at;
	shell->private->tile_grab = grab;
	signal_add(&shell->events.interrupt, &grab->interrupt, handle_interrupt);
	press_grab_start(&grab->press, edges ? resize_cursor(edges) : "grabbing");
}
