/* SPDX-License-Identifier: MIT */
/* The shell: creation, configuration and shared state. */

#include "seat/seat.h"
#include "session.h"
#include "shell/geometry/private.h"
#include "shell/input/input.h"
#include "shell/look/look.h"
#include "shell/views/views.h"
#include "shell/windows/motion.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

void shell_update_background(struct shell *shell)
{
	scene_color(
		shell->locked ? 0 : shell->config->look.background.top, shell->scene->background);
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			scene_output_damage_all(shell->scene->outputs[i]);
		}
	}
}

static void apply_look(struct shell *shell)
{
	seat_set_cursor_theme(
		shell->seat, shell->config->look.cursor_theme, shell->config->look.cursor_size);
	shell_update_background(shell);
	wallpapers_update(shell);
}

static void apply_keyboard(struct shell *shell)
{
	const struct config *config = shell->config;
	seat_set_keymap(shell->seat, &(struct seat_keymap_names){config->keyboard.rules,
					     config->keyboard.model, config->keyboard.layout,
					     config->keyboard.variant, config->keyboard.options});
	seat_set_repeat(shell->seat, config->keyboard.repeat_rate, config->keyboard.repeat_delay);
}

struct shell *shell_create(struct scene *scene, struct seat *seat, struct clock *clock,
	const struct shell_host *host, struct config *config)
{
	struct shell *shell = xcalloc(1, sizeof(*shell));
	shell->scene = scene;
	shell->seat = seat;
	shell->clock = clock;
	shell->host = host;
	shell->config = config;
	shell->private = xcalloc(1, sizeof(*shell->private));
	wl_list_init(&shell->windows);
	wl_list_init(&shell->private->all_windows);
	wl_list_init(&shell->layer_surfaces);
	signals_init(&shell->events, sizeof(shell->events));
	for (int i = 0; i < SHELL_LAYER_COUNT; i++) {
		shell->layers[i] = scene_tree_create(&scene->root);
	}
	scene_node_set_enabled(&shell->layers[SHELL_LOCK]->node, false);
	shell->private->bottom_layer = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	shell->private->tiled_layer = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	shell->private->floating_layer = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	shell->private->top_layer = scene_tree_create(shell->layers[SHELL_WINDOWS]);
	transactions_init(shell);
	closings_init(shell);
	motions_init(shell);
	workspaces_init(shell);
	outputs_init(shell);
	layers_init(shell);
	focus_init(shell);
	presses_init(shell);
	shell_power_init(shell);
	bindings_init(shell);
	pointer_bindings_init(shell);
	messages_init(shell);
	wallpapers_init(shell);
	app_icons_init(shell);
	decorations_init(shell);
	bell_init(shell);
	lock_lost_init(shell);
	screenshots_init(shell);
	missing_init(shell);
	apply_look(shell);
	apply_keyboard(shell);
	return shell;
}

void shell_destroy(struct shell *shell)
{
	if (!shell) {
		return;
	}
	cycle_cancel(shell);
	menu_close(shell);
	overview_close(shell);
	signal_emit(&shell->events.destroy, shell);
	assert(wl_list_empty(&shell->private->all_windows) &&
		wl_list_empty(&shell->layer_surfaces));
	assert(wl_list_empty(&shell->events.destroy.listener_list));
	assert(wl_list_empty(&shell->events.lock.listener_list));
	assert(wl_list_empty(&shell->events.mode.listener_list));
	assert(wl_list_empty(&shell->events.redraw.listener_list));
	assert(wl_list_empty(&shell->events.new_workspace.listener_list));
	assert(wl_list_empty(&shell->events.workspaces.listener_list));
	assert(wl_list_empty(&shell->events.toggle_shortcuts.listener_list));
	magnifier_finish(shell);
	screenshots_finish(shell);
	missing_finish(shell);
	lock_lost_finish(shell);
	bell_finish(shell);
	decorations_finish(shell);
	app_icons_finish(shell);
	wallpapers_finish(shell);
	messages_finish(shell);
	pointer_bindings_finish(shell);
	bindings_finish(shell);
	shell_power_finish(shell);
	presses_finish(shell);
	focus_finish(shell);
	layers_finish(shell);
	outputs_finish(shell);
	motions_finish(shell);
	closings_finish(shell);
	workspaces_finish(shell);
	transactions_finish(shell);
	for (int i = 0; i < SHELL_LAYER_COUNT; i++) {
		scene_node_destroy(&shell->layers[i]->node);
	}
	config_destroy(shell->config);
	free(shell->private);
	free(shell);
}

void shell_set_config(struct shell *shell, struct config *config)
{
	config_destroy(shell->config);
	shell->config = config;
	workspaces_limit(shell, config->look.workspaces);
	workspaces_configure(shell);
	shell_set_mode(shell, NULL); /* the new configuration may lack it */
	apply_look(shell);
	apply_keyboard(shell);
	title_bars_reset(shell);
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		decoration_update(window);
	}
	windows_arrange(shell);
}
