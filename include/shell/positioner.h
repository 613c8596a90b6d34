/* SPDX-License-Identifier: MIT */
#pragma once

/** Popup placement relative to the parent by the rules of xdg_positioner. Pure functions. */

#include "util/box.h"
#include <stdbool.h>
#include <stdint.h>

/** Rules set by the client. Boxes are in the coordinates of the parent's window geometry. */
struct positioner {
	int32_t width, height; /* of the popup's window geometry; above 0 when complete */
	bool has_anchor_rect;
	struct box anchor_rect; /* neither width nor height is negative */
	uint32_t anchor; /* enum xdg_positioner_anchor */
	uint32_t gravity; /* enum xdg_positioner_gravity */
	uint32_t adjustment; /* bits of enum xdg_positioner_constraint_adjustment */
	int32_t offset_x, offset_y;
	bool reactive;
};

/** Returns true if size and anchor rectangle were set, which a popup requires. */
bool positioner_complete(const struct positioner *positioner);
/**
 * Returns the popup's box, moved inside `room` as far as the adjustments allow: on each axis it is
 * flipped if that makes it fit, else slid, else resized. `room` is in the parent's coordinates too;
 * empty: unbounded.
 */
struct box positioner_constrain(const struct positioner *positioner, const struct box *room);
