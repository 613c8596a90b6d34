/* SPDX-License-Identifier: MIT */
/* Connection to the host: pending requests, and the clock of its events. */

#include "wayland.h"
#include <errno.h>

void wayland_flush(struct wayland_backend *backend)
{
	if (backend->gone) {
		return;
	}
	bool full = wl_display_flush(backend->display) < 0 && errno == EAGAIN;
	if (full != backend->full && backend->source) {
		backend->full = full;
		wl_event_source_fd_update(backend->source,
			full ? WL_EVENT_READABLE | WL_EVENT_WRITABLE : WL_EVENT_READABLE);
	}
	/* Errors are handled when the connection is read, which also gives the reason. */
}

int64_t wayland_time(const struct wayland_backend *backend, uint32_t ms)
{
	int64_t now = clock_now(backend->clock);
	int32_t ago = (int32_t)(clock_ms(now) - ms);
	/* Most hosts use CLOCK_MONOTONIC timestamps, but the protocol leaves the clock open. */
	return ago >= 0 && ago < 1000 ? now - now % 1000000 - (int64_t)ago * 1000000 : now;
}
