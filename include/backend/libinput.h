/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * libinput backend: the input devices of this machine. Tap-to-click is on by default; all other
 * settings default to libinput's.
 */

#include "backend/backend.h"

struct session;

/**
 * Opens the devices of the session's seat while the session is active. `session` must outlive the
 * backend. Returns NULL on failure, with a one-line message in *error that the caller frees.
 */
struct backend *libinput_backend_create(
	struct wl_event_loop *loop, struct session *session, char **error);
