/* SPDX-License-Identifier: MIT */
/* Overview of the workspaces: choice of a workspace or window by keys, pointer or touch. */

#include "overview.h"
#include "seat/seat.h"
#include "shell/geometry/layout_columns.h"
#include "shell/geometry/private.h"
#include "util/xalloc.h"
#include "views.h"
#include <stdlib.h>

struct shell_overview {
	enum shell_node_kind kind; /* for scene hits */
	struct shell *shell;
	struct keyboard_grab grab;
	struct dropped_keys dropped;
	struct timer timer; /* draws the view again at the end of the turn */
	struct overview_view *view;
	int selected;
	struct coord_global at; /* of the pointer: it selects when it moves */
	struct wl_listener workspaces, usable, new_window, minimized, before_unmap;
};

static void select_item(struct shell_overview *overview, int item)
{
	overview->selected = item;
	overview_view_select(overview->view, item);
}

static void request(void *data)
{
	struct shell_overview *overview = data;
	timer_arm_soon(&overview->timer, clock_now(overview->shell->clock));
}

/* Returns the item of a window, or of the workspace if the window is NULL; 0: there is none. */
static int find(const struct shell_overview *overview, const struct workspace *workspace,
	const struct window *window)
{
	int n_workspaces, n;
	const struct overview_item *items = overview_view_items(overview->view, &n_workspaces, &n);
	int i = (window ? n : n_workspaces) - 1;
	while (i > 0 && (window ? items[i].window != window : items[i].workspace != workspace)) {
		i--;
	}
	return i;
}

/* Draws the present workspaces and windows, and selects one of them, or the first workspace. */
static void show(struct shell_overview *overview, const struct workspace *workspace,
	const struct window *window)
{
	overview_view_destroy(overview->view);
	overview->view = overview_view_create(overview->shell, overview, request);
	const int item = window ? find(overview, workspace, window) : 0;
	select_item(overview, item ? item : find(overview, workspace, NULL));
}

/* Draws the view again with the same selection. Items of destroyed workspaces are only compared. */
static void refresh(struct shell_overview *overview)
{
	int n_workspaces, n;
	const struct overview_item selected =
		overview_view_items(overview->view, &n_workspaces, &n)[overview->selected];
	timer_disarm(&overview->timer);
	show(overview, selected.workspace, selected.window);
}

/* Makes all items valid before one of them is chosen. */
static void update(struct shell_overview *overview)
{
	if (overview->timer.armed) {
		refresh(overview);
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct shell_overview *overview = wl_container_of(timer, overview, timer);
	refresh(overview);
}

static void handle_workspaces(struct wl_listener *listener, void *data)
{
	struct shell_overview *overview = wl_container_of(listener, overview, workspaces);
	request(overview);
}

static void handle_usable(struct wl_listener *listener, void *data)
{
	struct shell_overview *overview = wl_container_of(listener, overview, usable);
	request(overview);
}

static void handle_new_window(struct wl_listener *listener, void *data)
{
	struct shell_overview *overview = wl_container_of(listener, overview, new_window);
	request(overview);
}

static void handle_minimized(struct wl_listener *listener, void *data)
{
	struct shell_overview *overview = wl_container_of(listener, overview, minimized);
	request(overview);
}

static void handle_before_unmap(struct wl_listener *listener, void *data)
{
	struct shell_overview *overview = wl_container_of(listener, overview, before_unmap);
	overview_view_forget(overview->view, data);
	request(overview);
}

static void handle_key(struct keyboard_grab *grab, const struct input_key_event *event)
{
	struct shell_overview *overview = wl_container_of(grab, overview, grab);
	if (!dropped_keys_take(&overview->dropped, event)) {
		keyboard_send_key(grab->seat, event);
	}
}

static void handle_modifiers(struct keyboard_grab *grab)
{
}

static void handle_end(struct keyboard_grab *grab)
{
	struct shell_overview *overview = wl_container_of(grab, overview, grab);
	overview->shell->private->overview = NULL;
	overview_view_destroy(overview->view);
	wl_list_remove(&overview->workspaces.link);
	wl_list_remove(&overview->usable.link);
	wl_list_remove(&overview->new_window.link);
	wl_list_remove(&overview->minimized.link);
	wl_list_remove(&overview->before_unmap.link);
	timer_finish(&overview->timer);
	free(overview);
}

static const struct keyboard_grab_impl grab_impl = {
	.key = handle_key,
	.modifiers = handle_modifiers,
	.end = handle_end,
};

void overview_close(struct shell *shell)
{
	if (shell->private->overview) {
		keyboard_end_grab(shell->seat);
	}
}

void overview_open(struct shell *shell)
{
	if (shell->locked || !shell_active_output(shell)) {
		return;
	}
	signal_emit(&shell->events.interrupt, NULL);
	struct shell_overview *overview = xcalloc(1, sizeof(*overview));
	overview->kind = SHELL_NODE_OVERVIEW;
	overview->shell = shell;
	overview->at = shell->seat->pointer.at;
	timer_init(&overview->timer, shell->clock, handle_timer);
	signal_add(&shell->events.workspaces, &overview->workspaces, handle_workspaces);
	signal_add(&shell->events.usable, &overview->usable, handle_usable);
	signal_add(&shell->events.new_window, &overview->new_window, handle_new_window);
	signal_add(&shell->events.minimized, &overview->minimized, handle_minimized);
	signal_add(&shell->events.before_unmap, &overview->before_unmap, handle_before_unmap);
	show(overview, shell_workspace(shell), NULL);
	overview->grab.impl = &grab_impl;
	keyboard_start_grab(shell->seat, &overview->grab);
	shell->private->overview = overview;
}

/* Closes the overview and shows the item. */
static void choose(struct shell *shell, int item)
{
	int n_workspaces, n;
	const struct overview_item chosen =
		overview_view_items(shell->private->overview->view, &n_workspaces, &n)[item];
	overview_close(shell);
	if (chosen.window) {
		window_focus(chosen.window);
	} else {
		shell_show_workspace(shell, chosen.workspace);
	}
}

/* Moves the selection to the next workspace in a direction. */
static void step(struct shell_overview *overview, int direction)
{
	struct box boxes[WORKSPACES_MAX + SCENE_OUTPUTS_MAX];
	int n_workspaces, n, from = 0;
	const struct overview_item *items = overview_view_items(overview->view, &n_workspaces, &n);
	const int most = (int)(sizeof(boxes) / sizeof(boxes[0]));
	n_workspaces = n_workspaces < most ? n_workspaces : most;
	for (int i = 0; i < n_workspaces; i++) {
		boxes[i] = items[i].box;
		from = items[i].workspace == items[overview->selected].workspace ? i : from;
	}
	select_item(overview, overview_next(boxes, n_workspaces, from, direction));
}

/* Moves the selection to the next window, in a circle. */
static void step_window(struct shell_overview *overview, int by)
{
	int n_workspaces, n;
	overview_view_items(overview->view, &n_workspaces, &n);
	const int windows = n - n_workspaces, now = overview->selected - n_workspaces;
	if (windows > 0) {
		const int next =
			now < 0 ? (by > 0 ? 0 : windows - 1) : (now + by + windows) % windows;
		select_item(overview, n_workspaces + next);
	}
}

bool overview_key(struct shell *shell, uint32_t modifiers, xkb_keysym_t sym)
{
	struct shell_overview *overview = shell->private->overview;
	if (!overview) {
		return false;
	}
	update(overview);
	switch (sym) {
	case XKB_KEY_Escape: overview_close(shell); return true;
	case XKB_KEY_Left: step(overview, DIRECTION_LEFT); return true;
	case XKB_KEY_Right: step(overview, DIRECTION_RIGHT); return true;
	case XKB_KEY_Up: step(overview, DIRECTION_UP); return true;
	case XKB_KEY_Down: step(overview, DIRECTION_DOWN); return true;
	case XKB_KEY_Tab: step_window(overview, modifiers & CONFIG_SHIFT ? -1 : 1); return true;
	case XKB_KEY_Return:
	case XKB_KEY_KP_Enter:
	case XKB_KEY_space: choose(shell, overview->selected); return true;
	default: return false;
	}
}

/* Returns the topmost item at a point, or -1. */
static int item_at(const struct shell_overview *overview, struct coord_global at)
{
	int n_workspaces, n;
	const struct overview_item *items = overview_view_items(overview->view, &n_workspaces, &n);
	int i = n - 1;
	while (i >= 0 && !box_contains_point(&items[i].box, at.x, at.y)) {
		i--;
	}
	return i;
}

bool overview_press(struct shell *shell, const struct seat_press *press)
{
	if (!shell->private->overview) {
		return false;
	}
	update(shell->private->overview);
	const int item = item_at(shell->private->overview, press->at);
	if (item >= 0) {
		choose(shell, item);
	} else {
		overview_close(shell);
	}
	return true;
}

void overview_hover(struct shell *shell)
{
	const struct coord_global at = shell->seat->pointer.at;
	struct shell_overview *overview = shell->private->overview;
	/* The scene also reports pointers that have not moved, after each of its changes. */
	if (!overview || (at.x == overview->at.x && at.y == overview->at.y)) {
		return;
	}
	overview->at = at;
	const int item = item_at(overview, at);
	if (item >= 0 && item != overview->selected) {
		select_item(overview, item);
	}
}
