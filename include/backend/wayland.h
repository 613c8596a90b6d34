/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Nested Wayland backend: each output is a window of another compositor, the host, and the host's
 * seats provide input. Connects by $WAYLAND_SOCKET, else $WAYLAND_DISPLAY.
 */

#include "backend/backend.h"

struct gpu;

/** Returns true if the environment names a host compositor. */
bool wayland_backend_has_host(void);
/**
 * Connects and reads the host's globals; blocks for some seconds at most. Returns NULL on failure,
 * with a one-line message in *error that the caller frees.
 */
struct backend *wayland_backend_create(
	struct wl_event_loop *loop, struct clock *clock, char **error);
/**
 * Sets the GPU that renders frames, before start(): its buffers are passed on as dma-bufs. NULL:
 * buffers are memory files, which the host maps.
 */
void wayland_backend_set_gpu(struct backend *backend, struct gpu *gpu);
/**
 * Adds a window of width x height pixels before start(), with `scale` on top of the host's. The
 * host may impose another size. `refresh` in mHz is used until the host's refresh rate is known.
 * `fit`: limits the size to the bounds that the host suggests.
 */
void wayland_add_output(struct backend *backend, int32_t width, int32_t height, int32_t refresh,
	double scale, bool fit);
bool backend_is_wayland(const struct backend *backend);
bool output_is_wayland(const struct output *output);
