/* SPDX-License-Identifier: MIT */
/* linux-dmabuf of the test host: imports that the test accepts, refuses or delays. */

#include "host_global.h"
#include "linux-dmabuf-v1-protocol.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <assert.h>
#include <drm_fourcc.h>
#include <stdlib.h>
#include <unistd.h>

static const struct wl_buffer_interface buffer_impl = {.destroy = host_destroy_resource};

static void free_import(struct wl_resource *resource)
{
	free(wl_resource_get_user_data(resource));
}

static void answer_import(struct host *host)
{
	if (host->answer == HOST_FAILED) {
		zwp_linux_buffer_params_v1_send_failed(host->params);
	} else {
		struct host_import *import = xcalloc(1, sizeof(*import));
		import->width = host->params_width;
		import->height = host->params_height;
		struct wl_resource *buffer =
			wl_resource_create(host->client, &wl_buffer_interface, 1, 0);
		assert(buffer);
		wl_resource_set_implementation(buffer, &buffer_impl, import, free_import);
		zwp_linux_buffer_params_v1_send_created(host->params, buffer);
	}
	host->params = NULL;
}

void host_answer_imports(struct host *host, enum host_answer answer)
{
	host->answer = answer;
	if (host->params) {
		answer_import(host);
	}
}

static void handle_params_add(struct wl_client *client, struct wl_resource *resource, int32_t fd,
	uint32_t plane, uint32_t offset, uint32_t stride, uint32_t hi, uint32_t lo)
{
	close(fd);
}

static void handle_params_create(struct wl_client *client, struct wl_resource *resource,
	int32_t width, int32_t height, uint32_t format, uint32_t flags)
{
	struct host *host = wl_resource_get_user_data(resource);
	host->params = resource;
	host->params_width = width;
	host->params_height = height;
	host->n_imports++;
	if (host->answer != HOST_SILENT) {
		answer_import(host);
	}
}

static void handle_params_create_immed(struct wl_client *client, struct wl_resource *resource,
	uint32_t id, int32_t width, int32_t height, uint32_t format, uint32_t flags)
{
	wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER,
		"create_immed disconnects a client");
}

static const struct zwp_linux_buffer_params_v1_interface params_impl = {
	.destroy = host_destroy_resource,
	.add = handle_params_add,
	.create = handle_params_create,
	.create_immed = handle_params_create_immed,
};

static void handle_create_params(
	struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	host_create_resource(client, &zwp_linux_buffer_params_v1_interface, resource, id,
		&params_impl, wl_resource_get_user_data(resource));
}

/* Pairs as in the table of feedback. */
static const struct {
	uint32_t format, padding;
	uint64_t modifier;
} pairs[] = {
	{DRM_FORMAT_XRGB8888, 0, I915_FORMAT_MOD_X_TILED},
	{DRM_FORMAT_NV12, 0, I915_FORMAT_MOD_X_TILED},
	{DRM_FORMAT_NV12, 0, DRM_FORMAT_MOD_LINEAR},
	{DRM_FORMAT_YUYV, 0, DRM_FORMAT_MOD_LINEAR},
	{DRM_FORMAT_XRGB8888, 0, DRM_FORMAT_MOD_LINEAR},
};

#define N_PAIRS (sizeof(pairs) / sizeof(pairs[0]))

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_impl = {
	.destroy = host_destroy_resource,
};

static void handle_get_feedback(struct wl_client *client, struct wl_resource *resource, uint32_t id)
{
	struct wl_resource *feedback = host_create_resource(client,
		&zwp_linux_dmabuf_feedback_v1_interface, resource, id, &feedback_impl, NULL);
	uint16_t indices[N_PAIRS];
	struct wl_array array = {
		.size = sizeof(indices), .alloc = sizeof(indices), .data = indices};
	dev_t device = 0;
	struct wl_array dev = {.size = sizeof(device), .alloc = sizeof(device), .data = &device};
	int fd = fd_create_memory("pairs", sizeof(pairs), false);
	assert(fd >= 0 && pwrite(fd, pairs, sizeof(pairs), 0) == sizeof(pairs));
	for (uint16_t i = 0; i < N_PAIRS; i++) {
		indices[i] = i;
	}
	zwp_linux_dmabuf_feedback_v1_send_format_table(feedback, fd, sizeof(pairs));
	close(fd);
	zwp_linux_dmabuf_feedback_v1_send_main_device(feedback, &dev);
	zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(feedback, &dev);
	zwp_linux_dmabuf_feedback_v1_send_tranche_flags(feedback, 0);
	zwp_linux_dmabuf_feedback_v1_send_tranche_formats(feedback, &array);
	zwp_linux_dmabuf_feedback_v1_send_tranche_done(feedback);
	zwp_linux_dmabuf_feedback_v1_send_done(feedback);
}

static const struct zwp_linux_dmabuf_v1_interface dmabuf_impl = {
	.destroy = host_destroy_resource,
	.create_params = handle_create_params,
	.get_default_feedback = handle_get_feedback,
};

static void bind_dmabuf(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		host_bind(client, &zwp_linux_dmabuf_v1_interface, version, id, &dmabuf_impl, data);
	for (size_t i = 0; i < N_PAIRS && version < 4; i++) {
		zwp_linux_dmabuf_v1_send_modifier(resource, pairs[i].format,
			(uint32_t)(pairs[i].modifier >> 32), (uint32_t)pairs[i].modifier);
	}
}

void host_add_dmabuf(struct host *host)
{
	int version = host->options.dmabuf_version;
	host_add_global(host, host->options.no_dmabuf, &zwp_linux_dmabuf_v1_interface,
		version ? version : 3, bind_dmabuf);
}
