#pragma once

/**
 * Screens of this machine, through the kernel's atomic mode setting. A card is opened when something
 * is plugged into it, and closed when nothing is any more.
 */

#include "backend/backend.h"

struct clock;
struct gpu;
struct gpu_list;
struct session;

/**
 * `clock`, `session` and `gpus` outlive it; it keeps `gpus` up to date as cards come and go. Opens the cards
 * that have something plugged in; NULL with *error one line (the caller frees it) if there is no card that
 * can set modes. `primary`: a selector of the GPU that serves the session; NULL: see gpu_list_primary().
 */
struct backend *drm_backend_create(struct wl_event_loop *loop, struct clock *clock,
	struct session *session, struct gpu_list *gpus, const char *primary, char **error);
bool backend_is_drm(const struct backend *backend);
bool output_is_drm(const struct output *output);
/**
 * A descriptor of an open card for allocation (gpu_clone_fd()), which is the caller's; negative errno,
 * -ENODEV if the card is not open.
 */
int drm_backend_clone_fd(struct backend *backend, const struct gpu *gpu);
