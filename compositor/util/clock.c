/* Clocks: real time behind one timerfd, or time that a test owns; and the timers on them. */

#include "util/clock.h"
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
/* So many firings at one moment of a test clock mean a timer that keeps arming itself for then. */
#define FIRINGS_AT_ONCE_MAX 100000

struct clock {
	struct wl_list timers; /* struct timer.link, soonest first */
	struct wl_list soon; /* struct timer.link, in the order of their arming */
	struct wl_event_source *source; /* NULL for a test clock */
	bool turns; /* somebody says when a turn of the loop ends */
	int64_t turn; /* when it was first asked for in this turn; 0: not yet */
	int fd;
	int64_t programmed; /* what the timerfd is set to; 0: disarmed */
	bool firing; /* the timerfd is programmed once, after all have fired */
	bool draining; /* those that are to fire soon do */
	int64_t test_now;
};

static int64_t next_time(const struct clock *clock)
{
	struct timer *first = wl_container_of(clock->timers.next, first, link);

	return first->when;
}

/* The timerfd follows the first timer; a system call only when that one has changed. */
static void program(struct clock *clock)
{
	struct itimerspec spec = {0};
	int64_t when = 0;

	if (clock->source == NULL || clock->firing) {
		return;
	}
	if (!wl_list_empty(&clock->timers)) {
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
 * Fires what is due by `now`. Due timers leave the clock's list first, so that one that arms itself
 * for the past waits for the next dispatch; disarming one that is due works as ever.
 */
static int fire_due(struct clock *clock, int64_t now)
{
	struct wl_list due;
	int n = 0;

	wl_list_init(&due);
	while (!wl_list_empty(&clock->timers) && next_time(clock) <= now) {
		struct timer *timer = wl_container_of(clock->timers.next, timer, link);

		wl_list_remove(&timer->link);
		wl_list_insert(due.prev, &timer->link);
	}
	clock->firing = true;
	while (!wl_list_empty(&due)) {
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

	/* Nothing to read: the timer was set anew after the loop had seen it expire. */
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

	wl_list_init(&clock->timers);
	wl_list_init(&clock->soon);
	clock->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (clock->fd < 0) {
		goto error_clock;
	}
	clock->source =
		wl_event_loop_add_fd(loop, clock->fd, WL_EVENT_READABLE, handle_timerfd, clock);
	if (clock->source == NULL) {
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

	wl_list_init(&clock->timers);
	wl_list_init(&clock->soon);
	clock->fd = -1;
	clock->test_now = now;
	return clock;
}

void clock_destroy(struct clock *clock)
{
	if (clock == NULL) {
		return;
	}
	assert(wl_list_empty(&clock->timers) && wl_list_empty(&clock->soon));
	if (clock->source != NULL) {
		wl_event_source_remove(clock->source);
		close(clock->fd);
	}
	free(clock);
}

int64_t clock_now(const struct clock *clock)
{
	struct timespec now;

	if (clock->source == NULL) {
		return clock->test_now;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
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
	if (!wl_list_empty(&clock->soon)) {
		int64_t now = clock_now(clock);

		clock->firing = clock->draining = true;
		while (!wl_list_empty(&clock->soon)) {
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
	return !wl_list_empty(&clock->soon);
}

bool clock_is_test(const struct clock *clock)
{
	return clock->source == NULL;
}

static void advance_to(struct clock *clock, int64_t target)
{
	int64_t moment = clock->test_now;
	int firings = 0;

	while (!wl_list_empty(&clock->timers) && next_time(clock) <= target) {
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
	assert(clock->source == NULL && ns >= 0);
	advance_to(clock, clock->test_now + ns);
}

bool clock_advance_to_next(struct clock *clock)
{
	assert(clock->source == NULL);
	if (wl_list_empty(&clock->timers)) {
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
	*timer = (struct timer){.clock = clock, .fire = fire};
	wl_list_init(&timer->link);
}

void timer_arm(struct timer *timer, int64_t when)
{
	struct timer *later;
	struct wl_list *before;

	/* Equal times fire in the order of their arming. */
	wl_list_remove(&timer->link);
	before = &timer->clock->timers;
	wl_list_for_each_reverse (later, &timer->clock->timers, link) {
		if (later->when <= when) {
			before = &later->link;
			break;
		}
	}
	timer->when = when;
	timer->armed = true;
	wl_list_insert(before, &timer->link);
	program(timer->clock);
}

void timer_arm_soon(struct timer *timer, int64_t now)
{
	struct clock *clock = timer->clock;

	/* From one that just fired so, only after the loop has looked at what else there is. */
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
	wl_list_remove(&timer->link);
	wl_list_init(&timer->link);
	program(timer->clock);
}

void timer_finish(struct timer *timer)
{
	timer_disarm(timer);
}
