/* SPDX-License-Identifier: MIT */
/* Processes that look at a GPU: start, answer within a time, and end. */

#include "gpu/probe_process.h"
#include "gpu/format_cache.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COMPLETE "complete\n"
#define PARTIAL "partial\n"

/* Standard error stays open for messages of drivers. Returns 0 or a positive errno. */
static int add_fds(posix_spawn_file_actions_t *actions, int fd)
{
	int error = posix_spawn_file_actions_adddup2(actions, fd, PROBE_FD);
	if (!error) {
		error = posix_spawn_file_actions_addopen(
			actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	}
	if (!error) {
		error = posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDOUT_FILENO);
	}
	return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, PROBE_FD + 1);
}

/* Returns 0 or a positive errno. */
static int spawn(pid_t *pid, char *const *argv, int fd)
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
	error = add_fds(&actions, fd);
	if (!error) {
		error = posix_spawn(pid, argv[0], &actions, &attributes, argv, environ);
	}
	posix_spawn_file_actions_destroy(&actions);
destroy_attributes:
	posix_spawnattr_destroy(&attributes);
	return error;
}

int probe_process_start(struct probe_process *process, const char *program, const char *subject)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0) {
		return -errno;
	}
	char *argument = xasprintf("--probe=%s", subject);
	char *const argv[] = {(char *)program, argument, NULL};
	int error = spawn(&process->pid, argv, fds[1]);
	free(argument);
	close(fds[1]);
	if (error) {
		close(fds[0]);
		return -error;
	}
	process->fd = fds[0];
	return 0;
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* Waits until the descriptor is readable. Returns false at the time `end`. */
static bool wait_readable(int fd, int64_t end)
{
	struct pollfd pollfd = {.fd = fd, .events = POLLIN};
	for (int64_t left; (left = end - now_ms()) > 0;) {
		int n = poll(&pollfd, 1, (int)left);
		if (n > 0 || (n < 0 && errno != EINTR)) {
			return n > 0;
		}
	}
	return false;
}

char *probe_process_read(struct probe_process *process, int timeout, size_t *length)
{
	const int64_t end = now_ms() + timeout;
	/* With room for one byte too many. */
	char *answer = xcalloc(PROBE_BYTES_MAX + 1, 1);
	*length = 0;
	while (*length <= PROBE_BYTES_MAX && wait_readable(process->fd, end)) {
		ssize_t n = read(process->fd, answer + *length, PROBE_BYTES_MAX + 1 - *length);
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

void probe_process_end(struct probe_process *process)
{
	kill(process->pid, SIGKILL);
	while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR) {
	}
	fd_close(&process->fd);
}

void probe_answer_write(FILE *stream, const char *key, const struct gpu_facts *facts, bool complete)
{
	fputs(complete ? COMPLETE : PARTIAL, stream);
	format_cache_write(stream, key, facts);
}

bool probe_answer_read(
	const char *text, size_t length, const char *key, struct gpu_facts *facts, bool *complete)
{
	const size_t n_complete = strlen(COMPLETE), n_partial = strlen(PARTIAL);
	const bool begins_complete = length > n_complete && memcmp(text, COMPLETE, n_complete) == 0;
	const bool begins_partial = length > n_partial && memcmp(text, PARTIAL, n_partial) == 0;
	const size_t start = begins_complete ? n_complete : n_partial;
	*facts = (struct gpu_facts){0};
	*complete = false;
	if (!begins_complete && !begins_partial) {
		return false;
	}
	FILE *stream = fmemopen((char *)text + start, length - start, "r");
	if (!stream) {
		return false;
	}
	bool good = format_cache_read(stream, key, facts);
	if (good && fgetc(stream) != EOF) {
		gpu_facts_finish(facts);
		good = false;
	}
	fclose(stream);
	*complete = good && begins_complete;
	return good;
}
