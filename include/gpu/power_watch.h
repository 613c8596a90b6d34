/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Moments at which the power state of GPUs may have changed. The kernel announces no change of
 * runtime_status, so that a watch reports the causes: nodes that any program opens or closes
 * (inotify, which wakes no device), and, once after the last of these, the end of the kernel's
 * autosuspend delay. A GPU that a program wakes through a node that is open already is missed.
 */

#include "util/clock.h"

struct gpu_list;
struct gpu_power_watch;

/** Creates a watch, which costs nothing without listeners. */
struct gpu_power_watch *gpu_power_watch_create(
	struct gpu_list *list, struct wl_event_loop *loop, struct clock *clock);
/** Accepts NULL. Listeners have been removed before. */
void gpu_power_watch_destroy(struct gpu_power_watch *watch);
/** Adds a listener, whose data is NULL. gpu_read_power() returns the state. */
void gpu_power_watch_add(struct gpu_power_watch *watch, struct wl_listener *listener);
void gpu_power_watch_remove(struct gpu_power_watch *watch, struct wl_listener *listener);
