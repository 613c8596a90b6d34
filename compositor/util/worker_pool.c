/* SPDX-License-Identifier: MIT */
/* Worker pools: threads that take the parts of one job until all are done. */

#include "util/worker_pool.h"
#include "util/log.h"
#include "util/thread.h"
#include "util/xalloc.h"
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct worker_pool {
	pthread_mutex_t mutex, shared;
	pthread_cond_t wake, done;
	pthread_t threads[WORKER_POOL_MAX - 1];
	int n_threads;
	bool quit;
	/* The current job. */
	void (*work)(void *data, int part);
	void *data;
	int n, next, left;
};

/* Called with the mutex held; releases it during the part. */
static void run_part(struct worker_pool *pool)
{
	int part = pool->next++;
	pthread_mutex_unlock(&pool->mutex);
	pool->work(pool->data, part);
	pthread_mutex_lock(&pool->mutex);
	if (--pool->left == 0) {
		pthread_cond_signal(&pool->done);
	}
}

static void *live(void *data)
{
	struct worker_pool *pool = data;
	pthread_mutex_lock(&pool->mutex);
	while (!pool->quit) {
		if (pool->next < pool->n) {
			run_part(pool);
		} else {
			pthread_cond_wait(&pool->wake, &pool->mutex);
		}
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

static void start_threads(struct worker_pool *pool, int n)
{
	while (pool->n_threads < n && thread_start(&pool->threads[pool->n_threads], live, pool)) {
		pool->n_threads++;
	}
}

struct worker_pool *worker_pool_create(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	if (cores < 2) {
		return NULL;
	}
	struct worker_pool *pool = xcalloc(1, sizeof(*pool));
	pthread_mutex_init(&pool->mutex, NULL);
	pthread_mutex_init(&pool->shared, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pthread_cond_init(&pool->done, NULL);
	start_threads(pool, cores < WORKER_POOL_MAX ? (int)cores - 1 : WORKER_POOL_MAX - 1);
	if (pool->n_threads == 0) {
		worker_pool_destroy(pool);
		return NULL;
	}
	log_debug(LOG_RENDER, "composing with %d threads", worker_pool_size(pool));
	return pool;
}

void worker_pool_destroy(struct worker_pool *pool)
{
	if (!pool) {
		return;
	}
	pthread_mutex_lock(&pool->mutex);
	pool->quit = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->mutex);
	for (int i = 0; i < pool->n_threads; i++) {
		pthread_join(pool->threads[i], NULL);
	}
	pthread_cond_destroy(&pool->done);
	pthread_cond_destroy(&pool->wake);
	pthread_mutex_destroy(&pool->shared);
	pthread_mutex_destroy(&pool->mutex);
	free(pool);
}

int worker_pool_size(const struct worker_pool *pool)
{
	return pool->n_threads + 1;
}

void worker_pool_run(
	struct worker_pool *pool, int n, void (*work)(void *data, int part), void *data)
{
	pthread_mutex_lock(&pool->mutex);
	pool->work = work;
	pool->data = data;
	pool->n = pool->left = n;
	pool->next = 0;
	pthread_cond_broadcast(&pool->wake);
	while (pool->next < pool->n) {
		run_part(pool);
	}
	while (pool->left > 0) {
		pthread_cond_wait(&pool->done, &pool->mutex);
	}
	pool->n = pool->next = 0;
	pthread_mutex_unlock(&pool->mutex);
}

void worker_pool_lock(struct worker_pool *pool)
{
	pthread_mutex_lock(&pool->shared);
}

void worker_pool_unlock(struct worker_pool *pool)
{
	pthread_mutex_unlock(&pool->shared);
}
