/* SPDX-License-Identifier: MIT */
/* Rules for new windows: [window NAME] of the configuration. */

#include "gpu/gpu.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/geometry/tile.h"
#include "shell/geometry/window_fit.h"
#include "shell/shell.h"
#include "surface/client.h"
#include "surface/surface.h"
#include "windows.h"
#include <fnmatch.h>

static bool is_on_gpu(const struct window *window, const char *selector)
{
	const struct client *client = window->surface->client;
	return client && client->gpu &&
	       gpu_matches(client->gpu, config_selector_resolve(window->shell->config, selector));
}

static bool is_glob(const char *pattern, const char *text)
{
	return !pattern || fnmatch(pattern, text ? text : "", 0) == 0;
}

/* X11 windows have their class as application id. */
static bool is_class(const struct window *window, const char *pattern)
{
	const struct client *client = window->surface->client;
	return !pattern || (client && client->x_server && is_glob(pattern, window->app_id));
}

static bool is_sandbox(const struct window *window, const char *pattern)
{
	const struct client *client = window->surface->client;
	return !pattern ||
	       (client && client->sandboxed && is_glob(pattern, client->sandbox_app_id));
}

static bool matches(const struct config_window *rule, const struct window *window)
{
	int type = window->parent ? CONFIG_WINDOW_DIALOG : CONFIG_WINDOW_NORMAL;
	return is_glob(rule->app_id, window->app_id) && is_glob(rule->title, window->title) &&
	       is_class(window, rule->x_class) && is_sandbox(window, rule->sandbox_app_id) &&
	       (!rule->type || rule->type == type) && (!rule->gpu || is_on_gpu(window, rule->gpu));
}

static void take(int *to, int from)
{
	*to = from ? from : *to;
}

/* Overrides the settings that a later rule gives. */
static void override(struct config_window *to, const struct config_window *from)
{
	to->workspace = from->workspace ? from->workspace : to->workspace;
	to->output = from->output ? from->output : to->output;
	take(&to->layout, from->layout);
	take(&to->fullscreen, from->fullscreen);
	take(&to->maximized, from->maximized);
	take(&to->minimized, from->minimized);
	take(&to->sticky, from->sticky);
	take(&to->on_top, from->on_top);
	take(&to->focus, from->focus);
	take(&to->x_scale, from->x_scale);
	take(&to->decoration, from->decoration);
	take(&to->inhibit_idle, from->inhibit_idle);
	take(&to->tearing, from->tearing);
	take(&to->adaptive_sync, from->adaptive_sync);
	take(&to->upscale, from->upscale);
	take(&to->content_type, from->content_type);
	take(&to->hide_from_captures, from->hide_from_captures);
	to->hidden_rate = from->hidden_rate >= 0 ? from->hidden_rate : to->hidden_rate;
	to->opacity = from->opacity > 0 ? from->opacity : to->opacity;
	if (from->width > 0) {
		to->width = from->width;
		to->height = from->height;
	}
	if (from->has_position) {
		to->has_position = true;
		to->x = from->x;
		to->y = from->y;
	}
}

void rules_find(const struct window *window, struct config_window *found)
{
	const struct config_window *rule;
	*found = (struct config_window){.hidden_rate = -1};
	wl_list_for_each (rule, &window->shell->config->windows, link) {
		if (matches(rule, window)) {
			override(found, rule);
		}
	}
}

bool window_x_native(const struct window *window)
{
	struct config_window rule;
	rules_find(window, &rule);
	const int scale = rule.x_scale ? rule.x_scale : window->shell->config->xwayland.scale;
	return scale == CONFIG_X_SCALE_NATIVE;
}

struct workspace *rules_workspace(const struct window *window, const struct config_window *rule)
{
	struct shell *shell = window->shell;
	struct scene_output *output =
		rule->output ? scene_output_find_name(shell->scene, rule->output) : NULL;
	struct workspace *workspace = rule->workspace ? shell_get_workspace(shell, rule->workspace)
				      : output        ? workspace_on(shell, output)
						      : NULL;
	return workspace ? workspace : shell_workspace(shell);
}

/* Returns the layout of the workspace on which a window will open. Creates none. */
static int layout_for(const struct window *window, const struct config_window *rule)
{
	struct shell *shell = window->shell;
	if (rule->workspace && !shell_find_workspace(shell, rule->workspace)) {
		return config_layout_find(shell->config, rule->workspace);
	}
	return rules_workspace(window, rule)->layout;
}

void rules_apply_initial(struct window *window)
{
	struct window_private *own = window->private;
	struct config_window rule;
	rules_find(window, &rule);
	const bool floats = own->wants_floating || own->dock;
	own->floats = rule.layout ? rule.layout == CONFIG_WINDOW_FLOATING : floats;
	window->sticky = rule.sticky ? rule.sticky == INPUT_ON : own->dock;
	window->on_top = rule.on_top ? rule.on_top == INPUT_ON : own->dock;
	own->decoration_rule = rule.decoration;
	if (rule.decoration) {
		window_set_decorated(window, rule.decoration == INPUT_ON);
	}
	if (rule.width > 0 && own->saved.width == 0) {
		own->saved.width = rule.width;
		own->saved.height = rule.height;
	}
	/* Programs remember that they were maximised, and would cover the columns. */
	if (rule.maximized ||
		(window_can_tile(window) && layout_for(window, &rule) == CONFIG_LAYOUT_COLUMNS)) {
		window_request_maximize(window, rule.maximized == INPUT_ON);
	}
	if (rule.fullscreen) {
		struct scene_output *output =
			rule.output ? scene_output_find_name(window->shell->scene, rule.output)
				    : NULL;
		window_request_fullscreen(window, rule.fullscreen == INPUT_ON, output);
	}
}

static enum surface_wish wish(int value)
{
	return value == INPUT_ON    ? SURFACE_WISH_ON
	       : value == INPUT_OFF ? SURFACE_WISH_OFF
				    : SURFACE_WISH_CLIENT;
}

/* Few games tell the content type: these names are those of Steam, Wine and gamescope. */
static bool is_game(const struct window *window)
{
	static const char *const names[] = {"steam_app_*", "*.exe", "gamescope"};
	for (size_t i = 0; window->app_id && i < sizeof(names) / sizeof(names[0]); i++) {
		if (fnmatch(names[i], window->app_id, 0) == 0) {
			return true;
		}
	}
	return false;
}

void rules_apply_mapped(struct window *window, const struct config_window *rule)
{
	struct box area = shell_usable(window->shell, window->workspace->output);
	if (rule->has_position && window_floating(window)) {
		const struct frame_extents frame = window_outer_extents(window);
		struct box box = {area.x + rule->x + frame.left, area.y + rule->y + frame.top,
			window->geometry.width, window->geometry.height};
		box = window_fit(window, window->workspace->output, &box, WINDOW_FIT_RETURNED);
		window_set_position(window, box.x, box.y);
	}
	if (rule->opacity > 0) {
		scene_tree_set_opacity(window->surface_tree, (float)rule->opacity);
	}
	window->private->inhibits_idle = rule->inhibit_idle == INPUT_ON;
	window->surface->rules.tearing = wish(rule->tearing);
	window->surface->rules.variable = wish(rule->adaptive_sync);
	window->surface->rules.sharp = rule->upscale == CONFIG_UPSCALE_SHARP;
	window->surface->rules.content = rule->content_type;
	window->surface->rules.default_content =
		is_game(window) ? CONTENT_TYPE_GAME : CONTENT_TYPE_NONE;
	window->surface->rules.hidden_period = rule->hidden_rate > 0
						       ? (int64_t)(1e9 / rule->hidden_rate)
					       : rule->hidden_rate == 0 ? -1
									: 0;
	scene_tree_set_secret(window->tree, rule->hide_from_captures == INPUT_ON);
	if (rule->minimized) {
		window_set_minimized(window, rule->minimized == INPUT_ON);
	}
}
