/* SPDX-License-Identifier: MIT */
#pragma once

/** Images mapped by the CPU, plane by plane, and copies between them. */

#include "copy/amd/tiling.h"
#include "copy/cpu/stream.h"
#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_PLANES_MAX 3

struct cpu_plane {
	uint32_t bytes; /* per element */
	uint8_t hsub, vsub;
	uint32_t offset, stride; /* bytes */
	uint32_t width, height; /* elements */
	bool tiled;
	struct tiling tiling;
	uint8_t *map; /* of the file, from its start */
	size_t size; /* that is mapped */
};

/** Reference-counted: jobs on the thread hold references. */
struct cpu_mapping {
	int n_refs; /* atomic */
	int n_planes;
	bool dmabuf; /* access needs DMA_BUF_IOCTL_SYNC; else a memory file */
	struct cpu_plane planes[CPU_PLANES_MAX];
	int fd[CPU_PLANES_MAX];
};

/**
 * Returns 0 if such an image can be mapped; else -ENOTSUP with a phrase in *reason. Reads no
 * pixels.
 */
int cpu_mapping_check(const struct dmabuf *dmabuf, bool write, const char **reason);
/** Returns whether images of this layout can be read if they can be mapped. */
bool cpu_mapping_layout_known(uint32_t format, uint64_t modifier);
/** Maps an image, with one reference. Returns 0 or -errno. */
int cpu_mapping_create(const struct dmabuf *dmabuf, bool write, struct cpu_mapping **mapping);
struct cpu_mapping *cpu_mapping_ref(struct cpu_mapping *mapping);
/** Drops a reference, on any thread; the last one unmaps. */
void cpu_mapping_unref(struct cpu_mapping *mapping);
/** Brackets access; may wait for the image's fences. Returns 0 or -errno. */
int cpu_mapping_begin(struct cpu_mapping *mapping, bool write);
int cpu_mapping_end(struct cpu_mapping *mapping, bool write);
/** Returns the bytes that a copy of the box reads in all planes. */
uint64_t cpu_mapping_bytes(const struct cpu_mapping *mapping, const pixman_box32_t *box);
/** Copies a box (source pixels, inside of both images) of all planes. Not from tiled to tiled. */
void cpu_mapping_copy(enum stream_method method, const struct cpu_mapping *source,
	struct cpu_mapping *destination, const pixman_box32_t *box, int32_t dx, int32_t dy);
