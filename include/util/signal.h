/* SPDX-License-Identifier: MIT */
#pragma once

/** Emission of signals, fast for at most one listener. */

#include <wayland-server-core.h>

/**
 * Emits as wl_signal_emit_mutable(): listeners may remove themselves or others, or destroy the
 * signal's owner. Nothing is accessed after the only listener was called.
 */
static inline void signal_emit(struct wl_signal *signal, void *data)
{
	struct wl_list *first = signal->listener_list.next;
	if (first == &signal->listener_list) {
		return;
	}
	if (first->next == &signal->listener_list) {
		struct wl_listener *listener = wl_container_of(first, listener, link);
		listener->notify(listener, data);
		return;
	}
	wl_signal_emit_mutable(signal, data);
}
