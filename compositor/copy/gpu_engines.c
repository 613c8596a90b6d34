/* SPDX-License-Identifier: MIT */
/*
 * The copy engines of one GPU: opened on first use, closed when idle, replaced by the next one when
 * lost.
 */

#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/fd.h"
#include "util/fence.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A lost engine is created again after at most this many resets within this time (ns). */
#define RESETS_MAX 3
#define RESETS_NS INT64_C(10000000000)

static void close_engines(struct gpu_engines *engines);

/* Life */

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct gpu_engines *engines = wl_container_of(listener, engines, gpu_gone);
	wl_list_remove(&engines->gpu_gone.link);
	wl_list_init(&engines->gpu_gone.link);
	engines->gpu = NULL;
	/* Callbacks of failed copies may release the engines. */
	engines->n_users++;
	copy_jobs_fail(engines, NULL);
	close_engines(engines);
	signal_emit(&engines->events.again, engines);
	gpu_engines_release(engines);
}

static void handle_watchdog(struct timer *timer, int64_t now);
static void handle_linger(struct timer *timer, int64_t now);
static void handle_finished(struct gpu_engines *engines, bool copied);

struct gpu_engines *gpu_engines_find(const struct copier *copier, const struct gpu *gpu)
{
	struct gpu_engines *engines;
	wl_list_for_each (engines, &copier->gpus, link) {
		if (engines->gpu == gpu) {
			return engines;
		}
	}
	return NULL;
}

struct gpu_engines *copier_use(struct copier *copier, struct gpu *gpu)
{
	struct gpu_engines *engines = gpu_engines_find(copier, gpu);
	if (engines) {
		timer_disarm(&engines->linger);
		engines->n_users++;
		return engines;
	}
	engines = xcalloc(1, sizeof(*engines));
	engines->copier = copier;
	engines->gpu = gpu->gone ? NULL : gpu;
	engines->n_users = 1;
	engines->finished = handle_finished;
	wl_list_init(&engines->imports);
	wl_list_init(&engines->jobs);
	wl_signal_init(&engines->events.again);
	timer_init(&engines->watchdog, copier->clock, handle_watchdog);
	timer_init(&engines->linger, copier->clock, handle_linger);
	if (gpu->gone) {
		wl_list_init(&engines->gpu_gone.link);
	} else {
		signal_add(&gpu->events.gone, &engines->gpu_gone, handle_gpu_gone);
	}
	wl_list_insert(copier->gpus.prev, &engines->link);
	return engines;
}

static void close_engines(struct gpu_engines *engines)
{
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		engine_instance_drop_imports(engines, &engines->instances[i]);
		engine_instance_close(engines, &engines->instances[i]);
	}
	timer_disarm(&engines->watchdog);
}

bool gpu_engines_lost_one(const struct gpu_engines *engines)
{
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		if (engines->instances[i].lost) {
			return true;
		}
	}
	return false;
}

static void destroy_engines(struct gpu_engines *engines)
{
	struct copier *copier = engines->copier;
	bool forgets = gpu_engines_lost_one(engines);
	copy_jobs_drop(engines);
	close_engines(engines);
	timer_finish(&engines->watchdog);
	timer_finish(&engines->linger);
	assert(wl_list_empty(&engines->events.again.listener_list));
	wl_list_remove(&engines->gpu_gone.link);
	wl_list_remove(&engines->link);
	free(engines);
	if (forgets) {
		/* The next user starts with all engines again. */
		signal_emit(&copier->events.engines, copier);
	}
}

static void handle_linger(struct timer *timer, int64_t now)
{
	struct gpu_engines *engines = wl_container_of(timer, engines, linger);
	destroy_engines(engines);
}

void gpu_engines_release(struct gpu_engines *engines)
{
	/* The last copy keeps its buffers mapped, and closes the engines when it ends. */
	if (!engines || --engines->n_users > 0 || !wl_list_empty(&engines->jobs)) {
		return;
	}
	if (engines->gpu && engines->copier->linger > 0) {
		timer_arm(&engines->linger,
			clock_now(engines->copier->clock) + engines->copier->linger);
	} else {
		destroy_engines(engines);
	}
}

void copier_close_gpus(struct copier *copier)
{
	struct gpu_engines *engines, *next;
	wl_list_for_each_safe (engines, next, &copier->gpus, link) {
		assert(engines->n_users == 0);
		destroy_engines(engines);
	}
}

/* Engines */

/* Returns whether the engine is created again: not after several resets in a row. */
static bool returns_after_reset(const struct gpu_engines *engines, struct engine_instance *instance)
{
	int64_t now = clock_now(engines->copier->clock);
	if (!instance->engine->reset || !engines->gpu) {
		return false;
	}
	instance->n_resets = now - instance->reset_at < RESETS_NS ? instance->n_resets + 1 : 1;
	instance->reset_at = now;
	return instance->n_resets <= RESETS_MAX;
}

/* Reports free job slots to users whose copies were refused with -EBUSY. */
static void notify_crowded(struct gpu_engines *engines)
{
	if (engines->crowded) {
		engines->crowded = false;
		signal_emit(&engines->events.again, engines);
	}
}

/* Closes an engine that returned -ENODEV. No call of the engine is on the stack. */
static void lose(struct gpu_engines *engines, struct engine_instance *instance)
{
	int error;
	if (!instance->engine) {
		return;
	}
	instance->returning = returns_after_reset(engines, instance);
	bool gone = !instance->returning;
	if (gone) {
		engine_instance_give_up(engines, instance, instance->engine->lost_why);
	}
	engines->n_users++;
	copy_jobs_fail(engines, instance);
	engine_instance_drop_imports(engines, instance);
	engine_instance_close(engines, instance);
	if (gone) {
		signal_emit(&engines->copier->events.engines, engines->copier);
	} else {
		/* Opened on the thread; opened before this returns if there is no thread. */
		engine_instance_open(engines, (size_t)(instance - engines->instances), &error);
	}
	notify_crowded(engines);
	gpu_engines_release(engines);
}

/* The same. Returns whether the engine is opened again. */
static bool loses(struct gpu_engines *engines, struct engine_instance *instance)
{
	lose(engines, instance);
	return instance->returning;
}

/* Across engines, report a transient error in preference to a permanent one. */
static int prefer_transient(int before, int error)
{
	return error_may_pass(before) ? before : error;
}

static void arm_watchdog(struct gpu_engines *engines)
{
	int64_t due = INT64_MAX;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		if (engines->instances[i].engine) {
			int64_t overdue = copy_engine_overdue(engines->instances[i].engine);
			due = overdue < due ? overdue : due;
		}
	}
	if (due == INT64_MAX) {
		timer_disarm(&engines->watchdog);
	} else {
		timer_arm(&engines->watchdog, due);
	}
}

static void reap(struct gpu_engines *engines)
{
	engines->n_users++;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		struct engine_instance *instance = &engines->instances[i];
		if (instance->engine &&
			copy_engine_reap(instance->engine, clock_now(engines->copier->clock)) < 0) {
			lose(engines, instance);
		}
	}
	arm_watchdog(engines);
	notify_crowded(engines);
	gpu_engines_release(engines);
}

static void handle_finished(struct gpu_engines *engines, bool copied)
{
	if (copied) {
		reap(engines);
	}
	gpu_engines_release(engines);
}

static void handle_watchdog(struct timer *timer, int64_t now)
{
	struct gpu_engines *engines = wl_container_of(timer, engines, watchdog);
	reap(engines);
}

/*
 * Returns whether to wait for an opening engine. Others take over for one that returns after a
 * loss.
 */
static bool is_awaited(const struct engine_instance *instance, int error)
{
	return error == -EINPROGRESS && !instance->reported && !instance->returning;
}

/* Returns whether the engine is missing because of a loss, or of a failure that may pass. */
static bool has_failed(const struct engine_instance *instance)
{
	return instance->lost && (instance->reported || error_may_pass(instance->transient));
}

int gpu_engines_check(
	struct gpu_engines *engines, const struct dmabuf *dmabuf, unsigned use, const char **reason)
{
	const char *first = NULL, *why = NULL;
	bool opening = false, failed = false;
	int error = -ENODEV;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		int closed;
		struct copy_engine *engine = engine_instance_open(engines, i, &closed);
		if (!engine) {
			opening |= closed == -EINPROGRESS;
			failed |= has_failed(&engines->instances[i]);
			if (is_awaited(&engines->instances[i], closed)) {
				break;
			}
			continue;
		}
		error = copy_engine_check(engine, dmabuf, use, &why);
		if (error == 0) {
			return 0;
		}
		opening |= error == -ENODEV && loses(engines, &engines->instances[i]);
		failed |= error_may_pass(error) || has_failed(&engines->instances[i]);
		first = first ? first : why;
	}
	*reason = opening         ? "its GPU's copy engine is opening"
		  : !engines->gpu ? "its GPU was removed"
		  : failed        ? "its GPU's copy engine has failed"
		  : first         ? first
				  : "its GPU has no copy engine";
	return opening ? -EINPROGRESS : error;
}

bool gpu_engines_have_sdma(struct gpu_engines *engines)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	int error;
	for (size_t i = 0; i < n; i++) {
		/* A lost engine may have finished copies, which are better than none. */
		if (types[i].kind == COST_SDMA &&
			(engine_instance_open(engines, i, &error) || engines->instances[i].lost ||
				error == -EINPROGRESS)) {
			return true;
		}
	}
	return false;
}

/* Returns the kind of the first engine that works, or COST_KINDS; *unknown: not known yet. */
static enum cost_kind find_cost_kind(struct gpu_engines *engines, bool *unknown)
{
	*unknown = false;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		struct engine_instance *instance = &engines->instances[i];
		int error;
		if (engine_instance_open(engines, i, &error)) {
			return engine_instance_cost_kind(engines, instance);
		}
		*unknown |= instance->lost || error == -EINPROGRESS;
		if (is_awaited(instance, error)) {
			break;
		}
	}
	return COST_KINDS;
}

bool gpu_engines_copy_is_pointless(
	struct gpu_engines *engines, const struct dmabuf *dmabuf, const char *pair, bool cpu)
{
	bool discrete = engines->gpu && !engines->gpu->integrated, unknown;
	enum cost_memory memory;
	/* The configuration names an engine: use it. */
	if (dmabuf->modifier != DRM_FORMAT_MOD_LINEAR || engines->copier->only) {
		return false;
	}
	bool sdma = gpu_engines_have_sdma(engines);
	if (!discrete && (!sdma || !cpu)) {
		/* Cached system memory is read directly at least as fast as through a copy. */
		return !sdma;
	}
	enum cost_kind kind = find_cost_kind(engines, &unknown);
	if (kind == COST_KINDS) {
		return !unknown;
	}
	if (!cpu) {
		/*
		 * Reading the buffer on another GPU would move it out of its own memory for good.
		 */
		return kind == COST_CPU;
	}
	memory = discrete ? COST_MEMORY_BUS : COST_MEMORY_UNCACHED;
	const struct cost_line *line = cost_table_recent(
		&engines->copier->costs, pair, kind, COST_OUT, clock_now(engines->copier->clock));
	return !cost_copy_pays(
		line, memory, (uint64_t)dmabuf->stride[0] * (uint64_t)dmabuf->height);
}

const struct cost_line *gpu_engines_cost(
	struct gpu_engines *engines, const char *pair, enum cost_direction direction)
{
	enum cost_kind kind = COST_CPU;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		if (engines->instances[i].engine) {
			kind = engine_instance_cost_kind(engines, &engines->instances[i]);
			break;
		}
	}
	return cost_table_get(&engines->copier->costs, pair, kind, direction);
}

int gpu_engines_import_any(
	struct gpu_engines *engines, int first, struct buffer *buffer, enum copy_use use)
{
	int result = -ENODEV;
	bool opening = false;
	for (int i = first; i < COPIER_ENGINES_MAX; i++) {
		int closed, error;
		if (!engine_instance_open(engines, (size_t)i, &closed)) {
			opening |= closed == -EINPROGRESS;
			if (is_awaited(&engines->instances[i], closed)) {
				break;
			}
			result = prefer_transient(closed, result);
			continue;
		}
		error = gpu_engines_import(engines, i, buffer, use);
		if (error == 0) {
			return i;
		}
		opening |= error == -ENODEV && loses(engines, &engines->instances[i]);
		result = prefer_transient(result, error);
	}
	return opening ? -EINPROGRESS : result;
}

const char *gpu_engines_name(const struct gpu_engines *engines, int engine)
{
	return engines->instances[engine].engine->impl->name;
}

/* Copies */

/*
 * Starts the copy on one engine. Returns as gpu_engines_start(), -ENOTSUP if an import was refused.
 */
static int start_on(
	struct gpu_engines *engines, struct engine_instance *instance, struct copy_order *order)
{
	struct copy_engine *engine = instance->engine;
	uint64_t bytes = engine->stats.bytes, n_rectangles = engine->stats.rectangles;
	struct copy_request request = {
		.damage = order->damage,
		.dx = order->dx,
		.dy = order->dy,
		.wait_fd = -1,
		.now = clock_now(engines->copier->clock),
	};
	int fence;
	int error = engine_instance_import(
		engines, instance, order->source, COPY_SOURCE, &request.source);
	if (error == 0) {
		error = engine_instance_import(engines, instance, order->destination,
			COPY_DESTINATION, &request.destination);
	}
	if (error == 0 && order->permit) {
		error = order->permit(order, (int)(instance - engines->instances));
	}
	if (error < 0) {
		return error;
	}
	error = copy_engine_submit(engine, &request, &fence);
	if (error < 0) {
		return error == -ENOMEM ? engine_instance_lacks_memory(engines, instance, order)
					: error;
	}
	engine_instance_copied(engines, instance, order);
	order->bytes = engine->stats.bytes - bytes;
	order->engine = engine->impl->name;
	n_rectangles = engine->stats.rectangles - n_rectangles;
	engines->copier->totals.copies++;
	engines->copier->totals.bytes += order->crosses ? order->bytes : 0;
	int status = fence < 0 ? 1 : fence_status(fence);
	if (status == 0) {
		copy_job_start(engines, instance, order, fence, (int)n_rectangles);
		arm_watchdog(engines);
		return 0;
	}
	fd_close(&fence);
	if (status < 0) {
		engines->copier->totals.failures++;
		/* The copy has failed already, perhaps with its engine. */
		return copy_engine_reap(engine, request.now) == -ENODEV ? -ENODEV : -EIO;
	}
	return 1;
}

int gpu_engines_start(struct gpu_engines *engines, struct copy_order *order)
{
	bool opening = false;
	int result = -ENODEV;
	assert(!order->job);
	order->bytes = 0;
	for (size_t i = (size_t)order->first; i < COPIER_ENGINES_MAX; i++) {
		struct engine_instance *instance = &engines->instances[i];
		int closed, error;
		if (!engine_instance_open(engines, i, &closed)) {
			opening |= closed == -EINPROGRESS;
			if (is_awaited(instance, closed)) {
				break;
			}
			result = prefer_transient(closed, result);
			continue;
		}
		error = start_on(engines, instance, order);
		if (error == -ENODEV) {
			opening |= loses(engines, instance);
		} else if (error == -EBUSY) {
			engines->crowded = true;
		}
		/* Drivers of graphics APIs may repeat such submissions for ever: Mesa does. */
		bool unmapped = error == -EAGAIN || order->destination->unmappable;
		if (error >= 0 || error == -EBUSY || unmapped) {
			return error;
		}
		if (error == -EINPROGRESS) {
			opening = true; /* the next engine may have its permission already */
			continue;
		}
		log_debug(LOG_COPY, "engine %zu does not copy: %s", i, strerror(-error));
		result = prefer_transient(result, error);
	}
	return opening ? -EINPROGRESS : result;
}
