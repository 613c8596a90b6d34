#pragma once

/**
 * A clock and its timers. Everything that waits for time in the compositor takes a clock, so that
 * a test can own time: the real clock is CLOCK_MONOTONIC with one timerfd, armed only while a timer
 * is armed; the test clock moves when it is told to and fires timers in order on the way.
 */

#include <stdbool.h>
#include <stdint.h>
#include <wayland-server-core.h>

struct clock;

/** The timerfd is a source of `loop`. Returns NULL with errno set if the kernel refuses one. */
struct clock *clock_create(struct wl_event_loop *loop);
/** Starts at `now`, in ns; no source in any loop. */
struct clock *clock_create_test(int64_t now);
/** All timers must be disarmed. */
void clock_destroy(struct clock *clock);

/** Nanoseconds of CLOCK_MONOTONIC (or the test's). */
int64_t clock_now(const struct clock *clock);
/**
 * When it was first asked for in this turn of the loop: the same for all that is dispatched before the loop
 * waits again.
 */
int64_t clock_turn(struct clock *clock);
/**
 * Nothing more is at hand, and the loop is about to wait: fires what was armed to fire soon. From the first
 * call on, whoever runs the loop has to call it every time; before it, there are no turns.
 */
void clock_end_turn(struct clock *clock);
/** Something was armed to fire soon since: the loop must not wait, but end its turn again. */
bool clock_is_pending(const struct clock *clock);
/** It is a test's: what the kernel says of time has nothing to do with it. */
bool clock_is_test(const struct clock *clock);
/** The 32-bit milliseconds that input events and frame callbacks carry. */
static inline uint32_t clock_ms(int64_t ns)
{
	return (uint32_t)(ns / 1000000);
}

/** Test clock only: moves time on by `ns`, firing each timer at its own moment. */
void clock_advance(struct clock *clock, int64_t ns);
/** Test clock only: moves to the next armed timer and fires it; false when none is armed. */
bool clock_advance_to_next(struct clock *clock);

/** Embedded in its user; called once per arming with the clock's now. May arm again. */
struct timer {
	struct clock *clock;
	void (*fire)(struct timer *timer, int64_t now);
	int64_t when;
	int index; /* in the clock's heap, -1: not in it */
	uint64_t order; /* of arming */
	struct wl_list link; /* of timers that fire now or at the end of the turn */
	bool armed;
};

void timer_init(
	struct timer *timer, struct clock *clock, void (*fire)(struct timer *timer, int64_t now));
/** Fires at `when` (ns of the clock); a time in the past fires at the next dispatch. */
void timer_arm(struct timer *timer, int64_t when);
/**
 * Fires at the end of this turn of the loop, without another wake-up; where there are no turns, as one that
 * is armed for `now`, the present.
 */
void timer_arm_soon(struct timer *timer, int64_t now);
void timer_disarm(struct timer *timer);
/** Disarms. */
void timer_finish(struct timer *timer);
