#pragma once

/**
 * What a GPU makes and takes, found without disturbing it: out of a cache, so that a GPU that sleeps can
 * be described, or once, on a thread, by opening it, which may take seconds.
 */

#include "gpu/format.h"
#include <wayland-server-core.h>

struct gpu;
struct gpu_probe;

/**
 * Calls `found` once, from the loop, with what the GPU samples, or NULL if it cannot be had; the set is
 * only lent. The GPU is opened at most for as long as it is looked at, and is not counted as used.
 */
struct gpu_probe *gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	void (*found)(void *data, const struct format_set *formats), void *data);
/** `found` is not called any more. Waits for nothing: the thread ends by itself. NULL is legal. */
void gpu_probe_destroy(struct gpu_probe *probe);
