/* SPDX-License-Identifier: MIT */
/* Popup placement by the rules of xdg_positioner. */

#include "shell/positioner.h"
#include "xdg-shell-protocol.h"

#define SLIDE XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_X
#define FLIP XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_X
#define RESIZE XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_X

/**
 * One axis of the rules: -1 towards the smaller coordinate, 0 the middle, 1 towards the greater.
 */
struct axis {
	int anchor, gravity;
	int rect_at, rect_size;
	int size, offset;
	uint32_t adjustment; /* SLIDE, FLIP, RESIZE */
};

static int horizontal(uint32_t edge)
{
	switch (edge) {
	case XDG_POSITIONER_ANCHOR_LEFT:
	case XDG_POSITIONER_ANCHOR_TOP_LEFT:
	case XDG_POSITIONER_ANCHOR_BOTTOM_LEFT: return -1;
	case XDG_POSITIONER_ANCHOR_RIGHT:
	case XDG_POSITIONER_ANCHOR_TOP_RIGHT:
	case XDG_POSITIONER_ANCHOR_BOTTOM_RIGHT: return 1;
	default: return 0;
	}
}

static int vertical(uint32_t edge)
{
	switch (edge) {
	case XDG_POSITIONER_ANCHOR_TOP:
	case XDG_POSITIONER_ANCHOR_TOP_LEFT:
	case XDG_POSITIONER_ANCHOR_TOP_RIGHT: return -1;
	case XDG_POSITIONER_ANCHOR_BOTTOM:
	case XDG_POSITIONER_ANCHOR_BOTTOM_LEFT:
	case XDG_POSITIONER_ANCHOR_BOTTOM_RIGHT: return 1;
	default: return 0;
	}
}

static int place(const struct axis *axis, int direction)
{
	int64_t at = axis->rect_at;
	int anchor = axis->anchor * direction, gravity = axis->gravity * direction;
	if (anchor == 0) {
		at += axis->rect_size / 2;
	} else if (anchor > 0) {
		at += axis->rect_size;
	}
	if (gravity == 0) {
		at -= axis->size / 2;
	} else if (gravity < 0) {
		at -= axis->size;
	}
	return coord_clamp(at + axis->offset);
}

static bool fits(int at, int size, int low, int extent)
{
	return at >= low && (int64_t)at + size <= (int64_t)low + extent;
}

/*
 * Slides in the direction of the gravity, then against it, so that the edge opposite to the gravity
 * stays visible.
 */
static int slide(const struct axis *axis, int at, int low, int extent)
{
	int high = low + extent - axis->size;
	if (axis->gravity >= 0) {
		at = at > high ? high : at;
		return at < low ? low : at;
	}
	at = at < low ? low : at;
	return at > high ? high : at;
}

static void resize(int *at, int *size, int low, int extent)
{
	int end = *at + *size, high = low + extent;
	int from = *at < low ? low : *at;
	end = end > high ? high : end;
	if (end > from) {
		*at = from;
		*size = end - from;
	}
}

static void constrain(const struct axis *axis, int low, int extent, int *at, int *size)
{
	*at = place(axis, 1);
	*size = axis->size;
	if (extent <= 0 || fits(*at, *size, low, extent)) {
		return;
	}
	if (axis->adjustment & FLIP) {
		int flipped = place(axis, -1);
		if (fits(flipped, *size, low, extent)) {
			*at = flipped;
			return;
		}
	}
	if (axis->adjustment & SLIDE) {
		*at = slide(axis, *at, low, extent);
	}
	if ((axis->adjustment & RESIZE) && !fits(*at, *size, low, extent)) {
		resize(at, size, low, extent);
	}
}

static struct axis x_axis(const struct positioner *positioner)
{
	return (struct axis){
		.anchor = horizontal(positioner->anchor),
		.gravity = horizontal(positioner->gravity),
		.rect_at = coord_clamp(positioner->anchor_rect.x),
		.rect_size = coord_clamp(positioner->anchor_rect.width),
		.size = coord_clamp(positioner->width),
		.offset = coord_clamp(positioner->offset_x),
		.adjustment = positioner->adjustment & (SLIDE | FLIP | RESIZE),
	};
}

static struct axis y_axis(const struct positioner *positioner)
{
	const uint32_t adjustment = positioner->adjustment;
	return (struct axis){
		.anchor = vertical(positioner->anchor),
		.gravity = vertical(positioner->gravity),
		.rect_at = coord_clamp(positioner->anchor_rect.y),
		.rect_size = coord_clamp(positioner->anchor_rect.height),
		.size = coord_clamp(positioner->height),
		.offset = coord_clamp(positioner->offset_y),
		.adjustment =
			(adjustment & XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_SLIDE_Y ? SLIDE : 0) |
			(adjustment & XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_FLIP_Y ? FLIP : 0) |
			(adjustment & XDG_POSITIONER_CONSTRAINT_ADJUSTMENT_RESIZE_Y ? RESIZE : 0),
	};
}

bool positioner_complete(const struct positioner *positioner)
{
	return positioner->width > 0 && positioner->height > 0 && positioner->has_anchor_rect;
}

struct box positioner_constrain(const struct positioner *positioner, const struct box *room)
{
	struct axis x = x_axis(positioner), y = y_axis(positioner);
	struct box box;
	bool bounded = !box_empty(room);
	constrain(&x, room->x, bounded ? room->width : 0, &box.x, &box.width);
	constrain(&y, room->y, bounded ? room->height : 0, &box.y, &box.height);
	return box;
}
