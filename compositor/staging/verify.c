/* SPDX-License-Identifier: MIT */
/* Verification of copies between two GPUs, on a thread. */

#include "staging/verify.h"
#include "copy/pattern.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "staging/ring.h"
#include "staging/system_memory.h"
#include "util/error.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longest duration (ns) of a test, including the set-up of drivers. */
#define TIMEOUT (INT64_C(15) * 1000000000)
/* Time (ns) between a test that failed for a reason that may pass and the next one. */
#define PAUSE (INT64_C(60) * 1000000000)
/* The pause doubles each time, so many times at most. */
#define DOUBLINGS 6
/*
 * Copies wait for so many tests that fail so, with shorter pauses (ns), the first of which doubles
 * too. After them, showing pixels that are probably right is better than showing none.
 */
#define HELD 3
#define HELD_PAUSE (INT64_C(1) * 1000000000)
/* A test that timed out is repeated only once: its thread may still hang. */
#define TIMEOUTS_MAX 2
#define SEED 1 /* of the pattern; another one is overwritten by it */

/* One GPU in the test. */
struct side {
	struct engine_context context; /* its GPU is a copy */
	const struct engine_type *type;
	uint64_t modifier; /* of its tiled image */
	bool opened; /* the GPU */
	struct copy_engine *engine;
};

struct test {
	struct side source, reader;
	enum allocation_from from;
	int error; /* why the test is impossible */
	int64_t wrong; /* pixels */
};

struct staging_verifier {
	struct staging *staging;
	struct tasks *tasks;
	char *path;
	struct verdict_table table;
	struct task *task; /* NULL: none runs */
	struct verdict_path tested;
	struct timer again; /* armed while a test is due */
};

/* On the thread */

static int open_side(struct side *side)
{
	int error = gpu_open(side->context.gpu);
	side->opened = error == 0;
	if (error_may_pass(error)) {
		return error;
	}
	error = side->type->create(&side->context, &side->engine);
	if (error == -ENODEV) {
		/* Drivers say so, too, while they cannot reach the GPU. */
		error = side->type->create(&side->context, &side->engine);
		error = error == -ENODEV ? -ENOTSUP : error;
	}
	return error;
}

static void close_side(struct side *side)
{
	copy_engine_destroy(side->engine);
	if (side->opened) {
		gpu_close(side->context.gpu);
	}
}

static int allocate_system(struct dmabuf *out)
{
	struct buffer *buffer;
	int error = system_memory_allocate(
		PATTERN_WIDTH, PATTERN_HEIGHT, DRM_FORMAT_XRGB8888, PATTERN_ALIGNMENT, &buffer);
	if (error == 0) {
		error = dmabuf_copy(out, buffer_dmabuf(buffer));
		buffer_drop(buffer);
	}
	return error;
}

static int allocate_gbm(const struct side *side, struct dmabuf *out)
{
	return side->opened ? pattern_allocate(PATTERN_GBM, NULL, side->context.gpu, out)
			    : -ENOTSUP;
}

/* Allocates the memory between the GPUs. */
static int allocate_between(const struct test *test, struct dmabuf *out)
{
	int error;
	switch (test->from) {
	case ALLOCATION_READER: return allocate_gbm(&test->reader, out);
	case ALLOCATION_SOURCE:
		error = pattern_allocate(PATTERN_ENGINE, test->source.engine, NULL, out);
		return error == -ENOTSUP ? allocate_gbm(&test->source, out) : error;
	case ALLOCATION_LOCAL:
		return pattern_allocate(PATTERN_ENGINE, test->reader.engine, NULL, out);
	default: return allocate_system(out);
	}
}

/* Allocates linear memory for the CPU and this GPU only. */
static int allocate_own(const struct side *side, struct dmabuf *out)
{
	int error = pattern_allocate(PATTERN_ENGINE, side->engine, NULL, out);
	if (error < 0 && !error_may_pass(error) && side->type->kind == COST_GRAPHICS) {
		error = allocate_gbm(side, out);
	}
	return error < 0 && !error_may_pass(error) ? allocate_system(out) : error;
}

/*
 * Imports a tiled image of the side. Stores NULL if it cannot have one. Returns 0, or an error that
 * may pass.
 */
static int create_tiled(const struct side *side, struct copy_image **out)
{
	struct format_modifiers known = {.format = DRM_FORMAT_XRGB8888,
		.n_modifiers = 1,
		.modifiers = (uint64_t *)&side->modifier};
	struct dmabuf memory;
	*out = NULL;
	int error = pattern_allocate_native(side->engine, side->context.gpu, &known, &memory);
	if (error < 0 && !error_may_pass(error)) {
		error = pattern_allocate(PATTERN_ENGINE, side->engine, NULL, &memory);
		if (error == 0 && !pattern_retile(side->engine, &known, &memory)) {
			dmabuf_finish(&memory);
			error = -ENOTSUP;
		}
	}
	if (error == 0) {
		error = copy_engine_import(
			side->engine, &memory, COPY_SOURCE | COPY_DESTINATION, out);
		dmabuf_finish(&memory);
	}
	return error_may_pass(error) || error == -ENODEV ? error : 0;
}

/* Copies by way of the side's tiled image if it has one. */
static int copy(const struct side *side, struct copy_image *from, struct copy_image *to)
{
	struct copy_image *tiled;
	int error = create_tiled(side, &tiled);
	if (tiled) {
		error = pattern_copy(side->engine, from, tiled, NULL, NULL);
	}
	if (error == 0) {
		error = pattern_copy(side->engine, tiled ? tiled : from, to, NULL, NULL);
	}
	copy_image_drop(tiled);
	return error;
}

/* Writes the pattern into the memory, or reads it there. */
static int transfer(struct test *test, const struct dmabuf *between, bool reads)
{
	const struct side *side = reads ? &test->reader : &test->source;
	struct copy_image *own = NULL, *shared = NULL;
	struct pattern_mapping mapping;
	struct dmabuf memory;
	int error = allocate_own(side, &memory);
	if (error < 0) {
		return error;
	}
	error = pattern_map(&mapping, &memory);
	if (error < 0) {
		dmabuf_finish(&memory);
		return error;
	}
	pattern_fill(&mapping, reads ? SEED + 1 : SEED);
	error = copy_engine_import(
		side->engine, &memory, reads ? COPY_DESTINATION : COPY_SOURCE, &own);
	if (error == 0) {
		error = copy_engine_import(
			side->engine, between, reads ? COPY_SOURCE : COPY_DESTINATION, &shared);
	}
	if (error == 0) {
		error = copy(side, reads ? shared : own, reads ? own : shared);
	}
	if (error == 0 && reads) {
		test->wrong = pattern_compare(&mapping, SEED);
	}
	copy_image_drop(own);
	copy_image_drop(shared);
	pattern_unmap(&mapping);
	dmabuf_finish(&memory);
	return error;
}

static int test_memory(struct test *test)
{
	struct dmabuf between;
	int error = allocate_between(test, &between);
	if (error < 0) {
		return error;
	}
	error = transfer(test, &between, false);
	if (error == 0) {
		error = transfer(test, &between, true);
	}
	dmabuf_finish(&between);
	return error;
}

static void run_test(void *data)
{
	struct test *test = data;
	test->error = open_side(&test->source);
	if (test->error < 0) {
		test->source.engine = NULL;
	} else {
		test->error = open_side(&test->reader);
		if (test->error < 0) {
			test->reader.engine = NULL;
		} else {
			test->error = test_memory(test);
		}
	}
	close_side(&test->reader);
	close_side(&test->source);
}

/* On the event loop */

static void free_test(void *data)
{
	struct test *test = data;
	gpu_copy_destroy(test->source.context.gpu);
	gpu_copy_destroy(test->reader.context.gpu);
	free(test);
}

/* Lets all rings that wait ask again. */
static void notify(struct copier *copier)
{
	int n = wl_list_length(&copier->gpus), i = 0;
	struct gpu_engines **all = xcalloc((size_t)n + 1, sizeof(struct gpu_engines *)), *engines;
	wl_list_for_each (engines, &copier->gpus, link) {
		engines->n_users++;
		all[i++] = engines;
	}
	for (i = 0; i < n; i++) {
		signal_emit(&all[i]->events.again, all[i]);
		gpu_engines_release(all[i]);
	}
	free(all);
}

static void report(const struct staging_verifier *verifier, enum verdict verdict, int error)
{
	const struct verdict_path *path = &verifier->tested;
	if (verdict == VERDICT_WRONG) {
		log_warn("%s: wrong pixels of copies by %s, read by %s of %s: other memory or "
			 "another engine is used",
			path->source->bus_id, path->writer->name, path->engine->name,
			path->reader->bus_id);
	} else {
		log_debug(LOG_COPY, "%s to %s by %s and %s: %s", path->source->bus_id,
			path->reader->bus_id, path->writer->name, path->engine->name,
			verdict == VERDICT_EXACT ? "exact" : strerror(-error));
	}
}

/* Rings have copied by the path before its test succeeded. */
static void mark_wrong(const struct staging *staging, const struct verdict_path *path)
{
	struct staging_ring *ring;
	wl_list_for_each (ring, &staging->rings, link) {
		if (ring->source && ring->source->gpu == path->source &&
			ring->reader.gpu == path->reader) {
			ring->wrong = true;
		}
	}
}

/* Returns the verdict after a test that failed, and when the next one is due. */
static enum verdict judge_failure(struct verdict_entry *entry, int error, int64_t now)
{
	bool late = error == -ETIMEDOUT;
	entry->n_late += late;
	entry->n_failed += !late;
	/* -ENODEV: an engine was open, and lost. */
	if ((!error_may_pass(error) && error != -ENODEV) || entry->n_late >= TIMEOUTS_MAX) {
		return VERDICT_UNTESTED;
	}
	if (!late && entry->verdict == VERDICT_NONE && entry->n_failed <= HELD) {
		entry->again = now + (HELD_PAUSE << (entry->n_failed - 1));
		return VERDICT_NONE;
	}
	int more = entry->n_failed > HELD + 1 ? entry->n_failed - HELD - 1 : 0;
	entry->again = now + (PAUSE << (more < DOUBLINGS ? more : DOUBLINGS));
	return VERDICT_LATE;
}

static void arm(struct staging_verifier *verifier)
{
	int64_t due = INT64_MAX;
	for (size_t i = 0; i < verifier->table.n; i++) {
		int64_t again = verifier->table.entries[i].again;
		due = again > 0 && again < due ? again : due;
	}
	if (due == INT64_MAX) {
		timer_disarm(&verifier->again);
	} else {
		timer_arm(&verifier->again, due);
	}
}

static void handle_done(void *owner, void *data, int error)
{
	struct staging_verifier *verifier = owner;
	const struct test *test = data;
	struct verdict_entry *entry = verdict_table_find(&verifier->table, &verifier->tested);
	bool before = entry->verdict == VERDICT_LATE;
	verifier->task = NULL;
	error = error < 0 ? error : test->error;
	entry->again = 0;
	enum verdict verdict =
		error < 0 ? judge_failure(entry, error, clock_now(verifier->staging->copier->clock))
		: test->wrong == 0 ? VERDICT_EXACT
				   : VERDICT_WRONG;
	verdict_table_set(&verifier->table, &verifier->tested, verdict);
	if (before && verdict == VERDICT_WRONG) {
		mark_wrong(verifier->staging, &verifier->tested);
	}
	report(verifier, verdict, error);
	arm(verifier);
	notify(verifier->staging->copier);
}

static void init_side(struct side *side, const struct gpu *gpu, const struct engine_type *type,
	enum vulkan_queue_kind queue, uint64_t modifier)
{
	*side = (struct side){
		.context = {.gpu = gpu_copy(gpu), .queue = queue},
		.type = type,
		.modifier = modifier_without_compression(modifier), /* no engine compresses */
	};
}

static void start(struct staging_verifier *verifier, struct verdict_entry *entry)
{
	static const struct task_impl impl = {run_test, handle_done, free_test};
	const struct verdict_path *path = &entry->path;
	struct test *test = xcalloc(1, sizeof(*test));
	init_side(&test->source, path->source, path->writer, path->queue, entry->native[0]);
	init_side(&test->reader, path->reader, path->engine, path->queue, entry->native[1]);
	test->from = path->from;
	entry->again = 0;
	verifier->tested = *path;
	verifier->task = task_start(verifier->tasks, NULL, &impl, test, verifier, TIMEOUT);
}

/* Returns whether copies between the GPUs of the path may be in use. */
static bool is_used(const struct staging *staging, const struct verdict_path *path)
{
	const struct staging_ring *ring;
	wl_list_for_each (ring, &staging->rings, link) {
		if (ring->source && ring->source->gpu == path->source &&
			ring->reader.gpu == path->reader) {
			return true;
		}
	}
	return false;
}

/* Starts the first test that is due; the others follow. Paths without rings wait for a call. */
static void handle_again(struct timer *timer, int64_t now)
{
	struct staging_verifier *verifier = wl_container_of(timer, verifier, again);
	for (size_t i = 0; i < verifier->table.n && !verifier->task; i++) {
		struct verdict_entry *entry = &verifier->table.entries[i];
		if (entry->again == 0 || entry->again > now) {
			continue;
		}
		if (is_used(verifier->staging, &entry->path)) {
			start(verifier, entry);
		} else {
			entry->again = 0;
		}
	}
	if (!verifier->task) {
		arm(verifier);
	}
}

enum verdict staging_verify(struct staging_verifier *verifier, const struct verdict_path *path,
	const uint64_t native[static 2])
{
	struct verdict_entry *entry = verdict_table_find(&verifier->table, path);
	bool open = entry->verdict == VERDICT_NONE || entry->verdict == VERDICT_LATE;
	/* The timer starts a test that is due later. */
	if (open && entry->again == 0 && !verifier->task) {
		entry->path = *path;
		memcpy(entry->native, native, sizeof(entry->native));
		start(verifier, entry);
	}
	return entry->verdict;
}

bool staging_found_wrong(
	const struct staging_verifier *verifier, const struct gpu *source, const struct gpu *reader)
{
	return verdict_table_has_wrong(&verifier->table, source, reader);
}

const struct verdict_table *staging_verdicts(const struct staging_verifier *verifier)
{
	return &verifier->table;
}

struct staging_verifier *staging_verifier_create(
	struct staging *staging, struct tasks *tasks, const char *path)
{
	struct staging_verifier *verifier = xcalloc(1, sizeof(*verifier));
	verifier->staging = staging;
	verifier->tasks = tasks;
	verifier->path = xstrdup(path);
	timer_init(&verifier->again, staging->copier->clock, handle_again);
	if (path) {
		verdict_table_load(&verifier->table, path);
	}
	return verifier;
}

void staging_verifier_destroy(struct staging_verifier *verifier)
{
	if (!verifier) {
		return;
	}
	task_abandon(verifier->task);
	timer_finish(&verifier->again);
	int error = verifier->path ? verdict_table_save(&verifier->table, verifier->path) : 0;
	if (error < 0) {
		log_debug(LOG_COPY, "%s: %s", verifier->path, strerror(-error));
	}
	verdict_table_finish(&verifier->table);
	free(verifier->path);
	free(verifier);
}
