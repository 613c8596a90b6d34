#pragma once

/**
 * The input devices of this machine, through libinput. Touch pads tap unless told otherwise; all else
 * that is not chosen is as libinput has it.
 */

#include "backend/backend.h"

struct session;

/**
 * Devices of the session's seat, while it is active. `session` outlives it. NULL with *error one line
 * (the caller frees it).
 */
struct backend *libinput_backend_create(
	struct wl_event_loop *loop, struct session *session, char **error);
