/* SPDX-License-Identifier: MIT */
/* Table of X windows: by id, surface, and window of the shell. */

#include "table.h"
#include "surface/surface.h"
#include "xwm.h"
#include <stdlib.h>

static struct wl_list *bucket(struct xwm *wm, xcb_window_t id)
{
	/* Clients choose the low bits of ids: a random odd factor keeps them from colliding. */
	return &wm->buckets[id * wm->hash_factor >> (64 - XWM_BUCKETS_LOG2)];
}

void xwin_insert(struct xwin *window)
{
	struct xwm *wm = window->wm;
	wl_list_insert(bucket(wm, window->id), &window->hash_link);
	wl_list_insert(wm->windows.prev, &window->link);
	wm->n_windows++;
}

struct xwin *xwin_find(struct xwm *wm, xcb_window_t id)
{
	struct xwin *window;
	wl_list_for_each (window, bucket(wm, id), hash_link) {
		if (window->id == id) {
			return window;
		}
	}
	return NULL;
}

struct xwin *xwin_from_window(const struct xwm *wm, const struct window *window)
{
	struct xwin *found = window && window->impl == wm->window_impl ? window->data : NULL;
	return found && found->wm == wm ? found : NULL;
}

struct xwin *xwin_from_surface(const struct xwm *wm, const struct surface *surface)
{
	struct xwin *found = surface && surface->role == wm->role ? surface->role_data : NULL;
	return found && found->wm == wm ? found : NULL;
}

bool xwm_ids_share_client(const struct xwm *wm, xcb_window_t a, xcb_window_t b)
{
	return a && b && ((a ^ b) & ~xcb_get_setup(wm->x)->resource_id_mask) == 0;
}

bool xwin_same_client(const struct xwin *a, const struct xwin *b)
{
	return a && b && xwm_ids_share_client(a->wm, a->id, b->id);
}

void xwin_unref(struct xwin *window)
{
	if (--window->n_refs == 0) {
		free(window);
	}
}
