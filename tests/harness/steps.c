/* SPDX-License-Identifier: MIT */
/* Seeds, counts and limits of random models. */

#include "harness/steps.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWNESS 10
#else
#define SLOWNESS 1
#endif

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static uint64_t read_number(const char *variable)
{
	const char *text = getenv(variable);
	return text ? strtoull(text, NULL, 10) : 0;
}

/* The only run of the program, which is printed at its end. */
static struct steps run;

static void print_run(void)
{
	const double seconds = (double)(now() - run.started) / SECOND;
	printf("%s: %" PRIu64 " steps, seeds %" PRIu64 " to %" PRIu64 ", %.0f steps a second\n",
		run.model, run.n, run.first, run.seed, (double)run.n / seconds);
	fflush(stdout);
}

static void handle_abort(int signal)
{
	print_run();
}

struct steps *steps_begin(const char *model, const char *variable, uint64_t enough)
{
	run = (struct steps){.model = model, .first = 1, .last = UINT64_MAX, .started = now()};
	const char *seeds = getenv(variable);
	const uint64_t seconds = read_number("MODEL_SECONDS"), least = read_number("MODEL_STEPS");
	const bool limited = least > 0 || seconds > 0;
	run.until = seconds > 0 ? run.started + (int64_t)seconds * SECOND : 0;
	run.enough = least > 0 ? least : seconds > 0 || seeds ? UINT64_MAX : enough / SLOWNESS;
	if (seeds) {
		char *comma;
		run.first = strtoull(seeds, &comma, 10);
		run.last = *comma    ? strtoull(comma + 1, NULL, 10)
			   : limited ? UINT64_MAX
				     : run.first;
	}
	run.seed = run.first - 1;
	atexit(print_run);
	signal(SIGABRT, handle_abort);
	return &run;
}

bool steps_next(struct steps *steps)
{
	const bool more = steps->seed < steps->last && steps->n < steps->enough &&
			  (steps->until == 0 || now() < steps->until);
	steps->seed += more;
	return more;
}
