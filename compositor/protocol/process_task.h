#pragma once

/** Reads of a client's process on a thread: its memory may not answer. */

#include <stdint.h>

struct process;
struct process_task;
struct protocols;
struct task_quota;

/**
 * ns that a client waits, before it is served, for its process to be read. A machine that is starting a session may be
 * slow to run a thread, and a client that is served without facts may get another GPU.
 */
#define PROCESS_TASK_TIMEOUT INT64_C(1000000000)

/**
 * Starts to read `facts` (enum process_fact) of the process at the other end of a socket, which may be closed at once.
 * `done` gets the process, which it owns: NULL if it has ended, or with -ETIMEDOUT after `timeout` ns, 0: none. Returns
 * the task, valid until `done` is called or it is abandoned, or NULL if the process has ended. `quota` has room.
 */
struct process_task *process_task_start(struct protocols *protocols, struct task_quota *quota,
	int socket_fd, unsigned facts, int64_t timeout,
	void (*done)(void *owner, struct process *process, int error), void *owner);
/** NULL is legal. */
void process_task_abandon(struct process_task *task);
/** Logs that facts of a process could not be read in time, and the consequence. */
void process_task_report(int pid, unsigned facts);
