/* SPDX-License-Identifier: MIT */
/* Buffers imported by the host, without copies: memory files as wl_shm, GPU buffers as dma-bufs. */

#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include "wayland.h"
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

static void destroy_addon(struct addon *addon)
{
	struct wayland_buffer *self = wl_container_of(addon, self, addon);
	wayland_buffer_destroy(self);
}

static const struct addon_impl addon_impl = {.name = "wayland_buffer", .destroy = destroy_addon};

static void handle_release(void *data, struct wl_buffer *proxy)
{
	struct wayland_buffer *self = data;
	if (self->held) {
		self->held = false;
		/* This may be the last lock, which destroys the buffer and `self`. */
		buffer_unlock(self->buffer);
	}
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static void set_proxy(struct wayland_buffer *self, struct wl_buffer *proxy)
{
	self->proxy = proxy;
	wl_buffer_add_listener(proxy, &buffer_listener, self);
}

static void end_import(struct wayland_buffer *self)
{
	zwp_linux_buffer_params_v1_destroy(self->params);
	self->params = NULL;
}

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *proxy)
{
	struct wayland_buffer *self = data;
	end_import(self);
	set_proxy(self, proxy);
	self->output->impl->imported(self->output, self);
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	struct wayland_buffer *self = data;
	end_import(self);
	self->failed = true;
	self->output->impl->imported(self->output, self);
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

/* Not create_immed: with it, a failed import may be a fatal protocol error. */
static void import_dmabuf(struct wayland_buffer *self, const struct dmabuf *dmabuf)
{
	self->params = zwp_linux_dmabuf_v1_create_params(self->output->backend->dmabuf);
	zwp_linux_buffer_params_v1_add_listener(self->params, &params_listener, self);
	for (int i = 0; i < dmabuf->n_planes; i++) {
		zwp_linux_buffer_params_v1_add(self->params, dmabuf->fd[i], (uint32_t)i,
			dmabuf->offset[i], dmabuf->stride[i], (uint32_t)(dmabuf->modifier >> 32),
			(uint32_t)dmabuf->modifier);
	}
	zwp_linux_buffer_params_v1_create(
		self->params, dmabuf->width, dmabuf->height, dmabuf->format, 0);
}

/** Returns true for a memory file sealed against shrinking; others are a fatal protocol error. */
static bool is_shareable_memory(const struct dmabuf *dmabuf, int32_t *size)
{
	bool linear = dmabuf->modifier == DRM_FORMAT_MOD_LINEAR ||
		      dmabuf->modifier == DRM_FORMAT_MOD_INVALID;
	if (dmabuf->n_planes != 1 || !linear) {
		return false;
	}
	off_t whole = lseek(dmabuf->fd[0], 0, SEEK_END);
	uint64_t end = dmabuf->offset[0] + (uint64_t)dmabuf->stride[0] * (uint64_t)dmabuf->height;
	if (whole <= 0 || whole > INT32_MAX || end > (uint64_t)whole) {
		return false;
	}
	*size = (int32_t)whole;
	return fd_cannot_shrink_below(dmabuf->fd[0], whole);
}

static void share_memory(struct wayland_buffer *self, const struct dmabuf *dmabuf, int32_t size)
{
	struct wl_shm_pool *pool =
		wl_shm_create_pool(self->output->backend->shm, dmabuf->fd[0], size);
	set_proxy(self, wl_shm_pool_create_buffer(pool, (int32_t)dmabuf->offset[0], dmabuf->width,
				dmabuf->height, (int32_t)dmabuf->stride[0],
				pixel_format_to_shm(dmabuf->format)));
	wl_shm_pool_destroy(pool);
}

static bool import(struct wayland_buffer *self)
{
	const struct wayland_backend *backend = self->output->backend;
	const struct dmabuf *dmabuf = buffer_dmabuf(self->buffer);
	int32_t size;
	if (!dmabuf) {
		return false;
	}
	if (is_shareable_memory(dmabuf, &size)) {
		if (!format_set_get(&backend->shm_formats, dmabuf->format)) {
			return false;
		}
		share_memory(self, dmabuf, size);
		return true;
	}
	if (!format_set_has(&backend->dmabuf_formats, dmabuf->format, dmabuf->modifier)) {
		return false;
	}
	import_dmabuf(self, dmabuf);
	return true;
}

struct wayland_buffer *wayland_buffer_get(struct wayland_output *output, struct buffer *buffer)
{
	struct addon *addon = addon_find(&buffer->addons, output, &addon_impl);
	if (addon) {
		return wl_container_of(addon, (struct wayland_buffer *)NULL, addon);
	}
	struct wayland_buffer *self = xcalloc(1, sizeof(*self));
	self->output = output;
	self->buffer = buffer;
	if (!import(self)) {
		char name[5];
		log_debug(LOG_BACKEND,
			"%s: the host does not support buffers of format %s with this layout",
			output->base.name, pixel_format_name(buffer->format, name));
		free(self);
		return NULL;
	}
	addon_init(&self->addon, &buffer->addons, output, &addon_impl);
	wl_list_insert(&output->buffers, &self->link);
	return self;
}

void wayland_buffer_attach(struct wayland_buffer *self)
{
	assert(self->proxy);
	wl_surface_attach(self->output->window.surface, self->proxy, 0, 0);
	if (!self->held) {
		self->held = true;
		buffer_lock(self->buffer);
	}
}

void wayland_buffer_destroy(struct wayland_buffer *self)
{
	if (!self) {
		return;
	}
	struct buffer *held = self->held ? self->buffer : NULL;
	addon_finish(&self->addon);
	wl_list_remove(&self->link);
	if (self->params) {
		end_import(self);
	}
	if (self->proxy) {
		wl_buffer_destroy(self->proxy);
	}
	free(self);
	buffer_unlock(held);
}
