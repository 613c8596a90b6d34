/* SPDX-License-Identifier: MIT */
/*
 * Replacement of worker_push() (--wrap) that waits for the end of the task, for tests whose clock
 * does not wait for threads.
 */

#include "util/worker.h"

int __real_worker_push(struct worker *worker, struct worker_task *task);
int __wrap_worker_push(struct worker *worker, struct worker_task *task);

int __wrap_worker_push(struct worker *worker, struct worker_task *task)
{
	int fence = __real_worker_push(worker, task);
	if (fence >= 0) {
		worker_wait(fence, -1);
	}
	return fence;
}
