/* SPDX-License-Identifier: MIT */
/* Emulated submissions: dependencies, execution and fences of jobs. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_BUFFERS 32

struct parsed {
	const struct drm_amdgpu_cs_chunk_ib *ib;
	const struct drm_amdgpu_bo_list_in *list;
	const struct drm_amdgpu_cs_chunk_sem *in, *out;
	uint32_t n_in, n_out;
};

static int parse(const union drm_amdgpu_cs *cs, struct parsed *parsed)
{
	const uint64_t *pointers = (const uint64_t *)(uintptr_t)cs->in.chunks;

	for (uint32_t i = 0; i < cs->in.num_chunks; i++) {
		const struct drm_amdgpu_cs_chunk *chunk =
			(const struct drm_amdgpu_cs_chunk *)(uintptr_t)pointers[i];
		const void *data = (const void *)(uintptr_t)chunk->chunk_data;

		switch (chunk->chunk_id) {
		case AMDGPU_CHUNK_ID_IB:
			if (parsed->ib || chunk->length_dw * 4 != sizeof(*parsed->ib)) {
				return -EINVAL;
			}
			parsed->ib = data;
			break;
		case AMDGPU_CHUNK_ID_BO_HANDLES:
			if (chunk->length_dw * 4 != sizeof(*parsed->list)) {
				return -EINVAL;
			}
			parsed->list = data;
			break;
		case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
			parsed->in = data;
			parsed->n_in = chunk->length_dw;
			break;
		case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
			parsed->out = data;
			parsed->n_out = chunk->length_dw;
			break;
		default: return -EINVAL;
		}
	}
	return parsed->ib && parsed->list ? 0 : -EINVAL;
}

static bool valid_ib(const struct fake_file *file, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	return ib->ip_type == AMDGPU_HW_IP_DMA && ib->ip_instance == 0 && ib->ring < 32 &&
	       file->gpu->chip->rings & 1u << ib->ring && ib->ib_bytes > 0 &&
	       ib->ib_bytes % 4 == 0 && ib->ib_bytes / 4 <= 0xfffff && ib->va_start % 256 == 0;
}

static void wait_for(struct fake_job *job, struct fake_fence *fence)
{
	if (fence->status == 0) {
		assert(job->n_waits < FAKE_MAX_WAITS);
		job->waits[job->n_waits++] = fake_fence_ref(fence);
	}
}

/* Implicit fences of the buffers precede the job, which counts as a write on each of them. */
static int list_buffers(struct fake_job *job, const struct drm_amdgpu_bo_list_in *list)
{
	const struct drm_amdgpu_bo_list_entry *entries =
		(const struct drm_amdgpu_bo_list_entry *)(uintptr_t)list->bo_info_ptr;
	struct fake_bo *buffers[MAX_BUFFERS];
	uint32_t n = list->bo_number;

	if (n > MAX_BUFFERS || list->bo_info_size != sizeof(*entries)) {
		return -EINVAL;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t handle = entries[i].bo_handle;

		buffers[i] = handle < FAKE_MAX_HANDLES ? job->file->handles[handle] : NULL;
		if (!buffers[i]) {
			return -ENOENT;
		}
		if (buffers[i]->pageless || buffers[i]->pageless_for == job->file->gpu) {
			return -ENOMEM; /* drm_gem_map_dma_buf() has no pages to map */
		}
		for (uint32_t j = 0; j < i; j++) {
			if (buffers[j] == buffers[i]) {
				return -EINVAL; /* refused by older kernels */
			}
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (size_t j = 0; j < buffers[i]->n_fences; j++) {
			if (buffers[i]->fences[j].owner != job->file) {
				wait_for(job, buffers[i]->fences[j].fence);
			}
		}
		fake_bo_add_fence(buffers[i], job->done, job->file, true);
	}
	return 0;
}

static int syncobjs(struct fake_job *job, const struct parsed *parsed)
{
	struct fake_file *file = job->file;

	for (uint32_t i = 0; i < parsed->n_in; i++) {
		uint32_t handle = parsed->in[i].handle;

		if (handle >= COUNT(file->syncobjs) || !file->syncobjs[handle].fence) {
			return -EINVAL;
		}
		wait_for(job, file->syncobjs[handle].fence);
	}
	for (uint32_t i = 0; i < parsed->n_out; i++) {
		uint32_t handle = parsed->out[i].handle;

		if (handle >= COUNT(file->syncobjs) || !file->syncobjs[handle].used) {
			return -ENOENT;
		}
		fake_fence_unref(file->syncobjs[handle].fence);
		file->syncobjs[handle].fence = fake_fence_ref(job->done);
	}
	return 0;
}

static void end(struct fake_job *job, int status)
{
	struct fake_fence *done = job->done;

	wl_list_remove(&job->link);
	for (int i = 0; i < job->n_waits; i++) {
		fake_fence_unref(job->waits[i]);
	}
	free(job);
	fake_fence_set(done, status);
	fake_fence_unref(done);
}

int fake_submit(struct fake_file *file, union drm_amdgpu_cs *cs)
{
	struct fake_gpu *gpu = file->gpu;
	struct parsed parsed = {0};
	struct fake_job *job;
	int error = parse(cs, &parsed);

	if (gpu->n_fail > 0) {
		error = -gpu->fail_next;
		gpu->n_fail--;
	}
	if (error < 0) {
		return error;
	}
	if (cs->in.ctx_id >= COUNT(file->contexts) || !file->contexts[cs->in.ctx_id].used ||
		!valid_ib(file, parsed.ib)) {
		return -EINVAL;
	}
	if (file->contexts[cs->in.ctx_id].guilty) {
		return -ECANCELED;
	}
	job = calloc(1, sizeof(*job));
	assert(job);
	job->file = file;
	job->context = &file->contexts[cs->in.ctx_id];
	job->va = parsed.ib->va_start;
	job->bytes = parsed.ib->ib_bytes;
	job->done = fake_fence_new();
	wl_list_insert(gpu->jobs.prev, &job->link);
	error = syncobjs(job, &parsed);
	if (error == 0) {
		error = list_buffers(job, parsed.list);
	}
	if (error < 0) {
		end(job, error);
		return error;
	}
	cs->out.handle = ++file->sequence;
	fake_progress();
	return 0;
}

static bool can_run(const struct fake_job *job)
{
	for (int i = 0; i < job->n_waits; i++) {
		if (job->waits[i]->status == 0) {
			return false;
		}
	}
	return job->file->gpu->credit != 0;
}

static void run(struct fake_job *job)
{
	struct fake_gpu *gpu = job->file->gpu;
	bool fails = gpu->n_fail_jobs > 0;
	char *fault = fails ? NULL : fake_execute(job->file, job->va, job->bytes);

	gpu->n_fail_jobs -= fails;

	if (gpu->credit > 0) {
		gpu->credit--;
	}
	gpu->n_jobs++;
	if (fault) {
		free(gpu->fault);
		gpu->fault = fault;
	}
	job->context->guilty |= fails || fault;
	end(job, fails || fault ? -ECANCELED : 1);
}

static bool step(void)
{
	struct fake_gpu *gpu;

	wl_list_for_each (gpu, &fake_gpus, link) {
		struct fake_job *job = wl_container_of(gpu->jobs.next, job, link);

		if (!wl_list_empty(&gpu->jobs) && can_run(job)) {
			run(job);
			return true;
		}
	}
	return false;
}

void fake_progress(void)
{
	while (step()) {
	}
}

void fake_jobs_fail(struct fake_gpu *gpu, int status)
{
	struct fake_job *job, *next;

	wl_list_for_each_safe (job, next, &gpu->jobs, link) {
		end(job, status);
	}
}
