/* SPDX-License-Identifier: MIT */
#pragma once

/** Table of the interfaces of globals. */

#include <wayland-util.h>

/** Returns the interface of this name; aborts if the table lacks it. */
const struct wl_interface *interface_find(const char *name);
