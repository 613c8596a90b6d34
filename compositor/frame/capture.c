/* SPDX-License-Identifier: MIT */
/* Captures: draws the scene, or one window of it, into a buffer. */

#include "content/compose.h"
#include "content/content.h"
#include "frame/frame.h"
#include <math.h>

enum frame_capture_result frame_capture(struct scene *scene, struct render_device *device,
	struct buffer *target, const struct frame_capture *capture, int *fence)
{
	*fence = -1;
	if (!device->renderer) {
		return FRAME_CAPTURE_FAILED;
	}
	bool swap = transform_swaps(capture->transform);
	struct scene_view view = {
		.x = (int)floor(capture->box.x),
		.y = (int)floor(capture->box.y),
		.scale = capture->scale > 0
				 ? capture->scale
				 : (swap ? target->height : target->width) / capture->box.width,
		.transform = capture->transform,
		.width = target->width,
		.height = target->height,
	};
	pixman_region32_t damage;
	pixman_region32_init_rect(&damage, 0, 0, (unsigned)target->width, (unsigned)target->height);
	if (capture->damage) {
		pixman_region32_intersect(&damage, &damage, (pixman_region32_t *)capture->damage);
	}
	struct scene_snapshot snapshot;
	scene_snapshot_init(&snapshot, scene, capture->root, &view, capture->cursor);
	/* The background of a window is transparent. */
	static const float nothing[4] = {0};
	struct compose_list list = {
		.entries = snapshot.entries,
		.n_entries = snapshot.n_entries,
		.uncovered = &snapshot.uncovered,
		.background = capture->root ? nothing : scene->background,
		.exact = !capture->as_shown,
	};
	bool late = capture->waits && content_gather(device, snapshot.entries, snapshot.n_entries);
	bool drawn = !late && compose_draw(device, &list, target, &damage, fence, NULL);
	scene_snapshot_finish(&snapshot);
	pixman_region32_fini(&damage);
	return late ? FRAME_CAPTURE_LATE : drawn ? FRAME_CAPTURE_DRAWN : FRAME_CAPTURE_FAILED;
}
