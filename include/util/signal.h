/* SPDX-License-Identifier: MIT */
#pragma once

/** Listeners of signals, and emission that is fast for at most one listener. */

#include <wayland-server-core.h>

/**
 * Calls `notify` for each emission of the signal, after the listeners added before. The listener
 * must not be in a list.
 */
static inline void signal_add(
	struct wl_signal *signal, struct wl_listener *listener, wl_notify_func_t notify)
{
	listener->notify = notify;
	wl_signal_add(signal, listener);
}

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
