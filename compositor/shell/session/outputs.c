/* SPDX-License-Identifier: MIT */
/*
 * Output changes: moves windows from removed outputs to visible ones, and back when the output
 * returns.
 */

#include "session.h"
#include "shell/geometry/private.h"
#include "shell/input/input.h"
#include "shell/views/views.h"
#include "shell/windows/motion.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "shell/windows/workspaces.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct outputs {
	struct shell *shell;
	struct wl_listener added, removed, layout_changed; /* of the scene */
};

static bool has_outputs(const struct shell *shell)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			return true;
		}
	}
	return false;
}

static void handle_removed(struct wl_listener *listener, void *data)
{
	const struct outputs *outputs = wl_container_of(listener, outputs, removed);
	struct shell *shell = outputs->shell;
	struct scene_output *output = data;
	struct window_private *each;
	cycle_cancel(shell);
	menu_close(shell);
	overview_close(shell);
	motions_end(shell);
	wl_list_for_each (each, &shell->private->all_windows, created_link) {
		struct window *window = each->window;
		home_keep(window);
		if (each->fullscreen_output == output) {
			each->fullscreen_output = NULL;
		}
		for (int i = 0; i < WINDOW_SPAN; i++) {
			if (each->span[i] == output) {
				window_clear_span(window);
			}
		}
	}
	shell->usable[output->index] = (struct box){0};
	if (shell->private->pointer_output == output) {
		shell->private->pointer_output = NULL;
	}
	workspaces_remove_output(shell, output);
	layers_output_removed(shell, output);
}

static void note_boxes(struct shell *shell)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct scene_output *output = shell->scene->outputs[i];
		shell->private->output_boxes[i] =
			output ? scene_output_box(output) : (struct box){0};
	}
}

/* An output that is added passes through several layouts: homes make the last one decide. */
static void handle_layout_changed(struct wl_listener *listener, void *data)
{
	const struct outputs *outputs = wl_container_of(listener, outputs, layout_changed);
	struct shell *shell = outputs->shell;
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		home_keep(window);
	}
	note_boxes(shell);
	if (!has_outputs(shell)) {
		return; /* windows keep their positions until an output is added */
	}
	wl_list_for_each (window, &shell->windows, link) {
		if (window->private->reserves) {
			home_settle(window); /* its output determines the usable areas */
		}
	}
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			shell_arrange_layers(shell, shell->scene->outputs[i]);
		}
	}
	wl_list_for_each (window, &shell->windows, link) {
		home_settle(window);
	}
	windows_arrange(shell);
	wl_list_for_each (window, &shell->windows, link) {
		signal_emit(&window->events.applied, window);
	}
}

static void handle_added(struct wl_listener *listener, void *data)
{
	const struct outputs *outputs = wl_container_of(listener, outputs, added);
	struct shell *shell = outputs->shell;
	struct scene_output *output = data;
	motions_end(shell);
	shell->usable[output->index] = scene_output_box(output);
	workspaces_add_output(shell, output);
}

void outputs_init(struct shell *shell)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			shell->usable[i] = scene_output_box(shell->scene->outputs[i]);
		}
	}
	note_boxes(shell);
	struct outputs *outputs = xcalloc(1, sizeof(*outputs));
	shell->private->outputs = outputs;
	outputs->shell = shell;
	signal_add(&shell->scene->events.output_added, &outputs->added, handle_added);
	signal_add(&shell->scene->events.output_removed, &outputs->removed, handle_removed);
	signal_add(&shell->scene->events.layout_changed, &outputs->layout_changed,
		handle_layout_changed);
}

void outputs_finish(struct shell *shell)
{
	wl_list_remove(&shell->private->outputs->added.link);
	wl_list_remove(&shell->private->outputs->removed.link);
	wl_list_remove(&shell->private->outputs->layout_changed.link);
	free(shell->private->outputs);
}
