/* SPDX-License-Identifier: MIT */
#pragma once

/** Images of the hardware report: tiled ones of a GPU, and kinds of linear memory. */

#include "copy/engine.h"
#include "gpu/dmabuf.h"
#include <stdbool.h>
#include <stddef.h>

struct format_modifiers;
struct gpu;

#define IMAGE_WIDTH 2048
#define IMAGE_HEIGHT 1024
/** Bytes of an image, above the size from which drivers are known to corrupt foreign memory. */
#define IMAGE_BYTES (IMAGE_WIDTH * IMAGE_HEIGHT * 4)

/** Where linear memory comes from. */
enum memory_kind {
	MEMORY_ENGINE, /* the copy engine itself, in system memory */
	MEMORY_GBM, /* GBM on a GPU */
	MEMORY_UDMABUF, /* pages of a memory file */
	MEMORY_KINDS,
};

const char *memory_kind_name(enum memory_kind kind);
/**
 * Allocates a linear image; `engine` for MEMORY_ENGINE, `gpu` (open) for MEMORY_GBM. The caller owns
 * *out. Returns 0 or -errno.
 */
int memory_allocate(
	enum memory_kind kind, struct copy_engine *engine, struct gpu *gpu, struct dmabuf *out);
/**
 * Allocates an image on the open GPU, in one of the `known` tiled layouts (NULL: none) that the
 * engine reads. The caller owns *out. Returns 0 or -errno, -ENOTSUP without such a layout.
 */
int memory_allocate_native(struct copy_engine *engine, struct gpu *gpu,
	const struct format_modifiers *known, struct dmabuf *out);

/**
 * Describes the memory of a linear image as one in a `known` tiled layout (NULL: none) that the
 * engine reads, for GPUs without GBM. Returns false, with the image unchanged, if there is none.
 */
bool memory_retile(
	struct copy_engine *engine, const struct format_modifiers *known, struct dmabuf *image);

/** A linear image in the CPU's address space. */
struct mapping {
	const struct dmabuf *dmabuf;
	void *data;
	size_t size;
};

/** Returns 0 or -errno. */
int mapping_init(struct mapping *mapping, const struct dmabuf *dmabuf);
void mapping_finish(struct mapping *mapping);
/** Writes a pattern in which neighbouring pixels, rows and megabytes differ. */
void mapping_fill(const struct mapping *mapping, uint32_t seed);
/** Returns the number of pixels that differ from the pattern; the unused byte may be anything. */
int64_t mapping_compare(const struct mapping *mapping, uint32_t seed);
