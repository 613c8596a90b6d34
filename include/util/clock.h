/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Clocks and timers. Code that waits for time takes a clock, so that tests control time: the real
 * clock is CLOCK_MONOTONIC with one timerfd, armed only while a timer is armed; a test clock moves
 * on request and fires timers in order on the way.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct clock;

/**
 * Creates a real clock, whose timerfd is a source of `loop`. Returns NULL with errno on failure.
 */
struct clock *clock_create(struct wl_event_loop *loop);
/** Creates a test clock that starts at `now` (ns), without an event source. */
struct clock *clock_create_test(int64_t now);
/** Destroys the clock; all timers are disarmed. */
void clock_destroy(struct clock *clock);

/** Returns the time in ns of CLOCK_MONOTONIC, for code without a clock. */
int64_t clock_monotonic(void);
/** Returns the time in ns, of CLOCK_MONOTONIC or the test's. */
int64_t clock_now(const struct clock *clock);
/**
 * Returns the time (ns) at which this function was first called in this turn of the event loop:
 * equal for everything dispatched before the loop waits again.
 */
int64_t clock_turn(struct clock *clock);
/**
 * Ends a turn before the loop waits: fires timers armed by timer_arm_soon(). After the first call,
 * it must be called in every turn; before it, there are no turns.
 */
void clock_end_turn(struct clock *clock);
/**
 * Returns whether a timer was armed by timer_arm_soon() since: the loop must not wait, but end its
 * turn again.
 */
bool clock_is_pending(const struct clock *clock);
/** Returns whether this is a test clock, unrelated to times of the kernel. */
bool clock_is_test(const struct clock *clock);
/** Returns 32-bit milliseconds, as in input events and frame callbacks. */
static inline uint32_t clock_ms(int64_t ns)
{
	return (uint32_t)(ns / 1000000);
}

/** Test clock only: moves time on by `ns`, firing each timer at its own moment. */
void clock_advance(struct clock *clock, int64_t ns);
/** Test clock only: moves to the next armed timer and fires it; false when none is armed. */
bool clock_advance_to_next(struct clock *clock);

/**
 * A timer, embedded in its user; fires once per arming, with the clock's time. May be armed again.
 */
struct timer {
	struct clock *clock;
	void (*fire)(struct timer *timer, int64_t now);
	int64_t when;
	int index; /* in the clock's heap; -1: not in it */
	uint64_t order; /* of arming, for equal times */
	struct wl_list link; /* of timers that fire now or at the end of the turn */
	bool armed;
};

void timer_init(
	struct timer *timer, struct clock *clock, void (*fire)(struct timer *timer, int64_t now));
/** Arms the timer for `when` (ns); a past time fires at the next dispatch. */
void timer_arm(struct timer *timer, int64_t when);
/**
 * Arms the timer for the end of this turn of the loop, without another wake-up; without turns, for
 * `now`, the present time.
 */
void timer_arm_soon(struct timer *timer, int64_t now);
void timer_disarm(struct timer *timer);
/** Disarms the timer. */
void timer_finish(struct timer *timer);
