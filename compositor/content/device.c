/* SPDX-License-Identifier: MIT */
/* Render devices: initialisation, teardown, and CPU devices. */

#include "content/device.h"
#include "content/content.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <stdlib.h>

void render_device_init(struct render_device *device, struct gpu *gpu, struct renderer *renderer,
	struct allocator *allocator)
{
	*device = (struct render_device){
		.gpu = gpu,
		.renderer = renderer,
		.allocator = allocator,
	};
	wl_list_init(&device->uploads);
	wl_list_init(&device->udmabufs_left);
	wl_list_init(&device->reading);
	wl_list_init(&device->contents);
	wl_list_init(&device->images);
	wl_list_init(&device->peers);
	wl_signal_init(&device->events.copies_due);
	wl_signal_init(&device->events.copy_ended);
}

void render_device_join(struct render_device *device, struct render_device *first)
{
	wl_list_insert(&first->peers, &device->peers);
}

struct render_device *render_device_get_cpu(struct render_device **device)
{
	if (!*device) {
		*device = xcalloc(1, sizeof(**device));
		render_device_init(*device, NULL, pixman_renderer_create(), NULL);
	}
	return *device;
}

static void destroy_cpu(struct render_device **device)
{
	if (*device) {
		content_drop_all(*device);
		renderer_destroy((*device)->renderer);
		free(*device);
		*device = NULL;
	}
}

void render_device_finish(struct render_device *device)
{
	content_drop_all(device);
	wl_list_remove(&device->peers);
	wl_list_init(&device->peers);
	destroy_cpu(&device->painter);
	destroy_cpu(&device->shadow);
	worker_destroy(device->worker);
	device->worker = NULL;
}
