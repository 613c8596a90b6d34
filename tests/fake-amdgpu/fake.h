/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Emulated amdgpu at the ioctl boundary, under the real libdrm_amdgpu and compositor.
 *
 * A program that links the emulator answers ioctl() and mmap() of its devices itself. SDMA packets
 * of command buffers are executed on memory files that represent buffer objects and dma-bufs. The
 * emulator is strict: packets that fault or have undefined results on hardware fail the job. The
 * state belongs to the process, as for ioctl(), and is protected by a lock. Memory exported to
 * another process with the same GPU is shared; fences are not.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_gpu;

struct fake_chip {
	const char *name;
	unsigned family; /* AMDGPU_FAMILY_* */
	unsigned major, minor; /* version of its SDMA engines */
	uint32_t rings; /* mask of rings that the kernel offers */
	uint32_t gb_addr_config;
	uint16_t gfx; /* version of its graphics engine, in two bytes */
	uint8_t external_rev; /* within the family */
	uint16_t device; /* PCI id */
	bool integrated;
};

struct fake_counts {
	uint64_t jobs, packets, bytes; /* jobs and packets executed; bytes read by copies */
	uint64_t opened, imported; /* total of nodes opened and of dma-buf imports tried */
	int files, buffers, mappings, contexts, syncobjs; /* number of objects that exist now */
};

/** Returns NULL if the chip is unknown. */
const struct fake_chip *fake_chip_find(const char *name);
/** Returns the i-th chip; NULL after the last. */
const struct fake_chip *fake_chip_at(size_t i);

struct fake_gpu *fake_gpu_create(const struct fake_chip *chip);
/** Destroys all GPUs and state of the emulator. Open descriptors become invalid. */
void fake_reset_all(void);
/** Opens a new node. Returns -ENODEV after fake_gpu_unplug(). */
int fake_gpu_open(struct fake_gpu *gpu);

/**
 * Makes open() of `path`, such as "/dev/dri/renderD129", return a node, and the runtime power state
 * readable in /sys by the number of the path. `path` must outlive the GPU.
 */
void fake_gpu_set_path(struct fake_gpu *gpu, const char *path);

/** Operations that the kernel driver refuses from now on; none by default. */
enum fake_refusal {
	FAKE_REFUSE_NONE = 0,
	FAKE_REFUSE_ALLOCATION = 1 << 0, /* allocations of exportable memory */
	FAKE_REFUSE_FOREIGN = 1 << 1, /* imports of memory from outside the emulator */
	FAKE_REFUSE_SMALL = 1 << 2, /* such imports of less than FAKE_LARGE bytes */
};
#define FAKE_LARGE ((size_t)1 << 20)

void fake_gpu_refuse(struct fake_gpu *gpu, unsigned refusals);

/**
 * Makes the GPU read other devices' memory as zeros beyond its first `right` bytes, as NVIDIA's
 * driver is reported to do with imported system memory; 0: never.
 */
void fake_gpu_misread(struct fake_gpu *gpu, size_t right);

/** Holds back jobs until fake_gpu_step() runs some or fake_gpu_release() all. */
void fake_gpu_hold(struct fake_gpu *gpu);
void fake_gpu_step(struct fake_gpu *gpu, int n_jobs);
void fake_gpu_release(struct fake_gpu *gpu);
/** Fails queued jobs; existing contexts refuse work with ECANCELED. */
void fake_gpu_reset(struct fake_gpu *gpu);
/** Fails queued jobs; further calls return ENODEV. */
void fake_gpu_unplug(struct fake_gpu *gpu);
/** Calls that block until they are taken out of the mask. */
enum fake_block {
	FAKE_BLOCK_OPEN = 1 << 0, /* open() of the node: the GPU wakes up */
	/**
	 * Destroying a context whose jobs have not ended, as amdgpu_ctx_mgr_entity_flush() does.
	 */
	FAKE_BLOCK_FREE = 1 << 1,
};
void fake_gpu_block(struct fake_gpu *gpu, unsigned blocks);

/** Makes the next submissions fail with errno `error`. */
void fake_gpu_fail_next(struct fake_gpu *gpu, int error, int n_submissions);
/** Makes the next jobs fail when they are executed, and their contexts with them. */
void fake_gpu_fail_jobs(struct fake_gpu *gpu, int n_jobs);
/** Makes the next dma-buf imports fail with errno `error`. */
void fake_gpu_fail_imports(struct fake_gpu *gpu, int error, int n_imports);

/** Calls that a hook can make fail. */
enum fake_call {
	FAKE_CALL_OPEN,
	FAKE_CALL_INFO,
	FAKE_CALL_ALLOCATE,
	FAKE_CALL_IMPORT, /* of a dma-buf */
	FAKE_CALL_EXPORT,
	FAKE_CALL_MAP_GPU,
	FAKE_CALL_MAP_CPU, /* of GPU memory, or mmap() of any file */
	FAKE_CALL_CONTEXT, /* its creation */
	FAKE_CALL_SYNCOBJ, /* creation, export and import */
	FAKE_CALL_SUBMIT,
	FAKE_CALL_FENCE, /* of a dma-buf or sync_file */
	FAKE_CALL_DESCRIPTOR, /* dup and files of memory; only with faults.c */
	FAKE_CALLS,
};
/**
 * Asks `hook`, which is called on any thread with the lock held, for the errno of each call: 0 lets
 * it through. NULL: none.
 */
void fake_set_hook(int (*hook)(enum fake_call call));

/** Returns the error of the last failed job and clears it, or NULL. */
const char *fake_gpu_fault(struct fake_gpu *gpu);
struct fake_counts fake_gpu_counts(const struct fake_gpu *gpu);

/** Creates a dma-buf foreign to all emulated GPUs. Returns a descriptor; `*map` is its memory. */
int fake_dmabuf_create(size_t size, void **map);

/** Adds a fence to the dma-buf as a write, as another driver does. */
void fake_dmabuf_write(int fd, int fence);

/**
 * Makes the memory of a dma-buf pageless, as nvidia-drm's video memory is: imports succeed, and
 * submissions that list it fail with ENOMEM.
 */
void fake_dmabuf_drop_pages(int fd);
/** The same for submissions of one GPU. */
void fake_dmabuf_drop_pages_for(const struct fake_gpu *gpu, int fd);

/** Creates a sync_file that fake_fence_signal() signals with status 1 or a negative errno. */
int fake_fence_create(void);
void fake_fence_signal(int fd, int status);
