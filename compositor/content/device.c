/* Render devices: set-up, teardown, CPU devices, and the upload budget of a frame. */

#include "content/device.h"
#include "content/content.h"
#include "copy/copier.h"
#include "route_facts.h"
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

/* INT64_MAX if no output of the device is awake. */
static int64_t find_spare(const struct render_device *device, const struct scene *scene)
{
	int64_t least = INT64_MAX;
	for (int i = 0; i < SCENE_MAX_OUTPUTS; i++) {
		const struct scene_output *output = scene->outputs[i];
		if (output && device->outputs & 1u << i && output->awake) {
			int64_t spare = device->spare(output);
			least = spare < least ? spare : least;
		}
	}
	return least;
}

uint64_t render_device_upload_budget(struct render_device *device, const struct scene *scene)
{
	if (device->upload_budget > 0) {
		return device->upload_budget;
	}
	const struct cost_line *line = scene ? route_upload_cost(device) : NULL;
	int64_t spare = line ? find_spare(device, scene) : INT64_MAX;
	if (spare == INT64_MAX) {
		return UPLOAD_BUDGET_UNKNOWN;
	}
	uint64_t bytes = cost_bytes(line, spare / UPLOAD_SHARE);
	bytes = bytes < UPLOAD_BUDGET_MOST ? bytes : UPLOAD_BUDGET_MOST;
	return bytes > UPLOAD_BUDGET_LEAST ? bytes : UPLOAD_BUDGET_LEAST;
}
