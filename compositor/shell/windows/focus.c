/* SPDX-License-Identifier: MIT */
/* Focus: the active window, and the keyboard focus. */

#include "seat/seat.h"
#include "shell/geometry/facts.h"
#include "shell/geometry/private.h"
#include "surface/surface.h"
#include "tiling.h"
#include "util/xalloc.h"
#include "windows.h"
#include <stdlib.h>

struct popup_focus {
	struct shell *shell;
	struct surface *surface; /* grabbing popup that has the keyboard; NULL: none */
	struct wl_listener destroy; /* of the surface */
};

struct layer *focus_exclusive_layer(struct shell *shell)
{
	struct layer *best = NULL, *layer;
	wl_list_for_each (layer, &shell->layer_surfaces, link) {
		if (layer->mapped && layer->keyboard == LAYER_KEYBOARD_EXCLUSIVE &&
			layer->layer >= SHELL_TOP && (!best || layer->layer >= best->layer)) {
			best = layer;
		}
	}
	return best;
}

static struct surface *keyboard_target(struct shell *shell)
{
	if (shell->locked) {
		return shell->lock_focus;
	}
	struct layer *exclusive = focus_exclusive_layer(shell);
	struct surface *popup = shell->private->popup_focus->surface;
	if (popup && (!exclusive || layer_from_surface(popup) == exclusive)) {
		return popup;
	}
	if (exclusive) {
		return exclusive->surface;
	}
	if (shell->private->layer_focus) {
		return shell->private->layer_focus->surface;
	}
	return shell->focus && !shell->focus->private->cover ? shell->focus->surface : NULL;
}

void focus_update_keyboard(struct shell *shell)
{
	struct surface *target = keyboard_target(shell);
	if (shell->seat->keyboard.focus != target) {
		keyboard_set_focus(shell->seat, target);
	}
}

static struct window *modal_child(const struct window *window)
{
	struct window *child;
	wl_list_for_each (child, &window->children, sibling_link) {
		if (child->private->modal && !child->private->no_focus && window_shown(child)) {
			return child;
		}
	}
	return NULL;
}

struct window *focus_target(struct window *window)
{
	for (struct window *child = window; child; child = modal_child(window)) {
		window = child;
	}
	return window;
}

static void calm(struct window *window)
{
	if (window->urgent) {
		window->urgent = false;
		signal_emit(&window->shell->events.frame, window);
		signal_emit(&window->shell->events.workspaces, NULL);
	}
}

/* Focuses a window, or its modal dialog, without raising it; NULL: none. */
static void focus_set(struct shell *shell, struct window *window)
{
	struct window *old = shell->focus;
	if (window) {
		calm(window);
		window = focus_target(window);
		calm(window);
		window_used_last(window);
		if (window->workspace && window->workspace->output) {
			shell->private->output = window->workspace->output;
		}
	}
	if (old == window) {
		focus_update_keyboard(shell);
		return;
	}
	shell->focus = window;
	shell->private->clicked = NULL;
	shell->private->typed = shell->private->pressed = 0;
	if (old) {
		window_update(old);
	}
	if (window) {
		window_update(window);
	}
	if (window) {
		tiling_focus(window);
	}
	stack_update(shell);
	signal_emit(&shell->events.focus, window);
	focus_update_keyboard(shell);
}

void focus_modal(struct window *window)
{
	struct shell *shell = window->shell;
	if (window->private->modal && window->parent && shell->focus == window->parent) {
		focus_set(shell, shell->focus);
	}
}

void window_set_modal(struct window *window, bool modal)
{
	window->private->modal = modal;
	focus_modal(window);
}

void focus_layer(struct shell *shell, struct layer *layer)
{
	if (shell->private->layer_focus != layer) {
		shell->private->layer_focus = layer;
		signal_emit(&shell->events.focus, shell->focus);
	}
	focus_update_keyboard(shell);
}

/* Takes the keyboard from a panel or prompt, unless that has it exclusively. */
static void release_layer(struct shell *shell)
{
	const struct layer *layer = shell->private->layer_focus;
	if (layer && layer->keyboard != LAYER_KEYBOARD_EXCLUSIVE) {
		shell->private->layer_focus = NULL;
	}
}

/* Ends the fullscreen and maximised states of the windows that cover a tile. */
static void uncover(const struct window *window)
{
	struct window *cover = stack_cover(window);
	for (; cover; cover = stack_cover(window)) {
		if (cover->states & WINDOW_FULLSCREEN) {
			window_request_fullscreen(cover, false, NULL);
		} else {
			window_request_maximize(cover, false);
		}
	}
}

void window_focus(struct window *window)
{
	struct shell *shell = window->shell;
	if (!window->mapped) {
		return;
	}
	window_set_minimized(window, false);
	if (!window->workspace->shown) {
		shell_show_workspace(shell, window->workspace);
	}
	uncover(window);
	calm(window);
	if (!window->private->no_focus) {
		shell->private->layer_focus = NULL;
		focus_set(shell, window);
	}
	window_raise(window);
}

/* A layer surface with exclusive keyboard interactivity, such as a password prompt, keeps it. */
void focus_new_window(struct window *window, bool always)
{
	struct window *cover = stack_cover(window);
	struct window *before = cover ? cover : window->shell->focus;
	if (!always && (cover || window_interrupts_typing(window))) {
		window_update(window);
		window_activate(window, false);
		tiling_focus(before);
		window_raise(before);
		return;
	}
	uncover(window);
	if (window->private->no_focus) {
		window_update(window);
		window_raise(window);
		return;
	}
	release_layer(window->shell);
	focus_set(window->shell, window);
	window_raise(window);
}

/* Returns the window of the workspace that was used last and can have the focus, or NULL. */
static struct window *best(struct shell *shell, const struct workspace *workspace)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (window_shown(window) && !window->private->no_focus &&
			window->workspace == workspace && !stack_cover(window)) {
			return window;
		}
	}
	return NULL;
}

void shell_refocus(struct shell *shell)
{
	release_layer(shell);
	focus_set(shell, best(shell, shell_workspace(shell)));
}

/* Returns the window that gets the focus of another one, which can no longer have it, or NULL. */
static struct window *heir_of(const struct window *window)
{
	struct window *next = window->parent;
	while (next && (next->private->no_focus || !window_shown(next) || stack_cover(next))) {
		next = next->parent;
	}
	/* The pointer may have made another output the active one. */
	next = next ? next : best(window->shell, window->workspace);
	return next ? next : best(window->shell, shell_workspace(window->shell));
}

void window_set_takes_focus(struct window *window, bool takes_focus)
{
	window->private->no_focus = !takes_focus;
	if (!takes_focus && window->shell->focus == window) {
		focus_set(window->shell, heir_of(window));
	}
}

void focus_lost(struct window *window)
{
	struct shell *shell = window->shell;
	if (shell->private->clicked == window) {
		shell->private->clicked = NULL;
	}
	if (shell->focus != window) {
		return;
	}
	focus_set(shell, heir_of(window));
	if (shell->focus) {
		window_raise(shell->focus);
	}
}

static void handle_popup_focus_destroy(struct wl_listener *listener, void *data)
{
	const struct popup_focus *popup = wl_container_of(listener, popup, destroy);
	shell_set_popup_focus(popup->shell, NULL);
}

void shell_set_popup_focus(struct shell *shell, struct surface *surface)
{
	struct popup_focus *popup = shell->private->popup_focus;
	if (popup->surface == surface) {
		return;
	}
	wl_list_remove(&popup->destroy.link);
	wl_list_init(&popup->destroy.link);
	popup->surface = surface;
	if (surface) {
		signal_add(&surface->events.destroy, &popup->destroy, handle_popup_focus_destroy);
	}
	focus_update_keyboard(shell);
}

bool focus_is_popup_of(const struct layer *layer)
{
	struct surface *popup = layer->shell->private->popup_focus->surface;
	return popup && layer_from_surface(popup) == layer;
}

void focus_data(struct shell *shell, void *data)
{
	struct window *window = window_from_data(data);
	struct layer *layer = layer_from_data(data);
	shell->private->clicked = NULL;
	if (window) {
		window_focus(window);
		shell->private->clicked = window->private->no_focus ? window : NULL;
	} else if (layer && layer->keyboard != LAYER_KEYBOARD_NONE) {
		focus_layer(shell, layer);
	} else if (!data || (layer && layer->layer <= SHELL_BOTTOM)) {
		/* The desktop was pressed. Panels may be keyboards on the screen. */
		release_layer(shell);
		focus_update_keyboard(shell);
	}
}

void shell_focus_at(struct shell *shell, struct coord_global at)
{
	focus_data(shell, scene_at(shell->scene, at).data);
}

void focus_init(struct shell *shell)
{
	struct popup_focus *popup = xcalloc(1, sizeof(*popup));
	shell->private->popup_focus = popup;
	popup->shell = shell;
	wl_list_init(&popup->destroy.link);
}

void focus_finish(struct shell *shell)
{
	wl_list_remove(&shell->private->popup_focus->destroy.link);
	free(shell->private->popup_focus);
}

void window_activate(struct window *window, bool allowed)
{
	if (!window->mapped) {
		window->private->may_focus = allowed;
		return;
	}
	if (allowed) {
		window_focus(window);
	} else if (window->shell->focus != window && !window->urgent) {
		window->urgent = true;
		signal_emit(&window->shell->events.frame, window);
		signal_emit(&window->events.states, window);
		signal_emit(&window->shell->events.workspaces, NULL);
	}
}

void window_calm(struct window *window)
{
	if (window->urgent) {
		calm(window);
		signal_emit(&window->events.states, window);
	}
}
