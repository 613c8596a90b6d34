/* SPDX-License-Identifier: MIT */
/*
 * Reads of /proc/PID on threads: the arguments of a process may lie on a file system that does not
 * answer.
 */

#include "process_task.h"
#include "protocol/protocol.h"
#include "util/log.h"
#include "util/process.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <unistd.h>

struct process_task {
	struct task *task;
	struct process_peer peer;
	unsigned facts;
	struct process *process;
	void (*done)(void *owner, struct process *process, int error);
	void *owner;
};

static void run(void *data)
{
	struct process_task *task = data;
	/* The compositor's own ancestors do not count as ancestors of its children. */
	task->process = process_peer_read(&task->peer, getpid(), task->facts);
}

static void handle_done(void *owner, void *data, int error)
{
	struct process_task *task = owner;
	struct process *process = NULL;
	if (data) {
		process = task->process;
		task->process = NULL;
	}
	task->done(task->owner, process, error);
}

static void free_task(void *data)
{
	struct process_task *task = data;
	process_peer_close(&task->peer);
	process_destroy(task->process);
	free(task);
}

static const struct task_impl impl = {run, handle_done, free_task};

struct process_task *process_task_start(struct protocols *protocols, struct task_quota *quota,
	int socket_fd, unsigned facts, int64_t timeout,
	void (*done)(void *owner, struct process *process, int error), void *owner)
{
	struct process_peer peer;
	if (!process_peer_open(socket_fd, &peer)) {
		return NULL;
	}
	struct process_task *task = xcalloc(1, sizeof(*task));
	task->peer = peer;
	task->facts = facts;
	task->done = done;
	task->owner = owner;
	task->task = task_start(protocols->server->tasks, quota, &impl, task, task, timeout);
	return task;
}

void process_task_abandon(struct process_task *task)
{
	if (task) {
		task_abandon(task->task);
	}
}

void process_task_report(int pid, unsigned facts)
{
	bool cmdline = facts & PROCESS_CMDLINE, environment = facts & PROCESS_ENVIRONMENT;
	if (!cmdline && !environment) {
		return;
	}
	log_warn("client %d: cannot read its %s%s%s, its memory does not answer: %s%s%s", pid,
		cmdline ? "command line" : "", cmdline && environment ? " and " : "",
		environment ? "environment" : "",
		cmdline ? "rules with cmdline do not match it" : "",
		cmdline && environment ? ", " : "",
		environment ? "CAUSEWAY_GPU and its desktop file are ignored" : "");
}
