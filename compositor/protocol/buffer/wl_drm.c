/* SPDX-License-Identifier: MIT */
/*
 * wl_drm: the GPU that a client is told to render on, for clients of this older interface: Mesa's
 * Vulkan device selection layer, and Xwayland before version 23.
 */

#include "buffer/color.h"
#include "gpu/gpu.h"
#include "linux_dmabuf.h"
#include "protocol/client/client_fd.h"
#include "util/fd.h"
#include "wl-drm-protocol.h"
#include <stdlib.h>

static const struct dmabuf_device *get_device(struct wl_resource *resource)
{
	struct linux_dmabuf *dmabuf = wl_resource_get_user_data(resource);
	return dmabuf_device_get(dmabuf, client_from_wl(wl_resource_get_client(resource))->gpu);
}

static void handle_authenticate(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	wl_drm_send_authenticated(resource);
}

static void refuse_name(struct wl_resource *resource)
{
	wl_resource_post_error(
		resource, WL_DRM_ERROR_INVALID_NAME, "GEM names are not supported: use dma-bufs");
}

static void handle_create_buffer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, uint32_t name, int32_t width, int32_t height, uint32_t stride, uint32_t format)
{
	refuse_name(resource);
}

static void handle_create_planar_buffer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, uint32_t name, int32_t width, int32_t height, uint32_t format, int32_t offset0,
	int32_t stride0, int32_t offset1, int32_t stride1, int32_t offset2, int32_t stride2)
{
	refuse_name(resource);
}

/**
 * Fills in `planes`, all in the file `fd`, and takes over `fd`. Returns false after posting an
 * error.
 */
static bool describe(struct wl_resource *resource, struct dmabuf *planes, int fd)
{
	const struct pixel_format *format = pixel_format_get(planes->format);
	if (!fd_is_dmabuf(fd) && !fd_is_memory(fd)) {
		client_fd_close(wl_resource_get_client(resource), fd);
		wl_resource_post_error(
			resource, WL_DRM_ERROR_INVALID_NAME, "the descriptor is not a dma-buf");
		return false;
	}
	planes->fd[0] = fd;
	planes->n_planes = 1;
	if (!format || planes->width <= 0 || planes->height <= 0 ||
		!format_set_has(
			&get_device(resource)->formats, planes->format, DRM_FORMAT_MOD_INVALID)) {
		wl_resource_post_error(resource, WL_DRM_ERROR_INVALID_FORMAT,
			"format 0x%08x was not advertised or size %dx%d is invalid", planes->format,
			planes->width, planes->height);
		return false;
	}
	for (int i = 1; i < format->n_planes; i++) {
		planes->fd[i] = fd_dup(fd);
		if (planes->fd[i] < 0) {
			wl_resource_post_no_memory(resource);
			return false;
		}
	}
	planes->n_planes = format->n_planes;
	bool usable = true;
	char *wrong = dmabuf_check_bounds(planes, format, &usable);
	if (wrong || !usable) {
		wl_resource_post_error(resource, WL_DRM_ERROR_INVALID_NAME, "%s",
			wrong ? wrong : "the descriptor is not a dma-buf");
		free(wrong);
		return false;
	}
	return true;
}

static void make_buffer(struct wl_resource *resource, uint32_t id, struct dmabuf *planes)
{
	struct linux_dmabuf *dmabuf = wl_resource_get_user_data(resource);
	struct wl_client *client = wl_resource_get_client(resource);
	struct buffer *buffer = dmabuf_import(dmabuf, client, NULL, planes);
	/* The client is not at fault: its GPU was removed, or cannot import the memory. */
	buffer = buffer ? buffer : color_buffer_create_placeholder(planes->width, planes->height);
	buffer_resource_create(client, id, buffer);
}

static void handle_create_prime_buffer(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, int32_t fd, int32_t width, int32_t height, uint32_t format, int32_t offset0,
	int32_t stride0, int32_t offset1, int32_t stride1, int32_t offset2, int32_t stride2)
{
	struct dmabuf planes;
	dmabuf_init(&planes);
	planes.width = width;
	planes.height = height;
	planes.format = format;
	/* Negative values become too large to fit any buffer. */
	planes.offset[0] = (uint32_t)offset0;
	planes.offset[1] = (uint32_t)offset1;
	planes.offset[2] = (uint32_t)offset2;
	planes.stride[0] = (uint32_t)stride0;
	planes.stride[1] = (uint32_t)stride1;
	planes.stride[2] = (uint32_t)stride2;
	if (describe(resource, &planes, fd)) {
		make_buffer(resource, id, &planes);
	}
	dmabuf_finish(&planes);
}

static const struct wl_drm_interface drm_impl = {
	.authenticate = handle_authenticate,
	.create_buffer = handle_create_buffer,
	.create_planar_buffer = handle_create_planar_buffer,
	.create_prime_buffer = handle_create_prime_buffer,
};

/*
 * Sends only formats that may be used with an implicit modifier; this interface has no modifiers.
 */
static void send_formats(struct wl_resource *resource, const struct format_set *formats)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		uint32_t format = formats->formats[i].format;
		if (format_set_has(formats, format, DRM_FORMAT_MOD_INVALID)) {
			wl_drm_send_format(resource, format);
		}
	}
}

static void bind(struct wl_resource *resource, void *data)
{
	wl_resource_set_implementation(resource, &drm_impl, data, NULL);
	const struct dmabuf_device *device = get_device(resource);
	const char *node = device->gpu->render_path;
	/* A device that replaced a removed GPU may lack a render node. */
	wl_drm_send_device(resource, node ? node : device->gpu->primary_path);
	send_formats(resource, dmabuf_device_pairs(device));
	if (wl_resource_get_version(resource) >= WL_DRM_CAPABILITIES_SINCE_VERSION) {
		wl_drm_send_capabilities(resource, WL_DRM_CAPABILITY_PRIME);
	}
}

void wl_drm_create(struct linux_dmabuf *dmabuf)
{
	protocols_add_custom_global(
		dmabuf->protocols, &wl_drm_interface, 2, bind, dmabuf, GLOBAL_PUBLIC);
}
