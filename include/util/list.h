/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Lists in paths of every commit and frame: the functions of libwayland, without calls into it.
 */

#include <stdbool.h>
#include <wayland-util.h>

static inline bool list_is_empty(const struct wl_list *list)
{
	return list->next == list;
}

static inline void list_init(struct wl_list *list)
{
	list->next = list->prev = list;
}
