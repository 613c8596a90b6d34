/* SPDX-License-Identifier: MIT */
/* Frame loops of a device that was lost, or has a new renderer. */

#include "content/content.h"
#include "frame/frame.h"
#include "frame/internal.h"

/* Calls `each` for the frame loops of a device. */
static void for_each_output(
	struct scene *scene, struct render_device *device, void (*each)(struct frame_output *frame))
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		struct frame_output *frame =
			scene->outputs[i] ? frame_output_find(scene->outputs[i]) : NULL;
		if (frame && frame->device == device) {
			each(frame);
		}
	}
}

void render_device_lost(struct scene *scene, struct render_device *device)
{
	for_each_output(scene, device, frame_output_freeze);
	content_drop_all(device);
}

void render_device_restored(struct scene *scene, struct render_device *device)
{
	for_each_output(scene, device, frame_output_thaw);
}
