/* SPDX-License-Identifier: MIT */
/* xdg_toplevel_drag_manager_v1: windows that move along with a drag and drop. */

#include "data_device.h"
#include "shell/window.h"
#include "toplevel_drag.h"
#include "util/xalloc.h"
#include "xdg-toplevel-drag-v1-protocol.h"
#include <stdlib.h>

struct toplevel_drag {
	struct data_source *source; /* NULL: destroyed */
	struct window *window; /* NULL: none is attached */
	int x, y; /* place of the pointer in the window's geometry */
	struct coord_global at; /* of the drag, while it is running */
	enum { DRAG_WAITS, DRAG_RUNS, DRAG_ENDED } stage;
	struct wl_listener source_destroy, window_unmap, window_destroy;
};

/* Detaches the window, and ends its motion by `end`. */
static void detach(struct toplevel_drag *drag, void (*end)(struct window *window))
{
	struct window *window = drag->window;
	if (!window) {
		return;
	}
	wl_list_remove(&drag->window_unmap.link);
	wl_list_remove(&drag->window_destroy.link);
	drag->window = NULL;
	if (drag->stage == DRAG_RUNS) {
		end(window);
	}
}

static void handle_window_unmap(struct wl_listener *listener, void *data)
{
	struct toplevel_drag *drag = wl_container_of(listener, drag, window_unmap);
	detach(drag, window_drag_end);
}

static void handle_window_destroy(struct wl_listener *listener, void *data)
{
	struct toplevel_drag *drag = wl_container_of(listener, drag, window_destroy);
	detach(drag, window_drag_end);
}

void toplevel_drag_move(struct toplevel_drag *drag, struct coord_global at)
{
	if (!drag) {
		return;
	}
	bool starts = drag->stage == DRAG_WAITS;
	drag->stage = DRAG_RUNS;
	drag->at = at;
	if (drag->window && starts) {
		window_drag_start(drag->window, at, drag->x, drag->y);
	} else if (drag->window) {
		window_drag_move(drag->window, at);
	}
}

void toplevel_drag_drop(struct toplevel_drag *drag)
{
	detach(drag, window_drag_drop);
}

void toplevel_drag_end(struct toplevel_drag *drag)
{
	if (drag) {
		detach(drag, window_drag_end);
		drag->stage = DRAG_ENDED;
	}
}

static void forget_source(struct toplevel_drag *drag)
{
	if (drag->source) {
		wl_list_remove(&drag->source_destroy.link);
		drag->source->toplevel_drag = NULL;
		drag->source = NULL;
	}
}

static void handle_source_destroy(struct wl_listener *listener, void *data)
{
	struct toplevel_drag *drag = wl_container_of(listener, drag, source_destroy);
	forget_source(drag);
	toplevel_drag_end(drag);
}

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	const struct toplevel_drag *drag = wl_resource_get_user_data(resource);
	if (drag->stage == DRAG_RUNS) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_DRAG_V1_ERROR_ONGOING_DRAG,
			"the drag has not ended");
		return;
	}
	wl_resource_destroy(resource);
}

static void handle_attach(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *toplevel_resource, int32_t x, int32_t y)
{
	struct toplevel_drag *drag = wl_resource_get_user_data(resource);
	struct window *window = window_from_toplevel_resource(toplevel_resource);
	if (drag->window) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_DRAG_V1_ERROR_TOPLEVEL_ATTACHED,
			"a toplevel is already attached");
		return;
	}
	if (!window || drag->stage == DRAG_ENDED) {
		return;
	}
	drag->window = window;
	drag->x = x;
	drag->y = y;
	signal_add(&drag->window->events.unmap, &drag->window_unmap, handle_window_unmap);
	signal_add(&drag->window->events.destroy, &drag->window_destroy, handle_window_destroy);
	if (drag->stage == DRAG_RUNS) {
		window_drag_start(drag->window, drag->at, x, y);
	}
}

static const struct xdg_toplevel_drag_v1_interface drag_impl = {
	.destroy = handle_destroy,
	.attach = handle_attach,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct toplevel_drag *drag = wl_resource_get_user_data(resource);
	toplevel_drag_end(drag);
	forget_source(drag);
	free(drag);
}

static void handle_get(struct wl_client *client, struct wl_resource *manager, uint32_t id,
	struct wl_resource *source_resource)
{
	struct data_source *source = data_source_from_resource(source_resource);
	if (source->base.used || source->toplevel_drag) {
		wl_resource_post_error(manager, XDG_TOPLEVEL_DRAG_MANAGER_V1_ERROR_INVALID_SOURCE,
			"wl_data_source@%u was already used", wl_resource_get_id(source_resource));
		return;
	}
	struct toplevel_drag *drag = xcalloc(1, sizeof(*drag));
	struct wl_resource *resource = resource_create_child(manager,
		&xdg_toplevel_drag_v1_interface, id, &drag_impl, drag, handle_resource_destroy);
	if (!resource) {
		return;
	}
	drag->source = source;
	source->toplevel_drag = drag;
	signal_add(&source->base.events.destroy, &drag->source_destroy, handle_source_destroy);
}

static const struct xdg_toplevel_drag_manager_v1_interface impl = {
	.destroy = resource_handle_destroy,
	.get_xdg_toplevel_drag = handle_get,
};

void xdg_toplevel_drag_create(struct protocols *protocols)
{
	protocols_add_global(
		protocols, &xdg_toplevel_drag_manager_v1_interface, 1, &impl, NULL, GLOBAL_PUBLIC);
}
