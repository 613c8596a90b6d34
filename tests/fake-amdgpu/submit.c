/* SPDX-License-Identifier: MIT */
/* Emulated submissions: dependencies, execution and fences of jobs. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BUFFERS_MAX 1024

struct parsed {
	const struct drm_amdgpu_cs_chunk_ib *ibs[FAKE_IBS_MAX];
	int n_ibs;
	const struct drm_amdgpu_bo_list_in *list;
	const struct drm_amdgpu_cs_chunk_fence *user_fence;
	const struct drm_amdgpu_cs_chunk_sem *in, *out;
	const struct drm_amdgpu_cs_chunk_syncobj *waits, *signals; /* with points */
	uint32_t n_in, n_out, n_waits, n_signals;
};

/* Returns the number of entries in a chunk; 0 if it is no array of them. */
static uint32_t entries(const struct drm_amdgpu_cs_chunk *chunk, size_t size)
{
	size_t bytes = (size_t)chunk->length_dw * 4;

	return bytes % size == 0 ? (uint32_t)(bytes / size) : 0;
}

static bool parse_chunk(const struct drm_amdgpu_cs_chunk *chunk, struct parsed *parsed)
{
	const void *data = (const void *)(uintptr_t)chunk->chunk_data;

	switch (chunk->chunk_id) {
	case AMDGPU_CHUNK_ID_IB:
		if (parsed->n_ibs == FAKE_IBS_MAX) {
			return false;
		}
		parsed->ibs[parsed->n_ibs++] = data;
		return entries(chunk, sizeof(**parsed->ibs)) == 1;
	case AMDGPU_CHUNK_ID_BO_HANDLES:
		parsed->list = data;
		return entries(chunk, sizeof(*parsed->list)) == 1;
	case AMDGPU_CHUNK_ID_FENCE:
		parsed->user_fence = data;
		return entries(chunk, sizeof(*parsed->user_fence)) == 1;
	case AMDGPU_CHUNK_ID_SYNCOBJ_IN:
		parsed->in = data;
		parsed->n_in = entries(chunk, sizeof(*parsed->in));
		return true;
	case AMDGPU_CHUNK_ID_SYNCOBJ_OUT:
		parsed->out = data;
		parsed->n_out = entries(chunk, sizeof(*parsed->out));
		return true;
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_WAIT:
		parsed->waits = data;
		parsed->n_waits = entries(chunk, sizeof(*parsed->waits));
		return true;
	case AMDGPU_CHUNK_ID_SYNCOBJ_TIMELINE_SIGNAL:
		parsed->signals = data;
		parsed->n_signals = entries(chunk, sizeof(*parsed->signals));
		return true;
	default: return false;
	}
}

static int parse(const union drm_amdgpu_cs *cs, struct parsed *parsed)
{
	const uint64_t *pointers = (const uint64_t *)(uintptr_t)cs->in.chunks;

	for (uint32_t i = 0; i < cs->in.num_chunks; i++) {
		if (!parse_chunk(
			    (const struct drm_amdgpu_cs_chunk *)(uintptr_t)pointers[i], parsed)) {
			return -EINVAL;
		}
	}
	return parsed->n_ibs > 0 && parsed->list ? 0 : -EINVAL;
}

static bool valid_ib(const struct fake_file *file, const struct drm_amdgpu_cs_chunk_ib *ib)
{
	bool copies = ib->ip_type == AMDGPU_HW_IP_DMA;
	uint32_t rings = copies ? file->gpu->chip->rings : 0xf;

	return (copies || ib->ip_type == AMDGPU_HW_IP_GFX || ib->ip_type == AMDGPU_HW_IP_COMPUTE) &&
	       ib->ip_instance == 0 && ib->ring < 32 && rings & 1u << ib->ring &&
	       ib->ib_bytes > 0 && ib->ib_bytes % 4 == 0 && ib->ib_bytes / 4 <= 0xfffff &&
	       ib->va_start % (copies ? 256 : 32) == 0;
}

/* Command buffers of the graphics and compute engines are accepted and not executed. */
static int add_ibs(struct fake_job *job, const struct parsed *parsed)
{
	for (int i = 0; i < parsed->n_ibs; i++) {
		const struct drm_amdgpu_cs_chunk_ib *ib = parsed->ibs[i];

		if (!valid_ib(job->file, ib)) {
			return -EINVAL;
		}
		if (ib->ip_type == AMDGPU_HW_IP_DMA) {
			job->ibs[job->n_ibs++] = (struct fake_ib){ib->va_start, ib->ib_bytes};
		}
	}
	return 0;
}

static int add_user_fence(struct fake_job *job, const struct drm_amdgpu_cs_chunk_fence *fence)
{
	struct fake_bo *bo = NULL;

	if (fence && fence->handle < FAKE_HANDLES_MAX) {
		bo = job->file->handles[fence->handle];
	}
	if (fence && (!bo || fence->offset % 8 || fence->offset + 8 > bo->size)) {
		return -EINVAL;
	}
	job->user_fence = bo ? bo->map + fence->offset : NULL;
	return 0;
}

static void wait_for(struct fake_job *job, struct fake_fence *fence)
{
	if (fence->status == 0) {
		assert(job->n_waits < FAKE_WAITS_MAX);
		job->waits[job->n_waits++] = fake_fence_ref(fence);
	}
}

/* Implicit fences of the buffers precede the job, which counts as a write on each of them. */
static int list_buffers(struct fake_job *job, const struct drm_amdgpu_bo_list_in *list)
{
	const struct drm_amdgpu_bo_list_entry *entries =
		(const struct drm_amdgpu_bo_list_entry *)(uintptr_t)list->bo_info_ptr;
	struct fake_bo *buffers[BUFFERS_MAX];
	uint32_t n = list->bo_number;

	if (n > BUFFERS_MAX || list->bo_info_size != sizeof(*entries)) {
		return -EINVAL;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t handle = entries[i].bo_handle;

		buffers[i] = handle < FAKE_HANDLES_MAX ? job->file->handles[handle] : NULL;
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
		bool explicit = buffers[i]->created.domain_flags & AMDGPU_GEM_CREATE_EXPLICIT_SYNC;

		for (size_t j = 0; j < buffers[i]->n_fences && !explicit; j++) {
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
	for (uint32_t i = 0; i < parsed->n_waits; i++) {
		struct fake_fence *fence =
			fake_syncobj_fence(file, parsed->waits[i].handle, parsed->waits[i].point);

		if (!fence) {
			return -EINVAL;
		}
		wait_for(job, fence);
	}
	for (uint32_t i = 0; i < parsed->n_signals; i++) {
		int error = fake_syncobj_attach(
			file, parsed->signals[i].handle, parsed->signals[i].point, job->done);

		if (error < 0) {
			return error;
		}
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
	if (job->user_fence && status > 0) {
		memcpy(job->user_fence, &job->sequence, sizeof(job->sequence));
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
	if (cs->in.ctx_id >= COUNT(file->contexts) || !file->contexts[cs->in.ctx_id].used) {
		return -EINVAL;
	}
	if (file->contexts[cs->in.ctx_id].guilty) {
		return -ECANCELED;
	}
	job = calloc(1, sizeof(*job));
	assert(job);
	job->file = file;
	job->context = &file->contexts[cs->in.ctx_id];
	job->sequence = file->sequence + 1;
	job->done = fake_fence_new();
	wl_list_insert(gpu->jobs.prev, &job->link);
	error = add_ibs(job, &parsed);
	if (error == 0) {
		error = add_user_fence(job, parsed.user_fence);
	}
	if (error == 0) {
		error = syncobjs(job, &parsed);
	}
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
	char *fault = NULL;

	for (int i = 0; i < job->n_ibs && !fails && !fault; i++) {
		fault = fake_execute(job->file, job->done, job->ibs[i].va, job->ibs[i].bytes);
	}

	gpu->n_fail_jobs -= fails;
	if (gpu->credit > 0) {
		gpu->credit--;
	}
	gpu->n_jobs += job->n_ibs > 0;
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

static bool is_pending(const struct fake_file *file, uint64_t sequence)
{
	const struct fake_job *job;

	wl_list_for_each (job, &file->gpu->jobs, link) {
		if (job->file == file && (sequence == 0 || job->sequence == sequence)) {
			return true;
		}
	}
	return false;
}

int fake_wait_job(const struct fake_file *file, union drm_amdgpu_wait_cs *wait)
{
	const union drm_amdgpu_wait_cs asked = *wait;
	bool pending;

	while ((pending = is_pending(file, asked.in.handle)) && fake_wait_more(asked.in.timeout)) {
	}
	wait->out.status = pending;
	return 0;
}

void fake_jobs_fail(struct fake_gpu *gpu, int status)
{
	struct fake_job *job, *next;

	wl_list_for_each_safe (job, next, &gpu->jobs, link) {
		end(job, status);
	}
}
