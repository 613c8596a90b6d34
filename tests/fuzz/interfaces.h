#pragma once

/** The interfaces that a registry may name. */

#include <wayland-util.h>

/** NULL if it is none of them. */
const struct wl_interface *interface_find(const char *name);
