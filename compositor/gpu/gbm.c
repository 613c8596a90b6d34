/* SPDX-License-Identifier: MIT */
/* GBM buffers as dma-bufs: planes, and linear memory for other GPUs. */

#include "gpu/gbm.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include <errno.h>
#include <fcntl.h>
#include <gbm.h>
#include <xf86drm.h>

/*
 * Exports read-write: GBM exports software-rendered buffers read-only (Mesa, kms_dri), which
 * forbids mappings for writing.
 */
static int export_plane(struct gbm_bo *bo, int plane)
{
	uint32_t handle = gbm_bo_get_handle_for_plane(bo, plane).u32;
	int fd;
	if (drmPrimeHandleToFD(gbm_device_get_fd(gbm_bo_get_device(bo)), handle,
		    DRM_CLOEXEC | DRM_RDWR, &fd) == 0) {
		return fd;
	}
	return gbm_bo_get_fd_for_plane(bo, plane);
}

int gbm_export_planes(struct gbm_bo *bo, struct dmabuf *dmabuf)
{
	int n = gbm_bo_get_plane_count(bo);
	if (n < 1 || n > DMABUF_PLANES_MAX) {
		return -EINVAL;
	}
	for (int i = 0; i < n; i++) {
		dmabuf->fd[i] = export_plane(bo, i);
		if (dmabuf->fd[i] < 0) {
			return errno != 0 ? -errno : -EIO;
		}
		dmabuf->n_planes = i + 1;
		dmabuf->offset[i] = gbm_bo_get_offset(bo, i);
		dmabuf->stride[i] = gbm_bo_get_stride_for_plane(bo, i);
	}
	return 0;
}

static struct gbm_bo *create_linear(struct gpu *gpu, int32_t width, int32_t height, uint32_t format)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	struct gbm_bo *bo = gbm_bo_create_with_modifiers2(gpu->gbm, (uint32_t)width,
		(uint32_t)height, format, &linear, 1, GBM_BO_USE_RENDERING);
	/* Drivers without modifiers have a flag for it. */
	return bo ? bo
		  : gbm_bo_create(gpu->gbm, (uint32_t)width, (uint32_t)height, format,
			    GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR);
}

/* Returns the smallest width from `width` on whose rows are multiples of the alignment. */
static int32_t align_width(int32_t width, uint32_t bytes, uint32_t alignment)
{
	while ((uint64_t)width * bytes % alignment != 0) {
		width++;
	}
	return width;
}

/* Allocates an image of one plane. The caller describes it, but for the plane. */
static int allocate_plane(
	struct gpu *gpu, int32_t width, int32_t height, uint32_t format, struct dmabuf *out)
{
	errno = ENOTSUP; /* if GBM sets no error */
	struct gbm_bo *bo = create_linear(gpu, width, height, format);
	if (!bo) {
		return -errno;
	}
	dmabuf_init(out);
	int error = gbm_export_planes(bo, out);
	/* The dma-buf keeps the memory. */
	gbm_bo_destroy(bo);
	if (error == 0 && out->n_planes != 1) {
		error = -ENOTSUP;
	}
	if (error < 0) {
		dmabuf_finish(out);
	}
	return error;
}

/* GBM makes no linear images of several planes: they are laid out in the memory of an RGB image. */
static int allocate_planes(
	struct gpu *gpu, const struct dmabuf *planes, uint64_t size, struct dmabuf *out)
{
	int32_t width, height;
	struct dmabuf memory;
	dmabuf_carrier_size(planes, size, &width, &height);
	int error = allocate_plane(gpu, width, height, DMABUF_CARRIER_FORMAT, &memory);
	if (error < 0) {
		return error;
	}
	if (memory.offset[0] != 0) {
		dmabuf_finish(&memory);
		return -ENOTSUP;
	}
	*out = *planes;
	return dmabuf_take_memory(out, memory.fd[0]);
}

int gpu_allocate_linear(struct gpu *gpu, int32_t width, int32_t height, uint32_t format,
	uint32_t alignment, struct dmabuf *out)
{
	struct dmabuf layout;
	uint64_t size = dmabuf_lay_out(&layout, width, height, format, alignment);
	if (!gpu->gbm || !gpu_shares_linear_memory(gpu) || size == 0) {
		return -ENOTSUP;
	}
	if (layout.n_planes > 1) {
		return allocate_planes(gpu, &layout, size, out);
	}
	uint32_t bytes = pixel_format_get(format)->bytes[0];
	int error = allocate_plane(gpu, align_width(width, bytes, alignment), height, format, out);
	if (error == 0 && out->stride[0] % alignment != 0) {
		dmabuf_finish(out);
		error = -ENOTSUP;
	}
	if (error < 0) {
		return error;
	}
	out->width = width;
	out->height = height;
	out->format = format;
	out->modifier = DRM_FORMAT_MOD_LINEAR;
	return 0;
}
