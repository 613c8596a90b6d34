/* SPDX-License-Identifier: MIT */
#pragma once

/** Submission of copies to a device's queue. */

#include "copy/vulkan/record.h"
#include <stdatomic.h>

#define VULKAN_JOBS_MAX 16

struct vulkan_job {
	VkCommandBuffer commands;
	VkFence fence;
	VkSemaphore wait, done; /* reused by each submission */
	uint64_t serial; /* number of its last submission; 0: none */
	atomic_bool watched; /* a thread waits for its fence: do not reuse */
	/* Recorded copies that may be submitted again; all boxes are `box`. */
	struct vulkan_copy copies[VULKAN_COPIES_MAX];
	int n_copies; /* 0: nothing */
	pixman_box32_t box;
	bool first;
};

struct vulkan_queue {
	const struct vulkan_device *device;
	VkCommandPool pool;
	struct vulkan_job jobs[VULKAN_JOBS_MAX];
	struct vulkan_job *newest; /* that was submitted, or NULL */
	uint64_t serial;
};

/** Returns 0 or -errno. */
int vulkan_queue_init(struct vulkan_queue *queue, const struct vulkan_device *device);
/** Nothing is in flight. NULL handles are legal, to finish a failed init. */
void vulkan_queue_finish(struct vulkan_queue *queue);
/**
 * Submits at most VULKAN_COPIES_MAX checked copies, ordered after earlier submissions to the
 * device. They wait for the sync_file (-1: none), which is not consumed, and must have signalled if
 * the device cannot import it. *job identifies the submission for the functions below. Copies of
 * one box are cached with their surfaces, and submitted again without recording. Returns 0, -EBUSY
 * if too many are in flight, or -errno; nothing was submitted on errors.
 */
int vulkan_queue_copy(struct vulkan_queue *queue, const struct vulkan_copy *copies, int n_copies,
	int wait_fd, struct vulkan_job **job);
/** Forgets recorded copies of the surface, before it is finished. */
void vulkan_queue_forget(struct vulkan_queue *queue, const struct vulkan_plane *surface);
/** Stores the job's fence as a sync_file, -1 if it has signalled. The device can export them. */
int vulkan_job_sync_file(
	const struct vulkan_queue *queue, const struct vulkan_job *job, int *fence_fd);
/** Waits for the job, on any thread. Returns 0, -ETIME, or -ENODEV. */
int vulkan_job_wait(
	const struct vulkan_device *device, const struct vulkan_job *job, uint64_t timeout_ns);
/** Returns whether all submissions have ended or were lost. */
bool vulkan_queue_idle(const struct vulkan_queue *queue);
/** Returns whether the submissions up to `serial` have ended or were lost. */
bool vulkan_queue_ended(const struct vulkan_queue *queue, uint64_t serial);
