/* SPDX-License-Identifier: MIT */
#pragma once

/** Image of the cursor for the cursor plane of an output, drawn by the CPU. */

#include "assign.h"
#include "content/device.h"

struct cursor_image;

struct cursor_image *cursor_image_create(void);
/** Destroys the image and drops its buffers. NULL is legal. */
void cursor_image_destroy(struct cursor_image *cursor);
/** Returns the number of times that the image was drawn. */
uint64_t cursor_image_n_drawn(const struct cursor_image *cursor);
/**
 * Fills in `out` with the first `n` (at least 1) entries of the output, all of them cursors, as a
 * single entry for the cursor plane. Redraws the image if it has changed. Returns REASON_BEST, or
 * the reason why the cursors have to be composed.
 */
enum route_reason cursor_image_take(struct cursor_image *cursor, struct scene_output *output,
	struct render_device *device, int n, struct assign_entry *out);
