/* SPDX-License-Identifier: MIT */
/* Parents of toplevels: limits and order of families of windows. */

#include "xdg.h"

enum parent_check toplevel_check_parent(const struct window *window, const struct window *parent)
{
	for (const struct window *up = parent; up; up = up->parent) {
		if (up == window) {
			return PARENT_DESCENDANT;
		}
	}
	/*
	 * For its client the parent is mapped once content is committed, although that may not be
	 * applied yet.
	 */
	if (!parent->mapped && !parent->surface->pending.has_content) {
		return PARENT_UNMAPPED;
	}
	return window_family_has_room(window, parent) ? PARENT_VALID : PARENT_NO_ROOM;
}
