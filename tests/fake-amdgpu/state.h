#pragma once

/** What the parts of the emulated amdgpu share. */

#include "fake.h"
#include <amdgpu_drm.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <wayland-util.h>

#define FAKE_PAGE 4096
#define FAKE_MAX_HANDLES 512
#define FAKE_MAX_WAITS 64

/** A fence, and the sync_files of it: the reading ends of a pipe that holds a byte once signalled. */
struct fake_fence {
	struct wl_list link;
	int refs;
	int status; /* 0 pending, 1, or negative errno */
	int ends[2];
	ino_t inode;
	struct fake_fence *parts[2]; /* a merged one's, referenced */
};

struct fake_bo_fence {
	struct fake_fence *fence;
	const void *owner; /* the file whose job it is, or NULL */
	bool write;
};

struct fake_bo {
	struct wl_list link;
	int fd;
	ino_t inode;
	uint8_t *map;
	size_t size;
	bool foreign; /* nothing of here has made it */
	struct fake_bo_fence *fences;
	size_t n_fences;
};

struct fake_mapping {
	struct wl_list link; /* fake_file.mappings */
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
	struct fake_fence *fence; /* as a binary one */
	struct fake_timeline *timeline; /* NULL until it is needed */
};

/** An opened node, with handles and an address space. */
struct fake_file {
	struct wl_list link; /* fake_gpu.files */
	struct fake_gpu *gpu;
	int fd;
	ino_t inode;
	struct fake_bo *handles[FAKE_MAX_HANDLES];
	struct wl_list mappings;
	struct fake_context contexts[16];
	struct fake_syncobj syncobjs[64];
	uint64_t sequence;
};

struct fake_job {
	struct wl_list link; /* fake_gpu.jobs */
	struct fake_file *file;
	struct fake_context *context;
	uint64_t va;
	uint32_t bytes;
	struct fake_fence *waits[FAKE_MAX_WAITS];
	int n_waits;
	struct fake_fence *done;
};

struct fake_gpu {
	struct wl_list link;
	const struct fake_chip *chip;
	const char *path; /* of its node; NULL: none */
	struct wl_list files, jobs;
	int credit; /* jobs that may run; negative: any number */
	bool unplugged;
	int fail_next, n_fail;
	int fail_import, n_fail_imports;
	int n_fail_jobs;
	char *fault;
	uint64_t n_jobs, n_packets, n_bytes, n_opened, n_imported;
	unsigned refusals;
};

extern struct wl_list fake_gpus, fake_fences, fake_bos;

/** Referenced. */
struct fake_fence *fake_fence_new(void);
struct fake_fence *fake_fence_ref(struct fake_fence *fence);
void fake_fence_unref(struct fake_fence *fence);
void fake_fence_set(struct fake_fence *fence, int status);
/** A new one that signals after both. */
struct fake_fence *fake_fence_both(struct fake_fence *a, struct fake_fence *b);
/** The fence that a descriptor is a sync_file of, or NULL. */
struct fake_fence *fake_fence_find(int fd);
/** A new sync_file; negative errno. */
int fake_fence_export(struct fake_fence *fence);
int fake_fence_ioctl(struct fake_fence *fence, unsigned long request, void *argument);
void fake_fences_forget(void);

/**
 * What the kernel has without any descriptor has one here, beyond the program's limit: lifts that, and gives what it
 * is to be set to again.
 */
struct rlimit fake_limit_lift(void);
/** Meanwhile: the same descriptor beyond that limit, if there is such a place. */
int fake_limit_keep(const struct rlimit *before, int fd);
struct fake_bo *fake_bo_new(size_t size);
struct fake_bo *fake_bo_find(int fd);
/** As fake_bo_find(), also for what another process made, or (`foreign`) none; NULL if it is no such. */
struct fake_bo *fake_bo_import(int fd, bool foreign);
void fake_bo_add_fence(struct fake_bo *bo, struct fake_fence *fence, const void *owner, bool write);
int fake_bo_ioctl(struct fake_bo *bo, unsigned long request, void *argument);
void fake_bos_forget(void);

/** A node, or what the kernel says of its power; -ENOENT: the path is of no GPU of here. */
int fake_open(const char *path);

/** The emulation is one thread's at a time; calls nest. */
void fake_lock(void);
void fake_unlock(void);
struct fake_file *fake_file_find(int fd);
int fake_file_ioctl(struct fake_file *file, unsigned long request, void *argument);
/** Frees what an opened node has. */
void fake_file_forget(struct fake_file *file);

int fake_syncobj_create(struct fake_file *file, struct drm_syncobj_create *request);
int fake_syncobj_ioctl(struct fake_file *file, unsigned nr, void *argument);
void fake_timelines_forget(void);

int fake_submit(struct fake_file *file, union drm_amdgpu_cs *cs);
/** Runs whatever can run now, on all GPUs. */
void fake_progress(void);
void fake_jobs_fail(struct fake_gpu *gpu, int status);

/** Executes a command buffer; NULL, or what was wrong with it in a new string. */
char *fake_execute(struct fake_file *file, uint64_t va, uint32_t bytes);
