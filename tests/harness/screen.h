/* SPDX-License-Identifier: MIT */
#pragma once

/** An output with one plane, which presents committed frames when the test says so. */

#include "harness/unit.h"

#include "frame/frame.h"
#include "scene/scene.h"

/** ns */
#define SCREEN_PERIOD INT64_C(16666667)

struct screen {
	struct output base;
	struct plane plane; /* primary, for linear XRGB8888 */
	struct render_device *device;
	struct scene_output *scene_output;
	struct frame_output *frame;
	struct buffer *shown, *flying; /* presented, committed; NULL: none */
	uint32_t flight; /* number of the commit in flight; 0: none */
};

/**
 * Creates an enabled output of 60 Hz, and a device that renders with `renderer` into buffers of
 * `allocator`. Both stay the caller's.
 */
void screen_init(struct screen *screen, const char *name, int width, int height,
	struct renderer *renderer, struct allocator *allocator);
/** Adds the output to a scene and creates its frames. */
void screen_open(struct screen *screen, struct scene *scene, struct clock *clock);
/** Removes the output from its scene. */
void screen_close(struct screen *screen);
/** Drops the frame in flight of a removed output. */
void screen_lose(struct screen *screen);
/** Frees a closed screen, after its scene. */
void screen_finish(struct screen *screen);
/** Presents the frame in flight, if there is one. */
void screen_flip(struct screen *screen, int64_t now);
