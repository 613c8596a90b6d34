#pragma once

/**
 * An emulated amdgpu, at the ioctl boundary: libdrm_amdgpu and what is above it are the real ones.
 * A program that links this answers ioctl() and mmap() of its devices itself. It executes the SDMA
 * packets of command buffers on memory files that stand for buffer objects and dma-bufs.
 *
 * It is strict: what the hardware would fault on, or only might do right, fails the job. All state
 * is the process's, as ioctl() is; threads take turns at it. Memory that is handed to another process
 * with the same GPU is memory there, too; fences are not.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_gpu;

struct fake_chip {
	const char *name;
	unsigned family; /* AMDGPU_FAMILY_* */
	unsigned major, minor; /* of its SDMA engines */
	uint32_t rings; /* that the kernel offers */
	uint32_t gb_addr_config;
};

struct fake_counts {
	uint64_t jobs, packets, bytes; /* executed; bytes that copies read */
	uint64_t opened, imported; /* nodes, and dma-bufs that were or were not taken, ever */
	int files, buffers, mappings, contexts, syncobjs; /* that exist now */
};

/** NULL if there is no such chip. */
const struct fake_chip *fake_chip_find(const char *name);
/** NULL after the last. */
const struct fake_chip *fake_chip_at(size_t i);

struct fake_gpu *fake_gpu_create(const struct fake_chip *chip);
/** Forgets all that there is, of all GPUs; descriptors that are left over are dead. */
void fake_reset_all(void);
/** A node, opened anew; -ENODEV after fake_gpu_unplug(). */
int fake_gpu_open(struct fake_gpu *gpu);

/**
 * open() of this path gives a node, too, and its power state can be read in /sys by the number of the
 * path ("/dev/dri/renderD129"). `path` must live as long as the GPU.
 */
void fake_gpu_set_path(struct fake_gpu *gpu, const char *path);

/** What the GPU's kernel driver takes, from now on; all of it unless told otherwise. */
enum fake_refusal {
	FAKE_REFUSE_NONE = 0,
	FAKE_REFUSE_ALLOCATION = 1 << 0, /* to make memory that others could have */
	FAKE_REFUSE_FOREIGN = 1 << 1, /* to import what no GPU of here has made */
	FAKE_REFUSE_SMALL = 1 << 2, /* likewise, where it is less than FAKE_LARGE bytes */
};
#define FAKE_LARGE ((size_t)1 << 20)

void fake_gpu_refuse(struct fake_gpu *gpu, unsigned refusals);

/** Jobs are held back from now on, until fake_gpu_step() lets some go or fake_gpu_release() all. */
void fake_gpu_hold(struct fake_gpu *gpu);
void fake_gpu_step(struct fake_gpu *gpu, int n_jobs);
void fake_gpu_release(struct fake_gpu *gpu);
/** Jobs in the queue fail, and every context that exists refuses work with ECANCELED. */
void fake_gpu_reset(struct fake_gpu *gpu);
/** Jobs in the queue fail, and everything else does with ENODEV. */
void fake_gpu_unplug(struct fake_gpu *gpu);
/** The next submissions fail with this errno. */
void fake_gpu_fail_next(struct fake_gpu *gpu, int error, int n_submissions);
/** The next jobs fail as soon as they are run, and their contexts with them. */
void fake_gpu_fail_jobs(struct fake_gpu *gpu, int n_jobs);
/** The next dma-bufs are not imported, with this errno. */
void fake_gpu_fail_imports(struct fake_gpu *gpu, int error, int n_imports);

/** What the last job that failed did wrong, or NULL; forgotten by the call. */
const char *fake_gpu_fault(struct fake_gpu *gpu);
struct fake_counts fake_gpu_counts(const struct fake_gpu *gpu);

/** A dma-buf that no GPU of here made: a descriptor, and its memory in *map. */
int fake_dmabuf_create(size_t size, void **map);

/** A sync_file that signals when told: status 1, or a negative errno. */
int fake_fence_create(void);
void fake_fence_signal(int fd, int status);
