/* SPDX-License-Identifier: MIT */
/* Actions: commands of the shell by name, for keys, buttons, switches and causewayctl. */

#include "action.h"
#include "input.h"
#include "seat/seat.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "shell/look/look.h"
#include "shell/views/views.h"
#include "shell/windows/workspaces.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

void action_cycle(struct shell *shell, const char *argument)
{
	cycle_step(shell, false);
}

void action_cycle_back(struct shell *shell, const char *argument)
{
	cycle_step(shell, true);
}

void action_quit(struct shell *shell, const char *argument)
{
	shell->host->quit(shell->host->data);
}

void action_reload(struct shell *shell, const char *argument)
{
	char *error = NULL;
	shell->host->reload(shell->host->data, &error); /* reports errors itself */
	free(error);
}

void action_toggle_shortcuts(struct shell *shell, const char *argument)
{
	signal_emit(&shell->events.toggle_shortcuts, NULL);
}

void action_switch_vt(struct shell *shell, const char *argument)
{
	shell->host->switch_vt(shell->host->data, workspace_number(argument));
}

/* Restores the most recently minimised window. */
void action_restore(struct shell *shell, const char *argument)
{
	const struct workspace *workspace = shell_workspace(shell);
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->minimized && !window->private->scratchpad &&
			window->workspace == workspace) {
			window_focus(window);
			return;
		}
	}
}

void action_workspace(struct shell *shell, const char *argument)
{
	shell_switch_workspace(shell, argument);
}

void action_workspace_next(struct shell *shell, const char *argument)
{
	shell_show_workspace(shell, workspace_step(shell, false));
}

void action_workspace_previous(struct shell *shell, const char *argument)
{
	shell_show_workspace(shell, workspace_step(shell, true));
}

void action_workspace_back(struct shell *shell, const char *argument)
{
	if (shell->private->previous_workspace) {
		char *name =
			xstrdup(shell->private->previous_workspace); /* the switch replaces it */
		shell_switch_workspace(shell, name);
		free(name);
	}
}

void action_workspace_to_output(struct shell *shell, const char *argument)
{
	struct scene_output *output = shell_find_output(shell, argument);
	if (output) {
		workspace_move_to_output(shell_workspace(shell), output);
	}
}

void action_focus_output(struct shell *shell, const char *argument)
{
	struct scene_output *output = shell_find_output(shell, argument);
	struct workspace *shown = output ? workspace_on(shell, output) : NULL;
	if (!shown) {
		return;
	}
	/* A game that holds the pointer would keep it on its own output. */
	const bool held = shell->seat->pointer.constraint;
	shell_show_workspace(shell, shown);
	if (held) {
		const struct box box = scene_output_box(output);
		pointer_warp(shell->seat,
			(struct coord_global){box.x + box.width / 2.0, box.y + box.height / 2.0});
	}
}

void action_overview(struct shell *shell, const char *argument)
{
	if (shell->private->overview) {
		overview_close(shell);
	} else {
		overview_open(shell);
	}
}

void action_help(struct shell *shell, const char *argument)
{
	shell_toggle_help(shell);
}

/* Selects the bindings of a [mode NAME]; "default": those of [keys]. */
void action_mode(struct shell *shell, const char *argument)
{
	if (!config_has_mode(shell->config, argument)) {
		log_warn("there is no [mode %s] with bindings", argument);
		return;
	}
	shell_set_mode(shell, strcmp(argument, "default") != 0 ? argument : NULL);
}

void action_next_keyboard_layout(struct shell *shell, const char *argument)
{
	seat_next_layout(shell->seat);
}

/* Actions of the session. */
static const struct {
	const char *name;
	void (*run)(struct shell *shell, const char *argument);
} actions[] = {
#define SHELL_ACTION(name, function, argument, effect, details) {name, function},
#include "config/actions.def"
};

static bool is_cycling(const char *action)
{
	return strcmp(action, "cycle") == 0 || strcmp(action, "cycle-back") == 0;
}

/* Magnification changes the view only: the switcher, menus and the overview stay open. */
static bool is_magnification(const char *action)
{
	return strncmp(action, "magnify-", strlen("magnify-")) == 0;
}

struct window *action_window(struct shell *shell)
{
	struct window *clicked = shell->private->clicked;
	return clicked && window_shown(clicked) ? clicked : shell->focus;
}

bool shell_run_action(struct shell *shell, const char *action, const char *argument)
{
	const struct config_action_info *info = config_action_find(action);
	if (!info || (info->argument != CONFIG_ARGUMENT_NONE && !argument)) {
		return false;
	}
	const bool keeps = is_magnification(action);
	if (!is_cycling(action) && !keeps) {
		cycle_finish(shell);
		menu_close(shell);
	}
	if (strcmp(action, "overview") != 0 && !keeps) {
		overview_close(shell);
	}
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].name, action) == 0) {
			actions[i].run(shell, argument);
			return true;
		}
	}
	return window_run_action(action_window(shell), action, argument);
}
