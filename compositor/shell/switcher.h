/* SPDX-License-Identifier: MIT */
#pragma once

/** View of the window switcher: a panel with previews, icons and titles. */

#include "scene/scene.h"
#include "util/box.h"

struct shell;
struct switcher;
struct window;

/** Sizes of a cell, logical pixels. */
#define SWITCHER_CELL_WIDTH 264
#define SWITCHER_CELL_HEIGHT 204

/** Places of cells. Pure. */
struct switcher_layout {
	struct box panel; /* global */
	int columns, rows;
	int first; /* window in the first cell: more windows than cells are shown in pages */
	int n; /* windows on the page */
};

/** Computes the layout of `n` windows, above 0, for a page with the selected one. */
struct switcher_layout switcher_layout(const struct box *area, int n, int selected);
/** Returns the box of a cell in the panel. */
struct box switcher_cell(const struct switcher_layout *layout, int i);
/** Returns the window at a global point, or -1. */
int switcher_window_at(const struct switcher_layout *layout, double x, double y);

/**
 * Shows the windows on an output, which must outlive the view, as must the windows. `data` is that
 * of the panel's scene hits.
 */
struct switcher *switcher_create(struct shell *shell, struct scene_output *output,
	struct window *const *windows, int n, int selected, void *data);
/** Accepts NULL. */
void switcher_destroy(struct switcher *switcher);
/** Highlights a window of the page. Returns false if it is on another page. */
bool switcher_select(struct switcher *switcher, int selected);
/** Redraws the icon of a window, if it is on the page. */
void switcher_icon_changed(struct switcher *switcher, const struct window *window);
const struct switcher_layout *switcher_get_layout(const struct switcher *switcher);
