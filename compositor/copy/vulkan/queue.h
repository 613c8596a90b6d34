#pragma once

/** Recording and submission of copies on a device's queue. */

#include "copy/vulkan/surface.h"
#include <pixman.h>

#define VULKAN_MAX_JOBS 16
#define VULKAN_MAX_COPIES 3 /* planes */

struct vulkan_job {
	VkCommandBuffer commands;
	VkFence fence;
	VkSemaphore wait, done; /* of one job at a time; their payloads come and go */
	bool submitted;
};

struct vulkan_queue {
	const struct vulkan_device *device;
	VkCommandPool pool;
	struct vulkan_job jobs[VULKAN_MAX_JOBS]; /* in turn */
	unsigned next;
};

/** One plane's part of a submission. */
struct vulkan_copy {
	const struct vulkan_surface *source, *destination; /* elements of one size */
	const pixman_box32_t *boxes; /* pixels of the source, inside of both */
	int n_boxes;
	int32_t dx, dy; /* pixels */
};

/** 0 or negative errno. */
int vulkan_queue_init(struct vulkan_queue *queue, const struct vulkan_device *device);
/** Nothing is in flight. NULL handles are legal, so that a failed init can be finished. */
void vulkan_queue_finish(struct vulkan_queue *queue);
/**
 * 0, or -ENOTSUP if the queue cannot do this copy. It may copy more than the boxes: their edges move
 * outwards to where the queue can start and end.
 */
int vulkan_copy_check(const struct vulkan_device *device, const struct vulkan_copy *copy);
/**
 * Records the copies (VULKAN_MAX_COPIES at most, all checked before) and submits them, in the order of submission with others on the
 * device. They wait for the sync_file (-1: none), which is not consumed and must have signalled if
 * the device cannot wait for one. *job is what to wait with. 0, -EBUSY if too many are in flight, or another
 * negative errno; then nothing was submitted.
 */
int vulkan_queue_copy(struct vulkan_queue *queue, const struct vulkan_copy *copies, int n_copies,
	int wait_fd, struct vulkan_job **job);
/** The job's fence as a sync_file, -1 if it has signalled; for devices that make them. */
int vulkan_job_sync_file(
	const struct vulkan_queue *queue, const struct vulkan_job *job, int *fence_fd);
/** Waits on the CPU, from any thread: 0, -ETIME, or -ENODEV. */
int vulkan_job_wait(
	const struct vulkan_device *device, const struct vulkan_job *job, uint64_t timeout_ns);
/** Whether all has ended, or was lost. */
bool vulkan_queue_idle(const struct vulkan_queue *queue);
