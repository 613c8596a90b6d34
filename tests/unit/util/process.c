/* SPDX-License-Identifier: MIT */
/* Processes: facts read from /proc, ancestors, and peers of sockets. */

#include "util/process.h"
#include "harness/unit.h"
#include "util/xalloc.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Starts a shell script that must write a byte and then wait to be killed. Returns once the byte
 * was read.
 */
static pid_t start(const char *script)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t pid = fork();
	if (pid == 0) {
		setsid(); /* end() kills the whole group */
		dup2(ready[1], STDOUT_FILENO);
		close(ready[0]);
		close(ready[1]);
		char number[16];
		snprintf(number, sizeof(number), "%d", (int)getpid());
		setenv("CAUSEWAY_GPU", "discrete", 1);
		setenv("CAUSEWAY_RULE", "games", 1);
		setenv("WINEPREFIX", "/srv/wine b", 1);
		setenv("XSCREENSAVER_WINDOW", "0x5", 1);
		setenv("GIO_LAUNCHED_DESKTOP_FILE", "/a/b/org.x.Y.desktop", 1);
		setenv("GIO_LAUNCHED_DESKTOP_FILE_PID", number, 1);
		execl("/bin/sh", "sh", "-c", script, "zero", "one two", NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void requested_facts_of_a_process_are_read(void **state)
{
	struct process *process = process_read(getpid(), 0, PROCESS_ALL);
	char exe[4096];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(length > 0);
	exe[length] = '\0';
	assert_non_null(process);
	assert_int_equal(process->pid, getpid());
	assert_int_equal(process->start, process_start_time(getpid()));
	assert_true(process->start > 0);
	assert_string_equal(process->exe, exe);
	assert_non_null(process->cmdline);
	process_destroy(process);
	/* Only the requested facts are read. */
	process = process_read(getpid(), 0, PROCESS_CMDLINE);
	assert_non_null(process->cmdline);
	assert_null(process->exe);
	assert_null(process->parent);
	process_destroy(process);
}

static void ancestors_are_read_up_to_the_limit(void **state)
{
	/* The trailing commands keep the shells from replacing themselves by their last command. */
	pid_t pid = start("sh -c 'echo; sleep 100; :' inner \"$1\"; :");
	pid_t inner = 0;
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	FILE *file = fopen(path, "r");
	if (!file || fscanf(file, "%d", &inner) != 1) {
		end(pid);
		skip_because("this kernel does not list children");
	}
	fclose(file);
	struct process *process = process_read(inner, getpid(), PROCESS_ALL);
	assert_non_null(process);
	assert_non_null(strstr(process->cmdline, "inner one two"));
	assert_string_equal(process->wish, "discrete");
	assert_string_equal(process->rule, "games");
	assert_string_equal(process->wine_prefix, "/srv/wine b");
	assert_string_equal(process->x_window, "0x5");
	/*
	 * GIO_LAUNCHED_DESKTOP_FILE_PID names the parent; the child only inherited the variables.
	 */
	assert_null(process->desktop_id);
	assert_non_null(process->parent);
	assert_string_equal(process->parent->desktop_id, "org.x.Y");
	assert_int_equal(process->parent->pid, pid);
	assert_non_null(strstr(process->parent->cmdline, "zero one two"));
	assert_true(process->parent->start <= process->start);
	/* The process to stop at is excluded. */
	assert_null(process->parent->parent);
	process_destroy(process);
	kill(inner, SIGKILL);
	end(pid);
}

static void ended_process_is_not_read(void **state)
{
	pid_t pid = start("echo; sleep 100");
	assert_true(process_start_time(pid) > 0);
	end(pid);
	assert_null(process_read(pid, 0, PROCESS_ALL));
	assert_int_equal(process_start_time(pid), 0);
	assert_null(process_read(0, 0, PROCESS_ALL));
	assert_null(process_read(-1, 0, PROCESS_ALL));
	process_destroy(NULL);
}

/* Forks a child that connects to `address` and waits. Returns the accepted socket. */
static int connect_child(int listener, const struct sockaddr_un *address, pid_t *pid)
{
	*pid = fork();
	if (*pid == 0) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0) {
			_exit(1);
		}
		pause();
		_exit(0);
	}
	int fd = accept(listener, NULL, NULL);
	assert_true(fd >= 0);
	return fd;
}

static void peer_is_read_while_it_lives(void **state)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pid_t pid;
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "causeway-peer-%d", getpid());
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(listener, 4), 0);

	int fd = connect_child(listener, &address, &pid);
	struct process *process = process_read_peer(fd, getpid(), PROCESS_ALL);
	assert_non_null(process);
	assert_int_equal(process->pid, pid);
	assert_null(process->parent);
	process_destroy(process);
	/* The kernel may have reused the PID that the socket recorded. */
	end(pid);
	assert_null(process_read_peer(fd, getpid(), PROCESS_ALL));
	close(fd);
	close(listener);
	assert_null(process_read_peer(listener, 0, PROCESS_ALL)); /* no socket at all */
}

static struct process *with_relatives(struct process *parent, struct process *peer)
{
	struct process *process = xcalloc(1, sizeof(*process));
	process->exe = xstrdup("/bin/true");
	process->parent = parent;
	process->peer = peer;
	return process;
}

/* Checked by the leak sanitizer. */
static void peers_and_ancestors_of_each_are_freed(void **state)
{
	struct process *third = with_relatives(with_relatives(NULL, NULL), NULL);
	struct process *second = with_relatives(with_relatives(NULL, third), NULL);
	struct process *parent = with_relatives(with_relatives(NULL, NULL), NULL);
	process_destroy(with_relatives(parent, second));
	process_destroy(with_relatives(NULL, with_relatives(NULL, NULL)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requested_facts_of_a_process_are_read),
		cmocka_unit_test(ancestors_are_read_up_to_the_limit),
		cmocka_unit_test(ended_process_is_not_read),
		cmocka_unit_test(peer_is_read_while_it_lives),
		cmocka_unit_test(peers_and_ancestors_of_each_are_freed),
	};
	return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
