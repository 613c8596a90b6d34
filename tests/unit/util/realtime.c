/* SPDX-License-Identifier: MIT */
/*
 * Real-time scheduling: permission, inheritance, and its end at the CPU limit. Each test runs in a
 * child process.
 */

#include "util/realtime.h"
#include "harness/unit.h"
#include "server/children.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_PERMITTED 77
#define NOBODY 65534

/* Runs `body` in a child process. Returns its status as wait() does. */
static int run(int (*body)(void))
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		_exit(body());
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void expect_good(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_PERMITTED) {
		skip_because("real-time scheduling is not permitted");
	}
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int refuse(void)
{
	const struct rlimit none = {0, 0};
	struct rlimit before, after;
	if (setrlimit(RLIMIT_RTPRIO, &none) < 0 || (geteuid() == 0 && setuid(NOBODY) < 0)) {
		return NOT_PERMITTED;
	}
	getrlimit(RLIMIT_RTTIME, &before);
	bool started = realtime_start();
	getrlimit(RLIMIT_RTTIME, &after);
	return started || realtime_is_on() || before.rlim_cur != after.rlim_cur;
}

static void refusal_leaves_limits_unchanged(void **state)
{
	expect_good(run(refuse));
}

static void *ask(void *data)
{
	bool *on = data;
	*on = realtime_is_on();
	return NULL;
}

static int keep_to_oneself(void)
{
	if (!realtime_start()) {
		return NOT_PERMITTED;
	}
	pthread_t thread;
	bool thread_on = true;
	int status = -1;
	if (!realtime_is_on() || pthread_create(&thread, NULL, ask, &thread_on) != 0) {
		return 1;
	}
	pthread_join(thread, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		_exit(realtime_is_on());
	}
	waitpid(pid, &status, 0);
	return thread_on || status != 0 || !realtime_is_on();
}

static void threads_and_children_are_not_realtime(void **state)
{
	expect_good(run(keep_to_oneself));
}

/* The soft "Max realtime timeout" of a process. */
static bool read_limit(pid_t pid, char *limit)
{
	char path[64], line[256];
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	FILE *file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file)) {
		found = sscanf(line, "Max realtime timeout %31s", limit) == 1;
	}
	if (file) {
		fclose(file);
	}
	return found;
}

static int start_program(void)
{
	static const char *const argv[] = {"sleep", "3600", NULL}, *const unchanged[] = {NULL};
	char before[32], ours[32], theirs[32];
	if (!read_limit(getpid(), before)) {
		return NOT_PERMITTED;
	}
	struct session_children *children = children_create();
	if (!realtime_start()) {
		return NOT_PERMITTED;
	}
	pid_t pid = children_spawn(
		children, &(struct child_start){.argv = argv, .environment = unchanged});
	bool good = pid > 0 && read_limit(pid, theirs) && read_limit(getpid(), ours) &&
		    strcmp(theirs, before) == 0 && strcmp(ours, before) != 0 &&
		    sched_getscheduler(pid) == SCHED_OTHER;
	children_destroy(children);
	return !good;
}

/*
 * Programs that run real-time themselves must not be killed by the limit that the compositor sets
 * for itself.
 */
static void programs_get_the_original_limit(void **state)
{
	expect_good(run(start_program));
}

/* Runs as a user with RLIMIT_RTPRIO but without CAP_SYS_NICE. */
static int never_rest(void)
{
	if (!realtime_start() || (geteuid() == 0 && setuid(NOBODY) < 0)) {
		return NOT_PERMITTED;
	}
	while (realtime_is_on()) {
	}
	return 0;
}

static void busy_loop_loses_realtime(void **state)
{
	expect_good(run(never_rest));
}

static int exceed(void)
{
	if (!realtime_start()) {
		return NOT_PERMITTED;
	}
	const struct sched_param none = {0};
	sched_setscheduler(0, SCHED_OTHER, &none);
	raise(SIGXCPU);
	return 0;
}

/* SIGXCPU from a CPU time limit (RLIMIT_CPU) keeps its default action. */
static void other_cpu_limit_still_kills(void **state)
{
	int status = run(exceed);
	if (WIFEXITED(status)) {
		expect_good(status == 0 ? 1 << 8 : status);
	}
	assert_int_equal(WTERMSIG(status), SIGXCPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusal_leaves_limits_unchanged),
		cmocka_unit_test(threads_and_children_are_not_realtime),
		cmocka_unit_test(programs_get_the_original_limit),
		cmocka_unit_test(busy_loop_loses_realtime),
		cmocka_unit_test(other_cpu_limit_still_kills),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
