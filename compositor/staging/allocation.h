/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Allocations of linear staging buffers: whose memory and which row alignment. Not all drivers
 * import each other's memory, and some require aligned rows, so an allocation that suits both the
 * engine that writes and the reader is found by trial (allocate.c). Here are the candidates and the
 * results of earlier trials.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;

enum allocation_from {
	ALLOCATION_READER, /* the reader's allocator: planes scan out this memory, if any */
	ALLOCATION_SOURCE, /* memory of the source's GPU that other devices can map */
	ALLOCATION_SYSTEM, /* pages that no device allocated */
	ALLOCATION_LOCAL, /* system memory allocated by a copy engine of a discrete reader */
	ALLOCATION_NONE, /* every candidate failed */
};

/** The reader of the buffer. */
enum allocation_use {
	ALLOCATION_SAMPLED, /* an integrated GPU samples it, or a plane scans it out */
	ALLOCATION_SAMPLED_BUS, /* a discrete GPU without copy engines samples it over the bus */
	ALLOCATION_CPU, /* the CPU reads it */
	ALLOCATION_CROSSED, /* the engine of a discrete reader copies it into local memory */
	ALLOCATION_USES,
};

struct allocation {
	enum allocation_from from;
	uint32_t alignment; /* of rows, bytes; 0: the allocator's own */
};

/** Stores the nth candidate, best first. Returns false if there are fewer. */
bool allocation_nth(enum allocation_use use, unsigned n, struct allocation *out);
/** Returns a phrase: "the reader's memory, rows aligned to 256". The caller frees it. */
char *allocation_describe(const struct allocation *allocation);

/** Lookup key of a trial's result. */
struct allocation_key {
	const struct gpu *source, *reader; /* compared only; reader NULL: the CPU */
	const char *engine; /* static name of the engine that writes */
	int first; /* index of the first of the reader's engines that may read */
	enum allocation_use use;
	uint32_t format; /* DRM fourcc of both buffers */
	uint64_t modifier; /* of the client's buffer */
	int32_t width, height; /* of both buffers */
};

#define ALLOCATIONS_MAX 32

/** The most recent results. */
struct allocation_table {
	struct {
		struct allocation_key key;
		struct allocation allocation;
		int64_t when; /* ns */
	} entries[ALLOCATIONS_MAX];
	size_t n, next; /* next: the oldest of a full table */
};

/**
 * Stores the last result for the key: for its size, or else an allocation that works for another
 * size. Returns false if there is none. ALLOCATION_NONE is valid for its size only, and expires
 * five seconds after `when`, since memory may have been short.
 */
bool allocation_table_get(const struct allocation_table *table, const struct allocation_key *key,
	int64_t now, struct allocation *out);
/** Stores a result, which replaces that of the same size. Returns true if no size had it before. */
bool allocation_table_set(struct allocation_table *table, const struct allocation_key *key,
	int64_t now, const struct allocation *allocation);
/** Forgets results of ALLOCATION_NONE: other engines are available now. */
void allocation_table_retry(struct allocation_table *table);
