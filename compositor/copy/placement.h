#pragma once

/**
 * Placements: out of whose memory a linear staging buffer is made, and how its rows are aligned, so that the
 * engine which writes it and whoever reads it both take it. Not all drivers take each other's memory, and those
 * that do want rows to begin on multiples of their own, so what works for a pair is found by trying, with
 * buffers of our own, and remembered, from one session to the next. The list and the memory of it are here;
 * staging_place.c tries.
 */

#include "gpu/format.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wayland-util.h>

enum placement_from {
	PLACEMENT_READER, /* the reader's allocator: what its planes show, if any does */
	PLACEMENT_SOURCE, /* system memory that the engine's device allocates */
	PLACEMENT_SYSTEM, /* pages that are no device's */
	PLACEMENT_NONE, /* nothing works */
};

/** What the buffer is for. */
enum placement_use {
	PLACEMENT_SAMPLED, /* a GPU samples it, or a plane shows it */
	PLACEMENT_READ, /* the CPU reads it */
	PLACEMENT_CROSSED, /* another GPU's engine takes it on into memory of its own */
	PLACEMENT_USES,
};

struct placement {
	enum placement_from from;
	uint32_t alignment; /* of rows, bytes; 0: the allocator's own */
};

/** The nth that is worth trying, best first; false: there are no more. */
bool placement_nth(enum placement_use use, unsigned n, struct placement *out);
bool placement_equal(const struct placement *a, const struct placement *b);
/** A phrase: "memory of the reader's, rows aligned to 256". Newly allocated. */
char *placement_describe(const struct placement *placement);
/** Buffers of one class are taken for alike: each side up to 1 << class pixels. */
unsigned placement_class(int32_t width, int32_t height);

/** Of what it is known. */
struct placement_key {
	const char *pair; /* a word: the engine, its GPU and the reader, and their drivers */
	uint32_t format; /* DRM fourcc */
	unsigned size_class;
	enum placement_use use;
	/** Of what is copied from pictures of this layout alone. */
	bool of_layout;
	uint64_t modifier;
};

struct placement_table {
	struct wl_list entries; /* private */
	char *heading; /* what has to be the same for a file to be true */
	bool changed; /* since it was loaded */
};

/** `heading` becomes the table's. */
void placement_table_init(struct placement_table *table, char *heading);
void placement_table_finish(struct placement_table *table);
/** When something is found out, or asked for. */
struct placement_time {
	uint64_t generation; /* counts what may change the answer */
	int64_t now; /* ns */
};

/**
 * False if nothing is known. PLACEMENT_NONE is known for some seconds, since memory may only have been short, and
 * in its generation.
 */
bool placement_table_get(struct placement_table *table, const struct placement_key *key,
	const struct placement_time *when, struct placement *out);
/** True if that is news. PLACEMENT_NONE is not kept in the file. */
bool placement_table_set(struct placement_table *table, const struct placement_key *key,
	const struct placement_time *when, const struct placement *placement);
/** False if there is no such file or it is of another heading. Lines that make no sense are left out. */
bool placement_table_load(struct placement_table *table, const char *path);
/** Reads the same from an open stream, which stays the caller's. */
bool placement_table_read(struct placement_table *table, FILE *file);
/** Replaces the file as a whole; makes its folder. Negative errno. Waits for the disk. */
int placement_table_save(struct placement_table *table, const char *path);
