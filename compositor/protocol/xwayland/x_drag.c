/* SPDX-License-Identifier: MIT */
/* Drags over windows of X servers, and the window managers' part in drags. */

#include "x_drag.h"
#include "surface/surface.h"
#include "util/xalloc.h"
#include "xwayland/servers.h"
#include <stdlib.h>

static struct x_server *server_of(const struct x_drag *x, const struct surface *surface)
{
	const struct server *server = x->protocols->server;
	struct x_server *x_server;
	if (!server->x_servers) {
		return NULL;
	}
	wl_list_for_each (x_server, x_servers_list(server->x_servers), link) {
		if (x_server->client == surface->client && x_drag_wm(x, x_server)) {
			return x_server;
		}
	}
	return NULL;
}

/* Returns the data, which is no longer that of a drag. */
static struct data_source *forget(struct x_drag *x)
{
	struct data_source *data = x->data;
	if (data) {
		wl_list_remove(&x->data_destroy.link);
	}
	x->data = NULL;
	x->target = NULL;
	return data;
}

static void leave(struct x_drag *x)
{
	const struct x_drag_wm_impl *wm = x->target ? x_drag_wm(x, x->target) : NULL;
	if (wm) {
		wm->leave(x->target->wm);
	}
}

static void handle_data_destroy(struct wl_listener *listener, void *data)
{
	struct x_drag *x = wl_container_of(listener, x, data_destroy);
	leave(x);
	forget(x);
}

static bool enter(struct x_drag *x, struct data_source *data, struct surface *surface,
	struct coord_surface at, uint32_t action)
{
	struct x_server *server = server_of(x, surface);
	if (!server) {
		return false;
	}
	leave(x);
	struct data_source *unfinished = forget(x);
	if (unfinished) {
		data_source_cancel_drag(unfinished);
	}
	x->target = server;
	x->data = data;
	signal_add(&data->base.events.destroy, &x->data_destroy, handle_data_destroy);
	data->accepted = false;
	const struct x_drag_wm_impl *wm = x_drag_wm(x, server);
	wm->enter(server->wm, surface, data_source_actions(data));
	wm->motion(server->wm, at, data_source_actions(data), action);
	return true;
}

static void motion(struct x_drag *x, struct coord_surface at, uint32_t action)
{
	const struct x_drag_wm_impl *wm = x->target ? x_drag_wm(x, x->target) : NULL;
	if (wm) {
		wm->motion(x->target->wm, at, data_source_actions(x->data), action);
	}
}

static void set_status(struct data_source *data, bool accepted, uint32_t action)
{
	action &= data_source_actions(data);
	accepted = accepted && action && data->base.n_types > 0;
	if (accepted != data->accepted) {
		/* Targets name no type: any one serves to say that there is one. */
		data_source_accept(data, accepted ? data->base.types[0] : NULL);
	}
	data_source_set_action(data, accepted ? action : 0);
}

static void leave_target(struct x_drag *x)
{
	leave(x);
	struct data_source *data = forget(x);
	if (data) {
		set_status(data, false, 0);
	}
}

static void drop(struct x_drag *x)
{
	const struct x_drag_wm_impl *wm = x->target ? x_drag_wm(x, x->target) : NULL;
	if (wm) {
		wm->drop(x->target->wm);
	}
}

struct selection_source *x_drag_readable(const struct x_drag *x, const struct x_server *server)
{
	return x->data && x->target == server ? &x->data->base : NULL;
}

static const struct drag_x_impl impl = {
	.enter = enter,
	.motion = motion,
	.leave = leave_target,
	.drop = drop,
	.reaches = x_drag_source_reaches,
	.end = x_drag_source_end,
};

/* Calls of window managers */

static void host_status(void *data, struct x_server *server, bool accepted, uint32_t action)
{
	struct x_drag *x = data;
	if (x->target == server) {
		set_status(x->data, accepted, action);
	}
}

static void host_dropped(void *data, struct x_server *server)
{
	struct x_drag *x = data;
	if (x->target == server) {
		x->data->impl->dropped(x->data);
	}
}

static void host_finished(void *data, struct x_server *server, bool accepted, uint32_t action)
{
	struct x_drag *x = data;
	if (x->target != server) {
		return;
	}
	struct data_source *source = forget(x);
	/* Others than the allowed actions are the target's mistake: its data is copied. */
	const uint32_t final = action & data_source_actions(source) & (X_DRAG_COPY | X_DRAG_MOVE);
	if (accepted) {
		data_source_finish(source, final ? final : X_DRAG_COPY);
	} else {
		data_source_cancel_drag(source);
	}
}

static bool host_start(void *data, struct x_server *server, const struct seat_touch_point *point)
{
	return x_drag_source_start(data, server, point);
}

static void host_hover(void *data, struct x_server *server, bool inside)
{
	x_drag_source_hover(data, server, inside);
}

static void host_suggest(void *data, struct x_server *server, uint32_t actions)
{
	x_drag_source_suggest(data, server, actions);
}

static void host_release(void *data, struct x_server *server)
{
	x_drag_source_release(data, server);
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct x_drag *x = wl_container_of(listener, x, destroy);
	x_drag_source_destroy(x->source);
	forget(x);
	wl_list_remove(&x->destroy.link);
	x->protocols->x_drag = NULL;
	free(x);
}

void x_drag_create(struct protocols *protocols)
{
	struct x_drag *x = xcalloc(1, sizeof(*x));
	x->protocols = protocols;
	x->host = (struct x_drag_host){
		.data = x,
		.status = host_status,
		.dropped = host_dropped,
		.finished = host_finished,
		.start = host_start,
		.hover = host_hover,
		.suggest = host_suggest,
		.release = host_release,
	};
	protocols->x_drag = x;
	protocols->data_manager->x = &impl;
	signal_add(&protocols->events.destroy, &x->destroy, handle_destroy);
}
