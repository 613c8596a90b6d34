/* SPDX-License-Identifier: MIT */
/*
 * Override-redirect windows: menus, tooltips, drag icons. They are placed where their client put
 * them, above all windows, and never get the focus from the shell.
 */

#include "order.h"
#include "scale.h"
#include "surface/surface.h"
#include "window.h"
#include "xwayland/wm/base/xwm.h"

/* Returns the tree of all such windows, below overlays such as on-screen keyboards. */
static struct scene_tree *top_tree(struct xwm *wm)
{
	if (!wm->unmanaged) {
		wm->unmanaged = scene_tree_create(wm->parts->shell->layers[SHELL_FULLSCREEN]);
	}
	/* Trees of workspaces may have been added since. */
	scene_node_raise_to_top(&wm->unmanaged->node);
	return wm->unmanaged;
}

void xwin_unmanaged_show(struct xwin *window)
{
	if (window->tree || window->window || !window->surface || !window->map_requested) {
		return;
	}
	window->tree = scene_surface_tree_create(top_tree(window->wm), window->surface);
	xwm_order_changed(window->wm);
	wl_signal_emit_mutable(&window->wm->events.shown, window);
	xwin_unmanaged_moved(window);
	xwin_unmanaged_applied(window);
}

void xwin_unmanaged_applied(struct xwin *window)
{
	if (!window->tree) {
		return;
	}
	const bool ready = window->surface->mapped || !window->shape.asked;
	if (surface_has_content(window->surface) && ready) {
		surface_map(window->surface);
	} else if (!surface_has_content(window->surface)) {
		surface_unmap(window->surface);
	}
}

void xwin_unmanaged_moved(struct xwin *window)
{
	if (window->tree) {
		xwin_place_unmanaged(window);
	}
}

void xwin_unmanaged_hide(struct xwin *window)
{
	if (window->tree) {
		scene_node_destroy(&window->tree->node);
		window->tree = NULL;
	}
}
