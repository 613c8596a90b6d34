/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Verdicts about copies between two GPUs: whether the reader found the pixels that the writer sent.
 * Each GPU is known by its PCI ids and driver, so that a verdict outlives the session; a file keeps
 * those of one kernel and Mesa.
 */

#include "copy/copier.h"
#include "copy/vulkan.h"
#include "staging/allocation.h"
#include <stdio.h>

enum verdict {
	VERDICT_NONE, /* not tested yet */
	VERDICT_EXACT,
	VERDICT_WRONG,
	VERDICT_UNTESTED, /* a test is impossible in this session */
	VERDICT_LATE, /* tests failed for reasons that may pass; copies go on until the next one */
};

/** The way of a copy. */
struct verdict_path {
	const struct gpu *source, *reader;
	const struct engine_type *writer; /* engine of the source that writes the memory */
	enum allocation_from from; /* the memory */
	const struct engine_type *engine; /* of the reader, that reads it */
	enum vulkan_queue_kind queue; /* of engines that use Vulkan */
};

#define VERDICTS_MAX 64

struct verdict_table {
	struct verdict_entry {
		char *key;
		enum verdict verdict;
		/* If it was asked for in this session; else NULL. */
		const struct gpu *source, *reader; /* compared only */
		char *phrase; /* for people */
		/* The next test after one that failed for a reason that may pass. */
		struct verdict_path path;
		uint64_t native[2];
		int64_t again; /* ns; 0: none is due */
		int n_failed, n_late; /* such tests, and those that timed out */
	} entries[VERDICTS_MAX];
	size_t n;
	bool changed; /* since it was loaded */
};

/** Loads the file; ignores that of another kernel or Mesa, and invalid lines. */
void verdict_table_load(struct verdict_table *table, const char *path);
/** Loads an open stream, which the caller closes, if this is its first line. */
void verdict_table_read(struct verdict_table *table, FILE *file, const char *heading);
/** Replaces the file. Returns 0 or -errno. Waits for the disk. */
int verdict_table_save(struct verdict_table *table, const char *path);
void verdict_table_finish(struct verdict_table *table);
/** Returns the path's entry, created if missing; valid until the next call for another path. */
struct verdict_entry *verdict_table_find(
	struct verdict_table *table, const struct verdict_path *path);
/** Returns whether copies between such GPUs were wrong by some engine or memory. */
bool verdict_table_has_wrong(
	const struct verdict_table *table, const struct gpu *source, const struct gpu *reader);
/** Sets the verdict. A full table forgets the oldest, wrong ones last. */
void verdict_table_set(
	struct verdict_table *table, const struct verdict_path *path, enum verdict verdict);
