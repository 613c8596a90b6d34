/* SPDX-License-Identifier: MIT */
/* Actions on a window: the focused one. */

#include "internal.h"
#include <string.h>

static void close_window(struct window *window, const char *argument)
{
	window_close(window);
}

static void fullscreen(struct window *window, const char *argument)
{
	window_request_fullscreen(window, !(window->states & WINDOW_FULLSCREEN), NULL);
}

static void maximize(struct window *window, const char *argument)
{
	window_request_maximize(window, !(window->states & WINDOW_MAXIMIZED));
}

static void minimize(struct window *window, const char *argument)
{
	window_request_minimize(window);
}

/* Tiles the window; a second request for the same side untiles it. */
static void tile(struct window *window, uint32_t edges)
{
	if ((window->states & WINDOW_FULLSCREEN)) {
		return;
	}
	window_tile(window, (window->states & WINDOW_TILED) == edges ? 0 : edges);
}

/* Moves a tiled window by a column; tiles another one to a half of the output. */
static void tile_sideways(struct window *window, const char *direction, uint32_t edge)
{
	if (window->tiled) {
		action_move(window, direction);
	} else {
		tile(window, edge | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
	}
}

static void tile_left(struct window *window, const char *argument)
{
	tile_sideways(window, "left", WINDOW_TILED_LEFT);
}

static void tile_right(struct window *window, const char *argument)
{
	tile_sideways(window, "right", WINDOW_TILED_RIGHT);
}

/* Tiles the window to a half or a quarter of the output. */
static void tile_to(struct window *window, const char *argument)
{
	static const struct {
		const char *name;
		uint32_t edges;
	} places[] = {
		{"left", WINDOW_TILED_LEFT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM},
		{"right", WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM},
		{"top", WINDOW_TILED_TOP | WINDOW_TILED_LEFT | WINDOW_TILED_RIGHT},
		{"bottom", WINDOW_TILED_BOTTOM | WINDOW_TILED_LEFT | WINDOW_TILED_RIGHT},
		{"top-left", WINDOW_TILED_TOP | WINDOW_TILED_LEFT},
		{"top-right", WINDOW_TILED_TOP | WINDOW_TILED_RIGHT},
		{"bottom-left", WINDOW_TILED_BOTTOM | WINDOW_TILED_LEFT},
		{"bottom-right", WINDOW_TILED_BOTTOM | WINDOW_TILED_RIGHT},
	};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!window->tiled && strcmp(places[i].name, argument) == 0) {
			tile(window, places[i].edges);
		}
	}
}

static void always_on_top(struct window *window, const char *argument)
{
	window_set_on_top(window, !window->on_top);
}

static void kill_window(struct window *window, const char *argument)
{
	if (window->impl->kill) {
		window->impl->kill(window);
	}
}

static void move_to_workspace(struct window *window, const char *argument)
{
	struct workspace *workspace = shell_get_workspace(window->shell, argument);
	if (workspace) {
		shell_move_to_workspace(window->shell, window, workspace);
	}
}

static void follow_to_workspace(struct window *window, const char *argument)
{
	struct workspace *workspace = shell_get_workspace(window->shell, argument);
	if (workspace) {
		shell_move_to_workspace(window->shell, window, workspace);
		window_focus(window);
	}
}

static void move_to_output(struct window *window, const char *argument)
{
	struct shell *shell = window->shell;
	struct scene_output *output = shell_find_output(shell, argument);
	struct workspace *shown = output ? workspace_on(shell, output) : NULL;
	if (shown) {
		shell_move_to_workspace(shell, window, shown);
		window_focus(window);
	}
}

static void sticky(struct window *window, const char *argument)
{
	window_set_sticky(window, !window->sticky);
}

static const struct {
	const char *name;
	void (*run)(struct window *window, const char *argument);
} actions[] = {
	{"always-on-top", always_on_top},
	{"close", close_window},
	{"follow-to-workspace", follow_to_workspace},
	{"fullscreen", fullscreen},
	{"join", action_join},
	{"kill", kill_window},
	{"maximize", maximize},
	{"minimize", minimize},
	{"move", action_move},
	{"move-to-output", move_to_output},
	{"move-to-scratchpad", action_move_to_scratchpad},
	{"move-to-workspace", move_to_workspace},
	{"resize", action_resize},
	{"sticky", sticky},
	{"swap", action_swap},
	{"tile", tile_to},
	{"tile-left", tile_left},
	{"tile-right", tile_right},
	{"toggle-floating", action_toggle_floating},
	{"toggle-tabbed", action_toggle_tabbed},
	{"width", action_width},
};

/* Returns the index of an action, or -1. */
static int find(const char *action)
{
	for (int i = 0; i < (int)(sizeof(actions) / sizeof(actions[0])); i++) {
		if (strcmp(actions[i].name, action) == 0) {
			return i;
		}
	}
	return -1;
}

bool window_has_action(const char *action)
{
	return find(action) >= 0;
}

bool window_run_action(
	struct shell *shell, struct window *window, const char *action, const char *argument)
{
	const int index = find(action);
	if (index >= 0 && window) {
		actions[index].run(window, argument);
	}
	return index >= 0;
}
