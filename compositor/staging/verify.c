/* SPDX-License-Identifier: MIT */
/* Verification of copies between two GPUs, on a thread. */

#include "staging/verify.h"
#include "copy/pattern.h"
#include "gpu/format.h"
#include "gpu/gpu.h"
#include "staging/ring.h"
#include "staging/system_memory.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longest duration (ns) of a test, including the set-up of drivers. */
#define TIMEOUT (INT64_C(15) * 1000000000)
/* Shortest time (ns) after a time-out before an allocation starts another test. */
#define PAUSE (INT64_C(60) * 1000000000)
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
	int64_t again; /* ns; when a test may follow one that timed out */
};

/* On the thread */

static int open_side(struct side *side)
{
	side->opened = gpu_open(side->context.gpu) == 0;
	return side->type->create(&side->context, &side->engine);
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
	error = error < 0 && side->type->kind == COST_GRAPHICS ? allocate_gbm(side, out) : error;
	return error < 0 ? allocate_system(out) : error;
}

/* Imports a tiled image of the side. Returns NULL if it cannot have one. */
static struct copy_image *create_tiled(const struct side *side)
{
	struct format_modifiers known = {.format = DRM_FORMAT_XRGB8888,
		.n_modifiers = 1,
		.modifiers = (uint64_t *)&side->modifier};
	struct copy_image *image = NULL;
	struct dmabuf memory;
	int error = pattern_allocate_native(side->engine, side->context.gpu, &known, &memory);
	if (error < 0) {
		error = pattern_allocate(PATTERN_ENGINE, side->engine, NULL, &memory);
		if (error < 0 || !pattern_retile(side->engine, &known, &memory)) {
			error = error < 0 ? error : (dmabuf_finish(&memory), -ENOTSUP);
		}
	}
	if (error < 0) {
		return NULL;
	}
	copy_engine_import(side->engine, &memory, COPY_SOURCE | COPY_DESTINATION, &image);
	dmabuf_finish(&memory);
	return image;
}

/* Copies by way of the side's tiled image if it has one. */
static int copy(const struct side *side, struct copy_image *from, struct copy_image *to)
{
	struct copy_image *tiled = create_tiled(side);
	int error = 0;
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

/* Rings have copied by the path since its first test timed out. */
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

static void handle_done(void *owner, void *data, int error)
{
	struct staging_verifier *verifier = owner;
	const struct test *test = data;
	bool second = verdict_table_get(&verifier->table, &verifier->tested) == VERDICT_LATE;
	verifier->task = NULL;
	enum verdict verdict = VERDICT_UNTESTED;
	if (error == -ETIMEDOUT && !second) {
		verdict = VERDICT_LATE;
		verifier->again = clock_now(verifier->staging->copier->clock) + PAUSE;
	}
	error = error < 0 ? error : test->error;
	if (error == 0) {
		verdict = test->wrong == 0 ? VERDICT_EXACT : VERDICT_WRONG;
	}
	verdict_table_set(&verifier->table, &verifier->tested, verdict);
	if (second && verdict == VERDICT_WRONG) {
		mark_wrong(verifier->staging, &verifier->tested);
	}
	report(verifier, verdict, error);
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

enum verdict staging_verify(struct staging_verifier *verifier, const struct verdict_path *path,
	const uint64_t native[static 2])
{
	static const struct task_impl impl = {run_test, handle_done, free_test};
	enum verdict verdict = verdict_table_get(&verifier->table, path);
	bool late = verdict == VERDICT_LATE &&
		    clock_now(verifier->staging->copier->clock) >= verifier->again;
	if ((verdict != VERDICT_NONE && !late) || verifier->task) {
		return verdict;
	}
	struct test *test = xcalloc(1, sizeof(*test));
	init_side(&test->source, path->source, path->writer, path->queue, native[0]);
	init_side(&test->reader, path->reader, path->engine, path->queue, native[1]);
	test->from = path->from;
	verifier->tested = *path;
	verifier->task = task_start(verifier->tasks, NULL, &impl, test, verifier, TIMEOUT);
	return verdict;
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
	int error = verifier->path ? verdict_table_save(&verifier->table, verifier->path) : 0;
	if (error < 0) {
		log_debug(LOG_COPY, "%s: %s", verifier->path, strerror(-error));
	}
	verdict_table_finish(&verifier->table);
	free(verifier->path);
	free(verifier);
}
