/* SPDX-License-Identifier: MIT */
/* Linear dma-bufs of a display device, for clients. */

#include "dumb.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

const char *dumb_create(struct dumb *dumb, int device, struct zwp_linux_dmabuf_v1 *dmabuf,
	int32_t width, int32_t height, uint32_t format)
{
	uint32_t handle, stride;
	uint64_t size, offset;
	int fd;
	if (drmModeCreateDumbBuffer(device, (uint32_t)width, (uint32_t)height, 32, 0, &handle,
		    &stride, &size) != 0 ||
		drmModeMapDumbBuffer(device, handle, &offset) != 0 ||
		drmPrimeHandleToFD(device, handle, DRM_CLOEXEC | DRM_RDWR, &fd) != 0) {
		return "the device cannot allocate a dumb buffer";
	}
	dumb->stride = stride;
	dumb->size = (size_t)size;
	dumb->pixels =
		mmap(NULL, dumb->size, PROT_READ | PROT_WRITE, MAP_SHARED, device, (off_t)offset);
	drmModeDestroyDumbBuffer(device, handle);
	if (dumb->pixels == MAP_FAILED) {
		close(fd);
		return "cannot map a dumb buffer";
	}
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, stride, 0, 0);
	dumb->buffer = zwp_linux_buffer_params_v1_create_immed(params, width, height, format, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	return NULL;
}
