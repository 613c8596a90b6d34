/* SPDX-License-Identifier: MIT */
/* Submission of copies to a device's queue. */

#include "copy/vulkan/queue.h"
#include "util/fd.h"
#include "util/fence.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int init_job(struct vulkan_queue *queue, struct vulkan_job *job)
{
	const struct vulkan_device *device = queue->device;
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = queue->pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkSemaphoreCreateInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkExportSemaphoreCreateInfo export = {
		.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	VkSemaphoreCreateInfo done = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &export};
	VkResult result =
		device->call.AllocateCommandBuffers(device->handle, &commands, &job->commands);
	if (result == VK_SUCCESS) {
		result = device->call.CreateFence(device->handle, &fence, NULL, &job->fence);
	}
	if (result == VK_SUCCESS && device->has.wait_sync_file) {
		result = device->call.CreateSemaphore(device->handle, &wait, NULL, &job->wait);
	}
	if (result == VK_SUCCESS && device->has.make_sync_file) {
		result = device->call.CreateSemaphore(device->handle, &done, NULL, &job->done);
	}
	return vulkan_error(result);
}

int vulkan_queue_init(struct vulkan_queue *queue, const struct vulkan_device *device)
{
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
		.queueFamilyIndex = device->family,
	};
	*queue = (struct vulkan_queue){.device = device};
	int error = vulkan_error(
		device->call.CreateCommandPool(device->handle, &pool, NULL, &queue->pool));
	for (int i = 0; i < VULKAN_JOBS_MAX && error == 0; i++) {
		error = init_job(queue, &queue->jobs[i]);
	}
	if (error < 0) {
		vulkan_queue_finish(queue);
	}
	return error;
}

void vulkan_queue_finish(struct vulkan_queue *queue)
{
	const struct vulkan_device *device = queue->device;
	for (int i = 0; i < VULKAN_JOBS_MAX; i++) {
		device->call.DestroyFence(device->handle, queue->jobs[i].fence, NULL);
		device->call.DestroySemaphore(device->handle, queue->jobs[i].wait, NULL);
		device->call.DestroySemaphore(device->handle, queue->jobs[i].done, NULL);
	}
	device->call.DestroyCommandPool(device->handle, queue->pool, NULL);
}

static bool ended(const struct vulkan_device *device, const struct vulkan_job *job)
{
	return job->serial == 0 ||
	       device->call.GetFenceStatus(device->handle, job->fence) != VK_NOT_READY;
}

bool vulkan_queue_idle(const struct vulkan_queue *queue)
{
	/* Jobs end in order of submission. */
	return !queue->newest || ended(queue->device, queue->newest);
}

bool vulkan_queue_ended(const struct vulkan_queue *queue, uint64_t serial)
{
	for (int i = 0; i < VULKAN_JOBS_MAX; i++) {
		const struct vulkan_job *job = &queue->jobs[i];
		if (job->serial <= serial && !ended(queue->device, job)) {
			return false;
		}
	}
	return true;
}

static bool is_free(const struct vulkan_device *device, const struct vulkan_job *job)
{
	return !atomic_load(&job->watched) && ended(device, job);
}

void vulkan_queue_forget(struct vulkan_queue *queue, const struct vulkan_plane *surface)
{
	for (int i = 0; i < VULKAN_JOBS_MAX; i++) {
		struct vulkan_job *job = &queue->jobs[i];
		for (int j = 0; j < job->n_copies; j++) {
			if (job->copies[j].source == surface ||
				job->copies[j].destination == surface) {
				job->n_copies = 0;
			}
		}
	}
}

static bool same_box(const pixman_box32_t *a, const pixman_box32_t *b)
{
	return a->x1 == b->x1 && a->y1 == b->y1 && a->x2 == b->x2 && a->y2 == b->y2;
}

/* The recorded command buffer already does this. */
static bool has_recorded(
	const struct vulkan_job *job, const struct vulkan_copy *copies, int n_copies, bool first)
{
	if (job->n_copies != n_copies || job->first != first) {
		return false;
	}
	for (int i = 0; i < n_copies; i++) {
		const struct vulkan_copy *a = &job->copies[i], *b = &copies[i];
		if (a->source != b->source || a->destination != b->destination || b->n_boxes != 1 ||
			!same_box(&job->box, b->boxes) || a->dx != b->dx || a->dy != b->dy) {
			return false;
		}
	}
	return true;
}

/* Clients that redraw whole buffers repeat the same few copies. */
static bool is_worth_keeping(const struct vulkan_copy *copies, int n_copies)
{
	for (int i = 0; i < n_copies; i++) {
		if (copies[i].n_boxes != 1 || !same_box(copies[i].boxes, copies[0].boxes)) {
			return false;
		}
	}
	return true;
}

/*
 * Returns the job that recorded these copies, else the job of the oldest submission; NULL if all
 * are in flight.
 */
static struct vulkan_job *choose_job(
	struct vulkan_queue *queue, const struct vulkan_copy *copies, int n_copies, bool first)
{
	struct vulkan_job *oldest = &queue->jobs[0];
	for (int i = 0; i < VULKAN_JOBS_MAX; i++) {
		struct vulkan_job *job = &queue->jobs[i];
		if (has_recorded(job, copies, n_copies, first) && is_free(queue->device, job)) {
			return job;
		}
		oldest = job->serial < oldest->serial ? job : oldest;
	}
	return is_free(queue->device, oldest) ? oldest : NULL;
}

static int record(const struct vulkan_device *device, struct vulkan_job *job,
	const struct vulkan_copy *copies, int n_copies, bool first)
{
	bool keep = is_worth_keeping(copies, n_copies);
	if (has_recorded(job, copies, n_copies, first)) {
		return 0;
	}
	job->n_copies = 0;
	int error = vulkan_record(device, job->commands, copies, n_copies, first, !keep);
	if (error == 0 && keep) {
		memcpy(job->copies, copies, (size_t)n_copies * sizeof(*copies));
		job->box = *copies[0].boxes;
		job->n_copies = n_copies;
		job->first = first;
	}
	return error;
}

/* Returns 1 if the job's semaphore waits for the fence, 0 if it has signalled, or an error. */
static int import_wait(
	const struct vulkan_device *device, const struct vulkan_job *job, int wait_fd)
{
	VkImportSemaphoreFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
		.semaphore = job->wait,
		.flags = VK_SEMAPHORE_IMPORT_TEMPORARY_BIT,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	int status = fence_status(wait_fd);
	if (status != 0) {
		return status < 0 ? -EIO : 0;
	}
	if (!device->has.wait_sync_file) {
		return -EBUSY;
	}
	info.fd = fd_dup(wait_fd);
	if (info.fd < 0) {
		return info.fd;
	}
	if (device->call.ImportSemaphoreFdKHR(device->handle, &info) != VK_SUCCESS) {
		close(info.fd);
		return -EBUSY; /* not a sync_file */
	}
	return 1;
}

static int submit(const struct vulkan_device *device, const struct vulkan_job *job, bool wait)
{
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = wait ? 1 : 0,
		.pWaitSemaphores = &job->wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &job->commands,
		.signalSemaphoreCount = job->done ? 1 : 0,
		.pSignalSemaphores = &job->done,
	};
	return vulkan_error(device->call.QueueSubmit(device->queue, 1, &info, job->fence));
}

int vulkan_queue_copy(struct vulkan_queue *queue, const struct vulkan_copy *copies, int n_copies,
	int wait_fd, struct vulkan_job **out)
{
	const struct vulkan_device *device = queue->device;
	bool first = vulkan_queue_idle(queue);
	struct vulkan_job *job = choose_job(queue, copies, n_copies, first);
	if (!job) {
		return -EBUSY;
	}
	int error = record(device, job, copies, n_copies, first);
	if (error < 0) {
		return error;
	}
	int waits = import_wait(device, job, wait_fd);
	if (waits < 0) {
		return waits;
	}
	if (job->serial > 0) {
		device->call.ResetFences(device->handle, 1, &job->fence);
		job->serial = 0;
	}
	error = submit(device, job, waits > 0);
	if (error < 0) {
		return error;
	}
	job->serial = ++queue->serial;
	queue->newest = job;
	*out = job;
	return 0;
}

int vulkan_job_sync_file(
	const struct vulkan_queue *queue, const struct vulkan_job *job, int *fence_fd)
{
	const struct vulkan_device *device = queue->device;
	VkSemaphoreGetFdInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
		.semaphore = job->done,
		.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
	};
	*fence_fd = -1;
	return vulkan_error(device->call.GetSemaphoreFdKHR(device->handle, &info, fence_fd));
}

int vulkan_job_wait(
	const struct vulkan_device *device, const struct vulkan_job *job, uint64_t timeout_ns)
{
	VkResult result =
		device->call.WaitForFences(device->handle, 1, &job->fence, VK_TRUE, timeout_ns);
	return result == VK_TIMEOUT ? -ETIME : vulkan_error(result);
}
