/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Worker: a thread that runs tasks in order, beside the event loop. Completion is signalled by a
 * descriptor that serves as a fence: a pipe that becomes readable after success, and is hung up
 * without data after failure, as fence_status() reads it.
 */

#include <stdbool.h>
#include <wayland-util.h>

struct worker;

/** Embedded by its user. */
struct worker_task {
	/**
	 * Called on the thread; returns whether the task succeeded. Owns the task, and frees it.
	 */
	bool (*run)(struct worker_task *task);
	struct wl_list link; /* private */
	int done_fd; /* private */
};

/** Starts a worker. Returns NULL if the system cannot start a thread. */
struct worker *worker_create(void);
/** Lets the thread end after its last task, without waiting. Accepts NULL. */
void worker_destroy(struct worker *worker);
/**
 * Queues a task. Returns its fence, owned by the caller; or -errno, and the task is still the
 * caller's.
 */
int worker_push(struct worker *worker, struct worker_task *task);
/** Queues a task without a fence. Cannot fail. */
void worker_post(struct worker *worker, struct worker_task *task);
/** Waits until all tasks have run. Returns false if the timeout has passed. */
bool worker_drain(struct worker *worker, int timeout_ms);
/**
 * For tasks: waits until a fence (or -1) has signalled. Returns false if it failed or the timeout
 * has passed.
 */
bool worker_wait(int fence, int timeout_ms);
