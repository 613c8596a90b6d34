/* SPDX-License-Identifier: MIT */
/* Buffers, surfaces and toplevels of peers. */

#include "harness/peer.h"
#include "protocol/protocol.h"
#include "scene/scene.h"
#include "shell/shell.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void handle_release(void *data, struct wl_buffer *wl_buffer)
{
	struct peer_buffer *buffer = data;
	buffer->n_released++;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

struct peer_buffer *peer_buffer_create(
	struct peer *peer, int32_t width, int32_t height, uint32_t format)
{
	struct peer_buffer *buffer = xcalloc(1, sizeof(*buffer));
	buffer->width = width;
	buffer->height = height;
	buffer->size = (size_t)width * height * 4;
	buffer->fd = fd_create_memory("test-buffer", (off_t)buffer->size, false);
	assert_true(buffer->fd >= 0);
	buffer->pixels =
		mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, buffer->fd, 0);
	assert_true(buffer->pixels != MAP_FAILED);
	struct wl_shm_pool *pool = wl_shm_create_pool(peer->shm, buffer->fd, (int32_t)buffer->size);
	buffer->buffer = wl_shm_pool_create_buffer(pool, 0, width, height, width * 4, format);
	wl_shm_pool_destroy(pool);
	wl_buffer_add_listener(buffer->buffer, &buffer_listener, buffer);
	wl_list_insert(&peer->buffers, &buffer->link);
	return buffer;
}

static void free_buffer(struct peer_buffer *buffer)
{
	wl_list_remove(&buffer->link);
	munmap(buffer->pixels, buffer->size);
	close(buffer->fd);
	free(buffer);
}

void peer_buffer_destroy(struct peer_buffer *buffer)
{
	if (!buffer) {
		return;
	}
	wl_buffer_destroy(buffer->buffer);
	free_buffer(buffer);
}

void peer_buffer_fill(
	struct peer_buffer *buffer, int x, int y, int width, int height, uint32_t pixel)
{
	for (int row = y; row < y + height; row++) {
		for (int column = x; column < x + width; column++) {
			buffer->pixels[row * buffer->width + column] = pixel;
		}
	}
}

void peer_buffer_fill_pattern(struct peer_buffer *buffer)
{
	static const uint32_t quarters[4] = {0xffe04020, 0xff20a040, 0xff2050d0, 0xffd0c020};
	int width = buffer->width, height = buffer->height;
	for (int y = 0; y < height; y++) {
		for (int x = 0; x < width; x++) {
			uint32_t pixel = quarters[(x >= width / 2) + 2 * (y >= height / 2)];
			/* A white bar near the top, a black corner at its left end. */
			if (y >= height / 8 && y < height / 4 && x >= width / 8) {
				pixel = x < width / 4 ? 0xff000000 : 0xffffffff;
			}
			buffer->pixels[y * width + x] = pixel;
		}
	}
}

static void handle_toplevel_configure(void *data, struct xdg_toplevel *toplevel, int32_t width,
	int32_t height, struct wl_array *states)
{
	struct peer_window *window = data;
	const uint32_t *state;
	window->width = width;
	window->height = height;
	window->states = 0;
	wl_array_for_each (state, states) {
		window->states |= UINT32_C(1) << *state;
	}
}

static void handle_close(void *data, struct xdg_toplevel *toplevel)
{
	struct peer_window *window = data;
	window->closed = true;
}

static void handle_configure_bounds(
	void *data, struct xdg_toplevel *toplevel, int32_t width, int32_t height)
{
}

static void handle_wm_capabilities(
	void *data, struct xdg_toplevel *toplevel, struct wl_array *capabilities)
{
	struct peer_window *window = data;
	const uint32_t *capability;
	window->capabilities = 0;
	wl_array_for_each (capability, capabilities) {
		window->capabilities |= 1u << *capability;
	}
}

static const struct xdg_toplevel_listener toplevel_listener = {
	.configure = handle_toplevel_configure,
	.close = handle_close,
	.configure_bounds = handle_configure_bounds,
	.wm_capabilities = handle_wm_capabilities,
};

static void handle_configure(void *data, struct xdg_surface *xdg_surface, uint32_t serial)
{
	struct peer_window *window = data;
	window->serial = serial;
	window->n_configures++;
	xdg_surface_ack_configure(xdg_surface, serial);
}

static const struct xdg_surface_listener xdg_surface_listener = {.configure = handle_configure};

struct peer_window *peer_window_create_unmapped(struct peer *peer)
{
	struct peer_window *window = xcalloc(1, sizeof(*window));
	window->peer = peer;
	wl_list_insert(&peer->windows, &window->link);
	window->surface = wl_compositor_create_surface(peer->compositor);
	window->xdg_surface = xdg_wm_base_get_xdg_surface(peer->wm_base, window->surface);
	xdg_surface_add_listener(window->xdg_surface, &xdg_surface_listener, window);
	window->toplevel = xdg_surface_get_toplevel(window->xdg_surface);
	xdg_toplevel_add_listener(window->toplevel, &toplevel_listener, window);
	wl_surface_commit(window->surface);
	fixture_pump(peer->fixture);
	assert_int_equal(window->n_configures, 1);
	return window;
}

struct peer_window *peer_window_create(
	struct peer *peer, int x, int y, int32_t width, int32_t height, uint32_t pixel)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	window->buffer = peer_buffer_create(peer, width, height, WL_SHM_FORMAT_ARGB8888);
	peer_buffer_fill(window->buffer, 0, 0, width, height, pixel);
	peer_surface_show(window->surface, window->buffer);
	fixture_pump(peer->fixture);
	peer_window_place(window, x, y);
	return window;
}

void peer_window_destroy(struct peer_window *window)
{
	if (!window) {
		return;
	}
	xdg_toplevel_destroy(window->toplevel);
	xdg_surface_destroy(window->xdg_surface);
	wl_surface_destroy(window->surface);
	peer_buffer_destroy(window->buffer);
	wl_list_remove(&window->link);
	free(window);
}

void peer_forget(struct peer *peer)
{
	struct peer_window *window, *next_window;
	wl_list_for_each_safe (window, next_window, &peer->windows, link) {
		wl_list_remove(&window->link);
		free(window);
	}
	struct peer_buffer *buffer, *next_buffer;
	wl_list_for_each_safe (buffer, next_buffer, &peer->buffers, link) {
		free_buffer(buffer);
	}
}

void peer_surface_show(struct wl_surface *surface, struct peer_buffer *buffer)
{
	wl_surface_attach(surface, buffer->buffer, 0, 0);
	wl_surface_damage_buffer(surface, 0, 0, INT32_MAX, INT32_MAX);
	wl_surface_commit(surface);
}

struct wl_subsurface *peer_subsurface(struct peer *peer, struct wl_surface *surface,
	struct wl_surface *parent, int32_t x, int32_t y)
{
	struct wl_subsurface *subsurface =
		wl_subcompositor_get_subsurface(peer->subcompositor, surface, parent);
	wl_subsurface_set_position(subsurface, x, y);
	return subsurface;
}

struct surface *peer_surface_find(struct peer *peer, struct wl_surface *surface)
{
	fixture_pump(peer->fixture);
	assert_non_null(peer->client);
	struct wl_resource *resource =
		wl_client_get_object(peer->client, wl_proxy_get_id((struct wl_proxy *)surface));
	assert_non_null(resource);
	struct surface *found = surface_from_resource(resource);
	assert_non_null(found);
	return found;
}

struct window *peer_window_find(struct peer_window *window)
{
	struct surface *surface = peer_surface_find(window->peer, window->surface);
	struct window *found = window_from_surface(surface);
	assert_non_null(found);
	return found;
}

void peer_window_place(struct peer_window *window, int x, int y)
{
	window_move_to(peer_window_find(window), x, y);
	fixture_pump(window->peer->fixture);
}
