/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Images with a pattern, for tests of copy engines on real drivers: tiled images of a GPU, and
 * kinds of linear memory. All calls may block; they are for threads and for programs without event
 * loop.
 */

#include "copy/engine.h"
#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stdbool.h>
#include <stddef.h>

struct format_modifiers;
struct gpu;

#define PATTERN_WIDTH 2048
#define PATTERN_HEIGHT 1024
/** Bytes of an image, above the size from which drivers are known to corrupt foreign memory. */
#define PATTERN_BYTES (PATTERN_WIDTH * PATTERN_HEIGHT * 4)

/** The strictest alignment of rows, bytes: that of SDMA and of scan-out. */
#define PATTERN_ALIGNMENT 256

/** Where linear memory comes from. */
enum pattern_memory {
	PATTERN_ENGINE, /* the copy engine itself, in system memory */
	PATTERN_GBM, /* GBM on a GPU */
	PATTERN_UDMABUF, /* pages of a memory file */
	PATTERN_KINDS,
};

const char *pattern_memory_name(enum pattern_memory kind);
/**
 * Allocates a linear image; `engine` for PATTERN_ENGINE, `gpu` (open) for PATTERN_GBM. The caller
 * owns *out. Returns 0 or -errno.
 */
int pattern_allocate(
	enum pattern_memory kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out);
/**
 * Allocates an image on the open GPU, in one of the `known` tiled layouts (NULL: none) that the
 * engine reads. The caller owns *out. Returns 0 or -errno, -ENOTSUP without such a layout.
 */
int pattern_allocate_native(struct copy_engine *engine, struct gpu *gpu,
	const struct format_modifiers *known, struct dmabuf *out);

/**
 * Describes the memory of a linear image as one in a `known` tiled layout (NULL: none) that the
 * engine reads, for GPUs without GBM. Returns false, with the image unchanged, if there is none.
 */
bool pattern_retile(
	struct copy_engine *engine, const struct format_modifiers *known, struct dmabuf *image);

/** A linear image in the CPU's address space. */
struct pattern_mapping {
	const struct dmabuf *dmabuf;
	void *data;
	size_t size;
};

/** Returns 0 or -errno. */
int pattern_map(struct pattern_mapping *mapping, const struct dmabuf *dmabuf);
void pattern_unmap(struct pattern_mapping *mapping);
/** Writes a pattern in which neighbouring pixels, rows and megabytes differ. */
void pattern_fill(const struct pattern_mapping *mapping, uint32_t seed);
/** Returns the number of pixels that differ from the pattern; the unused byte may be anything. */
int64_t pattern_compare(const struct pattern_mapping *mapping, uint32_t seed);

/**
 * Copies a box (NULL: all) and waits for the end. Returns 0 and the duration in *ns (may be NULL),
 * or -errno: -ETIME after ten seconds; the engine is unusable then.
 */
int pattern_copy(struct copy_engine *engine, struct copy_image *source,
	struct copy_image *destination, const pixman_box32_t *box, int64_t *ns);
