/* SPDX-License-Identifier: MIT */
/* Copy jobs: fences of copies in flight, and completion callbacks. */

#include "copy/gpu_engines.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/fence.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>

struct copy_job {
	struct wl_list link; /* gpu_engines.jobs */
	struct gpu_engines *engines;
	struct engine_instance *instance;
	struct copy_order *order; /* NULL: forgotten */
	struct buffer *source, *destination; /* locked */
	struct fd_watch watch;
	int fence;
	int64_t begun; /* ns */
	int n_rectangles;
};

static void end_job(struct copy_job *job, bool good)
{
	struct copy_order *order = job->order;
	fd_watch_stop(&job->watch);
	wl_list_remove(&job->link);
	fd_close(&job->fence);
	buffer_unlock(job->source);
	buffer_unlock(job->destination);
	free(job);
	if (order) {
		order->job = NULL;
		order->done(order, good);
	}
}

void copy_jobs_fail(struct gpu_engines *engines, const struct engine_instance *instance)
{
	bool again = true;
	while (again) {
		struct copy_job *job;
		again = false;
		/* Callbacks may start and forget copies. */
		wl_list_for_each (job, &engines->jobs, link) {
			if (!instance || job->instance == instance) {
				engines->copier->totals.failures++;
				end_job(job, false);
				again = true;
				break;
			}
		}
	}
}

void copy_jobs_drop(struct gpu_engines *engines)
{
	struct copy_job *job, *next;
	wl_list_for_each_safe (job, next, &engines->jobs, link) {
		assert(!job->order);
		end_job(job, false);
	}
}

static void measure(const struct copy_job *job)
{
	const struct copy_order *order = job->order;
	struct gpu_engines *engines = job->engines;
	int64_t now = clock_now(engines->copier->clock);
	cost_table_add(&engines->copier->costs, order->pair,
		engine_instance_cost_kind(engines, job->instance), order->direction, order->bytes,
		job->n_rectangles, now - job->begun, now);
}

static void handle_fence(void *data)
{
	struct copy_job *job = data;
	struct gpu_engines *engines = job->engines;
	int status = fence_status(job->fence);
	if (status == 0) {
		return;
	}
	engines->n_users++;
	if (status < 0) {
		engines->copier->totals.failures++;
	} else if (job->order && job->order->pair) {
		measure(job);
	}
	end_job(job, status > 0);
	engines->finished(engines, true);
}

void copy_job_start(struct gpu_engines *engines, struct engine_instance *instance,
	struct copy_order *order, int fence, int n_rectangles)
{
	struct copy_job *job = xcalloc(1, sizeof(*job));
	job->engines = engines;
	job->instance = instance;
	job->order = order;
	job->source = buffer_lock(order->source);
	job->destination = buffer_lock(order->destination);
	job->fence = fence;
	job->begun = clock_now(engines->copier->clock);
	job->n_rectangles = n_rectangles;
	fd_watch_start(&job->watch, engines->copier->loop, engines->copier->clock, fence,
		handle_fence, job);
	order->job = job;
	wl_list_insert(engines->jobs.prev, &job->link);
}

void copy_order_forget(struct copy_order *order)
{
	if (order->job) {
		order->job->order = NULL;
		order->job = NULL;
	}
}
