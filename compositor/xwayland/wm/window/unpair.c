/* SPDX-License-Identifier: MIT */
/* The end of pairs of X windows and surfaces. */

#include "scene/scene.h"
#include "surface/surface.h"
#include "window.h"
#include "xwayland/wm/base/xwm.h"

void xwin_forget_announcement(struct xwin *window)
{
	wl_list_remove(&window->announced.link);
	wl_list_init(&window->announced.link);
	window->announced.surface_id = 0;
	window->announced.serial = 0;
}

void xwin_unpair(struct xwin *window)
{
	struct surface *surface = window->surface;
	if (!surface) {
		return;
	}
	xwin_unmanaged_hide(window);
	surface_unmap(surface);
	scene_surface_set_clip(surface, NULL);
	scene_surface_set_input(surface, NULL);
	window->surface = NULL;
	surface_clear_role_data(surface);
}
