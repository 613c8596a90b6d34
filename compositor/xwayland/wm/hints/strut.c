/* SPDX-License-Identifier: MIT */
/* Struts: space that docks reserve at the edges of the X screen. */

#include "hints.h"
#include "xwayland/wm/base/xwm.h"
#include <math.h>

void xwin_strut_read(struct xwin *window, bool partial, const uint32_t *values, int n)
{
	const bool given = n >= (partial ? 12 : 4);
	if (!partial && window->strut.partial) {
		return;
	}
	window->strut.partial = partial && given;
	window->strut.given = given;
	for (int i = 0; i < 4; i++) {
		window->strut.edges[i] =
			given && values[i] <= X_POSITION_MAX ? (int32_t)values[i] : 0;
	}
}

/*
 * Depths count from the edges of the X screen, and an output may lie further inside. They concern
 * only the output of the dock.
 */
void xwin_strut_apply(struct xwin *window)
{
	const struct xwm *wm = window->wm;
	const struct scene_output *output = window_output(window->window);
	struct frame_extents space = {0};
	if (!window->window->mapped) {
		return;
	}
	if (output && window->strut.given) {
		const struct box box = scene_output_box(output);
		const struct box all = scene_layout_box(wm->parts->scene);
		const int insets[4] = {box.x, all.x + all.width - box.x - box.width, box.y,
			all.y + all.height - box.y - box.height};
		int depths[4];
		for (int i = 0; i < 4; i++) {
			depths[i] = (int)ceil(window->strut.edges[i] / wm->scale) - insets[i];
			depths[i] = depths[i] > 0 ? depths[i] : 0;
		}
		space = (struct frame_extents){.left = depths[0],
			.right = depths[1],
			.top = depths[2],
			.bottom = depths[3]};
	}
	window_reserve(window->window, &space);
}

void xwm_struts_update(struct xwm *wm)
{
	struct xwin *window;
	wl_list_for_each (window, &wm->windows, link) {
		if (window->window && window->strut.given) {
			xwin_strut_apply(window);
		}
	}
}
