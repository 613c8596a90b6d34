/* SPDX-License-Identifier: MIT */
/* The SDMA engine's own amdgpu device, by libdrm_amdgpu. */

#include "copy/sdma/device.h"
#include "util/fd.h"
#include <amdgpu_drm.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#define PAGE 4096
/* Alignment at which address translation is cheaper. */
#define FRAGMENT 65536
#define COMMAND_BYTES (1 << 20)
#define COMMAND_WORDS (COMMAND_BYTES / 4)
/* Alignment of command buffers: 256 bytes. */
#define COMMAND_UNIT 64

static int map(
	struct sdma_device *device, uint64_t alignment, uint64_t flags, struct sdma_memory *memory)
{
	uint64_t size = (memory->size + PAGE - 1) / PAGE * PAGE;
	int error = amdgpu_va_range_alloc(device->handle, amdgpu_gpu_va_range_general, size,
		alignment, 0, &memory->va, &memory->range, AMDGPU_VA_RANGE_HIGH);
	if (error < 0) {
		memory->range = NULL;
		return error;
	}
	error = amdgpu_bo_va_op_raw(
		device->handle, memory->bo, 0, size, memory->va, flags, AMDGPU_VA_OP_MAP);
	if (error < 0) {
		amdgpu_va_range_free(memory->range);
		memory->range = NULL;
	}
	return error;
}

void sdma_memory_finish(struct sdma_device *device, struct sdma_memory *memory)
{
	if (memory->range) {
		uint64_t size = (memory->size + PAGE - 1) / PAGE * PAGE;
		/* Fails on a lost device; closing its file removes the mapping. */
		amdgpu_bo_va_op_raw(
			device->handle, memory->bo, 0, size, memory->va, 0, AMDGPU_VA_OP_UNMAP);
		amdgpu_va_range_free(memory->range);
	}
	if (memory->bo) {
		amdgpu_bo_free(memory->bo);
	}
	*memory = (struct sdma_memory){0};
}

static int init_memory(
	struct sdma_device *device, struct sdma_memory *memory, uint64_t alignment, uint64_t flags)
{
	int error = amdgpu_bo_export(memory->bo, amdgpu_bo_handle_type_kms, &memory->handle);
	if (error == 0) {
		error = map(device, alignment, flags, memory);
	}
	if (error < 0) {
		sdma_memory_finish(device, memory);
	}
	return error;
}

/* For dma-bufs, sync objects and duplicates, the library returns -1 and sets errno. */
static int true_error(int error)
{
	return error == -1 ? -errno : error;
}

int sdma_memory_import(struct sdma_device *device, int dmabuf_fd, uint64_t alignment, bool write,
	struct sdma_memory *memory)
{
	struct amdgpu_bo_import_result result;
	uint64_t flags = AMDGPU_VM_PAGE_READABLE | (write ? AMDGPU_VM_PAGE_WRITEABLE : 0);
	int error = amdgpu_bo_import(
		device->handle, amdgpu_bo_handle_type_dma_buf_fd, (uint32_t)dmabuf_fd, &result);
	*memory = (struct sdma_memory){0};
	if (error < 0) {
		return true_error(error);
	}
	memory->bo = result.buf_handle;
	memory->size = result.alloc_size;
	return init_memory(device, memory, alignment > FRAGMENT ? alignment : FRAGMENT, flags);
}

int sdma_memory_export(struct sdma_device *device, uint64_t size)
{
	struct amdgpu_bo_alloc_request request = {
		.alloc_size = size,
		.phys_alignment = PAGE,
		.preferred_heap = AMDGPU_GEM_DOMAIN_GTT,
		.flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED,
	};
	amdgpu_bo_handle bo;
	uint32_t fd;
	int error = amdgpu_bo_alloc(device->handle, &request, &bo);
	if (error < 0) {
		return error;
	}
	error = true_error(amdgpu_bo_export(bo, amdgpu_bo_handle_type_dma_buf_fd, &fd));
	amdgpu_bo_free(bo);
	return error < 0 ? error : (int)fd;
}

static int init_commands(struct sdma_device *device)
{
	struct amdgpu_bo_alloc_request request = {
		.alloc_size = COMMAND_BYTES,
		.phys_alignment = PAGE,
		.preferred_heap = AMDGPU_GEM_DOMAIN_GTT,
		.flags = AMDGPU_GEM_CREATE_CPU_ACCESS_REQUIRED,
	};
	struct sdma_memory *commands = &device->commands;
	void *words;
	int error = amdgpu_bo_alloc(device->handle, &request, &commands->bo);
	if (error < 0) {
		commands->bo = NULL;
		return error;
	}
	commands->size = COMMAND_BYTES;
	error = init_memory(
		device, commands, FRAGMENT, AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_EXECUTABLE);
	if (error < 0) {
		return error;
	}
	error = amdgpu_bo_cpu_map(commands->bo, &words);
	if (error == 0) {
		device->words = words;
	}
	return error;
}

/* Identifies the engine by the kernel's hardware description, never by chip names. */
static int identify(struct sdma_device *device)
{
	struct drm_amdgpu_info_hw_ip ip = {0};
	struct amdgpu_gpu_info gpu = {0};
	int error = amdgpu_query_hw_ip_info(device->handle, AMDGPU_HW_IP_DMA, 0, &ip);
	if (error == 0) {
		error = amdgpu_query_gpu_info(device->handle, &gpu);
	}
	if (error < 0) {
		return error;
	}
	if (ip.available_rings == 0 ||
		!sdma_chip_init(&device->chip,
			SDMA_VERSION(ip.hw_ip_version_major, ip.hw_ip_version_minor),
			gpu.gb_addr_cfg)) {
		return -ENOTSUP;
	}
	device->ring = (uint32_t)__builtin_ctz(ip.available_rings);
	return 0;
}

/* Returns 0 if the node is of a GPU that works with the library, else an error. */
static int check_node(int fd)
{
	uint32_t accelerated = 0;
	struct drm_amdgpu_info info = {
		.return_pointer = (uintptr_t)&accelerated,
		.return_size = sizeof(accelerated),
		.query = AMDGPU_INFO_ACCEL_WORKING,
	};
	drmVersionPtr version = drmGetVersion(fd);
	if (!version) {
		return errno ? -errno : -ENOMEM;
	}
	bool known = strcmp(version->name, "amdgpu") == 0 && version->version_major == 3;
	drmFreeVersion(version);
	if (!known) {
		return -ENOTSUP;
	}
	int error = drmCommandWrite(fd, DRM_AMDGPU_INFO, &info, sizeof(info));
	return error < 0 ? error : accelerated ? 0 : -ENODEV;
}

static int open_library(struct sdma_device *device, int fd)
{
	uint32_t major, minor;
	int error = check_node(fd);
	error = error < 0 ? error : fd_check_room();
	if (error < 0) {
		return error;
	}
	/* Own device: libdrm shares devices within a process otherwise. */
	error = true_error(amdgpu_device_initialize2(fd, false, &major, &minor, &device->handle));
	if (error < 0) {
		device->handle = NULL;
	}
	/*
	 * The library duplicates the descriptor, some versions without checking for failure, and
	 * another thread may have taken the last one. All else that is reported so was checked.
	 */
	return error == -EBADF ? -EMFILE : error;
}

int sdma_device_init(struct sdma_device *device, int fd)
{
	*device = (struct sdma_device){0};
	int error = open_library(device, fd);
	close(fd);
	if (error < 0) {
		return error;
	}
	error = identify(device);
	if (error == 0) {
		error = amdgpu_cs_ctx_create2(
			device->handle, AMDGPU_CTX_PRIORITY_NORMAL, &device->context);
	}
	if (error == 0) {
		error = true_error(amdgpu_cs_create_syncobj(device->handle, &device->wait));
	}
	if (error == 0) {
		error = true_error(amdgpu_cs_create_syncobj(device->handle, &device->done));
	}
	if (error == 0) {
		error = init_commands(device);
	}
	if (error < 0) {
		sdma_device_finish(device);
	}
	return error;
}

void sdma_device_finish(struct sdma_device *device)
{
	if (!device->handle) {
		return;
	}
	if (device->words) {
		amdgpu_bo_cpu_unmap(device->commands.bo);
	}
	sdma_memory_finish(device, &device->commands);
	if (device->done) {
		amdgpu_cs_destroy_syncobj(device->handle, device->done);
	}
	if (device->wait) {
		amdgpu_cs_destroy_syncobj(device->handle, device->wait);
	}
	if (device->context) {
		amdgpu_cs_ctx_free(device->context);
	}
	amdgpu_device_deinitialize(device->handle);
	*device = (struct sdma_device){0};
}

int sdma_device_reserve(struct sdma_device *device, size_t length, struct sdma_stream *stream)
{
	size_t size = (length + COMMAND_UNIT - 1) / COMMAND_UNIT * COMMAND_UNIT;
	size_t skipped = 0;
	if (size > COMMAND_WORDS) {
		return -ENOTSUP;
	}
	if (device->n_jobs == 0) {
		device->head = 0;
	}
	if (device->head + size > COMMAND_WORDS) {
		skipped = COMMAND_WORDS - device->head;
	}
	if (device->n_jobs == SDMA_JOBS_MAX || device->used + skipped + size > COMMAND_WORDS) {
		return -EBUSY;
	}
	*stream = (struct sdma_stream){
		.words = device->words + (device->head + skipped) % COMMAND_WORDS,
		.capacity = size,
	};
	return 0;
}

/* Hands the reserved words to a job, including those skipped at the end of the ring buffer. */
static void commit(struct sdma_device *device, const struct sdma_stream *stream)
{
	size_t start = (size_t)(stream->words - device->words);
	size_t skipped = start < device->head ? COMMAND_WORDS - device->head : 0;
	device->sizes[(device->first + device->n_jobs++) % SDMA_JOBS_MAX] =
		skipped + stream->capacity;
	device->used += skipped + stream->capacity;
	device->head = (start + stream->capacity) % COMMAND_WORDS;
}

void sdma_device_retire(struct sdma_device *device)
{
	assert(device->n_jobs > 0);
	device->used -= device->sizes[device->first];
	device->first = (device->first + 1) % SDMA_JOBS_MAX;
	device->n_jobs--;
}

/* Lists the memory of a job, each handle once. */
static uint32_t list(const struct sdma_device *device, const struct sdma_memory *const *memory,
	int n_memory, struct drm_amdgpu_bo_list_entry entries[static SDMA_MEMORY_MAX + 1])
{
	uint32_t n = 0;
	entries[n++].bo_handle = device->commands.handle;
	for (int i = 0; i < n_memory; i++) {
		uint32_t j = 0;
		while (j < n && entries[j].bo_handle != memory[i]->handle) {
			j++;
		}
		if (j == n) {
			entries[n++].bo_handle = memory[i]->handle;
		}
	}
	return n;
}

static int submit(struct sdma_device *device, const struct sdma_stream *stream,
	struct drm_amdgpu_bo_list_in *buffers, bool wait)
{
	struct drm_amdgpu_cs_chunk_ib ib = {
		.va_start = device->commands.va + (uint64_t)(stream->words - device->words) * 4,
		.ib_bytes = (uint32_t)stream->length * 4,
		.ip_type = AMDGPU_HW_IP_DMA,
		.ring = device->ring,
	};
	struct drm_amdgpu_cs_chunk_sem done = {.handle = device->done};
	struct drm_amdgpu_cs_chunk_sem before = {.handle = device->wait};
	struct drm_amdgpu_cs_chunk chunks[] = {
		{AMDGPU_CHUNK_ID_IB, sizeof(ib) / 4, (uintptr_t)&ib},
		{AMDGPU_CHUNK_ID_BO_HANDLES, sizeof(*buffers) / 4, (uintptr_t)buffers},
		{AMDGPU_CHUNK_ID_SYNCOBJ_OUT, sizeof(done) / 4, (uintptr_t)&done},
		{AMDGPU_CHUNK_ID_SYNCOBJ_IN, sizeof(before) / 4, (uintptr_t)&before},
	};
	uint64_t sequence;
	return amdgpu_cs_submit_raw2(
		device->handle, device->context, 0, wait ? 4 : 3, chunks, &sequence);
}

int sdma_device_submit(struct sdma_device *device, const struct sdma_stream *stream,
	const struct sdma_memory *const *memory, int n_memory, int wait_fd, int *fence)
{
	struct drm_amdgpu_bo_list_entry entries[SDMA_MEMORY_MAX + 1] = {0};
	struct drm_amdgpu_bo_list_in buffers = {
		.operation = ~0u,
		.list_handle = ~0u,
		.bo_number = list(device, memory, n_memory, entries),
		.bo_info_size = sizeof(entries[0]),
		.bo_info_ptr = (uintptr_t)entries,
	};
	int error;
	assert(n_memory <= SDMA_MEMORY_MAX && stream->length <= stream->capacity);
	if (wait_fd >= 0) {
		error = amdgpu_cs_syncobj_import_sync_file(device->handle, device->wait, wait_fd);
		if (error < 0) {
			return -errno;
		}
	}
	error = submit(device, stream, &buffers, wait_fd >= 0);
	if (error < 0) {
		return error;
	}
	commit(device, stream);
	error = amdgpu_cs_syncobj_export_sync_file(device->handle, device->done, fence);
	/* The copy runs without a fence: its memory is safe only on a new device. */
	return error < 0 ? -ECANCELED : 0;
}
