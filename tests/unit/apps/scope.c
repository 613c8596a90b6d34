/* SPDX-License-Identifier: MIT */
/* Names of systemd scopes, and the helper process that waits for one. */

#include "apps/scope.h"
#include "harness/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNIT_NAME_MAX 255 /* of systemd */

static void names_have_escaped_ids_and_differ(void **state)
{
	static const struct {
		const char *id, *start;
	} table[] = {
		{"org.gimp.GIMP", "app-causeway-org.gimp.GIMP-"},
		{"gnome-calculator", "app-causeway-gnome\\x2dcalculator-"},
		{"a b/c@d", "app-causeway-a\\x20b\\x2fc\\x40d-"},
		{"\xc3\xa4", "app-causeway-\\xc3\\xa4-"},
		{"x_1:2", "app-causeway-x_1:2-"},
		{"back\\slash", "app-causeway-back\\x5cslash-"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *name = scope_name(table[i].id), *other = scope_name(table[i].id);
		size_t length = strlen(table[i].start);
		assert_memory_equal(name, table[i].start, length);
		assert_int_equal(strspn(name + length, "0123456789abcdef"), 8);
		assert_string_equal(name + length + 8, ".scope");
		assert_string_not_equal(name, other);
		free(name);
		free(other);
	}
}

static void long_ids_are_cut(void **state)
{
	char id[1000] = "";
	(void)state;
	memset(id, '-', sizeof(id) - 1);
	char *name = scope_name(id);
	assert_true(strlen(name) <= UNIT_NAME_MAX);
	assert_non_null(strstr(name, "\\x2d-"));
	free(name);
}

static void manager_is_found_by_its_socket(void **state)
{
	char folder[] = "/tmp/causeway-scope-XXXXXX", path[64];
	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("XDG_RUNTIME_DIR", folder, 1);
	assert_false(scope_manager_runs());
	snprintf(path, sizeof(path), "%s/systemd", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(scope_manager_runs());
	snprintf(path, sizeof(path), "%s/systemd/private", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(scope_manager_runs());
	unsetenv("XDG_RUNTIME_DIR");
	assert_false(scope_manager_runs());
	assert_int_equal(rmdir(path), 0);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* Starts the helper with a program; returns its pid, and our end of the socket in *fd. */
static pid_t start_helper(const char *program, int *fd)
{
	int pair[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(pair[0]);
		char argument[64];
		snprintf(argument, sizeof(argument), SCOPE_HOLD_ARGUMENT "%d,app-x-1.scope",
			pair[1]);
		const char *const argv[] = {"helper", argument, program, "-c",
			"[ ! -e /proc/self/fd/$0 ] && exit 7", argument, NULL};
		_exit(scope_hold(6, (char **)argv));
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static bool runs(pid_t pid, int *code)
{
	int status;
	if (waitpid(pid, &status, WNOHANG) == 0) {
		return true;
	}
	*code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	return false;
}

static int finish(pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static void program_starts_when_the_request_has_ended(void **state)
{
	const struct timespec wait = {.tv_nsec = 100000000};
	int fd, code = 0;
	(void)state;
	pid_t pid = start_helper("sh", &fd);
	nanosleep(&wait, NULL);
	assert_true(runs(pid, &code));
	close(fd);
	assert_int_equal(finish(pid), 7);
	pid = start_helper("/nonexistent", &fd);
	close(fd);
	assert_int_equal(finish(pid), 127);
	pid = start_helper("/etc/passwd", &fd);
	close(fd);
	assert_int_equal(finish(pid), 126);
}

static void program_starts_without_its_unit_after_a_while(void **state)
{
	const struct timespec wait = {.tv_nsec = 100000000};
	int fd, code = 0;
	(void)state;
	pid_t pid = start_helper("sh", &fd);
	assert_int_equal(write(fd, "y", 1), 1);
	close(fd);
	nanosleep(&wait, NULL);
	assert_true(runs(pid, &code));
	assert_int_equal(finish(pid), 7);
}

static void wrong_arguments_are_refused(void **state)
{
	const char *const bad[] = {"helper", SCOPE_HOLD_ARGUMENT "x", "true", NULL};
	const char *const none[] = {"helper", SCOPE_HOLD_ARGUMENT "3,a.scope", NULL};
	(void)state;
	assert_int_equal(scope_hold(3, (char **)bad), 2);
	assert_int_equal(scope_hold(2, (char **)none), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_have_escaped_ids_and_differ),
		cmocka_unit_test(long_ids_are_cut),
		cmocka_unit_test(manager_is_found_by_its_socket),
		cmocka_unit_test(program_starts_when_the_request_has_ended),
		cmocka_unit_test(program_starts_without_its_unit_after_a_while),
		cmocka_unit_test(wrong_arguments_are_refused),
	};
	return cmocka_run_group_tests_name("scope", tests, NULL, NULL);
}
