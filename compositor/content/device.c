/* SPDX-License-Identifier: MIT */
/* Render devices: initialisation, teardown, and CPU devices. */

#include "content/device.h"
#include "content/content.h"
#include "internal.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct render_device *render_device_create(
	struct gpu *gpu, struct renderer *renderer, struct allocator *allocator)
{
	struct content_device *device = xcalloc(1, sizeof(*device));
	device->base.gpu = gpu;
	device->base.renderer = renderer;
	device->base.allocator = allocator;
	wl_list_init(&device->uploads);
	wl_list_init(&device->udmabufs_left);
	wl_list_init(&device->reading);
	wl_list_init(&device->contents);
	wl_list_init(&device->images);
	wl_list_init(&device->peers);
	signals_init(&device->base.events, sizeof(device->base.events));
	return &device->base;
}

void render_device_join(struct render_device *device, struct render_device *first)
{
	wl_list_insert(&content_device_from(first)->peers, &content_device_from(device)->peers);
}

/* Returns `*device`. If it is NULL, first creates it with the pixman renderer and without a GPU. */
static struct render_device *get_cpu(struct render_device **device)
{
	if (!*device) {
		*device = render_device_create(NULL, pixman_renderer_create(), NULL);
	}
	return *device;
}

struct render_device *render_device_get_painter(struct render_device *device)
{
	return get_cpu(&content_device_from(device)->painter);
}

struct render_device *render_device_get_shadow(struct render_device *device)
{
	struct render_device *shadow = get_cpu(&content_device_from(device)->shadow);
	content_device_from(shadow)->shadow_of = device;
	return shadow;
}

static void destroy_cpu(struct render_device **device)
{
	if (*device) {
		content_drop_all(*device);
		renderer_destroy((*device)->renderer);
		render_device_destroy(*device);
		*device = NULL;
	}
}

void render_device_finish(struct render_device *base)
{
	struct content_device *device = content_device_from(base);
	content_drop_all(base);
	content_retry_finish(&device->images_retry);
	wl_list_remove(&device->peers);
	wl_list_init(&device->peers);
	destroy_cpu(&device->painter);
	destroy_cpu(&device->shadow);
	worker_destroy(device->worker);
	device->worker = NULL;
}

void render_device_destroy(struct render_device *device)
{
	free(device ? content_device_from(device) : NULL);
}
