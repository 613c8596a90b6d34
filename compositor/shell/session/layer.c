/* SPDX-License-Identifier: MIT */
/* Layer surfaces: panels, wallpapers and launchers; exclusive zones reduce the usable area. */

#include "seat/seat.h"
#include "session.h"
#include "shell/geometry/placement.h"
#include "shell/geometry/private.h"
#include "shell/windows/tiling.h"
#include "shell/windows/windows.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct layers {
	struct shell *shell;
	struct wl_listener reserved;
};

struct layer *layer_create(struct shell *shell, struct surface *surface,
	const struct layer_impl *impl, void *data, struct scene_output *output,
	enum shell_layer layer)
{
	struct layer *self = xcalloc(1, sizeof(*self));
	self->kind = SHELL_NODE_LAYER;
	self->impl = impl;
	self->shell = shell;
	self->surface = surface;
	self->data = data;
	self->output = output;
	self->layer = layer;
	self->sent_width = self->sent_height = -1;
	wl_list_init(&self->popups);
	wl_signal_init(&self->events.destroy);
	self->tree = scene_tree_create(shell->layers[layer]);
	self->tree->node.data = self;
	scene_node_set_enabled(&self->tree->node, false);
	self->surface_tree = scene_surface_tree_create(self->tree, surface);
	self->popup_tree = scene_tree_create(self->tree);
	wl_list_insert(shell->layer_surfaces.prev, &self->link);
	return self;
}

void layer_destroy(struct layer *layer)
{
	if (!layer) {
		return;
	}
	layer_unmap(layer);
	signal_emit(&layer->events.destroy, layer);
	assert(wl_list_empty(&layer->events.destroy.listener_list));
	wl_list_remove(&layer->link);
	scene_node_destroy(&layer->tree->node);
	free(layer);
}

/* Updates the keyboard focus; popups end when a layer with exclusive interactivity gets it. */
static void update_keyboard(struct shell *shell)
{
	const struct layer *focus = shell->private->layer_focus;
	if (focus && (!focus->mapped || focus->keyboard == LAYER_KEYBOARD_NONE)) {
		shell->private->layer_focus = NULL;
	}
	struct layer *exclusive = focus_exclusive_layer(shell);
	if (exclusive && shell->seat->keyboard.focus != exclusive->surface &&
		!focus_is_popup_of(exclusive)) {
		signal_emit(&shell->events.focus, shell->focus);
	}
	focus_update_keyboard(shell);
}

void layer_map(struct layer *layer)
{
	if (layer->mapped || !layer->output) {
		return;
	}
	layer->mapped = true;
	scene_node_set_enabled(&layer->tree->node, true);
	shell_arrange_layers(layer->shell, layer->output);
	if (layer->keyboard == LAYER_KEYBOARD_ON_DEMAND && layer->layer >= SHELL_TOP) {
		focus_layer(layer->shell, layer);
	}
	update_keyboard(layer->shell);
}

void layer_unmap(struct layer *layer)
{
	layer->configured = false;
	layer->sent_width = layer->sent_height = -1;
	if (!layer->mapped) {
		return;
	}
	layer->mapped = false;
	scene_node_set_enabled(&layer->tree->node, false);
	update_keyboard(layer->shell);
	if (layer->output) {
		shell_arrange_layers(layer->shell, layer->output);
	}
}

static void place(struct layer *layer, const struct box *output, struct box *usable)
{
	struct box box = layer_place(layer, output, usable);
	if (!box_equal(&box, &layer->box)) {
		layer->box = box;
		scene_node_set_position(&layer->tree->node, box.x, box.y);
		layer->impl->placed(layer);
	}
	if (layer->mapped) {
		layer_exclude(layer, usable);
	}
	if (layer->configured &&
		(layer->sent_width != box.width || layer->sent_height != box.height)) {
		layer->sent_width = box.width;
		layer->sent_height = box.height;
		layer->impl->configure(layer, box.width, box.height);
	}
}

static void place_all(struct shell *shell, struct scene_output *output, bool exclusive,
	const struct box *box, struct box *usable)
{
	for (int i = SHELL_OVERLAY; i >= SHELL_BACKGROUND; i--) {
		struct layer *layer;
		wl_list_for_each (layer, &shell->layer_surfaces, link) {
			if (layer->output == output && (int)layer->layer == i &&
				(layer->configured || layer->mapped) &&
				exclusive == (layer->exclusive_zone > 0)) {
				place(layer, box, usable);
			}
		}
	}
}

/* Moves floating windows out from under panels that cover their title bars, and back. */
static void uncover_windows(struct shell *shell, struct scene_output *output)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window->workspace && window->workspace->output == output) {
			home_settle(window);
		}
	}
}

void shell_arrange_layers(struct shell *shell, struct scene_output *output)
{
	struct box box = scene_output_box(output), usable = box;
	struct layer *layer;
	wl_list_for_each (layer, &shell->layer_surfaces, link) {
		if (layer->output == output) {
			scene_node_reparent(&layer->tree->node, shell->layers[layer->layer]);
		}
	}
	update_keyboard(shell);
	/* Surfaces with an exclusive zone come first, the uppermost nearest to the edge. */
	place_all(shell, output, true, &box, &usable);
	place_all(shell, output, false, &box, &usable);
	reserve_exclude(shell, output, &usable);
	if (!box_equal(&usable, &shell->usable[output->index])) {
		shell->usable[output->index] = usable;
		windows_arrange(shell);
		uncover_windows(shell, output);
		signal_emit(&shell->events.usable, output);
	}
}

void layers_output_removed(struct shell *shell, struct scene_output *output)
{
	struct layer *layer, *next;
	wl_list_for_each_safe (layer, next, &shell->layer_surfaces, link) {
		if (layer->output == output) {
			layer->output = NULL;
			layer->impl->closed(layer);
		}
	}
}

static void handle_reserved(struct wl_listener *listener, void *data)
{
	const struct layers *layers = wl_container_of(listener, layers, reserved);
	struct shell *shell = layers->shell;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (shell->scene->outputs[i]) {
			shell_arrange_layers(shell, shell->scene->outputs[i]);
		}
	}
}

void layers_init(struct shell *shell)
{
	struct layers *layers = xcalloc(1, sizeof(*layers));
	shell->private->layer_list = layers;
	layers->shell = shell;
	signal_add(&shell->events.reserved, &layers->reserved, handle_reserved);
}

void layers_finish(struct shell *shell)
{
	wl_list_remove(&shell->private->layer_list->reserved.link);
	free(shell->private->layer_list);
}
