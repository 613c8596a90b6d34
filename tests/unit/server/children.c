/* SPDX-License-Identifier: MIT */
/* Child processes: their initial state, exit codes, and termination. */

#include "server/children.h"
#include "harness/await.h"
#include "harness/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const unchanged[] = {NULL};

struct ended {
	pid_t pid;
	int code, n;
};

static void handle_ended(void *data, pid_t pid, int code)
{
	struct ended *ended = data;
	ended->pid = pid;
	ended->code = code;
	ended->n++;
}

/* Waits until a child has ended by itself. */
static struct ended reap(struct session_children *children)
{
	struct ended ended = {0};
	await(ended.n > 0, children_reap(children, handle_ended, &ended));
	assert_int_equal(ended.n, 1);
	return ended;
}

static pid_t spawn(
	struct session_children *children, const char *const *argv, const char *const *environment)
{
	return children_spawn(
		children, &(struct child_start){.argv = argv, .environment = environment});
}

static pid_t start(struct session_children *children, const char *script)
{
	const char *const argv[] = {"sh", "-c", script, NULL};
	pid_t pid = spawn(children, argv, unchanged);
	assert_true(pid > 0);
	return pid;
}

static void exit_codes_follow_the_shell(void **state)
{
	static const struct {
		const char *script;
		int code;
	} table[] = {{"exit 0", 0}, {"exit 7", 7}, {"kill -TERM $$", 128 + SIGTERM},
		{"kill -KILL $$", 128 + SIGKILL}};
	struct session_children *children = children_create();
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		pid_t pid = start(children, table[i].script);
		struct ended ended = reap(children);
		assert_int_equal(ended.pid, pid);
		assert_int_equal(ended.code, table[i].code);
	}
	children_destroy(children);
}

static void program_that_cannot_start_is_an_error(void **state)
{
	struct session_children *children = children_create();
	const char *const missing[] = {"/nonexistent/program", NULL};
	const char *const folder[] = {"/", NULL};
	const char *const empty[] = {"", NULL};
	assert_int_equal(spawn(children, missing, unchanged), -ENOENT);
	assert_int_equal(spawn(children, folder, unchanged), -EACCES);
	assert_int_equal(spawn(children, empty, unchanged), -ENOENT);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
	assert_int_equal(errno, ECHILD);
	children_destroy(children);
}

/*
 * Children start with default signals and only standard descriptors, even if this process changed
 * its own.
 */
static void children_start_with_default_signals_and_descriptors(void **state)
{
	sigset_t mask, old;
	sigfillset(&mask);
	assert_int_equal(sigprocmask(SIG_SETMASK, &mask, &old), 0);
	signal(SIGPIPE, SIG_IGN);
	int leak = open("/dev/null", O_RDONLY); /* deliberately without close-on-exec */
	struct session_children *children = children_create();
	/* The C library reserves two real-time signals. */
	start(children, "set -- $(sed -n 's/^Sig[BI][lg][kn]:\\t//p' /proc/$$/status); "
			"test $((0x$1 & 0x7fffffff)) = 0 && test $((0x$2 & 0x7fffffff)) = 0");
	assert_int_equal(reap(children).code, 0);
	start(children, "for fd in /proc/$$/fd/*; do case ${fd##*/} in 0|1|2) ;; "
			"*) test -e $fd && exit 1 ;; esac; done; exit 0");
	assert_int_equal(reap(children).code, 0);
	start(children, "test $(ps -o sid= -p $$) = $$");
	assert_int_equal(reap(children).code, 0);
	children_destroy(children);
	close(leak);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/* Low numbers on both sides: a careless order would replace one descriptor by another. */
static void only_named_descriptors_are_inherited_in_order(void **state)
{
	static const char *const argv[] = {"sh", "-c",
		"read a <&3 && read b <&4 && read c <&5 && test $a$b$c = 201 && ! test -e "
		"/proc/$$/fd/6",
		NULL};
	struct session_children *children = children_create();
	int pipes[3][2], fds[3];
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pipe2(pipes[i], O_CLOEXEC), 0);
		dprintf(pipes[i][1], "%d\n", i);
	}
	for (int i = 0; i < 3; i++) {
		fds[i] = pipes[(i + 2) % 3][0];
	}
	struct child_start start = {.argv = argv, .environment = unchanged, .fds = fds, .n_fds = 3};
	assert_true(children_spawn(children, &start) > 0);
	assert_int_equal(reap(children).code, 0);
	for (int i = 0; i < 3; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	children_destroy(children);
}

static void errors_go_to_the_named_descriptor(void **state)
{
	static const char *const argv[] = {"sh", "-c", "echo wrong >&2", NULL};
	int fds[2];
	char text[8] = "";
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	struct session_children *children = children_create();
	struct child_start start = {.argv = argv, .environment = unchanged, .error_fd = fds[1]};
	assert_true(children_spawn(children, &start) > 0);
	close(fds[1]);
	assert_int_equal(read(fds[0], text, sizeof(text)), 6);
	assert_string_equal(text, "wrong\n");
	close(fds[0]);
	assert_int_equal(reap(children).code, 0);
	children_destroy(children);
}

static void environment_changes_apply_to_the_child(void **state)
{
	static const char *const changes[] = {"CAUSEWAY_A=first", "CAUSEWAY_A=new",
		"CAUSEWAY_B=first", "CAUSEWAY_B", "CAUSEWAY_D", "CAUSEWAY_D=new", "CAUSEWAY_C=a=b",
		NULL};
	static const char *const argv[] = {"sh", "-c",
		"test \"$CAUSEWAY_A\" = new && test -z \"${CAUSEWAY_B+set}\" && "
		"test \"$CAUSEWAY_D\" = new && "
		"test \"$CAUSEWAY_C\" = a=b && test \"$CAUSEWAY_AB\" = kept && test -n \"$PATH\"",
		NULL};
	struct session_children *children = children_create();
	setenv("CAUSEWAY_A", "old", 1);
	setenv("CAUSEWAY_B", "old", 1);
	setenv("CAUSEWAY_AB", "kept", 1);
	assert_true(spawn(children, argv, changes) > 0);
	assert_int_equal(reap(children).code, 0);
	assert_string_equal(getenv("CAUSEWAY_A"), "old");
	children_destroy(children);
}

/* The compositor raises its limit of open files; programs start with the original limit. */
static void children_get_the_original_file_limit(void **state)
{
	struct rlimit before, during;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	struct rlimit low = {.rlim_cur = 100, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	struct session_children *children = children_create();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &during), 0);
	assert_true(during.rlim_cur > 100);
	start(children, "test $(ulimit -n) = 100");
	assert_int_equal(reap(children).code, 0);
	const char *const argv[] = {"sh", "-c", "test $(ulimit -n) -gt 100", NULL};
	assert_true(children_spawn(children, &(struct child_start){.argv = argv,
						     .environment = unchanged,
						     .many_files = true}) > 0);
	assert_int_equal(reap(children).code, 0);
	children_destroy(children);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &during), 0);
	assert_int_equal(during.rlim_cur, 100);
	setrlimit(RLIMIT_NOFILE, &before);
}

/*
 * Children of other parts of the process are not reaped; running children get SIGTERM at the end.
 */
static void only_own_children_are_reaped(void **state)
{
	struct session_children *children = children_create();
	struct ended ended = {0};
	pid_t other = fork();
	if (other == 0) {
		_exit(3);
	}
	pid_t pid = start(children, "sleep 1000");
	siginfo_t info;
	assert_int_equal(waitid(P_PID, (id_t)other, &info, WEXITED | WNOWAIT), 0);
	children_reap(children, handle_ended, &ended);
	assert_int_equal(ended.n, 0);
	int status;
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WEXITSTATUS(status), 3);
	children_destroy(children);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	children_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes_follow_the_shell),
		cmocka_unit_test(program_that_cannot_start_is_an_error),
		cmocka_unit_test(children_start_with_default_signals_and_descriptors),
		cmocka_unit_test(only_named_descriptors_are_inherited_in_order),
		cmocka_unit_test(errors_go_to_the_named_descriptor),
		cmocka_unit_test(environment_changes_apply_to_the_child),
		cmocka_unit_test(children_get_the_original_file_limit),
		cmocka_unit_test(only_own_children_are_reaped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
