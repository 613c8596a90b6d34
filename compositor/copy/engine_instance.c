/* SPDX-License-Identifier: MIT */
/* Engine instances: opened and closed on the GPU's thread. */

#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fd_watch.h"
#include "util/log.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A lost engine is opened again after this time (ns). */
#define RETRY_NS INT64_C(5000000000)
/* Longest time (ms) that the end of the session waits for drivers to close. */
#define CLOSE_MS 3000

/* A GPU's thread: tasks run in order, so an engine is closed before it is opened again. */
struct thread {
	struct wl_list link; /* copier.threads */
	const struct gpu *gpu; /* compared only: it may have been freed */
	struct worker *worker;
};

/* State of an engine from the request to open it until its destruction. */
struct engine_opening {
	struct worker_task open, close;
	const struct engine_type *type;
	struct engine_context context;
	struct copy_engine *engine;
	int error;
	bool opened; /* the GPU, beside the engine */
	atomic_bool made; /* `engine` and `error` are valid */
	/* While opening; used by the event loop only. */
	struct gpu_engines *engines;
	struct engine_instance *instance;
	struct worker *worker; /* NULL: created without a thread */
	struct fd_watch watch;
	int fence;
};

static struct worker *find_worker(struct copier *copier, const struct gpu *gpu)
{
	struct thread *thread;
	wl_list_for_each (thread, &copier->threads, link) {
		if (thread->gpu == gpu) {
			return thread->worker;
		}
	}
	thread = xcalloc(1, sizeof(*thread));
	thread->gpu = gpu;
	thread->worker = worker_create();
	wl_list_insert(&copier->threads, &thread->link);
	return thread->worker;
}

static bool do_nothing(struct worker_task *task)
{
	free(task);
	return true;
}

void copier_close_threads(struct copier *copier)
{
	struct thread *thread, *next;
	wl_list_for_each_safe (thread, next, &copier->threads, link) {
		struct worker_task *last = xcalloc(1, sizeof(*last));
		int fence;
		last->run = do_nothing;
		fence = thread->worker ? worker_push(thread->worker, last) : -ENOMEM;
		if (fence < 0) {
			free(last);
		} else {
			worker_wait(fence, CLOSE_MS);
			close(fence);
		}
		worker_destroy(thread->worker);
		wl_list_remove(&thread->link);
		free(thread);
	}
}

static bool run_open(struct worker_task *task)
{
	struct engine_opening *opening = wl_container_of(task, opening, open);
	struct gpu *gpu = opening->context.gpu;
	opening->error = opening->type->create(&opening->context, &opening->engine);
	/* For GBM, which allocates memory for Vulkan's engine; GLES has opened the GPU itself. */
	if (opening->error == 0 && opening->type->kind == COST_TRANSFER &&
		gpu_shares_linear_memory(gpu)) {
		int error = gpu_open(gpu);
		opening->opened = error == 0;
		if (error_may_pass(error)) {
			copy_engine_destroy(opening->engine);
			opening->error = error;
		}
	}
	atomic_store(&opening->made, true);
	return opening->error == 0;
}

static bool run_close(struct worker_task *task)
{
	struct engine_opening *opening = wl_container_of(task, opening, close);
	if (opening->error == 0) {
		copy_engine_destroy(opening->engine);
	}
	if (opening->opened) {
		gpu_close(opening->context.gpu);
	}
	gpu_copy_destroy(opening->context.gpu);
	free(opening);
	return true;
}

static void stop_waiting(struct engine_opening *opening)
{
	if (opening->fence >= 0) {
		fd_watch_stop(&opening->watch);
		fd_close(&opening->fence);
		opening->engines->copier->n_opening--;
	}
}

void engine_instance_close(struct gpu_engines *engines, struct engine_instance *instance)
{
	struct engine_opening *opening = instance->opening;
	struct copy_engine *engine = instance->engine;
	instance->engine = NULL;
	instance->opening = NULL;
	if (!opening) {
		return;
	}
	stop_waiting(opening);
	if (!opening->worker) {
		run_close(&opening->close);
		return;
	}
	if (engine && engine->impl->leave) {
		engine->impl->leave(engine);
	}
	worker_post(opening->worker, &opening->close);
}

static bool any_left(const struct gpu_engines *engines)
{
	size_t n;
	engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		if (!engines->instances[i].refused && !engines->instances[i].lost) {
			return true;
		}
	}
	return false;
}

void engine_instance_give_up(
	struct gpu_engines *engines, struct engine_instance *instance, const char *why)
{
	size_t n;
	instance->lost = true;
	instance->lost_at = clock_now(engines->copier->clock);
	engines->copier->totals.lost++;
	if (!instance->reported) {
		instance->reported = true;
		log_warn("%s: copy engine %s failed: %s%s",
			engines->gpu ? engines->gpu->bus_id : "an unplugged GPU",
			engine_types(&n)[instance - engines->instances].name,
			why ? why : "unknown error",
			any_left(engines) ? ""
					  : "; its windows are no longer updated on other GPUs");
	}
}

/* Returns whether the GPU has no such engine. */
static bool is_final(struct engine_instance *instance, int error)
{
	if (error != -ENODEV) {
		return !error_may_pass(error);
	}
	/* Drivers say so, too, while they cannot reach the GPU. */
	bool repeated = instance->was_absent;
	instance->was_absent = true;
	return repeated;
}

static void finish_opening(struct gpu_engines *engines, struct engine_instance *instance)
{
	const struct engine_opening *opening = instance->opening;
	bool returning = instance->returning, changes = instance->reported || instance->transient;
	bool final = opening->error < 0 && is_final(instance, opening->error);
	instance->returning = false;
	instance->transient = final ? 0 : opening->error;
	if (opening->error == 0) {
		instance->engine = opening->engine;
		instance->was_absent = false;
		log_debug(LOG_COPY, "%s: %s is open", opening->context.gpu->bus_id,
			opening->type->name);
	} else if (returning) {
		engine_instance_give_up(
			engines, instance, "it could not be set up again after a reset");
		engine_instance_close(engines, instance);
	} else {
		instance->refused = final;
		instance->lost = !final;
		instance->lost_at = clock_now(engines->copier->clock);
		log_debug(LOG_COPY, "%s: no %s: %s", opening->context.gpu->bus_id,
			opening->type->name, strerror(-opening->error));
		engine_instance_close(engines, instance);
	}
	if (changes || instance->reported || instance->refused || instance->transient) {
		signal_emit(&engines->copier->events.engines, engines->copier);
	}
}

static void handle_opened(void *data)
{
	struct engine_opening *opening = data;
	struct gpu_engines *engines = opening->engines;
	if (!atomic_load(&opening->made)) {
		return;
	}
	stop_waiting(opening);
	finish_opening(engines, opening->instance);
	engines->n_users++;
	signal_emit(&engines->events.again, engines);
	engines->finished(engines, false);
}

/* Returns 0 if the engine is open or failed to open, or -EINPROGRESS. */
static int open_instance(struct gpu_engines *engines, size_t i, const struct engine_type *type)
{
	struct copier *copier = engines->copier;
	struct engine_instance *instance = &engines->instances[i];
	struct engine_opening *opening = xcalloc(1, sizeof(*opening));
	*opening = (struct engine_opening){
		.open.run = run_open,
		.close.run = run_close,
		.type = type,
		.context = {.gpu = gpu_copy(engines->gpu),
			.queue = copier->queue,
			.compressed = copier->compressed},
		.engines = engines,
		.instance = instance,
		.worker = type->quick ? NULL : find_worker(copier, engines->gpu),
		.fence = -1,
	};
	instance->opening = opening;
	if (opening->worker) {
		opening->fence = worker_push(opening->worker, &opening->open);
	}
	if (opening->fence < 0) {
		opening->worker = NULL; /* without a thread, block */
		run_open(&opening->open);
		finish_opening(engines, instance);
		return 0;
	}
	fd_watch_start(&opening->watch, copier->loop, copier->clock, opening->fence, handle_opened,
		opening);
	copier->n_opening++;
	return -EINPROGRESS;
}

struct copy_engine *engine_instance_open(struct gpu_engines *engines, size_t i, int *error)
{
	struct engine_instance *instance = &engines->instances[i];
	size_t n;
	const struct engine_type *types = engine_types(&n);
	*error = -ENODEV;
	if (i >= n || !copier_allows(engines->copier, &types[i])) {
		return NULL;
	}
	if (instance->engine) {
		return instance->engine;
	}
	if (instance->opening) {
		*error = -EINPROGRESS;
		return NULL;
	}
	if (!engines->gpu || instance->refused) {
		return NULL;
	}
	if (instance->lost) {
		if (clock_now(engines->copier->clock) - instance->lost_at < RETRY_NS) {
			*error = instance->transient ? instance->transient : -ENODEV;
			return NULL;
		}
		instance->lost = false;
	}
	if (open_instance(engines, i, &types[i]) < 0) {
		*error = -EINPROGRESS;
	} else if (instance->transient) {
		*error = instance->transient;
	}
	return instance->engine;
}

struct gpu *engine_instance_gpu(const struct engine_instance *instance)
{
	return instance->engine ? instance->opening->context.gpu : NULL;
}

const struct engine_type *engine_instance_type(
	const struct gpu_engines *engines, const struct engine_instance *instance)
{
	size_t n;
	return &engine_types(&n)[instance - engines->instances];
}

/* Vulkan's depends on its queue. */
enum cost_kind engine_instance_cost_kind(
	const struct gpu_engines *engines, const struct engine_instance *instance)
{
	enum vulkan_queue_kind queue = engines->copier->queue;
	const struct engine_type *type = engine_instance_type(engines, instance);
	return type->kind != COST_TRANSFER      ? type->kind
	       : queue == VULKAN_QUEUE_COMPUTE  ? COST_COMPUTE
	       : queue == VULKAN_QUEUE_GRAPHICS ? COST_GRAPHICS
						: COST_TRANSFER;
}
