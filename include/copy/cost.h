#pragma once

/**
 * What moving bytes takes: latency plus bytes by bandwidth, per kind of engine and direction. The defaults
 * were measured once, elsewhere; what is measured between the GPUs at hand replaces them, and is kept
 * in a file from one session to the next. Measured are the copies that are made anyway, so that
 * nothing is woken or loaded for it.
 */

#include <pixman.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <wayland-util.h>

enum cost_kind {
	COST_SDMA, /* AMD's copy engine */
	COST_TRANSFER, /* a Vulkan queue that only transfers */
	COST_COMPUTE, /* one that computes */
	COST_GRAPHICS, /* one that draws, or a blit by GLES: behind what the client draws */
	COST_CPU,
	COST_UPLOAD, /* no engine's: the CPU writes textures */
	COST_DRAW, /* nor this: a pass that composes; both of its directions are one */
	COST_KINDS,
};

enum cost_direction {
	COST_OUT, /* from the GPU's memory into system memory */
	COST_IN, /* the other way */
	COST_DIRECTIONS,
};

struct cost_line {
	int64_t latency; /* ns from submission to the fence, for next to nothing */
	double bandwidth; /* bytes per ns */
	int64_t rectangle; /* ns for each further rectangle of a submission */
	int64_t busy; /* ns more of latency while something else fills the GPU's graphics queue */
};

const struct cost_line *cost_default(enum cost_kind kind, enum cost_direction direction);
/** ns. `n_rectangles` is at least 1. */
int64_t cost_estimate(const struct cost_line *line, uint64_t bytes, int n_rectangles, bool busy);
/** How many bytes of one rectangle can be moved in `time` ns. */
uint64_t cost_bytes(const struct cost_line *line, int64_t time);
/**
 * Makes rectangles fewer where that is cheaper although it copies more. Only pixels of `allowed` are
 * added (NULL: any). `bytes` is those of a pixel.
 */
void cost_merge(const struct cost_line *line, pixman_region32_t *region,
	const pixman_region32_t *allowed, unsigned bytes);

/** Where linear pixels lie that a CPU composes from as they are. */
enum cost_memory {
	COST_MEMORY_SYSTEM, /* cached */
	COST_MEMORY_UNCACHED, /* a part of it that a GPU uses past the caches */
	COST_MEMORY_BUS, /* a GPU's own, behind a bus */
	COST_MEMORIES,
};

/** ns that a CPU which composes takes to read so many bytes where they lie. */
int64_t cost_read(enum cost_memory memory, uint64_t bytes);
/** To copy them into system memory, and read them there, takes less time. */
bool cost_copy_pays(const struct cost_line *copy, enum cost_memory memory, uint64_t bytes);

/** Lines that were measured, by pair. */
struct cost_table {
	struct wl_list pairs; /* private */
	bool changed; /* since it was loaded */
};

void cost_table_init(struct cost_table *table);
void cost_table_finish(struct cost_table *table);
/**
 * The line of a pair, which is a word that names both ends ("1002:73bf>integrated"): measured if
 * there is enough, else the default. Valid until the next sample.
 */
const struct cost_line *cost_table_get(struct cost_table *table, const char *pair,
	enum cost_kind kind, enum cost_direction direction);
/** Enough was measured: no more is looked at. */
bool cost_table_knows(struct cost_table *table, const char *pair, enum cost_kind kind,
	enum cost_direction direction);
/** Calls back for each line of a GPU ("1002:73bf") that was measured; `to` is the pair's other end. */
void cost_table_each(const struct cost_table *table, const char *gpu,
	void (*each)(void *data, const char *kind, const char *direction, const char *to,
		const struct cost_line *line),
	void *data);
/** A copy of so many bytes in so many rectangles took `duration` ns. */
void cost_table_add(struct cost_table *table, const char *pair, enum cost_kind kind,
	enum cost_direction direction, uint64_t bytes, int n_rectangles, int64_t duration);
/** A line per pair; those that make no sense are left out. False if there is no such file. */
bool cost_table_load(struct cost_table *table, const char *path);
/** Reads the same from an open stream, which stays the caller's. */
void cost_table_read(struct cost_table *table, FILE *file);
/** Replaces the file as a whole; makes its folder. Negative errno. Waits for the disk. */
int cost_table_save(struct cost_table *table, const char *path);
