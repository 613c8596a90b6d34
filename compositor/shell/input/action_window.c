/* SPDX-License-Identifier: MIT */
/* Actions on a window: the focused one. */

#include "action.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include <string.h>

void action_close(struct window *window, const char *argument)
{
	window_close(window);
}

void action_fullscreen(struct window *window, const char *argument)
{
	window_request_fullscreen(window, !(window->states & WINDOW_FULLSCREEN), NULL);
}

void action_maximize(struct window *window, const char *argument)
{
	window_request_maximize(window, !(window->states & WINDOW_MAXIMIZED));
}

void action_minimize(struct window *window, const char *argument)
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
	if (window->private->tiled) {
		action_move(window, direction);
	} else {
		tile(window, edge | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
	}
}

void action_tile_left(struct window *window, const char *argument)
{
	tile_sideways(window, "left", WINDOW_TILED_LEFT);
}

void action_tile_right(struct window *window, const char *argument)
{
	tile_sideways(window, "right", WINDOW_TILED_RIGHT);
}

/* Tiles the window to a half or a quarter of the output. */
void action_tile(struct window *window, const char *argument)
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
		if (!window->private->tiled && strcmp(places[i].name, argument) == 0) {
			tile(window, places[i].edges);
		}
	}
}

void action_always_on_top(struct window *window, const char *argument)
{
	window_set_on_top(window, !window->on_top);
}

void action_kill(struct window *window, const char *argument)
{
	if (window->impl->kill) {
		window->impl->kill(window);
	}
}

void action_move_to_workspace(struct window *window, const char *argument)
{
	struct shell *shell = window->shell;
	struct workspace *workspace = shell_get_workspace(shell, argument);
	const struct window *focus = shell->focus;
	const bool elsewhere = focus && focus->workspace != workspace;
	if (!workspace) {
		return;
	}
	shell_move_to_workspace(shell, window, workspace);
	focus = shell->focus;
	/* Another output may show the workspace: the user stays on the active one. */
	if (elsewhere && focus && focus->workspace == workspace &&
		workspace != shell_workspace(shell)) {
		shell_refocus(shell);
	}
}

void action_follow_to_workspace(struct window *window, const char *argument)
{
	struct workspace *workspace = shell_get_workspace(window->shell, argument);
	if (workspace) {
		shell_move_to_workspace(window->shell, window, workspace);
		window_focus(window);
	}
}

void action_sticky(struct window *window, const char *argument)
{
	window_set_sticky(window, !window->sticky);
}

static const struct {
	const char *name;
	void (*run)(struct window *window, const char *argument);
} actions[] = {
#define WINDOW_ACTION(name, function, argument, effect, details) {name, function},
#include "config/actions.def"
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

bool window_run_action(struct window *window, const char *action, const char *argument)
{
	const int index = find(action);
	if (index >= 0 && window) {
		actions[index].run(window, argument);
	}
	return index >= 0;
}
