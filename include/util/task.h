/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Tasks: calls that may block for ever, run on threads and completed on the event loop, each with a
 * deadline.
 *
 * A task outlives its deadline and its owner, because the kernel cannot interrupt a thread in a
 * file system that does not answer. Such a thread is abandoned, and counts against the limits until
 * the call returns.
 */

#include "util/clock.h"
#include <stdbool.h>
#include <wayland-server-core.h>

struct task;
struct tasks;
struct task_quota;

/** Maximum number of a quota's tasks that have not returned, including abandoned ones. */
#define TASK_QUOTA_MAX 8
/**
 * Maximum number of threads of all quotas together, without stuck ones. Further tasks wait, within
 * their own deadlines.
 */
#define TASK_THREADS_MAX 32
/**
 * Maximum number of stuck threads that are replaced. A thread is stuck if its call has not returned
 * for 200 ms while other tasks wait.
 */
#define TASK_STUCK_MAX 224

struct task_impl {
	/**
	 * Runs on the thread, exactly once. Closes descriptors in `data` that may block when
	 * closed.
	 */
	void (*run)(void *data);
	/**
	 * Runs on the event loop. `error` is 0 once `run` has returned; -ETIMEDOUT with `data` NULL
	 * after the deadline. Not called after task_abandon().
	 */
	void (*done)(void *owner, void *data, int error);
	/** Frees `data`, on the event loop unless tasks_destroy() was called. Must not block. */
	void (*free)(void *data);
};

/** Returns NULL with errno set on failure. */
struct tasks *tasks_create(struct wl_event_loop *loop, struct clock *clock);
/** Abandons all tasks. Accepts NULL. */
void tasks_destroy(struct tasks *tasks);
/** Returns the clock of the deadlines. */
struct clock *tasks_clock(const struct tasks *tasks);
/** Returns the number of tasks that are neither done nor abandoned. */
int tasks_n_pending(const struct tasks *tasks);
/**
 * Returns whether a thread works on pending tasks. Otherwise they wait for a timer that tries to
 * create one.
 */
bool tasks_are_running(const struct tasks *tasks);

/** Creates a limit shared by several tasks, for example those of one client. */
struct task_quota *task_quota_create(void);
/** Returns a new reference to the quota. */
struct task_quota *task_quota_ref(struct task_quota *quota);
/**
 * Releases a reference to the quota, which is freed after the last reference and the last task.
 * Accepts NULL.
 */
void task_quota_release(struct task_quota *quota);
/** Returns false if the quota's number of tasks is at the limit. */
bool task_quota_has_room(const struct task_quota *quota);

/**
 * Starts a task, and takes over `data`. `quota` may be NULL; callers must check it with
 * task_quota_has_room(). `timeout` is in ns of the clock, 0: none. Returns the task, valid until
 * `done` is called or it is abandoned.
 */
struct task *task_start(struct tasks *tasks, struct task_quota *quota, const struct task_impl *impl,
	void *data, void *owner, int64_t timeout);
/** Drops the owner's interest: `done` is not called, but `run` is. Accepts NULL. */
void task_abandon(struct task *task);
