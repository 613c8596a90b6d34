#pragma once

/** What the tables of the benchmark share. */

#include "table.h"
#include "target.h"

#define BENCH_ROUNDS 5 /* whose median is what is told */
#define BENCH_KINDS 3 /* of queues */

struct load;

struct bench {
	struct vulkan_options options; /* of the first GPU; the queue's kind is not looked at */
	FILE *json;
	bool quick; /* small and few, to see that it works */
	bool one_gpu; /* plays both parts in the table of two */
	bool has[BENCH_KINDS];
	struct target_gpu gpus[BENCH_KINDS]; /* by enum vulkan_queue_kind */
	struct load *load; /* before any driver is loaded */
};

/** cpu.c: the CPU reads and writes kinds of memory. */
void bench_cpu(struct bench *bench);
/** idle.c: copies while nothing else runs. */
void bench_linear(struct bench *bench);
void bench_tiled(struct bench *bench);
void bench_goals(struct bench *bench);
/** load.c: copies at a pace while another process keeps the graphics queue busy. */
void bench_load(struct bench *bench);
/** The process that does, waiting to be told; NULL if it cannot be started. */
struct load *load_create(const struct vulkan_options *options);
void load_destroy(struct load *load);
/** pair.c: from one GPU to another. */
void bench_pair(struct bench *bench);
/** check.c: whether copies are exact. The number of those that are not. */
int bench_check(struct bench *bench);
/** import.c: whether copies of imported memory are, in all layouts. The same number. */
int bench_import(struct bench *bench);
