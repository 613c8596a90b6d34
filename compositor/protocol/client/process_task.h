/* SPDX-License-Identifier: MIT */
#pragma once

/** Reads of a client's process on a thread: the process's memory may not answer. */

#include <stdint.h>

struct process;
struct process_task;
struct protocols;
struct task_quota;

/**
 * Time (ns) that a client waits for its process to be read before it is served. A machine that is
 * starting a session may be slow to run a thread, and a client served without facts may get another
 * GPU.
 */
#define PROCESS_TASK_TIMEOUT INT64_C(1000000000)

/**
 * Starts to read `facts` (enum process_fact) of the process at the other end of a socket; the
 * socket may be closed right after the call. `done` gets the process and owns it. It gets NULL if
 * the process has ended, and NULL with -ETIMEDOUT after `timeout` ns (0: no timeout). Returns the
 * task, valid until `done` is called or the task is abandoned, or NULL if the process has already
 * ended. `quota` must have room.
 */
struct process_task *process_task_start(struct protocols *protocols, struct task_quota *quota,
	int socket_fd, unsigned facts, int64_t timeout,
	void (*done)(void *owner, struct process *process, int error), void *owner);
/** Cancels the callback. NULL is legal. */
void process_task_abandon(struct process_task *task);
/** Logs that facts of a process could not be read in time, and the consequence. */
void process_task_report(int pid, unsigned facts);
