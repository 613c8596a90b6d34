#pragma once

/** Emitting signals: most have no listener or one, and that is quick. */

#include <wayland-server-core.h>

/**
 * As wl_signal_emit_mutable(): a listener may remove itself or others, or destroy what the signal is
 * in. Nothing is touched after the only listener has been called.
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
