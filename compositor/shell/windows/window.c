/* SPDX-License-Identifier: MIT */
/* Windows: life cycle, client requests and configures. */

#include "motion.h"
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
#include "util/signal.h"
#include "util/xalloc.h"
#include "windows.h"
#include "workspaces.h"
#include <assert.h>
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
	window->kind = SHELL_NODE_WINDOW;
	window->impl = impl;
	window->shell = shell;
	window->surface = surface;
	window->data = data;
	wl_list_init(&window->link);
	wl_list_init(&window->children);
	wl_list_init(&window->sibling_link);
	wl_list_init(&window->transaction.link);
	wl_list_insert(shell->private->all_windows.prev, &window->created_link);
	wl_signal_init(&window->events.map);
	wl_signal_init(&window->events.unmap);
	wl_signal_init(&window->events.title);
	wl_signal_init(&window->events.app_id);
	wl_signal_init(&window->events.states);
	wl_signal_init(&window->events.parent);
	wl_signal_init(&window->events.applied);
	wl_signal_init(&window->events.surface);
	wl_signal_init(&window->events.destroy);
	window->tree = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	window->tree->node.data = window;
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
	wl_list_remove(&window->created_link);
	scene_node_destroy(&window->tree->node);
	replace(window, &window->title, NULL);
	replace(window, &window->app_id, NULL);
	window_set_icon(window, NULL);
	replace(window, &window->tag, NULL);
	replace(window, &window->description, NULL);
	home_forget(window);
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
	struct window *window = wl_container_of(listener, window, icon_changed);
	signal_emit(&window->shell->events.icon, window);
}

void window_set_icon(struct window *window, struct icon *icon)
{
	if (icon == window->icon) {
		return; /* the images of a window's icon never change */
	}
	if (window->icon) {
		wl_list_remove(&window->icon_changed.link);
	}
	icon_unref(window->icon);
	window->icon = icon_ref(icon);
	if (icon) {
		window->icon_changed.notify = handle_icon_changed;
		wl_signal_add(&icon->changed, &window->icon_changed);
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
		window->predicted = true;
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
	window->placed = true;
}

static bool answered(uint32_t acked, uint32_t serial)
{
	return acked != 0 && (int32_t)(acked - serial) >= 0;
}

/* Adopts the size that a floating window chose by itself. */
static void take_size(struct window *window, uint32_t acked)
{
	if (window_floating(window) && !window->resize_edges && window->want_width != 0 &&
		answered(acked, window->configure_serial)) {
		window->want_width = window->sent.width = window->geometry.width;
		window->want_height = window->sent.height = window->geometry.height;
	}
}

static void follow_resize(struct window *window, uint32_t acked)
{
	int x, y;
	resize_anchor(window, &x, &y);
	window_set_position(window, x, y);
	if (answered(acked, window->resize_serial)) {
		window->resize_waiting = false;
		if (!(window->states & WINDOW_RESIZING)) {
			window->resize_edges = 0;
			window->resize_serial = 0;
		} else {
			window_update(window);
		}
	}
}

static void reach_target(struct window *window, uint32_t acked)
{
	if (!answered(acked, window->target.serial)) {
		return;
	}
	if (window->target.center) {
		window_place(window);
	} else {
		window_set_position(window, window->target.x, window->target.y);
	}
	window->target.pending = false;
	window_follow_output(window);
}

void window_applied(struct window *window, const struct box *geometry, uint32_t acked)
{
	window->answers = acked != 0;
	bool resized = window->geometry.width != geometry->width ||
		       window->geometry.height != geometry->height;
	int dx = geometry->x - window->geometry.x, dy = geometry->y - window->geometry.y;
	window->geometry = *geometry;
	scene_node_set_position(&window->surface_tree->node, -geometry->x, -geometry->y);
	if (!window->mapped) {
		return;
	}
	if (window->implied_geometry && window_floating(window) && (dx != 0 || dy != 0)) {
		/*
		 * A subsurface reaches further out: moves the window so that the rest stays in
		 * place.
		 */
		window_set_position(window, window->x + dx, window->y + dy);
		window->home.x = coord_sum(window->home.x, dx);
		window->home.y = coord_sum(window->home.y, dy);
	}
	const bool resizing = window->resize_edges;
	if (resizing) {
		follow_resize(window, acked);
	} else if (window->target.pending) {
		reach_target(window, acked);
	}
	transaction_answered(window, acked);
	take_size(window, acked);
	if (resized || dx != 0 || dy != 0 || (resizing && !window->resize_edges)) {
		home_resized(window, dy < 0);
	}
	if (resized) {
		if (window->states & WINDOW_FULLSCREEN) {
			window_place(window);
		}
		signal_emit(&window->shell->events.frame, window);
	}
	signal_emit(&window->events.applied, window);
}

/* Returns the workspace for a new window. */
static struct workspace *choose_workspace(
	const struct window *window, const struct config_window *rule)
{
	if (window->parent && window->parent->workspace) {
		return window->parent->workspace;
	}
	struct workspace *workspace = NULL;
	if (window->placed && window_floating(window) && !rule->workspace && !rule->output) {
		const struct box box = window_box(window);
		workspace = workspace_on(window->shell, shell_nearest_output(window->shell, &box));
	}
	return workspace ? workspace : rules_workspace(window, rule);
}

/* Moves a new window to its output, since its position determines its output. */
static void go_to_output(struct window *window, const struct scene_output *output)
{
	struct box box = window_box(window);
	if (!output) {
		return;
	}
	if (window->returns && shell_nearest_output(window->shell, &box) == output) {
		window->placed = true;
	}
	if (window->placed) {
		box = window_fit(window, output, &box, WINDOW_FIT_REACHABLE);
	} else {
		const struct box on = scene_output_box(output);
		box.x = on.x + (on.width - box.width) / 2;
		box.y = on.y + (on.height - box.height) / 2;
	}
	window_set_position(window, box.x, box.y);
	/* Rules give a size without a place. */
	window->saved.x = box.x + (box.width - window->saved.width) / 2;
	window->saved.y = box.y + (box.height - window->saved.height) / 2;
}

void window_map(struct window *window)
{
	struct shell *shell = window->shell;
	if (window->mapped) {
		return;
	}
	window->mapped = true;
	random_name(window->identifier);
	window_used_first(window);
	struct config_window rule;
	rules_find(window, &rule);
	struct workspace *workspace = choose_workspace(window, &rule);
	window_set_workspace(window, workspace);
	go_to_output(window, workspace->output);
	if (window->predicted && !window->tiled) {
		window->states &= ~(uint32_t)WINDOW_TILED;
	}
	window->predicted = false;
	window_place(window);
	window->placed = window_floating(window);
	window_restack(window);
	rules_apply_mapped(window, &rule);
	if (window->drag.active) {
		window_drag_move(window, window->drag.at);
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
	if (!window->tiled || window->states & (WINDOW_FULLSCREEN | WINDOW_MAXIMIZED)) {
		window_fade_in(window); /* others do when they get their tile */
	}
}

void window_unmap(struct window *window)
{
	if (!window->mapped) {
		return;
	}
	signal_emit(&window->shell->events.before_unmap, window);
	window->impl->dismiss_popups(window);
	signal_emit(&window->shell->events.interrupt, window);
	motion_end(window->motion);
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
	window->min_width = window->min_height = window->max_width = window->max_height = 0;
	window->states = 0;
	window->minimized = window->urgent = window->sticky = false;
	window->on_top = window->on_bottom = window->floats = window->scratchpad =
		window->predicted = false;
	window->inhibits_idle = window->may_focus = false;
	window->wanted = 0;
	window->decoration_rule = 0;
	window->surface->rules = (struct surface_rules){0};
	scene_tree_set_opacity(window->surface_tree, 1);
	scene_tree_set_secret(window->tree, false);
	window->saved = (struct box){0};
	window->returns = window->placed;
	window->placed = false;
	home_forget(window);
	window->geometry = (struct box){0};
	window->want_width = window->want_height = 0;
	window->configure_serial = window->resize_serial = window->resize_edges = 0;
	window->target.pending = window->resize_waiting = false;
	window->fullscreen_output = NULL;
	memset(window->span, 0, sizeof(window->span));
	window->wants_floating = window->dock = false;
	window_update_backdrop(window);
	signal_emit(&window->shell->events.frame, window);
	window_reserve(window, &(struct frame_extents){0});
}
