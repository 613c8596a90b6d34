/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The SDMA engine's own amdgpu device, with handles and an address space apart from Mesa's. Maps
 * memory, and submits command buffers to the SDMA ring.
 */

#include "copy/engine.h"
#include "copy/sdma/image.h"
#include "copy/sdma/packet.h"
#include <amdgpu.h>

/** Maximum number of copies in flight. */
#define SDMA_JOBS_MAX COPY_JOBS_MAX
/** Maximum number of mappings of a submission, without the command buffer. */
#define SDMA_MEMORY_MAX 8

/** Memory and its mapping. */
struct sdma_memory {
	amdgpu_bo_handle bo;
	amdgpu_va_handle range;
	uint32_t handle; /* the kernel's */
	uint64_t va, size; /* bytes */
};

struct sdma_device {
	amdgpu_device_handle handle;
	amdgpu_context_handle context;
	struct sdma_chip chip;
	uint32_t ring;
	uint32_t wait, done; /* syncobjs, refilled by each submission */

	/** Ring buffer of commands; jobs end in order of submission. */
	struct sdma_memory commands;
	uint32_t *words;
	size_t head, used; /* words: write position; words in use */
	size_t sizes[SDMA_JOBS_MAX]; /* words of each job in flight, from sizes[first] on */
	unsigned first, n_jobs;
};

/**
 * Opens the device on `fd`, a node of its own, which it owns. Returns 0 or -errno; -ENOTSUP without
 * SDMA.
 */
int sdma_device_init(struct sdma_device *device, int fd);
/** All imported memory has been released; jobs in flight go on. */
void sdma_device_finish(struct sdma_device *device);
int sdma_memory_import(struct sdma_device *device, int dmabuf_fd, uint64_t alignment, bool write,
	struct sdma_memory *memory);
void sdma_memory_finish(struct sdma_device *device, struct sdma_memory *memory);
/** Allocates cached system memory and returns a dma-buf, not mapped yet; or -errno. */
int sdma_memory_export(struct sdma_device *device, uint64_t size);
/**
 * Reserves words for a command buffer, to be filled before sdma_device_submit(). Returns -EBUSY if
 * jobs in flight leave too few, -ENOTSUP if it can never fit.
 */
int sdma_device_reserve(struct sdma_device *device, size_t length, struct sdma_stream *stream);
/** Submits the reserved command buffer. Returns 0 and a sync_file, or -errno. */
int sdma_device_submit(struct sdma_device *device, const struct sdma_stream *stream,
	const struct sdma_memory *const *memory, int n_memory, int wait_fd, int *fence);
/** Recycles the words of the oldest job, which has ended. */
void sdma_device_retire(struct sdma_device *device);
