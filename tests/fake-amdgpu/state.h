/* SPDX-License-Identifier: MIT */
#pragma once

/** Emulated amdgpu: internal state of files, buffers, fences and jobs. */

#include "fake.h"
#include <amdgpu_drm.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <wayland-util.h>

#define FAKE_PAGE 4096
#define FAKE_HANDLES_MAX 1024
#define FAKE_WAITS_MAX 64
#define FAKE_IBS_MAX 16
/** Names of open nodes, before the path. */
#define FAKE_NODE_NAME "fake-node:"

/** Fence and its sync_files, which are reading ends of a pipe that becomes readable on signal. */
struct fake_fence {
	struct wl_list link, merged;
	struct fake_fence *next; /* of its bucket */
	int bucket;
	int refs;
	int status; /* 0: pending, 1: signalled, negative errno: failed */
	int ends[2];
	ino_t inode;
	struct fake_fence *parts[2]; /* of a merged fence, referenced */
};

struct fake_bo_fence {
	struct fake_fence *fence;
	const void *owner; /* the submitting file, or NULL */
	bool write;
};

struct fake_bo {
	struct wl_list link;
	int fd;
	ino_t inode;
	uint8_t *map;
	size_t size;
	bool foreign; /* created outside the emulator */
	const struct fake_gpu *owner; /* that allocated it; NULL: none */
	bool pageless; /* cannot be mapped for any GPU */
	const struct fake_gpu *pageless_for; /* cannot be mapped for this one; NULL: none */
	struct fake_bo_fence *fences;
	size_t n_fences;
	struct drm_amdgpu_gem_create_in created; /* as it was allocated */
	struct drm_amdgpu_gem_metadata metadata;
};

struct fake_mapping {
	struct wl_list link; /* in fake_file.mappings */
	struct fake_bo *bo;
	uint64_t va, offset, size;
	uint32_t flags; /* AMDGPU_VM_PAGE_* */
};

struct fake_context {
	bool used, guilty;
};

struct fake_timeline;

struct fake_syncobj {
	bool used;
	struct fake_fence *fence; /* of a binary sync object */
	struct fake_timeline *timeline; /* NULL until used */
};

/** Open node with handles and a GPU address space. */
struct fake_file {
	struct wl_list link; /* in fake_gpu.files */
	struct fake_gpu *gpu;
	int fd;
	ino_t inode;
	struct fake_bo *handles[FAKE_HANDLES_MAX];
	struct wl_list mappings;
	struct fake_context contexts[32];
	struct fake_syncobj syncobjs[256];
	uint64_t sequence;
};

struct fake_job {
	struct wl_list link; /* in fake_gpu.jobs */
	struct fake_file *file;
	struct fake_context *context;
	uint64_t sequence;
	struct fake_ib {
		uint64_t va;
		uint32_t bytes;
	} ibs[FAKE_IBS_MAX]; /* of an SDMA engine; other engines' are not executed */
	int n_ibs;
	uint8_t *user_fence; /* receives the sequence number; NULL: none */
	struct fake_fence *waits[FAKE_WAITS_MAX];
	int n_waits;
	struct fake_fence *done;
};

struct fake_gpu {
	struct wl_list link;
	const struct fake_chip *chip;
	const char *path; /* of the node; NULL: none */
	struct wl_list files, jobs;
	int credit; /* number of jobs that may run; negative: unlimited */
	bool unplugged;
	int fail_next, n_fail;
	int fail_import, n_fail_imports;
	int n_fail_jobs;
	char *fault;
	uint64_t n_jobs, n_packets, n_bytes, n_opened, n_imported;
	unsigned refusals, blocks;
	size_t misreads_beyond; /* bytes of other devices' memory; 0: never */
};

extern struct wl_list fake_gpus, fake_fences, fake_bos;

/** Creates a fence with one reference. */
struct fake_fence *fake_fence_new(void);
struct fake_fence *fake_fence_ref(struct fake_fence *fence);
void fake_fence_unref(struct fake_fence *fence);
void fake_fence_set(struct fake_fence *fence, int status);
/** Creates a fence that signals after both. */
struct fake_fence *fake_fence_both(struct fake_fence *a, struct fake_fence *b);
/** Returns the fence of a sync_file descriptor, or NULL. */
struct fake_fence *fake_fence_find(int fd);
/** Creates a sync_file. Returns a descriptor or a negative errno. */
int fake_fence_export(struct fake_fence *fence);
int fake_fence_ioctl(struct fake_fence *fence, unsigned long request, void *argument);
void fake_fences_forget(void);

/**
 * Raises the descriptor limit for descriptors that replace kernel-internal references. Returns the
 * limit to restore.
 */
struct rlimit fake_limit_lift(void);
/** Moves the descriptor beyond the restored limit if possible, and restores the limit. */
int fake_limit_keep(const struct rlimit *before, int fd);
struct fake_bo *fake_bo_new(size_t size);
struct fake_bo *fake_bo_find(int fd);
/**
 * Returns the buffer object of a dma-buf, of this or another process; with `foreign`, also of
 * memory from outside. NULL if there is none.
 */
struct fake_bo *fake_bo_import(int fd, bool foreign);
void fake_bo_add_fence(struct fake_bo *bo, struct fake_fence *fence, const void *owner, bool write);
int fake_bo_ioctl(struct fake_bo *bo, unsigned long request, void *argument);
void fake_bos_forget(void);

/**
 * Waits, without the lock, while the GPU blocks such calls and, with a context, until it has no
 * jobs.
 */
void fake_gpu_wait(
	const struct fake_gpu *gpu, enum fake_block call, const struct fake_context *context);
/** Opens a node or the power state in /sys. Returns -ENOENT for any other path. */
int fake_open(const char *path);

/** Locks the emulator; calls nest. */
void fake_lock(void);
void fake_unlock(void);
/** Returns whether the thread holds the lock: its calls are the emulator's own. */
bool fake_is_locked(void);
/** Returns the errno of the hook for the call, or 0. */
int fake_fail_call(enum fake_call call);
/**
 * Returns NULL for files that are no nodes. A node of another process becomes one of this process.
 */
struct fake_file *fake_file_find(int fd);
/** Takes ownership of the descriptor. */
struct fake_file *fake_file_new(struct fake_gpu *gpu, int fd, ino_t inode);
/** The same for a descriptor of this inode. */
struct fake_file *fake_file_with_inode(int fd, ino_t inode);
int fake_file_ioctl(struct fake_file *file, unsigned long request, void *argument);
/** Frees the resources of an open node. */
void fake_file_forget(struct fake_file *file);

int fake_syncobj_create(struct fake_file *file, struct drm_syncobj_create *request);
int fake_syncobj_ioctl(struct fake_file *file, unsigned nr, void *argument);
/** Returns the fence of a sync object, of a point unless that is 0; NULL: none yet. */
struct fake_fence *fake_syncobj_fence(struct fake_file *file, uint32_t handle, uint64_t point);
/** Makes the fence that of a sync object, or adds it to the timeline if `point` is not 0. */
int fake_syncobj_attach(
	struct fake_file *file, uint32_t handle, uint64_t point, struct fake_fence *fence);
void fake_timelines_forget(void);

/** Answers AMDGPU_INFO. */
int fake_info(const struct fake_chip *chip, const struct drm_amdgpu_info *info);

int fake_submit(struct fake_file *file, union drm_amdgpu_cs *cs);
int fake_wait_job(const struct fake_file *file, union drm_amdgpu_wait_cs *wait);
/** Waits a moment without the lock. Returns false after the deadline (ns of CLOCK_MONOTONIC). */
bool fake_wait_more(uint64_t deadline);
/** Runs all jobs that are ready, on all GPUs. */
void fake_progress(void);
void fake_jobs_fail(struct fake_gpu *gpu, int status);

/**
 * Executes a command buffer of the job that ends with `done`. Returns NULL, or a new string that
 * describes the error.
 */
char *fake_execute(
	struct fake_file *file, const struct fake_fence *done, uint64_t va, uint32_t bytes);
