/* SPDX-License-Identifier: MIT */
/* Clocks: real time behind one timerfd, or a test's time; and their timers. */

#include "util/clock.h"
#include "util/list.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
/*
 * Limit of firings at one moment of a test clock, which detects a timer that keeps re-arming
 * itself.
 */
#define FIRINGS_AT_ONCE_MAX 100000

struct clock {
	/** A binary heap, soonest first: clients arm as many timers as they like. */
	struct timer **timers;
	int n_timers, max_timers;
	uint64_t n_armed; /* since creation */
	struct wl_list soon; /* struct timer.link, in the order of their arming */
	struct wl_event_source *source; /* NULL for a test clock */
	bool turns; /* clock_end_turn() is called */
	int64_t turn; /* time of the first call in this turn; 0: none yet */
	int fd;
	int64_t programmed; /* setting of the timerfd */
	bool firing; /* the timerfd is set once, after all have fired */
	bool draining; /* timers armed by timer_arm_soon() are firing */
	int64_t test_now;
};

static int64_t next_time(const struct clock *clock)
{
	return clock->timers[0]->when;
}

/* Equal times fire in the order of their arming. */
static bool is_sooner(const struct timer *a, const struct timer *b)
{
	return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void put(struct clock *clock, int index, struct timer *timer)
{
	clock->timers[index] = timer;
	timer->index = index;
}

/* Puts the timer at `index`, which is free, or nearer to the root. */
static void sift_up(struct clock *clock, int index, struct timer *timer)
{
	while (index > 0 && is_sooner(timer, clock->timers[(index - 1) / 2])) {
		put(clock, index, clock->timers[(index - 1) / 2]);
		index = (index - 1) / 2;
	}
	put(clock, index, timer);
}

/* Puts the timer at `index`, which is free, or farther from the root. */
static void sift_down(struct clock *clock, int index, struct timer *timer)
{
	for (int child; (child = 2 * index + 1) < clock->n_timers; index = child) {
		if (child + 1 < clock->n_timers &&
			is_sooner(clock->timers[child + 1], clock->timers[child])) {
			child++;
		}
		if (!is_sooner(clock->timers[child], timer)) {
			break;
		}
		put(clock, index, clock->timers[child]);
	}
	put(clock, index, timer);
}

static void add(struct clock *clock, struct timer *timer)
{
	if (clock->n_timers == clock->max_timers) {
		clock->max_timers = clock->max_timers ? 2 * clock->max_timers : 32;
		clock->timers =
			xrealloc(clock->timers, (size_t)clock->max_timers, sizeof(struct timer *));
	}
	timer->order = clock->n_armed++;
	sift_up(clock, clock->n_timers++, timer);
}

static void take_out(struct clock *clock, struct timer *timer)
{
	int index = timer->index;
	timer->index = -1;
	struct timer *last = clock->timers[--clock->n_timers];
	if (last == timer) {
		return;
	}
	if (index > 0 && is_sooner(last, clock->timers[(index - 1) / 2])) {
		sift_up(clock, index, last);
	} else {
		sift_down(clock, index, last);
	}
}

/* Sets the timerfd to the first timer; a system call only if that has changed. */
static void program(struct clock *clock)
{
	struct itimerspec spec = {0};
	int64_t when = 0;
	if (!clock->source || clock->firing) {
		return;
	}
	if (clock->n_timers > 0) {
		/* Zero would disarm; anything else in the past fires at once. */
		when = next_time(clock);
		when = when > 0 ? when : 1;
	}
	if (when == clock->programmed) {
		return;
	}
	spec.it_value.tv_sec = when / NS_PER_S;
	spec.it_value.tv_nsec = when % NS_PER_S;
	if (timerfd_settime(clock->fd, TFD_TIMER_ABSTIME, &spec, NULL) < 0) {
		log_error("cannot set a timer: %s", strerror(errno));
		return;
	}
	clock->programmed = when;
}

/*
 * Fires timers due by `now`. They leave the clock's list first, so that a timer that re-arms itself
 * for the past waits for the next dispatch; disarming a due timer works as usual.
 */
static int fire_due(struct clock *clock, int64_t now)
{
	struct wl_list due;
	int n = 0;
	list_init(&due);
	while (clock->n_timers > 0 && next_time(clock) <= now) {
		struct timer *timer = clock->timers[0];
		take_out(clock, timer);
		wl_list_insert(due.prev, &timer->link);
	}
	clock->firing = true;
	while (!list_is_empty(&due)) {
		struct timer *timer = wl_container_of(due.next, timer, link);
		timer_disarm(timer);
		timer->fire(timer, now);
		n++;
	}
	clock->firing = false;
	program(clock);
	return n;
}

static int handle_timerfd(int fd, uint32_t mask, void *data)
{
	struct clock *clock = data;
	uint64_t expirations;
	/* Nothing to read: the timer was re-armed after the loop saw it expire. */
	if (read(fd, &expirations, sizeof(expirations)) < 0) {
		if (errno != EAGAIN && errno != EINTR) {
			log_error("cannot read a timer: %s", strerror(errno));
		}
		return 0;
	}
	clock->programmed = 0;
	fire_due(clock, clock_now(clock));
	return 0;
}

struct clock *clock_create(struct wl_event_loop *loop)
{
	struct clock *clock = xcalloc(1, sizeof(*clock));
	int error;
	list_init(&clock->soon);
	clock->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (clock->fd < 0) {
		goto error_clock;
	}
	clock->source =
		wl_event_loop_add_fd(loop, clock->fd, WL_EVENT_READABLE, handle_timerfd, clock);
	if (!clock->source) {
		goto error_fd;
	}
	return clock;
error_fd:
	error = errno;
	close(clock->fd);
	errno = error;
error_clock:
	free(clock);
	return NULL;
}

struct clock *clock_create_test(int64_t now)
{
	struct clock *clock = xcalloc(1, sizeof(*clock));
	list_init(&clock->soon);
	clock->fd = -1;
	clock->test_now = now;
	return clock;
}

void clock_destroy(struct clock *clock)
{
	if (!clock) {
		return;
	}
	assert(clock->n_timers == 0 && list_is_empty(&clock->soon));
	free(clock->timers);
	if (clock->source) {
		wl_event_source_remove(clock->source);
		close(clock->fd);
	}
	free(clock);
}

int64_t clock_monotonic(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_now(const struct clock *clock)
{
	return clock->source ? clock_monotonic() : clock->test_now;
}

int64_t clock_turn(struct clock *clock)
{
	if (!clock->turns) {
		return clock_now(clock);
	}
	if (clock->turn == 0) {
		clock->turn = clock_now(clock);
	}
	return clock->turn;
}

void clock_end_turn(struct clock *clock)
{
	clock->turns = true;
	if (!list_is_empty(&clock->soon)) {
		int64_t now = clock_now(clock);
		clock->firing = clock->draining = true;
		while (!list_is_empty(&clock->soon)) {
			struct timer *timer = wl_container_of(clock->soon.next, timer, link);
			timer_disarm(timer);
			timer->fire(timer, now);
		}
		clock->firing = clock->draining = false;
		program(clock);
	}
	clock->turn = 0;
}

bool clock_is_pending(const struct clock *clock)
{
	return !list_is_empty(&clock->soon);
}

bool clock_is_test(const struct clock *clock)
{
	return !clock->source;
}

static void advance_to(struct clock *clock, int64_t target)
{
	int64_t moment = clock->test_now;
	int firings = 0;
	while (clock->n_timers > 0 && next_time(clock) <= target) {
		if (next_time(clock) > clock->test_now) {
			clock->test_now = next_time(clock);
		}
		if (clock->test_now != moment) {
			moment = clock->test_now;
			firings = 0;
		}
		firings += fire_due(clock, clock->test_now);
		assert(firings < FIRINGS_AT_ONCE_MAX &&
			"a timer keeps arming itself for this very moment");
	}
	clock->test_now = target;
}

void clock_advance(struct clock *clock, int64_t ns)
{
	assert(!clock->source && ns >= 0);
	advance_to(clock, clock->test_now + ns);
}

bool clock_advance_to_next(struct clock *clock)
{
	assert(!clock->source);
	if (clock->n_timers == 0) {
		return false;
	}
	if (next_time(clock) > clock->test_now) {
		clock->test_now = next_time(clock);
	}
	fire_due(clock, clock->test_now);
	return true;
}

void timer_init(
	struct timer *timer, struct clock *clock, void (*fire)(struct timer *timer, int64_t now))
{
	*timer = (struct timer){.clock = clock, .fire = fire, .index = -1};
	list_init(&timer->link);
}

static void leave_lists(struct timer *timer)
{
	if (timer->index >= 0) {
		take_out(timer->clock, timer);
	}
	wl_list_remove(&timer->link);
	list_init(&timer->link);
}

void timer_arm(struct timer *timer, int64_t when)
{
	leave_lists(timer);
	timer->when = when;
	timer->armed = true;
	add(timer->clock, timer);
	program(timer->clock);
}

void timer_arm_soon(struct timer *timer, int64_t now)
{
	struct clock *clock = timer->clock;
	/* Armed while these fire: wait until the loop has looked at other events. */
	if (!clock->turns || clock->draining) {
		timer_arm(timer, now);
		return;
	}
	timer_disarm(timer);
	timer->when = now;
	timer->armed = true;
	wl_list_insert(clock->soon.prev, &timer->link);
}

void timer_disarm(struct timer *timer)
{
	if (!timer->armed) {
		return;
	}
	timer->armed = false;
	leave_lists(timer);
	program(timer->clock);
}

void timer_finish(struct timer *timer)
{
	timer_disarm(timer);
}
