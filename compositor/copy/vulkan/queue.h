#pragma once

/** Submission of copies to a device's queue. */

#include "copy/vulkan/record.h"
#include <stdatomic.h>

#define VULKAN_MAX_JOBS 16

struct vulkan_job {
	VkCommandBuffer commands;
	VkFence fence;
	VkSemaphore wait, done; /* of one job at a time; their payloads come and go */
	uint64_t serial; /* of its last submission; 0: none */
	atomic_bool watched; /* a thread waits for its fence: it is not to be used again */
	/* What is recorded, if it may be submitted again; boxes are all `box`. */
	struct vulkan_copy copies[VULKAN_MAX_COPIES];
	int n_copies; /* 0: nothing */
	pixman_box32_t box;
	bool first;
};

struct vulkan_queue {
	const struct vulkan_device *device;
	VkCommandPool pool;
	struct vulkan_job jobs[VULKAN_MAX_JOBS];
	struct vulkan_job *newest; /* that was submitted, or NULL */
	uint64_t serial;
};

/** 0 or negative errno. */
int vulkan_queue_init(struct vulkan_queue *queue, const struct vulkan_device *device);
/** Nothing is in flight. NULL handles are legal, so that a failed init can be finished. */
void vulkan_queue_finish(struct vulkan_queue *queue);
/**
 * Submits copies (VULKAN_MAX_COPIES at most, all checked before), in the order of submission with
 * others on the device. They wait for the sync_file (-1: none), which is not consumed and must have
 * signalled if the device cannot wait for one. *job is what to wait with. Copies of one box are
 * remembered with their surfaces, so that the next ones alike need no recording. 0, -EBUSY if too many
 * are in flight, or another negative errno; then nothing was submitted.
 */
int vulkan_queue_copy(struct vulkan_queue *queue, const struct vulkan_copy *copies, int n_copies,
	int wait_fd, struct vulkan_job **job);
/** The surface is about to be finished. */
void vulkan_queue_forget(struct vulkan_queue *queue, const struct vulkan_surface *surface);
/** The job's fence as a sync_file, -1 if it has signalled; for devices that make them. */
int vulkan_job_sync_file(
	const struct vulkan_queue *queue, const struct vulkan_job *job, int *fence_fd);
/** Waits on the CPU, from any thread: 0, -ETIME, or -ENODEV. */
int vulkan_job_wait(
	const struct vulkan_device *device, const struct vulkan_job *job, uint64_t timeout_ns);
/** Whether all has ended, or was lost. */
bool vulkan_queue_idle(const struct vulkan_queue *queue);
/** The same of what was submitted until `serial` was that of the queue. */
bool vulkan_queue_ended(const struct vulkan_queue *queue, uint64_t serial);
