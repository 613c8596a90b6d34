/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Cost model of moving bytes: latency plus bytes / bandwidth, per kind of engine and direction.
 * Defaults were measured once on other machines; measurements of ordinary copies between the
 * present GPUs replace them, and are kept in a file. No copy is made for the sake of measuring.
 */

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wayland-util.h>

enum cost_kind {
	COST_SDMA, /* AMD's copy engine (SDMA) */
	COST_TRANSFER, /* a Vulkan queue for transfers only */
	COST_COMPUTE, /* a compute queue */
	COST_GRAPHICS, /* a graphics queue, or a GLES blit; queues behind the client's work */
	COST_CPU,
	COST_UPLOAD, /* no engine: texture uploads by the CPU */
	COST_DRAW, /* no engine: a composition pass; same cost in both directions */
	COST_KINDS,
};

enum cost_direction {
	COST_OUT, /* from the GPU's memory into system memory */
	COST_IN, /* from system memory into the GPU's memory */
	COST_DIRECTIONS,
};

struct cost_line {
	int64_t latency; /* ns from submission to the fence of a minimal copy */
	double bandwidth; /* bytes per ns */
	int64_t rectangle; /* ns for each further rectangle of a submission */
	int64_t busy; /* additional latency (ns) while other work fills the graphics queue */
};

const struct cost_line *cost_default(enum cost_kind kind, enum cost_direction direction);
/** Returns the estimated duration (ns). `n_rectangles` is at least 1. */
int64_t cost_estimate(const struct cost_line *line, uint64_t bytes, int n_rectangles, bool busy);
/** Returns how many bytes of one rectangle can be moved in `time` ns. */
uint64_t cost_bytes(const struct cost_line *line, int64_t time);
/**
 * Merges rectangles where that is cheaper although more pixels are copied. Adds only pixels of
 * `allowed` (NULL: any). `bytes` is the size of a pixel.
 */
void cost_merge(const struct cost_line *line, pixman_region32_t *region,
	const pixman_region32_t *allowed, unsigned bytes);

/** Memory of linear pixels that the CPU composes from directly. */
enum cost_memory {
	COST_MEMORY_SYSTEM, /* cached */
	COST_MEMORY_UNCACHED, /* system memory that a GPU uses uncached */
	COST_MEMORY_BUS, /* a GPU's own memory, across the bus */
	COST_MEMORIES,
};

/** Returns whether copying to system memory and reading there is faster than reading directly. */
bool cost_copy_pays(const struct cost_line *copy, enum cost_memory memory, uint64_t bytes);

/** Measured lines, by pair. */
struct cost_table {
	struct wl_list pairs; /* private */
	bool changed; /* since it was loaded */
};

void cost_table_init(struct cost_table *table);
void cost_table_finish(struct cost_table *table);
/**
 * Returns the line of a pair, a word that names both ends ("1002:73bf>integrated"): measured if
 * there are enough samples, else the default. Valid until the next sample.
 */
const struct cost_line *cost_table_get(struct cost_table *table, const char *pair,
	enum cost_kind kind, enum cost_direction direction);
/**
 * The same, but measured in the last minute, else the default: for decisions against copies, which
 * bring no samples that could revise them.
 */
const struct cost_line *cost_table_recent(struct cost_table *table, const char *pair,
	enum cost_kind kind, enum cost_direction direction, int64_t now);
/** Returns whether the line was measured, also by an earlier session. */
bool cost_table_knows(struct cost_table *table, const char *pair, enum cost_kind kind,
	enum cost_direction direction);
/** Calls `each` for every measured line of a GPU ("1002:73bf"); `to` is the pair's other end. */
void cost_table_each(const struct cost_table *table, const char *gpu,
	void (*each)(void *data, const char *kind, const char *direction, const char *to,
		const struct cost_line *line),
	void *data);
/**
 * Adds a sample: a copy of so many bytes in so many rectangles took `duration` ns until `now`. The
 * last samples make the line; a few late ones do not change it.
 */
void cost_table_add(struct cost_table *table, const char *pair, enum cost_kind kind,
	enum cost_direction direction, uint64_t bytes, int n_rectangles, int64_t duration,
	int64_t now);
/** Loads a file, ignoring invalid lines. Returns false if it cannot be opened. */
bool cost_table_load(struct cost_table *table, const char *path);
/** Loads an open stream, which the caller closes. */
void cost_table_read(struct cost_table *table, FILE *file);
/** Replaces the file atomically; creates its folder. Returns 0 or -errno. Waits for the disk. */
int cost_table_save(struct cost_table *table, const char *path);
