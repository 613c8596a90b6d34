#pragma once

/**
 * The pace of what nobody can see: covered, minimised, off all screens, on another workspace, behind the
 * lock, or on screens that sleep. Their frame callbacks go out at a low rate and their barriers
 * (fifo-v1) clear at another, all clients' in the same wake-ups. No timer is armed while nobody waits.
 */

#include "scene/scene.h"
#include "util/clock.h"

struct throttle {
	struct scene *scene;
	struct clock *clock;
	struct timer timer;
	int64_t period, fifo_period; /* ns; period 0: no callbacks */
	int64_t callbacks_due, barriers_due; /* ns; 0: nobody waits */
	struct wl_listener waits;
};

/** Until throttle_finish(), before the scene goes. No callbacks, and barriers 30 times a second. */
void throttle_init(struct throttle *hidden, struct scene *scene, struct clock *clock);
void throttle_finish(struct throttle *hidden);
/** Both in Hz; `rate` 0: no callbacks. `fifo_rate` is above 0, or programs would freeze for good. */
void throttle_set_rates(struct throttle *hidden, double rate, double fifo_rate);
