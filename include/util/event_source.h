/* SPDX-License-Identifier: MIT */
#pragma once

/** Event sources of libwayland's event loop. */

#include <wayland-server-core.h>

/** Removes the source and sets it to NULL; ignores NULL. */
static inline void event_source_remove(struct wl_event_source **source)
{
	if (*source) {
		wl_event_source_remove(*source);
		*source = NULL;
	}
}
