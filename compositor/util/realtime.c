/* SPDX-License-Identifier: MIT */
/* Real-time scheduling of the event loop's thread, with a limit for a runaway loop. */

#include "util/realtime.h"
#include "util/log.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool is_realtime(pid_t thread)
{
	int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
	return policy == SCHED_RR || policy == SCHED_FIFO;
}

/* Runs on any thread; the ID of the process is that of its first thread. */
static void handle_limit(int number)
{
	static const struct sched_param none;
	int error = errno;
	if (is_realtime(getpid())) {
		/* Without the flag, this needs CAP_SYS_NICE. */
		sched_setscheduler(getpid(), SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
	} else {
		/* Restore the signal's default for RLIMIT_CPU, which ends the process. */
		signal(number, SIG_DFL);
		raise(number);
	}
	errno = error;
}

/* Returns false if a runaway loop could not be stopped. */
static bool limit(struct rlimit *before)
{
	struct sigaction action = {.sa_handler = handle_limit, .sa_flags = SA_RESTART};
	struct rlimit limit;
	/* At the hard limit the kernel ends the process. */
	if (getrlimit(RLIMIT_RTTIME, before) < 0 || before->rlim_max <= REALTIME_LIMIT_US) {
		return false;
	}
	limit = (struct rlimit){REALTIME_LIMIT_US, before->rlim_max};
	return sigaction(SIGXCPU, &action, NULL) == 0 && setrlimit(RLIMIT_RTTIME, &limit) == 0;
}

bool realtime_start(void)
{
	struct sched_param lowest = {.sched_priority = sched_get_priority_min(SCHED_RR)};
	struct rlimit before;
	if (!limit(&before)) {
		log_debug(LOG_FRAME, "no real-time scheduling: the kernel does not limit its CPU "
				     "time (RLIMIT_RTTIME)");
		return false;
	}
	if (sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) < 0) {
		log_debug(LOG_FRAME, "no real-time scheduling: %s", strerror(errno));
		signal(SIGXCPU, SIG_DFL);
		setrlimit(RLIMIT_RTTIME, &before);
		return false;
	}
	log_debug(LOG_FRAME, "real-time scheduling with the lowest priority");
	return true;
}

bool realtime_is_on(void)
{
	return is_realtime(0);
}
