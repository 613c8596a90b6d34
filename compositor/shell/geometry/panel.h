/* SPDX-License-Identifier: MIT */
#pragma once

/** Panels of the shell: rounded boxes, texts and icons in the colours of the theme. */

#include "scene/scene.h"
#include <stdint.h>

struct shell;

/** Colours, 0xRRGGBB. */
struct panel_colors {
	uint32_t panel, border, text, accent, selected, selected_text;
};

struct panel_colors panel_colors(const struct shell *shell);
/**
 * Creates a tree with an opaque box of this size and corner radius, logical pixels, for outputs of
 * this scale. Hit tests return `data`, except in the corners.
 */
struct scene_tree *panel_box_create(struct scene_tree *parent, const struct box *box, int radius,
	uint32_t rgb, double scale, void *data);
/** Shows an image that the panel takes over; NULL: nothing. Its size is `scale` times logical. */
void panel_image_set(struct scene_image *node, pixman_image_t *image, double scale);
