#pragma once

/** What the files about a GPU's engines (engines.c, instance.c, import.c, job.c) have of each other. */

#include "copy/copier.h"

/** That which is in use for the GPU; NULL: none is. */
struct gpu_engines *gpu_engines_find(const struct copier *copier, const struct gpu *gpu);
/** The configuration lets such engines be used. */
bool copier_allows(const struct copier *copier, const struct engine_type *type);

/**
 * The engine at an index, opened if need be. NULL and *error: -EINPROGRESS while that is going on, -ENODEV
 * if the GPU has none, or has lost it not long ago; or that there were no descriptors to open it with.
 */
struct copy_engine *engine_instance_open(struct gpu_engines *engines, size_t i, int *error);
/** Also one that is being opened. Its imports and jobs are gone. */
void engine_instance_close(struct gpu_engines *engines, struct engine_instance *instance);
/** It does not work, and is not tried again before its time: said once, with the reason (NULL: unknown). */
void engine_instance_give_up(
	struct gpu_engines *engines, struct engine_instance *instance, const char *why);
/** As the table of costs has it. */
enum cost_kind engine_instance_cost_kind(
	const struct gpu_engines *engines, const struct engine_instance *instance);

/** The buffer as an open engine has it, imported once for as long as the buffer lives: 0 or an error. */
int engine_instance_import(struct gpu_engines *engines, struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use, struct copy_image **image);
/** All that it has imported; before it is closed. */
void engine_instance_drop_imports(
	struct gpu_engines *engines, const struct engine_instance *instance);

/** Takes the fence, which has not ended yet. */
void copy_job_start(struct gpu_engines *engines, struct engine_instance *instance,
	struct copy_order *order, int fence, int n_rectangles);
/** All of an engine's, or of all engines' (NULL), have failed: whoever hears of it may do anything. */
void copy_jobs_fail(struct gpu_engines *engines, const struct engine_instance *instance);
/** All orders are forgotten. */
void copy_jobs_drop(struct gpu_engines *engines);
/** Looks after all engines: what has ended, what hangs. */
void gpu_engines_reap(struct gpu_engines *engines);
