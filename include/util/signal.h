/* SPDX-License-Identifier: MIT */
#pragma once

/** Listeners of signals, and emission that is fast for at most one listener. */

#include <stdbool.h>
#include <wayland-server-core.h>

/** Initialises the signals of `events`, a struct of `size` bytes that has no other members. */
static inline void signals_init(void *events, size_t size)
{
	struct wl_signal *signals = events;
	for (size_t i = 0; i < size / sizeof(*signals); i++) {
		wl_signal_init(&signals[i]);
	}
}

/** Returns whether no signal of `events`, as above, has a listener. */
static inline bool signals_are_unused(const void *events, size_t size)
{
	const struct wl_signal *signals = events;
	for (size_t i = 0; i < size / sizeof(*signals); i++) {
		if (!wl_list_empty(&signals[i].listener_list)) {
			return false;
		}
	}
	return true;
}

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
