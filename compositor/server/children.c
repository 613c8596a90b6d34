/* SPDX-License-Identifier: MIT */
/* Child processes: start with default signals and limits, and reaping by pid. */

#include "children.h"
#include "util/process.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES_MAX 65536

struct child {
	struct wl_list link;
	pid_t pid;
	uint64_t start_time; /* of process_start_time() */
	char *desktop_id;
};

struct session_children {
	struct wl_list running;
	/*
	 * Limits at our own start, for children: programs with select() need low descriptor
	 * numbers, and others set real-time priorities themselves.
	 */
	struct rlimit files, realtime;
};

/* Sets a limit and saves the previous one in *ours. */
static void exchange(int resource, const struct rlimit *limit, struct rlimit *ours)
{
	if (getrlimit(resource, ours) < 0 || setrlimit(resource, limit) < 0) {
		*ours = *limit;
	}
}

struct session_children *children_create(void)
{
	struct session_children *children = xcalloc(1, sizeof(*children));
	wl_list_init(&children->running);
	getrlimit(RLIMIT_RTTIME, &children->realtime);
	/* Clients pass many descriptors: the default soft limit is too low. */
	if (getrlimit(RLIMIT_NOFILE, &children->files) == 0) {
		struct rlimit raised = children->files;
		raised.rlim_cur = raised.rlim_max < FILES_MAX ? raised.rlim_max : FILES_MAX;
		setrlimit(RLIMIT_NOFILE, &raised);
	}
	return children;
}

static void forget(struct child *child)
{
	wl_list_remove(&child->link);
	free(child->desktop_id);
	free(child);
}

void children_destroy(struct session_children *children)
{
	if (!children) {
		return;
	}
	struct child *child, *next;
	wl_list_for_each_safe (child, next, &children->running, link) {
		kill(-child->pid, SIGTERM);
		forget(child);
	}
	setrlimit(RLIMIT_NOFILE, &children->files);
	setrlimit(RLIMIT_RTTIME, &children->realtime);
	free(children);
}

static bool names_same(const char *a, const char *b)
{
	size_t length = strcspn(a, "=");
	return strcspn(b, "=") == length && strncmp(a, b, length) == 0;
}

static bool is_changed_again(const char *const *change)
{
	for (const char *const *later = change + 1; *later; later++) {
		if (names_same(*change, *later)) {
			return true;
		}
	}
	return false;
}

/**
 * Returns our environment with the changes: the last one of a name wins. The caller frees the
 * array, but not the strings.
 */
static char **merge_environment(const char *const *changes)
{
	size_t n_old = 0, n_changes = 0, n = 0;
	while (environ[n_old]) {
		n_old++;
	}
	while (changes[n_changes]) {
		n_changes++;
	}
	char **merged = xcalloc(n_old + n_changes + 1, sizeof(*merged));
	for (size_t i = 0; i < n_old; i++) {
		bool changed = false;
		for (size_t j = 0; j < n_changes && !changed; j++) {
			changed = names_same(environ[i], changes[j]);
		}
		if (!changed) {
			merged[n++] = environ[i];
		}
	}
	for (size_t j = 0; j < n_changes; j++) {
		if (strchr(changes[j], '=') && !is_changed_again(&changes[j])) {
			merged[n++] = (char *)changes[j];
		}
	}
	return merged;
}

/**
 * Our descriptors are close-on-exec, but inherited ones may not be. Returns 0 or a positive errno.
 */
static int add_fds(posix_spawn_file_actions_t *actions, const int *fds, int n_fds, int error_fd)
{
	int error =
		error_fd ? posix_spawn_file_actions_adddup2(actions, error_fd, STDERR_FILENO) : 0;
	for (int i = 0; !error && i < n_fds; i++) {
		error = posix_spawn_file_actions_adddup2(actions, fds[i], STDERR_FILENO + 1 + i);
	}
	return error ? error
		     : posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1 + n_fds);
}

/** Calls posix_spawnp(). Returns 0 or a positive errno. */
static int spawn(
	pid_t *pid, const struct child_start *start, const int *fds, char *const *environment)
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
	posix_spawnattr_setflags(
		&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	error = add_fds(&actions, fds, start->n_fds, start->error_fd);
	if (!error && start->directory) {
		error = posix_spawn_file_actions_addchdir_np(&actions, start->directory);
	}
	if (!error) {
		error = posix_spawnp(pid, start->argv[0], &actions, &attributes,
			(char *const *)start->argv, environment);
	}
	posix_spawn_file_actions_destroy(&actions);
destroy_attributes:
	posix_spawnattr_destroy(&attributes);
	return error;
}

/** Calls spawn() with the limits and the environment of a child. Returns 0 or a positive errno. */
static int spawn_limited(pid_t *pid, const struct session_children *children,
	const struct child_start *start, const int *fds)
{
	struct rlimit files, realtime;
	char **merged = merge_environment(start->environment);
	getrlimit(RLIMIT_NOFILE, &files);
	exchange(RLIMIT_NOFILE, start->many_files ? &files : &children->files, &files);
	exchange(RLIMIT_RTTIME, &children->realtime, &realtime);
	int error = spawn(pid, start, fds, merged);
	setrlimit(RLIMIT_NOFILE, &files);
	setrlimit(RLIMIT_RTTIME, &realtime);
	free(merged);
	return error;
}

/* Copies lie above the numbers that the child gives them, so that no copy replaces another one. */
static int copy_fds(const struct child_start *start, int copies[CHILD_FDS_MAX])
{
	int lowest = STDERR_FILENO + 1 + CHILD_FDS_MAX;
	for (int i = 0; i < start->n_fds; i++) {
		copies[i] = fcntl(start->fds[i], F_DUPFD_CLOEXEC, lowest);
		if (copies[i] < 0) {
			int error = errno;
			while (i-- > 0) {
				close(copies[i]);
			}
			return error;
		}
	}
	return 0;
}

pid_t children_spawn(struct session_children *children, const struct child_start *start)
{
	pid_t pid;
	int copies[CHILD_FDS_MAX];
	assert(start->n_fds <= CHILD_FDS_MAX);
	int error = copy_fds(start, copies);
	if (error) {
		return -error;
	}
	error = spawn_limited(&pid, children, start, copies);
	for (int i = 0; i < start->n_fds; i++) {
		close(copies[i]);
	}
	if (error) {
		return -error;
	}
	struct child *child = xcalloc(1, sizeof(*child));
	child->pid = pid;
	/* The pid cannot be reused before it is reaped. */
	child->start_time = process_start_time(pid);
	child->desktop_id = xstrdup(start->desktop_id);
	wl_list_insert(&children->running, &child->link);
	return pid;
}

const char *children_desktop_id(
	const struct session_children *children, pid_t pid, uint64_t start_time)
{
	const struct child *child;
	wl_list_for_each (child, &children->running, link) {
		if (child->pid == pid && child->start_time == start_time) {
			return child->desktop_id;
		}
	}
	return NULL;
}

void children_reap(struct session_children *children,
	void (*ended)(void *data, pid_t pid, int code), void *data)
{
	struct child *child, *next;
	wl_list_for_each_safe (child, next, &children->running, link) {
		int status;
		pid_t pid = waitpid(child->pid, &status, WNOHANG);
		if (pid == 0 || (pid < 0 && errno == EINTR)) {
			continue;
		}
		int code = pid < 0             ? 1
			   : WIFEXITED(status) ? WEXITSTATUS(status)
					       : 128 + WTERMSIG(status);
		pid = child->pid;
		forget(child);
		ended(data, pid, code);
	}
}
