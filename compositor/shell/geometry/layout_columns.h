/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The layout `columns` as values: windows in columns, stacked or tabbed within a column. Windows
 * are known by opaque pointers. Sizes are in logical pixels, boxes logical global.
 */

#include "util/box.h"
#include <stdbool.h>

enum direction {
	DIRECTION_LEFT,
	DIRECTION_RIGHT,
	DIRECTION_UP,
	DIRECTION_DOWN,
};

/** Limits of column widths, as parts of the area. */
#define COLUMN_WIDTH_MIN 0.05
#define COLUMN_WIDTH_MAX 1.0

struct columns_item {
	void *id;
	double share; /* of the column's height, relative to the other items' */
	int min_width; /* the window's limit; respected while there is room */
	/** Results of columns_arrange(). */
	struct box box;
	bool shown; /* false: another tab covers the item */
};

struct column {
	struct columns_item *items; /* top to bottom */
	int n_items, active; /* `active`: focused last */
	bool tabbed;
	double width; /* part of the area; in a fitted layout, relative to the other columns */
	int x, pixels; /* results of columns_arrange(): place in the strip */
};

struct columns {
	struct column *columns; /* left to right */
	int n, active; /* `active`: focused last */
	int scroll; /* offset of the area within the strip of columns */
};

enum columns_overflow {
	COLUMNS_FIT = 1, /* columns share the width of the area; choices count from one */
	COLUMNS_SCROLL, /* columns keep their widths; the strip scrolls to the active one */
};

enum columns_center {
	COLUMNS_CENTER_NEVER = 1, /* choices count from one */
	COLUMNS_CENTER_SHORT, /* centres a strip that is narrower than the area */
	COLUMNS_CENTER_ALWAYS, /* centres the active column */
};

struct columns_style {
	struct box area;
	int gap; /* between windows, and around them */
	int tab_height; /* of the tab bar above a tabbed column of several windows */
	bool smart_gaps; /* a single window has no gaps */
	int overflow; /* enum columns_overflow */
	int center; /* enum columns_center */
};

/** Frees all columns. */
void columns_finish(struct columns *columns);
/** Copies `from` into `to`, which must be empty. */
void columns_copy(struct columns *to, const struct columns *from);
/** Finds an item. Returns NULL if there is none; `column` may be NULL. */
struct columns_item *columns_find(const struct columns *columns, const void *id, int *column);
/** Adds a column with one item after the active column, or before it, and makes it active. */
void columns_insert(struct columns *columns, void *id, double width, bool before);
/** Removes an item, and its column if it becomes empty. Returns false if there is no such item. */
bool columns_remove(struct columns *columns, const void *id);
/** Makes an item active. Returns false if there is no such item. */
bool columns_focus(struct columns *columns, const void *id);
/** Returns the next item in a direction, or NULL. Sideways: the active item of that column. */
void *columns_neighbor(const struct columns *columns, const void *id, enum direction direction);
/**
 * Moves an item. Up and down: within its column. Sideways: out of a column of several items into a
 * column of its own, else past the next column. Returns false if nothing changed.
 */
bool columns_move(struct columns *columns, const void *id, enum direction direction);
/** Moves an item to the bottom of the next column to the left or right. Returns as above. */
bool columns_join(struct columns *columns, const void *id, enum direction direction);
/** Exchanges two items. Returns false if one is missing. */
bool columns_swap(struct columns *columns, const void *a, const void *b);
/**
 * Moves an item beside another one: left or right of its column in a column of its own, or above or
 * below it. Returns false if nothing changed.
 */
bool columns_place(
	struct columns *columns, const void *id, const void *beside, enum direction side);
/**
 * Moves an edge of an item outward by a part of the area: the neighbour on that side shrinks, if
 * `fitted` or vertical; without one, the item moves its other edge. Returns the part that was
 * applied, within the limits.
 */
double columns_drag_edge(
	struct columns *columns, const void *id, enum direction edge, double by, bool fitted);
/** Changes the tabbed state of an item's column. Returns false if there is no such item. */
bool columns_toggle_tabbed(struct columns *columns, const void *id);
/** Returns the width of an item's column as a part of the area, 0 if there is no such item. */
double columns_width(const struct columns *columns, const void *id, bool fitted);
/**
 * Sets the width of an item's column as a part of the area, within the limits. In a fitted layout
 * the other columns share the remainder as before. Returns as above.
 */
bool columns_set_width(struct columns *columns, const void *id, double width, bool fitted);
/** Sets the next greater (or smaller, if `back`) width of `n` ascending presets, in a circle. */
bool columns_step_width(struct columns *columns, const void *id, const double *presets, int n,
	bool back, bool fitted);
/** Changes an item's part of its column's height by `by`, a part of that height. */
bool columns_grow_height(struct columns *columns, const void *id, double by);
/** Computes boxes and scroll offset. Returns true if the style's smart gaps removed the gaps. */
bool columns_arrange(struct columns *columns, const struct columns_style *style);
/** Returns the box that a new item will have: see columns_insert(). */
struct box columns_predict(const struct columns *columns, const struct columns_style *style,
	double width, int min_width, bool before);
