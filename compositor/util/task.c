/* SPDX-License-Identifier: MIT */
/* Tasks: threads for calls that may block, with deadlines and bounds on their number. */

#include "util/task.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

/** ns between attempts to create a thread while tasks wait for one. */
#define RETRY INT64_C(100000000)
/** Attempts during which a call has to hang until its thread is stuck. */
#define STUCK_ATTEMPTS 2

struct task_quota {
	int n_tasks; /* not returned yet */
	int n_refs;
};

/** Shared by the event loop and the threads. */
struct shared {
	pthread_mutex_t mutex;
	int n_threads;
	bool closed; /* tasks_destroy() was called: threads free finished tasks */
	unsigned n_attempts; /* to create threads for waiting tasks */
	struct wl_list waiting, running, finished; /* task.link */
	int event_fd; /* readable when `finished` is not empty; closed with the last owner */
};

struct tasks {
	struct shared *shared;
	struct clock *clock;
	struct fd_watch watch;
	struct timer retry;
	struct wl_list pending; /* task.pending_link */
};

struct task {
	struct tasks *tasks;
	const struct task_impl *impl;
	void *data, *owner;
	struct task_quota *quota;
	struct timer deadline;
	bool abandoned; /* set on the event loop only */
	struct wl_list link; /* guarded by the mutex */
	unsigned began; /* shared.n_attempts when it began to run; guarded by the mutex */
	struct wl_list pending_link;
};

static void free_quota(struct task_quota *quota)
{
	if (quota && quota->n_refs == 0 && quota->n_tasks == 0) {
		free(quota);
	}
}

struct task_quota *task_quota_create(void)
{
	struct task_quota *quota = xcalloc(1, sizeof(*quota));
	quota->n_refs = 1;
	return quota;
}

struct task_quota *task_quota_ref(struct task_quota *quota)
{
	quota->n_refs++;
	return quota;
}

void task_quota_release(struct task_quota *quota)
{
	if (quota) {
		quota->n_refs--;
		free_quota(quota);
	}
}

bool task_quota_has_room(const struct task_quota *quota)
{
	return quota->n_tasks < TASK_QUOTA_MAX;
}

/* Threads */

static void free_shared(struct shared *shared)
{
	fd_close(&shared->event_fd);
	pthread_mutex_destroy(&shared->mutex);
	free(shared);
}

static struct task *take_first(struct wl_list *list)
{
	if (wl_list_empty(list)) {
		return NULL;
	}
	struct task *task = wl_container_of(list->next, task, link);
	wl_list_remove(&task->link);
	wl_list_init(&task->link);
	return task;
}

static void leave_quota(struct task *task)
{
	if (task->quota) {
		task->quota->n_tasks--;
		free_quota(task->quota);
		task->quota = NULL;
	}
}

static void free_task(struct task *task)
{
	leave_quota(task);
	task->impl->free(task->data);
	free(task);
}

/* Call with the mutex held. */
static void finish(struct shared *shared, struct task *task)
{
	if (shared->closed) {
		free_task(task);
		return;
	}
	wl_list_insert(shared->finished.prev, &task->link);
	eventfd_write(shared->event_fd, 1);
}

/* Returns the maximum number of threads. Called with the mutex. */
static int threads_most(const struct shared *shared)
{
	const struct task *task;
	int n = 0;
	wl_list_for_each (task, &shared->running, link) {
		n += shared->n_attempts - task->began >= STUCK_ATTEMPTS;
	}
	return TASK_THREADS_MAX + (n < TASK_STUCK_MAX ? n : TASK_STUCK_MAX);
}

static void *work(void *data)
{
	struct shared *shared = data;
	struct task *task;
	pthread_mutex_lock(&shared->mutex);
	while (shared->n_threads <= threads_most(shared) && (task = take_first(&shared->waiting))) {
		task->began = shared->n_attempts;
		wl_list_insert(&shared->running, &task->link);
		pthread_mutex_unlock(&shared->mutex);
		task->impl->run(task->data);
		pthread_mutex_lock(&shared->mutex);
		wl_list_remove(&task->link);
		finish(shared, task);
	}
	shared->n_threads--;
	bool last = shared->closed && shared->n_threads == 0;
	pthread_mutex_unlock(&shared->mutex);
	if (last) {
		free_shared(shared);
	}
	return NULL;
}

/*
 * Call with the mutex held. Returns false if a later attempt may create a thread: the system
 * refused one, or threads may turn out to be stuck.
 */
static bool add_thread(struct shared *shared)
{
	pthread_t thread;
	if (shared->n_threads >= threads_most(shared)) {
		return shared->n_threads >= TASK_THREADS_MAX + TASK_STUCK_MAX;
	}
	if (!thread_start(&thread, work, shared)) {
		return false;
	}
	pthread_detach(thread);
	shared->n_threads++;
	return true;
}

/* On the event loop */

static void forget(struct task *task)
{
	if (!task->abandoned) {
		task->abandoned = true;
		timer_finish(&task->deadline);
		wl_list_remove(&task->pending_link);
		wl_list_init(&task->pending_link);
	}
}

static void complete(struct task *task)
{
	bool wanted = !task->abandoned;
	forget(task);
	leave_quota(task); /* `done` may start a task of this quota */
	if (wanted) {
		task->impl->done(task->owner, task->data, 0);
	}
	free_task(task);
}

static void handle_finished(void *data)
{
	struct tasks *tasks = data;
	struct shared *shared = tasks->shared;
	eventfd_t n;
	eventfd_read(shared->event_fd, &n);
	for (;;) {
		pthread_mutex_lock(&shared->mutex);
		struct task *task = take_first(&shared->finished);
		pthread_mutex_unlock(&shared->mutex);
		if (!task) {
			break;
		}
		complete(task);
	}
}

static void handle_deadline(struct timer *timer, int64_t now)
{
	struct task *task = wl_container_of(timer, task, deadline);
	forget(task);
	task->impl->done(task->owner, NULL, -ETIMEDOUT);
}

static void retry_later(struct tasks *tasks)
{
	if (!tasks->retry.armed) {
		timer_arm(&tasks->retry, clock_now(tasks->clock) + RETRY);
	}
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct tasks *tasks = wl_container_of(timer, tasks, retry);
	struct shared *shared = tasks->shared;
	bool started = true;
	pthread_mutex_lock(&shared->mutex);
	shared->n_attempts++;
	for (int n = wl_list_length(&shared->waiting); n > 0 && started; n--) {
		started = add_thread(shared);
	}
	pthread_mutex_unlock(&shared->mutex);
	if (!started) {
		retry_later(tasks);
	}
}

struct tasks *tasks_create(struct wl_event_loop *loop, struct clock *clock)
{
	int event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0) {
		return NULL;
	}
	struct shared *shared = xcalloc(1, sizeof(*shared));
	pthread_mutex_init(&shared->mutex, NULL);
	wl_list_init(&shared->waiting);
	wl_list_init(&shared->running);
	wl_list_init(&shared->finished);
	shared->event_fd = event_fd;
	struct tasks *tasks = xcalloc(1, sizeof(*tasks));
	tasks->shared = shared;
	tasks->clock = clock;
	wl_list_init(&tasks->pending);
	timer_init(&tasks->retry, clock, handle_retry);
	fd_watch_start(&tasks->watch, loop, clock, event_fd, handle_finished, tasks);
	return tasks;
}

void tasks_destroy(struct tasks *tasks)
{
	if (!tasks) {
		return;
	}
	struct shared *shared = tasks->shared;
	struct task *task, *next;
	wl_list_for_each_safe (task, next, &tasks->pending, pending_link) {
		forget(task);
	}
	handle_finished(tasks);
	fd_watch_stop(&tasks->watch);
	timer_finish(&tasks->retry);
	pthread_mutex_lock(&shared->mutex);
	shared->closed = true;
	wl_list_for_each_safe (task, next, &shared->finished, link) {
		wl_list_remove(&task->link);
		finish(shared, task);
	}
	bool last = shared->n_threads == 0;
	pthread_mutex_unlock(&shared->mutex);
	if (last) {
		free_shared(shared);
	}
	free(tasks);
}

struct clock *tasks_clock(const struct tasks *tasks)
{
	return tasks->clock;
}

int tasks_n_pending(const struct tasks *tasks)
{
	return wl_list_length(&tasks->pending);
}

bool tasks_are_running(const struct tasks *tasks)
{
	struct shared *shared = tasks->shared;
	pthread_mutex_lock(&shared->mutex);
	bool running = shared->n_threads > 0 || !wl_list_empty(&shared->finished);
	pthread_mutex_unlock(&shared->mutex);
	return running && !wl_list_empty(&tasks->pending);
}

struct task *task_start(struct tasks *tasks, struct task_quota *quota, const struct task_impl *impl,
	void *data, void *owner, int64_t timeout)
{
	struct shared *shared = tasks->shared;
	struct task *task = xcalloc(1, sizeof(*task));
	task->tasks = tasks;
	task->impl = impl;
	task->data = data;
	task->owner = owner;
	task->quota = quota;
	if (quota) {
		quota->n_tasks++;
	}
	wl_list_insert(&tasks->pending, &task->pending_link);
	timer_init(&task->deadline, tasks->clock, handle_deadline);
	if (timeout > 0) {
		timer_arm(&task->deadline, clock_now(tasks->clock) + timeout);
	}
	pthread_mutex_lock(&shared->mutex);
	wl_list_insert(shared->waiting.prev, &task->link);
	bool started = add_thread(shared);
	pthread_mutex_unlock(&shared->mutex);
	if (!started) {
		retry_later(tasks);
	}
	return task;
}

void task_abandon(struct task *task)
{
	if (task) {
		forget(task);
	}
}
