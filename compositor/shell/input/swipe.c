/* SPDX-License-Identifier: MIT */
/*
 * Swipes that drag the workspace or the columns of the active output along. When the fingers leave,
 * the next one is chosen by the action of the swipe, or everything returns.
 */

#include "backend/input.h"
#include "input.h"
#include "pointing.h"
#include "seat/seat.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "shell/windows/motion.h"
#include "shell/windows/tiling.h"
#include "shell/windows/workspaces.h"
#include <math.h>
#include <string.h>

/** Distance at which the direction is clear, logical pixels. */
#define SLACK 10.0
/** Time (s) for which fingers are assumed to go on moving. */
#define MOMENTUM 0.15
/** Fingers that pause for this time (ns) have no speed. */
#define PAUSE INT64_C(100000000)

int swipe_result(double distance, double speed)
{
	const double reach = distance + speed * MOMENTUM;
	if ((reach < 0) != (distance < 0) || fabs(reach) < SWIPE_FULL / 2) {
		return 0;
	}
	return reach < 0 ? -1 : 1;
}

static double distance(const struct shell *shell)
{
	const struct pointing *pointing = shell->private->pointing;
	return pointing->vertical ? pointing->y : pointing->x;
}

static uint32_t code(const struct shell *shell)
{
	const struct pointing *pointing = shell->private->pointing;
	const bool back = distance(shell) < 0;
	const enum config_direction way = pointing->vertical ? (back ? CONFIG_UP : CONFIG_DOWN)
							     : (back ? CONFIG_LEFT : CONFIG_RIGHT);
	return CONFIG_SWIPE + pointing->fingers * 4 + way;
}

static const struct config_key *find_binding(const struct shell *shell)
{
	return bindings_find(shell, seat_modifiers(shell->seat), code(shell));
}

/* Returns the workspace that the swipe leads to; NULL: it has another action. */
static struct workspace *find_workspace(struct shell *shell)
{
	const struct config_key *key = find_binding(shell);
	const bool back = key && strcmp(key->action, "workspace-previous") == 0;
	if (!back && !(key && strcmp(key->action, "workspace-next") == 0)) {
		return NULL;
	}
	struct workspace *to = workspace_step(shell, back);
	return to != shell_workspace(shell) ? to : NULL;
}

/* Returns how far the swipe scrolls the columns to the right; 0: it has another action. */
static int find_scroll(struct shell *shell)
{
	const struct config_key *key = find_binding(shell);
	const struct window *focus = shell->focus;
	if (!key || strcmp(key->action, "focus") != 0 || !focus ||
		focus->private->tiled != shell_workspace(shell)) {
		return 0;
	}
	return strcmp(key->argument, "left") == 0    ? tiling_scroll_to(focus, DIRECTION_LEFT)
	       : strcmp(key->argument, "right") == 0 ? tiling_scroll_to(focus, DIRECTION_RIGHT)
						     : 0;
}

/* Starts to drag if the swipe's action allows that. */
static void start(struct shell *shell)
{
	struct pointing *pointing = shell->private->pointing;
	struct workspace *workspace = shell_workspace(shell);
	const double x = pointing->x, y = pointing->y;
	if (fmax(fabs(x), fabs(y)) < SLACK || !motion_is_wanted(shell, workspace->output)) {
		return;
	}
	pointing->vertical = fabs(y) > fabs(x);
	pointing->drags_columns = find_scroll(shell) != 0;
	if (pointing->drags_columns || find_workspace(shell)) {
		workspace_stop(workspace);
		pointing->dragged = workspace;
		pointing->speed = 0;
	}
}

static void drag(struct shell *shell)
{
	const struct pointing *pointing = shell->private->pointing;
	struct workspace *workspace = pointing->dragged;
	const double part = fmax(-1, fmin(1, distance(shell) / SWIPE_FULL));
	if (pointing->drags_columns) {
		tiling_drag(workspace, -(int)lround(fabs(part) * find_scroll(shell)));
		return;
	}
	const struct box box = scene_output_box(workspace->output);
	struct workspace *beside = find_workspace(shell);
	const int x = beside && !pointing->vertical ? (int)lround(part * box.width) : 0;
	const int y = beside && pointing->vertical ? (int)lround(part * box.height) : 0;
	workspace_drag(workspace, x || y ? beside : NULL, x, y);
}

static void note_speed(struct shell *shell, const struct input_gesture_event *event)
{
	struct pointing *pointing = shell->private->pointing;
	const int64_t since = event->time - pointing->moved;
	const double by = pointing->vertical ? event->dy : event->dx;
	if (since > PAUSE) {
		pointing->speed = 0;
	}
	if (event->phase == INPUT_UPDATE && since > 0) {
		pointing->speed = (pointing->speed + by / (double)since * 1e9) / 2;
	}
	pointing->moved = event->time;
}

static void finish(struct shell *shell, bool cancelled)
{
	struct pointing *pointing = shell->private->pointing;
	struct workspace *workspace = pointing->dragged;
	const int result = cancelled ? 0 : swipe_result(distance(shell), pointing->speed);
	pointing->dragged = NULL;
	pointing->done = true;
	if (pointing->drags_columns) {
		tiling_return(workspace); /* or glides on, to the next column */
	}
	if (!pointing->drags_columns && (result == 0 || !find_workspace(shell))) {
		workspace_return(workspace); /* even if the swipe has got another action */
	}
	if (result != 0) {
		bindings_press(shell, seat_modifiers(shell->seat), code(shell));
	}
}

static void cancel(struct shell *shell)
{
	struct pointing *pointing = shell->private->pointing;
	struct workspace *workspace = pointing->dragged;
	if (!workspace) {
		return;
	}
	pointing->dragged = NULL;
	pointing->done = true;
	if (pointing->drags_columns) {
		tiling_return(workspace);
		return;
	}
	workspace_stop(workspace);
}

bool swipe_handle(struct shell *shell, const struct input_gesture_event *event)
{
	const struct pointing *pointing = shell->private->pointing;
	if (!pointing->dragged && event->phase == INPUT_UPDATE) {
		start(shell);
	}
	if (!pointing->dragged) {
		return false;
	}
	if (pointing->dragged != shell_workspace(shell)) {
		cancel(shell);
		return true;
	}
	note_speed(shell, event);
	if (event->phase == INPUT_END) {
		finish(shell, event->cancelled);
	} else {
		drag(shell);
	}
	return true;
}

static void handle_interrupt(struct wl_listener *listener, void *data)
{
	const struct pointing *pointing = wl_container_of(listener, pointing, interrupt);
	cancel(pointing->shell);
}

void swipe_init(struct shell *shell)
{
	struct pointing *pointing = shell->private->pointing;
	signal_add(&shell->events.interrupt_swipe, &pointing->interrupt, handle_interrupt);
}

void swipe_finish(struct shell *shell)
{
	wl_list_remove(&shell->private->pointing->interrupt.link);
}
