/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Worker pool: runs the parts of one CPU-bound job on all cores and waits for all of them. The
 * threads sleep between jobs.
 */

struct worker_pool;

/** Maximum number of parts that run at once. */
#define WORKER_POOL_MAX 8

/** Starts the threads. Returns NULL on a machine with one core, or if no thread can be started. */
struct worker_pool *worker_pool_create(void);
/** Joins the threads. Accepts NULL. */
void worker_pool_destroy(struct worker_pool *pool);
/** Returns the number of parts that run at once, on the calling thread too. */
int worker_pool_size(const struct worker_pool *pool);
/**
 * Calls work(data, 0) to work(data, n - 1), in any order, on any thread; returns when all have
 * returned.
 */
void worker_pool_run(
	struct worker_pool *pool, int n, void (*work)(void *data, int part), void *data);
/** Excludes the other parts of the job from state that all of them use. Call from `work` only. */
void worker_pool_lock(struct worker_pool *pool);
void worker_pool_unlock(struct worker_pool *pool);
