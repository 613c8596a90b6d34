#pragma once

/**
 * Outputs that are windows of another compositor, the host, and the host's devices as input. The
 * connection is $WAYLAND_SOCKET, else $WAYLAND_DISPLAY.
 */

#include "backend/backend.h"

struct gpu;

/** True if the environment names a host. */
bool wayland_backend_has_host(void);
/**
 * Connects and asks what the host can do: waits for its answer, but not for long. NULL with *error
 * one line (the caller frees it).
 */
struct backend *wayland_backend_create(
	struct wl_event_loop *loop, struct clock *clock, char **error);
/**
 * What frames will be drawn on, before the start: buffers of that GPU are passed on as dma-bufs.
 * NULL: they are memory files, which the host maps.
 */
void wayland_backend_set_gpu(struct backend *backend, struct gpu *gpu);
/**
 * Before the start: a window of so many pixels, unless the host has a size of its own for it, and
 * a scale on top of the host's. `refresh` in mHz is what it says until the host's own is known.
 * If nobody asked for the size (`fit`), it is at most what the host finds good.
 */
void wayland_add_output(struct backend *backend, int32_t width, int32_t height, int32_t refresh,
	double scale, bool fit);
bool backend_is_wayland(const struct backend *backend);
bool output_is_wayland(const struct output *output);
