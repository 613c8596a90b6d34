/* SPDX-License-Identifier: MIT */
/* Outputs of the host: their scale and refresh rate apply to our windows on them. */

#include "util/xalloc.h"
#include "wayland.h"
#include <stdlib.h>

static void handle_geometry(void *data, struct wl_output *proxy, int32_t x, int32_t y,
	int32_t physical_width, int32_t physical_height, int32_t subpixel, const char *make,
	const char *model, int32_t transform)
{
}

static void handle_mode(void *data, struct wl_output *proxy, uint32_t flags, int32_t width,
	int32_t height, int32_t refresh)
{
	struct wayland_screen *screen = data;
	if (flags & WL_OUTPUT_MODE_CURRENT) {
		screen->refresh = refresh > 0 ? refresh : 0;
	}
}

static void handle_scale(void *data, struct wl_output *proxy, int32_t factor)
{
	struct wayland_screen *screen = data;
	screen->scale = factor > 0 ? factor : 1;
}

static void handle_done(void *data, struct wl_output *proxy)
{
	struct wayland_screen *screen = data;
	struct wayland_output *output;
	wl_list_for_each (output, &screen->backend->outputs, link) {
		if (output->window.screen == screen) {
			wayland_window_rescale(output);
		}
	}
}

static const struct wl_output_listener listener = {
	.geometry = handle_geometry,
	.mode = handle_mode,
	.done = handle_done,
	.scale = handle_scale,
};

void wayland_screen_add(struct wayland_backend *backend, uint32_t name, uint32_t version)
{
	if (version < WL_OUTPUT_DONE_SINCE_VERSION) {
		return; /* version 1 has no done event */
	}
	struct wayland_screen *screen = xcalloc(1, sizeof(*screen));
	screen->backend = backend;
	screen->name = name;
	screen->scale = 1;
	screen->proxy = wl_registry_bind(
		backend->registry, name, &wl_output_interface, version < 3 ? version : 3);
	wl_output_add_listener(screen->proxy, &listener, screen);
	wl_list_insert(&backend->screens, &screen->link);
}

void wayland_screen_destroy(struct wayland_screen *screen)
{
	struct wayland_output *output;
	wl_list_for_each (output, &screen->backend->outputs, link) {
		if (output->window.screen == screen) {
			output->window.screen = NULL;
		}
	}
	wl_list_remove(&screen->link);
	if (wl_output_get_version(screen->proxy) >= WL_OUTPUT_RELEASE_SINCE_VERSION) {
		wl_output_release(screen->proxy);
	} else {
		wl_output_destroy(screen->proxy);
	}
	free(screen);
}
