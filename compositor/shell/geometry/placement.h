/* SPDX-License-Identifier: MIT */
#pragma once

/** Arithmetic of places and sizes: new windows, layer surfaces, interactive resizes. Pure. */

#include "util/box.h"

struct layer;
struct window;

/* placement.c */
/**
 * Finds the position where a window of this size overlaps others least, preferring the middle of
 * the area. The result is never left of or above the area's top left corner.
 */
void placement_find(const struct box *area, int width, int height, const struct box *others,
	int n_others, int *x, int *y);
/** Moves the box so that a part large enough to drag lies inside of the area. */
void placement_keep_reachable(const struct box *area, struct box *box);
/** Moves the box into the area. A larger one starts at the area's top left corner. */
void placement_show(const struct box *area, struct box *box);
/**
 * Moves a box of another size than `from` so that a point of `from` lies in it, too: at the same
 * part of the width, and at the same distance from the top where the height allows that.
 */
void placement_hold(const struct box *from, struct coord_global at, struct box *box);

/* layer_arrange.c */
/** Returns the box of a layer surface within the output or its usable area. */
struct box layer_place(
	const struct layer *layer, const struct box *output, const struct box *usable);
/** Subtracts the exclusive zone from the usable area. */
void layer_exclude(const struct layer *layer, struct box *usable);

/* resize.c */
/** Computes the size for a drag of dx, dy since the start of an interactive resize. */
void resize_size(
	const struct window *window, double dx, double dy, int32_t *width, int32_t *height);
/** Computes the top left corner that keeps the edges opposite to the dragged ones in place. */
void resize_anchor(const struct window *window, int *x, int *y);
const char *resize_cursor(uint32_t edges);
