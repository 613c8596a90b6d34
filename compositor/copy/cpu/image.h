#pragma once

/** Pictures that the CPU has mapped, plane by plane, and copies between them. */

#include "copy/amd/tiling.h"
#include "copy/cpu/stream.h"
#include "gpu/dmabuf.h"
#include <pixman.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_MAX_PLANES 3

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

/** Counted: jobs on the thread hold it too. */
struct cpu_picture {
	int n_refs; /* atomic */
	int n_planes;
	bool dmabuf; /* access must be announced to the kernel; else a memory file */
	struct cpu_plane planes[CPU_MAX_PLANES];
	int fd[CPU_MAX_PLANES];
};

/** 0 if such a picture can be mapped; else -ENOTSUP and a phrase. Touches no pixel. */
int cpu_picture_check(const struct dmabuf *dmabuf, bool write, const char **reason);
/** Whether pictures of such a layout can be read if they can be mapped. */
bool cpu_picture_layout_known(uint32_t format, uint64_t modifier);
/** With one reference. 0 or negative errno. */
int cpu_picture_create(const struct dmabuf *dmabuf, bool write, struct cpu_picture **picture);
struct cpu_picture *cpu_picture_ref(struct cpu_picture *picture);
/** From any thread; the last one unmaps. */
void cpu_picture_unref(struct cpu_picture *picture);
/** Brackets access; may wait for the picture's fences. 0 or negative errno. */
int cpu_picture_begin(struct cpu_picture *picture, bool write);
int cpu_picture_end(struct cpu_picture *picture, bool write);
/** The bytes that a copy of the box reads, all planes together. */
uint64_t cpu_picture_bytes(const struct cpu_picture *picture, const pixman_box32_t *box);
/** One box (pixels of the source, inside of both), all planes. Not tiled to tiled. */
void cpu_picture_copy(enum stream_method method, const struct cpu_picture *source,
	struct cpu_picture *destination, const pixman_box32_t *box, int32_t dx, int32_t dy);
