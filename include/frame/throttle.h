/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Throttling of invisible surfaces: occluded, minimised, off-screen, on another workspace, behind
 * the session lock, or on sleeping outputs. Their frame callbacks are sent at a low rate and their
 * barriers (fifo-v1) cleared at another; all clients share the same wake-ups. Without waiting
 * surfaces no timer is armed.
 */

#include "scene/scene.h"
#include "util/clock.h"

struct throttle {
	struct scene *scene;
	struct clock *clock;
	struct timer timer;
	int64_t period, fifo_period; /* ns; period 0: no callbacks */
	int64_t callbacks_due, barriers_due; /* ns; 0: no surface waits */
	struct wl_listener waits;
};

/**
 * Initialises the throttle: no callbacks, and barriers at 30 Hz. Call throttle_finish() before the
 * scene is destroyed.
 */
void throttle_init(struct throttle *hidden, struct scene *scene, struct clock *clock);
void throttle_finish(struct throttle *hidden);
/**
 * Sets the rates in Hz. `rate` 0: no callbacks. `fifo_rate` must be above 0, since clients would
 * otherwise block forever.
 */
void throttle_set_rates(struct throttle *hidden, double rate, double fifo_rate);
