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

/** Use of overlay planes. */
enum drm_overlays {
	DRM_OVERLAYS_AUTO, /* except on drivers that are known to fail with them */
	DRM_OVERLAYS_ON,
	DRM_OVERLAYS_OFF,
};

struct drm_options {
	const char *primary; /* selector of the GPU that serves the session; NULL: automatic */
	enum drm_overlays overlays;
};

/**
 * Opens the cards that have a screen plugged in. `clock`, `session` and `gpus` must outlive the
 * backend, which updates `gpus` when cards are added or removed. For `options->primary`, see
 * gpu_list_primary(). Returns NULL if no card can set modes, with a one-line message in *error that
 * the caller frees.
 */
struct backend *drm_backend_create(struct wl_event_loop *loop, struct clock *clock,
	struct session *session, struct gpu_list *gpus, const struct drm_options *options,
	char **error);
/**
 * Returns the i-th restriction of the GPU's driver that the backend takes into account, with its
 * reason; NULL after the last. A card that was never open has none.
 */
const char *drm_backend_quirk(struct backend *backend, const struct gpu *gpu, int i);
bool backend_is_drm(const struct backend *backend);
bool output_is_drm(const struct output *output);
/**
 * Returns false while modesets of the KMS output cannot be tested, since a probe or a recovery
 * holds the kernel's locks. events.reconsider follows.
 */
bool drm_output_tests_modesets(const struct output *output);
/** Returns whether a thread probes connectors, after which outputs may change. */
bool drm_backend_is_probing(struct backend *backend);
/**
 * Returns a descriptor of an open card for allocations (gpu_clone_fd()), which the caller closes;
 * -ENODEV if the card is closed, or another negative errno.
 */
int drm_backend_clone_fd(struct backend *backend, const struct gpu *gpu);
