/* SPDX-License-Identifier: MIT */
/*
 * Windows on the host: an xdg_toplevel per output, of the size that the host sets. A pixel of the
 * output is a pixel of the host's screen, with fractional scales too.
 */

#include "util/log.h"
#include "util/xalloc.h"
#include "wayland.h"
#include <stdlib.h>

/** Maximum size of an output, pixels; the host scales it up to a larger window. */
#define PIXELS_MAX 32768

static int32_t to_pixels(const struct wayland_window *window, int32_t logical)
{
	int64_t pixels = ((int64_t)logical * window->scale + SCALE_ONE / 2) / SCALE_ONE;
	return pixels < 1 ? 1 : pixels > PIXELS_MAX ? PIXELS_MAX : (int32_t)pixels;
}

static int32_t to_logical(const struct wayland_window *window, int32_t pixels)
{
	int64_t logical = ((int64_t)pixels * SCALE_ONE + window->scale / 2) / window->scale;
	return logical < 1 ? 1 : (int32_t)logical;
}

struct output_mode wayland_window_mode(const struct wayland_output *output)
{
	const struct wayland_window *window = &output->window;
	const struct wayland_screen *screen = window->screen;
	return (struct output_mode){
		.width = to_pixels(window, window->width),
		.height = to_pixels(window, window->height),
		.refresh = screen && screen->refresh ? screen->refresh : output->refresh,
		.preferred = true,
	};
}

static void handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width,
	int32_t height, struct wl_array *states)
{
	struct wayland_output *output = data;
	struct wayland_window *window = &output->window;
	window->next.width = width;
	window->next.height = height;
	window->next.fixed = false;
	const uint32_t *state;
	wl_array_for_each (state, states) {
		switch (*state) {
		case XDG_TOPLEVEL_STATE_MAXIMIZED:
		case XDG_TOPLEVEL_STATE_FULLSCREEN:
		case XDG_TOPLEVEL_STATE_RESIZING:
		case XDG_TOPLEVEL_STATE_TILED_LEFT:
		case XDG_TOPLEVEL_STATE_TILED_RIGHT:
		case XDG_TOPLEVEL_STATE_TILED_TOP:
		case XDG_TOPLEVEL_STATE_TILED_BOTTOM: window->next.fixed = true; break;
		default: break;
		}
	}
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	struct wayland_output *output = data;
	struct wayland_backend *backend = output->backend;
	log_info("%s: its window was closed", output->base.name);
	output->impl->closed(output);
	if (wl_list_empty(&backend->outputs) && backend->started) {
		signal_emit(&backend->base.events.ended, NULL);
	}
}

static void handle_configure_bounds(
	void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height)
{
	struct wayland_output *output = data;
	output->window.next.bound_width = width;
	output->window.next.bound_height = height;
}

static void handle_wm_capabilities(
	void *data, struct xdg_toplevel *toplevel, struct wl_array *capabilities)
{
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_toplevel_configure,
	.close = handle_close,
	.configure_bounds = handle_configure_bounds,
	.wm_capabilities = handle_wm_capabilities,
};

/* Keeps a size from the command line, even if it is larger than the host's bounds. */
static int32_t choose(const struct wayland_output *output, int32_t wish, int32_t bound)
{
	int32_t logical = to_logical(&output->window, wish);
	return output->fit && bound > 0 && bound < logical ? bound : logical;
}

/* Zero leaves the size to us: the initial size first, the current one later. */
static void take_size(struct wayland_output *output)
{
	struct wayland_window *window = &output->window;
	window->fixed = window->next.fixed;
	if (window->next.width > 0) {
		window->width = window->next.width;
	} else if (window->width == 0) {
		window->width = choose(output, window->wish_width, window->next.bound_width);
	}
	if (window->next.height > 0) {
		window->height = window->next.height;
	} else if (window->height == 0) {
		window->height = choose(output, window->wish_height, window->next.bound_height);
	}
}

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct wayland_output *output = data;
	struct wayland_window *window = &output->window;
	bool first = !window->configured;
	int32_t width = window->width, height = window->height;
	take_size(output);
	window->serial = serial;
	window->configured = true;
	if (!first && window->width == width && window->height == height) {
		/* No new frame is needed; the next one applies the state. */
		xdg_surface_ack_configure(xdg_surface, serial);
		window->unacknowledged = false;
		return;
	}
	window->unacknowledged = true;
	output->impl->configured(output);
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

static void set_scale(struct wayland_output *output, uint32_t scale)
{
	struct wayland_window *window = &output->window;
	if (scale == 0 || scale == window->scale) {
		return;
	}
	window->scale = scale;
	output->impl->rescaled(output);
}

/*
 * Uses fractional-scale if available, else the surface's preferred buffer scale, else the output's
 * scale.
 */
void wayland_window_rescale(struct wayland_output *output)
{
	struct wayland_window *window = &output->window;
	if (!window->fractional && window->screen &&
		wl_surface_get_version(window->surface) <
			WL_SURFACE_PREFERRED_BUFFER_SCALE_SINCE_VERSION) {
		set_scale(output, (uint32_t)window->screen->scale * SCALE_ONE);
	}
	if (window->configured) {
		output->impl->configured(output); /* for the refresh rate */
	}
}

static void handle_enter(void *data, struct wl_surface *surface, struct wl_output *proxy)
{
	struct wayland_output *output = data;
	struct wayland_screen *screen;
	wl_list_for_each (screen, &output->backend->screens, link) {
		if (screen->proxy == proxy) {
			output->window.screen = screen;
			wayland_window_rescale(output);
			return;
		}
	}
}

/* The last screen is a better guess than none. */
static void handle_leave(void *data, struct wl_surface *surface, struct wl_output *proxy)
{
}

static void handle_preferred_buffer_scale(void *data, struct wl_surface *surface, int32_t factor)
{
	struct wayland_output *output = data;
	if (!output->window.fractional && factor > 0) {
		set_scale(output, (uint32_t)factor * SCALE_ONE);
	}
}

static void handle_preferred_buffer_transform(
	void *data, struct wl_surface *surface, uint32_t transform)
{
	/*
	 * Ignored: the host rotates upright frames once; drawing them rotated would rotate twice.
	 */
}

static const struct wl_surface_listener surface_listener = {
	.enter = handle_enter,
	.leave = handle_leave,
	.preferred_buffer_scale = handle_preferred_buffer_scale,
	.preferred_buffer_transform = handle_preferred_buffer_transform,
};

static void handle_preferred_scale(
	void *data, struct wp_fractional_scale_v1 *fractional, uint32_t scale)
{
	set_scale(data, scale);
}

static const struct wp_fractional_scale_v1_listener fractional_listener = {
	.preferred_scale = handle_preferred_scale,
};

static void handle_decoration_configure(
	void *data, struct zxdg_toplevel_decoration_v1 *decoration, uint32_t mode)
{
	/* Without server-side decorations the window has no frame. */
}

static const struct zxdg_toplevel_decoration_v1_listener decoration_listener = {
	.configure = handle_decoration_configure,
};

static void open_surface(struct wayland_output *output)
{
	struct wayland_backend *backend = output->backend;
	struct wayland_window *window = &output->window;
	window->surface = wl_compositor_create_surface(backend->compositor);
	wl_surface_add_listener(window->surface, &surface_listener, output);
	if (backend->viewporter) {
		window->viewport = wp_viewporter_get_viewport(backend->viewporter, window->surface);
	}
	/* A fractional scale needs a viewport to set the window's size. */
	if (backend->viewporter && backend->fractional) {
		window->fractional = wp_fractional_scale_manager_v1_get_fractional_scale(
			backend->fractional, window->surface);
		wp_fractional_scale_v1_add_listener(
			window->fractional, &fractional_listener, output);
	}
	/* Frames are opaque, even in formats with alpha. */
	struct wl_region *all = wl_compositor_create_region(backend->compositor);
	wl_region_add(all, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_set_opaque_region(window->surface, all);
	wl_region_destroy(all);
}

void wayland_window_open(struct wayland_output *output)
{
	struct wayland_backend *backend = output->backend;
	struct wayland_window *window = &output->window;
	int32_t width = output->base.mode.width, height = output->base.mode.height;
	*window = (struct wayland_window){
		.scale = SCALE_ONE,
		.wish_width = width > 0 ? width : output->base.modes[0].width,
		.wish_height = height > 0 ? height : output->base.modes[0].height,
	};
	open_surface(output);
	window->xdg_surface = xdg_wm_base_get_xdg_surface(backend->wm_base, window->surface);
	xdg_surface_add_listener(window->xdg_surface, &xdg_surface_listener, output);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	xdg_toplevel_add_listener(window->toplevel, &toplevel_listener, output);
	xdg_toplevel_set_app_id(window->toplevel, "causeway");
	char *title = xasprintf("Causeway - %s", output->base.name);
	xdg_toplevel_set_title(window->toplevel, title);
	free(title);
	if (backend->decoration) {
		window->decoration = zxdg_decoration_manager_v1_get_toplevel_decoration(
			backend->decoration, window->toplevel);
		zxdg_toplevel_decoration_v1_add_listener(
			window->decoration, &decoration_listener, output);
		zxdg_toplevel_decoration_v1_set_mode(
			window->decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE);
	}
	wl_surface_commit(window->surface);
}

void wayland_window_close(struct wayland_output *output)
{
	struct wayland_window *window = &output->window;
	if (!window->surface) {
		return;
	}
	wayland_seats_leave(output);
	if (window->decoration) {
		zxdg_toplevel_decoration_v1_destroy(window->decoration);
	}
	if (window->fractional) {
		wp_fractional_scale_v1_destroy(window->fractional);
	}
	if (window->viewport) {
		wp_viewport_destroy(window->viewport);
	}
	xdg_toplevel_destroy(window->toplevel);
	xdg_surface_destroy(window->xdg_surface);
	wl_surface_destroy(window->surface);
	*window = (struct wayland_window){0};
}

void wayland_window_apply(struct wayland_output *output)
{
	struct wayland_window *window = &output->window;
	if (window->unacknowledged) {
		xdg_surface_ack_configure(window->xdg_surface, window->serial);
		window->unacknowledged = false;
	}
	if (window->viewport) {
		wp_viewport_set_destination(window->viewport, window->width, window->height);
	} else {
		wl_surface_set_buffer_scale(window->surface, (int32_t)(window->scale / SCALE_ONE));
	}
}

void wayland_window_follow(struct wayland_output *output, const struct output_mode *mode)
{
	struct wayland_window *window = &output->window;
	struct output_mode fills = wayland_window_mode(output);
	window->wish_width = mode->width;
	window->wish_height = mode->height;
	if (!window->configured || window->fixed ||
		(fills.width == mode->width && fills.height == mode->height)) {
		return;
	}
	window->width = to_logical(window, mode->width);
	window->height = to_logical(window, mode->height);
}
