/* SPDX-License-Identifier: MIT */
/* Layout of layer surfaces: anchors, margins and exclusive zones. */

#include "placement.h"
#include "shell/shell.h"
#include "wlr-layer-shell-unstable-v1-protocol.h"

#define TOP ZWLR_LAYER_SURFACE_V1_ANCHOR_TOP
#define BOTTOM ZWLR_LAYER_SURFACE_V1_ANCHOR_BOTTOM
#define LEFT ZWLR_LAYER_SURFACE_V1_ANCHOR_LEFT
#define RIGHT ZWLR_LAYER_SURFACE_V1_ANCHOR_RIGHT

/* Computes position and size along one axis. `first` and `last` are the anchors. */
static void place_axis(int start, int extent, bool first, bool last, int margin_first,
	int margin_last, int desired, int *at, int *size)
{
	int from = start + (first ? margin_first : 0);
	int room = extent - (first ? margin_first : 0) - (last ? margin_last : 0);
	*size = desired > 0 ? desired : room > 0 ? room : 0;
	if (first && last) {
		/* Stretched, both margins apply; a given size is centred between them. */
		*at = desired > 0 ? from + (room - desired) / 2 : from;
	} else if (first) {
		*at = from;
	} else if (last) {
		*at = start + extent - margin_last - *size;
	} else {
		*at = start + (extent - *size) / 2;
	}
}

struct box layer_place(
	const struct layer *layer, const struct box *output, const struct box *usable)
{
	const struct box *bounds = layer->exclusive_zone == -1 ? output : usable;
	struct box box;
	place_axis(bounds->x, bounds->width, layer->anchor & LEFT, layer->anchor & RIGHT,
		layer->margin_left, layer->margin_right, layer->width, &box.x, &box.width);
	place_axis(bounds->y, bounds->height, layer->anchor & TOP, layer->anchor & BOTTOM,
		layer->margin_top, layer->margin_bottom, layer->height, &box.y, &box.height);
	return box;
}

/* Returns the edge of the exclusive zone, or 0 if the anchors determine none. */
static uint32_t exclusive_edge(const struct layer *layer)
{
	if (layer->exclusive_edge) {
		return layer->exclusive_edge;
	}
	switch (layer->anchor) {
	case TOP:
	case TOP | LEFT | RIGHT: return TOP;
	case BOTTOM:
	case BOTTOM | LEFT | RIGHT: return BOTTOM;
	case LEFT:
	case LEFT | TOP | BOTTOM: return LEFT;
	case RIGHT:
	case RIGHT | TOP | BOTTOM: return RIGHT;
	default: return 0;
	}
}

static int take(int zone, int margin, int extent)
{
	int64_t depth = (int64_t)zone + margin;
	return depth < 0 ? 0 : depth > extent ? extent : (int)depth;
}

void layer_exclude(const struct layer *layer, struct box *usable)
{
	if (layer->exclusive_zone <= 0) {
		return;
	}
	int depth;
	switch (exclusive_edge(layer)) {
	case TOP:
		depth = take(layer->exclusive_zone, layer->margin_top, usable->height);
		usable->y += depth;
		usable->height -= depth;
		break;
	case BOTTOM:
		usable->height -= take(layer->exclusive_zone, layer->margin_bottom, usable->height);
		break;
	case LEFT:
		depth = take(layer->exclusive_zone, layer->margin_left, usable->width);
		usable->x += depth;
		usable->width -= depth;
		break;
	case RIGHT:
		usable->width -= take(layer->exclusive_zone, layer->margin_right, usable->width);
		break;
	default: break;
	}
}
