#pragma once

/**
 * An amdgpu device of the copy engine's own: its handles and address space are never Mesa's. Memory
 * is mapped into it, and command buffers are submitted to its SDMA ring.
 */

#include "copy/engine.h"
#include "copy/sdma/image.h"
#include "copy/sdma/packet.h"
#include <amdgpu.h>

/** Copies that may be in flight. */
#define SDMA_MAX_JOBS COPY_JOBS_MAX
/** Mappings that one submission may use, the commands not counted. */
#define SDMA_MAX_MEMORY 8

/** Memory and where it is mapped. */
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

	/** Command buffers, used in a circle: jobs end in the order of their submission. */
	struct sdma_memory commands;
	uint32_t *words;
	size_t head, used; /* words: where the next one goes; from the oldest in flight to there */
	size_t sizes[SDMA_MAX_JOBS]; /* words of each job in flight, from sizes[first] on */
	unsigned first, n_jobs;
};

/** Takes `fd`, a node opened for this device alone. 0 or negative errno; -ENOTSUP: no such engine. */
int sdma_device_init(struct sdma_device *device, int fd);
/** All imported memory must be gone; jobs in flight go on. */
void sdma_device_finish(struct sdma_device *device);
int sdma_memory_import(struct sdma_device *device, int dmabuf_fd, uint64_t alignment, bool write,
	struct sdma_memory *memory);
void sdma_memory_finish(struct sdma_device *device, struct sdma_memory *memory);
/** New system memory that the CPU caches, as a dma-buf; mapped nowhere yet. Negative errno. */
int sdma_memory_export(struct sdma_device *device, uint64_t size);
/**
 * Room for a command buffer of this many words, to be filled before sdma_device_submit(). -EBUSY
 * if jobs in flight leave too little, -ENOTSUP if it can never fit.
 */
int sdma_device_reserve(struct sdma_device *device, size_t length, struct sdma_stream *stream);
/** Starts what was reserved and filled. 0 and a sync_file, or negative errno. */
int sdma_device_submit(struct sdma_device *device, const struct sdma_stream *stream,
	const struct sdma_memory *const *memory, int n_memory, int wait_fd, int *fence);
/** The oldest job has ended. */
void sdma_device_retire(struct sdma_device *device);
