/* SPDX-License-Identifier: MIT */
/* Modifiers that the copy engines of a GPU read. */

#include "copy/modifiers.h"
#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/log.h"
#include <errno.h>
#include <gbm.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define TRIAL_SIZE 64

/* On the probing thread */

/*
 * Drivers let the CPU map some layouts and refuse others (amdgpu: tiled ones), so map one. Clears
 * *complete after a failure that may pass.
 */
static bool is_mapped(struct gpu *gpu, uint32_t format, uint64_t modifier, bool *complete)
{
	errno = 0;
	struct gbm_bo *bo = gbm_bo_create_with_modifiers2(
		gpu->gbm, TRIAL_SIZE, TRIAL_SIZE, format, &modifier, 1, GBM_BO_USE_RENDERING);
	int fd = bo ? gbm_bo_get_fd(bo) : -1;
	void *map = fd >= 0 ? mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
	if (map != MAP_FAILED) {
		munmap(map, 1);
	} else if (error_may_pass(-errno)) {
		*complete = false;
	}
	if (fd >= 0) {
		close(fd);
	}
	if (bo) {
		gbm_bo_destroy(bo);
	}
	return map != MAP_FAILED;
}

static bool reads(const struct engine_type *type, struct copy_engine *engine, struct gpu *gpu,
	uint32_t format, uint64_t modifier, bool *complete)
{
	int answer = copy_engine_ask(engine, format, modifier);
	*complete &= answer >= 0;
	return answer > 0 && (type->kind != COST_CPU || modifier == DRM_FORMAT_MOD_LINEAR ||
				     is_mapped(gpu, format, modifier, complete));
}

static void ask(const struct engine_type *type, struct copy_engine *engine, struct gpu *gpu,
	struct gpu_facts *facts, bool *complete)
{
	struct gpu_reader *reader = gpu_facts_add_reader(facts, type->name);
	for (size_t i = 0; i < facts->sampling.n_formats; i++) {
		const struct format_modifiers *entry = &facts->sampling.formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			if (reads(type, engine, gpu, entry->format, entry->modifiers[m],
				    complete)) {
				format_set_add(
					&reader->layouts, entry->format, entry->modifiers[m]);
			}
		}
	}
	log_debug(LOG_COPY, "%s: %s reads layouts of %zu formats", gpu->bus_id, type->name,
		reader->layouts.n_formats);
}

static bool find(const struct gpu_look *look, struct gpu *gpu, struct gpu_facts *facts)
{
	struct engine_context context = {.gpu = gpu,
		.queue = (enum vulkan_queue_kind)look->choice,
		.compressed = true}; /* a fact; copy_modifiers_find() knows the configuration */
	bool complete = true;
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		struct copy_engine *engine;
		int error = types[i].create(&context, &engine);
		if (error == -ENODEV) {
			/* Drivers say so, too, while they cannot reach the GPU. */
			error = types[i].create(&context, &engine);
		}
		if (error == 0) {
			ask(&types[i], engine, gpu, facts, &complete);
			copy_engine_destroy(engine);
		}
		complete &= !error_may_pass(error);
	}
	return complete;
}

/* On the event loop */

void copy_modifiers_look(struct gpu_look *look, enum vulkan_queue_kind queue)
{
	size_t n, length = 0;
	const struct engine_type *types = engine_types(&n);
	*look = (struct gpu_look){.find = find, .choice = (int)queue};
	for (size_t i = 0; i < n; i++) {
		bool queued = types[i].kind == COST_TRANSFER;
		length += (size_t)snprintf(look->variant + length, sizeof(look->variant) - length,
			"%s%s%s%s", i > 0 ? "+" : "", types[i].name, queued ? ":" : "",
			queued ? vulkan_queue_kind_name(queue) : "");
	}
}

/* Finds the readers whose engines are allowed and not known to fail. Returns their number. */
static int find_readers(const struct copier *copier, const struct gpu *gpu,
	const struct gpu_facts *facts, const struct gpu_reader **readers)
{
	const struct gpu_engines *engines = gpu_engines_find(copier, gpu);
	int n_readers = 0;
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		const struct gpu_reader *reader = gpu_facts_reader(facts, types[i].name);
		const struct engine_instance *instance = engines ? &engines->instances[i] : NULL;
		if (reader && copier_allows(copier, &types[i]) &&
			!(instance &&
				((instance->lost && !instance->transient) || instance->refused))) {
			readers[n_readers++] = reader;
		}
	}
	return n_readers;
}

/* Returns what SDMA reads, or NULL if the GPU or the configuration has no SDMA. */
static const struct gpu_reader *find_sdma(
	const struct copier *copier, const struct gpu_facts *facts)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		if (types[i].kind == COST_SDMA && copier_allows(copier, &types[i])) {
			return gpu_facts_reader(facts, types[i].name);
		}
	}
	return NULL;
}

static bool any_has(const struct gpu_reader **readers, int n, uint32_t format, uint64_t modifier)
{
	for (int i = 0; i < n; i++) {
		if (format_set_has(&readers[i]->layouts, format, modifier)) {
			return true;
		}
	}
	return false;
}

/* SDMA alone copies packed YUV, whose pixels share chroma. */
static bool any_engine_copies(uint32_t format)
{
	const struct pixel_format *known = pixel_format_get(format);
	return known && (known->n_planes > 1 || known->hsub == 1);
}

void copy_modifiers_find_linear(const struct format_set *formats, struct format_set *out)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		if (any_engine_copies(entry->format) &&
			format_has_modifier(entry, DRM_FORMAT_MOD_LINEAR)) {
			format_set_add(out, entry->format, DRM_FORMAT_MOD_LINEAR);
		}
	}
}

void copy_modifiers_find(struct copier *copier, const struct gpu *gpu,
	const struct gpu_facts *facts, struct format_set *out)
{
	const struct gpu_reader *readers[COPIER_ENGINES_MAX];
	int n = find_readers(copier, gpu, facts, readers);
	const struct gpu_reader *sdma = find_sdma(copier, facts);
	if (n == 0) {
		/* Engines come back after a loss, and programs need a layout until then. */
		copy_modifiers_find_linear(&facts->sampling, out);
	}
	for (size_t i = 0; i < facts->sampling.n_formats; i++) {
		const struct format_modifiers *entry = &facts->sampling.formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			uint64_t modifier = entry->modifiers[m];
			bool avoid = sdma && modifier_is_compressed(modifier) &&
				     !(copier->compressed && format_set_has(&sdma->layouts,
								     entry->format, modifier));
			if (any_has(readers, n, entry->format, modifier) && !avoid) {
				format_set_add(out, entry->format, modifier);
			}
		}
	}
}
