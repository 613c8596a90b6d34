/* SPDX-License-Identifier: MIT */
/* Helper processes, here this program: input and limits. The unit test gpu/probe has the rest. */

#include "util/helper_process.h"
#include "harness/unit.h"
#include "util/fd.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SELF "/proc/self/exe"
#define LONG 100000 /* ms */
#define MEMORY (64 * 1024 * 1024)

static void answer(const char *text)
{
	assert_int_equal(write(HELPER_FD, text, strlen(text)), strlen(text));
}

/* In the process; `action` is its argument. */
static int act(const char *action)
{
	char text[16] = "";
	if (strcmp(action, "--echo") == 0) {
		answer(read(STDIN_FILENO, text, sizeof(text) - 1) >= 0 ? text : "closed");
		return 0;
	}
	if (strcmp(action, "--long") == 0) {
		answer("answer");
		return 0;
	}
	helper_process_limit(1, MEMORY);
	if (strcmp(action, "--memory") == 0) {
		char *small = malloc(MEMORY / 4), *large = malloc(MEMORY);
		answer(small && !large ? "limited" : "unlimited");
	} else if (strcmp(action, "--file") == 0) {
		int fd = fd_create_memory("test", 0, false);
		answer("begin");
		answer(write(fd, "x", 1) == 1 ? "written" : "refused");
	} else {
		answer("begin");
		for (volatile unsigned i = 0;; i++) {
		}
	}
	return 0;
}

/* Runs an action with standard input `input`, and expects its answer. */
static void expect(const char *action, int input, const char *expected)
{
	struct helper_process process;
	size_t length;
	assert_int_equal(helper_process_start(&process, SELF, action, input), 0);
	char *text = helper_process_read(&process, LONG, 100, &length);
	helper_process_end(&process);
	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void input_is_the_descriptor_or_empty(void **state)
{
	int fds[2], low = -1;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "input", 5), 5);
	close(fds[1]);
	expect("--echo", -1, "");
	/* The descriptor may have the number that the answer gets. */
	if (fds[0] != HELPER_FD) {
		low = fcntl(HELPER_FD, F_DUPFD, 10);
		assert_int_equal(dup2(fds[0], HELPER_FD), HELPER_FD);
	}
	expect("--echo", HELPER_FD, "input");
	if (low >= 0) {
		dup2(low, HELPER_FD);
		close(low);
	}
	close(fds[0]);
}

static void limits_end_the_process(void **state)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	expect("--memory", -1, "limited");
#endif
	expect("--file", -1, "begin");
	expect("--spin", -1, "begin");
}

static void answers_beyond_the_limit_are_refused(void **state)
{
	struct helper_process process;
	size_t length;
	assert_int_equal(helper_process_start(&process, SELF, "--long", -1), 0);
	assert_null(helper_process_read(&process, LONG, 5, &length));
	helper_process_end(&process);
}

int main(int argc, char **argv)
{
	if (argc == 2) {
		return act(argv[1]);
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(input_is_the_descriptor_or_empty),
		cmocka_unit_test(limits_end_the_process),
		cmocka_unit_test(answers_beyond_the_limit_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
