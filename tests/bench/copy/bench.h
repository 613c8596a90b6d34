/* SPDX-License-Identifier: MIT */
#pragma once

/** Copy benchmark: options, shared state and tables. */

#include "table.h"
#include "target.h"

#define BENCH_ROUNDS 5 /* the median of the rounds is printed */
#define BENCH_KINDS 3 /* kinds of queues */

struct load;

struct bench {
	struct vulkan_options options; /* of the first GPU; the kind of queue is ignored */
	FILE *json;
	bool quick; /* few small sizes, as a functional test */
	bool one_gpu; /* use one GPU for both sides of the pair table */
	bool has[BENCH_KINDS];
	struct target_gpu gpus[BENCH_KINDS]; /* by enum vulkan_queue_kind */
	struct load *load; /* started before any driver is loaded */
};

/** cpu.c: reads and writes of memory types by the CPU. */
void bench_cpu(struct bench *bench);
/** idle.c: copies on an otherwise idle GPU. */
void bench_linear(struct bench *bench);
void bench_tiled(struct bench *bench);
void bench_goals(struct bench *bench);
void bench_merging(struct bench *bench);
/** load.c: paced copies while another process keeps the graphics queue busy. */
void bench_load(struct bench *bench);
/** Starts the process that loads the graphics queue on request. Returns NULL on failure. */
struct load *load_create(const struct vulkan_options *options);
void load_destroy(struct load *load);
/** pair.c: copies from one GPU to another. */
void bench_pair(struct bench *bench);
/** check.c: verifies copies. Returns the number of wrong ones. */
int bench_check(struct bench *bench);
/**
 * import.c: verifies copies of imported memory in all layouts. Returns the number of wrong ones.
 */
int bench_import(struct bench *bench);
