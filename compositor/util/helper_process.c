/* SPDX-License-Identifier: MIT */
/* Processes of this program for work that may hang or crash: start, answer within a time, end. */

#include "util/helper_process.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Standard error stays open for messages of drivers. The input comes first: it may have the number
 * of the answer. Returns 0 or a positive errno.
 */
static int add_fds(posix_spawn_file_actions_t *actions, int input, int answer)
{
	int error = input < 0 ? posix_spawn_file_actions_addopen(
					actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
			      : posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(actions, answer, HELPER_FD);
	}
	if (!error) {
		error = posix_spawn_file_actions_addopen(
			actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	}
	return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, HELPER_FD + 1);
}

/* Returns 0 or a positive errno. */
static int spawn(pid_t *pid, char *const *argv, int input, int answer)
{
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_t actions;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	int error = posix_spawnattr_init(&attributes);
	if (error) {
		return error;
	}
	error = posix_spawn_file_actions_init(&actions);
	if (error) {
		goto destroy_attributes;
	}
	/* The thread that calls this blocks the signals. */
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	error = add_fds(&actions, input, answer);
	if (!error) {
		error = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
	}
	posix_spawn_file_actions_destroy(&actions);
destroy_attributes:
	posix_spawnattr_destroy(&attributes);
	return error;
}

int helper_process_start(
	struct helper_process *process, const char *program, const char *argument, int input)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0) {
		return -errno;
	}
	char *const argv[] = {(char *)program, (char *)argument, NULL};
	int error = spawn(&process->pid, argv, input, fds[1]);
	close(fds[1]);
	if (error) {
		close(fds[0]);
		return -error;
	}
	process->fd = fds[0];
	return 0;
}

/* Waits until the descriptor is readable. Returns false at the time `end`. */
static bool wait_readable(int fd, int64_t end)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	for (int64_t left; (left = end - clock_monotonic() / 1000000) > 0;) {
		int n = poll(&pollfd, 1, (int)left);
		if (n > 0 || (n < 0 && errno != EINTR)) {
			return n > 0;
		}
	}
	return false;
}

char *helper_process_read(struct helper_process *process, int timeout, size_t most, size_t *length)
{
	const int64_t end = clock_monotonic() / 1000000 + timeout;
	/* With room for one byte too many. */
	char *answer = xcalloc(most + 1, 1);
	*length = 0;
	while (*length <= most && wait_readable(process->fd, end)) {
		ssize_t n = read(process->fd, answer + *length, most + 1 - *length);
		if (n == 0) {
			return answer;
		}
		if (n < 0) {
			break;
		}
		*length += (size_t)n;
	}
	free(answer);
	return NULL;
}

void helper_process_end(struct helper_process *process)
{
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	fd_close(&process->fd);
}

void helper_process_limit(int seconds, size_t bytes)
{
	const struct rlimit time = {(rlim_t)seconds, (rlim_t)seconds}, memory = {bytes, bytes};
	const struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CPU, &time);
	setrlimit(RLIMIT_DATA, &memory);
	setrlimit(RLIMIT_FSIZE, &none);
	setrlimit(RLIMIT_CORE, &none);
}
