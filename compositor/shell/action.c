/* SPDX-License-Identifier: MIT */
/* Actions: commands of the shell by name, for key bindings, switches and causewayctl. */

#include "internal.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Runs the line in the user's shell, so that quotes and variables work. */
void shell_spawn(struct shell *shell, const char *command)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	char *error = NULL;
	if (!shell->host->spawn(shell->host->data, argv, &error)) {
		log_warn("cannot start '%s': %s", command, error ? error : "unknown error");
	}
	free(error);
}

static void reload(struct shell *shell)
{
	char *error = NULL;
	shell->host->reload(shell->host->data, &error); /* reports errors itself */
	free(error);
}

/* Restores the most recently minimised window. */
static void restore(struct shell *shell)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->minimized && window->workspace &&
			window->workspace->index == shell->active_workspace) {
			window_focus(window);
			return;
		}
	}
}

static void toggle_fullscreen(struct window *window)
{
	window_request_fullscreen(window, !(window->states & WINDOW_FULLSCREEN), NULL);
}

static void toggle_maximize(struct window *window)
{
	window_request_maximize(window, !(window->states & WINDOW_MAXIMIZED));
}

/* Tiles the window; a second request for the same side untiles it. */
static void tile(struct window *window, uint32_t edges)
{
	if ((window->states & WINDOW_FULLSCREEN)) {
		return;
	}
	window_tile(window, (window->states & WINDOW_TILED) == edges ? 0 : edges);
}

static void tile_left(struct window *window)
{
	tile(window, WINDOW_TILED_LEFT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
}

static void tile_right(struct window *window)
{
	tile(window, WINDOW_TILED_RIGHT | WINDOW_TILED_TOP | WINDOW_TILED_BOTTOM);
}

/* Actions on the focused window; they do nothing without one. */
static const struct {
	const char *name;
	void (*run)(struct window *window);
} window_actions[] = {
	{"close", window_close},
	{"fullscreen", toggle_fullscreen},
	{"maximize", toggle_maximize},
	{"minimize", window_request_minimize},
	{"tile-left", tile_left},
	{"tile-right", tile_right},
};

static bool run_on_window(struct shell *shell, const char *action)
{
	for (size_t i = 0; i < sizeof(window_actions) / sizeof(window_actions[0]); i++) {
		if (strcmp(window_actions[i].name, action) == 0) {
			if (shell->focus) {
				window_actions[i].run(shell->focus);
			}
			return true;
		}
	}
	return false;
}

static bool run_with_number(struct shell *shell, const char *action, const char *argument)
{
	char *end = NULL;
	long n = argument ? strtol(argument, &end, 10) : 0;
	if (!argument || *argument == '\0' || *end != '\0' || n < 1 || n > 99) {
		return false;
	}
	if (strcmp(action, "workspace") == 0) {
		shell_switch_workspace(shell, (int)n - 1);
	} else if (strcmp(action, "move-to-workspace") == 0) {
		if (shell->focus) {
			shell_move_to_workspace(shell, shell->focus, (int)n - 1);
		}
	} else if (strcmp(action, "switch-vt") == 0) {
		shell->host->switch_vt(shell->host->data, (int)n);
	} else {
		return false;
	}
	return true;
}

bool shell_run_action(struct shell *shell, const char *action, const char *argument)
{
	bool cycles = strcmp(action, "cycle") == 0 || strcmp(action, "cycle-back") == 0;
	if (!cycles) {
		cycle_finish(shell);
	}
	if (cycles) {
		cycle_step(shell, strcmp(action, "cycle-back") == 0);
	} else if (strcmp(action, "spawn") == 0 && argument) {
		shell_spawn(shell, argument);
	} else if (strcmp(action, "quit") == 0) {
		shell->host->quit(shell->host->data);
	} else if (strcmp(action, "reload") == 0) {
		reload(shell);
	} else if (strcmp(action, "toggle-shortcuts") == 0) {
		signal_emit(&shell->events.toggle_shortcuts, NULL);
	} else if (strcmp(action, "restore") == 0) {
		restore(shell);
	} else {
		return run_on_window(shell, action) || run_with_number(shell, action, argument);
	}
	return true;
}
