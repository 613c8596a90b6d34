/* SPDX-License-Identifier: MIT */
/* WM_NORMAL_HINTS (ICCCM 4.1.2.3): limits, increments, aspect and gravity. */

#include "hints.h"
#include "xwayland/wm/base/xwm.h"
#include <string.h>
#include <xcb/xcb_icccm.h>

/** Values of the property, by index. */
enum {
	HINT_FLAGS = 0,
	HINT_MIN_WIDTH = 5,
	HINT_MIN_HEIGHT,
	HINT_MAX_WIDTH,
	HINT_MAX_HEIGHT,
	HINT_WIDTH_STEP,
	HINT_HEIGHT_STEP,
	HINT_MIN_ASPECT,
	HINT_MAX_ASPECT = 13,
	HINT_BASE_WIDTH = 15,
	HINT_BASE_HEIGHT,
	HINT_GRAVITY,
	HINT_COUNT,
};

static int32_t size(uint32_t value)
{
	int32_t number = (int32_t)value;
	return number < 0 ? 0 : number > X_SIZE_MAX ? X_SIZE_MAX : number;
}

static void read_limits(struct x_size_hints *hints, const uint32_t *v, uint32_t flags)
{
	const bool has_base = flags & XCB_ICCCM_SIZE_HINT_BASE_SIZE;
	const bool has_min = flags & XCB_ICCCM_SIZE_HINT_P_MIN_SIZE;
	if (has_min) {
		hints->min_width = size(v[HINT_MIN_WIDTH]);
		hints->min_height = size(v[HINT_MIN_HEIGHT]);
	}
	if (flags & XCB_ICCCM_SIZE_HINT_P_MAX_SIZE) {
		hints->max_width = size(v[HINT_MAX_WIDTH]);
		hints->max_height = size(v[HINT_MAX_HEIGHT]);
	}
	/* The base size and the minimum size stand in for each other. */
	hints->base_width = has_base ? size(v[HINT_BASE_WIDTH]) : hints->min_width;
	hints->base_height = has_base ? size(v[HINT_BASE_HEIGHT]) : hints->min_height;
	if (has_base && !has_min) {
		hints->min_width = hints->base_width;
		hints->min_height = hints->base_height;
	}
	if (flags & XCB_ICCCM_SIZE_HINT_P_RESIZE_INC) {
		hints->width_step = size(v[HINT_WIDTH_STEP]);
		hints->height_step = size(v[HINT_HEIGHT_STEP]);
	}
	if (hints->max_width > 0 && hints->max_width < hints->min_width) {
		hints->max_width = hints->min_width;
	}
	if (hints->max_height > 0 && hints->max_height < hints->min_height) {
		hints->max_height = hints->min_height;
	}
}

void xwm_size_hints_read(struct x_size_hints *hints, const uint32_t *values, int n)
{
	uint32_t v[HINT_COUNT] = {0};
	*hints = (struct x_size_hints){.gravity = XCB_GRAVITY_NORTH_WEST};
	if (n <= 0) {
		return;
	}
	/* The property of clients older than ICCCM has no base size and no gravity. */
	memcpy(v, values, (size_t)(n < HINT_COUNT ? n : HINT_COUNT) * sizeof(*v));
	uint32_t flags = v[HINT_FLAGS];
	if (n < HINT_COUNT) {
		flags &= ~(uint32_t)(XCB_ICCCM_SIZE_HINT_BASE_SIZE |
				     XCB_ICCCM_SIZE_HINT_P_WIN_GRAVITY);
	}
	hints->user_position = flags & XCB_ICCCM_SIZE_HINT_US_POSITION;
	hints->program_position = flags & XCB_ICCCM_SIZE_HINT_P_POSITION;
	read_limits(hints, v, flags);
	if (flags & XCB_ICCCM_SIZE_HINT_P_ASPECT) {
		for (int i = 0; i < 2; i++) {
			hints->min_aspect[i] = size(v[HINT_MIN_ASPECT + i]);
			hints->max_aspect[i] = size(v[HINT_MAX_ASPECT + i]);
		}
	}
	if (flags & XCB_ICCCM_SIZE_HINT_P_WIN_GRAVITY) {
		hints->gravity = v[HINT_GRAVITY];
	}
}

static int32_t clamp(int32_t value, int32_t least, int32_t most)
{
	if (most > 0 && value > most) {
		value = most;
	}
	return value < least ? least : value;
}

/* Shrinks one of the sizes until width / height lies within the aspects. */
static void keep_aspect(const struct x_size_hints *hints, int32_t *width, int32_t *height)
{
	const int64_t w = *width, h = *height;
	const int32_t *least = hints->min_aspect, *most = hints->max_aspect;
	if (most[0] > 0 && most[1] > 0 && w * most[1] > h * most[0]) {
		*width = (int32_t)(h * most[0] / most[1]);
	} else if (least[0] > 0 && least[1] > 0 && w * least[1] < h * least[0]) {
		*height = (int32_t)(w * least[1] / least[0]);
	}
}

void xwm_size_hints_constrain(const struct x_size_hints *hints, int32_t *width, int32_t *height)
{
	*width = clamp(*width, hints->min_width, hints->max_width);
	*height = clamp(*height, hints->min_height, hints->max_height);
	keep_aspect(hints, width, height);
	if (hints->width_step > 1 && *width > hints->base_width) {
		*width -= (*width - hints->base_width) % hints->width_step;
	}
	if (hints->height_step > 1 && *height > hints->base_height) {
		*height -= (*height - hints->base_height) % hints->height_step;
	}
	*width = clamp(*width, hints->min_width > 0 ? hints->min_width : 1, X_SIZE_MAX);
	*height = clamp(*height, hints->min_height > 0 ? hints->min_height : 1, X_SIZE_MAX);
}

void xwm_size_hints_place(
	uint32_t gravity, const struct frame_extents *frame, int32_t *x, int32_t *y)
{
	const int32_t across = frame->left + frame->right, down = frame->top + frame->bottom;
	switch (gravity) {
	case XCB_GRAVITY_STATIC: return;
	case XCB_GRAVITY_NORTH:
	case XCB_GRAVITY_CENTER:
	case XCB_GRAVITY_SOUTH: *x += frame->left - across / 2; break;
	case XCB_GRAVITY_NORTH_EAST:
	case XCB_GRAVITY_EAST:
	case XCB_GRAVITY_SOUTH_EAST: *x -= frame->right; break;
	default: *x += frame->left; break;
	}
	switch (gravity) {
	case XCB_GRAVITY_WEST:
	case XCB_GRAVITY_CENTER:
	case XCB_GRAVITY_EAST: *y += frame->top - down / 2; break;
	case XCB_GRAVITY_SOUTH_WEST:
	case XCB_GRAVITY_SOUTH:
	case XCB_GRAVITY_SOUTH_EAST: *y -= frame->bottom; break;
	default: *y += frame->top; break;
	}
}

bool xwm_size_hints_at_corner(
	const struct x_size_hints *hints, const struct frame_extents *frame, int32_t x, int32_t y)
{
	/* The title bar has no place there. Windows without one may cover the output. */
	return hints->program_position && !hints->user_position &&
	       hints->gravity == XCB_GRAVITY_STATIC && x >= 0 && x < frame->top && y >= 0 &&
	       y < frame->top;
}
