/* Tests of real-time scheduling: who has it, who has not, and how it ends. Each in a process of its own. */

#include "util/realtime.h"
#include "children.h"
#include "unit.h"
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

/* Runs it in a child; its status as wait() has it. */
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
		skip_because("it is not permitted here");
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

static void test_refused(void **state)
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

static void test_not_inherited(void **state)
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

/* Programs that run real-time themselves are not ended by a limit that was meant for us. */
static void test_programs(void **state)
{
	expect_good(run(start_program));
}

/* As who has RLIMIT_RTPRIO alone. */
static int never_rest(void)
{
	if (!realtime_start() || (geteuid() == 0 && setuid(NOBODY) < 0)) {
		return NOT_PERMITTED;
	}
	while (realtime_is_on()) {
	}
	return 0;
}

static void test_busy_loop(void **state)
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

/* Whoever limits the CPU time of a program means to end it. */
static void test_other_limit(void **state)
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
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_inherited),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_busy_loop),
		cmocka_unit_test(test_other_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
