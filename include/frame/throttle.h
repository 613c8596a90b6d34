/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Throttling of invisible surfaces: occluded, minimised, off-screen, on another workspace, behind
 * the session lock, or on sleeping outputs. Their frame callbacks are sent at a low rate and their
 * barriers (fifo-v1) cleared at another; surfaces with the same rate share their wake-ups. Without
 * waiting surfaces no timer is armed.
 *
 * Surfaces of X servers have a rate of their own while the session is in use: a program with a
 * covered X window often draws for another one, as Steam does for its overlay. The rule of a window
 * (surface_rules.hidden_period) replaces both.
 */

#include "scene/scene.h"
#include "util/clock.h"

/** Rates in Hz; 0: no callbacks. */
struct throttle_rates {
	double all;
	double x; /* of surfaces of X servers */
	double fifo; /* of barriers; above 0, since clients would otherwise block forever */
	double most; /* upper limit of `x` and of rules; 0: none */
};

struct throttle {
	struct scene *scene;
	struct clock *clock;
	struct timer timer;
	/* ns between callbacks, and between barriers; 0: no callbacks */
	int64_t period, x_period, fifo_period;
	int64_t least; /* ns between callbacks by `x_period` and by rules */
	bool locked; /* the session is locked: X servers have `period`, too */
	/** Time of the earliest one, ns; 0: no surface waits for one. */
	int64_t callbacks_due, barriers_due;
	struct wl_listener waits;
};

/**
 * Initialises the throttle: no callbacks, and barriers at 30 Hz. Call throttle_finish() before the
 * scene is destroyed.
 */
void throttle_init(struct throttle *hidden, struct scene *scene, struct clock *clock);
void throttle_finish(struct throttle *hidden);
void throttle_set_rates(struct throttle *hidden, const struct throttle_rates *rates);
/** Tells whether the session is locked. */
void throttle_set_locked(struct throttle *hidden, bool locked);
/** Returns whether the surface gets frame callbacks while it is invisible. */
bool throttle_sends(const struct throttle *hidden, struct surface *surface);
