/* SPDX-License-Identifier: MIT */
/* Upload budget of a frame: the bytes of shm that it may upload within its spare time. */

#include "content/device.h"
#include "internal.h"
#include "route_facts.h"

/* Returns the spare time (ns) of the busiest output; INT64_MAX if none of the device is awake. */
static int64_t find_spare(const struct render_device *device, const struct scene *scene)
{
	int64_t least = INT64_MAX;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
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
	uint64_t fixed = content_device_from(device)->upload_budget;
	if (fixed > 0) {
		return fixed;
	}
	const struct cost_line *line = scene ? route_upload_cost(device) : NULL;
	int64_t spare = line ? find_spare(device, scene) : INT64_MAX;
	if (spare == INT64_MAX) {
		return UPLOAD_BUDGET_UNKNOWN;
	}
	uint64_t bytes = cost_bytes(line, spare / UPLOAD_SHARE);
	bytes = bytes < UPLOAD_BUDGET_MAX ? bytes : UPLOAD_BUDGET_MAX;
	return bytes > UPLOAD_BUDGET_LEAST ? bytes : UPLOAD_BUDGET_LEAST;
}

void content_budget_begin(struct render_device *device)
{
	struct content_device *self = content_device_from(device);
	(self->shadow_of ? content_device_from(self->shadow_of) : self)->upload_due = 0;
}
