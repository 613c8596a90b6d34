/* SPDX-License-Identifier: MIT */
/* Protocol errors of zwlr_layer_shell_v1. */

#include "harness/client/protocol_errors.h"
#include "wlr-layer-shell-unstable-v1-client-protocol.h"

static struct wl_surface *surface(struct peer *peer)
{
	return wl_compositor_create_surface(peer->compositor);
}

static struct zwlr_layer_surface_v1 *layer_of(
	struct peer *peer, struct wl_surface *wl_surface, uint32_t layer)
{
	struct zwlr_layer_shell_v1 *shell = peer_bind(peer, &zwlr_layer_shell_v1_interface, 0);
	return zwlr_layer_shell_v1_get_layer_surface(shell, wl_surface, NULL, layer, "test");
}

static struct zwlr_layer_surface_v1 *layer(struct peer *peer)
{
	return layer_of(peer, surface(peer), ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void layer_with_another_role(struct peer *peer)
{
	struct peer_window *window = peer_window_create_unmapped(peer);
	layer_of(peer, window->surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void unknown_layer(struct peer *peer)
{
	layer_of(peer, surface(peer), 4);
}

static void layer_with_a_buffer(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct peer_buffer *buffer = peer_buffer_create(peer, 8, 8, WL_SHM_FORMAT_XRGB8888);
	wl_surface_attach(wl_surface, buffer->buffer, 0, 0);
	wl_surface_commit(wl_surface);
	layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
}

static void unknown_later_layer(struct peer *peer)
{
	zwlr_layer_surface_v1_set_layer(layer(peer), 17);
}

static void layer_without_size(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	wl_surface_commit(wl_surface);
}

static void unknown_anchor_bits(struct peer *peer)
{
	zwlr_layer_surface_v1_set_anchor(layer(peer), 16);
}

static void unknown_keyboard_interactivity(struct peer *peer)
{
	zwlr_layer_surface_v1_set_keyboard_interactivity(layer(peer), 3);
}

static void exclusive_edge_without_anchor(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	zwlr_layer_surface_v1_set_anchor(layer_surface, ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT);
	zwlr_layer_surface_v1_set_exclusive_edge(layer_surface, ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP);
	wl_surface_commit(wl_surface);
}

static void layer_buffer_before_configure(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	peer_surface_show(wl_surface, peer_buffer_create(peer, 10, 10, WL_SHM_FORMAT_XRGB8888));
}

static void layer_acknowledges_what_was_not_sent(struct peer *peer)
{
	struct wl_surface *wl_surface = surface(peer);
	struct zwlr_layer_surface_v1 *layer_surface =
		layer_of(peer, wl_surface, ZWLR_LAYER_SHELL_V1_LAYER_TOP);
	zwlr_layer_surface_v1_set_size(layer_surface, 10, 10);
	wl_surface_commit(wl_surface);
	fixture_pump(peer->fixture);
	zwlr_layer_surface_v1_ack_configure(layer_surface, 0x7fffffff);
}

#define LAYER(error) ZWLR_LAYER_SURFACE_V1_ERROR_##error

static const struct error_case cases[] = {
	ERROR_CASE(layer_with_another_role, zwlr_layer_shell_v1, ZWLR_LAYER_SHELL_V1_ERROR_ROLE),
	ERROR_CASE(unknown_layer, zwlr_layer_shell_v1, ZWLR_LAYER_SHELL_V1_ERROR_INVALID_LAYER),
	/* A layer surface has no error for layers: the general one for invalid states is sent. */
	ERROR_CASE(unknown_later_layer, zwlr_layer_surface_v1, LAYER(INVALID_SURFACE_STATE)),
	ERROR_CASE(layer_with_a_buffer, zwlr_layer_shell_v1,
		ZWLR_LAYER_SHELL_V1_ERROR_ALREADY_CONSTRUCTED),
	ERROR_CASE(layer_without_size, zwlr_layer_surface_v1, LAYER(INVALID_SIZE)),
	ERROR_CASE(unknown_anchor_bits, zwlr_layer_surface_v1, LAYER(INVALID_ANCHOR)),
	ERROR_CASE(unknown_keyboard_interactivity, zwlr_layer_surface_v1,
		LAYER(INVALID_KEYBOARD_INTERACTIVITY)),
	ERROR_CASE(exclusive_edge_without_anchor, zwlr_layer_surface_v1,
		LAYER(INVALID_EXCLUSIVE_EDGE)),
	ERROR_CASE(
		layer_buffer_before_configure, zwlr_layer_surface_v1, LAYER(INVALID_SURFACE_STATE)),
	ERROR_CASE(layer_acknowledges_what_was_not_sent, zwlr_layer_surface_v1,
		LAYER(INVALID_SURFACE_STATE)),
};

int main(void)
{
	return ERRORS_RUN("toplevel/errors", cases, false);
}
