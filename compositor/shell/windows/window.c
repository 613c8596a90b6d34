/* SPDX-License-Identifier: MIT */
/* Windows: life cycle, client requests and configures. */

#include "motion.h"
#include "shell/geometry/edge_tile.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "shell/geometry/window_fit.h"
#include "shell/icon.h"
#include "surface/surface.h"
#include "tiling.h"
#include "util/account.h"
#include "util/random_name.h"
#include "util/xalloc.h"
#include "windows.h"
#include "workspaces.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Replaces a string, whose memory is charged to the window's client. */
static void replace(const struct window *window, char **string, const char *with)
{
	struct account *account = surface_account(window->surface);
	account_free_string(account, *string);
	*string = account_strdup(account, with);
}

struct window *window_create(
	struct shell *shell, struct surface *surface, const struct window_impl *impl, void *data)
{
	struct window *window = xcalloc(1, sizeof(*window));
	window->private = xcalloc(1, sizeof(*window->private));
	window->private->window = window;
	window->kind = SHELL_NODE_WINDOW;
	window->impl = impl;
	window->shell = shell;
	window->surface = surface;
	window->data = data;
	wl_list_init(&window->link);
	wl_list_init(&window->children);
	wl_list_init(&window->sibling_link);
	wl_list_init(&window->private->transaction.link);
	wl_list_insert(shell->private->all_windows.prev, &window->private->created_link);
	signals_init(&window->events, sizeof(window->events));
	window->tree = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	window->tree->node.data = window;
	scene_tree_snap(window->tree);
	scene_node_set_enabled(&window->tree->node, false);
	window->surface_tree = scene_surface_tree_create(window->tree, surface);
	window->popup_tree = scene_tree_create(window->tree);
	return window;
}

void window_destroy(struct window *window)
{
	if (!window) {
		return;
	}
	window_unmap(window);
	window_hand_on_children(window); /* it may never have been mapped */
	window_set_parent(window, NULL);
	signal_emit(&window->events.destroy, window);
	assert(wl_list_empty(&window->events.destroy.listener_list));
	wl_list_remove(&window->private->created_link);
	scene_node_destroy(&window->tree->node);
	replace(window, &window->title, NULL);
	replace(window, &window->app_id, NULL);
	window_set_icon(window, NULL);
	replace(window, &window->tag, NULL);
	replace(window, &window->description, NULL);
	home_forget(window);
	free(window->private);
	free(window);
}

void window_set_title(struct window *window, const char *title)
{
	if (!window->title || strcmp(window->title, title) != 0) {
		replace(window, &window->title, title);
		signal_emit(&window->events.title, window);
	}
}

void window_set_app_id(struct window *window, const char *app_id)
{
	if (!window->app_id || strcmp(window->app_id, app_id) != 0) {
		replace(window, &window->app_id, app_id);
		signal_emit(&window->events.app_id, window);
		signal_emit(&window->shell->events.icon, window);
	}
}

static void handle_icon_changed(struct wl_listener *listener, void *data)
{
	struct window_private *private = wl_container_of(listener, private, icon_changed);
	signal_emit(&private->window->shell->events.icon, private->window);
}

void window_set_icon(struct window *window, struct icon *icon)
{
	if (icon == window->icon) {
		return; /* the images of a window's icon never change */
	}
	if (window->icon) {
		wl_list_remove(&window->private->icon_changed.link);
	}
	icon_unref(window->icon);
	window->icon = icon_ref(icon);
	if (icon) {
		signal_add(&icon->changed, &window->private->icon_changed, handle_icon_changed);
	}
	signal_emit(&window->shell->events.icon, window);
}

void window_set_tag(struct window *window, const char *tag)
{
	replace(window, &window->tag, tag);
}

void window_set_description(struct window *window, const char *description)
{
	replace(window, &window->description, description);
}

void window_initial_commit(struct window *window)
{
	struct box box;
	rules_apply_initial(window);
	if (window_predict_tile(window, &box)) {
		window->states |= WINDOW_TILED;
		window->private->predicted = true;
	}
	window_arrange(window);
}

void window_close(struct window *window)
{
	window->impl->close(window);
}

void window_place_at(struct window *window, int x, int y)
{
	window_set_position(window, x, y);
	window->private->placed = true;
}

static bool answered(uint32_t acked, uint32_t serial)
{
	return acked != 0 && (int32_t)(acked - serial) >= 0;
}

/* Adopts the size that a floating window chose by itself. */
static void take_size(struct window *window, uint32_t acked)
{
	struct window_private *own = window->private;
	if (window_floating(window) && !own->resize_edges && own->want_width != 0 &&
		answered(acked, own->configure_serial)) {
		own->want_width = own->sent.width = window->geometry.width;
		own->want_height = own->sent.height = window->geometry.height;
	}
}

static void reach_target(struct window *window, uint32_t acked)
{
	struct window_private *own = window->private;
	if (!answered(acked, own->target.serial)) {
		return;
	}
	if (own->target.center) {
		window_place(window);
	} else if (own->target.held) {
		struct box box = window_box(window);
		placement_hold(&own->target.from, own->target.grip, &box);
		box.x += own->target.x - (int)lround(own->target.grip.x);
		box.y += own->target.y - (int)lround(own->target.grip.y);
		box = window_fit(window, NULL, &box, WINDOW_FIT_REACHABLE);
		window_set_position(window, box.x, box.y);
	} else {
		window_set_position(window, own->target.x, own->target.y);
	}
	own->target.pending = false;
	window_follow_output(window);
}

/*
 * Keeps the edges that are not dragged in place. A client that draws the size of a state that has
 * ended is yet to draw the floating one.
 */
static void follow_resize(struct window *window, uint32_t acked)
{
	struct window_private *own = window->private;
	int x, y;
	if (own->target.pending && !answered(acked, own->target.serial)) {
		return;
	}
	if (box_empty(&own->resize_from)) {
		reach_target(window, acked); /* the client has chosen the size */
		own->resize_from = window_box(window);
		own->want_width = own->sent.width = window->geometry.width;
		own->want_height = own->sent.height = window->geometry.height;
	}
	resize_anchor(window, &x, &y);
	window_set_position(window, x, y);
	if (answered(acked, own->resize_serial)) {
		own->resize_waiting = false;
		if (!(window->states & WINDOW_RESIZING)) {
			own->resize_edges = 0;
			own->resize_serial = 0;
		} else {
			window_update(window);
		}
	}
}

void window_applied(struct window *window, const struct box *geometry, uint32_t acked)
{
	struct window_private *own = window->private;
	own->answers = acked != 0;
	bool resized = window->geometry.width != geometry->width ||
		       window->geometry.height != geometry->height;
	int dx = geometry->x - window->geometry.x, dy = geometry->y - window->geometry.y;
	const struct box before = window_box(window);
	window->geometry = *geometry;
	scene_node_set_position(&window->surface_tree->node, -geometry->x, -geometry->y);
	if (!window->mapped) {
		return;
	}
	if (own->implied_geometry && window_floating(window) && (dx != 0 || dy != 0)) {
		/*
		 * A subsurface reaches further out: moves the window so that the rest stays in
		 * place.
		 */
		window_set_position(window, window->x + dx, window->y + dy);
		own->home.x = coord_sum(own->home.x, dx);
		own->home.y = coord_sum(own->home.y, dy);
	}
	const bool resizing = own->resize_edges, moves = own->target.pending;
	if (resizing) {
		follow_resize(window, acked);
	} else if (own->target.pending) {
		reach_target(window, acked);
	}
	transaction_answered(window, acked);
	edge_tiles_answered(window);
	take_size(window, acked);
	if (resized || dx != 0 || dy != 0 || (resizing && !own->resize_edges)) {
		const struct box now = window_box(window);
		/* Sizes of states that have ended come and go, and so do menus of subsurfaces. */
		const bool passing = own->implied_geometry ||
				     (acked != 0 && !answered(acked, own->configure_serial));
		home_resized(window, resizing || moves || passing ? &now : &before, dy < 0);
	}
	if (resized) {
		if (window->states & WINDOW_FULLSCREEN) {
			window_place(window);
		}
		signal_emit(&window->shell->events.frame, window);
	}
	signal_emit(&window->events.applied, window);
}

/* Returns the workspace of the output that a new window covers on request, or NULL. */
static struct workspace *fullscreen_workspace(
	const struct window *window, const struct config_window *rule)
{
	const struct scene_output *output = window->private->fullscreen_output;
	const struct workspace *above = window->parent ? window->parent->workspace : NULL;
	if (!(window->states & WINDOW_FULLSCREEN) || !output || rule->workspace || rule->output ||
		(above && !above->shown)) {
		return NULL;
	}
	return workspace_on(window->shell, output);
}

/* Returns the workspace for a new window. */
static struct workspace *choose_workspace(
	const struct window *window, const struct config_window *rule)
{
	struct workspace *covered = fullscreen_workspace(window, rule);
	if (covered) {
		return covered;
	}
	if (window->parent && window->parent->workspace) {
		return window->parent->workspace;
	}
	struct workspace *workspace = NULL;
	if (window->private->placed && window_floating(window) && !rule->workspace &&
		!rule->output) {
		const struct box box = window_box(window);
		workspace = workspace_on(window->shell, shell_nearest_output(window->shell, &box));
	}
	return workspace ? workspace : rules_workspace(window, rule);
}

/* Moves a new window to its output, since its position determines its output. */
static void go_to_output(struct window *window, const struct scene_output *output)
{
	struct window_private *own = window->private;
	struct box box = window_box(window);
	if (!output) {
		return;
	}
	const bool returns =
		!own->placed && own->returns && shell_nearest_output(window->shell, &box) == output;
	own->placed = own->placed || returns;
	if (own->placed) {
		box = window_fit(
			window, output, &box, returns ? WINDOW_FIT_RETURNED : WINDOW_FIT_REACHABLE);
	} else {
		const struct box on = scene_output_box(output);
		box.x = on.x + (on.width - box.width) / 2;
		box.y = on.y + (on.height - box.height) / 2;
	}
	window_set_position(window, box.x, box.y);
	/* Rules give a size without a place. */
	own->saved.x = box.x + (box.width - own->saved.width) / 2;
	own->saved.y = box.y + (box.height - own->saved.height) / 2;
}

/* Ends the fullscreen state's claim to an output of another workspace than the new window's. */
static void leave_output(struct window *window)
{
	struct window_private *own = window->private;
	if (!own->span[0] && own->fullscreen_output != window->workspace->output) {
		own->fullscreen_output = NULL;
	}
}

void window_map(struct window *window)
{
	struct window_private *own = window->private;
	struct shell *shell = window->shell;
	if (window->mapped) {
		return;
	}
	const struct scene_output *expected = window_output(window);
	window->mapped = true;
	random_name(window->identifier);
	window_used_first(window);
	struct config_window rule;
	rules_find(window, &rule);
	struct workspace *workspace = choose_workspace(window, &rule);
	window_set_workspace(window, workspace);
	leave_output(window);
	go_to_output(window, workspace->output);
	if (own->predicted && !own->tiled) {
		window->states &= ~(uint32_t)WINDOW_TILED;
	}
	own->predicted = false;
	window_place(window);
	if (window_output(window) != expected) {
		layout_update_fixed(window);
	}
	own->placed = window_floating(window);
	if (window_is_edge_tile(window)) {
		edge_tiles_update(workspace);
	}
	window_restack(window);
	rules_apply_mapped(window, &rule);
	if (own->drag.active) {
		window_drag_move(window, own->drag.at);
	}
	window_update_visibility(window);
	signal_emit(&window->events.map, window);
	signal_emit(&shell->events.new_window, window);
	if (!window_shown(window) && rule.focus == INPUT_ON && !window->minimized) {
		shell_show_workspace(shell, window->workspace);
	}
	if (window_shown(window) && rule.focus != INPUT_OFF) {
		focus_new_window(window, rule.focus == INPUT_ON);
	} else {
		window_update(window);
	}
	if (!own->tiled || window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED)) {
		window_fade_in(window); /* others do when they get their tile */
	}
}

void window_unmap(struct window *window)
{
	struct window_private *own = window->private;
	if (!window->mapped) {
		return;
	}
	signal_emit(&window->shell->events.before_unmap, window);
	window->impl->dismiss_popups(window);
	signal_emit(&window->shell->events.interrupt, window);
	motion_end(own->motion);
	window->mapped = false;
	scene_node_set_enabled(&window->tree->node, false);
	wl_list_remove(&window->link);
	wl_list_init(&window->link);
	focus_lost(window);
	window_hand_on_children(window);
	signal_emit(&window->events.unmap, window);
	window_set_workspace(window, NULL);
	transaction_forget(window);
	workspaces_prune(window->shell);
	/* If mapped again, it is a new window to the shell. */
	window_set_parent(window, NULL);
	replace(window, &window->title, NULL);
	replace(window, &window->app_id, NULL);
	window_set_icon(window, NULL);
	replace(window, &window->tag, NULL);
	replace(window, &window->description, NULL);
	own->limits.min_width = own->limits.min_height = own->limits.max_width =
		own->limits.max_height = 0;
	window->states = 0;
	window->minimized = window->urgent = window->sticky = false;
	window->on_top = own->on_bottom = own->floats = own->scratchpad = own->predicted = false;
	own->inhibits_idle = own->may_focus = false;
	own->requested = 0;
	own->decoration_rule = 0;
	window->surface->rules = (struct surface_rules){0};
	scene_tree_set_opacity(window->surface_tree, 1);
	scene_tree_set_secret(window->tree, false);
	own->saved = (struct box){0};
	own->returns = own->placed;
	own->placed = false;
	home_forget(window);
	window->geometry = (struct box){0};
	own->want_width = own->want_height = 0;
	own->configure_serial = own->resize_serial = own->resize_edges = 0;
	own->target.pending = own->resize_waiting = false;
	own->fullscreen_output = NULL;
	memset(own->span, 0, sizeof(own->span));
	own->wants_floating = own->dock = false;
	window_update_backdrop(window);
	signal_emit(&window->shell->events.frame, window);
	window_reserve(window, &(struct frame_extents){0});
}
