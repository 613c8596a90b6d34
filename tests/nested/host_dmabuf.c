/* SPDX-License-Identifier: MIT */
/* linux-dmabuf of the test host: imports that the test accepts, refuses or delays. */

#include "host_global.h"
#include "linux-dmabuf-v1-protocol.h"
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

static const struct zwp_linux_dmabuf_v1_interface dmabuf_impl = {
	.destroy = host_destroy_resource,
	.create_params = handle_create_params,
};

static void bind_dmabuf(struct wl_client *client, void *data, uint32_t version, uint32_t id)
{
	struct wl_resource *resource =
		host_bind(client, &zwp_linux_dmabuf_v1_interface, version, id, &dmabuf_impl, data);
	zwp_linux_dmabuf_v1_send_modifier(resource, DRM_FORMAT_XRGB8888,
		(uint32_t)(I915_FORMAT_MOD_X_TILED >> 32), (uint32_t)I915_FORMAT_MOD_X_TILED);
	zwp_linux_dmabuf_v1_send_modifier(resource, DRM_FORMAT_XRGB8888, 0, 0);
}

void host_add_dmabuf(struct host *host)
{
	host_add_global(
		host, host->options.no_dmabuf, &zwp_linux_dmabuf_v1_interface, 3, bind_dmabuf);
}
