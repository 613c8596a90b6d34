/* SPDX-License-Identifier: MIT */
/* A further render device of the server. */

#include "harness/second_device.h"
#include "protocol/server.h"
#include "render/render.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct server_device *second_device_add(struct server *server, struct gpu *display, struct gpu *gpu,
	const struct format_set *formats)
{
	struct server_device *device = xcalloc(1, sizeof(*device));
	struct renderer *renderer = pixman_renderer_create();
	format_set_finish(&renderer->texture_formats);
	renderer->texture_formats = (struct format_set){0};
	format_set_copy(&renderer->texture_formats, formats);
	device->server = server;
	device->display = display;
	device->frame = render_device_create(gpu, renderer, NULL);
	wl_list_init(&device->lost.link);
	wl_list_init(&device->gpu_gone.link);
	wl_list_insert(&server->devices, &device->link);
	return device;
}

void second_device_remove(struct server_device *device)
{
	struct renderer *renderer = device->frame->renderer;
	wl_list_remove(&device->link);
	render_device_finish(device->frame);
	render_device_destroy(device->frame);
	renderer_destroy(renderer);
	free(device);
}
