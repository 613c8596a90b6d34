/* SPDX-License-Identifier: MIT */
/* Time and seeds of random models on one emulated card. */

#include "course.h"
#include "util/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define IS_SLOW true
#else
#define IS_SLOW false
#endif

static struct {
	uint32_t seed; /* being played */
	bool playing, loud;
	uint64_t n_steps;
	int stderr_copy; /* while the log is hidden; 0: it is not */
} course;

/*
 * Without a watch of the configuration, since the kernel needs 20 ms to end one: models reload it
 * themselves.
 */
__attribute__((visibility("default"))) int inotify_init1(int flags)
{
	errno = EMFILE;
	return -1;
}

static void handle_end(struct timer *timer, int64_t now)
{
}

/* Advances to the next timer, but not beyond `end`. */
static void advance(struct clock *clock, int64_t end)
{
	struct timer timer;
	timer_init(&timer, clock, handle_end);
	timer_arm(&timer, end);
	clock_advance_to_next(clock);
	timer_finish(&timer);
}

void course_pass(struct world *world, struct fake_card *card, int64_t ns)
{
	struct clock *clock = world->fixture->clock;
	const int64_t end = clock_now(clock) + ns;
	int64_t vblank = 0; /* 0: no flip is pending */
	fixture_pump(world->fixture);
	while (clock_now(clock) < end) {
		const int64_t now = clock_now(clock);
		if (!fake_card_has_flips(card)) {
			vblank = 0;
		} else if (vblank == 0) {
			vblank = now + PERIOD;
		}
		advance(clock, vblank > 0 && vblank < end ? vblank : end);
		if (vblank > 0 && clock_now(clock) >= vblank) {
			fake_card_vblank(card, clock_now(clock));
			vblank = 0;
		}
		fixture_pump(world->fixture);
	}
}

static void hide_log(void)
{
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	course.stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	assert_true(null >= 0 && course.stderr_copy >= 0);
	assert_int_equal(dup2(null, STDERR_FILENO), STDERR_FILENO);
	close(null);
}

static void show_log(void)
{
	if (course.stderr_copy > 0) {
		dup2(course.stderr_copy, STDERR_FILENO);
		close(course.stderr_copy);
		course.stderr_copy = 0;
	}
}

void course_play(const char *variable, uint32_t n, uint64_t (*play)(uint32_t seed))
{
	const char *seeds = getenv(variable);
	uint32_t first = 1, last = IS_SLOW ? n / 10 : n;
	if (seeds) {
		char *comma;
		first = (uint32_t)strtoul(seeds, &comma, 10);
		last = *comma ? (uint32_t)strtoul(comma + 1, NULL, 10) : first;
	}
	course.loud = first == last;
	setenv("XCURSOR_PATH", fake_folder(), 1); /* no theme */
	setenv("XCURSOR_SIZE", "4", 1); /* the cursor is drawn */
	course.n_steps = 0;
	if (!course.loud) {
		hide_log();
	}
	for (uint32_t seed = first; seed <= last; seed++) {
		course.seed = seed;
		course.playing = true;
		course.n_steps += play(seed);
		course.playing = false;
	}
	show_log();
	print_message(
		"%llu steps of %u seeds\n", (unsigned long long)course.n_steps, last - first + 1);
}

int course_tear_down(void **state)
{
	show_log();
	if (course.playing) {
		print_message("seed %u fails after %llu steps of the seeds before it\n",
			course.seed, (unsigned long long)course.n_steps);
		course.playing = false;
	}
	return 0;
}

bool course_is_loud(void)
{
	return course.loud;
}
