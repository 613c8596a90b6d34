/* SPDX-License-Identifier: MIT */
#pragma once

/** Idle timers, for idle notifications and subscriptions, and the state of idle inhibitors. */

#include "protocol/protocol.h"
#include "util/clock.h"

struct idle {
	struct protocols *protocols;
	int n_inhibiting; /* inhibitors of visible surfaces */
	struct wl_list timers; /* idle_timer.link */
	struct wl_listener activity, destroy;
	struct wl_listener new_window; /* idle_inhibit.c */
};

/** Reports that there was no input for a time; the caller sets the first three members. */
struct idle_timer {
	int64_t timeout; /* ns */
	bool input_only; /* inhibitors are ignored */
	/** Mandatory. Must not destroy a timer. */
	void (*changed)(struct idle_timer *timer, bool idle);
	struct idle *idle;
	struct wl_list link; /* idle.timers; points to itself until the start */
	/** Time of the last input, or the last time an inhibitor was active. */
	int64_t since;
	bool idled;
	struct timer timer; /* disarmed while idled or inhibited */
};

void idle_create(struct protocols *protocols);
/** Notifies idle_timer.c that n_inhibiting became zero or nonzero. */
void idle_update_inhibited(struct idle *idle);
void idle_timer_init(struct idle_timer *timer, struct idle *idle);
void idle_timer_start(struct idle_timer *timer);
void idle_timer_finish(struct idle_timer *timer);
