/* SPDX-License-Identifier: MIT */
/* Worker: a thread for blocking tasks, and fences for their completion. */

#include "util/worker.h"
#include "util/fence.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct worker {
	pthread_mutex_t mutex;
	pthread_cond_t wake, drained;
	struct wl_list tasks; /* worker_task.link, oldest first */
	bool idle; /* the thread runs no task */
	bool quit;
};

static void destroy(struct worker *worker)
{
	pthread_cond_destroy(&worker->drained);
	pthread_cond_destroy(&worker->wake);
	pthread_mutex_destroy(&worker->mutex);
	free(worker);
}

static struct worker_task *next_task(struct worker *worker)
{
	struct worker_task *task = NULL;
	pthread_mutex_lock(&worker->mutex);
	while (wl_list_empty(&worker->tasks) && !worker->quit) {
		worker->idle = true;
		pthread_cond_broadcast(&worker->drained);
		pthread_cond_wait(&worker->wake, &worker->mutex);
	}
	worker->idle = false;
	if (!wl_list_empty(&worker->tasks)) {
		task = wl_container_of(worker->tasks.next, task, link);
		wl_list_remove(&task->link);
	}
	pthread_mutex_unlock(&worker->mutex);
	return task;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct worker_task *task;
	while ((task = next_task(worker))) {
		int fd = task->done_fd;
		bool good = task->run(task);
		if (fd >= 0) {
			/* The reader may have closed its end; SIGPIPE is blocked here. */
			ssize_t unused = good ? write(fd, "", 1) : 0;
			(void)unused;
			close(fd);
		}
	}
	destroy(worker);
	return NULL;
}

struct worker *worker_create(void)
{
	struct worker *worker = xcalloc(1, sizeof(*worker));
	pthread_t thread;
	pthread_condattr_t monotonic;
	wl_list_init(&worker->tasks);
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_cond_init(&worker->wake, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&worker->drained, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (!thread_start(&thread, work, worker)) {
		destroy(worker);
		return NULL;
	}
	pthread_detach(thread);
	return worker;
}

void worker_destroy(struct worker *worker)
{
	if (!worker) {
		return;
	}
	pthread_mutex_lock(&worker->mutex);
	worker->quit = true;
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->mutex);
}

static void push(struct worker *worker, struct worker_task *task)
{
	pthread_mutex_lock(&worker->mutex);
	wl_list_insert(worker->tasks.prev, &task->link);
	pthread_cond_signal(&worker->wake);
	pthread_mutex_unlock(&worker->mutex);
}

int worker_push(struct worker *worker, struct worker_task *task)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0) {
		return -errno;
	}
	task->done_fd = fds[1];
	push(worker, task);
	return fds[0];
}

void worker_post(struct worker *worker, struct worker_task *task)
{
	task->done_fd = -1;
	push(worker, task);
}

bool worker_drain(struct worker *worker, int timeout_ms)
{
	struct timespec end;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += timeout_ms / 1000;
	end.tv_nsec += timeout_ms % 1000 * 1000000;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	pthread_mutex_lock(&worker->mutex);
	int error = 0;
	while (error == 0 && !(worker->idle && wl_list_empty(&worker->tasks))) {
		error = pthread_cond_timedwait(&worker->drained, &worker->mutex, &end);
	}
	pthread_mutex_unlock(&worker->mutex);
	return error == 0;
}

bool worker_wait(int fence, int timeout_ms)
{
	struct pollfd poller = {.fd = fence, .events = POLLIN};
	int n;
	if (fence < 0) {
		return true;
	}
	do {
		n = poll(&poller, 1, timeout_ms);
	} while (n < 0 && errno == EINTR);
	return n > 0 && fence_status(fence) == 1;
}
