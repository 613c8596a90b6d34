/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * KMS backend: the screens of this machine, by atomic modesetting. A card is open while a screen is
 * plugged in.
 */

#include "backend/backend.h"

struct clock;
struct gpu;
struct gpu_list;
struct session;

/**
 * Opens the cards that have a screen plugged in. `clock`, `session` and `gpus` must outlive the
 * backend, which updates `gpus` when cards are added or removed. `primary`: a selector of the GPU
 * that serves the session; NULL: see gpu_list_primary(). Returns NULL if no card can set modes,
 * with a one-line message in *error that the caller frees.
 */
struct backend *drm_backend_create(struct wl_event_loop *loop, struct clock *clock,
	struct session *session, struct gpu_list *gpus, const char *primary, char **error);
bool backend_is_drm(const struct backend *backend);
bool output_is_drm(const struct output *output);
/** Returns whether a thread probes connectors, after which outputs may change. */
bool drm_backend_is_probing(struct backend *backend);
/**
 * Returns a descriptor of an open card for allocations (gpu_clone_fd()), which the caller closes;
 * -ENODEV if the card is closed, or another negative errno.
 */
int drm_backend_clone_fd(struct backend *backend, const struct gpu *gpu);
