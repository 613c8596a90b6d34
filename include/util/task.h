#pragma once

/**
 * Tasks: calls that may block for ever, made on threads and answered on the event loop, each with a deadline.
 *
 * A task outlives its deadline and its owner: the kernel lets no thread out of a call into a file system that
 * does not answer. Such a thread is abandoned, and counts against the bounds until the call returns.
 */

#include "util/clock.h"
#include <stdbool.h>
#include <wayland-server-core.h>

struct task;
struct tasks;
struct task_quota;

/** Tasks of one quota that have not returned, abandoned ones too. */
#define TASK_QUOTA_MOST 8
/** Threads of all quotas together. Further tasks wait for one, within their own deadlines. */
#define TASK_THREADS_MOST 32

struct task_impl {
	/** On the thread; always called once. Closes the descriptors in `data` that may block when closed. */
	void (*run)(void *data);
	/**
	 * On the event loop. `error` is 0 once `run` has returned, -ETIMEDOUT with `data` NULL if the deadline
	 * passed. Not called after task_abandon().
	 */
	void (*done)(void *owner, void *data, int error);
	/** Frees `data`, on the event loop if there still is one. Must not block. */
	void (*free)(void *data);
};

/** NULL with errno set. */
struct tasks *tasks_create(struct wl_event_loop *loop, struct clock *clock);
/** Abandons all tasks. NULL is legal. */
void tasks_destroy(struct tasks *tasks);
/** Tasks that are neither done nor abandoned. */
int tasks_n_pending(const struct tasks *tasks);
/** Tells whether a thread works on pending tasks. Without one, tasks wait for the timer of the next attempt. */
bool tasks_are_running(const struct tasks *tasks);

/** A bound that several tasks share, for example those of one client. */
struct task_quota *task_quota_create(void);
/** The quota lives on until its last task has returned. NULL is legal. */
void task_quota_release(struct task_quota *quota);
/** False once the quota's tasks are as many as may be under way. */
bool task_quota_has_room(const struct task_quota *quota);

/**
 * Starts a task, whose `data` it takes over. `quota` may be NULL; a full quota is the caller's to refuse.
 * `timeout` is in ns of the clock, 0: none. Returns the task, valid until `done` is called or it is abandoned.
 */
struct task *task_start(struct tasks *tasks, struct task_quota *quota, const struct task_impl *impl,
	void *data, void *owner, int64_t timeout);
/** Ends the owner's interest: `done` is not called. `run` still is. NULL is legal. */
void task_abandon(struct task *task);
