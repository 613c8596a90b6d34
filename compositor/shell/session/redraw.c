/* SPDX-License-Identifier: MIT */
/*
 * Forced redraws of windows whose pixels were lost with a device. Wayland has no request for that:
 * windows are configured to another size, which makes them redraw, and then back to their own.
 * Layer surfaces get a configure with their current size, as another one would move their
 * neighbours.
 */

#include "seat/cursor.h"
#include "seat/seat.h"
#include "shell/geometry/private.h"
#include "shell/shell.h"
#include "shell/windows/windows.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct redraw {
	struct window *window;
	int32_t want_width, want_height; /* as before */
	struct wl_listener applied, unmap, destroy;
};

static void end(struct redraw *redraw)
{
	wl_list_remove(&redraw->applied.link);
	wl_list_remove(&redraw->unmap.link);
	wl_list_remove(&redraw->destroy.link);
	free(redraw);
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct redraw *redraw = wl_container_of(listener, redraw, applied);
	struct window *window = redraw->window;
	if (!window->surface->current.buffer) {
		return; /* an update without content */
	}
	window->private->want_width = redraw->want_width;
	window->private->want_height = redraw->want_height;
	end(redraw);
	window_configure(window);
}

static void handle_unmap(struct wl_listener *listener, void *data)
{
	struct redraw *redraw = wl_container_of(listener, redraw, unmap);
	end(redraw);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct redraw *redraw = wl_container_of(listener, redraw, destroy);
	end(redraw);
}

static void ask(struct window *window)
{
	struct window_private *own = window->private;
	struct redraw *redraw = xcalloc(1, sizeof(*redraw));
	redraw->window = window;
	redraw->want_width = own->want_width;
	redraw->want_height = own->want_height;
	signal_add(&window->events.applied, &redraw->applied, handle_applied);
	signal_add(&window->events.unmap, &redraw->unmap, handle_unmap);
	signal_add(&window->events.destroy, &redraw->destroy, handle_destroy);
	own->want_width = window->geometry.width;
	own->want_height =
		window->geometry.height > own->limits.min_height && window->geometry.height > 1
			? window->geometry.height - 1
			: window->geometry.height + 1;
	window_configure(window);
}

/* A surface has content but no buffer: its pixels are at most in textures. */
bool shell_lacks_pixels(struct scene_tree *tree)
{
	struct scene_node *node;
	wl_list_for_each (node, &tree->children, link) {
		if (node->type == SCENE_TREE && shell_lacks_pixels(scene_tree_from_node(node))) {
			return true;
		}
		if (node->type == SCENE_SURFACE) {
			const struct surface *surface = scene_surface_from_node(node)->surface;
			if (surface_has_content(surface) && !surface->current.buffer) {
				return true;
			}
		}
	}
	return false;
}

/* Makes the client set its cursor again by sending pointer leave and enter. */
static void redraw_cursor(struct seat *seat)
{
	struct cursor *cursor = &seat->cursor;
	const struct seat_pointer *pointer = &seat->pointer;
	if (!cursor->surface || !shell_lacks_pixels(cursor->surface_tree)) {
		return;
	}
	cursor_set_shape(cursor, "default");
	/* Grabs, held buttons and constraints keep their focus. */
	if (!pointer->grab && pointer->n_buttons == 0 && !pointer->constraint) {
		pointer_set_focus(seat, NULL, (struct coord_surface){0, 0});
		pointer_refocus(seat);
	}
}

void shell_redraw(struct shell *shell, bool lost)
{
	struct window *window;
	wl_list_for_each (window, &shell->windows, link) {
		if (shell_lacks_pixels(window->surface_tree)) {
			ask(window);
		}
		/* A popup cannot be configured to another size: dismiss it. */
		if (lost && shell_lacks_pixels(window->popup_tree)) {
			window->impl->dismiss_popups(window);
		}
	}
	struct layer *layer;
	wl_list_for_each (layer, &shell->layer_surfaces, link) {
		if (layer->mapped && shell_lacks_pixels(layer->surface_tree)) {
			layer->impl->configure(layer, layer->box.width, layer->box.height);
		}
		if (lost && shell_lacks_pixels(layer->popup_tree)) {
			layer->impl->dismiss_popups(layer);
		}
	}
	redraw_cursor(shell->seat);
	signal_emit(&shell->events.redraw, NULL);
}
