/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Private interface of the files about a GPU's engines: gpu_engines.c, engine_instance.c, import.c,
 * job.c.
 */

#include "copy/copier.h"

/** Returns the GPU's engines if they are in use, else NULL. */
struct gpu_engines *gpu_engines_find(const struct copier *copier, const struct gpu *gpu);
/** Returns whether the configuration allows engines of this type. */
bool copier_allows(const struct copier *copier, const struct engine_type *type);

/**
 * Returns the engine at an index, opening it if necessary. Returns NULL and *error: -EINPROGRESS
 * while it opens, -ENODEV if the GPU has none or lost it recently, or a transient error if its last
 * opening failed.
 */
struct copy_engine *engine_instance_open(struct gpu_engines *engines, size_t i, int *error);
/** Closes an engine that may be opening. Its imports and jobs are gone. */
void engine_instance_close(struct gpu_engines *engines, struct engine_instance *instance);
/**
 * Marks a broken engine as lost until a retry; logs the first loss, with the reason (NULL:
 * unknown).
 */
void engine_instance_give_up(
	struct gpu_engines *engines, struct engine_instance *instance, const char *why);
/** Returns the private copy of its GPU of an open engine, or NULL. */
struct gpu *engine_instance_gpu(const struct engine_instance *instance);
/** Returns the engine's kind in the cost table. */
enum cost_kind engine_instance_cost_kind(
	const struct gpu_engines *engines, const struct engine_instance *instance);

/**
 * Imports the buffer into an open engine, once for the buffer's lifetime. Returns 0 or an error.
 */
int engine_instance_import(struct gpu_engines *engines, struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use, struct copy_image **image);
/** Notes that the engine has accepted the copy: it can use the memory of both buffers. */
void engine_instance_copied(struct gpu_engines *engines, const struct engine_instance *instance,
	const struct copy_order *order);
/**
 * Handles a submission that failed with -ENOMEM. Returns -EAGAIN for the buffer's first failure;
 * then refuses that buffer on all engines that depend on the kernel's mappings, marks it as
 * unmappable, and returns -ENOTSUP.
 */
int engine_instance_lacks_memory(struct gpu_engines *engines, struct engine_instance *instance,
	const struct copy_order *order);
/** Returns the type of the engine. */
const struct engine_type *engine_instance_type(
	const struct gpu_engines *engines, const struct engine_instance *instance);
/** Drops all imports of an engine, before it is closed. */
void engine_instance_drop_imports(
	struct gpu_engines *engines, const struct engine_instance *instance);

/** Tracks a copy until its fence, which the job owns, has signalled. */
void copy_job_start(struct gpu_engines *engines, struct engine_instance *instance,
	struct copy_order *order, int fence, int n_rectangles);
/** Fails all jobs of an engine, or of all engines (NULL). Callbacks may do anything. */
void copy_jobs_fail(struct gpu_engines *engines, const struct engine_instance *instance);
/** Ends all jobs, whose orders are forgotten. */
void copy_jobs_drop(struct gpu_engines *engines);
