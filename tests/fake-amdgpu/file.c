/* SPDX-License-Identifier: MIT */
/* Open nodes of the emulated amdgpu: ioctls other than submission. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fake_file *find_opened(ino_t inode)
{
	struct fake_file *file;
	struct fake_gpu *gpu;

	wl_list_for_each (gpu, &fake_gpus, link) {
		wl_list_for_each (file, &gpu->files, link) {
			if (file->inode == inode) {
				return file;
			}
		}
	}
	return NULL;
}

struct fake_file *fake_file_new(struct fake_gpu *gpu, int fd, ino_t inode)
{
	struct fake_file *file = calloc(1, sizeof(*file));

	assert(file);
	file->fd = fd;
	file->gpu = gpu;
	file->inode = inode;
	wl_list_init(&file->mappings);
	wl_list_insert(&gpu->files, &file->link);
	gpu->n_opened++;
	return file;
}

/*
 * Nodes that another process has opened, such as an X server for its client, are identified by the
 * file's name; the objects of that process are unknown here.
 */
static struct fake_file *adopt(int fd, ino_t inode)
{
	char link[32], name[64] = "", expected[64];
	struct fake_gpu *gpu;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, name, sizeof(name) - 1) < 0) {
		return NULL;
	}
	wl_list_for_each (gpu, &fake_gpus, link) {
		snprintf(expected, sizeof(expected), "/memfd:" FAKE_NODE_NAME "%s (deleted)",
			gpu->path);
		if (gpu->path && strcmp(name, expected) == 0) {
			return fake_file_new(gpu, fcntl(fd, F_DUPFD_CLOEXEC, 0), inode);
		}
	}
	return NULL;
}

struct fake_file *fake_file_with_inode(int fd, ino_t inode)
{
	struct fake_file *file = find_opened(inode);

	return file ? file : adopt(fd, inode);
}

struct fake_file *fake_file_find(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) < 0 ? NULL : fake_file_with_inode(fd, stat.st_ino);
}

void fake_file_forget(struct fake_file *file)
{
	struct fake_mapping *mapping, *next;

	wl_list_for_each_safe (mapping, next, &file->mappings, link) {
		free(mapping);
	}
	wl_list_remove(&file->link);
	close(file->fd);
	free(file);
}

static struct fake_bo *lookup(struct fake_file *file, uint32_t handle)
{
	return handle < FAKE_HANDLES_MAX ? file->handles[handle] : NULL;
}

/* Like the kernel, returns the same handle for the same object; 0 on failure. */
static uint32_t handle_of(struct fake_file *file, struct fake_bo *bo)
{
	uint32_t empty = 0;

	for (uint32_t i = FAKE_HANDLES_MAX - 1; i > 0; i--) {
		if (file->handles[i] == bo) {
			return i;
		}
		if (!file->handles[i]) {
			empty = i;
		}
	}
	assert(empty);
	file->handles[empty] = bo;
	return empty;
}

/* Callers ask for the lengths first, then again with buffers. libdrm needs all three strings. */
static void put_string(char *to, __kernel_size_t *length, const char *from)
{
	if (to && *length >= strlen(from)) {
		memcpy(to, from, strlen(from));
	}
	*length = strlen(from);
}

static int get_version(struct drm_version *version)
{
	version->version_major = 3;
	version->version_minor = 64;
	version->version_patchlevel = 0;
	put_string(version->name, &version->name_len, "amdgpu");
	put_string(version->date, &version->date_len, "20260101");
	put_string(version->desc, &version->desc_len, "emulated");
	return 0;
}

static int prime(struct fake_file *file, unsigned nr, struct drm_prime_handle *prime)
{
	struct fake_bo *bo;

	if (nr == _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE)) {
		file->gpu->n_imported++;
		if (file->gpu->n_fail_imports > 0) {
			file->gpu->n_fail_imports--;
			return -file->gpu->fail_import;
		}
		bo = fake_bo_import(prime->fd, !(file->gpu->refusals & FAKE_REFUSE_FOREIGN));
		if (!bo || (bo->foreign && (file->gpu->refusals & FAKE_REFUSE_FOREIGN ||
						   (file->gpu->refusals & FAKE_REFUSE_SMALL &&
							   bo->size < FAKE_LARGE)))) {
			return -EINVAL;
		}
		prime->handle = handle_of(file, bo);
		return 0;
	}
	bo = lookup(file, prime->handle);
	if (!bo) {
		return -ENOENT;
	}
	if (file->gpu->refusals & FAKE_REFUSE_ALLOCATION) {
		return -EPERM;
	}
	prime->fd = fcntl(bo->fd, F_DUPFD_CLOEXEC, 0);
	return prime->fd < 0 ? -errno : 0;
}

static int context(struct fake_file *file, union drm_amdgpu_ctx *ctx)
{
	uint32_t id = ctx->in.ctx_id;

	switch (ctx->in.op) {
	case AMDGPU_CTX_OP_ALLOC_CTX:
		for (id = 1; id < COUNT(file->contexts) && file->contexts[id].used;) {
			id++;
		}
		if (id == COUNT(file->contexts)) {
			return -ENOMEM;
		}
		file->contexts[id] = (struct fake_context){.used = true};
		ctx->out.alloc.ctx_id = id;
		return 0;
	case AMDGPU_CTX_OP_FREE_CTX:
		if (id >= COUNT(file->contexts) || !file->contexts[id].used) {
			return -EINVAL;
		}
		fake_gpu_wait(file->gpu, FAKE_BLOCK_FREE, &file->contexts[id]);
		file->contexts[id].used = false;
		return 0;
	default: return -EINVAL;
	}
}

static int add_mapping(struct fake_file *file, const struct drm_amdgpu_gem_va *va)
{
	struct fake_bo *bo = lookup(file, va->handle);
	struct fake_mapping *mapping;

	if (!bo) {
		return -ENOENT;
	}
	if ((va->va_address | va->offset_in_bo | va->map_size) % FAKE_PAGE || va->map_size == 0 ||
		va->offset_in_bo + va->map_size > bo->size) {
		return -EINVAL;
	}
	wl_list_for_each (mapping, &file->mappings, link) {
		if (va->va_address < mapping->va + mapping->size &&
			mapping->va < va->va_address + va->map_size) {
			return -EINVAL;
		}
	}
	mapping = calloc(1, sizeof(*mapping));
	assert(mapping);
	*mapping = (struct fake_mapping){
		.bo = bo,
		.va = va->va_address,
		.offset = va->offset_in_bo,
		.size = va->map_size,
		.flags = va->flags,
	};
	wl_list_insert(&file->mappings, &mapping->link);
	return 0;
}

static int change_mapping(struct fake_file *file, const struct drm_amdgpu_gem_va *va)
{
	struct fake_mapping *mapping, *next;

	if (va->operation == AMDGPU_VA_OP_MAP) {
		return add_mapping(file, va);
	}
	if (va->operation != AMDGPU_VA_OP_UNMAP) {
		return -EINVAL;
	}
	wl_list_for_each_safe (mapping, next, &file->mappings, link) {
		if (mapping->va == va->va_address && mapping->bo == lookup(file, va->handle)) {
			wl_list_remove(&mapping->link);
			free(mapping);
			return 0;
		}
	}
	return -ENOENT;
}

static int close_handle(struct fake_file *file, uint32_t handle)
{
	struct fake_mapping *mapping, *next;
	struct fake_bo *bo = lookup(file, handle);

	if (!bo) {
		return -EINVAL;
	}
	wl_list_for_each_safe (mapping, next, &file->mappings, link) {
		if (mapping->bo == bo) {
			wl_list_remove(&mapping->link);
			free(mapping);
		}
	}
	file->handles[handle] = NULL;
	return 0;
}

static int metadata(struct fake_file *file, struct drm_amdgpu_gem_metadata *metadata)
{
	struct fake_bo *bo = lookup(file, metadata->handle);

	if (!bo) {
		return -ENOENT;
	}
	if (metadata->op == AMDGPU_GEM_METADATA_OP_SET_METADATA) {
		bo->metadata = *metadata;
	} else {
		metadata->data = bo->metadata.data;
	}
	return 0;
}

static int describe(struct fake_file *file, const struct drm_amdgpu_gem_op *op)
{
	const struct fake_bo *bo = lookup(file, op->handle);
	struct drm_amdgpu_gem_create_in *out = (void *)(uintptr_t)op->value;

	if (!bo || op->op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO) {
		return -EINVAL;
	}
	*out = bo->created;
	out->bo_size = bo->size;
	if (!out->domains) {
		out->domains = AMDGPU_GEM_DOMAIN_GTT; /* imported */
	}
	return 0;
}

static int wait_idle(struct fake_file *file, union drm_amdgpu_gem_wait_idle *wait)
{
	uint64_t deadline = wait->in.timeout;
	const struct fake_bo *bo = lookup(file, wait->in.handle);
	bool busy;

	if (!bo) {
		return -ENOENT;
	}
	do {
		busy = false;
		for (size_t i = 0; i < bo->n_fences; i++) {
			busy |= bo->fences[i].fence->status == 0;
		}
	} while (busy && fake_wait_more(deadline));
	*wait = (union drm_amdgpu_gem_wait_idle){.out.status = busy};
	return 0;
}

static int driver_ioctl(struct fake_file *file, unsigned nr, void *argument)
{
	union drm_amdgpu_gem_create *create = argument;
	union drm_amdgpu_gem_mmap *mmap = argument;
	struct fake_bo *bo;

	switch (nr) {
	case DRM_AMDGPU_INFO: return fake_info(file->gpu->chip, argument);
	case DRM_AMDGPU_GEM_CREATE:
		bo = fake_bo_new(create->in.bo_size);
		bo->owner = file->gpu;
		bo->created = create->in;
		if (!(create->in.domain_flags & AMDGPU_GEM_CREATE_NO_CPU_ACCESS)) {
			fcntl(bo->fd, F_ADD_SEALS,
				F_SEAL_SHRINK); /* the size of mappable memory is fixed */
		}
		create->out.handle = handle_of(file, bo);
		return 0;
	case DRM_AMDGPU_GEM_MMAP:
		if (!lookup(file, mmap->in.handle)) {
			return -ENOENT;
		}
		mmap->out.addr_ptr = (uint64_t)mmap->in.handle * FAKE_PAGE;
		return 0;
	case DRM_AMDGPU_GEM_VA: return change_mapping(file, argument);
	case DRM_AMDGPU_CTX: return context(file, argument);
	case DRM_AMDGPU_CS: return fake_submit(file, argument);
	case DRM_AMDGPU_WAIT_CS: return fake_wait_job(file, argument);
	case DRM_AMDGPU_GEM_METADATA: return metadata(file, argument);
	case DRM_AMDGPU_GEM_OP: return describe(file, argument);
	case DRM_AMDGPU_GEM_WAIT_IDLE: return wait_idle(file, argument);
	case DRM_AMDGPU_VM: return 0; /* reserves an address space number */
	default: return -EINVAL;
	}
}

int fake_file_ioctl(struct fake_file *file, unsigned long request, void *argument)
{
	unsigned nr = _IOC_NR(request);
	struct drm_client *client = argument;
	struct drm_gem_close *close = argument;
	struct drm_get_cap *cap = argument;

	if (file->gpu->unplugged && nr != _IOC_NR(DRM_IOCTL_GEM_CLOSE)) {
		return -ENODEV;
	}
	if (nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END) {
		return driver_ioctl(file, nr - DRM_COMMAND_BASE, argument);
	}
	switch (nr) {
	case _IOC_NR(DRM_IOCTL_VERSION): return get_version(argument);
	case _IOC_NR(DRM_IOCTL_GET_CLIENT): client->auth = 1; return 0;
	case _IOC_NR(DRM_IOCTL_GEM_CLOSE): return close_handle(file, close->handle);
	case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE): return prime(file, nr, argument);
	case _IOC_NR(DRM_IOCTL_GET_CAP):
		cap->value = cap->capability == DRM_CAP_SYNCOBJ ||
			     cap->capability == DRM_CAP_SYNCOBJ_TIMELINE ||
			     cap->capability == DRM_CAP_ADDFB2_MODIFIERS;
		if (cap->capability == DRM_CAP_PRIME) {
			cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
		}
		return 0;
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): return fake_syncobj_create(file, argument);
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TRANSFER):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT):
	case _IOC_NR(DRM_IOCTL_SYNCOBJ_QUERY): return fake_syncobj_ioctl(file, nr, argument);
	default: return -EINVAL;
	}
}
