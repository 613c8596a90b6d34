/* SPDX-License-Identifier: MIT */
/* Imports of buffers into engines, cached for the lifetime of the buffer. */

#include "copy/gpu_engines.h"
#include "gpu/gbm.h"
#include "util/error.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/* An engine's import of a buffer, or its permanent refusal. */
struct import {
	struct addon addon; /* on the buffer; owner: a key of the instance */
	struct wl_list link; /* gpu_engines.imports */
	struct engine_instance *instance;
	struct copy_image *image; /* NULL: refused */
	int error; /* 0 with an image */
	bool used; /* by an accepted copy */
	bool lacked; /* a submission with it, the last one so far, failed for lack of memory */
	int n_unmapped; /* refusals in a row because the kernel could not map the memory */
	int64_t unmapped_at; /* ns; of the last one */
};

/*
 * Memory that could not be mapped is tried again after this time (ns), which doubles each time, so
 * many times at most: the GPU's memory may have been full. Only SDMA tries, since drivers of
 * graphics APIs may repeat a submission for ever.
 */
#define UNMAPPED_NS INT64_C(5000000000)
#define UNMAPPED_DOUBLING 6

static void destroy(struct import *import)
{
	copy_image_drop(import->image);
	addon_finish(&import->addon);
	wl_list_remove(&import->link);
	free(import);
}

void engine_instance_drop_imports(
	struct gpu_engines *engines, const struct engine_instance *instance)
{
	struct import *import, *next;
	wl_list_for_each_safe (import, next, &engines->imports, link) {
		if (import->instance == instance) {
			destroy(import);
		}
	}
}

static void destroy_addon(struct addon *addon)
{
	struct import *import = wl_container_of(addon, import, addon);
	destroy(import);
}

static const struct addon_impl import_impl = {.name = "copy import", .destroy = destroy_addon};

static const char *find_key(const struct engine_instance *instance, enum copy_use use)
{
	return use == COPY_SOURCE ? &instance->source_key : &instance->destination_key;
}

static struct import *find(
	const struct engine_instance *instance, struct buffer *buffer, enum copy_use use)
{
	struct addon *addon = addon_find(&buffer->addons, find_key(instance, use), &import_impl);
	struct import *import;
	return addon ? wl_container_of(addon, import, addon) : NULL;
}

static struct import *create(struct gpu_engines *engines, struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use)
{
	struct import *import = xcalloc(1, sizeof(*import));
	import->instance = instance;
	addon_init(&import->addon, &buffer->addons, find_key(instance, use), &import_impl);
	wl_list_insert(&engines->imports, &import->link);
	return import;
}

static bool may_be_mapped_now(const struct gpu_engines *engines, const struct import *import)
{
	int n = import->n_unmapped - 1;
	return n >= 0 && !import->image &&
	       engine_instance_type(engines, import->instance)->kind == COST_SDMA &&
	       clock_now(engines->copier->clock) - import->unmapped_at >=
		       UNMAPPED_NS << (n < UNMAPPED_DOUBLING ? n : UNMAPPED_DOUBLING);
}

int engine_instance_import(struct gpu_engines *engines, struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use, struct copy_image **image)
{
	struct import *import = find(instance, buffer, use);
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	int error;
	if (import && !may_be_mapped_now(engines, import)) {
		*image = import->image;
		return import->error;
	}
	*image = NULL;
	error = dmabuf ? copy_engine_import(instance->engine, dmabuf, use, image) : -ENOTSUP;
	/* -ENODEV: the engine is lost, which says nothing about the buffer. */
	if (error == -ENODEV) {
		timer_arm(&engines->watchdog, clock_now(engines->copier->clock));
	}
	if (error_may_pass(error) || error == -ENODEV) {
		return error;
	}
	import = import ? import : create(engines, instance, buffer, use);
	import->image = *image;
	import->error = error;
	return error;
}

/* The kernel maps the memory again: the other engines may try. */
static void allow(struct gpu_engines *engines, struct buffer *buffer, enum copy_use use)
{
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		struct import *import = find(&engines->instances[i], buffer, use);
		if (import && import->n_unmapped > 0 && !import->image) {
			destroy(import);
		} else if (import) {
			import->n_unmapped = 0;
		}
	}
	buffer->unmappable = false;
}

static void note_copied(struct gpu_engines *engines, const struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use)
{
	struct import *import = find(instance, buffer, use);
	import->used = true;
	import->lacked = false;
	if (buffer->unmappable) {
		allow(engines, buffer, use);
	}
}

void engine_instance_copied(struct gpu_engines *engines, const struct engine_instance *instance,
	const struct copy_order *order)
{
	note_copied(engines, instance, order->source, COPY_SOURCE);
	note_copied(engines, instance, order->destination, COPY_DESTINATION);
}

void gpu_engines_refuse(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use)
{
	struct engine_instance *instance = &engines->instances[engine];
	struct import *import = find(instance, buffer, use);
	import = import ? import : create(engines, instance, buffer, use);
	copy_image_drop(import->image);
	import->image = NULL;
	import->error = -ENOTSUP;
}

/* Refuses the buffer on all engines for which the kernel maps memory, which is all but the CPU. */
static void refuse(struct gpu_engines *engines, struct buffer *buffer, enum copy_use use)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		if (types[i].kind != COST_CPU) {
			gpu_engines_refuse(engines, (int)i, buffer, use);
			struct import *import = find(&engines->instances[i], buffer, use);
			import->n_unmapped++;
			import->unmapped_at = clock_now(engines->copier->clock);
			import->lacked = false;
		}
	}
}

/* Returns true for errors that say nothing about the memory: the engine is busy, or lost. */
static bool is_of_engine(int error)
{
	return error == -EBUSY || error == -EIO || error == -ENODEV;
}

/*
 * Finds the buffer of the order whose memory the kernel cannot map. Returns 0, or the engine's
 * error if that prevents the search.
 */
static int find_culprit(struct engine_instance *instance, const struct copy_order *order,
	int64_t now, struct buffer **buffer, struct import **import)
{
	struct import *source = find(instance, order->source, COPY_SOURCE);
	struct import *destination = find(instance, order->destination, COPY_DESTINATION);
	int error = copy_engine_prove(instance->engine, destination->image, now);
	bool is_source = error == -ENOTSUP && destination->used && !source->used;
	if (error == 0) {
		error = copy_engine_prove(instance->engine, source->image, now);
		is_source = error < 0;
	}
	if (is_of_engine(error)) {
		return error;
	}
	*buffer = is_source ? order->source : order->destination;
	*import = is_source ? source : destination;
	return 0;
}

int engine_instance_lacks_memory(struct gpu_engines *engines, struct engine_instance *instance,
	const struct copy_order *order)
{
	struct buffer *buffer;
	struct import *import;
	int error =
		find_culprit(instance, order, clock_now(engines->copier->clock), &buffer, &import);
	if (error < 0) {
		return error;
	}
	if (!import->lacked) {
		import->lacked = true;
		return -EAGAIN;
	}
	log_debug(LOG_COPY, "%s: cannot map the memory of a %dx%d buffer",
		engine_instance_type(engines, instance)->name, buffer->width, buffer->height);
	buffer->unmappable = true;
	refuse(engines, buffer, buffer == order->source ? COPY_SOURCE : COPY_DESTINATION);
	return -ENOTSUP;
}

int gpu_engines_import(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use)
{
	struct engine_instance *instance = &engines->instances[engine];
	struct copy_image *image;
	return instance->engine ? engine_instance_import(engines, instance, buffer, use, &image)
				: -ENODEV;
}

bool gpu_engines_have_refused(struct gpu_engines *engines, struct buffer *buffer, enum copy_use use)
{
	bool refused = false;
	for (size_t i = 0; i < COPIER_ENGINES_MAX; i++) {
		int error;
		if (!engine_instance_open(engines, i, &error)) {
			if (error != -ENODEV || engines->instances[i].lost) { /* opened later */
				return false;
			}
			continue;
		}
		error = gpu_engines_import(engines, (int)i, buffer, use);
		if (error >= 0 || error_may_pass(error) || error == -ENODEV) {
			return false;
		}
		refused = true;
	}
	return refused;
}

bool gpu_engines_may_improve(
	const struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (int i = 0; i < engine && i < (int)n; i++) {
		const struct engine_instance *instance = &engines->instances[i];
		const struct import *import = find(instance, buffer, use);
		if (copier_allows(engines->copier, &types[i]) && !instance->refused &&
			!(import && import->error < 0)) {
			return true;
		}
	}
	return false;
}

int gpu_engines_allocate(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out)
{
	struct copy_engine *open = engines->instances[engine].engine;
	return open && open->impl->allocate
		       ? open->impl->allocate(open, width, height, format, alignment, out)
		       : -ENOTSUP;
}

int gpu_engines_allocate_gbm(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out)
{
	struct gpu *gpu = engine_instance_gpu(&engines->instances[engine]);
	return gpu ? gpu_allocate_linear(gpu, width, height, format, alignment, out) : -ENOTSUP;
}
