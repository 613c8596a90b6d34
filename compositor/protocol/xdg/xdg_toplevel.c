/* SPDX-License-Identifier: MIT */
/* xdg_toplevel: windows. */

#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/icon.h"
#include "shell/window.h"
#include "surface/transaction.h"
#include "util/xalloc.h"
#include "xdg.h"
#include <stdlib.h>

/** A client to be disconnected when the event loop is idle. */
struct client_kill {
	struct wl_client *client; /* NULL: it is gone */
	struct wl_listener destroy;
};

struct window *window_from_toplevel_resource(struct wl_resource *resource)
{
	struct toplevel *toplevel = toplevel_from_resource(resource);
	return toplevel ? toplevel->window : NULL;
}

/* Events from the window to the client */

static uint32_t configure_window(struct window *window, const struct window_configure *configure)
{
	struct toplevel *toplevel = window->data;
	toplevel->want = *configure;
	return xdg_surface_schedule_configure(toplevel->xdg);
}

/*
 * Closes the window. A client that was asked to close before and then failed to answer a ping is
 * disconnected.
 */
static void close_window(struct window *window)
{
	struct toplevel *toplevel = window->data;
	struct xdg_wm_base *base = toplevel->xdg->base;
	if (base && base->unresponsive) {
		wl_resource_post_error(base->resource, XDG_WM_BASE_ERROR_UNRESPONSIVE,
			"the client did not answer a ping, and the user closed the window again");
		return;
	}
	xdg_toplevel_send_close(toplevel->resource);
	if (base) {
		xdg_ping_send(base);
	}
}

static void handle_kill(void *data)
{
	struct client_kill *kill = data;
	struct wl_client *client = kill->client;
	wl_list_remove(&kill->destroy.link);
	free(kill);
	if (client) {
		wl_client_destroy(client);
	}
}

static void handle_killed(struct wl_listener *listener, void *data)
{
	struct client_kill *kill = wl_container_of(listener, kill, destroy);
	wl_list_remove(&kill->destroy.link);
	wl_list_init(&kill->destroy.link);
	kill->client = NULL;
}

static void kill_client(struct window *window)
{
	struct toplevel *toplevel = window->data;
	struct wl_display *display = toplevel->xdg->shell->protocols->display;
	struct client_kill *kill = xcalloc(1, sizeof(*kill));
	kill->client = wl_resource_get_client(toplevel->resource);
	kill->destroy.notify = handle_killed;
	wl_client_add_destroy_listener(kill->client, &kill->destroy);
	wl_event_loop_add_idle(wl_display_get_event_loop(display), handle_kill, kill);
}

static void dismiss_popups(struct window *window)
{
	struct toplevel *toplevel = window->data;
	popups_dismiss(&toplevel->xdg->popups);
}

static uint32_t acked_serial(const struct window *window, const struct update *update)
{
	const struct toplevel *toplevel = window->data;
	const struct xdg_state *state =
		surface_extension_of(&toplevel->xdg->extension, &update->state);
	return state && (state->fields & XDG_ACKED) ? state->acked : 0;
}

static const struct window_impl window_impl = {
	.configure = configure_window,
	.acked = acked_serial,
	.close = close_window,
	.kill = kill_client,
	.dismiss_popups = dismiss_popups,
};

static void add_state(struct wl_array *array, bool set, uint32_t value)
{
	if (!set) {
		return;
	}
	uint32_t *at = wl_array_add(array, sizeof(*at));
	if (!at) {
		abort(); /* out of memory for a few bytes */
	}
	*at = value;
}

static void add_tiled(struct wl_array *array, uint32_t states, int version)
{
	const struct {
		uint32_t state, tiled, constrained;
	} edges[] = {
		{WINDOW_TILED_LEFT, XDG_TOPLEVEL_STATE_TILED_LEFT,
			XDG_TOPLEVEL_STATE_CONSTRAINED_LEFT},
		{WINDOW_TILED_RIGHT, XDG_TOPLEVEL_STATE_TILED_RIGHT,
			XDG_TOPLEVEL_STATE_CONSTRAINED_RIGHT},
		{WINDOW_TILED_TOP, XDG_TOPLEVEL_STATE_TILED_TOP,
			XDG_TOPLEVEL_STATE_CONSTRAINED_TOP},
		{WINDOW_TILED_BOTTOM, XDG_TOPLEVEL_STATE_TILED_BOTTOM,
			XDG_TOPLEVEL_STATE_CONSTRAINED_BOTTOM},
	};
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
		bool set = states & edges[i].state;
		add_state(array, set && version >= XDG_TOPLEVEL_STATE_TILED_LEFT_SINCE_VERSION,
			edges[i].tiled);
		add_state(array,
			set && version >= XDG_TOPLEVEL_STATE_CONSTRAINED_LEFT_SINCE_VERSION,
			edges[i].constrained);
	}
}

static void send_capabilities(struct toplevel *toplevel)
{
	struct wl_array array;
	wl_array_init(&array);
	add_state(&array, window_has_menu(toplevel->window),
		XDG_TOPLEVEL_WM_CAPABILITIES_WINDOW_MENU);
	add_state(&array, true, XDG_TOPLEVEL_WM_CAPABILITIES_MAXIMIZE);
	add_state(&array, true, XDG_TOPLEVEL_WM_CAPABILITIES_FULLSCREEN);
	add_state(&array, true, XDG_TOPLEVEL_WM_CAPABILITIES_MINIMIZE);
	xdg_toplevel_send_wm_capabilities(toplevel->resource, &array);
	wl_array_release(&array);
	toplevel->capabilities_sent = true;
}

static void configure(struct xdg_surface *xdg, struct xdg_configure *configure)
{
	struct toplevel *toplevel = xdg->toplevel;
	const struct window_configure *want = &toplevel->want;
	const int version = wl_resource_get_version(toplevel->resource);
	if (!toplevel->capabilities_sent && version >= XDG_TOPLEVEL_WM_CAPABILITIES_SINCE_VERSION) {
		send_capabilities(toplevel);
	}
	if (version >= XDG_TOPLEVEL_CONFIGURE_BOUNDS_SINCE_VERSION) {
		xdg_toplevel_send_configure_bounds(
			toplevel->resource, want->bounds_width, want->bounds_height);
	}
	if (toplevel->decoration) {
		decoration_configure(toplevel->decoration, configure);
	}
	struct wl_array states;
	wl_array_init(&states);
	add_state(&states, want->states & WINDOW_MAXIMIZED, XDG_TOPLEVEL_STATE_MAXIMIZED);
	add_state(&states, want->states & WINDOW_FULLSCREEN, XDG_TOPLEVEL_STATE_FULLSCREEN);
	add_state(&states, want->states & WINDOW_RESIZING, XDG_TOPLEVEL_STATE_RESIZING);
	add_state(&states, want->states & WINDOW_ACTIVATED, XDG_TOPLEVEL_STATE_ACTIVATED);
	add_state(&states,
		(want->states & WINDOW_SUSPENDED) &&
			version >= XDG_TOPLEVEL_STATE_SUSPENDED_SINCE_VERSION,
		XDG_TOPLEVEL_STATE_SUSPENDED);
	add_tiled(&states, want->states, version);
	xdg_toplevel_send_configure(toplevel->resource, want->width, want->height, &states);
	wl_array_release(&states);
}

/* Surface callbacks */

static bool check_commit(struct xdg_surface *xdg, const struct xdg_state *pending)
{
	const struct window_limits *limits = &pending->limits;
	if ((limits->max_width > 0 && limits->max_width < limits->min_width) ||
		(limits->max_height > 0 && limits->max_height < limits->min_height)) {
		wl_resource_post_error(xdg->toplevel->resource, XDG_TOPLEVEL_ERROR_INVALID_SIZE,
			"the maximum size is smaller than the minimum size");
		return false;
	}
	return true;
}

static void initial(struct xdg_surface *xdg)
{
	window_initial_commit(xdg->toplevel->window);
}

static void applied(struct xdg_surface *xdg, const struct xdg_state *state)
{
	struct window *window = xdg->toplevel->window;
	window_set_limits(window, &state->limits);
	window_set_decorated(window, state->decorated);
	window_set_icon(window, state->icon);
	window_set_implied_geometry(window, state->geometry.width == 0);
	window_applied(window, &xdg->geometry, state->acked);
}

static void handle_window_applied(struct wl_listener *listener, void *data)
{
	struct toplevel *toplevel = wl_container_of(listener, toplevel, window_applied);
	popups_react(&toplevel->xdg->popups);
}

static void map(struct xdg_surface *xdg)
{
	surface_map(xdg->surface);
	window_map(xdg->toplevel->window);
	popups_map(&xdg->popups);
}

static void unmap(struct xdg_surface *xdg)
{
	window_unmap(xdg->toplevel->window);
	popups_dismiss(&xdg->popups);
}

static void destroy(struct xdg_surface *xdg)
{
	struct toplevel *toplevel = xdg->toplevel;
	popups_orphan(&xdg->popups);
	if (toplevel->decoration) {
		decoration_orphan(toplevel->decoration, false);
	}
	if (toplevel->dialog) {
		dialog_orphan(toplevel->dialog);
	}
	xdg_surface_clear_role(xdg);
	wl_list_remove(&toplevel->window_applied.link);
	window_destroy(toplevel->window);
	free(toplevel);
}

/* Requests */

static void handle_destroy(struct wl_client *client, struct wl_resource *resource)
{
	struct toplevel *toplevel = toplevel_from_resource(resource);
	if (toplevel && toplevel->decoration) {
		decoration_orphan(toplevel->decoration, true);
	}
	wl_resource_destroy(resource);
}

static void handle_set_parent(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *parent_resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	struct window *parent =
		parent_resource ? window_from_toplevel_resource(parent_resource) : NULL;
	if (!window) {
		return;
	}
	enum parent_check check = parent ? toplevel_check_parent(window, parent) : PARENT_VALID;
	if (check == PARENT_VALID || check == PARENT_UNMAPPED) {
		window_set_parent(window, check == PARENT_VALID ? parent : NULL);
		return;
	}
	if (foreign_family(window) || foreign_family(parent)) {
		return; /* other clients' windows may be the cause */
	}
	if (check == PARENT_DESCENDANT) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ERROR_INVALID_PARENT,
			"a window cannot be its own ancestor");
	} else {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ERROR_INVALID_PARENT,
			"windows with parents are nested deeper than %d levels, or more than %d "
			"have the same",
			WINDOW_LEVELS_MAX, WINDOW_FAMILY_MAX);
	}
}

static void handle_set_title(
	struct wl_client *client, struct wl_resource *resource, const char *title)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_set_title(window, title);
	}
}

static void handle_set_app_id(
	struct wl_client *client, struct wl_resource *resource, const char *app_id)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_set_app_id(window, app_id);
		client_gpu_named(toplevel_from_resource(resource)->xdg->shell->protocols,
			client_from_wl(client), app_id);
	}
}

static void handle_show_window_menu(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t serial, int32_t x, int32_t y)
{
	struct window *window = window_from_toplevel_resource(resource);
	struct seat *seat = seat_from_resource(seat_resource);
	if (window && seat && seat_claim_press(seat, serial, window->surface)) {
		const struct box *geometry = &window->geometry;
		const struct coord_global at = {coord_sum(window->x, coord_sum(x, -geometry->x)),
			coord_sum(window->y, coord_sum(y, -geometry->y))};
		window_open_menu(window, at);
	}
}

/* Finds the touch point with this serial. Returns false if the serial is of a button press. */
static bool find_touch(const struct seat *seat, uint32_t serial, int32_t *id)
{
	for (int i = 0; i < seat->touch.n_points; i++) {
		if (seat->touch.points[i].surface && seat->touch.points[i].serial == serial) {
			*id = seat->touch.points[i].id;
			return true;
		}
	}
	return false;
}

static void handle_move(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t serial)
{
	struct window *window = window_from_toplevel_resource(resource);
	struct seat *seat = seat_from_resource(seat_resource);
	if (window && seat && seat_claim_press(seat, serial, window->surface)) {
		int32_t id = 0;
		bool touch = find_touch(seat, serial, &id);
		window_request_move(window, seat, touch, id);
	}
}

static bool valid_edges(uint32_t edges)
{
	return edges <= XDG_TOPLEVEL_RESIZE_EDGE_BOTTOM_RIGHT && (edges & 3) != 3 &&
	       (edges & 12) != 12;
}

static void handle_resize(struct wl_client *client, struct wl_resource *resource,
	struct wl_resource *seat_resource, uint32_t serial, uint32_t edges)
{
	struct window *window = window_from_toplevel_resource(resource);
	struct seat *seat = seat_from_resource(seat_resource);
	if (!valid_edges(edges)) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ERROR_INVALID_RESIZE_EDGE,
			"invalid resize edge %u", edges);
		return;
	}
	if (window && seat && seat_claim_press(seat, serial, window->surface)) {
		int32_t id = 0;
		bool touch = find_touch(seat, serial, &id);
		window_request_resize(window, seat, edges, touch, id);
	}
}

static void handle_set_max_size(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	struct toplevel *toplevel = toplevel_from_resource(resource);
	if (width < 0 || height < 0) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ERROR_INVALID_SIZE,
			"invalid maximum size %dx%d", width, height);
		return;
	}
	if (toplevel) {
		struct xdg_state *state = surface_extension_pending(&toplevel->xdg->extension);
		state->fields |= XDG_MAX_SIZE;
		state->limits.max_width = coord_clamp(width);
		state->limits.max_height = coord_clamp(height);
	}
}

static void handle_set_min_size(
	struct wl_client *client, struct wl_resource *resource, int32_t width, int32_t height)
{
	struct toplevel *toplevel = toplevel_from_resource(resource);
	if (width < 0 || height < 0) {
		wl_resource_post_error(resource, XDG_TOPLEVEL_ERROR_INVALID_SIZE,
			"invalid minimum size %dx%d", width, height);
		return;
	}
	if (toplevel) {
		struct xdg_state *state = surface_extension_pending(&toplevel->xdg->extension);
		state->fields |= XDG_MIN_SIZE;
		state->limits.min_width = coord_clamp(width);
		state->limits.min_height = coord_clamp(height);
	}
}

static void handle_set_maximized(struct wl_client *client, struct wl_resource *resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_request_maximize(window, true);
	}
}

static void handle_unset_maximized(struct wl_client *client, struct wl_resource *resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_request_maximize(window, false);
	}
}

static void handle_set_fullscreen(
	struct wl_client *client, struct wl_resource *resource, struct wl_resource *output_resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_request_fullscreen(window, true,
			output_resource ? output_from_resource(output_resource) : NULL);
	}
}

static void handle_unset_fullscreen(struct wl_client *client, struct wl_resource *resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_request_fullscreen(window, false, NULL);
	}
}

static void handle_set_minimized(struct wl_client *client, struct wl_resource *resource)
{
	struct window *window = window_from_toplevel_resource(resource);
	if (window) {
		window_request_minimize(window);
	}
}

static const struct xdg_toplevel_interface impl = {
	.destroy = handle_destroy,
	.set_parent = handle_set_parent,
	.set_title = handle_set_title,
	.set_app_id = handle_set_app_id,
	.show_window_menu = handle_show_window_menu,
	.move = handle_move,
	.resize = handle_resize,
	.set_max_size = handle_set_max_size,
	.set_min_size = handle_set_min_size,
	.set_maximized = handle_set_maximized,
	.unset_maximized = handle_unset_maximized,
	.set_fullscreen = handle_set_fullscreen,
	.unset_fullscreen = handle_unset_fullscreen,
	.set_minimized = handle_set_minimized,
};

static const struct xdg_role role = {
	.interface = &xdg_toplevel_interface,
	.commit = check_commit,
	.initial = initial,
	.configure = configure,
	.applied = applied,
	.map = map,
	.unmap = unmap,
	.destroy = destroy,
};

void xdg_toplevel_create(struct xdg_surface *xdg, uint32_t id)
{
	struct wl_resource *resource = xdg_surface_create_role(xdg, id, &role, &impl);
	if (!resource || !xdg->surface) {
		return; /* stays inert */
	}
	struct shell *shell = xdg->shell->protocols->server->shell;
	struct toplevel *toplevel = xcalloc(1, sizeof(*toplevel));
	toplevel->xdg = xdg;
	toplevel->resource = resource;
	toplevel->window = window_create(shell, xdg->surface, &window_impl, toplevel);
	signal_add(&toplevel->window->events.applied, &toplevel->window_applied,
		handle_window_applied);
	xdg->toplevel = toplevel;
	/* An earlier toplevel of the surface may have left requests behind. */
	struct xdg_state *state = surface_extension_pending(&xdg->extension);
	state->fields |= XDG_DECORATION | XDG_ICON;
	state->decorated = false;
	icon_unref(state->icon);
	state->icon = NULL;
	kde_decoration_apply(toplevel);
	xdg_surface_start_early(xdg);
}
