/* SPDX-License-Identifier: MIT */
/* Globals and windows for test clients that run as separate processes. */

#include "harness/program.h"
#include "xdg-shell-client-protocol.h"
#include <stdio.h>
#include <string.h>

static void handle_ping(void *data, struct xdg_wm_base *wm_base, uint32_t serial)
{
	xdg_wm_base_pong(wm_base, serial);
}

static const struct xdg_wm_base_listener wm_base_listener = {.ping = handle_ping};

struct wishes {
	const struct program_global *globals;
	size_t n;
};

static void handle_global(void *data, struct wl_registry *registry, uint32_t name,
	const char *interface, uint32_t version)
{
	const struct wishes *wishes = data;
	for (size_t i = 0; i < wishes->n; i++) {
		const struct program_global *global = &wishes->globals[i];
		if (strcmp(interface, global->interface->name) != 0 ||
			(global->to && *(void **)global->to)) {
			continue;
		}
		void *proxy = wl_registry_bind(registry, name, global->interface,
			version < global->version ? version : global->version);
		if (global->interface == &xdg_wm_base_interface) {
			xdg_wm_base_add_listener(proxy, &wm_base_listener, NULL);
		}
		if (global->to) {
			*(void **)global->to = proxy;
		}
		if (global->bound) {
			global->bound(global->data, proxy);
		}
	}
}

static void handle_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
}

static const struct wl_registry_listener registry_listener = {
	.global = handle_global,
	.global_remove = handle_global_remove,
};

bool program_bind(struct wl_display *display, const struct program_global *globals, size_t n)
{
	struct wishes wishes = {globals, n};
	struct wl_registry *registry = wl_display_get_registry(display);
	wl_registry_add_listener(registry, &registry_listener, &wishes);
	wl_display_roundtrip(display);
	wl_registry_destroy(registry);
	for (size_t i = 0; i < n; i++) {
		const struct program_global *global = &globals[i];
		if (!global->optional && global->to && !*(void **)global->to) {
			fprintf(stderr, "the compositor has no %s\n", global->interface->name);
			return false;
		}
	}
	return true;
}

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct program_window *window = data;
	xdg_surface_ack_configure(xdg_surface, serial);
	window->configured = true;
	if (window->changed) {
		window->changed(window);
	}
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void handle_size(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height,
	struct wl_array *states)
{
	struct program_window *window = data;
	window->width = width;
	window->height = height;
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	struct program_window *window = data;
	window->closed = true;
	if (window->changed) {
		window->changed(window);
	}
}

static void ignore_bounds(void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height)
{
}

static void ignore_capabilities(
	void *data, struct xdg_toplevel *toplevel, struct wl_array *capabilities)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_size,
	.close = handle_close,
	.configure_bounds = ignore_bounds,
	.wm_capabilities = ignore_capabilities,
};

void program_window_open(struct program_window *window, struct wl_compositor *compositor,
	struct xdg_wm_base *wm_base)
{
	window->surface = wl_compositor_create_surface(compositor);
	window->xdg_surface = xdg_wm_base_get_xdg_surface(wm_base, window->surface);
	xdg_surface_add_listener(window->xdg_surface, &xdg_surface_listener, window);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	xdg_toplevel_add_listener(window->toplevel, &toplevel_listener, window);
}

bool program_window_begin(struct program_window *window, struct wl_display *display)
{
	wl_surface_commit(window->surface);
	while (!window->configured && wl_display_dispatch(display) >= 0) {
	}
	return window->configured;
}
