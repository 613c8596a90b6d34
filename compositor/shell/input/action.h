/* SPDX-License-Identifier: MIT */
#pragma once

/** Functions of actions, with a checked argument. */

#include <stdbool.h>

struct shell;
struct window;

#define SHELL_ACTION(name, function, argument, effect, details)                                    \
	void function(struct shell *shell, const char *argument);
#define WINDOW_ACTION(name, function, argument, effect, details)                                   \
	void function(struct window *window, const char *argument);
#include "config/actions.def"

/* spawn.c */
/** Runs a command line in the user's shell. */
void shell_spawn(struct shell *shell, const char *command);

/* action.c */
/** Returns the window on which actions run, or NULL. */
struct window *action_window(struct shell *shell);

/* action_window.c */
/** Runs an action on a window; NULL: none, nothing happens. Returns false if there is none. */
bool window_run_action(struct window *window, const char *action, const char *argument);
/** Returns whether the action is one on a window. */
bool window_has_action(const char *action);
