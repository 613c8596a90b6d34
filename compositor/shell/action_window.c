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

static void tile_left(struct window *window, const char *argument)
{
	tile(window, WINDOW_TILED_LEFT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
}

static void tile_right(struct window *window, const char *argument)
{
	tile(window, WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
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
	{"close", close_window},
	{"follow-to-workspace", follow_to_workspace},
	{"fullscreen", fullscreen},
	{"maximize", maximize},
	{"minimize", minimize},
	{"move-to-output", move_to_output},
	{"move-to-workspace", move_to_workspace},
	{"sticky", sticky},
	{"tile-left", tile_left},
	{"tile-right", tile_right},
};

bool window_run_action(
	struct shell *shell, struct window *window, const char *action, const char *argument)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, action) == 0) {
			if (window) {
				actions[i].run(window, argument);
			}
			return true;
		}
	}
	return false;
}
